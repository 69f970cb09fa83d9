#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A component in Python: calls a server so many times and says how long the round trips took, in simulated time."""

import argparse
import collections
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients/python"))
import longarm_client  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--calls", type=int, default=100)
parser.add_argument("--server", default="Server")
parser.add_argument("--every-ns", type=int, default=0, help="start a call so often; 0: one after the other")
parser.add_argument("--csv", help="write the round trips there")
parser.add_argument("--no-idle", action="store_true", help="never say when idle (lockstep.mode: collect)")
arguments = parser.parse_args()

round_trips_ns = []
with longarm_client.join(announces_idle=not arguments.no_idle) as me:
    me.sleep_until(1_000_000)  # let the server register first
    for number in range(arguments.calls):
        start_ns = me.now_ns
        reply = me.call(arguments.server, "echo", b"%8d" % number)
        assert reply == b"%8d" % number, "somebody else's reply"
        round_trips_ns.append(me.now_ns - start_ns)
        if arguments.every_ns:
            me.sleep_until(start_ns + arguments.every_ns)

if arguments.csv:
    pathlib.Path(arguments.csv).write_text("seconds\n" + "".join(f"{ns / 1e9:.9f}\n" for ns in round_trips_ns))
# the first call of all also makes the connection, which takes a round trip of its own
for span_ns, count in sorted(collections.Counter(round_trips_ns).items())[:10]:
    print(f"{count:6d} round trips of {span_ns / 1e6:.6f} ms")
