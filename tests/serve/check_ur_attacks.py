# SPDX-License-Identifier: Apache-2.0
# The served UR5 among clients that mean no good, or know no better: it goes on, for the others and within its memory.
import contextlib
import pathlib
import random
import resource
import socket
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from ur_clients import DOORS, Dashboard, RealTime, Rtde, metrics, served  # noqa: E402

SKIPPED = 77
STREAMS = [door for door in DOORS if door not in ("rtde", "dashboard")]


def is_well(robot):
    """Each kind of port answers a client that behaves."""
    stream = RealTime(robot)
    equal(stream.state()["robot_mode"], 7.0, "robot mode")
    stream.close()
    board = Dashboard(robot)
    equal(board.ask("robotmode"), "Robotmode: RUNNING", "dashboard")
    board.close()
    rtde = Rtde(robot)
    rtde.outputs(["timestamp"])
    rtde.start()
    rtde.data()
    rtde.close()


def throw(robot, door, bytes_):
    """As far as it is taken; until the other side hangs up, or streams on and has read it all. To close before would
    take back what is unread."""
    with robot.connect(door) as link:
        with contextlib.suppress(ConnectionError, BrokenPipeError):
            link.sendall(bytes_)
            link.shutdown(socket.SHUT_WR)
            while link.recv(65536):
                if door in STREAMS and unread(link) == 0:
                    return


def unread(link):
    """Bytes on their way to the other side, or in its system's hands."""
    try:
        own, other = (f"0100007F:{port:04X}" for _, port in (link.getsockname(), link.getpeername()))
    except OSError:  # it has hung up
        return 0
    queues = {tuple(words[1:3]): words[4].split(":") for words in
              (line.split() for line in pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:])}
    return int(queues[own, other][0], 16) + int(queues[other, own][1], 16) if (other, own) in queues else 0


def case_garbage_is_no_harm(program):
    draw = random.Random(8)
    nested = b"def a():\n" + b"if True:\n" * 20_000 + b"end\n" * 20_001
    attacks = [
        draw.randbytes(300_000), b"\0" * 100_000, b"\xff" * 100_000, b"x" * 3_000_000, b"\n" * 200_000,
        b"def a():\n" * 20_000, nested, b"def a():\n  x = " + b"(" * 50_000 + b"\nend\n",
        b"def a():\n  while True:\n    x = 1\n  end\nend\n",  # never lets anyone else go on
        b"def a():\n  a()\nend\n", b"def a():\n  s = \"x\"\n  while True:\n    s = str_cat(s, s)\n  end\nend\n",
        b"def a():\n  thread t():\n    while True:\n      run t()\n    end\n  end\n  run t()\nend\n",
        b"speedj([1e308,1e308,nan,inf,-1e308,0],1e308,1e308)\n", b"speedj([],5,1)\n", b"speedj(1,2,3)\n",
        b"movej([1e9,0,0,0,0,0])\n", b"movel(p[1e300,0,0,0,0,0])\n", b"servoj([0,0],t=-1)\n", b"movej(\n",
        struct.pack(">HB", 3, 86), struct.pack(">HB", 0, 86), struct.pack(">HB", 65535, 79) + b"a," * 40_000,
        struct.pack(">HBd", 11, 79, float("nan")), b"GET / HTTP/1.1\r\n\r\n" * 100]
    with served(program) as robot:
        is_well(robot)
        before = robot.resident_kb()
        for attack in attacks:
            for door in DOORS:
                throw(robot, door, attack)
        throw(robot, "realtime", b"stopj(2)\n")
        after = robot.resident_kb()
        holds(after < before + 64_000, f"{before} kB became {after} kB")
        stream, board = RealTime(robot), Dashboard(robot)
        state = stream.state()
        holds(all(abs(q) < 10 for q in state["q"] + state["q_target"]), f"{state}")
        if state["safety_mode"] != 1.0:  # one of them asked for too much
            while board.ask("unlock protective stop") != "Protective stop releasing":
                stream.state()
            stream.wait(lambda state: state["safety_mode"] == 1.0, "normal again")
        is_well(robot)
        robot.end()
    heard = metrics()["served"]["doors"]["ur5.realtime"]["bytes_in"]
    holds(heard > sum(map(len, attacks)), f"it has heard {heard} bytes")
    program("replay", "run")


def case_512_clients_listen_to_one_port(program):
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, 4096), limit))
    if min(limit, 4096) < 1200:
        print(f"skipped: only {limit} descriptors are allowed")
        sys.exit(SKIPPED)
    with served(program) as robot:
        links = [robot.connect("realtime") for _ in range(512)]
        with robot.connect("realtime") as link:
            equal(link.recv(1), b"", "one too many is sent away")
        clients = [RealTime.of(link) for link in links]
        for client in clients:  # each of them is served, and many do not read for long
            client.state()
        is_elsewhere = Dashboard(robot)
        equal(is_elsewhere.ask("robotmode"), "Robotmode: RUNNING", "dashboard")
        clients[100].say("speedj([0,0,0,0,0,0.1],5,60)\n")
        clients[511].wait(lambda state: state["qd_target"][5] == 0.1, "one of them moves it")
        for link in links:
            link.close()
        Dashboard(robot)
        robot.end()
    equal(metrics()["served"]["doors"]["ur5.realtime"]["most_clients_at_once"], 512, "clients")
    equal(metrics()["machine"]["serving"]["clients_refused"], 1, "refused")


def case_slow_writers_wait_for_themselves(program):
    line = b"speedj([0,0,0,0,0,0.15],5,60)\n"
    with served(program) as robot:
        slow = [robot.connect("realtime") for _ in range(50)]
        broken = [robot.connect(door) for door in DOORS for _ in range(10)]
        for link in broken:
            link.sendall(b"\0\x04V"[:2])
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        stream = RealTime(robot)
        for at in range(len(line)):
            for link in slow:
                link.sendall(line[at:at + 1])
        stream.wait(lambda state: state["qd_target"][5] == 0.15, "a line that came byte by byte is followed")
        for link in broken + slow:
            link.close()
        is_well(robot)
        robot.end()
    program("replay", "run")


if __name__ == "__main__":
    sys.exit(main(globals()))
