# SPDX-License-Identifier: Apache-2.0
"""A network backend that misbehaves in the way its first argument says: bad_backend.py WAY --socket PATH."""

import json
import os
import signal
import socket
import sys
import time

way, path = sys.argv[1], sys.argv[3]
if way == "exits at once":
    sys.exit(3)
connection = socket.socket(socket.AF_UNIX)
connection.connect(path)
lines = connection.makefile("r")


def say(reply):
    connection.sendall((json.dumps(reply) + "\n").encode())


def advanced(time_ns, deliveries=(), next_event_ns=None):
    return {"reply": "advanced", "time_ns": time_ns, "deliveries": list(deliveries), "next_event_ns": next_event_ns}


def delivery(time_ns, flow=0, message=7):
    return {"time_ns": time_ns, "flow": flow, "side": 1, "message": message, "fate": "delivered"}


ANSWERS = {
    "says what is no JSON": "hello?",
    "answers out of order": {"reply": "figures", "flows": [], "cables": []},
    "reports an error": {"reply": "error", "message": "out of cables"},
    "leaves out the time": {"reply": "advanced", "deliveries": [], "next_event_ns": None},
    "delivers in the past": advanced(2000, [delivery(500)]),
    "delivers another message": advanced(2000, [delivery(2000, message=8)]),
    "delivers on another flow": advanced(2000, [delivery(2000, flow=3)]),
    "delivers twice": advanced(2000, [delivery(2000), delivery(2000)]),
    "goes on after a delivery": advanced(3000, [delivery(2000)]),
    "stops for no reason": advanced(1000, [], 1500),
    "goes too far": advanced(5_000_000_000),
    "wants fates of nothing": dict(advanced(1000, [], 1500), fates_wanted=[{"cable": 0, "direction": 0, "first": 0}]),
}

advances = 0
for line in lines:
    command = json.loads(line)
    what = command["do"]
    if what == "hello":
        version = 2 if way == "speaks another version" else 1
        say({"reply": "hello", "protocol": "longarm-network", "version": version, "backend": "bad", "capabilities": []})
    elif what == "build":
        refused = {"reply": "refused", "message": "cables"}
        say(refused if way == "refuses to build" else {"reply": "built"})
    elif what == "open":
        refused = {"reply": "refused", "message": "tcp"}
        say(refused if way == "refuses to open" else {"reply": "opened", "flow": command["flow"]})
    elif what == "quit":
        break
    elif what == "advance":
        advances += 1
        if advances == 1:  # one answer makes sense
            say(advanced(1000, [], command["until_ns"]))
        elif way == "hangs":
            time.sleep(60)
        elif way == "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif way == "exits":
            sys.exit(4)
        elif way == "never ends its line":
            while True:
                connection.sendall(b"x" * 4096)
        else:
            answer = ANSWERS[way]
            connection.sendall(((answer if isinstance(answer, str) else json.dumps(answer)) + "\n").encode())
