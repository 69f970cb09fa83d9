# SPDX-License-Identifier: Apache-2.0
# The plainest clients of a UR controller's ports, and the controller in a process of its own; for the scripts here.
import contextlib
import json
import pathlib
import re
import signal
import socket
import struct
import subprocess
import time

from program import equal, holds

DOORS = ["primary", "primary_ro", "secondary", "secondary_ro", "realtime", "realtime_ro", "rtde", "dashboard"]
PATIENCE_S = 60


class Served:
    """`longarm serve ur5-live` at ports that are free, once its doors are open."""

    def __init__(self, program, *arguments, doors=None, scenario="ur5-live"):
        doors = DOORS if doors is None else doors
        at = [word for door in doors for word in ("--port", f"ur5.{door}=0")]
        self.process = subprocess.Popen([program.binary, "serve", scenario, *at, "--out", "run", *arguments], text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.ports = {}
        while len(self.ports) < len(doors):
            line = self.process.stdout.readline()
            found = re.fullmatch(r"ur5\.(\w+) at 127\.0\.0\.1:(\d+)\n", line)
            if not found:
                self.process.kill()
                raise AssertionError(f"no address but: {line}{self.process.stderr.read()}")
            self.ports[found[1]] = int(found[2])
        self.words = ""

    def end(self):
        """As Ctrl-C does; the words of the end and the warnings are kept."""
        self.process.send_signal(signal.SIGINT)
        self.words, self.warnings = self.process.communicate(timeout=120)
        equal(self.process.returncode, 0, f"exit code\n{self.words}{self.warnings}")

    def resident_kb(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status)[1])

    def connect(self, door):
        link = socket.create_connection(("127.0.0.1", self.ports[door]), timeout=PATIENCE_S)
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return link


@contextlib.contextmanager
def served(program, *arguments, **keywords):
    robot = Served(program, *arguments, **keywords)
    try:
        yield robot
    finally:
        if robot.process.poll() is None:
            robot.process.kill()
            robot.process.wait()
        for pipe in (robot.process.stdout, robot.process.stderr):
            if not pipe.closed:
                pipe.close()


def metrics():
    return json.loads(pathlib.Path("run/metrics.json").read_text())


def skipped():
    """Packets of streams that somebody did without."""
    serving = metrics()["machine"]["serving"]
    return serving["stream_packets_skipped_for_slow_clients"] + serving["stream_packets_skipped_while_catching_up"]


def receive(link, size):
    out = b""
    while len(out) < size:
        piece = link.recv(size - len(out))
        holds(piece, f"hung up after {len(out)} of {size} bytes")
        out += piece
    return out


class RealTime:
    """Port 30003: offsets from the beginning of a packet, as UR's table has them."""

    SIZE = 1116
    AT = {"time": (4, 1), "q_target": (12, 6), "qd_target": (60, 6), "q": (252, 6), "qd": (300, 6), "tcp": (444, 6),
          "tcp_target": (588, 6), "robot_mode": (756, 1), "joint_modes": (764, 6), "safety_mode": (812, 1),
          "speed_scaling": (940, 1), "main_voltage": (972, 1), "program_state": (1052, 1), "safety_status": (1108, 1)}

    def __init__(self, robot, door="realtime"):
        self.link = robot.connect(door)

    @classmethod
    def at(cls, port):
        return cls.of(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S))

    @classmethod
    def of(cls, link):
        out = cls.__new__(cls)
        out.link = link
        return out

    def say(self, text):
        self.link.sendall(text.encode())

    def packet(self):
        size = struct.unpack(">i", receive(self.link, 4))[0]
        equal(size, self.SIZE, "size of a real-time packet")
        return struct.pack(">i", size) + receive(self.link, size - 4)

    def state(self):
        return self.read(self.packet())

    @classmethod
    def read(cls, packet):
        out = {}
        for name, (at, count) in cls.AT.items():
            values = struct.unpack_from(f">{count}d", packet, at)
            out[name] = values[0] if count == 1 else list(values)
        out["outputs"] = struct.unpack_from(">q", packet, 1044)[0]
        return out

    def wait(self, claim, what, most_s=60.0):
        """The first state of which `claim` is true, within so much of the robot's time."""
        begin = None
        while True:
            state = self.state()
            begin = state["time"] if begin is None else begin
            if claim(state):
                return state
            holds(state["time"] - begin < most_s, f"never: {what}; {state}")

    def close(self):
        self.link.close()


class Rtde:
    """Port 30004, both versions of its protocol."""

    FORMATS = {"BOOL": "?", "UINT8": "B", "UINT32": "I", "UINT64": "Q", "INT32": "i", "DOUBLE": "d", "VECTOR3D": "3d",
               "VECTOR6D": "6d", "VECTOR6INT32": "6i", "VECTOR6UINT32": "6I"}

    def __init__(self, robot, version=2):
        self.link = robot.connect("rtde")
        self.version = version
        if version == 2:
            self.send("V", struct.pack(">H", 2))
            equal(self.receive("V"), b"\x01", "version 2 is spoken")

    def send(self, kind, payload=b""):
        self.link.sendall(struct.pack(">HB", 3 + len(payload), ord(kind)) + payload)

    def receive(self, kind):
        """The payload of the next packet of that kind; data that is under way is passed over."""
        while True:
            size, found = struct.unpack(">HB", receive(self.link, 3))
            payload = receive(self.link, size - 3)
            if found == ord(kind):
                return payload
            holds(found == ord("U"), f"a packet {chr(found)} {payload} instead of {kind}")

    def ask(self, kind, payload=b""):
        self.send(kind, payload)
        return self.receive(kind)

    def outputs(self, names, frequency=125.0):
        if self.version == 2:
            answer = self.ask("O", struct.pack(">d", frequency) + ",".join(names).encode())
            self.recipe, types = answer[0], answer[1:]
        else:
            types = self.ask("O", ",".join(names).encode())
        self.names = names
        self.types = types.decode().split(",")
        return self.types

    def inputs(self, names):
        answer = self.ask("I", ",".join(names).encode())
        return answer[0], answer[1:].decode().split(",")

    def start(self):
        equal(self.ask("S"), b"\x01", "start")

    def pause(self):
        equal(self.ask("P"), b"\x01", "pause")

    def write(self, recipe, types, *values):
        layout = ">B" + "".join(self.FORMATS[each] for each in types)
        self.send("U", struct.pack(layout, recipe, *values))

    def data(self):
        payload = self.receive("U")
        if self.version == 2:
            equal(payload[0], self.recipe, "recipe")
            payload = payload[1:]
        out, at = {}, 0
        for name, kind in zip(self.names, self.types):
            layout = ">" + self.FORMATS[kind]
            values = struct.unpack_from(layout, payload, at)
            at += struct.calcsize(layout)
            out[name] = values[0] if len(values) == 1 else list(values)
        equal(at, len(payload), "bytes of a data packet")
        return out

    def wait(self, claim, what, most=2000):
        for _ in range(most):
            data = self.data()
            if claim(data):
                return data
        raise AssertionError(f"never: {what}; {data}")

    def close(self):
        self.link.close()


class Dashboard:
    """Port 29999: a line, a line."""

    def __init__(self, robot):
        self.link = robot.connect("dashboard")
        self.lines = self.link.makefile("r", newline="\n")
        equal(self.lines.readline(), "Connected: Universal Robots Dashboard Server\n", "greeting")

    def ask(self, line):
        self.link.sendall((line + "\n").encode())
        return self.lines.readline().rstrip("\n")

    def wait(self, line, answer):
        found = None
        start = time.monotonic()
        while time.monotonic() - start < PATIENCE_S:
            found = self.ask(line)
            if found == answer:
                return
        raise AssertionError(f"{line}: {found} instead of {answer}")

    def close(self):
        self.lines.close()
        self.link.close()


def primary_packet(link):
    """Type and body."""
    size, kind = struct.unpack(">ib", receive(link, 5))
    holds(5 <= size <= 65536, f"a packet of {size} bytes")
    return kind, receive(link, size - 5)


def packages_of(body):
    """Of a robot state: subtype and data."""
    out, at = {}, 0
    while at < len(body):
        size, kind = struct.unpack_from(">iB", body, at)
        holds(5 <= size <= len(body) - at, f"a package of {size} bytes at {at} of {len(body)}")
        out[kind] = body[at + 5:at + size]
        at += size
    return out
