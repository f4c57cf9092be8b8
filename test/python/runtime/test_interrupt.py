"""Ctrl-C stops a kernel that doesn't end, and the device goes on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import os, signal, threading
import numpy as np
import tegula as tg

@tg.kernel(grid=lambda x: (x.shape[0],))
def wait(x: "R N", n: tg.i32):
    r = tg.program_id(0)
    t = tg.load(x, (r, 0), (1, 16))
    while n > 0:
        t = t + 1
    tg.store(x, (r, 0), t + 1)

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background
x = np.zeros((8, 16), np.float32)
with tg.device("{device}"):
    wait(x, 0)
    for _ in range(2):
        threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        try:
            wait(x, 1)
        except KeyboardInterrupt:
            print("stopped")
    wait(x, 0)
    print(x.min(), x.max(), signal.getsignal(signal.SIGINT) is signal.default_int_handler)
    x.flags.writeable = False
    try:
        wait(x, 0)
    except tg.SanitizerReport as report:
        print(str(report).count("interrupted"))
"""


@pytest.mark.parametrize("target", ["gfx942", "gfx950"])
def test_a_kernel_without_end(tmp_path: Path, target: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(PROGRAM.replace("{device}", f"sim:{target}"))
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["stopped", "stopped", "2.0", "2.0", "True", "0"], done.stderr
    assert done.returncode == 0


IGNORED = """
import os, signal, threading
import numpy as np
import tegula as tg

@tg.kernel(grid=lambda x: (x.shape[0],))
def count(x: "R N", n: tg.i32):
    r = tg.program_id(0)
    t = tg.load(x, (r, 0), (1, 16))
    for _ in range(n):
        t = t + 1
    tg.store(x, (r, 0), t)

ended = threading.Event()
sent = 0

def interrupt():
    global sent
    while not ended.wait(0.01):
        os.kill(os.getpid(), signal.SIGINT)
        sent += 1

signal.signal(signal.SIGINT, signal.SIG_IGN)
x = np.zeros((8, 16), np.float32)
with tg.device("sim:gfx950"):
    count(x, 0)
    threading.Thread(target=interrupt, daemon=True).start()
    count(x, 1 << 20)
    ended.set()
print(sent > 0, (x == 1 << 20).all())
"""


def test_an_ignored_signal_stops_nothing(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(IGNORED)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["True", "True"], done.stderr
