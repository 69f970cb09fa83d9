# SPDX-License-Identifier: Apache-2.0
"""One session of `longarm serve` per protocol, recorded with one build of longarm and replayed with any other.

What clients said is all that moves from one build to the other: each build replays it in a run folder of its own, with
its own scenario.yaml and the first line of its own recording. So keys, files and versions of those may differ.
"""

import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import time

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "cli"), str(TESTS / "serve")]
from program import equal, holds  # noqa: E402
from ur_clients import DOORS, PATIENCE_S, Dashboard, RealTime, Rtde  # noqa: E402

RECORDING = "received.jsonl"
# doors that would listen at ports of their own: here at any that is free
UR_DOORS = [f"ur5.{door}" for door in DOORS]
CELL_DOORS = ["fanuc.crcl", "motoman.crcl", "plc"]


class Served:
    """A scenario behind open doors, in a process and a folder of its own."""

    def __init__(self, program, scenario, doors, folder, *arguments):
        self.folder = folder
        # nobody else's topics, nor those of another session
        self.environment = {**os.environ, "IGN_PARTITION": f"compare{str(folder).replace('/', '-')}"}
        ports = [word for door in doors for word in ("--port", f"{door}=0")]
        self.process = subprocess.Popen([program, "serve", scenario, *ports, "--out", "run", *arguments], cwd=folder,
                                        env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ports = {}
        while len(self.ports) < len(doors):
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"longarm serve {scenario}: {self.process.communicate()[1].strip()}")
            found = re.fullmatch(r"(\S+) at 127\.0\.0\.1:(\d+)\n", line)
            if found:
                self.ports[found[1]] = int(found[2])

    def connect(self, door):
        """By the end of its name, as the clients of a UR controller do not know what it is called."""
        port = next(port for name, port in self.ports.items() if name == door or name.endswith(f".{door}"))
        link = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return link

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        """Ends as with Ctrl-C, unless it has already."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL if kind else signal.SIGINT)
        said = self.process.communicate(timeout=120)[1]
        if not kind:
            equal(self.process.returncode, 0, f"exit code of longarm serve\n{said}")


# calls its driver, and turns the wrist by what it is told
CALLS_BACK = """\
def call_back():
  if socket_open("127.0.0.1", %d):
    told = socket_read_ascii_float(1)
    joints = get_target_joint_positions()
    joints[5] = joints[5] + told[1]
    movej(joints, a=1.4, v=1.05)
    socket_close()
  end
end
"""


def drive_ur(cell):
    """A motion, a velocity, an output by RTDE, the dashboard, and a program that calls."""
    stream, board, rtde = RealTime(cell), Dashboard(cell), Rtde(cell)
    goal = [0.3, -1.2, 1.4, -1.8, -1.4, 0.5]
    stream.say(f"movej({goal}, a=1.4, v=1.05)\n")
    stream.wait(lambda state: max(abs(a - b) for a, b in zip(state["q"], goal)) < 1e-3, "movej arrives")
    stream.say("speedj([0,0,0,0,0,0.5],5,0.4)\n")
    stream.wait(lambda state: state["qd_target"][5] == 0.5, "the speed is reached")
    stream.wait(lambda state: max(map(abs, state["qd_target"])) == 0.0, "it stops")
    rtde.outputs(["timestamp", "actual_q", "actual_digital_output_bits"])
    recipe, kinds = rtde.inputs(["standard_digital_output_mask", "standard_digital_output"])
    rtde.start()
    rtde.write(recipe, kinds, 0b101, 0b100)
    rtde.wait(lambda data: data["actual_digital_output_bits"] == 0b100, "output 2 is on")
    equal(board.ask("robotmode"), "Robotmode: RUNNING", "robotmode")
    with socket.create_server(("127.0.0.1", 0)) as driver:
        driver.settimeout(PATIENCE_S)
        before = stream.state()["q_target"][5]
        stream.say(CALLS_BACK % driver.getsockname()[1])
        with driver.accept()[0] as link:
            link.sendall(b"(0.25)\n")
            stream.wait(lambda state: abs(state["q"][5] - before - 0.25) < 1e-3, "it turns as it was told")


class CrclRobot:
    """A client that waits for the end of each of its commands."""

    COMMAND = ('<CRCLCommandInstance xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><CRCLCommand xsi:type='
               '"{kind}Type"><CommandID>{number}</CommandID>{fields}</CRCLCommand></CRCLCommandInstance>')

    def __init__(self, cell, door):
        self.link, self.number = cell.connect(door), 0

    def say(self, kind, fields=""):
        self.link.sendall(self.COMMAND.format(kind=kind, number=self.number, fields=fields).encode())

    def status(self):
        self.say("GetStatus")
        text = b""
        while b"</CRCLStatus>" not in text:
            piece = self.link.recv(65536)
            holds(piece, f"the robot hung up after {text}")
            text += piece
        return text.decode()

    def do(self, kind, fields=""):
        self.number += 1
        self.say(kind, fields)
        until = time.monotonic() + PATIENCE_S
        while time.monotonic() < until:
            said = self.status()
            if f"<CommandID>{self.number}</CommandID>" in said and "CRCL_Working" not in said:
                holds("CRCL_Done" in said, f"{kind}: {said}")
                return said
            time.sleep(0.02)
        raise AssertionError(f"{kind} never ends: {said}")


def drive_crcl(cell):
    """Each robot closes its fingers and lifts its tool by 50 mm."""
    for door in ("fanuc.crcl", "motoman.crcl"):
        robot = CrclRobot(cell, door)
        robot.do("InitCanon")
        robot.do("SetLengthUnits", "<UnitName>millimeter</UnitName>")
        robot.do("SetTransSpeed", '<TransSpeed xsi:type="TransSpeedAbsoluteType"><Setting>100</Setting></TransSpeed>')
        said = robot.do("SetEndEffector", "<Setting>0</Setting>")
        pose = re.search("<Pose>(.*?)</Pose>", said, re.S)[1]
        height = float(re.search("<Z>(.*?)</Z>", pose)[1])
        higher = re.sub("<Z>.*?</Z>", f"<Z>{height + 50}</Z>", pose)
        said = robot.do("MoveTo", f"<MoveStraight>true</MoveStraight><EndPosition>{higher}</EndPosition>")
        risen = float(re.search("<Z>(.*?)</Z>", said)[1]) - height
        holds(abs(risen - 50) < 1, f"{door}: {risen} mm instead of 50")


def drive_modbus(cell):
    """Half speed forwards, backwards, off; and a register that is not there."""
    with cell.connect("plc") as link:
        def ask(function, address, value):
            link.sendall(struct.pack(">HHHBBHH", 1, 0, 6, 1, function, address, value))
            return link.recv(256)[7:]  # one frame, which a server writes at once

        def wait_for(tenths_of_mm_s):
            until, speed = time.monotonic() + PATIENCE_S, None
            while speed is None or abs(speed - tenths_of_mm_s) > 10:
                holds(time.monotonic() < until, f"the belt does {speed} instead of {tenths_of_mm_s}")
                speed = struct.unpack(">h", ask(4, 0, 1)[2:])[0]
                time.sleep(0.02)

        ask(6, 0x8002, 16384)
        ask(6, 0x8000, 1)
        wait_for(1000)
        ask(6, 0x8001, 1)
        wait_for(-1000)
        equal(ask(6, 0x8003, 0), b"\x86\x02", "illegal data address")
        ask(6, 0x8000, 0)
        wait_for(0)


def drive_joint_topic(cell):
    """Three joints of the Fanuc, and each time one that it has not."""
    publisher = os.environ.get("LONGARM_JOINT_PUBLISHER")
    holds(publisher, "there is no longarm_joint_publisher in either build tree; ./dev test builds it")
    for joint, goal in (("arm::joint_6", 0.4), ("arm::joint_5", -0.8), ("arm::joint_1", -0.1)):
        done = subprocess.run([publisher, "/fanuc/joints", joint, str(goal), "0.01"], env=cell.environment,
                              capture_output=True, text=True, timeout=4 * PATIENCE_S)
        equal(done.returncode, 0, f"{joint} never arrives; is there multicast between processes here?")
        holds("has no joint 'no_such_joint'" in done.stdout, f"refusal: {done.stdout}")


def find_joint_publisher(programs):
    """The tests' own, in the tree of one of the programs, unless the environment says where it is."""
    for program in programs:
        built = program.parents[2] / "longarm/serve/longarm_joint_publisher"
        if built.exists():
            os.environ.setdefault("LONGARM_JOINT_PUBLISHER", str(built))


# what is served, at which doors, and who speaks
PROTOCOLS = {
    "UR": ("ur5-live", UR_DOORS, drive_ur),
    "CRCL": ("aprs-live", CELL_DOORS, drive_crcl),
    "Modbus": ("aprs-live", CELL_DOORS, drive_modbus),
    "JointCmd": ("aprs-live", CELL_DOORS, drive_joint_topic),
}


def record(protocol, program, folder, *arguments):
    """The lines of a session's recording, without the first one."""
    scenario, doors, drive = PROTOCOLS[protocol]
    with Served(program, scenario, doors, folder, *arguments) as cell:
        drive(cell)
    return (folder / "run" / RECORDING).read_text().splitlines()[1:]


def renamed_in(line, renamed):
    entry = json.loads(line)
    if "door" in entry:
        entry["door"] = renamed.get(entry["door"], entry["door"])
    return json.dumps(entry)


def replay(protocol, program, lines, renamed, folder, *arguments):
    """What `longarm replay` says of those lines. `renamed`: scenarios and doors that are called otherwise here."""
    scenario, doors, _ = PROTOCOLS[protocol]
    with Served(program, renamed.get(scenario, scenario), [renamed.get(door, door) for door in doors], folder,
                "--for", "1ms", "--speed", "max", *arguments) as cell:
        cell.process.wait(timeout=120)
    recording = folder / "run" / RECORDING
    head = recording.read_text().splitlines()[0]
    recording.write_text("\n".join([head, *(renamed_in(line, renamed) for line in lines)]) + "\n")
    done = subprocess.run([program, "replay", "run", "--json"], cwd=folder, capture_output=True, text=True)
    holds(done.returncode in (0, 1), f"longarm replay: {done.stderr.strip()}")
    return {"exit code": done.returncode, **json.loads(done.stdout)}
