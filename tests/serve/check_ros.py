# SPDX-License-Identifier: Apache-2.0
# The ROS port of a served cell, spoken to in lines of JSON.
import json
import pathlib
import signal
import socket
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402

from served_cell import Cell  # noqa: E402

PATIENCE_S = 60
JOINTS = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
HOME = [0, -1.5707963267948966, 1.5707963267948966, -1.5707963267948966, -1.5707963267948966, 0]


class Program:
    """Joins the port, and keeps what it hears until it is asked for."""

    def __init__(self, cell):
        self.link = socket.create_connection(("127.0.0.1", cell.ports["ros"]), timeout=PATIENCE_S)
        self.lines = self.link.makefile("r")
        self.asked = 0
        self.hello = self.next()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.lines.close()
        self.link.close()

    def next(self):
        line = self.lines.readline()
        holds(line, "the port has ended the conversation")
        return json.loads(line)

    def until(self, is_it):
        """The first line from now on for which that holds."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            line = self.next()
            if is_it(line):
                return line
        raise AssertionError("it did not come")

    def say(self, **request):
        self.link.sendall((json.dumps(request) + "\n").encode())

    def ask(self, **request):
        """Its answer."""
        self.asked += 1
        self.say(id=self.asked, **request)
        return self.until(lambda line: line.get("answer") == self.asked)

    def follow(self, goal, pan_rad, seconds):
        self.say(do="follow", robot="ur5", goal=goal, joints=JOINTS,
                 points=[{"t_ns": int(seconds * 1e9), "q": [pan_rad, *HOME[1:]]}])
        return self.until(lambda line: line.get("goal") == goal and line.get("state") not in (None, "accepted"))

    def joints(self):
        return self.until(lambda line: "joints" in line)


def end(cell):
    cell.process.send_signal(signal.SIGINT)
    equal(cell.process.wait(timeout=PATIENCE_S), 0, "exit code")


def case_ros_goals_of_two_programs_replay_with_the_same_bits(program):
    with Cell(program, "ur5-ros", ["ros"], "--out", "run") as cell:
        with Program(cell) as one, Program(cell) as two:
            equal(one.hello["is_served"], True, "is_served")
            equal(one.hello["epoch_ns"], 0, "epoch")
            equal(one.hello["robots"][0]["driven"], JOINTS, "joints")
            equal(one.follow("turn", 0.1, 0.3)["state"], "succeeded", "goal")
            holds(abs(one.joints()["joints"]["ur5"][0][0] - 0.1) < 0.01, "it is there")
            equal(two.until(lambda line: line.get("goal") == "turn" and line["state"] != "accepted")["state"], "succeeded",
                  "as the other one hears it")
            equal("error" in one.ask(do="set", parameter="network/cable/propagation", value=0.01), False, "set")
            equal(one.follow("back", 0, 0.3)["state"], "succeeded", "over a slower link")
            two.say(do="nonsense")
            holds("unknown request" in two.until(lambda line: "error" in line)["error"], "what is wrong")
        end(cell)
    equal(json.loads(pathlib.Path("run/metrics.json").read_text())["ros"]["goals_succeeded"], 2, "goals")
    program("replay", "run")


def case_ros_pauses_steps_and_resets(program):
    with Cell(program, "ur5-ros", ["ros"], "--out", "run") as cell:
        with Program(cell) as one, Program(cell) as other:
            equal("error" in one.ask(do="step"), True, "no step while it runs")
            paused_at = one.ask(do="pause")["t_ns"]
            # while the cell stands still
            equal(other.until(lambda line: "state" in line), {"t_ns": paused_at, "state": "paused"}, "as the other one hears it")
            time.sleep(0.2)
            equal(one.ask(do="set", parameter="network/cable/up", value=True)["t_ns"], paused_at, "time stands still")
            one.ask(do="step", steps=16)
            end_at = time.monotonic() + PATIENCE_S
            while (now := one.ask(do="pause")["t_ns"]) < paused_at + 16_000_000:
                holds(time.monotonic() < end_at, f"{now - paused_at} ns of 16 steps")
            equal(now, paused_at + 16_000_000, "16 steps of 1 ms")
            one.ask(do="resume")
            one.until(lambda line: line["t_ns"] > paused_at + 100_000_000)
            one.say(do="reset")
            for each in (one, other):
                equal(each.until(lambda line: line.get("state") == "reset")["state"], "reset", "reset")
        # the next run is at the same port
        end_at = time.monotonic() + PATIENCE_S
        while True:
            try:
                with Program(cell) as again:
                    equal(again.hello["state"], "running", "the next run")
                    again.joints()
                    break
            except (OSError, AssertionError):
                holds(time.monotonic() < end_at, "the port does not open again")
                time.sleep(0.1)
        end(cell)
    program("replay", "run")


def case_ros_client_that_never_reads_costs_nobody(program):
    with Cell(program, "ur5-ros", ["ros"], "--out", "run", "--set", "actors.ros.states_period=1ms") as cell:
        with Program(cell) as one, socket.socket() as stalled:
            alone = heard_in(one, 1.5)
            # a window of a few packets
            stalled.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            stalled.connect(("127.0.0.1", cell.ports["ros"]))
            heard_in(one, 0.5)
            memory = resident_kB(cell)
            beside = heard_in(one, 1.5)
            holds(beside > 0.5 * alone, f"{beside} packets beside a client that does not read, {alone} without")
            holds(resident_kB(cell) < memory + 20_000, f"{resident_kB(cell)} kB, {memory} kB before")
        end(cell)
    serving = json.loads(pathlib.Path("run/metrics.json").read_text())["machine"]["serving"]
    holds(serving["stream_packets_skipped_for_slow_clients"] > 100, serving)
    holds(serving["most_bytes_waiting_for_clients"] < 1_000_000, serving)


def heard_in(one, seconds):
    """How many packets with joint states came in so much simulated time."""
    begin, heard = one.joints()["t_ns"], 0
    while one.joints()["t_ns"] < begin + seconds * 1e9:
        heard += 1
    return heard


def resident_kB(cell):
    for line in pathlib.Path(f"/proc/{cell.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


if __name__ == "__main__":
    sys.exit(main(globals()))
