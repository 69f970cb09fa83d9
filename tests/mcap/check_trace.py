#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares a run's trace.mcap, as other people's readers decode it, with its trace.csv; joints bit by bit.

usage: check_trace.py RUN_FOLDER NODE_FOLDER

States sampled at t are those of the row of t; a velocity command sent at t is the one of the row of the step that starts
at t; what arrives at either end is something that was sent at the other (docs/reference/metrics.md has the columns).
"""

import csv
import pathlib
import re
import struct
import sys
import tempfile

from node_reader import NodeReader, numbers, rows, stamp_ns

AXES = "xyz"


def bits(values):
    return [struct.pack("<d", value) for value in values]


def same(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: trace.mcap has {found}, wanted {wanted}")


def same_bits(found, wanted, what):
    if bits(found) != bits(wanted):
        sys.exit(f"{what}: trace.mcap has {found}, trace.csv has {wanted}")


def read_csv(path):
    """{time in ns: row}, and the time between rows."""
    with open(path, newline="") as file:
        table = {round(float(row["time_s"]) * 1e9): row for row in csv.DictReader(file)}
    times = sorted(table)
    return table, times[1] - times[0]


def joint_names(row):
    names = []
    while f"name.{len(names)}" in row:
        names.append(row[f"name.{len(names)}"])
    return names


def columns(row, probe, names):
    return [float(row[f"{probe}.{name}"]) for name in names]


def check_states(folder, table):
    compared = 0
    for row in rows(folder, "/joint_states"):
        time, names = int(row["log_time_ns"]), joint_names(row)
        if time in table:  # the start is in no row
            for field in ("position", "velocity", "effort"):
                same_bits(numbers(row, field), columns(table[time], field, names), f"{field} at {time} ns")
            compared += 1
    return compared


def check_velocity_commands(folder, table, period):
    compared = 0
    for row in rows(folder, "/controller/joint_commands"):
        time, names = int(row["log_time_ns"]), joint_names(row)
        if time + period in table and numbers(row, "velocity"):
            wanted = columns(table[time + period], "velocity_command", names)
            same_bits(numbers(row, "velocity"), wanted, f"velocity command at {time} ns")
            compared += 1
    return compared


def check_arrivals(folder, sent_topic, arrived_topic):
    """Everything that arrived was sent before, and is what was sent."""
    fields = ("position", "velocity", "effort")
    sent = {}
    for row in rows(folder, sent_topic):
        sent[stamp_ns(row)] = (int(row["log_time_ns"]), [bits(numbers(row, field)) for field in fields])
    compared = 0
    for row in rows(folder, arrived_topic):
        same(stamp_ns(row) in sent, True, f"{arrived_topic}: a message stamped {stamp_ns(row)} ns was sent")
        time, values = sent[stamp_ns(row)]
        same(int(row["log_time_ns"]) >= time, True, f"{arrived_topic}: it arrived after it was sent")
        same([bits(numbers(row, field)) for field in fields], values, f"{arrived_topic} stamped {stamp_ns(row)} ns")
        compared += 1
    return compared


def check_end_effector(folder, table):
    compared = 0
    for row in rows(folder, "/end_effector_pose"):
        time = int(row["log_time_ns"])
        if time in table:
            found = [float(row[f"pose.position.{axis}"]) for axis in AXES]
            wanted = columns(table[time], "end_effector", AXES)
            # computed twice, in another order: they may round differently
            if max(abs(a - b) for a, b in zip(found, wanted)) > 1e-12:
                sys.exit(f"end effector at {time} ns: trace.mcap has {found}, trace.csv has {wanted}")
            compared += 1
    return compared


def check_shapes(folder):
    """Every shape hangs on a frame of the same trace, for ever, and the decoder met the end where the message has it."""
    frames = {"world"}
    for topic in ("/tf", "/tf_static"):
        for row in rows(folder, topic):
            frames |= {text for name, text in row.items() if name.endswith("child_frame_id")}
    (row,) = rows(folder, "/shapes")
    count = 0
    while f"markers.{count}.header.frame_id" in row:
        marker = {name: row[f"markers.{count}.{name}"] for name in ("header.frame_id", "type", "scale.x", "frame_locked",
                                                                     "color.a", "mesh_use_embedded_materials")}
        same(marker["header.frame_id"] in frames, True, f"frame of shape {marker}")
        same(marker["type"] in ("1", "2", "3", "11"), True, f"kind of shape {marker}")
        same((marker["frame_locked"], marker["mesh_use_embedded_materials"]), ("true", "false"), f"flags of shape {marker}")
        same(float(marker["scale.x"]) > 0.0 and marker["color.a"] == "1", True, f"shape {marker} can be seen")
        turn = [float(row[f"markers.{count}.pose.orientation.{axis}"]) for axis in "xyzw"]
        same(abs(sum(part * part for part in turn) - 1.0) < 1e-12, True, f"orientation of shape {marker}")
        count += 1
    return count


def main():
    run, node_folder = map(pathlib.Path, sys.argv[1:])
    table, period = read_csv(run / "trace.csv")
    cut = re.search(r"^cut: *(\S+)", (run / "scenario.yaml").read_text(), re.MULTILINE)
    cut = cut.group(1) if cut else "velocity"
    with tempfile.TemporaryDirectory() as scratch:
        stream, indexed = NodeReader(node_folder).read(run / "trace.mcap", scratch)
        same(stream["is_complete"], True, "complete")
        same(indexed["topics"], stream["topics"], "what the index says")
        same(list(stream["attachments"]), ["scenario.yaml"], "attachments")
        found = {"states": check_states(scratch, table), "end effector": check_end_effector(scratch, table)}
        found["shapes"] = check_shapes(scratch)
        if cut in ("velocity", "stale-servo"):
            found["velocity commands"] = check_velocity_commands(scratch, table, period)
        if cut not in ("none", "trajectory"):
            found["states received"] = check_arrivals(scratch, "/joint_states", "/controller/joint_states")
            found["commands received"] = check_arrivals(scratch, "/controller/joint_commands", "/joint_commands")
    for name, count in found.items():
        if count == 0:
            sys.exit(f"there were no {name} to compare")
    print(", ".join(f"{count} {name}" for name, count in found.items()) + ": all equal")


main()
