# SPDX-License-Identifier: Apache-2.0
# A planner outside makes kits in a served cell, over real sockets; and what such planners see there.
import json
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from served_cell import Cell  # noqa: E402

SCENARIO = "aprs-outside"
ON_OFF = 0x8000  # of docs/reference/modbus.md
DOORS = ["fanuc.crcl", "motoman.crcl", "plc", "curtain.reports", "camera_1.frames", "camera_2.frames", "kitting.fanuc.crcl",
         "kitting.motoman.crcl", "kitting.plc", "kitting.camera_1.frames", "kitting.camera_2.frames", "kitting.curtain.reports"]


# no network: the executor comes to the devices' own doors; somebody walks into the curtain meanwhile
NEAR = """\
include: %s/scenarios/aprs-live.yaml
title: the kitting cell without a network, for a planner outside
actors:
  belt: {upstream_m: 0.3}
  camera_1: {port: 0}
  camera_2: {port: 0}
  curtain: {port: 0}
  kitting:
    kind: kitting
    external_executor: true
    robots: [fanuc, motoman]
    cameras: [camera_1, camera_2]
    curtains: [curtain]
    plc: plc
    kits: {m2l1: {count: 2}, s2l2: {count: 1}}
    executor:
      arms:
        fanuc: {closes_deg: 90, finger_reach_m: 0.03, clear_m: [0.211, -1.240, 1.184]}
        motoman: {closes_deg: 0, finger_reach_m: 0.071, clear_m: [0.45, -0.20, 1.21]}
  judge: {kind: kitting-judge, maker: kitting}
failures: ["35s curtain broken for 4s"]
"""


def read(path):
    return json.loads(pathlib.Path(path).read_text())


def case_outside_executor_makes_three_kits_over_real_sockets_and_its_run_replays(longarm):
    speed = ["--speed", "3"]
    with Cell(longarm, SCENARIO, DOORS, "--no-trace", "--out", "cell", "--for", "200s", *speed) as cell:
        longarm("execute", SCENARIO, *cell.words_of("kitting."), *speed, "--out", "executor")
        # nobody is there any more, and the judge is content
        equal(cell.process.wait(timeout=60), 0, "exit code of serve")
    done = read("executor/results.json")
    equal([done["kits_made"], done["kits_requested"], done["parts_placed"], done["undone"], done["bad_lines"]], [3, 3, 10, [], 0],
          "what the executor says")
    holds(done["frames"]["camera_1"] > 100, f"frames: {done['frames']}")
    equal(done["curtains"], {"curtain": {"interruptions": 0, "broken": False}}, "the curtain")
    timeline = pathlib.Path("executor/timeline.csv").read_text()
    equal(timeline.count("(place "), 10, timeline)
    for name in ["domain.pddl", "plan_1.txt", "problem_1.pddl", "timeline.svg", "world.db"]:
        holds(pathlib.Path("executor", name).exists(), f"{name} is missing")

    served = read("cell/metrics.json")
    equal([served["ended"], served["judge"]["kits_completed"], served["judge"]["completion"]], ["completed", 3, True], "the judge")
    for door in [door for door in DOORS if door.startswith("kitting.")]:
        equal(served["served"]["doors"][door]["clients"], 1, door)

    again = json.loads(longarm("replay", "cell", "--out", "again", "--json").stdout)
    equal([again["same"], again["ended"]], [True, "completed"], "replay")
    replayed = read("again/metrics.json")
    for key in ["world_hash", "state_hash", "judge", "fanuc", "motoman"]:
        equal(replayed[key], served[key], f"{key} of the replay")


def case_outside_executor_makes_three_kits_at_the_devices_own_doors_while_somebody_breaks_the_curtain(longarm):
    pathlib.Path("near.yaml").write_text(NEAR % longarm.source)
    doors = [door for door in DOORS if not door.startswith("kitting.")]
    with Cell(longarm, "near.yaml", doors, "--no-trace", "--out", "cell", "--for", "200s", "--speed", "3") as cell:
        longarm("execute", "near.yaml", *cell.words_of(""), "--speed", "3", "--out", "executor")
        equal(cell.process.wait(timeout=60), 0, "exit code of serve")
    done, served = read("executor/results.json"), read("cell/metrics.json")
    equal([done["kits_made"], served["judge"]["kits_completed"]], [3, 3], "kits")
    equal(done["curtains"]["curtain"], {"interruptions": 1, "broken": False}, "the curtain")
    equal(json.loads(longarm("replay", "cell", "--json").stdout)["same"], True, "replay")


def belt_is_on(port):
    """Register "on" of the belt's controller, by a request of our own (function 3, one register)."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as link:
        link.sendall(struct.pack(">HHHBBHH", 1, 0, 6, 1, 3, ON_OFF, 1))
        answer = b""
        while len(answer) < 11:
            answer += link.recv(64)
    return struct.unpack(">H", answer[9:11])[0] == 1


def wait_until(what, is_so):
    until = time.monotonic() + 120
    while not is_so():
        holds(time.monotonic() < until, what)
        time.sleep(0.05)


def case_execute_stops_arms_and_belt_when_it_is_interrupted(longarm):
    with Cell(longarm, SCENARIO, DOORS, "--no-trace", "--out", "cell", "--for", "200s") as cell:
        executor = subprocess.Popen([longarm.binary, "execute", SCENARIO, *cell.words_of("kitting."), "--out", "executor"], text=True,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        wait_until("the belt was never started", lambda: belt_is_on(cell.ports["plc"]))
        executor.send_signal(signal.SIGINT)
        said, _ = executor.communicate(timeout=60)
        equal(executor.returncode, 130, said)
        holds("sent stop commands to arms and belt" in said, said)
        wait_until("the belt runs on", lambda: not belt_is_on(cell.ports["plc"]))
        cell.process.send_signal(signal.SIGINT)
        equal(cell.process.wait(timeout=60), 0, "exit code of serve")
    heard = pathlib.Path("cell/received.jsonl").read_text()
    holds("StopMotion" in heard, "the arm that works was not told")


def first_line(port):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as link, link.makefile() as lines:
        return json.loads(lines.readline())


def case_served_cameras_and_curtains_say_lines_of_json(longarm):
    with Cell(longarm, SCENARIO, DOORS, "--no-trace", "--out", "cell") as cell:
        # straight from the device, and across the network from the executor's host
        for door in ["camera_2.frames", "kitting.camera_2.frames"]:
            frame = first_line(cell.ports[door])
            equal([frame["device"], frame["kind"]], ["camera_2", "camera"], door)
            trays = {tray["name"]: tray for tray in frame["trays"]}
            kit = trays["m2l1_kit_1"]
            equal([slot["name"] for slot in kit["slots"]], ["slot_1_medium", "slot_2_medium", "slot_3_large"], "slots")
            equal([len(kit["position_m"]), len(kit["quaternion_wxyz"])], [3, 4], "pose of a tray")
            gears = [part for part in frame["parts"] if part["model"] == "sku_part_medium_gear"]
            holds(gears and all(len(gear["position_m"]) == 3 for gear in gears), f"parts: {frame['parts']}")
        report = first_line(cell.ports["curtain.reports"])
        equal([report["device"], report["kind"], report["is_broken"], report["broken_beams"]], ["curtain", "curtain", False, []],
              "curtain")
        cell.process.send_signal(signal.SIGINT)
        equal(cell.process.wait(timeout=60), 0, "exit code of serve")
    equal(json.loads(longarm("replay", "cell", "--json").stdout)["same"], True, "replay")


def case_execute_says_what_is_missing(longarm):
    done = longarm("execute", "aprs-kitting", expect=2)
    equal(done.stderr, "error: 'aprs-kitting' has no kitting actor with an external executor\n"
                       "  hint: see aprs-outside: an actor of kind kitting with external_executor: true\n")
    done = longarm("execute", SCENARIO, "--port", "plc=1", "--speed", "fast", expect=2)
    holds("--speed: error: 'fast' is not a speed between 0.001 and 1000\n" in done.stderr, done.stderr)
    done = longarm("execute", SCENARIO, "--port", "plc=1", expect=2)
    holds("--port: error: the executor needs no port 'plc'\n" in done.stderr, done.stderr)
    done = longarm("execute", SCENARIO, "--set", "actors.kitting.first_port=0", expect=2)
    holds("error: the port of kitting.plc is not fixed\n  hint: longarm serve prints it: --port kitting.plc=N\n" in done.stderr,
          done.stderr)
    done = longarm("run", "aprs-kitting", "--set", "actors.kitting.external_executor=true", expect=2)
    holds("an external executor cannot receive 'camera_1': it has no port" in done.stderr, done.stderr)


def case_a_cell_for_a_planner_outside_says_that_nobody_came(longarm):
    done = longarm("run", SCENARIO, "--set", "length=100ms", "--out", "out")
    holds("no external executor connected: start longarm serve" in done.stderr, done.stderr)


def case_execute_gives_up_when_nothing_is_served(longarm):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        nobody = taken.getsockname()[1]
    ports = [word for door in DOORS if door.startswith("kitting.") for word in ["--port", f"{door}={nobody}"]]
    done = longarm("execute", SCENARIO, *ports, "--out", "out", expect=2)
    holds("error: no camera has sent a frame within 10 s; kitting.camera_1.frames at 127.0.0.1:" in done.stderr, done.stderr)
    holds("Connection refused\n  hint: start the cell first: longarm serve aprs-outside\n" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
