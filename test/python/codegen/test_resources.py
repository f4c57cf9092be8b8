"""Registers, LDS, spills, occupancy and code size of every library kernel are as in the table."""

from __future__ import annotations

import resources


def test_the_table_is_what_the_compiler_makes() -> None:
    changed = resources.differences(resources.read(), resources.measure())
    command = "python test/python/codegen/resources.py"
    assert not changed, "\n".join([*changed, f"if this is meant: {command}"])


def test_differences_are_named() -> None:
    table = resources.read()
    assert resources.differences(table, table) == []
    other = [dict(row) for row in table[1:]]
    other[0]["vgprs"] = "1"
    first, second = (" ".join(table[i][key] for key in resources.KEYS) for i in (0, 1))
    assert resources.differences(table, other) == sorted(
        [f"{first}: in the table only", f"{second}: vgprs {table[1]['vgprs']} -> 1"]
    )
