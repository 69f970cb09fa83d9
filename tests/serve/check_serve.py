# SPDX-License-Identifier: Apache-2.0
# `longarm serve` and its replay, driven by other people's software.
import contextlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402

SKIPPED = 77
# the lab's belt alone with its PLC, at whatever port is free, for as long as it is asked for
CELL = ["belt.yaml"]
SCENARIO = """\
title: a belt and its PLC
world: belt.sdf
length: 60min
actors:
  belt: {kind: belt, joint: "conveyor::drive"}
  plc: {kind: plc, belt: belt, port: 0}
"""
WORLD = """\
<sdf version="1.9"><world name="belt"><include><uri>%s/models/conveyor/conveyor.sdf</uri></include></world></sdf>
"""
# the lab's whole cell, at ports that are free
LIVE = ["aprs-live", "--port", "plc=0", "--port", "fanuc.crcl=0", "--port", "motoman.crcl=0"]


def make_cell(program):
    """The files of CELL, in the folder that a case has for itself."""
    pathlib.Path("belt.yaml").write_text(SCENARIO)
    pathlib.Path("belt.sdf").write_text(WORLD % program.source)


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


class Served:
    """The cell in a process of its own, once its doors are open."""

    def __init__(self, program, *arguments, cell=CELL, stdin=None):
        make_cell(program)
        self.process = subprocess.Popen([program.binary, "serve", *cell, *arguments], stdin=stdin, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.host, self.ports = "", {}
        while "plc" not in self.ports:  # the last one
            line = self.process.stdout.readline()
            found = re.fullmatch(r"(\S+) at (127\.0\.0\.1|0\.0\.0\.0):(\d+)\n", line)
            if not found:
                self.process.kill()
                raise AssertionError(f"no address but: {line}{self.process.stderr.read()}")
            self.host, self.ports[found[1]] = found[2], int(found[3])
        self.port = self.ports["plc"]

    def end(self, how=signal.SIGINT):
        self.process.send_signal(how)
        self.process.wait(timeout=60)


@contextlib.contextmanager
def served(program, *arguments, **keywords):
    cell = Served(program, *arguments, **keywords)
    try:
        yield cell
    finally:
        if cell.process.poll() is None:
            cell.process.kill()
            cell.process.wait()
        for pipe in (cell.process.stdin, cell.process.stdout, cell.process.stderr):
            if pipe:
                pipe.close()


def write(port, address, value):
    """The plainest master there is; the echo of the written register is the answer."""
    request = struct.pack(">HHHBBHH", 1, 0, 6, 1, 6, address, value)
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        link.sendall(request)
        equal(link.recv(12), request, "answer")


def metrics(folder):
    return json.loads(pathlib.Path(folder, "metrics.json").read_text())


def recorded(folder):
    return [json.loads(line) for line in pathlib.Path(folder, "received.jsonl").read_text().splitlines()[1:]]


def drive_with_mbpoll(cell):
    mbpoll = shutil.which("mbpoll")
    if not mbpoll:
        skip("there is no mbpoll")

    def poll(*arguments):
        done = subprocess.run([mbpoll, "-0", "-1", "-q", "-o", "10", *arguments], capture_output=True, text=True)
        equal(done.returncode, 0, f"mbpoll {arguments}: {done.stdout}{done.stderr}")
        return [int(value) for value in re.findall(r"^\[\d+\]:\s+(-?\d+)", done.stdout, re.MULTILINE)]

    at = ["-p", str(cell.port)]
    for address, value in ((0x8001, 1), (0x8002, 16384), (0x8000, 1)):
        poll(*at, "-r", str(address), "127.0.0.1", str(value))
    equal(poll(*at, "-t", "4", "-r", str(0x8000), "-c", "3", "127.0.0.1"), [1, 1, 16384], "what was written")
    # half of 0.2 m/s backwards is -1000 tenths of a millimetre per second
    speed = 0
    for _ in range(200):
        speed = poll(*at, "-t", "3", "-r", "0", "127.0.0.1")[0]
        if abs(speed - (65536 - 1000)) < 10:
            break
    holds(abs(speed - (65536 - 1000)) < 10, f"the belt does {speed}")
    # the encoder counts down, in hundredths of a millimetre, its high word first
    first = poll(*at, "-t", "3:int", "-B", "-r", "1", "127.0.0.1")[0]
    second = poll(*at, "-t", "3:int", "-B", "-r", "1", "127.0.0.1")[0]
    holds(second <= first < 0, f"encoder {first} then {second}")


def drive_with_pymodbus(cell):
    script = """
import sys
from pymodbus.client import ModbusTcpClient
client = ModbusTcpClient("127.0.0.1", port=int(sys.argv[1]), timeout=20)
assert client.connect()
assert not client.write_register(0x8001, 0, slave=1).isError()
assert not client.write_registers(0x8000, [1, 0, 32768], slave=1).isError()
assert client.read_holding_registers(0x8000, 3, slave=1).registers == [1, 0, 32768]
assert client.read_coils(0, 2, slave=1).bits[:2] == [True, False]
assert client.write_register(0x8003, 0, slave=1).exception_code == 2
assert client.write_register(0x8000, 9, slave=1).exception_code == 3
for _ in range(5000):
    speed = client.read_input_registers(0, 1, slave=1).registers[0]
    if abs(speed - 2000) < 20:
        break
assert abs(speed - 2000) < 20, speed
client.write_coil(0, False, slave=1)
client.close()
"""
    for python in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([python, "-c", "import pymodbus"], capture_output=True).returncode == 0:
            break
    else:
        skip("there is no pymodbus")
    done = subprocess.run([python, "-c", script, str(cell.port)], capture_output=True, text=True, timeout=100)
    equal(done.returncode, 0, f"pymodbus: {done.stdout}{done.stderr}")


def case_mbpoll_and_pymodbus_drive_the_belt(program):
    with served(program, "--out", "run") as cell:
        drive_with_mbpoll(cell)
        drive_with_pymodbus(cell)
        cell.end(signal.SIGTERM)
    found = metrics("run")
    equal(found["ended"], "stopped", "end")
    holds(found["served"]["doors"]["plc"]["clients"] >= 8, "each mbpoll is a client")
    holds(found["machine"]["serving"]["late_steps"] >= 0, "late steps are reported")
    program("replay", "run")


def case_a_run_that_was_killed_repeats_up_to_there(program):
    with served(program, "--speed", "max", "--out", "run") as cell:
        write(cell.port, 0x8002, 20000)
        write(cell.port, 0x8000, 1)
        while checkpoints_after("run", 6) < 2:
            time.sleep(0.02)
        cell.end(signal.SIGKILL)
    holds(not pathlib.Path("run/metrics.json").exists(), "a killed run has no metrics")
    report = json.loads(program("replay", "run", "--json").stdout)
    equal((report["same"], report["ended"]), (True, "killed"), "replay")
    holds(report["checkpoints_compared"] >= 2, f"{report}")
    equal(len([line for line in recorded("run") if line.get("door") == "plc"]), 6, "come, speak, go, twice")
    # the same recording with another speed is another run
    path = pathlib.Path("run/received.jsonl")
    path.write_text(path.read_text().replace("068002" + "4e20", "068002" + "4e21"))
    report = json.loads(program("replay", "run", "--json", expect=1).stdout)
    equal(report["same"], False, "replay of what was not said")


def checkpoints_after(folder, count):
    """How many hashes of the world stand behind the first `count` events of the PLC's door."""
    lines = recorded_so_far(folder)
    events = [i for i, line in enumerate(lines) if line.get("door") == "plc"]
    return sum("world" in line for line in lines[events[count - 1]:]) if len(events) >= count else 0


def recorded_so_far(folder):
    lines = pathlib.Path(folder, "received.jsonl").read_text().split("\n")[1:-1]
    return [json.loads(line) for line in lines]


def case_it_steps_when_it_is_told_to(program):
    with served(program, "--stepped", "--out", "run", stdin=subprocess.PIPE) as cell:
        write(cell.port, 0x8000, 1)  # answered while the world stands still
        cell.process.stdin.write("step 5\njump\nstep\nrun 4ms\nquit\n")
        cell.process.stdin.close()
        out = cell.process.stdout.read()
        cell.process.wait(timeout=60)
        equal(cell.process.returncode, 0, "exit code")
    prompts = re.findall(r"(\d\.\d{6}) s>", out)
    equal(prompts, ["0.000000", "0.005000", "0.005000", "0.006000", "0.010000"], "prompts")
    holds("unknown command 'jump'; use: step [N], run 2s, or quit" in out, out)
    # when the master hangs up is its own business
    heard = {event["step"] for event in recorded("run") if event.get("event") in ("open", "data")}
    equal(heard, {0}, "steps of what it said")
    equal(metrics("run")["served"]["steps"], 10, "steps")
    program("replay", "run")
    # what was served can be looked at afterwards
    holds("Translation" in program("frame", "run", "world", "conveyor/surface", "--at", "9ms").stdout, "where the belt was")
    with served(program, "--for", "10ms", "--no-trace", "--out", "bare") as cell:
        cell.process.wait(timeout=60)
    holds(not pathlib.Path("bare/trace.mcap").exists(), "--no-trace")


def case_the_same_calls_give_the_same_hash_at_any_speed(program):
    make_cell(program)
    moving = ["--set", "actors.belt.commands=[[0.05, 0.1]]"]
    hashes = []
    for speed in ("max", "1"):
        done = program("serve", *CELL, *moving, "--for", "300ms", "--speed", speed, "--json")
        hashes.append(json.loads(done.stdout)["state_hash"])
        equal(json.loads(done.stdout)["ended"], "time is over", "end")
    equal(hashes[0], hashes[1], "state hash")
    # nobody spoke, so that it is also the run without doors
    done = program.metrics(*CELL, *moving, "--set", "length=300ms")
    equal(done["state_hash"], hashes[0], "state hash of longarm run")


def case_a_port_that_is_taken_is_an_error(program):
    make_cell(program)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = program("serve", *CELL, "--port", f"plc={port}", expect=2)
    equal(done.stderr, f"error: plc: cannot listen at 127.0.0.1:{port}: Address already in use\n"
                       "  hint: choose another port with --port plc=N, or a free one with --port plc=0\n", "complaint")
    holds(not pathlib.Path("runs").exists(), "nothing is left behind")


def case_what_makes_no_sense_is_refused(program):
    def complaint(*arguments):
        return program("serve", *arguments, expect=2).stderr

    make_cell(program)
    equal(complaint(*CELL, "--port", "plcc=0"), "error: --port plcc=0: there is no port called 'plcc'\n"
                                                "  hint: did you mean 'plc'?\n", "unknown door")
    equal(complaint(*CELL, "--port", "plc=0", "--port", "plc=15556"),
          "--port: error: 'plc' is given twice\n  hint: give each name one number\n", "one name twice")
    equal(complaint(*CELL, "--speed", "0", "--for", "1", "--port", "plc"),
          "--for: error: '1' is not a duration\n  hint: e.g. --for 60s (simulated time)\n"
          "--port: error: 'plc' is not of the form NAME=PORT\n  hint: e.g. --port plc=1502; 0 picks a free one\n"
          "--speed: error: '0' is not a speed between 0.001 and 1000\n"
          "  hint: 1 is real time, max is as fast as possible\n", "three at once")
    holds("'belt-bench' opens no ports" in complaint("belt-bench"), "no ports")
    holds("'one-joint' opens no ports" in complaint("one-joint"), "an arm")
    text = complaint("aprs-lvie")
    holds("unknown" in text or "no scenario" in text, "no scenario")


def ask_status(port):
    """What a robot says when it is asked how it is."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
        link.sendall(b'<CRCLCommandInstance><CRCLCommand xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
                     b'xsi:type="GetStatusType"><CommandID>1</CommandID></CRCLCommand></CRCLCommandInstance>')
        text = b""
        while b"</CRCLStatus>" not in text:
            piece = link.recv(65536)
            holds(piece, f"the robot hung up after {text}")
            text += piece
        return text


def resident_kb(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def attack_with_what_is_no_crcl(cell):
    port = cell.ports["fanuc.crcl"]
    ask_status(port)
    before = resident_kb(cell.process)
    bomb = '<!DOCTYPE a [<!ENTITY b "' + "x" * 1000 + '">' + "".join(
        f'<!ENTITY b{i} "' + f"&b{i - 1 if i else ''};" * 10 + '">' for i in range(10)) + "]>"
    command = "<CRCLCommandInstance><CRCLCommand>"
    attacks = [command + "x" * 2_000_000, bomb + command + "&b9;</CRCLCommand></CRCLCommandInstance>",
               "\0" * 100_000 + "</CRCLCommandInstance>", "<a>" * 100_000 + "</CRCLCommandInstance>"]
    for attack in attacks * 3:
        with socket.create_connection(("127.0.0.1", port), timeout=20) as link:
            with contextlib.suppress(OSError):  # it may hang up in the middle
                link.sendall(attack.encode())
        ask_status(port)  # others are served
    after = resident_kb(cell.process)
    holds(after < before + 64_000, f"{before} kB became {after} kB")


def drive_with_a_joint_topic(publisher):
    """Turns the Fanuc until its states say so; false where processes cannot find each other."""
    done = subprocess.run([publisher, "/fanuc/joints", "arm::joint_1", "0.8", "0.001"], capture_output=True, text=True,
                          timeout=100)
    heard = [line for line in recorded_so_far("run") if line.get("event") == "data"]
    if done.returncode == 1 and not heard:
        return False
    equal(done.returncode, 0, f"publisher: {done.stdout}{done.stderr}")
    moved, refusal = done.stdout.splitlines()[:2]
    figures = re.fullmatch(r"moved by (\S+), overshoot (\S+), fastest (\S+)", moved)
    holds(figures, moved)
    way, overshoot, fastest = map(float, figures.groups())
    # the states that were seen may begin on the way; the joint's limit is 7.854 rad/s
    holds(way > 0.01 and overshoot < 0.01 and fastest < 7.86, moved)
    equal(refusal, "jointcmd.~/fanuc/joints: message rejected: model 'fanuc' has no joint 'no_such_joint'", "refusal")
    return True


def case_the_whole_cell_hears_attackers_and_a_joint_topic(program):
    # of this run alone, whoever else is on this computer
    os.environ["IGN_PARTITION"] = f"longarm-serve-{os.getpid()}"
    with served(program, "--out", "run", cell=LIVE) as cell:
        is_heard = drive_with_a_joint_topic(os.environ["LONGARM_JOINT_PUBLISHER"])
        attack_with_what_is_no_crcl(cell)
        cell.end()
        equal(cell.process.returncode, 0, "exit code")
    program("replay", "run")
    if not is_heard:
        skip("no multicast between processes here, so ignition-transport finds nobody")


def case_robots_listen_at_the_ports_of_the_scenario(program):
    # whoever has them, we or someone else: the complaint names them
    for robot, port in (("fanuc", 64444), ("motoman", 64445)):
        with socket.socket() as taken:
            with contextlib.suppress(OSError):
                taken.bind(("127.0.0.1", port))
                taken.listen()
            at = LIVE.index(f"{robot}.crcl=0")
            done = program("serve", *LIVE[:at - 1], *LIVE[at + 1:], expect=2)
        holds(f"error: {robot}.crcl: cannot listen at 127.0.0.1:{port}: " in done.stderr, done.stderr)


def case_open_is_for_all_addresses(program):
    # 127.0.0.2 is this machine, too
    with served(program, "--out", "shut") as cell:
        equal(cell.host, "127.0.0.1", "address")
        try:
            socket.create_connection(("127.0.0.2", cell.port), timeout=5).close()
            raise AssertionError("answers at another address")
        except OSError:
            pass
        cell.end()
    with served(program, "--open", "--out", "open") as cell:
        socket.create_connection(("127.0.0.2", cell.port), timeout=5).close()
        cell.end()


if __name__ == "__main__":
    sys.exit(main(globals()))
