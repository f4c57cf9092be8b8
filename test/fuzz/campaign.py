"""Fuzz the simulator: seeds from code objects, then libFuzzer for some seconds or inputs.

    cmake -S . -B build-fuzz -G Ninja -DTEGULA_FUZZ=ON \\
      -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \\
      -DTEGULA_BUILD_COMPILER=OFF -DTEGULA_BUILD_RUNTIME=OFF -DTEGULA_BUILD_TESTS=OFF
    cmake --build build-fuzz --target tegula-sim-fuzz
    python test/fuzz/campaign.py --binary build-fuzz/bin/tegula-sim-fuzz --seconds 60 build

Exit status 0: no crash, no hang, and at least half of the inputs were executed. What a crash or a
hang needs is kept in the folder of --artifacts. test/fuzz/campaign.log has the last long campaign.
"""

from __future__ import annotations

import argparse
import re
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TALLY = re.compile(
    r"(\d+) inputs, (\d+) of them executed \(([\d.]+) %\), .* findings", re.MULTILINE
)
COVERED = re.compile(r"cov: (\d+) ft: (\d+) corp: (\d+)")
COUNTERS = re.compile(r"\((\d+) inline 8-bit counters\)")
STRIP = "/usr/lib/llvm-22/bin/llvm-strip"
SHT_PROGBITS, EXECUTABLE = 1, 4
MOST_BYTES = 8192  # of an input
STREAM_BYTES = 128  # of a seed
GFX950 = 0x4F  # e_flags


def text_sections(code: bytes) -> list[bytes]:
    """Executable sections of an ELF file."""
    offset, count = struct.unpack_from("<Q", code, 40)[0], struct.unpack_from("<H", code, 60)[0]
    found = []
    for i in range(count):
        kind, flags, _, start, size = struct.unpack_from("<IQQQQ", code, offset + 64 * i + 4)
        if kind == SHT_PROGBITS and flags & EXECUTABLE:
            found.append(code[start : start + size])
    return found


def streams(code: bytes) -> list[bytes]:
    """The instructions in short pieces, each behind headers that turn the checks on and off."""
    target = 0x80 if code[48] == GFX950 else 0
    pieces = []
    for text in text_sections(code):
        for number, start in enumerate(range(0, min(len(text), 32_768), STREAM_BYTES)):
            checks, more = number % 2, number // 2 % 16
            header = bytes((target | checks, more << 4 | 2 + checks, 0xF0, number % 8))
            pieces.append(header + text[start : start + STREAM_BYTES])
    return pieces


def regressions() -> list[bytes]:
    lines = (Path(__file__).parent / "regressions.txt").read_text().splitlines()
    return [bytes.fromhex(line.split("#")[0]) for line in lines if line.split("#")[0].strip()]


def write_seeds(objects: list[Path], corpus: Path) -> int:
    """Old faults, small objects without debug information, and streams. The number of files."""
    number = 0
    for stream in regressions():
        (corpus / f"regression-{number:05}").write_bytes(stream)
        number += 1
    for path in objects:
        stripped = corpus / "stripped"
        subprocess.run([STRIP, str(path), "-o", str(stripped)], check=True)
        code = stripped.read_bytes()
        stripped.unlink()
        pieces = streams(code) + ([code] if len(code) <= MOST_BYTES else [])
        for piece in pieces:
            (corpus / f"seed-{number:05}").write_bytes(piece)
            number += 1
    return number


def summary(stderr: str, seeds: int, seconds: float) -> str:
    """One line: what ran, how much of it was executed, what it reached."""
    tally, counters = TALLY.search(stderr), COUNTERS.search(stderr)
    covered = COVERED.findall(stderr)
    if not tally or not counters or not covered:
        return ""
    edges, features, corpus = covered[-1]
    rate = int(tally[1]) / max(seconds, 1e-9)
    return (
        f"{seeds} seeds; {tally[0]}; {seconds:.0f} s, {rate:.0f} inputs a second; "
        f"{edges} of {counters[1]} edges covered ({100 * int(edges) / int(counters[1]):.1f} %), "
        f"{features} features, {corpus} inputs kept"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("objects", type=Path, help="folder with code objects (*.co), for seeds")
    parser.add_argument("--binary", type=Path, required=True)
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--runs", type=int, default=-1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--corpus", type=Path, help="folder of inputs to start from and to keep")
    parser.add_argument("--log", type=Path, help="where libFuzzer's own lines are kept")
    parser.add_argument("--artifacts", type=Path, default=Path("."), help="where crashes are kept")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        corpus = options.corpus or Path(folder) / "corpus"
        corpus.mkdir(exist_ok=True)
        seeds = len(list(corpus.iterdir())) or write_seeds(
            sorted(options.objects.rglob("*.co")), corpus
        )
        command = [
            str(options.binary.resolve()),
            f"-max_total_time={options.seconds}",
            f"-runs={options.runs}",
            f"-seed={options.seed}",
            f"-max_len={MOST_BYTES}",
            "-timeout=30",
            "-rss_limit_mb=4096",
            "-detect_leaks=0",
            "-entropic=0",
            "-reduce_inputs=0",
            "-use_memmem=0",
            "-reload=0",
            "-print_final_stats=1",
            f"-artifact_prefix={options.artifacts.resolve()}/",
            str(corpus),
        ]
        start = time.monotonic()
        log = options.log or Path(folder) / "log"
        with log.open("w") as stream:
            done = subprocess.run(command, stderr=stream, check=False)
        seconds = time.monotonic() - start
        told = log.read_text(errors="replace")
    line = summary(told, seeds, seconds)
    if done.returncode or not line:
        print("\n".join(told.splitlines()[-60:]))
        return 1
    print(line)
    found = TALLY.search(told)
    return 0 if found and float(found[3]) >= 50 else 1


if __name__ == "__main__":
    sys.exit(main())
