# SPDX-License-Identifier: Apache-2.0
"""Existing programs in simulated time: `longarm exec` and actors of kind program."""

import json
import pathlib
import re
import shutil
import subprocess
import sys

from program import equal, holds, main

NETWORK = """
network:
  hosts: [edge, robot]
  links:
    cable: {between: [edge, robot], rate: 1Gbit, propagation: 10ms}
"""


def write(name, text):
    pathlib.Path(name).write_text(text)


def output(name, stream="stdout", folder="out"):
    return pathlib.Path(folder, f"{name}.{stream}.txt").read_text()


def nothing_is_left(word):
    left = subprocess.run(["pgrep", "-f", word], capture_output=True, text=True).stdout.split()
    holds(not left, f"still there: {left}")


def case_exec_sleeps_for_an_hour_at_once(longarm):
    done = longarm("exec", "--times", "--", "sh", "-c", "date; sleep 3600; date; echo done | tr a-z A-Z")
    equal(done.stdout,
          "   0.000000000 Sat Jan  1 00:00:00 UTC 2000\n"
          "3600.000000000 Sat Jan  1 01:00:00 UTC 2000\n"
          "3600.000000000 DONE\n")


def case_exec_ends_as_the_program_does(longarm):
    equal(longarm("exec", "--", "sh", "-c", "echo words >&2; exit 3", expect=3).stderr, "words\n")
    longarm("exec", "--", "sh", "-c", "kill -9 $$", expect=128 + 9)
    done = longarm("exec", "--", "no-such-program", expect=2)
    holds("no-such-program" in done.stderr and "hint:" in done.stderr, done.stderr)
    done = longarm("exec", "--until", "2.5", "--", "sleep", "1000.25", expect=1)
    holds("still runs at 2.500000 s" in done.stderr, done.stderr)
    nothing_is_left("sleep 1000.25")


def case_exec_is_the_same_each_time(longarm):
    code = "import os,random,threading,time,uuid\n" \
           "t = [threading.Thread(target=lambda i=i: (time.sleep(0.01 * i), print(i, time.time()))) for i in range(5)]\n" \
           "[x.start() for x in t]; [x.join() for x in t]\n" \
           "print(os.getpid(), random.random(), uuid.uuid4(), hash('a'))\n"
    runs = [longarm("exec", "--summary", "--", sys.executable, "-c", code) for _ in range(3)]
    digests = [re.search(r"digest (\w+)", run.stderr).group(1) for run in runs]
    equal([run.stdout for run in runs], [runs[0].stdout] * 3)
    equal(digests, [digests[0]] * 3)
    other = longarm("exec", "--seed", "2", "--", sys.executable, "-c", code)
    holds(other.stdout != runs[0].stdout, "another seed draws the same")


def case_programs_talk_across_the_network(longarm):
    # A message of 100 bytes: 32 of TCP with timestamps, 20 of IP, 18 of Ethernet and 8 of preamble,
    # 178 in all, take 1424 ns at 1 Gbit/s; and 10 ms, each way. The first is behind an
    # acknowledgement each way: 52 + 18 + 8 bytes and a gap of 12, 720 ns.
    run = longarm("run", str(longarm.source / "examples/programs/echo.yaml"), "--out", "out")
    equal(output("client"), "999 round trips of 20002848 ns\n1 round trips of 20004288 ns\n", run.stdout)
    equal(output("server"), "from ('10.0.0.2', 32768)\n")
    equal(json.loads(pathlib.Path("out/metrics.json").read_text())["client"]["exit_code"], 0)
    longarm("run", str(longarm.source / "examples/programs/echo.yaml"), "--out", "again")
    hashes = [json.loads(pathlib.Path(folder, "metrics.json").read_text())["state_hash"] for folder in ("out", "again")]
    equal(hashes[0], hashes[1])


def case_a_transfer_of_programs_takes_the_packets_of_simulated_traffic(longarm):
    write("send.py", """
import socket
robot = socket.socket()
robot.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4 << 20)
robot.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
robot.connect(("robot", 7000))
while True:
    robot.sendall(bytes(65536))
""")
    write("sink.py", """
import socket
client, _ = socket.create_server(("", 7000)).accept()
while client.recv(1 << 20):
    pass
""")
    program = f"kind: program, command: [{sys.executable}"
    packets = {}
    for name, actors in (("actors", "load: {kind: traffic, host: edge, to: robot, pattern: bulk}"),
                         ("programs", f"sink: {{{program}, sink.py], host: robot}}\n  load: {{{program}, send.py], host: edge}}")):
        write(f"{name}.yaml", f"""
network:
  hosts: [edge, robot]
  links: {{cable: {{between: [edge, robot], rate: 20Mbit, netem: delay 5ms loss 1%}}}}
  capture: true
length: 3s
actors:
  {actors}
""")
        longarm("run", f"{name}.yaml", "--out", name)
        fields = ["frame.time_relative", "frame.len", "tcp.seq_raw", "tcp.ack_raw", "tcp.flags", "tcp.window_size_value",
                  "tcp.options.timestamp.tsval", "tcp.options.timestamp.tsecr", "tcp.options.sack_le"]
        packets[name] = subprocess.run(
            ["tshark", "-r", f"{name}/capture/edge-cable.pcap", "-T", "fields", *(word for field in fields for word in ("-e", field))],
            capture_output=True, text=True, check=True).stdout.splitlines()
    # 20 Mbit/s carry 4877 frames of 1538 bytes in 3 s; loss costs some, and acknowledgements are as many as half
    holds(len(packets["actors"]) > 4000, len(packets["actors"]))
    equal(packets["programs"], packets["actors"])


def case_a_program_drives_the_simulated_ur5(longarm):
    write("driver.py", """
import socket, struct, time
robot = socket.create_connection(("robot", 30003))
began = time.monotonic()
def state():
    head = robot.recv(4, socket.MSG_WAITALL)
    body = robot.recv(struct.unpack(">I", head)[0] - 4, socket.MSG_WAITALL)
    return struct.unpack(">6d", body[248:296])  # actual joint positions
first = state()
robot.sendall(b"movej([0.5, -1.2, 1.2, -1.5, -1.5, 0.1], a=1.2, v=1.0)\\n")
while True:
    q = state()
    if abs(q[0] - 0.5) < 1e-4 and abs(q[5] - 0.1) < 1e-4:
        break
print(f"{first[1]:.4f} {q[0]:.4f} {q[1]:.4f} after {time.monotonic() - began:.3f} s")
""")
    write("cell.yaml", f"""{NETWORK}
engine: kinematic
length: 10s
actors:
  ur5: {{kind: ur, host: robot, model: ur5, home_rad: [0, -1.5707963267948966, 1.5707963267948966, -1.5707963267948966, -1.5707963267948966, 0]}}
  driver: {{kind: program, host: edge, command: [{sys.executable}, driver.py], start: 100ms, expect_exit: 0}}
""")
    longarm("run", "cell.yaml", "--out", "out")
    text = output("driver")
    found = re.fullmatch(r"-1.5708 (\S+) (\S+) after (\d+\.\d+) s\n", text)
    holds(found, text)
    holds(abs(float(found.group(1)) - 0.5) < 2e-4 and abs(float(found.group(2)) + 1.2) < 2e-4, text)
    # 0.5 rad at 1 rad/s with 1.2 rad/s^2: 2 sqrt(0.5 / 1.2) = 1.29 s, three trips of 10 ms, and a
    # few cycles of 8 ms
    holds(1.29 + 0.02 < float(found.group(3)) < 1.29 + 0.12, text)


def case_packets_of_the_robot_do_not_wait_for_acknowledgements(longarm):
    # A real-time packet of 1116 bytes is shorter than a segment and leaves with its cycle, although the client says
    # nothing of TCP_NODELAY: each takes 10 ms, and 1116 + 78 bytes (see above) at 1 Gbit/s.
    write("listen.py", """
import collections, socket, time
robot = socket.create_connection(("robot", 30003))
after = collections.Counter()
for _ in range(100):
    robot.recv(1116, socket.MSG_WAITALL)
    after[time.time_ns() % 8_000_000] += 1
print(dict(after))
""")
    write("stream.yaml", f"""{NETWORK}
engine: kinematic
length: 5s
actors:
  ur5: {{kind: ur, host: robot, model: ur5}}
  client: {{kind: program, host: edge, command: [{sys.executable}, listen.py], expect_exit: 0}}
""")
    longarm("run", "stream.yaml", "--out", "out")
    equal(output("client"), f"{{{2_000_000 + 1194 * 8}: 100}}\n")


def case_a_program_drives_the_joints_of_armars_arm(longarm):
    """Drives hold the arm against gravity in position and velocity mode, and leave it to gravity in torque mode."""
    write("drives.py", """
import socket
drives = socket.create_connection(("localhost", 7100)).makefile("rw")
def tell(line):
    drives.write(line + "\\n")
    drives.flush()
joints = drives.readline().split()[1:]
def positions_at(second):
    while True:
        state = [float(word) for word in drives.readline().split()[1:]]
        if state[0] >= second:
            return state[1:1 + len(joints)]
first = positions_at(0.1)
def moved(second):
    return max(abs(a - b) for a, b in zip(positions_at(second), first))
[tell(f"mode {joint} position") for joint in joints]
tell("velocity elbow_l_joint -1")  # not in this mode
print(f"held {moved(0.6) < 1e-3}")
tell("mode elbow_l_joint velocity")
print(f"held {moved(0.7) < 1e-3}")  # until it is told a velocity in this mode
tell("velocity elbow_l_joint -0.5")
print(f"turned {positions_at(1.7)[joints.index('elbow_l_joint')] - first[joints.index('elbow_l_joint')]:.2f}")
[tell(f"mode {joint} torque") for joint in joints]
print(f"fell {moved(2.2) > 0.6}")
tell("mode elbow_l_joint backwards")
tell("velocity nose 1")
positions_at(2.3)
""")
    write("arm.yaml", f"""
length: 5s
network: {{hosts: [robot]}}
actors:
  arm: {{kind: armar-arm, host: robot, model: armar3, hand: tcp_l, positions_deg: [0, -20, 0, 0, 0, 0, 0],
        path_m: [[-0.36, 0.5, 1.06], [-0.52, 0.5, 1.06]], drives_port: 7100}}
  unit: {{kind: program, host: robot, command: [{sys.executable}, drives.py], expect_exit: 0}}
""")
    metrics = longarm.metrics("arm.yaml", "--out", "out")
    equal(output("unit"), "held True\nheld True\nturned -0.50\nfell True\n")
    equal(metrics["arm"]["drive_commands_refused"], 2, "refused")


def case_what_goes_wrong_with_programs_is_told(longarm):
    write("fails.yaml", f"""{NETWORK}
length: 5s
actors:
  bad: {{kind: program, host: edge, command: [sh, -c, "echo lost >&2; exit 4"], start: 1s, expect_exit: 0}}
""")
    done = longarm("run", "fails.yaml", "--out", "out", expect=1)
    holds("actors.bad: exit code 4 at 1.000" in done.stderr and "it wrote last: lost" in done.stderr, done.stderr)
    write("ideal.yaml", """
network: {backend: ideal, hosts: [edge]}
actors: {it: {kind: program, host: edge, command: ["true"]}}
""")
    done = longarm("run", "ideal.yaml", expect=2)
    holds("programs need the built-in network, not 'ideal'" in done.stderr, done.stderr)
    write("empty.yaml", "actors: {it: {kind: program, host: edge}}\n")
    holds("a program needs a command" in longarm("run", "empty.yaml", expect=2).stderr, "no word of the command")


def case_programs_see_what_they_see_on_linux(longarm):
    """Descriptors that are handed on, both families of addresses on the loopback, signals and counters that are read."""
    write("same.py", r"""
import ctypes, os, select, signal, socket, struct, threading, time

# a descriptor crosses a Unix socket, to a child
ours, theirs = socket.socketpair()
if os.fork() == 0:
    ours.close()
    _, (pipe,), _, _ = socket.recv_fds(theirs, 10, 1)
    os.write(pipe, b"through a pipe that came by mail")
    os._exit(3)
theirs.close()
from_child, to_us = os.pipe()
print(socket.send_fds(ours, [b"take it"], [to_us]))
os.close(to_us)
print(os.read(from_child, 100), os.waitstatus_to_exitcode(os.wait()[1]), os.read(from_child, 100))

# an address without a name in the file system, and credentials
listener = socket.socket(socket.AF_UNIX)
listener.bind("\0longarm-test")
listener.listen()
caller = socket.socket(socket.AF_UNIX)
caller.connect("\0longarm-test")
called, _ = listener.accept()
pid, uid, gid = struct.unpack("3i", called.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
print(pid == os.getpid(), uid == os.getuid(), caller.getpeername())

# IPv6 on the loopback: streams, datagrams, and IPv4 at a socket for both
def echo(listener):
    client, peer = listener.accept()
    client.sendall(peer[0].encode() + b" " + client.recv(100))
    client.close()
for family, where, both in ((socket.AF_INET6, "::1", False), (socket.AF_INET6, "127.0.0.1", True), (socket.AF_INET, "127.0.0.1", False)):
    listener = socket.create_server(("" if both else where, 0), family=family, dualstack_ipv6=both)
    threading.Thread(target=echo, args=(listener,)).start()
    with socket.create_connection((where, listener.getsockname()[1])) as client:
        client.sendall(b"hello")
        print(client.getpeername()[0], client.recv(100), client.recv(100))
one, other = (socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) for _ in range(2))
one.bind(("::1", 0))
other.connect(one.getsockname())
other.send(b"datagram")
data, peer = one.recvfrom(100)
print(data, peer[0], peer[1] == other.getsockname()[1])
try:
    gone = one.getsockname()
    one.close()
    other.send(b"to nobody")
    time.sleep(0.1)
    other.send(b"to nobody")
except OSError as error:
    print(error)

# signals that are read
libc = ctypes.CDLL(None, use_errno=True)
signals = (ctypes.c_ulong * 16)(1 << (signal.SIGUSR1 - 1))
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])
descriptor = libc.signalfd(-1, ctypes.byref(signals), 0)
print(select.select([descriptor], [], [], 0)[0])
os.kill(os.getpid(), signal.SIGUSR1)
print(select.select([descriptor], [], [], 10)[0] == [descriptor])
number, _, code, sender = struct.unpack("IiiI", os.read(descriptor, 128)[:16])
print(signal.Signals(number).name, code, sender == os.getpid())

# what nobody reads is counted
counter = libc.eventfd(0, 0o2000000)
for number in (3, 4):
    os.write(counter, struct.pack("Q", number))
print(struct.unpack("Q", os.read(counter, 8)))

# names
print(socket.gethostbyname("localhost"), socket.getservbyname("http"), socket.gethostbyaddr("127.0.0.1")[0])
for index, name in socket.if_nameindex()[:1]:
    print(index, name)
""")
    natively = subprocess.run([sys.executable, "-I", "same.py"], capture_output=True, text=True, check=True).stdout
    equal(natively.count("\n"), 14)
    equal(longarm("exec", "--", sys.executable, "-I", "same.py").stdout, natively)


def case_datagrams_for_many_reach_those_that_they_are_for(longarm):
    write("hear.py", """
import socket, sys, time
it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
it.bind(("", 5000))
if sys.argv[1] == "member":
    it.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton("239.1.2.3") + socket.inet_aton("0.0.0.0"))
it.settimeout(5)
try:
    while True:
        words, (who, _) = it.recvfrom(100)
        print(words.decode(), who, time.time_ns() - 946684800 * 10**9)
except socket.timeout:
    pass
""")
    write("say.py", """
import socket, time
it = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
it.sendto(b"to members", ("239.1.2.3", 5000))
time.sleep(1)
try:
    it.sendto(b"to all", ("255.255.255.255", 5000))
except OSError as error:
    print(error)
it.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
it.sendto(b"to all", ("255.255.255.255", 5000))
""")
    program = f"kind: program, command: [{sys.executable}"
    write("scene.yaml", f"""
network:
  hosts: [edge, robot, camera]
  links:
    cable_robot: {{between: [edge, robot], rate: 1Gbit, propagation: 10ms}}
    cable_camera: {{between: [edge, camera], rate: 1Gbit, propagation: 10ms}}
length: 10s
actors:
  member: {{{program}, hear.py, member], host: edge, expect_exit: 0}}
  other: {{{program}, hear.py, other], host: robot, expect_exit: 0}}
  says: {{{program}, say.py], host: camera, start: 1s, expect_exit: 0}}
""")
    longarm("run", "scene.yaml", "--out", "out")
    # The smallest frame has 64 bytes, and 8 of preamble: 576 ns on each cable. One goes to each host that listens, in
    # their order: that to the robot is behind that to the edge, and a gap of 12 bytes.
    equal(output("member"), "to members 10.0.0.3 1010000576\nto all 10.0.0.3 2010000576\n")
    equal(output("other"), "to all 10.0.0.3 2020001824\n")
    equal(output("says"), "[Errno 13] Permission denied\n")


def case_computing_takes_the_time_that_is_charged(longarm):
    shutil.copytree(longarm.source / "examples/programs", "programs")
    scenario = pathlib.Path("programs/echo.yaml")
    scenario.write_text(scenario.read_text().replace("command: [python3, server.py]}", """command: [python3, server.py],
           charges: {wake: {on: wake, time: 20us}, message: {contains: [x, xx], time: 40us}, other: {contains: y, time: 1s},
                     sending: {on: sendto, time: 5us}}}"""))
    run = longarm("run", str(scenario), "--out", "out")
    # 65 us more than without. Before the first, the server wakes when the connection is there, and the
    # request that comes right behind that acknowledgement (720 ns) takes 1520 ns: it waits that much less.
    equal(output("client"), "1 round trips of 20067048 ns\n999 round trips of 20067848 ns\n")
    charges = json.loads(pathlib.Path("out/metrics.json").read_text())["server"]["charges"]
    equal(charges["message"], {"count": 1000, "total_s": 0.04})
    equal((charges["sending"]["count"], charges["other"]["count"]), (1000, 0))
    holds("server: the charge 'other' never applied" in run.stderr, run.stderr)


def case_signals_interrupt_computing(longarm):
    write("rings.py", """
import signal, time
begin = time.time()
signal.signal(signal.SIGALRM, lambda *_: print(f"rang {time.time() - begin:.3f}"))
signal.setitimer(signal.ITIMER_REAL, 0.25)
time.sleep(1)
print(f"slept {time.time() - begin:.3f}")
time.sleep(0.1)
print(f"slept {time.time() - begin:.3f}")
""")
    write("rings.yaml", f"""
length: 10s
actors:
  it: {{kind: program, host: edge, command: [{sys.executable}, rings.py], expect_exit: 0,
       charges: {{sleeping: {{on: clock_nanosleep, time: 500ms}}}}}}
""")
    longarm("run", "rings.yaml", "--out", "out")
    # Python sleeps until a time, again after a signal; half a second of computing comes before each call
    equal(output("it"), "rang 0.250\nslept 1.000\nslept 1.500\n")


def case_computing_shares_the_cores_of_the_host(longarm):
    code = "import time; time.sleep(1); print(time.time_ns())"
    sleeper = f'command: [{sys.executable}, -c, "{code}"], charges: {{wake: {{on: wake, time: 10ms}}}}'
    for cores, times in ((0, [10, 10]), (1, [10, 20])):
        write("cores.yaml", f"""
network: {{hosts: {{edge: {{cores: {cores}, scheduling: fifo}}}}}}
length: 5s
actors:
  one: {{kind: program, host: edge, {sleeper}}}
  two: {{kind: program, host: edge, {sleeper}}}
""")
        longarm("run", "cores.yaml", "--out", f"out{cores}")
        equal([output(name, folder=f"out{cores}") for name in ("one", "two")], [f"946684801{time:03}000000\n" for time in times])


def case_clocks_of_hosts_are_off_and_drift(longarm):
    write("clocks.yaml", """
network: {hosts: {edge: {clock_offset: 3ms, clock_drift_ppm: 20}, robot: {}}, links: {cable: {between: [edge, robot]}}}
length: 200s
actors:
  fast: {kind: program, host: edge, command: [sh, -c, "date +%s.%N; sleep 100; date +%s.%N"], expect_exit: 0}
  right: {kind: program, host: robot, command: [sh, -c, "date +%s.%N; sleep 100; date +%s.%N"], expect_exit: 0}
""")
    longarm("run", "clocks.yaml", "--out", "out")
    equal(output("fast"), "946684800.003000000\n946684900.003000000\n")
    equal(output("right"), "946684800.000000000\n946684900.000000000\n")
    metrics = json.loads(pathlib.Path("out/metrics.json").read_text())
    equal(metrics["right"]["ended_s"], 100.0)
    holds(abs(metrics["fast"]["ended_s"] - 100 / 1.00002) < 2e-9, metrics["fast"])


def case_measured_computing_is_marked_as_unrepeatable(longarm):
    code = "for i in range(10 ** 6): pass"
    write("measured.yaml", f"""
actors: {{it: {{kind: program, host: edge, command: [{sys.executable}, -c, "{code}"], cpu_factor: 10, expect_exit: 0}}}}
""")
    run = longarm("run", "measured.yaml", "--out", "out")
    holds("cpu_factor counts real processor time, so runs differ" in run.stderr, run.stderr)
    metrics = json.loads(pathlib.Path("out/metrics.json").read_text())
    holds(metrics["it"]["ended_s"] > 0.05 and any("cpu_factor" in text for text in metrics["warnings"]), metrics)
    equal(metrics["it"]["measured_computing"]["total_s"], metrics["it"]["ended_s"])
    refused = longarm("replay", "out", expect=2)
    holds("cpu_factor counts real processor time, so no run can be repeated" in refused.stderr, refused.stderr)


def case_wrong_charges_are_refused(longarm):
    write("wrong.yaml", """
actors:
  it:
    kind: program
    host: edge
    command: ["true"]
    cpu_factor: -1
    charges: {a: {on: sendtwo, time: 1us}, b: {on: getpid, time: 1us}, c: {on: wake, contains: [x], time: 1us}}
""")
    errors = longarm("run", "wrong.yaml", expect=2).stderr
    for words in ("unknown system call 'sendtwo'", "Longarm does not intercept the system call 'getpid'",
                  "only received bytes are searched", "a factor must be between 0 and 1e6"):
        holds(words in errors, errors)


def case_failures_kill_programs_and_restart_starts_them(longarm):
    write("restarts.yaml", f"""{NETWORK}
length: 5s
failures: ["2s it crashes"]
actors:
  it: {{kind: program, host: edge, command: [sh, -c, "date +%s.%N; sleep 123.5"], restart: on-failure}}
""")
    longarm("run", "restarts.yaml", "--out", "out")
    equal(output("it"), "946684800.000000000\n946684803.000000000\n")
    nothing_is_left("sleep 123.5")


if __name__ == "__main__":
    sys.exit(main(globals()))
