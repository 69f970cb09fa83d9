#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ARMAR's loop as programs of ZeroC Ice in simulated time: exact, repeatable, and the hand follows the rectangle."""

import json
import pathlib
import shutil
import sys
import types

import armar_ice
from armar_ice import EXECUTION_US, PLACEMENTS, PROGRAMS, SCALE, Setting

COSTS = {"loopback": "40us", "stack_send": "50us", "stack_receive": "50us"}
DELAY_US = 100.0


def holds(condition, what):
    if not condition:
        raise SystemExit(what)


def run(options, placement, setting, name):
    folder = pathlib.Path(name).resolve()
    shutil.rmtree(folder, ignore_errors=True)  # of an earlier time
    cycles = armar_ice.run_virtually(options, setting, PLACEMENTS[placement], PROGRAMS, "TCPControlUnit", COSTS, 1, folder)
    return cycles, json.loads((folder / "out" / "metrics.json").read_text())


def check_times_are_exact(options):
    """Two calls, of so much computing and so many ways; each way of a message is shorter than 5 us on the wire."""
    cycles, metrics = run(options, "separate", Setting(2.0, DELAY_US, 0.0), "exact")
    idle_us = {round(seconds * 1e6, 3) for calls, seconds in cycles if calls == 2}
    computing_us = SCALE * (EXECUTION_US["getSynchronizedRobot"] + EXECUTION_US["getConfig"])
    least_us = computing_us + 2 * (2 * DELAY_US + 4 * 50.0)
    holds(len(idle_us) == 1, f"cycles of two calls differ: {idle_us}")
    holds(least_us < min(idle_us) < least_us + 4 * 5.0, f"a cycle of two calls takes {idle_us} us, computing and ways {least_us}")
    holds({calls for calls, _ in cycles} == {2, 4}, "the hand never moves, or never rests")
    again, metrics_again = run(options, "separate", Setting(2.0, DELAY_US, 0.0), "again")
    holds(cycles == again and metrics["state_hash"] == metrics_again["state_hash"], "two runs differ")


def check_the_hand_follows_the_rectangle(options):
    """In position mode until TCPControlUnit asks for velocities; then along the sides, as with simulated components."""
    _, metrics = run(options, "together", Setting(8.0, DELAY_US, 0.35, has_arm=True), "hand")
    arm = metrics["arm"]
    holds(arm["drive_commands_refused"] == 0 and arm["drive_commands"] > 1000, f"commands of the drives: {arm}")
    holds(arm["path_deviation_max_m"] is not None and arm["path_deviation_max_m"] < 3e-3, f"the hand leaves its path: {arm}")


if __name__ == "__main__":
    given = types.SimpleNamespace(longarm=sys.argv[1], armar_ice=sys.argv[2])
    check_times_are_exact(given)
    check_the_hand_follows_the_rectangle(given)
