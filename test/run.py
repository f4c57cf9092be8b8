"""Run every suite and print one line that says how many tests passed and failed.

Suites: style (formatters, linters, house rules), unit (GoogleTest), lit, pytest. Each writes JUnit
XML, so the counts are those of the runners themselves.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LLVM_BIN = Path("/usr/lib/llvm-22/bin")
BIN = Path(sys.executable).parent


@dataclass
class Outcome:
    """Counts of one suite; a runner that broke before it could count is one failure."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    broken: list[str] = field(default_factory=list)

    def add_junit(self, path: Path, command: str, status: int) -> None:
        if not path.exists():
            self.failed += 1
            self.broken.append(f"{command}: exit {status}, no report")
            return
        failed = 0
        for case in ElementTree.parse(path).getroot().iter("testcase"):
            if case.find("failure") is not None or case.find("error") is not None:
                failed += 1
                self.broken.append(f"{case.get('classname', '')}.{case.get('name', '')}")
            elif case.find("skipped") is not None or case.get("status") == "notrun":
                self.skipped += 1
            else:
                self.passed += 1
        self.failed += failed
        if status and not failed:
            self.failed += 1
            self.broken.append(f"{command}: exit {status}")


def run(command: list[str]) -> int:
    print("$", " ".join(command), flush=True)
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def tracked(*patterns: str) -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return [name for name in listing.stdout.split() if (ROOT / name).exists()]


def style(outcome: Outcome, reports: Path, options: argparse.Namespace) -> None:
    checks = {
        "clang-format": ["clang-format-22", "--dry-run", "-Werror", *tracked("*.cpp", "*.h")],
        "ruff check": [str(BIN / "ruff"), "check"],
        "ruff format": [str(BIN / "ruff"), "format", "--check"],
        "mypy": [str(BIN / "mypy")],
        "house rules": [sys.executable, "test/house_rules.py"],
    }
    for name, command in checks.items():
        if subprocess.run(command, cwd=ROOT, check=False).returncode:
            outcome.failed += 1
            outcome.broken.append(name)
        else:
            outcome.passed += 1


def unit(outcome: Outcome, reports: Path, options: argparse.Namespace) -> None:
    listing = subprocess.run(
        ["ctest", "--test-dir", options.build, "--show-only=json-v1"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for test in json.loads(listing.stdout)["tests"]:
        report = reports / f"unit-{test['name']}.xml"
        command = [*test["command"], f"--gtest_output=xml:{report}", "--gtest_brief=1"]
        status = run(command + ([] if options.full else ["--gtest_filter=-*Full*"]))
        outcome.add_junit(report, test["name"], status)


def lit(outcome: Outcome, reports: Path, options: argparse.Namespace) -> None:
    report = reports / "lit.xml"
    build = (ROOT / options.build).resolve()
    command = [str(LLVM_BIN / "lit"), "-q", "--param", f"build={build}"]
    status = run([*command, f"--xunit-xml-output={report}", "test"])
    outcome.add_junit(report, "lit", status)


def pytest(outcome: Outcome, reports: Path, options: argparse.Namespace) -> None:
    report = reports / "pytest.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", f"--junitxml={report}"]
    command.append(f"--build={options.build}")  # apart, it would be taken for a path
    status = run(command + (["--full"] if options.full else []))
    outcome.add_junit(report, "pytest", status)


SUITES = {"style": style, "unit": unit, "lit": lit, "pytest": pytest}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", default="build", help="CMake build directory")
    parser.add_argument("--full", action="store_true", help="full counts instead of seeded samples")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only these suites")
    options = parser.parse_args()
    reports = (ROOT / options.build / "reports").resolve()
    reports.mkdir(parents=True, exist_ok=True)
    outcomes = []
    for name in options.suite or SUITES:
        for old in reports.glob(f"{name}*.xml"):
            old.unlink()
        outcome = Outcome(name)
        start = time.monotonic()
        SUITES[name](outcome, reports, options)
        outcome.seconds = time.monotonic() - start
        outcomes.append(outcome)
    for outcome in outcomes:
        print(
            f"{outcome.name:8} {outcome.passed} passed, {outcome.failed} failed, "
            f"{outcome.skipped} skipped in {outcome.seconds:.0f} s"
        )
        for name in outcome.broken:
            print(f"  failed: {name}")
    failed = sum(o.failed for o in outcomes)
    skipped = sum(o.skipped for o in outcomes)
    tail = f", {skipped} skipped" if skipped else ""
    print(f"{sum(o.passed for o in outcomes)} passed, {failed} failed{tail}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
