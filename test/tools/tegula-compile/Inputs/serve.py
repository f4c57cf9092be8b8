"""Talk to one server (program, kernel, options…) and print what matters of each reply."""

import json
import struct
import subprocess
import sys
from pathlib import Path

program, kernel, *options = sys.argv[1:]
text = Path(kernel).read_text()
worker = subprocess.Popen(
    [program, "--serve", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)


def send(raw: bytes) -> None:
    worker.stdin.write(struct.pack("<I", len(raw)) + raw)
    worker.stdin.flush()


def receive() -> tuple[dict, bytes] | None:
    head = worker.stdout.read(4)
    if len(head) < 4:
        return None
    reply = json.loads(worker.stdout.read(struct.unpack("<I", head)[0]))
    return reply, worker.stdout.read(reply.get("payload_bytes", 0))


def ask(title: str, **request: object) -> bytes:
    send(json.dumps({"id": title, "target": "gfx950", "filename": "k.mlir", **request}).encode())
    answer = receive()
    if answer is None:
        print(title, "-> worker ended", worker.wait())
        return b""
    reply, payload = answer
    assert reply["id"] == title
    labels = [d.get("label") for d in reply["diagnostics"]]
    messages = [d["message"] for d in reply["diagnostics"]]
    print(title, "->", reply["ok"], "internal" if reply.get("internal") else "", labels, messages)
    return payload


first = ask("compile", text=text)
print("elf", first[:4] == b"\x7fELF")
ask("stage", text=text, emit="cdna")
ask("malformed", text="tile.kernel @")
ask("no text")
ask("option", text=text, options={"bogus": 1})
send(b"not json")
print("not json ->", receive()[0]["diagnostics"][0]["label"])
ask("fatal", text=text, options={"fault": "fatal"})
print("same bytes after a fatal error", ask("again", text=text) == first)
ask("stack", text=text, options={"fault": "stack"})
