# SPDX-License-Identifier: Apache-2.0
# CRCL programs of a plan on served robots, and how soon a robot answers those who ask in two pieces.
import json
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from served_cell import Cell  # noqa: E402

# trays stand at the station, so that nobody has to bring them; one gear for each arm
CELL = """\
include: %s/scenarios/aprs-live.yaml
title: the kitting cell for programs of a plan
actors:
  camera_1: {port: 0}
  camera_2: {port: 0}
  kitting:
    kind: kitting
    external_executor: true
    robots: [fanuc, motoman]
    cameras: [camera_1, camera_2]
    plc: plc
    kits: {m2l1: {count: 1, contents: [1 medium_gear]}, s2l2: {count: 1, contents: [1 large_gear]}}
    executor:
      arms:
        fanuc: {closes_deg: 90, finger_reach_m: 0.03, clear_m: [0.211, -1.240, 1.184]}
        motoman: {closes_deg: 0, finger_reach_m: 0.071, clear_m: [0.45, -0.20, 1.21]}
  judge: {kind: kitting-judge, maker: kitting}
"""
DOORS = ["fanuc.crcl", "motoman.crcl", "plc"]
XSI = 'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'


class Served(Cell):
    """That cell."""

    def __init__(self, longarm, *arguments):
        pathlib.Path("cell.yaml").write_text(CELL % longarm.source)
        super().__init__(longarm, "cell.yaml", DOORS, "--no-trace", "--out", "cell", *arguments)

    def at(self, robot):
        return f"127.0.0.1:{self.ports[robot + '.crcl']}"

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(timeout=60)


def validate(longarm, path):
    """By the published schema of 2019, where that and somebody who reads it are at hand."""
    schema = pathlib.Path(longarm.source, "..", "shared", "crcl", "xsd_2019", "CRCLProgramInstance.xsd")
    if schema.exists() and shutil.which("xmllint"):
        done = subprocess.run(["xmllint", "--noout", "--schema", str(schema), str(path)], capture_output=True, text=True)
        equal(done.returncode, 0, done.stderr)


def case_crcl_programs_of_a_plan_make_its_kits(longarm):
    with Served(longarm, "--speed", "3") as cell:
        planned = longarm("plan", "cell.yaml", "--out", "plans").stdout
        holds("medium_gear_" in planned and "large_gear_" in planned, planned)
        holds("CRCL_Ready after command 0\n" in longarm("crcl", cell.at("fanuc")).stdout, "a status before anything is said")
        # of each arm that the plan has work for
        programs = sorted(pathlib.Path("plans").glob("program_*.xml"))
        holds(programs, planned)
        for path in programs:
            robot = path.stem.removeprefix("program_")
            validate(longarm, path)
            done = subprocess.run([longarm.binary, "crcl", cell.at(robot), str(path)], capture_output=True, text=True)
            equal(done.returncode, 0, done.stdout + done.stderr)
            holds(re.search(r" s  \(pick " + robot, done.stdout) and "commands done in" in done.stdout, done.stdout)
        # all kits are made, and nobody talks to a robot any more
        equal(cell.process.wait(timeout=60), 0, "exit code of serve")
    judge = json.loads(pathlib.Path("cell", "metrics.json").read_text())["judge"]
    equal([judge["kits_completed"], judge["kits_requested"]], [2, 2], f"kits: {judge}")


def case_crcl_says_that_the_server_has_closed(longarm):
    dwell = '<MiddleCommand xsi:type="DwellType"><CommandID>2</CommandID><DwellTime>60</DwellTime></MiddleCommand>'
    pathlib.Path("dwell.xml").write_text(program_of(dwell))
    with Served(longarm, "--for", "3s") as cell:
        failed = longarm("crcl", cell.at("fanuc"), "dwell.xml", expect=1).stderr
    holds(failed.startswith("error: the server closed the connection during command 2 (Dwell): "), failed)
    holds("hint: a served cell closes its connections when its run ends\n" in failed, failed)


def program_of(middle):
    return (f'<CRCLProgram {XSI}><InitCanon><CommandID>1</CommandID></InitCanon>{middle}'
            '<EndCanon><CommandID>99</CommandID></EndCanon></CRCLProgram>')


def loop(count):
    return ('<MiddleCommand xsi:type="LoopBlockStartType"><CommandID>2</CommandID><LoopName>a</LoopName></MiddleCommand>'
            '<MiddleCommand xsi:type="DwellType"><CommandID>3</CommandID><DwellTime>0.01</DwellTime></MiddleCommand>'
            '<MiddleCommand xsi:type="LoopBlockEndType"><CommandID>4</CommandID><LoopName>a</LoopName>'
            f'<MaxCount>{count}</MaxCount></MiddleCommand>')


def case_crcl_follows_loops_and_says_what_is_wrong(longarm):
    pathlib.Path("none.xml").write_text(program_of(loop(0)))
    pathlib.Path("bad.xml").write_text("<CRCLProgram/>")
    complaint = longarm("crcl", "nowhere", "none.xml", "bad.xml", "missing.xml", "--poll", "often", expect=2).stderr
    for words in ("--poll: error: 'often' is not a time", "address: error: ", "bad.xml: error: ", "missing.xml: error: ",
                  "none.xml: error: command 4: loop 'a': MaxCount is 0, and must be at least 1"):
        holds(words in complaint, complaint)
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        holds("hint: check that a CRCL server listens at this address" in longarm("crcl", f"127.0.0.1:{deaf.getsockname()[1]}", expect=2).stderr,
              "nobody listens")
    pathlib.Path("loop.xml").write_text(program_of(loop(3)))
    far = ('<MiddleCommand xsi:type="MoveToType"><CommandID>7</CommandID><MoveStraight>false</MoveStraight><EndPosition>'
           '<Point><X>9</X><Y>0</Y><Z>0</Z></Point><XAxis><I>1</I><J>0</J><K>0</K></XAxis><ZAxis><I>0</I><J>0</J><K>-1</K></ZAxis>'
           '</EndPosition></MiddleCommand>')
    pathlib.Path("far.xml").write_text(program_of(far))
    with Served(longarm) as cell:
        holds("5 commands done in " in longarm("crcl", cell.at("fanuc"), "loop.xml").stdout, "InitCanon, three rounds, EndCanon")
        failed = longarm("crcl", cell.at("fanuc"), "far.xml", expect=1).stderr
        holds(failed.startswith("error: command 7 (MoveTo) failed: goal 1 is out of reach"), failed)
        cell.end()


def case_crcl_answers_a_question_in_a_piece_of_its_own_at_once(longarm):
    """As most clients ask: without TCP_NODELAY, so that the question waits until the command is acknowledged."""
    def instance(number, kind, fields=""):
        return (f'<CRCLCommandInstance><CRCLCommand {XSI} xsi:type="{kind}Type"><CommandID>{number}</CommandID>{fields}'
                '</CRCLCommand></CRCLCommandInstance>').encode()

    took = []
    with Served(longarm) as cell, socket.create_connection(("127.0.0.1", cell.ports["fanuc.crcl"]), timeout=20) as robot:
        heard = b""
        for number in range(1, 61):
            begin = time.monotonic()
            robot.sendall(instance(number, "InitCanon"))
            robot.sendall(instance(1000 + number, "GetStatus"))
            while b"</CRCLStatus>" not in heard:
                heard += robot.recv(65536)
            heard = heard.partition(b"</CRCLStatus>")[2]
            took.append(time.monotonic() - begin)
        cell.end()
    # The system's delayed acknowledgement is 40 ms, of each; the first few it sends at once in any case. A busy machine
    # may take as long for most.
    holds(min(took[30:]) < 0.038, f"{[round(1e3 * each) for each in took]} ms")


if __name__ == "__main__":
    sys.exit(main(globals()))
