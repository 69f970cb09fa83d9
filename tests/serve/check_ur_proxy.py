# SPDX-License-Identifier: Apache-2.0
# A UR client through `longarm proxy`: the delay that was asked for is the one that the robot's path shows.
import contextlib
import json
import pathlib
import re
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from ur_clients import Dashboard, RealTime, metrics, served  # noqa: E402

DELAY_S = 0.020
# both drives should have the computer to themselves, which tests that run beside others cannot be sure of
ATTEMPTS = 3


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


def hop_of(program, robot, packets=200):
    """What passing through a relay takes that is asked for no delay: the kernel's part, which a relay cannot see."""
    arrivals = {}, {}
    with relayed(program, robot.ports["realtime"]) as relay:
        listeners = [RealTime(robot), RealTime.at(relay.port)]
        while min(map(len, arrivals)) < packets:
            for link in select.select([each.link for each in listeners], [], [], 30)[0]:
                which = 0 if link is listeners[0].link else 1
                arrived_s = time.monotonic()
                arrivals[which][listeners[which].state()["time"]] = arrived_s
        for each in listeners:
            each.close()
        relay.end()
    both = arrivals[0].keys() & arrivals[1].keys()
    return statistics.median(arrivals[1][stamp] - arrivals[0][stamp] for stamp in both)


def measure(program, seconds):
    """What the client finds, what the relay says of itself, and its hop; all of one run of the robot."""
    with served(program) as robot:
        hop_s = hop_of(program, robot)
        drive(program, robot.ports["realtime"], "direct", seconds)
        with relayed(program, robot.ports["realtime"], "--link", f"delay {1000 * DELAY_S}ms") as relay:
            drive(program, relay.port, "relayed", seconds)
            told = relay.end()["tcp"]
        robot.end()
    return json.loads(client(program, "compare", "direct", "relayed", "--json")), told, hop_s


def what_is_off(found, relay, hop_s):
    """In words, or nothing: each way within the relay's own lateness, and above by its hop at most."""
    complaints = []
    for what, direction in (("commands", "up"), ("status", "down")):
        late_s = relay[direction]["lateness"]["p99_s"] + 3 * found[what]["standard_error_s"]
        off_s = found[what]["delay_s"] - DELAY_S
        if not -late_s <= off_s <= late_s + hop_s:
            complaints.append(f"{what} are {1e3 * off_s:.3f} ms off, the relay is late by {1e3 * late_s:.3f} ms and "
                              f"takes {1e3 * hop_s:.3f} ms in any case: {found[what]}")
        if found[what]["relayed"] < 0.7 * found[what]["direct"]:
            complaints.append(f"too few {what}: {found[what]}")
    return complaints


def case_speedj_through_a_relay_shows_its_delay(program):
    complaints = []
    for _ in range(ATTEMPTS):
        shutil.rmtree("run", ignore_errors=True)
        found, relay, hop_s = measure(program, 10.0)
        print(json.dumps({"found": found, "hop_s": hop_s, "up": relay["up"], "down": relay["down"],
                          "serving": metrics()["machine"]["serving"]}))
        program("replay", "run")
        complaints = what_is_off(found, relay, hop_s)
        if not complaints:
            return
    raise AssertionError("\n".join(complaints))


def case_a_relay_breaks_and_the_robot_stops_by_itself(program):
    with served(program) as robot:
        watch = RealTime(robot)
        with relayed(program, robot.ports["realtime"], "--link", "delay 5ms") as relay:
            far = RealTime.at(relay.port)
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


def case_the_speedj_client_says_what_is_wrong(program):
    pathlib.Path("broken").mkdir()
    for name in ["commands.csv", "status.csv"]:
        pathlib.Path("broken", name).write_text("a,b\n1,2\n")
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for words, text in [
        (["drive", "abc", "out"], "error: 'abc' is no HOST:PORT, e.g. 127.0.0.1:30003\n"),
        (["drive", f"127.0.0.1:{port}", "out"], f"error: 127.0.0.1:{port}: Connection refused\n"),
        (["compare", "nowhere", "nowhere"], "error: nowhere/commands.csv: No such file or directory\n"),
        (["compare", "broken", "broken"],
         "error: a file without the column 'number': not what `drive` writes\n"),
    ]:
        done = subprocess.run([sys.executable, str(program.source / "clients" / "ur_speedj.py"), *words],
                              capture_output=True, text=True, timeout=60)
        equal((done.returncode, done.stderr), (2, text), f"{words}")


if __name__ == "__main__":
    sys.exit(main(globals()))
