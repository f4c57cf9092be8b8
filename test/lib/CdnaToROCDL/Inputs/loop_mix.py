"""Instruction mix of the loop with the most MFMAs in an assembly listing on stdin."""

import collections
import re
import sys


def loops(lines: list[str]):
    """Bodies of backward branches, as lists of instruction lines."""
    labels: dict[str, int] = {}
    for i, line in enumerate(lines):
        if m := re.match(r"(\.LBB\w+):", line):
            labels[m.group(1)] = i
        elif (m := re.match(r"\s+s_c?branch\S*\s+(\.LBB\w+)", line)) and m.group(1) in labels:
            body = [x.strip() for x in lines[labels[m.group(1)] + 1 : i + 1]]
            yield [x for x in body if x and x[0] not in ";."]


best = max(loops(sys.stdin.read().split("\n")), key=lambda body: sum("mfma" in x for x in body))
kinds = collections.Counter(x.split()[0] for x in best)
mfma = sum(n for name, n in kinds.items() if "mfma" in name)
print(f"mfma: {mfma}")
print(f"instructions: {len(best)}")
print(f"at most 2 per mfma: {len(best) <= 2 * mfma}")
for wait in (x for x in best if x.startswith(("s_waitcnt vmcnt", "s_barrier"))):
    print(wait)
for name, count in sorted(kinds.items()):
    print(f"{name}: {count}")
