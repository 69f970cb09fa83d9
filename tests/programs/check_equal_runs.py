# SPDX-License-Identifier: Apache-2.0
"""Equal runs of a scene with many programs have equal digests: beside others that compute, on either core, and with a debugger attached."""

import contextlib
import functools
import os
import pathlib
import re
import signal
import subprocess
import sys

from scenes import PYTHON, equal, holds, in_a_place_of_its_own, inherit_orphans, main, network, nothing_is_left, run, write


def write_scene():
    write("broker.conf", "listener 1883\nallow_anonymous true\n")
    write("publish.sh", "for i in 1 2 3 4 5; do sleep 0.7; date +%s.%N; done | mosquitto_pub -h edge -t cell -q 2 -l\n")
    write("server.py", """
import asyncio, websockets

async def echo(connection):
    async for message in connection:
        await connection.send(message)

async def main():
    async with websockets.serve(echo, "", 8765):
        await asyncio.Future()

asyncio.run(main())
""")
    # threads that share a lock and a connection, random numbers, sleeps
    write("client.py", """
import asyncio, random, threading, time, websockets

lock = threading.Lock()
total = 0

def work(i):
    global total
    for _ in range(200):
        time.sleep(random.random() / 50)
        with lock:
            total += i

async def main():
    async with websockets.connect("ws://edge:8765") as connection:
        for i in range(300):
            await connection.send(str(random.random()) * random.randrange(1, 200))
            await connection.recv()

threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
for thread in threads:
    thread.start()
asyncio.run(main())
for thread in threads:
    thread.join()
print(total, time.time_ns())
""")
    write("send.sh", "for i in 1 2 3; do seq $i 5000 | sort -rn | gzip -n | nc -N edge 5000; sleep 1; done\n")
    write("take.sh", "for i in 1 2 3; do nc -l 5000 | gunzip | sha256sum; done\n")
    return write("scene.yaml", f"""{network(hosts=("edge", "robot", "camera"))}
length: 60s
actors:
  broker: {{kind: program, host: edge, command: [/usr/sbin/mosquitto, -c, broker.conf]}}
  hears: {{kind: program, host: robot, command: [mosquitto_sub, -h, edge, -t, cell, -q, "2", -C, "5", -F, "%q %p %U"], start: 1s, expect_exit: 0}}
  says: {{kind: program, host: camera, command: [sh, publish.sh], start: 2s, expect_exit: 0}}
  server: {{kind: program, host: edge, command: [{PYTHON}, server.py]}}
  client: {{kind: program, host: robot, command: [{PYTHON}, client.py], start: 1s, expect_exit: 0}}
  takes: {{kind: program, host: edge, command: [bash, take.sh], expect_exit: 0}}
  sends: {{kind: program, host: robot, command: [bash, send.sh], start: 1s, expect_exit: 0}}
""")


@contextlib.contextmanager
def on_core(core):
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


@contextlib.contextmanager
def busy_machine():
    """As many processes that compute as there are cores, and one more."""
    hogs = [subprocess.Popen(["sh", "-c", "while :; do :; done"]) for _ in range(len(os.sched_getaffinity(0)) + 1)]
    try:
        yield [hog.pid for hog in hogs]
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()


def descendants(process):
    for task in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in task.read_text().split():
                yield int(child)
                yield from descendants(int(child))


def command_of(process):
    try:
        return pathlib.Path(f"/proc/{process}/cmdline").read_bytes().decode().split("\0")
    except OSError:
        return []


def run_with_debugger(longarm, folder, results):
    """A debugger attaches to the client when it has begun, lets it go on to its next sleep, and leaves."""
    it = subprocess.Popen([longarm.binary, "run", "scene.yaml", "--out", results], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, cwd=folder)
    target = None
    while target is None and it.poll() is None:
        target = next((each for each in descendants(it.pid) if "client.py" in command_of(each)), None)
    holds(target, "it ended before its client had begun")
    # it would be over before the debugger is there
    it.send_signal(signal.SIGSTOP)
    gdb = subprocess.Popen(["gdb", "-batch", "-nx", "-iex", "set debuginfod enabled off", "-p", str(target),
                            "-ex", "tbreak clock_nanosleep", "-ex", "continue", "-ex", "backtrace 1", "-ex", "detach"],
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    while gdb.poll() is None and "TracerPid:\t0\n" in pathlib.Path(f"/proc/{target}/status").read_text():
        os.sched_yield()
    it.send_signal(signal.SIGCONT)
    words, _ = gdb.communicate(timeout=120)
    output, _ = it.communicate(timeout=120)
    equal(it.returncode, 0, f"{output}\n{words}")
    holds(re.search(r"#0 .*clock_nanosleep", words) and "detached" in words, words)
    nothing_is_left()


def digest_of(longarm, out, but=()):
    outcome = run(longarm, "scene.yaml", out=out, but=but)
    return outcome.metrics["state_hash"], outcome.output_files()


def check_many(longarm, count):
    """The same digest in so many runs, every other one beside a busy machine, on each core in turn."""
    write_scene()
    cores = sorted(os.sched_getaffinity(0))
    first = digest_of(longarm, "first")
    for i in range(1, count):
        with on_core(cores[i // 2 % len(cores)]):
            with busy_machine() if i % 2 == 1 else contextlib.nullcontext([]) as hogs:
                equal(digest_of(longarm, f"run{i}", hogs), first, f"run {i}")
    return first[0]


def case_equal_runs_beside_a_busy_machine_and_on_either_core(longarm):
    check_many(longarm, 4)


def case_a_debugger_changes_nothing(longarm):
    inherit_orphans()
    write_scene()
    state_hash, files = digest_of(longarm, "first")
    in_a_place_of_its_own("debugged", functools.partial(run_with_debugger, longarm))
    outcome = pathlib.Path("runs/debugged")
    equal({path.name: path.read_bytes() for path in sorted(outcome.glob("*.std*.txt"))}, files)
    holds(state_hash in (outcome / "metrics.json").read_text(), "another state_hash")


if __name__ == "__main__":
    sys.exit(main(globals()))
