"""A script in the place of the compiler: it reads requests and does what a test says."""

SCRIPT = """#!{python}
import json, os, struct, sys, time

if "--list-targets" in sys.argv:
    print({described!r})
    sys.exit()

def reply(header, payload=b""):
    if payload:
        header["payload_bytes"] = len(payload)
    data = json.dumps(header).encode()
    sys.stdout.buffer.write(struct.pack("<I", len(data)) + data + payload)
    sys.stdout.buffer.flush()

count = 0
while True:
    size = sys.stdin.buffer.read(4)
    if len(size) < 4:
        break
    request = json.loads(sys.stdin.buffer.read(struct.unpack("<I", size)[0]))
    count += 1
{behaviour}
"""
GOOD = """
    manifest = {"target": request["target"], "count": count, "pid": os.getpid()}
    reply({"id": request["id"], "ok": True, "manifest": manifest}, request["text"].encode())
"""
