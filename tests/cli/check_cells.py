# SPDX-License-Identifier: Apache-2.0
# What holds for every cell: nobody reaches around the network, and the run without it is what it says.
import bisect
import csv
import json
import pathlib
import re
import sqlite3
import struct
import sys

from program import equal, holds, main


def curves(folder, prefix, name="curves.csv"):
    """The columns of an actor, as they were written."""
    with open(f"{folder}/{name}", newline="") as file:
        rows = list(csv.reader(file))
    columns = [i for i, name in enumerate(rows[0]) if name.startswith(prefix)]
    holds(columns, f"no curve of {prefix} in {rows[0]}")
    return [[row[i] for i in columns] for row in rows[1:]]


def failures(*sentences):
    return ["--set", f"failures={json.dumps(sentences)}"]


def arm_columns(*names):
    return lambda folder, metrics: [curves(folder, f"{name}.", "trace.csv") for name in names]


def robots_of_kitting(longarm):
    def look(folder, metrics):
        poses = [longarm("frame", folder, "world", f"{robot}/gripper::tcp", "--at", at).stdout
                 for robot in ("fanuc", "motoman") for at in ("6.5s", "9s", "13.9s")]
        return metrics["fanuc"], metrics["motoman"], poses
    return look


def host_numbers(longarm, *components):
    """Each of these ARMAR components has a computer of its own."""
    longarm("run", "armar-rectangle", "--set", "length=300ms", "--out", "short")
    text = open("short/scenario.yaml").read()
    return [re.search(rf"  {name}:\n    kind: component\n    host: pc(\d+)", text)[1] for name in components]


def dead_cables(longarm):
    """Of every networked ready scenario: settings, cables that go down, what happens on their far side afterwards (failures,
    or settings that show later only), and how to look at what is behind the cables."""
    robot, controller = arm_columns("position", "velocity", "effort"), arm_columns("velocity_command", "pid_error")
    ur5 = lambda folder, metrics: (curves(folder, "ur5."), metrics.get("ur5"))
    # when it noticed is counted from failures that it is not told of
    executor = lambda folder, metrics: {key: value for key, value in metrics["kitting"].items() if key != "time_to_notice_s"}
    unit, tcp = host_numbers(longarm, "KinematicUnit", "TCPControlUnit")
    kits = ["length=14s"]
    return {
        "ur5-driver": [
            ([f"actors.driver.method={method}", "length=4s", *sets], ["2s link drop down"], ["2.1s link uplink slow 50ms"], ur5)
            for method, sets in {"speedj": [], "servoj": [], "ros_control": ["actors.ur5.controller=none"]}.items()],
        "aprs-kitting": [
            # cameras, the executor's cable, and somebody who walks into the curtain
            (kits, ["6s link fanuc down", "6s link motoman down"],
             ["6.1s camera_1 blind", "7s link executor down", "8s curtain broken for 2s"], robots_of_kitting(longarm)),
            (kits, ["6s link executor down"], ["6.1s camera_1 blind", "7s link fanuc down", "8s belt stops"],
             executor)],
        # its controller is on the far side, and so is what that counts
        "aprs-edge": [
            (kits, ["6s link fanuc down"], ["6.1s link edge down", "7s link executor down"],
             lambda folder, metrics: [longarm("frame", folder, "world", "fanuc/gripper::tcp", "--at", at).stdout
                                      for at in ("6.5s", "9s", "13.9s")])],
        "ur5-belt": [
            (["length=12s"], ["9s link arm down"], ["9.1s camera blind", "9.5s link radio slow 50ms"],
             lambda folder, metrics: curves(folder, "ur5.")),
            (["length=12s"], ["9s link radio down"], ["9.1s camera blind", "9.5s link arm down"],
             lambda folder, metrics: metrics["picker"])],
        # while an arm changes its tool
        "aprs-tools": [
            (["length=25s"], ["19.5s link motoman down"], ["19.6s link executor down"],
             lambda folder, metrics: [longarm("frame", folder, "world", "motoman/arm::tool0", "--at", at).stdout
                                      for at in ("20s", "21s", "24.9s")])],
        "shared-switch": [
            (["length=2s"], ["1s link cable61 down"], ["1.1s link cable62 down"],
             lambda folder, metrics: curves(folder, "position.", "arm_1.trace.csv"))],
        "armar-rectangle": [
            (["length=17s"], [f"16s link cable{unit} down"], [f"16.1s link cable{tcp} slow 5ms"],
             lambda folder, metrics: (curves(folder, "arm."), metrics["arm"]))],
        "ur5-topology": [
            ([], ["3s link drop down"], ["3.1s link rack slow 80ms", "4s link bridge down"], robot),
            ([], ["3s link rack down"], ["3.1s link drop slow 80ms", "4s link bridge down"], controller)],
        "two-stations": [
            (["length=8s"], ["5s link left down"], ["5.1s link uplink slow 50ms"],
             lambda folder, metrics: metrics["system"]["actions"]["left/arm/pick"])],
        # there is one cable only; a controller with tolerances gives up when it hears nothing, or in the bad minute
        "ur5-darpa-transport": [
            (["task.lemniscate.rounds=9"], ["5s link darpa down"], ["tolerances.path_rad=[0.2]"], robot)],
    }


def case_nobody_behind_a_dead_cable_notices_what_the_far_side_does(longarm):
    table = dead_cables(longarm)
    texts = {path.stem: path.read_text() for path in longarm.source.glob("scenarios/*.yaml")}
    included = {name: re.search(r"^include: (\S+)\.yaml$", text, re.MULTILINE) for name, text in texts.items()}
    networked = {name for name, text in texts.items()
                 if "\nnetwork:" in text or (included[name] and "\nnetwork:" in texts[included[name][1]])}
    # what speaks across the networks of these is outside, or is a program of ROS
    equal(set(table), networked - {"aprs-outside", "ur5-ros", "ur5-ros-5g"}, "the ready scenarios with a network")
    for scenario, rows in table.items():
        runs = {}  # rows of a scenario have the run without failures in common

        def seen(look, sets, events):
            arguments = (*(part for each in sets for part in ("--set", each)), *failures(*events))
            folder = f"{scenario}-{len(runs)}"
            if arguments not in runs:
                runs[arguments] = folder, longarm.metrics(scenario, *arguments, "--out", folder)
            return look(*runs[arguments])

        for sets, dead, far, look in rows:
            happens = [each for each in far if "=" not in each]
            sets_far = [each for each in far if "=" in each]
            what = f"{scenario}, behind '{dead[0]}'"
            equal(seen(look, sets + sets_far, dead + happens), seen(look, sets, dead), what)
            holds(seen(look, sets + sets_far, happens) != seen(look, sets, []), f"{what}: with the cable it is noticed")


def frames(path):
    """Time, length and first bytes of each frame of a capture."""
    data = path.read_bytes()
    at = 24
    while at < len(data):
        seconds, nanoseconds, kept, length = struct.unpack_from("<IIII", data, at)
        yield seconds * 10**9 + nanoseconds, length, data[at + 16:at + 16 + kept]
        at += 16 + kept


def case_no_frame_of_a_robot_waits_for_one_of_a_backup_that_came_later(longarm):
    """Packet by packet at every port of the switch: after a robot's frame has come in, no backup's frame begins to be sent there
    before it, so that it waits for the one that is being sent, and for no other."""
    longarm("run", "shared-switch", "--set", "length=300ms", "--set", "network.capture=true", "--out", "run")
    backups = {58, 59, 60, 64}
    came, sent, waited = {}, {}, 0
    for path in pathlib.Path("run/capture").glob("switch-cable*.pcap"):
        port = int(path.stem.removeprefix("switch-cable"))
        for time, length, frame in frames(path):
            source, destination, number = frame[29], frame[33], frame[18:20]  # of IPv4: 10.0.0.N
            if source == port:
                came[source, destination, number] = time
            else:
                sent.setdefault(port, []).append((time, length, source, destination, number))
    for port, out in sent.items():
        starts = sorted(time for time, length, source, destination, number in out if {source, destination} & backups)
        for time, length, source, destination, number in out:
            if {source, destination} & backups:
                continue
            arrived = came[source, destination, number]
            between = bisect.bisect_left(starts, time) - bisect.bisect_right(starts, arrived)
            holds(between <= 0, f"at port {port} a frame of {arrived} ns waited until {time} ns for {between} backups")
            waited += time > arrived
    holds(waited > 100, f"only {waited} frames of robots waited at all")
    # without priorities the same frames wait in one queue with backups
    longarm("run", "shared-switch", "--set", "length=300ms", "--set", "network.star.queue.priorities=1", "--out", "without")
    slow, fast = (json.load(open(f"{run}/metrics.json"))["arm_1"]["link"]["states"]["delay_max_s"] for run in ("without", "run"))
    holds(slow > 5 * fast, f"the states of arm_1 take {slow} s without and {fast} s with priorities")


def backups_sent_before(folder):
    """In the port of pc62, the server of both arms, for each frame to an arm: how many frames of backups began to be sent
    there after it was ready. Commands are ready at the same phase of each control tick of 2 ms."""
    out = [(time, frame[33]) for time, length, frame in frames(pathlib.Path(folder, "capture/pc62-cable62.pcap")) if frame[29] == 62]
    starts = [time for time, destination in out if destination not in (61, 63)]
    commands = [time for time, destination in out if destination in (61, 63)]
    ready = min(time % 2_000_000 for time in commands)
    counts = []
    for time in commands:
        waits_from = time - (time - ready) % 2_000_000
        counts.append(bisect.bisect_left(starts, time) - bisect.bisect_left(starts, waits_from))
    return counts


def case_a_server_that_sends_backups_sends_commands_to_its_robots_first(longarm):
    """The first hop, with a backup out of the arms' own server: a command may wait for the frame that is being sent, no more."""
    settings = ["--set", "length=300ms", "--set", "network.capture=true",
                "--set", "actors.backup_5={kind: traffic, host: pc62, to: pc60, pattern: bulk, priority: 1}"]
    longarm("run", "shared-switch", *settings, "--out", "with")
    equal(backups_sent_before("with"), [0] * 300, "frames of backups sent ahead of commands")
    longarm("run", "shared-switch", *settings, "--set", "network.star.queue.priorities=1", "--out", "without")
    held_up = sum(count > 0 for count in backups_sent_before("without"))
    holds(held_up > 100, f"without priorities only {held_up} commands wait for backups")


def case_the_reference_without_network_is_the_file_with_those_values(longarm):
    cells = {
        "ur5-driver": ["--set", "network.backend=ideal"],
        "aprs-kitting": ["--set", "network.backend=ideal", "--set", "length=3s"],
        "armar-rectangle": ["--set", "network.backend=ideal", "--set", "length=2s"],
        "aprs": [arguments for device in ("curtain", "camera_1", "camera_2")
                 for arguments in ("--set", f"actors.{device}.link={{model: none}}")],
    }
    for scenario, ideal in cells.items():
        length = [part for i, part in enumerate(ideal) if "length" in part or (i + 1 < len(ideal) and "length" in ideal[i + 1])]
        nothing = longarm("run", scenario, *ideal, "--reference", "ideal", "--out", f"{scenario}-by-hand").stdout
        holds("the network has no effect" in nothing, f"{scenario}, ideal already:\n{nothing}")
        by_hand = json.loads(pathlib.Path(f"{scenario}-by-hand/metrics.json").read_text())
        beside = longarm.metrics(scenario, *length, "--reference", "ideal")
        equal(beside["reference"]["state_hash"], by_hand["state_hash"], f"{scenario} without its network")


def case_an_arm_without_its_link_is_the_run_that_was_made_without_it(longarm):
    longarm("run", "ur5-waypoints", "--out", "alone")
    late = ["ur5-waypoints", "--set", "link.delay=10ms"]
    beside, ideal = (longarm.metrics(*late, "--reference", reference) for reference in ("alone", "ideal"))
    for results in (beside, ideal):
        results.pop("machine")
        results.pop("reference")
    equal(ideal, beside, "compared with the folder, and with what is made on the spot")
    nothing = longarm.metrics("ur5-waypoints", "--reference", "ideal")
    equal(nothing["reference_path_deviation_max_m"], 0.0, "what no link adds")


def belt_with_tray(side, y_m):
    return f"""
  <model name="{side}_conveyor"><pose>0 {y_m} 0.89 0 0 0</pose>
    <link name="frame"><inertial><mass>50</mass></inertial></link>
    <joint name="mount" type="fixed"><parent>world</parent><child>frame</child></joint>
    <link name="surface">
      <inertial><mass>20</mass><inertia><ixx>0.4</ixx><iyy>7</iyy><izz>7</izz></inertia></inertial>
      <collision name="top"><geometry><box><size>2 0.5 0.02</size></box></geometry></collision>
    </link>
    <joint name="drive" type="prismatic"><parent>frame</parent><child>surface</child><axis><xyz>1 0 0</xyz></axis></joint>
  </model>
  <model name="{side}_tray"><pose>0 {y_m} 0.91 0 0 0</pose><link name="tray">
    <inertial><mass>1</mass><inertia><ixx>0.0034</ixx><iyy>0.0034</iyy><izz>0.0067</izz></inertia></inertial>
    <collision name="base"><geometry><box><size>0.2 0.2 0.02</size></box></geometry></collision>
  </link></model>"""


def arm(y_m, keys):
    return f"""kind: arm
    model: ur5
    end_effector: tool0
    pose_m_deg: [-2, {y_m}, 0, 0, 0, 0]
    home_rad: [0, -1.5708, 1.5708, -1.5708, -1.5708, 0]
    task: {{path: joint, joints_rad: [[0.5, -1.2, 1.4, -1.5708, -1.5708, 0.3]], hold: 1s}}
    gain: 10
    link: {{netem: "delay 2ms 500us distribution normal"}}
    {keys}"""


SERVO = "servo: {p: [100, 100, 100, 50, 50, 50], rotor_inertia_kg_m2: [0.5, 0.5, 0.5, 0.35, 0.35, 0.35]}"
TWO_ARMS = f"""title: two arms, two belts, two curtains and three cameras
world: two-belts.sdf
length: 2500ms
actors:
  left:
    {arm(-1, "cut: velocity")}
  right:
    {arm(1, "cut: effort")}
    {SERVO}
  left_belt: {{kind: belt, joint: "left_conveyor::drive", commands: [[0.1, 0.2]]}}
  right_belt: {{kind: belt, joint: "right_conveyor::drive", commands: [[0.1, 0.05]]}}
  left_gate: {{kind: curtain, poles: [[0.25, -1.8, 0.91, 0.25, -0.2, 0.91]], beams: 10}}
  right_gate: {{kind: curtain, poles: [[2, 0.2, 0.91, 2, 1.8, 0.91]], beams: 10}}
  guard: {{kind: safety, curtains: [left_gate, right_gate], stops: [left_belt, right_belt]}}
  above: {{kind: camera, position_m: [0, 0, 3], view_deg: [90, 90], period: 100ms}}
  beside: {{kind: camera, position_m: [0, 0, 3], view_deg: [90, 90], period: 100ms}}
  slow: {{kind: camera, position_m: [0, 0, 3], view_deg: [90, 90], period: 500ms, noise: none}}
"""


def write_two_arms():
    open("two.yaml", "w").write(TWO_ARMS)
    belts = belt_with_tray("left", -1.0) + belt_with_tray("right", 1.0)
    open("two-belts.sdf", "w").write(f'<?xml version="1.0"?>\n<sdf version="1.6"><world name="two-belts">{belts}\n</world></sdf>\n')


def case_two_arms_with_different_cuts_run_record_replay_and_sweep(longarm):
    write_two_arms()
    both = longarm.metrics("two.yaml", "--out", "run")
    equal((both["left"]["cut"], both["right"]["cut"]), ("velocity", "effort"))
    for name in ("left", "right"):
        equal(both[name]["trajectory"], "succeeded", name)
        holds(both[name]["stable"] is True, both[name]["verdict_reason"])
    # each beside the other is what it would be alone: nothing of one's draws is in the other's
    for name, other in (("left", "right"), ("right", "left")):
        text = open("two.yaml").read()
        begin = text.index(f"  {other}:\n")
        end = text.index("  right:\n" if other == "left" else "  left_belt:", begin)
        open(f"{name}.yaml", "w").write(text[:begin] + text[end:])
        alone = longarm.metrics(f"{name}.yaml", "--out", f"{name}-alone")
        equal(alone[name]["link"], both[name]["link"], f"what the link did to {name} alone")
        off_m = abs(alone[name]["path_deviation_max_m"] - both[name]["path_deviation_max_m"])
        holds(off_m < 1e-9, f"{name} alone: off by {off_m} m")  # solvers add up more rows in another order
    delays = [both[name]["link"]["states"]["delay_mean_s"] for name in ("left", "right")]
    holds(delays[0] != delays[1] and abs(delays[0] - delays[1]) < 1e-4, f"one distribution, other draws: {delays}")
    # the trace has both, and a replay repeats both
    said = json.loads(longarm("replay", "run", "--json").stdout)
    holds(said["same"] and said["states_compared"] == 2 * 2499, said)
    for name in ("left", "right"):
        longarm("frame", "run", "world", f"{name}/tool0", "--at", "1s")
        way = longarm("path", "run", "world", f"{name}/tool0", "--every", "500ms").stdout.splitlines()
        equal((way[0], len(way)), ("time_s,x_m,y_m,z_m,qw,qx,qy,qz", 7), f"the way of {name}")
        holds(open(f"run/{name}.trace.csv").readline().startswith("time_s,position."), "its own trace.csv")
    swept = longarm("sweep", "two.yaml", "--axis", "actors.left.gain=5,10", "--axis", "seed=1,2", "--out", "swept").stdout
    holds("4 of 4 points done" in swept and "left: path" in swept, swept)


def case_margin_over_a_network_that_only_delays_is_that_of_the_link(longarm):
    keys = """robot: {model: one-joint, end_effector: tip}
task: {path: step, joints_rad: [[0.1]], hold: 2s}
gain: 40
servo: {p: 2}
"""
    open("link.yaml", "w").write(keys)
    wire = "network: {hosts: {edge: {}, robot: {}}, links: {wire: {between: [edge, robot]}}, flows: udp}\n"
    open("network.yaml", "w").write(keys + wire)
    for cut in ("velocity", "effort", "stale-servo"):
        link, network = (json.loads(longarm("margin", file, "--cut", cut, "--out", f"{file}-{cut}", "--json").stdout)["margins"][0]
                         for file in ("link.yaml", "network.yaml"))
        for key in ("critical_s", "unstable_s"):
            equal(network[key], link[key], f"{key} of {cut}")
    write_two_arms()
    whose = longarm("margin", "two.yaml", expect=2).stderr
    holds("'two' has several robots: left, right" in whose and "--robot left" in whose, whose)
    one = longarm("margin", "two.yaml", "--robot", "left", "--set", "actors.left.link={}", "--up-to", "20ms",
                  "--resolution", "10ms", "--out", "left").stdout
    holds("velocity" in one, one)


def case_margin_of_a_ur_driver_is_what_runs_by_hand_show(longarm):
    def run(sets, latency_s, hold_s):
        late = ["--set", f"network.links.uplink.propagation={round(1e6 * (1e-3 + latency_s))}us"]  # it has 1 ms of its own
        return longarm.metrics("ur5-driver", *sets, *late, "--set", f"actors.driver.task.hold={hold_s}s")["driver"]

    for method, most in {"speedj": "120ms", "ros_control": "120ms", "servoj": "480ms"}.items():
        sets = ["--set", f"actors.driver.method={method}"]
        sets += ["--set", "actors.ur5.controller=none"] if method == "ros_control" else []
        found = json.loads(longarm("margin", "ur5-driver", *sets, "--link", "uplink", "--up-to", most, "--json").stdout)["margins"][0]
        equal((found["closed_form"], found["control_period_s"], found["resolution_s"]), (None, 0.008, 0.001), method)
        tried = {round(1e3 * trial["latency_s"]): trial for trial in found["tried"]}
        last = round(1e3 * found["critical_s"])
        for latency_ms in (last, last + 1):
            trial = tried[latency_ms]
            by_hand = run(sets, trial["latency_s"], trial["hold_s"])
            verdict = {True: "stable", False: "unstable"}.get(by_hand["stable"], "undecided")
            equal((verdict, by_hand["verdict_reason"]), (trial["verdict"], trial["reason"]), f"{method} at {latency_ms} ms")
        equal(tried[last]["verdict"], "stable", method)
        # positions cannot make a loop swing, but a robot that is asked for too much at once stops itself
        equal((found["unstable_s"], tried[last + 1]["verdict"]),
              (None, "undecided") if method == "servoj" else ((last + 1) / 1e3, "unstable"), method)
        if method == "servoj":
            holds("the robot stopped" in tried[last + 1]["reason"] and tried[last + 1]["runs"] == 1, tried[last + 1])
        else:
            holds(abs(found["period_s"] - 0.64) < 0.02, found["period_s"])


def case_files_include_others_and_actors_are_like_others(longarm):
    open("belt.yaml", "w").write("""title: a belt
world: aprs
length: 200ms
actors:
  belt: {kind: belt, joint: "conveyor::drive", commands: [[0.05, 0.1]]}
  overhead: {kind: camera, position_m: [0.031, -0.690, 2.005], noise: none, link: {model: delay, delay: 20ms}}
""")
    open("two.yaml", "w").write("""include: belt.yaml
title: a belt and two cameras
actors:
  overhead: {period: 50ms}
  beside: {like: overhead, position_m: [0.3, -1, 2]}
""")
    open("whole.yaml", "w").write("""title: a belt and two cameras
world: aprs
length: 200ms
actors:
  belt: {kind: belt, joint: "conveyor::drive", commands: [[0.05, 0.1]]}
  overhead: {kind: camera, position_m: [0.031, -0.690, 2.005], noise: none, period: 50ms, link: {model: delay, delay: 20ms}}
  beside: {kind: camera, position_m: [0.3, -1, 2], noise: none, period: 50ms, link: {model: delay, delay: 20ms}}
""")
    two, whole = (longarm.metrics(f"{name}.yaml", "--out", name) for name in ("two", "whole"))
    equal((two["identity"], two["state_hash"]), (whole["identity"], whole["state_hash"]), "the same cell")
    changed = longarm.metrics("two.yaml", "--set", "actors.beside.period=100ms", "--out", "changed")
    holds(changed["beside"]["sent"] < two["beside"]["sent"] and changed["overhead"]["sent"] == two["overhead"]["sent"], changed)
    for text, words in ((f"include: belt.yaml\nactors: {{a: {{like: overhed}}}}\n", "there is no actor 'overhed'\n  hint: did you mean 'overhead'?"),
                        ("include: belt.yaml\nactors: {a: {like: b}, b: {like: a}}\n", "refers to itself"),
                        ("include: nowhere.yaml\n", "bad.yaml:1:10: error: file not found: 'nowhere.yaml'"),
                        ("include: bad.yaml\n", "bad.yaml:1:10: error: 'bad.yaml' includes itself")):
        open("bad.yaml", "w").write(text)
        said = longarm("run", "bad.yaml", expect=2).stderr
        holds(words in said, said)


def case_what_earlier_versions_left_is_refused_in_words(longarm):
    longarm("run", "one-joint", "--out", "old")
    metrics = json.load(open("old/metrics.json"))
    json.dump({**metrics, "format": 2}, open("old/metrics.json", "w"))
    for command in (["replay", "old"], ["run", "one-joint", "--reference", "old"], ["report", "old"]):
        said = longarm(*command, expect=2).stderr
        holds("this run was written by another version" in said and ("again" in said or "repeat the" in said), said)
    longarm("sweep", "one-joint", "--axis", "gain=5,10", "--out", "study")
    with sqlite3.connect("study/study.db") as study:
        study.execute("PRAGMA user_version = 1")
    said = longarm("sweep", "one-joint", "--axis", "gain=5,10", "--out", "study", expect=2).stderr
    holds("this study was written by another version of Longarm (format 1; this is " in said
          and "use the version that wrote it, or start over with another --out" in said, said)
    for kind, words in (("kitting", "now written as actors"), ("grasp-bench", "now written as an actor")):
        open("old.yaml", "w").write(f"title: x\nexperiment: {kind}\n")
        said = longarm("run", "old.yaml", expect=2).stderr
        holds(said.startswith(f"old.yaml:2:13: error: 'experiment: {kind}' is {words}\n  hint: "), said)
    open("twice.yaml", "w").write("world: aprs\nactors:\n  fanuc: {kind: ur, model: ur5}\n")
    said = longarm("run", "twice.yaml", expect=2).stderr
    holds("error: the world already contains a 'fanuc'\n  hint: choose another name for the actor" in said, said)
    mixed = "robot: {model: ur5}\nactors: {above: {kind: camera, position_m: [0, 0, 3]}}\n"
    open("mixed.yaml", "w").write(mixed)
    said = longarm("run", "mixed.yaml", expect=2).stderr
    holds("'robot' at the top level cannot be combined with 'actors'" in said and "actors: {robot: {kind: arm, …}}" in said, said)


def case_a_host_with_one_cable_says_so(longarm):
    text = (longarm.source / "scenarios/ur5-driver.yaml").read_text()
    begin, end = text.index("  hosts:"), text.index("  flows: tcp")
    short = """  switches: {cell: {forwarding: 3us}}
  hosts:
    driver: {to: cell, rate: 1Gbit, propagation: 1ms}
    robot: {to: cell, rate: 100Mbit, propagation: 1us, cores: 2}
"""
    open("short.yaml", "w").write(text[:begin] + short + text[end:])
    equal(longarm.metrics("short.yaml")["state_hash"], longarm.metrics("ur5-driver")["state_hash"], "the same cables")
    slow = longarm.metrics("short.yaml", "--set", "network.hosts.driver.propagation=20ms")
    equal(slow["state_hash"], longarm.metrics("ur5-driver", "--set", "network.links.uplink.propagation=20ms")["state_hash"], "slower")
    longarm("run", "short.yaml", "--set", 'failures=["2s link driver down for 1s"]')
    twice = longarm("run", "short.yaml", "--set", "network.links.driver.rate=1Gbit", expect=2).stderr
    holds("host 'driver' has its own cable, and a link has the same name" in twice, twice)


def case_what_the_network_adds_comes_first(longarm):
    said = longarm("run", "ur5-driver").stdout
    holds("effect of the network" not in said, "nobody asked")
    said = longarm("run", "ur5-driver", "--reference", "ideal").stdout
    holds(said.index("effect of the network") < said.index("tool from path, largest"), said)
    holds("driver:" in said and "mm from the run without the network" in said, said)
    # without a network there is nothing to add
    metrics = longarm.metrics("belt-bench", "--reference", "ideal", "--out", "belt")
    equal(metrics["reference"]["state_hash"], metrics["state_hash"])


if __name__ == "__main__":
    sys.exit(main(globals()))
