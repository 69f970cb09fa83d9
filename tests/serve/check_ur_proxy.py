# SPDX-License-Identifier: Apache-2.0
# A UR client through `longarm proxy`: the delay that was asked for is the one that the robot's path shows.
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from ur_clients import Dashboard, RealTime, metrics, served  # noqa: E402

DELAY_S = 0.020
# what the kernel needs to hand bytes through two more sockets, as a loaded computer has it
SOCKETS_S = 0.0005


class Relay:
    """`longarm proxy` in front of one port."""

    def __init__(self, program, port, *arguments):
        self.process = subprocess.Popen([program.binary, "proxy", "--listen", "127.0.0.1:0", "--to", f"127.0.0.1:{port}",
                                         *arguments, "--json"], text=True, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        line = self.process.stderr.readline()
        found = re.match(r"tcp 127\.0\.0\.1:(\d+) to ", line)
        if not found:
            self.process.kill()
            raise AssertionError(f"no address but: {line}{self.process.stderr.read()}")
        self.port = int(found[1])

    def end(self):
        self.process.send_signal(signal.SIGINT)
        out, words = self.process.communicate(timeout=60)
        equal(self.process.returncode, 0, f"exit code of the relay\n{words}")
        return json.loads(out)


@contextlib.contextmanager
def relayed(program, port, *arguments):
    relay = Relay(program, port, *arguments)
    try:
        yield relay
    finally:
        if relay.process.poll() is None:
            relay.process.kill()
            relay.process.wait()
        for pipe in (relay.process.stdout, relay.process.stderr):
            if not pipe.closed:
                pipe.close()


def client(program, *words):
    done = subprocess.run([sys.executable, str(program.source / "clients" / "ur_speedj.py"), *words],
                          capture_output=True, text=True, timeout=120)
    equal(done.returncode, 0, f"ur_speedj.py {words}: {done.stdout}{done.stderr}")
    return done.stdout


def drive(program, port, folder, seconds):
    client(program, "drive", f"127.0.0.1:{port}", folder, "--seconds", str(seconds))


def measure(program, seconds):
    """What the client finds, and what the relay says of itself; both drives are of one run of the robot."""
    with served(program) as robot:
        drive(program, robot.ports["realtime"], "direct", seconds)
        with relayed(program, robot.ports["realtime"], "--link", f"delay {1000 * DELAY_S}ms") as relay:
            drive(program, relay.port, "relayed", seconds)
            statistics = relay.end()
        robot.end()
    return json.loads(client(program, "compare", "direct", "relayed", "--json")), statistics["tcp"]


def case_speedj_through_a_relay_shows_its_delay(program):
    # one cycle's phase is swept in 10 s
    found, relay = measure(program, float(os.environ.get("LONGARM_SPEEDJ_SECONDS", "10")))
    shifted = metrics()["machine"]["serving"]["schedule_shifts"]
    print(json.dumps({"found": found, "up": relay["up"], "down": relay["down"], "serving": metrics()["machine"]["serving"]}))
    if shifted:
        print("skipped: this computer could not keep up with the robot's clock")
        sys.exit(77)
    for what, direction in (("commands", "up"), ("status", "down")):
        late = relay[direction]["lateness"]
        off = found[what]["delay_s"] - DELAY_S
        most = max(late["p99_s"], late["mean_s"]) + 3 * found[what]["standard_error_s"] + SOCKETS_S
        holds(abs(off) <= most, f"{what} are {1e3 * off:.3f} ms off; the relay was late by {late}; {found[what]}")
        holds(found[what]["relayed"] > 0.7 * found[what]["direct"], f"{found[what]}")
    program("replay", "run")


def case_a_relay_breaks_and_the_robot_stops_by_itself(program):
    with served(program) as robot:
        watch = RealTime(robot)
        with relayed(program, robot.ports["realtime"], "--link", "delay 5ms") as relay:
            far = RealTime.__new__(RealTime)
            far.link = socket.create_connection(("127.0.0.1", relay.port), timeout=30)
            far.state()
            far.say("speedj([0,0,0,0,0,0.2],5,0.3)\n")
            watch.wait(lambda state: state["qd_target"][5] == 0.2, "it moves", 20.0)
            relay.process.kill()
            relay.process.wait()
            far.close()
        # the time-out of speedj, not the connection, ends it
        watch.wait(lambda state: state["qd_target"][5] == 0.0, "it stops", 20.0)
        equal(Dashboard(robot).ask("safetymode"), "Safetymode: NORMAL", "no protective stop")
        robot.end()
    program("replay", "run")


if __name__ == "__main__":
    sys.exit(main(globals()))
