# SPDX-License-Identifier: Apache-2.0
"""Writes a trace as bags and has them read by other people's code: each number must be the trace's.

usage: check_bags.py WRITE_SAMPLE LONGARM SCRATCH_FOLDER NODE_FOLDER
"""

import json
import pathlib
import shutil
import subprocess
import sys

import node_reader
from node_reader import NodeReader, rows

ROS_PYTHON = "/usr/bin/python3"  # Debian's, which has rosbag

# every message as nested dictionaries, numbers as Python prints them: the shortest that reads back
READ_ROSBAG = """
import sys, json, rosbag
def plain(value):
    if hasattr(value, "to_nsec"):
        return {"ns": value.to_nsec()}
    if hasattr(value, "__slots__"):
        return {name: plain(getattr(value, name)) for name in value.__slots__}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value
with rosbag.Bag(sys.argv[1]) as bag:
    for topic, message, time in bag.read_messages():
        print(json.dumps([topic, message._type, time.to_nsec(), plain(message)]))
"""
READ_YAML = "import sys, json, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))['rosbag2_bagfile_information']))"


def ros(script, path):
    return subprocess.run([ROS_PYTHON, "-c", script, str(path)], check=True, capture_output=True, text=True).stdout


def flat(value, name=""):
    """As node_reader has it: a name like pose.position.x for each number and text."""
    if isinstance(value, dict) and set(value) == {"ns"}:
        return {f"{name}.sec": str(value["ns"] // 10**9), f"{name}.nsec": str(value["ns"] % 10**9)}
    if isinstance(value, dict) or isinstance(value, list):
        out = {}
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            out.update(flat(inner, f"{name}.{key}" if name else str(key)))
        return out
    return {name: value}


def same(ours, theirs, field):
    return float(ours) == float(theirs) and str(float(ours)) == str(float(theirs)) if isinstance(ours, (int, float)) else ours == theirs


def compare(found, expected, where):
    """A message of ROS 1 with one of ROS 2, which lacks the sequence number."""
    sequence = [name for name in found if name.endswith("header.seq")]
    for name in sequence:
        assert found.pop(name) == 0, where
    assert set(found) == set(expected), (where, sorted(set(found) ^ set(expected)))
    for name, value in found.items():
        if name.endswith(("sec",)) and isinstance(value, str):
            # times before zero are none in ROS 1
            assert value == expected[name] or (int(expected.get(name[: name.rindex(".")] + ".sec")) < 0 and int(value) == 0), (where, name)
        else:
            assert same(value, expected[name], name), (where, name, value, expected[name])


def check_rosbag(bag, csv_folder):
    counts = {}
    of_topic = {}
    for line in ros(READ_ROSBAG, bag).splitlines():
        topic, its_type, time_ns, message = json.loads(line)
        of_topic.setdefault(topic, rows(csv_folder, topic))
        expected = next(of_topic[topic])
        where = f"{topic}, message {counts.get(topic, 0)}"
        assert time_ns == max(int(expected.pop("log_time_ns")), 1), where
        if its_type == "std_msgs/String":
            event = json.loads(message["data"])
            assert event["event"] == expected["event"] and str(event["index"]) == expected["index"], where
            assert float(expected["delay_s"]) == event["delay_s"], where
        else:
            compare(flat(message), expected, where)
        counts[topic] = counts.get(topic, 0) + 1
    for topic, rest in of_topic.items():
        assert next(rest, None) is None, f"{topic} has fewer messages than the trace"
    return counts


def check_ros2_bag(folder, node, original):
    metadata = json.loads(ros(READ_YAML, folder / "metadata.yaml"))
    [name] = metadata["relative_file_paths"]
    stream, indexed = node.read(folder / name)
    assert stream["profile"] == "ros2" and stream["is_complete"] and indexed is not None
    topics = {one["topic_metadata"]["name"]: one for one in metadata["topics_with_message_count"]}
    assert set(topics) == set(stream["topics"]) == {t for t, found in original.items() if found["count"] > 0}
    for topic, found in stream["topics"].items():
        said = topics[topic]["topic_metadata"]
        assert said["serialization_format"] == "cdr" and said["type"] == found["type"], topic
        assert said["offered_qos_profiles"] == found["metadata"]["offered_qos_profiles"], topic
        assert topics[topic]["message_count"] == found["count"] == original[topic]["count"], topic
        if found["type"] != "std_msgs/msg/String":
            assert found["sha256"] == original[topic]["sha256"], topic
    assert metadata["storage_identifier"] == "mcap" and metadata["compression_mode"] == ""
    assert metadata["message_count"] == sum(found["count"] for found in original.values())
    first = min(int(found["first_ns"]) for found in original.values())
    last = max(int(found["last_ns"]) for found in original.values())
    assert metadata["starting_time"]["nanoseconds_since_epoch"] == first
    assert metadata["duration"]["nanoseconds"] == last - first
    [file] = metadata["files"]
    assert (file["path"], file["message_count"]) == (name, metadata["message_count"])


def main():
    write_sample, longarm, scratch, node_folder = sys.argv[1:]
    scratch = pathlib.Path(scratch)
    shutil.rmtree(scratch, ignore_errors=True)
    run = scratch / "run"
    run.mkdir(parents=True)
    subprocess.run([write_sample, run / "trace.mcap"], check=True)
    node = NodeReader(node_folder)
    original = node.read(run / "trace.mcap", csv_folder=scratch / "csv")[0]["topics"]

    for compression in ("none", "bz2", "lz4"):
        bag = scratch / f"{compression}.bag"
        subprocess.run([longarm, "bag", run, "--compression", compression, "--out", bag], check=True, stdout=subprocess.DEVNULL)
        counts = check_rosbag(bag, scratch / "csv")
        assert counts == {topic: found["count"] for topic, found in original.items() if found["count"] > 0}, counts
    subprocess.run([longarm, "bag", run, "--ros2", scratch / "ros2"], check=True, stdout=subprocess.DEVNULL)
    check_ros2_bag(scratch / "ros2", node, original)


if __name__ == "__main__":
    main()
