#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A ROS master, longarm-ros and a client of an action in simulated time: instants follow from the cables."""

import csv
import math
import os
import pathlib
import re
import sys

for folder in ("cli", "programs"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / folder))
from program import equal, holds, main  # noqa: E402
from scenes import nothing_is_left, inherit_orphans, wire_ns  # noqa: E402

MS = 1_000_000
JOINTS = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]

# Bytes of ROS messages: a list and a text have 4 of length in front, times and durations 8, numbers 8.
HEADER = 4 + 8 + 4
ID = 8 + 4 + len("/client-1-946684802.000")
POINT = (4 + 6 * 8) + 4 + 4 + 4 + 8
GOAL = HEADER + ID + HEADER + 4 + sum(4 + len(name) for name in JOINTS) + 4 + POINT + 4 + 4 + 8
STATUS = ID + 1 + 4
STATUS_LIST = HEADER + 4 + STATUS
RESULT = HEADER + STATUS + (4 + 4)
LENGTH = 4  # in front of each message on a connection
GAP = 12  # between frames

RADIO_BIT_S, RADIO_NS = 50e6, 4 * MS
CABLE_NS = 100_000
PATH_RAD, PATH_NS, GAIN = 0.05, 500 * MS, 10.0


def run_again(longarm, number):
    """What a run leaves."""
    done = longarm("run", "ur5-ros-5g", "--out", f"out{number}")
    nothing_is_left()
    folder = pathlib.Path(f"out{number}")
    return done, {name: (folder / name).read_bytes() for name in ("client.stdout.txt", "ur5.trace.csv", "trace.mcap", "log.txt")}


def case_a_goal_across_5g_moves_the_arm_when_the_cables_say(longarm):
    # the scenario finds it by its name, and takes nothing from a user's folders
    os.environ["PATH"] = f"{pathlib.Path(os.environ['LONGARM_ROS']).parent}:/usr/bin:/bin"
    os.environ["HOME"] = os.getcwd()
    inherit_orphans()
    _, first = run_again(longarm, 1)
    for number in range(2, int(os.environ.get("LONGARM_ROS_RUNS", 3)) + 1):
        equal(run_again(longarm, number)[1] == first, True, f"run {number} is the first one again")
    said = re.fullmatch(r"sent at (\d+), error code (-?\d+) after (\d+) ns\n", first["client.stdout.txt"].decode())
    holds(said, first["client.stdout.txt"])
    sent, code, took = map(int, said.groups())
    sent -= 946_684_800 * 1000 * MS
    equal((sent, code), (2000 * MS, 0))

    # One segment over the radio, then longarm-ros and the controller at the edge, which computes every millisecond. In
    # that instant the path is as far as it has come since the goal arrived, and the arm still at rest.
    arrived = sent + round(wire_ns(LENGTH + GOAL, RADIO_BIT_S)) + RADIO_NS
    tick = math.ceil(arrived / MS) * MS
    slope = PATH_RAD / (PATH_NS / 1e9)
    command = slope * (1.0 + GAIN * (tick - arrived) / 1e9)
    # The command is less than a millisecond on the cable, so that the arm takes it at its next step.
    holds(CABLE_NS < MS, "a cable of less than a period")
    moves = tick + 2 * MS  # the end of that step
    with open("out1/ur5.trace.csv", newline="", encoding="utf-8") as file:
        rows = {round(float(row["time_s"]) * 1e9): row for row in csv.DictReader(file)}
    pan = "shoulder_pan_joint"
    moving = [time for time, row in rows.items() if float(row[f"velocity.{pan}"]) != 0.0]
    equal(moving[0], moves, "the end of the first step in which the arm moves")
    velocity = float(rows[moves][f"velocity.{pan}"])
    holds(abs(velocity - command) < 1e-12, f"{velocity}, not {command}")  # a nanosecond later would be 1e-9 less
    # With its last command on the way, the path ends. The step after the next shows that the arm stands; its state is
    # there at the tick after that, whose result is told at the end of the step. Then it crosses the radio.
    end = math.ceil((arrived + PATH_NS) / MS) * MS
    told = end + 4 * MS
    alone = told - sent + round(wire_ns(LENGTH + RESULT, RADIO_BIT_S)) + RADIO_NS
    # actionlib publishes the new status in the same instant, on another connection
    behind = alone + round(wire_ns(LENGTH + STATUS_LIST + GAP, RADIO_BIT_S))
    holds(took in (alone, behind), f"from goal to result: {took}, neither {alone} nor {behind}")


if __name__ == "__main__":
    sys.exit(main(globals()))
