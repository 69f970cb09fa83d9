# SPDX-License-Identifier: Apache-2.0
# longarm-ros2 between a served cell and Fast DDS (fastdds_peer.cpp), each in a process of its own.
import contextlib
import json
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "serve"))
from program import equal, holds, main  # noqa: E402
from served_cell import Cell  # noqa: E402
from type_hashes import rihs01  # noqa: E402

PATIENCE = 60  # seconds of the wall clock, for a machine that is busy with other things
JOINTS = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
HOME = [0.0, -1.5707963267948966, 1.5707963267948966, -1.5707963267948966, -1.5707963267948966, 0.0]
TRAJECTORIES = "/joint_trajectory_controller/joint_trajectory"
NO_TIME = {"sec": 0, "nanosec": 0}
NO_HEADER = {"stamp": NO_TIME, "frame_id": ""}
# type, and whether those who come late hear it
PUBLISHED = {
    "/clock": ("rosgraph_msgs/Clock", False),
    "/joint_states": ("sensor_msgs/JointState", False),
    "/robot_description": ("std_msgs/String", True),
    "/tf": ("tf2_msgs/TFMessage", False),
    "/tf_static": ("tf2_msgs/TFMessage", True),
}
SUBSCRIBED = {
    TRAJECTORIES: ("trajectory_msgs/JointTrajectory", False),
    "/forward_velocity_controller/commands": ("std_msgs/Float64MultiArray", False),
    "/forward_position_controller/commands": ("std_msgs/Float64MultiArray", False),
}


class Lines:
    """What a stream has said so far, line by line."""

    def __init__(self, stream, parse=json.loads):
        self.all = []
        self.is_over = False
        self.changed = threading.Condition()
        threading.Thread(target=self.read, args=(stream, parse), daemon=True).start()

    def read(self, stream, parse):
        with contextlib.suppress(OSError, ValueError):
            for line in stream:
                with self.changed:
                    self.all.append(parse(line))
                    self.changed.notify_all()
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def wait(self, found, what):
        """The first true value that `found` makes of all lines."""
        end = time.monotonic() + PATIENCE
        with self.changed:
            while not (value := found(self.all)):
                left = end - time.monotonic()
                if left < 0 or self.is_over:
                    raise AssertionError(f"waited for {what}; the last of {len(self.all)} lines:\n"
                                         + "\n".join(str(line)[:300] for line in self.all[-20:]))
                self.changed.wait(left)
            return value

    def first(self, is_it, what, start=0):
        return self.wait(lambda lines: next((line for line in lines[start:] if is_it(line)), None), what)


class Process:
    def __init__(self, words, parse, **environment):
        clean = {key: value for key, value in os.environ.items() if not re.match("ROS_|RMW_|CYCLONEDDS|FASTRTPS|FASTDDS", key)}
        self.process = subprocess.Popen(words, text=True, env={**clean, **environment}, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.said = Lines(self.process.stdout, parse)
        self.complained = Lines(self.process.stderr, str)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()


class Peer(Process):
    """Another maker's DDS."""

    def __init__(self, domain, how="localhost"):
        super().__init__([os.environ["FASTDDS_PEER"], str(domain), how], json.loads)

    def __exit__(self, *problem):
        # at the end of its commands it removes its shared memory
        with contextlib.suppress(subprocess.TimeoutExpired, OSError):
            self.process.stdin.close()
            self.process.wait(10)
        super().__exit__(*problem)

    def tell(self, **command):
        self.process.stdin.write(json.dumps(command) + "\n")
        self.process.stdin.flush()

    def read(self, *topics):
        for topic in topics:
            kind, is_latched = PUBLISHED["/" + topic.split("/")[-1]]  # without the robot's namespace
            self.tell(read=topic, type=kind, is_latched=is_latched)

    def write(self, topic, message):
        self.tell(write=topic, type=SUBSCRIBED[topic][0], message=message)

    def heard(self, topic, count=1):
        def enough(lines):
            messages = [line["message"] for line in lines if line.get("topic") == topic]
            return messages if len(messages) >= count else None
        return self.said.wait(enough, f"{count} messages of {topic}")


class Port:
    """The cell's own words, by a connection of its own."""

    def __init__(self, number):
        self.socket = socket.create_connection(("127.0.0.1", number))
        self.said = Lines(self.socket.makefile())
        self.hello = self.said.wait(lambda lines: lines and lines[0], "the cell's first line")

    def ask(self, **request):
        self.socket.sendall((json.dumps(request) + "\n").encode())

    def states(self):
        return {line["t_ns"]: line["joints"]["ur5"] for line in list(self.said.all) if "joints" in line}

    def frames(self):
        return {line["t_ns"]: line["frames"] for line in list(self.said.all) if "frames" in line}

    def until(self, t_ns):
        self.said.first(lambda line: line["t_ns"] >= t_ns, f"the cell's time {t_ns} ns")


@contextlib.contextmanager
def free_domain():
    """A domain of DDS that nothing on this computer uses, for as long as this lasts."""
    for domain in random.sample(range(1, 100), 99):  # the ports of later ones are handed out to clients
        first = 7400 + 250 * domain
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lock, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as used:
            try:
                used.bind(("", first + 10))  # of its first participant
                used.close()
                lock.bind(("127.0.0.1", first + 248))  # of one that never is
            except OSError:
                continue
            yield domain
            return
    raise AssertionError("all domains are in use")


class Scene:
    """A served UR5, its port, and longarm-ros2."""

    def __init__(self, stack, program, *words, scenario="ur5-ros", doors=("ros",), served=()):
        self.cell = stack.enter_context(Cell(program, scenario, [*doors], "--no-trace", *served))
        self.port = Port(self.cell.ports["ros"])
        self.domain = stack.enter_context(free_domain())
        self.node = stack.enter_context(node(self.cell.ports["ros"], self.domain, *words))
        self.stack = stack

    def peer(self, how="localhost"):
        return self.stack.enter_context(Peer(self.domain, how))


def node(port, domain, *words):
    started = Process([os.environ["LONGARM_ROS2"], f"127.0.0.1:{port}", *words], str, ROS_DOMAIN_ID=str(domain))
    started.said.first(lambda line: line.startswith("publishes"), f"the node; it says {started.complained.all}")
    return started


def t_ns_of(stamp):
    return stamp["sec"] * 1_000_000_000 + stamp["nanosec"]


def dds_type(kind):
    return "::msg::dds_::".join(kind.split("/")) + "_"


def numbers_of(transform):
    return [*transform["transform"]["translation"].values(), *transform["transform"]["rotation"].values()]


def case_topics_equal_the_cell(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program)
        peer = scene.peer()
        peer.read("/clock", "/joint_states", "/tf")
        # something is to be seen: the arm turns about its first joint
        scene.port.ask(do="velocity", robot="ur5", values=[0.3, 0, 0, 0, 0, 0])
        states = peer.heard("/joint_states", 150)
        transforms = peer.heard("/tf", 60)
        clocks = peer.heard("/clock", 150)
        last = max(t_ns_of(message["header"]["stamp"]) for message in states)
        scene.port.until(last + 1_000_000)

        told = scene.port.states()
        both = [(m, told[t]) for m in states if (t := t_ns_of(m["header"]["stamp"])) in told]
        holds(len(both) > 50, f"only {len(both)} of {len(states)} messages have a stamp that the port has, too")
        for message, (positions, velocities, efforts) in both:
            equal(message["name"], JOINTS)
            equal([message["position"], message["velocity"], message["effort"]], [positions, velocities, efforts])
        holds(states[-1]["position"][0] > 0.05, "the arm has not turned")

        names = scene.port.hello["frames"]
        poses = scene.port.frames()
        both = [(m["transforms"], poses[t]) for m in transforms
                if (t := t_ns_of(m["transforms"][0]["header"]["stamp"])) in poses]
        holds(len(both) > 20, f"only {len(both)} of {len(transforms)} frames have a stamp that the port has, too")
        for found, expected in both:
            equal([[each["header"]["frame_id"], each["child_frame_id"]] for each in found], names)
            equal([numbers_of(each) for each in found], expected)

        times = [t_ns_of(message["clock"]) for message in clocks]
        equal(times, sorted(set(times)), "the clock")
        holds({t_ns_of(m["header"]["stamp"]) for m in states[10:-10]} <= {*times}, "a state has a time that /clock did not have")


def case_ros2_finds_the_node(program):
    """Names of topics and types, hashes, QoS, and whose they are."""
    for release, words in (("rmw_dds_common", []), ("humble", ["--ros", "humble", "--node", "cell_7"])):
        with contextlib.ExitStack() as stack:
            scene = Scene(stack, program, *words)
            peer = scene.peer()
            peer.tell(read="ros_discovery_info", type=f"{release}/ParticipantEntitiesInfo", is_latched=True)
            info = peer.heard("ros_discovery_info")[0]
            [described] = info["node_entities_info_seq"]
            equal([described["node_namespace"], described["node_name"]], ["/", "cell_7" if words else "longarm"])
            participant = bytes(info["gid"]["data"]).hex()
            found = peer.said.first(lambda line: line.get("participant", "") == participant[:32], "the participant")
            equal(found["user_data"], "enclave=/;")
            equal(participant[32:], "" if not words else "0" * 16)
            for what, topics, gids in (("writer", PUBLISHED, "writer_gid_seq"), ("reader", SUBSCRIBED, "reader_gid_seq")):
                owned = {bytes(gid["data"]).hex()[:32] for gid in described[gids]}
                equal(len(owned), len(topics), gids)
                for topic, (kind, is_latched) in topics.items():
                    endpoint = peer.said.first(
                        lambda line: line.get(what) == "rt" + topic and line["guid"] in owned, f"the {what} of {topic}")
                    equal({key: endpoint[key] for key in ("type", "user_data", "is_reliable", "is_latched")},
                          {"type": dds_type(kind), "user_data": f"typehash={rihs01(kind)};", "is_reliable": True,
                           "is_latched": is_latched}, topic)


def case_who_joins_late_hears_the_description(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program)
        first = scene.peer()
        first.read("/clock")
        first.heard("/clock", 100)
        late = scene.peer()
        late.read("/robot_description", "/tf_static")
        equal(late.heard("/robot_description")[0], {"data": scene.port.hello["robots"][0]["description"]})
        found = [[each["header"]["frame_id"], each["child_frame_id"], *numbers_of(each)]
                 for each in late.heard("/tf_static")[0]["transforms"]]
        equal(found, scene.port.hello["fixed_frames"])
        holds(found, "there are no fixed frames")


def follow(scene, peer, message):
    """Publishes until the cell answers: a first message may be sent before the node has found its writer."""
    begin = len(scene.port.said.all)
    for _ in range(PATIENCE):
        peer.write(TRAJECTORIES, message)
        end = time.monotonic() + 1
        while time.monotonic() < end:
            for line in scene.port.said.all[begin:]:
                if "goal" in line and "state" in line:
                    return line
            time.sleep(0.02)
    raise AssertionError("the cell has heard of no trajectory")


def trajectory(*points, joints=JOINTS, stamp=NO_TIME):
    return {"header": {"stamp": stamp, "frame_id": ""}, "joint_names": joints,
            "points": [{"positions": positions, "velocities": velocities, "accelerations": [], "effort": [],
                        "time_from_start": {"sec": int(t), "nanosec": round(t % 1 * 1e9)}} for t, positions, velocities in points]}


def case_a_trajectory_moves_the_arm(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program)
        peer = scene.peer()
        peer.read("/joint_states")
        goal = [0.4, -1.4, 1.3, -1.5, -1.6, 0.5]
        # joints in an order of its own
        order = [3, 0, 5, 1, 4, 2]
        message = trajectory((1.5, [goal[i] for i in order], [0.0] * 6), joints=[JOINTS[i] for i in order])
        accepted = follow(scene, peer, message)
        equal(accepted["state"], "accepted")
        ended = scene.port.said.first(
            lambda line: line.get("goal") == accepted["goal"] and line["state"] != "accepted", "the end of the trajectory")
        # a second copy may have replaced the first
        if ended["state"] == "cancelled":
            ended = scene.port.said.first(
                lambda line: "goal" in line and line["state"] in ("succeeded", "aborted"), "the end of the trajectory")
        equal(ended["state"], "succeeded", ended["text"])

        def is_there(lines):
            return [line["message"] for line in lines
                    if line.get("topic") == "/joint_states" and t_ns_of(line["message"]["header"]["stamp"]) >= ended["t_ns"]]
        there = peer.said.wait(is_there, "joint states after the end")[0]
        for name, found, wanted in zip(there["name"], there["position"], goal):
            holds(abs(found - wanted) < 0.01, f"{name} is at {found}, not {wanted}")


def case_several_robots_have_namespaces(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program, scenario="aprs-live", doors=["ros", "plc", "fanuc.crcl", "motoman.crcl"],
                      served=["--set", "actors.ros={kind: ros}"])
        robots = scene.port.hello["robots"]
        equal([robot["name"] for robot in robots], ["fanuc", "motoman"])
        peer = scene.peer()
        for robot in robots:
            peer.read(f"/{robot['name']}/joint_states", f"/{robot['name']}/robot_description")
        peer.read("/tf")
        for robot in robots:
            equal(peer.heard(f"/{robot['name']}/joint_states")[0]["name"], robot["joints"])
            equal(peer.heard(f"/{robot['name']}/robot_description")[0], {"data": robot["description"]})
        equal([[each["header"]["frame_id"], each["child_frame_id"]] for each in peer.heard("/tf")[0]["transforms"]],
              scene.port.hello["frames"])


def case_commands_move_the_arm(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program)
        peer = scene.peer()
        peer.read("/joint_states")
        layout = {"dim": [], "data_offset": 0}

        def command(what, values, is_done):
            end = time.monotonic() + PATIENCE
            while not is_done(peer.heard("/joint_states")[-60:]):
                holds(time.monotonic() < end, f"no effect of {what}")
                peer.write(f"/forward_{what}_controller/commands", {"layout": layout, "data": values})
                time.sleep(0.2)

        def is_steady(states):
            return len(states) == 60 and all(abs(state["velocity"][5] - 0.25) < 0.01 for state in states)
        command("velocity", [0, 0, 0, 0, 0, 0.25], is_steady)
        # a trajectory without points stops it
        equal(follow(scene, peer, trajectory())["state"], "accepted")
        peer.said.wait(lambda _: all(abs(state["velocity"][5]) < 0.002 for state in peer.heard("/joint_states")[-20:]), "a stop")
        command("position", [*HOME[:5], 0.1], lambda states: abs(states[-1]["position"][5] - 0.1) < 0.002
                and abs(states[-1]["velocity"][5]) < 0.002)


def case_wrong_messages_do_no_harm(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program)
        peer = scene.peer()
        peer.read("/clock")
        rejected = follow(scene, peer, trajectory((1.0, [0.0, 0.0], []), joints=["a", "b"]))
        equal([rejected["state"], rejected["code"], rejected["text"]], ["rejected", -2, "joint 'shoulder_pan_joint' is missing"])
        scene.node.complained.first(lambda line: "ur5: trajectory rejected: joint 'shoulder_pan_joint' is missing" in line, "a complaint")
        # the clock of the wall, not the cell's
        peer.write(TRAJECTORIES, trajectory((1.0, HOME, []), stamp={"sec": 1_700_000_000, "nanosec": 0}))
        scene.node.complained.first(lambda line: "ahead of /clock" in line, "a complaint about the stamp")
        peer.write(TRAJECTORIES, trajectory((1.0, [], [0.1] * 6)))
        scene.node.complained.first(lambda line: "a point has not one number per joint" in line, "a complaint about positions")
        end = time.monotonic() + PATIENCE
        while not any("'values' has 40 numbers, but the arm has 6 joints" in line for line in scene.node.complained.all):
            holds(time.monotonic() < end, "no complaint about too many numbers")
            peer.write("/forward_velocity_controller/commands", {"layout": {"dim": [], "data_offset": 0}, "data": [1.0] * 40})
            time.sleep(0.2)
        heard = len(peer.heard("/clock"))
        peer.heard("/clock", heard + 20)
        equal(scene.node.process.poll(), None, "the node's exit code")


def case_all_ways_of_ros2_to_stay_on_one_computer(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program)
        for how in ("localhost-only", "default"):
            with Peer(scene.domain, how) as peer:
                peer.read("/joint_states", "/robot_description")
                peer.heard("/joint_states", 10)
                peer.heard("/robot_description")
        # of all sockets, none listens to other computers
        inodes = set()
        for entry in pathlib.Path(f"/proc/{scene.node.process.pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                inodes |= set(re.findall(r"socket:\[(\d+)\]", os.readlink(entry)))
        listening = []
        for table in ("udp", "udp6", "tcp", "tcp6"):
            path = pathlib.Path(f"/proc/{scene.node.process.pid}/net/{table}")
            for row in path.read_text().splitlines()[1:] if path.exists() else []:
                fields = row.split()
                if fields[9] in inodes:
                    listening.append(f"{table} {fields[1]}")
        first = 7400 + 250 * scene.domain
        holds(any(row.startswith("udp 0100007F:") and 0 <= int(row[-4:], 16) - first < 250 for row in listening), listening)
        holds(not any("00000000:" in row for row in listening), f"a socket is open to all: {listening}")


def case_it_ends_with_the_cell_but_not_with_a_reset(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program)
        peer = scene.peer()
        peer.read("/clock")
        peer.tell(read="ros_discovery_info", type="rmw_dds_common/ParticipantEntitiesInfo", is_latched=True)
        peer.heard("ros_discovery_info")
        scene.port.until(1_000_000_000)
        before = len(peer.heard("/clock", 20))
        scene.port.ask(do="reset")
        scene.node.said.first(lambda line: "begins again" in line, "word of the reset")
        peer.said.wait(lambda lines: any(
            t_ns_of(line["message"]["clock"]) < 900_000_000
            for line in [each for each in lines if each.get("topic") == "/clock"][before:]), "a clock that begins again")
        scene.cell.process.send_signal(signal.SIGINT)
        scene.node.said.first(lambda line: "the cell has ended" in line, "word of the end")
        equal(scene.node.process.wait(PATIENCE), 0, "exit code")
        peer.said.first(lambda line: line.get("topic") == "ros_discovery_info" and not line["message"]["node_entities_info_seq"],
                        "word that the node is gone")
        peer.process.stdin.close()
        equal(peer.process.wait(PATIENCE), 0, "exit code of the peer")


def case_a_signal_ends_it(program):
    with contextlib.ExitStack() as stack:
        scene = Scene(stack, program)
        scene.node.process.send_signal(signal.SIGTERM)
        equal(scene.node.process.wait(PATIENCE), 0, "exit code")


def case_wrong_use_is_explained(program):
    def run(*words, **environment):
        clean = {key: value for key, value in os.environ.items() if not key.startswith("ROS_")}
        done = subprocess.run([os.environ["LONGARM_ROS2"], *words], capture_output=True, text=True, timeout=PATIENCE,
                              env={**clean, **environment})
        equal(done.returncode, 2, f"exit code of {words}")
        return done.stderr
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))  # and listens not
        address = "127.0.0.1:%d" % silent.getsockname()[1]
        equal(run(address, "--wait", "0"),
              f"longarm-ros2: error: no cell: {address}: Connection refused\n"
              "  hint: start one first, e.g. longarm serve ur5-ros; it prints the address of its port for ROS\n")
    with socket.create_server(("127.0.0.1", 0)) as other:
        def answer():
            with other.accept()[0] as talk:
                talk.sendall(b"220 mail.example ESMTP\r\n")
        threading.Thread(target=answer, daemon=True).start()
        holds("is not a cell's port for ROS" in run("127.0.0.1:%d" % other.getsockname()[1]), "no word about a wrong port")
    holds("'999' is not a number from 0 to 232" in run("--domain", "999"), "a wrong domain")
    holds("ROS_DOMAIN_ID" in run(ROS_DOMAIN_ID="x"), "a wrong domain")
    holds("'a b' is not a name" in run("--node", "a b"), "a wrong name")
    holds("'x:y' is not HOST:PORT" in run("x:y"), "a wrong address")


if __name__ == "__main__":
    sys.exit(main(globals()))
