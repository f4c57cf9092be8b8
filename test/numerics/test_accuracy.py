"""The library's kernels against float64, and docs/accuracy.md against what is measured."""

from __future__ import annotations

import pytest

import accuracy
import sampling
from accuracy import Family
from tegula import targets

FAMILIES = accuracy.families()
VARIANTS = [(family, number) for family in FAMILIES for number in range(len(family.variants))]


@pytest.mark.parametrize("target", targets.names())
@pytest.mark.parametrize(
    ("family", "number"), VARIANTS, ids=[f"{f.name}-{f.variants[n]}" for f, n in VARIANTS]
)
def test_errors(family: Family, number: int, target: str) -> None:
    """Within the bound, and what the page says: of all sizes its figure, of a sample no more."""
    variant, bound = family.variants[number], family.bound(family.variants[number])
    sizes = sampling.sample(family.sizes, family.sampled, seed=number)
    errors = {size: accuracy.measured(family, variant, size, target) for size in sizes}
    assert all(error <= bound for error in errors.values()), errors
    name = (family.name, variant, target)
    [recorded] = [row["error"] for row in accuracy.read() if accuracy.key(row) == name]
    found = f"{max(errors.values()):.3g}"
    same = found == recorded if len(sizes) == len(family.sizes) else float(found) <= float(recorded)
    assert same, f"{found}, not {recorded}: run accuracy.py {family.name}"


def test_the_page_has_a_row_for_every_variant() -> None:
    """docs/accuracy.md is what accuracy.py writes; ``test_errors`` compares the errors."""
    expected = [
        accuracy.head(family, variant, target)
        for family in FAMILIES
        for variant in family.variants
        for target in targets.names()
    ]
    found = accuracy.read()
    assert [{**row, "error": ""} for row in found] == expected, "run accuracy.py"
    assert accuracy.PATH.read_text() == accuracy.page(found)
