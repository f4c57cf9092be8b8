"""Fuzz the simulator: seeds from code objects, then libFuzzer for some seconds or inputs.

    cmake -S . -B build-fuzz -G Ninja -DTEGULA_FUZZ=ON \\
      -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \\
      -DTEGULA_BUILD_COMPILER=OFF -DTEGULA_BUILD_RUNTIME=OFF -DTEGULA_BUILD_TESTS=OFF
    cmake --build build-fuzz --target tegula-sim-fuzz
    python test/fuzz/campaign.py --binary build-fuzz/bin/tegula-sim-fuzz --seconds 60 build

Exit status 0: no crash, no hang, and at least half of the inputs were executed.
"""

from __future__ import annotations

import argparse
import re
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

TALLY = re.compile(r"(\d+) inputs, (\d+) of them executed \(([\d.]+) %\), (\d+) wave-instructions")
SHT_PROGBITS, EXECUTABLE = 1, 4


def text_sections(code: bytes) -> list[bytes]:
    """Executable sections of an ELF file."""
    offset, count = struct.unpack_from("<Q", code, 40)[0], struct.unpack_from("<H", code, 60)[0]
    found = []
    for i in range(count):
        kind, flags, _, start, size = struct.unpack_from("<IQQQQ", code, offset + 64 * i + 4)
        if kind == SHT_PROGBITS and flags & EXECUTABLE:
            found.append(code[start : start + size])
    return found


def write_seeds(objects: list[Path], corpus: Path) -> int:
    """Each object as it is, and its instructions in pieces as streams. The number of files."""
    number = 0
    for path in objects:
        code = path.read_bytes()
        target = 0x80 if code[48] == 0x4F else 0  # e_flags: gfx950
        pieces = [code] if len(code) < 64_000 else []
        for text in text_sections(code):
            for start in range(0, min(len(text), 16_384), 1024):
                for bits in (0, 1):
                    header = bytes((target | bits, 15, 0x40 if bits else 0xF0, 64))
                    pieces.append(header + text[start : start + 1024])
        for piece in pieces:
            (corpus / f"seed-{number:05}").write_bytes(piece)
            number += 1
    return number


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("objects", type=Path, help="folder with code objects (*.co), for seeds")
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--runs", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--artifacts", type=Path, default=Path("."), help="where crashes are kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder)
        seeds = write_seeds(sorted(options.objects.rglob("*.co")), corpus)
        command = [
            str(options.binary.resolve()),
            f"-max_total_time={options.seconds}",
            f"-runs={options.runs}",
            f"-seed={options.seed}",
            "-max_len=65536",
            "-timeout=30",
            "-rss_limit_mb=4096",
            f"-artifact_prefix={options.artifacts.resolve()}/",
            str(corpus),
        ]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
    tail = done.stderr.splitlines()
    tally = TALLY.search(done.stderr)
    print("\n".join([line for line in tail if "cov:" in line][-1:]))
    if done.returncode or tally is None:
        print("\n".join(tail[-60:]))
        return 1
    print(f"{seeds} seeds; {tally.group(0)}")
    return 0 if float(tally.group(3)) >= 50 else 1


if __name__ == "__main__":
    sys.exit(main())
