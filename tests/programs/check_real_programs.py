# SPDX-License-Identifier: Apache-2.0
"""Programs of Debian as they are, across the simulated network: what they measure is what follows from the cables."""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

from scenes import PYTHON, SYN, equal, holds, main, network, run_twice, wire_ns, write

NODE = os.environ.get("LONGARM_ROS_NODE", "")


def counts(out, name, words):
    """Of lines "COUNT words NANOSECONDS"."""
    return [tuple(map(int, line.split(f" {words} "))) for line in out.text(name).splitlines()]


def ros(host):
    """What a ROS node needs to know."""
    return f"[ROS_MASTER_URI=http://edge:11311, ROS_HOSTNAME={host}, ROS_LOG_DIR=log]"


def case_icestorm_hands_on_what_a_publisher_says(longarm):
    write("ticks.ice", "module Demo { interface Ticks { void tick(long sent); } }\n")
    write("storm.cfg", """
IceBox.Service.IceStorm=IceStormService,37:createIceStorm --Ice.Config=service.cfg
Ice.Default.Host=edge
""")
    write("service.cfg", """
Ice.Default.Host=edge
IceStorm.TopicManager.Endpoints=tcp -h edge -p 10000
IceStorm.Publish.Endpoints=tcp -h edge -p 10001
IceStorm.LMDB.Path=db
IceStorm.LMDB.MapSize=1
""")
    begin = """
import sys, time
import Ice, IceStorm
Ice.loadSlice("ticks.ice")
import Demo
communicator = Ice.initialize(["--Ice.Default.Host=" + sys.argv[1]])
manager = IceStorm.TopicManagerPrx.checkedCast(communicator.stringToProxy("IceStorm/TopicManager:tcp -h edge -p 10000"))
"""
    write("subscriber.py", begin + """
import collections
class Listener(Demo.Ticks):
    def __init__(self):
        self.seen = collections.Counter()
    def tick(self, sent, current):
        if sent == 0:
            communicator.shutdown()
        else:
            self.seen[time.time_ns() - sent] += 1
listener = Listener()
adapter = communicator.createObjectAdapterWithEndpoints("listener", "tcp -p 11000")
proxy = adapter.add(listener, Ice.stringToIdentity("listener"))
adapter.activate()
manager.create("ticks").subscribeAndGetPublisher({}, proxy)
communicator.waitForShutdown()
for delay, count in sorted(listener.seen.items()):
    print(count, "after", delay)
communicator.destroy()
""")
    write("publisher.py", begin + """
ticks = Demo.TicksPrx.uncheckedCast(manager.retrieve("ticks").getPublisher().ice_oneway())
for _ in range(500):
    time.sleep(0.01)
    ticks.tick(time.time_ns())
time.sleep(0.01)
ticks.tick(0)
communicator.destroy()
""")
    pathlib.Path("db").mkdir()

    out = run_twice(longarm, f"""{network(hosts=("edge", "robot", "camera"))}
length: 10s
actors:
  storm: {{kind: program, host: edge, command: [icebox, --Ice.Config=storm.cfg]}}
  subscriber: {{kind: program, host: robot, command: [{PYTHON}, subscriber.py, robot], start: 1s, expect_exit: 0}}
  publisher: {{kind: program, host: camera, command: [{PYTHON}, publisher.py, camera], start: 2s, expect_exit: 0}}
""")
    # A request: 14 of header, 4 of number, identity, 1 of facet, 1 + 4 of operation, 1 of mode, 1 of context, and 6 + 8
    # of what it carries; the identities are IceStorm/ticks.publish and listener.
    derived = round(20e6 + wire_ns(42 + len("IceStorm" "ticks.publish")) + wire_ns(42 + len("listener")))
    # the first few wait while connections are made
    seen = dict((delay, count) for count, delay in counts(out, "subscriber", "after"))
    equal(sum(seen.values()), 500)
    equal(min(seen), derived)
    holds(seen[derived] >= 490, seen)

def case_ros_nodes_talk_and_are_recorded(longarm):
    out = run_twice(longarm, f"""{network()}
length: 20s
actors:
  master: {{kind: program, host: edge, command: [rosmaster, --core, -p, "11311"], environment: {ros("edge")}}}
  recorder: {{kind: program, host: edge, command: [/usr/lib/rosbag/record, --output-name, ticks.bag, --split, --duration, "8", /clock_of_robot], start: 2s, environment: {ros("edge")}}}
  listener: {{kind: program, host: edge, command: [{NODE}, listen], start: 2s, environment: {ros("edge")}, expect_exit: 0}}
  talker: {{kind: program, host: robot, command: [{NODE}, talk], start: 3s, environment: {ros("robot")}, expect_exit: 0}}
  the_bag_is_closed: {{kind: program, host: edge, command: [sleep, "12"], expect_exit: 0}}
""")
    # 4 bytes that say how long the message is, and 8 of its own; the listener misses what is said before it is known, and
    # what was said meanwhile comes at once
    derived = round(10e6 + wire_ns(12))
    seen = {delay: count for count, delay in counts(out, "listener", "after")}
    equal(min(seen), derived)
    holds(seen[derived] >= 1950 and max(seen) < 40e6 and sum(seen.values()) <= 2000, seen)
    # Read by ROS's own tools, outside. The recorder does not ask for TCP_NODELAY, so messages come in bunches.
    bags = [pathlib.Path(f"runs/{name}/place/ticks_0.bag") for name in ("out", "again")]
    recorded = subprocess.run([PYTHON, "-c", """
import rosbag, sys
with rosbag.Bag(sys.argv[1]) as bag:
    said = [message.data.to_nsec() for _, message, _ in bag.read_messages()]
print(len(said), said.pop(), {later - earlier for earlier, later in zip(said, said[1:])})
""", bags[0]], capture_output=True, text=True)
    equal(recorded.stdout, "2001 0 {1000000}\n", recorded.stderr)
    equal(bags[1].read_bytes(), bags[0].read_bytes(), "the bag of the second run")


def case_asyncio_and_websockets_keep_their_times(longarm):
    write("server.py", """
import asyncio, websockets

async def echo(connection):
    async for message in connection:
        await connection.send(message)

async def main():
    async with websockets.serve(echo, "", 8765, compression=None):
        await asyncio.Future()

asyncio.run(main())
""")
    write("client.py", """
import asyncio, collections, time, websockets

async def sleeper(seconds):
    began = time.monotonic_ns()
    await asyncio.sleep(seconds)
    return time.monotonic_ns() - began

async def main():
    print(await asyncio.gather(*(sleeper(0.125 * i) for i in (3, 1, 2))))
    async with websockets.connect("ws://edge:8765", compression=None) as connection:
        times = collections.Counter()
        for i in range(500):
            began = time.monotonic_ns()
            await connection.send("x" * 100)
            await connection.recv()
            times[time.monotonic_ns() - began] += 1
    for spent, count in sorted(times.items()):
        print(count, "round trips of", spent)

asyncio.run(main())
""")
    out = run_twice(longarm, f"""{network()}
length: 60s
actors:
  server: {{kind: program, host: edge, command: [{PYTHON}, server.py]}}
  client: {{kind: program, host: robot, command: [{PYTHON}, client.py], start: 1s, expect_exit: 0}}
""")
    # 2 bytes of head, and from the client 4 of mask
    equal(out.text("client"), "[375000000, 125000000, 250000000]\n"
                              f"500 round trips of {round(20e6 + wire_ns(106) + wire_ns(102))}\n")


def case_mosquitto_delivers_in_each_quality(longarm):
    write("broker.conf", "listener 1883\nallow_anonymous true\n")
    write("publish.sh", "for i in 1 2 3 4 5; do sleep 1; date +%s.%N; done | mosquitto_pub -h edge -t cell -q $1 -l\n")
    publishers = "".join(f"""
  says_{q}: {{kind: program, host: camera, command: [sh, publish.sh, "{q}"], start: {2 + 10 * q}s, expect_exit: 0}}"""
                         for q in (0, 1, 2))
    out = run_twice(longarm, f"""{network(hosts=("edge", "robot", "camera"))}
length: 60s
actors:
  broker: {{kind: program, host: edge, command: [/usr/sbin/mosquitto, -c, broker.conf]}}
  hears: {{kind: program, host: robot, command: [mosquitto_sub, -h, edge, -t, cell, -q, "2", -C, "15", -F, "%q %p %U"], start: 1s, expect_exit: 0}}{publishers}
""")
    # 2 of head, 2 + 4 of topic, 2 of number except in quality 0, and 19 of content; of quality 2 the other two messages
    # of 4 bytes are waited for on either way
    expected = ""
    for quality, trips in ((0, [27] * 2), (1, [29] * 2), (2, [29, 4, 4] * 2)):
        spent = sum(10_000_000 + round(wire_ns(size)) for size in trips)
        for second in range(3 + 10 * quality, 8 + 10 * quality):
            expected += f"{quality} {946684800 + second}.000000000 {946684800 + second}.{spent:09d}\n"
    equal(out.text("hears"), expected)


def case_curl_gets_files_from_nginx(longarm):
    content = hashlib.sha256(b"part").digest() * 3125  # 100 kB
    pathlib.Path("www").mkdir()
    pathlib.Path("www/part.bin").write_bytes(content)
    write("nginx.conf", """
user root;  # what is in the test's folder is nobody else's to read
daemon off;
pid nginx.pid;
error_log stderr;
worker_processes 2;
events { worker_connections 64; }
http {
  access_log off;
  client_body_temp_path tmp1; proxy_temp_path tmp2; fastcgi_temp_path tmp3; uwsgi_temp_path tmp4; scgi_temp_path tmp5;
  server { listen 80; root www; }
}
""")
    form = "%{http_code} %{size_download} %{time_connect} %{time_starttransfer} %{time_total}\\n"
    write("get.sh", f"""
curl -sS -o got.bin -w '{form}' http://edge/part.bin
curl -sS -o /dev/null -w '{form}' http://edge/missing
curl -sS -r 1000-1999 -o piece.bin -w '{form}' http://edge/part.bin
curl -sS -Z -o a http://edge/part.bin -o b http://edge/part.bin -o c http://edge/part.bin -w '{form}'
sha256sum got.bin piece.bin a b c
""")
    out = run_twice(longarm, f"""{network(rate="100Mbit")}
length: 60s
actors:
  server: {{kind: program, host: edge, command: [/usr/sbin/nginx, -p, ./, -c, nginx.conf]}}
  client: {{kind: program, host: robot, command: [sh, get.sh], start: 1s, expect_exit: 0}}
""")
    lines = out.text("client").splitlines()
    whole, missing, piece = (line.split() for line in lines[:3])
    equal((whole[:2], missing[0], piece[:2]), (["200", "100000"], "404", ["206", "1000"]))
    # a SYN each way, and curl cuts to microseconds
    connect = int((20e6 + 2 * SYN * 8 * 10) / 1e3) / 1e6
    equal(float(whole[2]), connect)
    for line in (missing, piece):
        holds(connect <= float(line[2]) < connect + 0.0001, line)  # behind the end of the one before
    # 70 segments in windows of 10, 20 and 40: four round trips and the connection's; 1538 bytes of cable for each of 70
    holds(0.08 < float(whole[4]) < 0.08 + 70 * 1538 * 8 / 100e6, whole)
    holds(0.04 < float(piece[4]) < 0.0403, piece)
    sums = dict(reversed(line.split()) for line in lines if len(line.split()) == 2)
    equal(sums, {name: hashlib.sha256(part).hexdigest()
                 for name, part in (("got.bin", content), ("piece.bin", content[1000:2000]), ("a", content),
                                    ("b", content), ("c", content))})


def case_iperf3_measures_the_rate_of_the_link(longarm):
    out = run_twice(longarm, f"""{network(rate="20Mbit", propagation="1ms")}
length: 60s
actors:
  server: {{kind: program, host: edge, command: [iperf3, --server]}}
  up: {{kind: program, host: robot, command: [iperf3, --client, edge, --time, "4", --json], start: 1s, expect_exit: 0}}
  down: {{kind: program, host: robot, command: [iperf3, --client, edge, --reverse, --time, "4", --json], start: 10s, expect_exit: 0}}
  datagrams: {{kind: program, host: robot, command: [iperf3, --client, edge, --udp, --bitrate, 8M, --length, "1400", --time, "4", --json], start: 18s, expect_exit: 0}}
""")
    # 1448 of 1538 bytes of cable are payload: with TCP, IP, Ethernet, preamble and the gap
    payload_rate = 20e6 * 1448 / 1538
    for name in ("up", "down"):
        rate = json.loads(out.text(name))["end"]["sum_received"]["bits_per_second"]
        holds(abs(rate / payload_rate - 1) < 0.005, f"{name}: {rate / payload_rate:.4f} of the payload's rate")
    datagrams = json.loads(out.text("datagrams"))["end"]["sum_received"]
    equal(datagrams["lost_packets"], 0)
    holds(abs(datagrams["bits_per_second"] / 8e6 - 1) < 0.005, datagrams)


def case_a_pipeline_spans_two_hosts(longarm):
    write("send.sh", "seq 1 200000 | sort -rn | gzip -n | nc -N edge 5000\n")
    write("take.sh", "nc -l 5000 | gunzip | tee >(wc -l >&2) | sha256sum\n")
    out = run_twice(longarm, f"""{network()}
length: 60s
actors:
  takes: {{kind: program, host: edge, command: [bash, take.sh], expect_exit: 0}}
  sends: {{kind: program, host: robot, command: [sh, send.sh], start: 1s, expect_exit: 0}}
""")
    lines = "".join(f"{i}\n" for i in range(200000, 0, -1)).encode()
    equal(out.text("takes"), f"{hashlib.sha256(lines).hexdigest()}  -\n")
    equal(out.text("takes", "stderr"), "200000\n")


def case_statically_linked_programs_serve_and_ask(longarm):
    busybox = shutil.which("busybox")
    holds("INTERP" not in subprocess.run(["readelf", "-l", busybox], capture_output=True, text=True, check=True).stdout,
          "busybox is not static")
    write("www/words.txt", "from a program without a loader\n")
    out = run_twice(longarm, f"""{network()}
length: 60s
actors:
  server: {{kind: program, host: edge, command: [{busybox}, httpd, -f, -p, "80", -h, www]}}
  client: {{kind: program, host: robot, command: [{busybox}, sh, -c, "busybox time -f %e busybox wget -q -O - http://edge/words.txt"], start: 1s, expect_exit: 0}}
""")
    equal(out.text("client"), "from a program without a loader\n")
    # one round trip to connect and one to ask
    equal(out.text("client", "stderr"), "0.04\n")

if __name__ == "__main__":
    sys.exit(main(globals()))
