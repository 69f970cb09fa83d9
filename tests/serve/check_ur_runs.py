# SPDX-License-Identifier: Apache-2.0
# Served UR arms from their first port to the replay: files of theirs, how long they go on, ports of several, and
# clients that only listen.
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from ur_clients import DOORS, Dashboard, RealTime, metrics, served  # noqa: E402

AT_FREE_PORTS = [word for door in DOORS for word in ("--port", f"ur5.{door}=0")]
TWO = ["ur5-live", "--set", "engine=kinematic", "--set", "actors.other.kind=ur",
       "--set", "actors.other.pose_m_deg=[0, 1.5, 0, 0, 0, 0]"]

# out of the driver's way
BALL = """<sdf version="1.7"><world name="w"><model name="ball"><static>1</static><pose>0 -3 0.5 0 0 0</pose>
<link name="l"><collision name="c">
<geometry><sphere><radius>0.1</radius></sphere></geometry></collision></link></model></world></sdf>"""


def case_runs_keep_their_world(program):
    shutil.copy(program.source / "scenarios" / "obstacles.sdf", "mine.sdf")
    for world in ("obstacles.sdf", "mine.sdf"):  # beside the ready scenario, and where the user is
        run = pathlib.Path(f"run-{world}")
        program("serve", "ur5-live", *AT_FREE_PORTS, "--set", f"world={world}", "--for", "100ms", "--speed", "max",
                "--out", str(run))
        pathlib.Path("mine.sdf").unlink(missing_ok=True)
        program("replay", str(run))
        text = (program.source / "scenarios" / "obstacles.sdf").read_text()
        equal((run / "inputs" / world).read_text(), text, "the copy")
        (run / "inputs" / world).write_text(text.replace("0.", "0.1", 1))
        holds("have changed since" in program("replay", str(run), expect=2).stderr, "another world is noticed")
        shutil.copy(program.source / "scenarios" / "obstacles.sdf", "mine.sdf")


def case_a_run_of_the_driver_keeps_its_world(program):
    pathlib.Path("ball.sdf").write_text(BALL)
    first = program.metrics("ur5-driver", "--set", "world=ball.sdf", "--set", "length=50ms", "--out", "first")
    pathlib.Path("ball.sdf").unlink()
    again = program.metrics("first/scenario.yaml", "--out", "again")
    equal(again["state_hash"], first["state_hash"], "state")
    equal(again["identity"], first["identity"], "identity")


def case_runs_keep_the_programs(program):
    pathlib.Path("progs").mkdir()
    pathlib.Path("progs/wave.script").write_text("movej([0.1,-1.57,1.57,-1.57,-1.57,0])\n")
    with served(program, "--set", "actors.ur5.programs=progs") as robot:
        board = Dashboard(robot)
        holds(board.ask("load wave.urp").startswith("Loading program"), "the program is there")
        equal(board.ask("play"), "Starting program", "play")
        RealTime(robot).wait(lambda state: state["q"][0] > 0.01, "it moves")
        robot.end()
    shutil.rmtree("progs")
    program("replay", "run")
    done = subprocess.run([program.binary, "replay", "."], cwd="run", capture_output=True, text=True)
    equal(done.returncode, 0, done.stdout + done.stderr)


def case_a_served_run_goes_on_behind_its_length(program):
    quick = [*AT_FREE_PORTS, "--set", "engine=kinematic", "--set", "length=100ms", "--speed", "max"]
    found = json.loads(program("serve", "ur5-live", *quick, "--for", "400ms", "--out", "longer", "--json").stdout)
    equal((found["simulated_s"], found["ended"]), (0.4, "time is over"), "length and end")
    holds("until 0.400 s" in program("replay", "longer").stdout, "all of it is replayed")
    with served(program, "--set", "length=100ms") as robot:
        stream = RealTime(robot)
        first = stream.state()["time"]
        stream.wait(lambda state: state["time"] > first + 0.3, "until it is told to stop")
        robot.end()


def case_a_length_that_cannot_be_outlasted_is_told(program):
    done = program("serve", "ur5-driver", *AT_FREE_PORTS, "--set", "engine=kinematic", "--set", "length=100ms",
                   "--for", "5s", "--speed", "max", "--out", "run")
    holds("the run ends at 0.1 s, the length of its scenario" in done.stderr, done.stderr)
    equal(metrics()["ended"], "completed", "how it ended")


def case_ports_of_two_robots_are_put_apart(program):
    done = program("serve", *TWO, "--for", "10ms", "--out", "run", expect=2)
    holds("error: ur5.realtime and other.realtime both have port 30003" in done.stderr or
          "error: other.realtime and ur5.realtime both have port 30003" in done.stderr, done.stderr)
    apart = [*AT_FREE_PORTS, *(word for door in DOORS for word in ("--port", f"other.{door}=0"))]
    done = program("serve", *TWO, *apart, "--for", "10ms", "--speed", "max", "--out", "run")
    holds("other.realtime at 127.0.0.1:" in done.stdout, done.stdout)
    done = program("serve", *TWO, *apart, "--port", "ur5.sockets=5", "--out", "no", expect=2)
    holds("--port ur5.sockets=5: this is not a TCP port" in done.stderr, done.stderr)


def case_who_stops_talking_goes_on_listening(program):
    with served(program) as robot:
        for door, size in (("realtime", 1116 * 30), ("primary", 2000)):
            with robot.connect(door) as link:  # as nc -N does
                link.sendall(b"speedj([0.2,0,0,0,0,0], 1.0, 1.0)\n")
                link.shutdown(socket.SHUT_WR)
                heard = 0
                while heard < size:
                    piece = link.recv(65536)
                    holds(piece, f"{door} ends after {heard} bytes")
                    heard += len(piece)
        with robot.connect("dashboard") as link:  # says nothing by itself
            link.sendall(b"robotmode\n")
            link.shutdown(socket.SHUT_WR)
            text = b""
            while piece := link.recv(4096):
                text += piece
            holds(text.endswith(b"Robotmode: RUNNING\n"), f"{text}")

        def is_closed(door):
            lines = pathlib.Path("run/received.jsonl").read_text().splitlines()
            return any(f'"door":"ur5.{door}"' in line and '"event":"close"' in line for line in lines)

        # those who are gone get a packet within 100 ms, and are noticed then
        until = time.monotonic() + 30
        for door in ("realtime", "primary", "dashboard"):
            while not is_closed(door):
                holds(time.monotonic() < until, f"{door} is not closed")
                time.sleep(0.05)
        robot.end()
    equal(metrics()["machine"]["serving"]["clients_broken"], 0, "all have said goodbye")
    program("replay", "run")


if __name__ == "__main__":
    sys.exit(main(globals()))
