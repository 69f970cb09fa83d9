#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A component in Python that gives back what it is sent, until the simulation ends."""

import argparse
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "clients/python"))
import longarm_client  # noqa: E402

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--execution-ns", type=int, default=0, help="simulated time that an echo takes")
parser.add_argument("--think-s", type=float, default=0.0, help="wall-clock time that it takes at most; a random share of it")
parser.add_argument("--no-idle", action="store_true", help="never say when idle (lockstep.mode: collect)")
arguments = parser.parse_args()
dice = random.Random(1)


def echo(request):
    if arguments.think_s > 0:
        time.sleep(arguments.think_s * dice.random())
    return request, arguments.execution_ns


with longarm_client.join(announces_idle=not arguments.no_idle) as me:
    me.serve("echo", echo)
    me.run()
