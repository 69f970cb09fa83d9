# SPDX-License-Identifier: Apache-2.0
"""`longarm bag` against the rosbag of Debian: what it writes, and what it takes from bags."""
import csv
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys

import program
from program import equal, holds

ROS_PYTHON = "/usr/bin/python3"  # Debian's, which has rosbag
ARM = ["--set", "task.hold=200ms", "--set", "physics.period=1ms"]


def ros(script, *arguments):
    """What a Python program with ROS prints."""
    done = subprocess.run([ROS_PYTHON, "-c", script, *map(str, arguments)], capture_output=True, text=True)
    equal(done.returncode, 0, f"exit code of a ROS program\n{done.stderr}")
    return done.stdout


# messages with known delays: sent every 8 ms, the n-th takes 2 ms + (n % 5) * 0.7 ms, each 7th is lost
WRITE_STAMPS = """
import sys, rosbag, rospy
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint
path, compression = sys.argv[1:]
with rosbag.Bag(path, "w", compression=compression, chunk_threshold=4000) as bag:
    for n in range(100):
        if n % 7 == 6:
            continue
        state = JointState()
        state.header.seq = 1000 + n
        state.header.stamp = rospy.Time(1700000000, n * 8000000)
        state.name = ["joint"]
        state.position = [n / 100.0]
        state.velocity = [1.25]
        delay = 2000000 + n % 5 * 700000
        bag.write("/joint_states", state, state.header.stamp + rospy.Duration(0, delay))
    for goal in (0.5, 0.25):
        plan = JointTrajectory(joint_names=["joint"])
        for time, position in ((0.5, goal / 2), (1.0, goal)):
            plan.points.append(JointTrajectoryPoint(positions=[position], velocities=[goal if time < 1 else 0.0],
                                                    time_from_start=rospy.Duration(time)))
        bag.write("/plan", plan, rospy.Time(1700000002))
"""

READ = """
import sys, json, rosbag
with rosbag.Bag(sys.argv[1]) as bag:
    out = {}
    for topic, message, time in bag.read_messages():
        known = out.setdefault(topic, {"type": message._type, "md5": message._md5sum, "count": 0, "first_ns": time.to_nsec()})
        known["count"] += 1
    print(json.dumps(out))
"""


READ_STATUS = """
import sys, json, rosbag
with rosbag.Bag(sys.argv[1]) as bag:
    [(topic, message, time)] = bag.read_messages(topics=["/diagnostics"])
    print(json.dumps([{"level": s.level, "name": s.name, "values": {v.key: v.value for v in s.values}} for s in message.status]))
"""


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def case_rosbag_checks_and_describes_what_a_run_becomes(longarm):
    longarm("run", "one-joint", "--set", "task.hold=300ms", "--out", "run")
    sizes = {}
    for compression in ("none", "bz2", "lz4"):
        out = f"{compression}.bag"
        said = longarm("bag", "run", "--compression", compression, "--out", out).stdout
        holds("/joint_states" in said and said.endswith(out + "\n"), said)
        info = subprocess.run(["rosbag", "info", "--yaml", out], capture_output=True, text=True, check=True).stdout
        holds(f"compression: {compression}" in info, info)
        holds("3066dcd76a6cfaef579bd0f34173e9fd" in info, info)
        sizes[compression] = os.path.getsize(out)
        found = json.loads(ros(READ, out))
        listed = longarm("bag", out).stdout.splitlines()[1:]
        equal({line.split()[1]: int(line.split()[0]) for line in listed}, {t: f["count"] for t, f in found.items()}, "list of topics")
        equal(found["/diagnostics"]["md5"], "60810da900de1dd6ddd437c3503511da", "MD5 sum")
        [status] = json.loads(ros(READ_STATUS, out))
        equal([status["level"], status["name"], status["values"]["stable"]], [0, "one-joint", "true"], "status")
        holds(min(f["first_ns"] for f in found.values()) >= 1, "a time that programs of rosbag leave out")
    holds(sizes["bz2"] < sizes["lz4"] < sizes["none"], sizes)
    # rosbag check compares comments too, which definitions from field lists do not have: it names the types whose sums
    # agree as their own successors
    longarm("bag", "run", "--topics", "/joint_states,/tf,/clock", "--out", "known.bag")
    checked = subprocess.run(["rosbag", "check", "known.bag"], capture_output=True, text=True).stdout
    said = [line.split(": ")[1].strip() for line in checked.splitlines() if line.startswith((" * From:", "   To:"))]
    equal(len(said), 6, checked)
    equal(said[0::2], said[1::2], checked)
    holds("All rules defined.  Bag is ready to be migrated" in checked, checked)


def case_each_arm_of_a_run_has_a_status_in_its_bag(longarm):
    arm = "{kind: arm, model: one-joint, end_effector: tip, task: {path: step, joints_rad: [[0.1]], hold: 200ms}, gain: 10"
    pathlib.Path("two.yaml").write_text(f"actors:\n  left: {arm}}}\n  right: {arm}, pose_m_deg: [2, 0, 0, 0, 0, 0]}}\n")
    longarm("run", "two.yaml", "--out", "two")
    longarm("bag", "two", "--topics", "/left/joint_states,/diagnostics")
    equal(sorted(json.loads(ros(READ, "two/trace.bag"))), ["/diagnostics", "/left/joint_states"], "topics")
    equal([status["name"] for status in json.loads(ros(READ_STATUS, "two/trace.bag"))], ["left", "right"], "statuses")


def case_delays_in_a_bag_become_a_link_that_has_them(longarm):
    for compression in ("none", "bz2", "lz4"):
        ros(WRITE_STAMPS, "known.bag", compression)
        said = longarm("bag", "known.bag", "--link-trace", "/joint_states", "--out", "link.csv").stderr
        equal(said, "100 messages, 14 of them lost; play it with link.trace=link.csv\n", "summary")
        found = rows("link.csv")
        equal(len(found), 100, "rows")
        for n, row in enumerate(found):
            equal(row["time_s"], f"{n * 8 // 1000}.{n * 8 % 1000:03d}000000", f"time of {n}")
            equal(row["delay_s"], "lost" if n % 7 == 6 else f"0.{2000000 + n % 5 * 700000:09d}", f"delay of {n}")
    # played message by message, the states of a run have those delays, and are lost where they were
    longarm("run", "one-joint", "--set", "task.hold=200ms", "--set", f"link.states.trace={os.getcwd()}/link.csv",
            "--set", "link.states.trace_by=packet", "--out", "run")
    longarm("bag", "run", "--link-trace", "/controller/joint_states", "--period", "1ms", "--out", "back.csv")
    back = rows("back.csv")
    holds(len(back) > 150, len(back))
    for n, row in enumerate(back):
        equal(row["delay_s"], found[n % 100]["delay_s"], f"delay of state {n}")


def case_a_plan_from_a_bag_is_followed(longarm):
    ros(WRITE_STAMPS, "known.bag", "lz4")
    said = longarm("bag", "known.bag", "--plan", "/plan", "--message", "2", "--out", "plan.csv").stderr
    holds("message 2 of 2" in said and "2 points of 1 joint over 1s" in said, said)
    equal([row["position.joint"] for row in rows("plan.csv")], ["0.125", "0.25"], "positions")
    pathlib.Path("follow.yaml").write_text(
        "robot: {model: one-joint, end_effector: tip}\n"
        "task: {path: trajectory, trajectory: plan.csv, hold: 1s}\n"
        "gain: 20\nfeed_forward: 1\n")
    metrics = longarm.metrics("follow.yaml", "--out", "follow")
    equal(metrics["stable"], True, "verdict")
    trace = rows("follow/trace.csv")
    # cubic between the points: at rest at 0, 0.125 with 0.25/s after half a second, 0.25 at rest after one
    at = {round(float(row["time_s"]), 3): row for row in trace}
    equal(float(at[0.5]["plan.joint"]), 0.125, "plan at 0.5 s")
    equal(float(at[0.25]["plan.joint"]), 0.125 / 2 - 0.25 * 0.5 / 8, "plan at 0.25 s")
    holds(abs(float(at[1.8]["position.joint"]) - 0.25) < 1e-3, at[1.8]["position.joint"])
    # the run keeps the file: what it did can be repeated without the original
    os.remove("plan.csv")
    longarm("replay", "follow")


def case_joint_states_of_a_bag_are_the_reference_of_an_arm(longarm):
    longarm("run", "ur5-three-points", "--set", "task.hold=100ms", "--set", "link.delay=5ms", "--out", "first")
    longarm("bag", "first", "--out", "first.bag")
    longarm("bag", "first.bag", "--plan", "/joint_states", "--out", "motion.csv")
    pathlib.Path("again.yaml").write_text(
        "robot: {model: ur5, end_effector: tool0}\n"
        "task: {path: trajectory, trajectory: motion.csv, hold: 100ms}\n"
        "gain: 20\nfeed_forward: 1\n")
    longarm("run", "again.yaml", "--out", "again")
    # where the arm was is now where it is to be, number by number
    first, again = rows("first/trace.csv"), rows("again/trace.csv")
    names = [name[9:] for name in first[0] if name.startswith("position.")]
    plans = {row["time_s"]: row for row in again}
    compared = 0
    end = float(rows("motion.csv")[-1]["time_s"])
    for row in first:
        if row["time_s"] in plans and float(row["time_s"]) <= end:
            for name in names:
                holds(abs(float(row[f"position.{name}"]) - float(plans[row["time_s"]][f"plan.{name}"])) < 1e-9, row["time_s"])
            compared += 1
    holds(compared > 1000, compared)


SUBSCRIBE = """
import sys, json, time, rospy
from sensor_msgs.msg import JointState
rospy.init_node("counter", anonymous=True, disable_signals=True)
stamps = []
rospy.Subscriber("/joint_states", JointState, lambda m: stamps.append(m.header.stamp.to_nsec()), queue_size=100000)
print("ready", flush=True)
wanted, end = int(sys.stdin.readline()), time.monotonic() + 30
while len(stamps) < wanted and time.monotonic() < end:
    time.sleep(0.05)
print(json.dumps(stamps), flush=True)
"""


WAIT_FOR_SUBSCRIBERS = """
import sys, time, rosgraph
while True:
    subscribed = dict(rosgraph.Master("/waiting").getSystemState()[1]).get("/joint_states", [])
    if len(subscribed) == 2:
        break
    time.sleep(0.05)
"""


def case_rosbag_plays_what_a_run_becomes_and_records_it(longarm):
    longarm("run", "one-joint", "--set", "task.hold=300ms", "--set", "states.period=1ms", "--out", "run")
    longarm("bag", "run", "--topics", "/joint_states,/clock", "--compression", "lz4", "--out", "run.bag")
    count = json.loads(ros(READ, "run.bag"))["/joint_states"]["count"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = dict(os.environ, ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_IP="127.0.0.1", ROS_HOME=os.getcwd())
    started = []

    def start(*command, **options):
        started.append(subprocess.Popen(command, env=environment, text=True, start_new_session=True, **options))
        return started[-1]

    try:
        start("rosmaster", "--core", "-p", str(port), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
        counter = start(ROS_PYTHON, "-c", SUBSCRIBE, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        equal(counter.stdout.readline(), "ready\n", "subscriber")
        recorder = start("/usr/lib/rosbag/record", "--lz4", "--output-name", "recorded.bag", "/joint_states", stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        subprocess.run([ROS_PYTHON, "-c", WAIT_FOR_SUBSCRIBERS], env=environment, check=True, timeout=60)
        played = subprocess.run(["/usr/lib/rosbag/play", "--quiet", "--wait-for-subscribers", "--topics", "/joint_states", "--bags", "run.bag"],
                                env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
        equal(played.returncode, 0, played.stdout + played.stderr)
        stamps = json.loads(counter.communicate(f"{count}\n", timeout=60)[0])
        recorder.send_signal(signal.SIGINT)
        recorder.wait(timeout=60)
    finally:
        for process in started:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    equal(stamps, sorted(stamps), "order")
    equal(len(stamps), count, "messages that were played")
    # a recorder may hear the first ones too late; what it wrote is read here as it is by its own library
    recorded = json.loads(ros(READ, "recorded.bag"))["/joint_states"]["count"]
    holds(count // 2 < recorded <= count, recorded)
    equal(longarm("bag", "recorded.bag").stdout.splitlines()[1].split(), [str(recorded), "/joint_states", "sensor_msgs/JointState"], "list")
    longarm("bag", "recorded.bag", "--plan", "/joint_states", "--out", "recorded.csv")
    equal([round(float(row["time_s"]) * 1e9) for row in rows("recorded.csv")], [s - stamps[-recorded] for s in stamps[-recorded:]], "times")


def case_bags_that_are_none_are_refused(longarm):
    ros(WRITE_STAMPS, "known.bag", "none")
    whole = pathlib.Path("known.bag").read_bytes()
    pathlib.Path("text.bag").write_text("hello")
    pathlib.Path("short.bag").write_bytes(whole[: len(whole) // 2])
    spoiled = bytearray(whole)
    at = spoiled.index(b"conn=", 6000)
    spoiled[at] = ord("k")
    pathlib.Path("spoiled.bag").write_bytes(spoiled)
    for arguments, expected in (
        (["missing.bag"], "missing.bag: error: there is no such file or folder"),
        (["text.bag"], "text.bag is not a bag: it does not start with '#ROSBAG V2.0'"),
        (["short.bag"], "short.bag is cut short"),
        (["spoiled.bag"], "spoiled.bag is damaged at byte"),
        (["known.bag", "--link-trace", "/joint_state"], "did you mean '/joint_states'?"),
        (["known.bag", "--link-trace", "/plan"], "all 2 messages have the same stamp"),
        (["known.bag", "--plan", "/plan", "--message", "3"], "/plan has 2 messages; --message 3 is none of them"),
        (["known.bag", "--link-trace", "/plan", "--plan", "/plan"], "exclude one another"),
        (["known.bag", "--link-trace", "/plan", "--by", "intervals"], "--by intervals needs the sender's period"),
        (["known.bag", "--ros2", "folder"], "only a run is written as a bag"),
    ):
        said = longarm("bag", *arguments, expect=2).stderr
        holds(expected in said, f"{arguments}: {said}")


if __name__ == "__main__":
    sys.exit(program.main(globals()))
