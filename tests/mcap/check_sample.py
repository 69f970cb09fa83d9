#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares what other people's readers find in a sample trace with what write_sample.cpp says it wrote.

usage: check_sample.py WRITE_SAMPLE FOLDER NODE_FOLDER [whole|cut]
"""

import pathlib
import struct
import subprocess
import sys

from node_reader import NodeReader, numbers, rows, stamp_ns

STEPS = 3000
MS = 10**6
POSE = {"x": 0.5, "y": -0.5, "z": 0.5, "w": 0.5}


def same(found, wanted, what):
    if found != wanted:
        sys.exit(f"{what}: found {found}, wanted {wanted}")


def same_bits(found, wanted, what):
    same([struct.pack("<d", number) for number in found], [struct.pack("<d", number) for number in wanted],
         f"{what}: {found} and {wanted}")


def check_joints(folder, topic, steps, offset_ns=0, arrays=("position", "velocity", "effort")):
    """One message per step, with the formulas of write_sample.cpp."""
    count = 0
    for s, row in enumerate(rows(folder, topic)):
        wanted = {"position": [s / 1024.0, 1.0 / (s + 1.0), -0.0], "velocity": [0.1 * s, -float(s), 1e-300 * s],
                  "effort": [s / 3.0, 2.0, 1e300]}
        same(int(row["log_time_ns"]), s * MS, f"{topic} log time")
        same(stamp_ns(row), s * MS + offset_ns, f"{topic} stamp")
        same([row["name.0"], row["name.1"], row["name.2"]], ["shoulder", "elbow", "grüße"], f"{topic} names")
        for field, values in wanted.items():
            same_bits(numbers(row, field), values if field in arrays else [], f"{topic} {field} of step {s}")
        count += 1
    same(count, steps, f"messages of {topic}")


def check_pose(row, prefix, s, what, position="position", rotation="orientation"):
    for name, value in {"x": float(s), "y": -float(s), "z": 0.5}.items():
        same(float(row[f"{prefix}.{position}.{name}"]), value, what)
    for name, value in POSE.items():
        same(float(row[f"{prefix}.{rotation}.{name}"]), value, what)


def check_end_effector(folder):
    for s, row in enumerate(rows(folder, "/end_effector_pose")):
        check_pose(row, "pose", s, f"pose of step {s}")
        same(row["header.frame_id"], "base_link", "frame of the pose")
    for k, row in enumerate(rows(folder, "/end_effector_path")):
        same(int(row["log_time_ns"]), k * 100 * MS, "time of a path")
        count = min(100, 1 + 10 * k)  # one second at 100 Hz
        same(f"poses.{count}.pose.position.x" in row, False, "length of a path")
        for i in range(count):
            s = 100 * k - 10 * (count - 1 - i)
            same(stamp_ns(row, f"poses.{i}.header.stamp"), s * MS, "stamp on a path")
            check_pose(row, f"poses.{i}.pose", s, f"point {i} of path {k}")


def check_frames(folder):
    fixed = list(rows(folder, "/tf_static"))
    same(len(fixed), 1, "messages of /tf_static")
    same([fixed[0]["transforms.0.header.frame_id"], fixed[0]["transforms.0.child_frame_id"]], ["world", "base_link"],
         "fixed frame")
    same([float(fixed[0][f"transforms.0.transform.translation.{axis}"]) for axis in "xyz"], [1.0, 2.0, 3.0], "its place")
    for k, row in enumerate(rows(folder, "/tf")):
        same(stamp_ns(row, "transforms.0.header.stamp"), k * 10 * MS, "stamp of /tf")
        check_pose(row, "transforms.0.transform", 10 * k, "upper arm", "translation", "rotation")
        same(row["transforms.1.header.frame_id"], "upper_arm", "parent of the forearm")
        same(float(row["transforms.1.transform.rotation.w"]), 1.0, "forearm")
    for k, row in enumerate(rows(folder, "/clock")):
        same(stamp_ns(row, "clock"), k * 10 * MS, "clock")


def check_link(folder):
    arrived = 0
    for row in rows(folder, "/link/states"):
        same(row["direction"], "states", "direction")
        same(int(row["size_bytes"]), 172, "size")
        if row["event"] == "arrived":
            same(int(row["index"]), arrived, "index")
            same(stamp_ns(row, "sent_at"), arrived * MS, "sent at")
            same(stamp_ns(row, "stamp"), (arrived + 5) * MS, "arrived at")
            same(float(row["delay_s"]), 0.005, "delay")
            arrived += 1
    same(arrived, STEPS - 5, "arrivals")


def check_whole(node, trace, folder):
    stream, indexed = node.read(trace, folder / "csv")
    same(stream["is_complete"], True, "complete")
    same(stream["profile"], "ros2", "profile")
    same(stream["attachments"], {"scenario.yaml": "seed: 1\n"}, "attachments")
    same(indexed["topics"], stream["topics"], "what index and stream say")
    counts = {name: topic["count"] for name, topic in stream["topics"].items()}
    same(counts, {"/joint_states": STEPS, "/controller/joint_states": STEPS, "/controller/joint_commands": STEPS,
                  "/joint_commands": STEPS, "/end_effector_pose": STEPS, "/end_effector_path": STEPS // 100,
                  "/tf": STEPS // 10, "/tf_static": 1, "/clock": STEPS // 10, "/link/states": 2 * STEPS - 5,
                  "/link/commands": STEPS}, "messages")
    same(int(indexed["messages"]), sum(counts.values()), "messages in the statistics")
    for name, topic in stream["topics"].items():
        durability = topic["metadata"]["offered_qos_profiles"].split("durability: ")[1][0]
        same(durability, "1" if name == "/tf_static" else "2", f"who comes late, {name}")
    csv = folder / "csv"
    check_joints(csv, "/joint_states", STEPS)
    check_joints(csv, "/controller/joint_states", STEPS, -2000 * MS, ("position", "velocity"))
    check_joints(csv, "/controller/joint_commands", STEPS, 0, ("velocity",))
    check_joints(csv, "/joint_commands", STEPS, 0, ("position",))
    check_end_effector(csv)
    check_frames(csv)
    check_link(csv)


def chunk_ends(file):
    """[(end of a chunk, messages up to there)], from the lengths of the records alone."""
    ends, count, at = [], 0, 8
    while at + 9 <= len(file):
        opcode, length = struct.unpack_from("<BQ", file, at)
        if opcode == 0x07:  # message index: 16 bytes per message, after channel and length
            count += (length - 6) // 16
            ends[-1] = (ends[-1][0], count)
        at += 9 + length
        if opcode == 0x06:
            ends.append((at, count))
        if opcode == 0x0F:
            return ends
    return ends


def check_cut(node, trace, folder):
    file = trace.read_bytes()
    ends = chunk_ends(file)
    if len(ends) < 3:
        sys.exit(f"a sample of {len(ends)} chunks cannot show much")
    cuts = [9, ends[0][0] - 1, ends[0][0], ends[1][0] + 5, ends[-1][0], len(file) - 1]
    cuts += [len(file) * k // 7 for k in range(1, 7)]
    for cut in cuts:
        stream, _ = node.read(trace, folder / f"cut-{cut}", cut)
        same(stream["is_complete"], False, f"complete at {cut}")
        wanted = max([count for end, count in ends if end <= cut], default=0)
        same(sum(topic["count"] for topic in stream["topics"].values()), wanted, f"messages before byte {cut}")
        if wanted:
            check_joints(folder / f"cut-{cut}", "/joint_states", stream["topics"]["/joint_states"]["count"])


def main():
    write_sample, folder, node_folder, what = sys.argv[1:]
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    trace = folder / "sample.mcap"
    subprocess.run([write_sample, str(trace)], check=True)
    {"whole": check_whole, "cut": check_cut}[what](NodeReader(node_folder), trace, folder)
    print(f"{trace.stat().st_size} bytes read back as they were written ({what})")


main()
