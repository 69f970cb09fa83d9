# SPDX-License-Identifier: Apache-2.0
"""What goes wrong with programs, their network and their disk; and that nothing is left of them, even of a longarm that was killed."""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys

from scenes import (PYTHON, SYN, equal, everything_ends, holds, inherit_orphans, main, network, nothing_is_left, run_twice, write)

# ns from the call for a connection to accept(2): a SYN each way, and an acknowledgement of 52 + 18 + 8 bytes
ACCEPTED = 30_000_000 + (2 * SYN + 78) * 8

SERVER = """
import socket, struct, sys, time
listener = socket.create_server(("", 7000))
client, _ = listener.accept()
"""
CLIENT = """
import socket, sys, time
robot = socket.create_connection(("edge", 7000))
robot.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
def at():
    return f"{(time.time_ns() - 946684800 * 10**9) / 1e9:.9f}"
"""


def pair(server, client, more="", server_keys=""):
    """A server and a client that begins at 1 s."""
    write("server.py", SERVER + server)
    write("client.py", CLIENT + client)
    return f"""{network()}
length: 20s
{more}
actors:
  server: {{kind: program, host: edge, command: [{PYTHON}, server.py]{server_keys}}}
  client: {{kind: program, host: robot, command: [{PYTHON}, client.py], start: 1s, expect_exit: 0}}
"""


def case_peers_of_a_killed_program_hear_of_it(longarm):
    out = run_twice(longarm, pair("time.sleep(100)", """
print(len(robot.recv(10)), "bytes at", at())
robot.sendall(b"x")
time.sleep(1)
try:
    robot.sendall(b"x")
except OSError as error:
    print(error)
""", 'failures: ["2s server crashes"]'))
    # the end of the connection is a segment without content: 52 bytes of TCP and IP, 18 and 8
    equal(out.text("client"), "0 bytes at 2.010000624\n[Errno 32] Broken pipe\n")
    equal(out.metrics["server"]["signal"], signal.SIGKILL)


def case_peers_of_a_crashed_program_hear_of_it(longarm):
    out = run_twice(longarm, pair("import ctypes; time.sleep(0.5); ctypes.string_at(0)",
                                  'print(len(robot.recv(10)), "bytes at", at())'))
    equal(out.text("client"), f"0 bytes at {1 + (ACCEPTED + 500_000_000 + 10_000_000 + 78 * 8) / 1e9:.9f}\n")
    equal(out.metrics["server"]["signal"], signal.SIGSEGV)
    holds("server (pid 2) was killed by signal 11 (Segmentation fault)" in (out.folder / "log.txt").read_text(),
          "no word of the crash")


def case_nobody_listens(longarm):
    write("client.py", """
import socket, time
began = time.monotonic_ns()
try:
    socket.create_connection(("edge", 7001))
except OSError as error:
    print(error, time.monotonic_ns() - began)
""")
    out = run_twice(longarm, f"""{network()}
length: 5s
actors:
  client: {{kind: program, host: robot, command: [{PYTHON}, client.py], start: 1s, expect_exit: 0}}
""")
    # a SYN, and a reset of 20 + 20 + 18 bytes, which are padded to 64
    equal(out.text("client"), f"[Errno 111] Connection refused {20_000_000 + (SYN + 64 + 8) * 8}\n")


def case_a_reset_is_heard(longarm):
    out = run_twice(longarm, pair("""
time.sleep(0.5)
client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
client.close()
time.sleep(1)
""", """
try:
    robot.recv(10)
except OSError as error:
    print(error, at())
"""))
    equal(out.text("client"), f"[Errno 104] Connection reset by peer {1 + (ACCEPTED + 500_000_000 + 10_000_000 + (64 + 8) * 8) / 1e9:.9f}\n")


def case_a_link_that_is_down_for_3_s_delays_and_loses_nothing(longarm):
    # every 100 ms a number; the cable is down from 2 s to 5 s
    out = run_twice(longarm, pair("""
last = 0.0
got = []
while data := client.recv(4096):
    now = time.time() - 946684800
    got += data.split()
    if now - last > 0.2 and last > 0:
        print(f"{last:.6f} nothing {now:.6f}")
    last = now
print([int(number) for number in got] == list(range(100)))
""", """
for i in range(100):
    robot.sendall(b"%d " % i)
    time.sleep(0.1)
""", 'failures: ["2s link cable_robot down for 3s"]', ", expect_exit: 0"))
    first, second = out.text("server").splitlines()
    before, after = (float(word) for word in first.split(" nothing "))
    equal(second, "True")
    # What left at 1.9 s arrived; TCP tries again in spans that double, so the first after the end of the gap comes before
    # the gap has lasted twice as long.
    holds(1.9 < before < 2.01 and 5.01 < after < 8.01, first)


def case_500_connections_at_once(longarm):
    write("server.py", """
import asyncio
async def echo(reader, writer):
    writer.write(await reader.readexactly(8))
    await writer.drain()
    await reader.read()
    writer.close()
async def main():
    server = await asyncio.start_server(echo, "", 7000, backlog=500)
    async with server:
        await server.serve_forever()
asyncio.run(main())
""")
    write("client.py", """
import asyncio
async def one(i, everybody):
    reader, writer = await asyncio.open_connection("edge", 7000)
    writer.write(b"%08d" % i)
    answer = await reader.readexactly(8)
    await everybody.wait()
    writer.close()
    return int(answer)
async def main():
    everybody = asyncio.Barrier(500)
    print(sum(await asyncio.gather(*(one(i, everybody) for i in range(500)))))
asyncio.run(main())
""")
    out = run_twice(longarm, f"""{network()}
length: 20s
actors:
  server: {{kind: program, host: edge, command: [{PYTHON}, server.py]}}
  client: {{kind: program, host: robot, command: [{PYTHON}, client.py], start: 1s, expect_exit: 0}}
""")
    equal(out.text("client"), "124750\n", out.text("client", "stderr"))


def case_a_fork_bomb_is_stopped_with_words(longarm):
    write("bomb.yaml", f"""{network()}
length: 20s
actors:
  bomb: {{kind: program, host: edge, command: [bash, -c, "bomb() {{ bomb | bomb & }}; bomb; sleep 10"], start: 1s}}
""")
    inherit_orphans()
    done = longarm("run", "bomb.yaml", "--out", "out", expect=1)
    nothing_is_left()
    holds(re.search(r"bomb \(pid \d+\) on edge made more than 1000 processes at 1\.\d+ s", done.stderr), done.stderr)


def case_a_full_disk_is_the_programs_affair(longarm):
    # a file system of its own, as large as two files, that goes with the program
    write("fill.sh", """
echo one >/dev/full
mkdir -p disk
mount -t tmpfs -o size=64k tmpfs disk || exit 9
dd if=/dev/zero of=disk/a bs=1k count=60 status=none && echo first
dd if=/dev/zero of=disk/b bs=1k count=60 status=none || stat -c %s disk/b
(ulimit -f 8; dd if=/dev/zero of=c bs=1k count=60 status=none); echo $?; stat -c %s c
""")
    out = run_twice(longarm, f"""{network()}
length: 5s
actors:
  it: {{kind: program, host: edge, command: [bash, fill.sh], start: 1s, expect_exit: 0}}
""")
    # 128 + SIGXFSZ
    equal(out.text("it"), "first\n4096\n153\n8192\n")
    errors = out.text("it", "stderr")
    equal(errors.count("No space left on device"), 2, errors)
    holds(not (out.folder / "place/disk/a").exists(), "the mount is seen outside")


def wait_until_asked(process):
    """Until a first Ctrl-C has arrived: the second is not caught any more."""
    while int(re.search(r"SigCgt:\t(\w+)", pathlib.Path(f"/proc/{process}/status").read_text()).group(1), 16) & 2:
        os.sched_yield()


def case_nothing_outlives_a_longarm_that_is_killed(longarm):
    inherit_orphans()
    # one that waits, one that ignores what it can, one that computes, one in a session of its own
    write("family.sh", """
sleep 1000 &
(trap '' TERM INT HUP; while :; do sleep 1; done) &
setsid sleep 2000 &
echo ready
while :; do :; done
""")
    for how in (signal.SIGKILL, signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen([longarm.binary, "exec", "--", "bash", "family.sh"], stdout=subprocess.PIPE, text=True) as it:
            equal(it.stdout.readline(), "ready\n")
            it.send_signal(how)
            if how == signal.SIGINT:
                # it would wait for the program to make a call
                wait_until_asked(it.pid)
                it.send_signal(how)
            equal(it.wait(60), -how)
        everything_ends()


def case_programs_that_outlive_the_run_are_reported_and_ended(longarm):
    write("late.yaml", f"""{network()}
length: 2s
actors:
  late: {{kind: program, host: edge, command: [sh, -c, "echo begun; sleep 1000"], start: 1s, expect_exit: 0}}
  server: {{kind: program, host: edge, command: [sh, -c, "sleep 1000 & sleep 1000"]}}
""")
    inherit_orphans()
    done = longarm("run", "late.yaml", "--out", "out")
    nothing_is_left()
    holds("late still ran at the end, 2.000000 s, but expect_exit is 0" in done.stderr, done.stderr)
    holds("server" not in done.stderr, done.stderr)
    metrics = json.loads(pathlib.Path("out/metrics.json").read_text())
    equal([metrics[name]["is_running"] for name in ("late", "server")], [True, True])


def case_missing_privileges_are_explained(longarm):
    inherit_orphans()
    # root of a namespace that may make no others
    for limit in ("max_pid_namespaces", "max_user_namespaces"):
        drop = "setpriv --bounding-set=-all --inh-caps=-all" if limit == "max_user_namespaces" else ""
        done = subprocess.run(["unshare", "--user", "--map-root-user", "sh", "-c",
                               f"echo 0 >/proc/sys/user/{limit}; exec {drop} {longarm.binary} exec -- true"],
                              capture_output=True, text=True)
        equal(done.returncode, 2, done.stderr)
        holds(done.stderr.startswith("error: cannot make a PID namespace for programs: No space left on device\n"
                                     "  hint: run as root, or permit user namespaces"), done.stderr)
        holds("longarm proxy --tun" in done.stderr, done.stderr)
    nothing_is_left()


if __name__ == "__main__":
    sys.exit(main(globals()))
