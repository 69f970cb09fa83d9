# SPDX-License-Identifier: Apache-2.0
# npm's @foxglove/ws-protocol client watches a live run, under both names of the protocol.
#
# That this can fail was seen by decoding doubles one byte off, and by not subscribing to the shapes.
import json
import math
import os
import pathlib
import struct
import subprocess
import sys
import time

from viewer import Page, Socket, equal, holds, main

HERE = pathlib.Path(__file__).resolve().parent
DOORS = ["primary", "primary_ro", "secondary", "secondary_ro", "realtime", "realtime_ro", "rtde", "dashboard"]
HOME_RAD = [0, -math.pi / 2, math.pi / 2, -math.pi / 2, -math.pi / 2, 0]  # as scenarios/ur5-live.yaml has it


def live_cell(program):
    ports = [word for door in DOORS for word in ("--port", f"ur5.{door}=0")]
    return Page(program, "serve", "ur5-live", *ports, "--out", "run", "--view")


def watched(page, protocol):
    """What Foxglove's client got."""
    command = [os.environ.get("LONGARM_NODE", "node"), str(HERE / "foxglove.mjs"), os.environ["LONGARM_PAGE_FOLDER"], str(page.port), protocol]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50)
    equal(done.returncode, 0, f"exit code of node\n{done.stderr}")
    return json.loads(done.stdout)


def check(program, protocol):
    with live_cell(program) as page:
        found = watched(page, protocol)
    equal(found["problems"], [], "what the client complains about")
    equal(found["subprotocol"], protocol, "subprotocol")
    holds("time" in found["serverInfo"]["capabilities"] and found["serverInfo"]["name"].startswith("longarm"), f"{found['serverInfo']}")
    channels = {channel["topic"]: channel for channel in found["channels"]}
    equal(len(channels), len(found["channels"]), "topics that are advertised once")
    equal(len({channel["id"] for channel in found["channels"]}), len(channels), "numbers of channels")
    for channel in found["channels"]:
        holds(channel["encoding"] in ("cdr", "json") and channel["schema"], f"channel without a schema: {channel['topic']}")
        equal(channel["schemaEncoding"], "ros2msg" if channel["encoding"] == "cdr" else "jsonschema", f"schema of {channel['topic']}")
    holds({"/tf", "/shapes"} <= set(channels), f"channels: {sorted(channels)}")
    times = found["times"]
    holds(times == sorted(times) and times[-1] > times[0] + 0.4, f"times: {times[:3]} … {times[-3:]}")

    topic = next(name for name in channels if name.endswith("joint_states"))
    states = found["messages"][topic]
    holds(len(states) >= 50, f"{len(states)} joint states")
    for state in states:
        message = state["message"]
        equal(len(message["name"]), 6, "joints")
        equal([len(message[part]) for part in ("position", "velocity", "effort")], [6, 6, 6], "values of joints")
        for joint, (position, home) in enumerate(zip(message["position"], HOME_RAD)):
            holds(abs(position - home) < 1e-2, f"{message['name'][joint]} is at {position} rad, though nobody moves it")
        holds(any(abs(effort) > 1 for effort in message["effort"]), f"gravity pulls at no joint: {message['effort']}")
        holds(abs(message["header"]["stamp"] - state["time"]) < 0.1, f"stamp {message['header']['stamp']} at {state['time']}")
    equal([state["time"] for state in states], sorted(state["time"] for state in states), "times of joint states")

    children = set()
    for sent in found["messages"]["/tf"]:
        for transform in sent["message"]:
            holds(abs(math.hypot(*transform["q"]) - 1) < 1e-9, f"no rotation: {transform}")
            holds(all(abs(x) < 3 for x in transform["p"]), f"far away: {transform}")
            holds(transform["child"] and transform["header"]["frame"], f"a frame without a name: {transform}")
            children.add(transform["child"])
    holds(len(children) >= 6, f"frames: {children}")

    shapes = [marker for sent in found["messages"]["/shapes"] for marker in sent["message"]]
    holds(len(shapes) > 5, f"{len(shapes)} shapes")
    for marker in shapes:
        holds(all(x > 0 for x in marker["scale"]) or marker["points"], f"nothing to see: {marker}")
        holds(0 < marker["colour"][3] <= 1 and all(0 <= x <= 1 for x in marker["colour"]), f"colour: {marker}")
    frames = {marker["header"]["frame"] for marker in shapes}
    holds(frames & children, f"shapes are in {frames}, and what moves is {children}")


def case_foxglove_sdk(program):
    check(program, "foxglove.sdk.v1")


def case_foxglove_websocket(program):
    check(program, "foxglove.websocket.v1")


def case_foxglove_late_and_leaving(program):
    """Who subscribes late gets what is said once; who unsubscribes gets nothing more."""
    with live_cell(program) as page, Socket(page.port, protocol="foxglove.websocket.v1", path="/") as client:
        time.sleep(1)
        channels = {}
        while "/shapes" not in channels:
            message = client.message()
            if isinstance(message, str) and json.loads(message)["op"] == "advertise":
                channels |= {channel["topic"]: channel["id"] for channel in json.loads(message)["channels"]}

        def next_of(number, seconds):
            until = time.monotonic() + seconds
            while time.monotonic() < until:
                message = client.message()
                if isinstance(message, bytes) and message[0] == 1 and struct.unpack("<I", message[1:5])[0] == number:
                    return message[13:]
            return None

        client.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 77, "channelId": channels["/shapes"]}]}).encode())
        shapes = next_of(77, 5)
        holds(shapes and shapes[:2] == b"\x00\x01", "shapes do not come to who subscribes late")
        client.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 78, "channelId": channels["/tf"]}]}).encode())
        holds(next_of(78, 5), "/tf does not come")
        client.send(json.dumps({"op": "unsubscribe", "subscriptionIds": [78]}).encode())
        time.sleep(0.5)
        while next_of(78, 0.5):  # what was on its way
            pass
        equal(next_of(78, 2), None, "a message after unsubscribing")


def case_foxglove_order(program):
    """From the first message on, each is newer than the one before: no matter when somebody subscribes."""
    with live_cell(program) as page:
        for attempt in range(20):
            with Socket(page.port, protocol="foxglove.websocket.v1", path="/") as client:
                channel = None
                while channel is None:
                    message = client.message()
                    said = json.loads(message) if isinstance(message, str) else {}
                    channel = next((each["id"] for each in said.get("channels", []) if each["topic"] == "/tf"), None)
                time.sleep(0.003 * attempt)
                client.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": channel}]}).encode())
                times = []
                while len(times) < 6:
                    message = client.message()
                    if isinstance(message, bytes) and message[0] == 1:
                        times.append(struct.unpack("<Q", message[5:13])[0] / 1e9)
                holds(all(a < b for a, b in zip(times, times[1:])), f"messages out of order or twice: {times}")


if __name__ == "__main__":
    sys.exit(main(globals()))
