#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ROS's own tools and clients against longarm-ros, a served cell and a real master."""

import hashlib
import json
import math
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from ros_cell import (LONGARM_ROS, Cell, Master, RosCell, ask, end, free_port, has_topic, message, start,  # noqa: E402
                      use_master, wait_for)

JOINTS = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
HOME = [0, -math.pi / 2, math.pi / 2, -math.pi / 2, -math.pi / 2, 0]
ACTION = "/ur5_controller/follow_joint_trajectory"


def node(name="test"):
    import rospy

    rospy.init_node(name, disable_signals=True)
    return rospy


def trajectory(pan, after_s, names=JOINTS):
    """To there and stand."""
    import rospy
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    point = JointTrajectoryPoint(positions=[pan, *HOME[1:]], velocities=[0] * 6, time_from_start=rospy.Duration(after_s))
    return JointTrajectory(joint_names=names, points=[point])


def states():
    from sensor_msgs.msg import JointState

    return message("/joint_states", JointState)


def pan():
    return states().position[0]


def service(path, kind, **request):
    import rospy

    rospy.wait_for_service(path, 30)
    return rospy.ServiceProxy(path, kind).call(kind._request_class(**request))


# --- starting

def case_roslaunch_starts_it(longarm):
    import rosgraph

    with Cell(longarm, "ur5-ros", ["ros"]) as cell:
        use_master(free_port())
        launch = start("roslaunch", "-p", os.environ["ROS_MASTER_URI"].split(":")[-1], "longarm_ros", "cell.launch",
                       f"cell:=127.0.0.1:{cell.ports['ros']}")
        try:
            wait_for(lambda: launch.poll() is not None or (rosgraph.is_master_online() and has_topic("/longarm/state")),
                     "longarm-ros")
            equal(launch.poll(), None, pathlib.Path("roslaunch.err.txt").read_text())
            equal(ask("rosparam", "get", "/use_sim_time"), "true\n")
            holds("/longarm" in ask("rosnode", "list").split(), "a node /longarm")
        finally:
            end(launch)


# --- what a cell shows


def case_types_are_those_of_the_public_packages(longarm):
    import control_msgs.msg
    import longarm_msgs.msg  # noqa: F401

    # As generated code of other projects has them, which anybody can look up.
    public = {
        "FollowJointTrajectoryAction": "bc4f9b743838566551c0390c65f1a248",
        "FollowJointTrajectoryActionFeedback": "d8920dc4eae9fc107e00999cce4be641",
        "FollowJointTrajectoryActionGoal": "cff5c1d533bf2f82dd0138d57f4304bb",
        "FollowJointTrajectoryActionResult": "c4fb3b000dc9da4fd99699380efcc5d9",
        "FollowJointTrajectoryGoal": "69636787b6ecbde4d61d711979bc7ecb",
        "FollowJointTrajectoryResult": "493383b18409bfb604b4e26c676401d2",
        "GripperCommand": "680acaff79486f017132a7f198d40f08",
        "GripperCommandAction": "950b2a6ebe831f5d4f4ceaba3d8be01e",
        "JointJog": "1685da700c8c2e1254afc92a5fb89c96",
        "JointTolerance": "f544fe9c16cf04547e135dd6063ff5be",
        "JointTrajectoryControllerState": "10817c60c2486ef6b33e97dcd87f4474",
    }
    equal({name: getattr(control_msgs.msg, name)._md5sum for name in public}, public)
    # ROS's tool reads the .msg files, not what was generated from them
    for name in ("FollowJointTrajectoryAction", "JointTrajectoryControllerState"):
        equal(ask("rosmsg", "md5", f"control_msgs/{name}").split()[-1], public[name])


def case_tools_of_ros_see_a_cell(longarm):
    with RosCell(longarm, "ur5-ros"):
        topics = set(ask("rostopic", "list").split())
        wanted = {"/clock", "/joint_states", "/tf", "/tf_static", "/diagnostics", "/longarm/events", "/longarm/state",
                  "/ur5/joint_states", "/ur5_controller/command", "/ur5_controller/state", f"{ACTION}/goal",
                  "/ur5_position_controller/command", "/ur5_velocity_controller/command"}
        equal(wanted - topics, set(), "topics that are missing")
        services = set(ask("rosservice", "list").split())
        equal({f"/longarm/{name}" for name in ("pause", "resume", "step", "reset", "set_parameter")} - services, set())
        echoed = ask("rostopic", "echo", "-n1", "/joint_states")
        holds(f"name: \n  - {JOINTS[0]}\n" in echoed and "position: [0.0, -1.57" in echoed, echoed)
        # every 8 ms of simulated time; it takes the clock when a state arrives, and the two do not come together
        frequency = start("rostopic", "hz", "-w", "200", "/joint_states", env={**os.environ, "PYTHONUNBUFFERED": "1"})
        try:
            full = re.compile(r"average rate: (\S+)\n.* window: 200\n")
            rate = float(wait_for(lambda: full.search(pathlib.Path("rostopic.out.txt").read_text()), "200 states")[1])
            holds(abs(rate - 125) < 2.5, f"{rate} Hz")
        finally:
            end(frequency)
        holds("<robot" in ask("rosparam", "get", "/robot_description"), "no robot_description")
        equal(ask("rosparam", "get", "/use_sim_time"), "true\n")
        equal(ask("rostopic", "type", f"{ACTION}/goal"), "control_msgs/FollowJointTrajectoryActionGoal\n")


def case_states_come_a_thousand_times_a_second(longarm):
    from sensor_msgs.msg import JointState

    with RosCell(longarm, "ur5-ros", "--set", "actors.ros.states_period=1ms"):
        rospy = node()
        stamps = []
        rospy.Subscriber("/joint_states", JointState, lambda each: stamps.append(each.header.stamp.to_nsec()), queue_size=5000)
        wait_for(lambda: len(stamps) > 2000, "2000 states")
        gaps = [later - earlier for earlier, later in zip(stamps, stamps[1:2001])]
        # a busy machine may skip some, but none is late or twice
        holds(all(gap % 1_000_000 == 0 and gap > 0 for gap in gaps), sorted(set(gaps)))
        holds(gaps.count(1_000_000) > 1000, f"only {gaps.count(1_000_000)} of 2000 are 1 ms apart")


def case_frames_are_those_of_robot_state_publisher(longarm):
    import numpy
    import tf2_ros
    from tf2_msgs.msg import TFMessage

    def matrix(transform):
        t, q = transform.translation, transform.rotation
        x, y, z, w = q.x, q.y, q.z, q.w
        return numpy.array([[1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), t.x],
                            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), t.y],
                            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), t.z],
                            [0, 0, 0, 1]])

    with RosCell(longarm, "ur5-ros", "--set", "network.links.cable.propagation=0ms",
                 "--set", "actors.ros.frames_period=8ms"):
        rospy = node()
        publisher = start("/usr/lib/robot_state_publisher/robot_state_publisher", "/tf:=/theirs", "/tf_static:=/theirs_static",
                          "_publish_frequency:=125")
        try:
            # somewhere, and standing: what the controller has received is where the arm is
            import actionlib
            from control_msgs.msg import FollowJointTrajectoryAction, FollowJointTrajectoryGoal

            arm = actionlib.SimpleActionClient(ACTION, FollowJointTrajectoryAction)
            wait_for(lambda: arm.wait_for_server(rospy.Duration(0.5)), "the action server")
            goal = FollowJointTrajectoryGoal(trajectory=trajectory(0.5, 1.0))
            goal.trajectory.points[0].positions = [0.5, -1.2, 1.4, -1.0, -1.3, 0.4]
            arm.send_goal(goal)
            wait_for(lambda: arm.get_state() == 3, "the goal")
            ours, theirs = tf2_ros.Buffer(rospy.Duration(100)), tf2_ros.Buffer(rospy.Duration(100))
            for buffer, prefix in ((ours, "/tf"), (theirs, "/theirs")):
                for topic, is_fixed in ((prefix, False), (f"{prefix}_static", True)):
                    def hear(transforms, buffer=buffer, is_fixed=is_fixed):
                        for each in transforms.transforms:
                            (buffer.set_transform_static if is_fixed else buffer.set_transform)(each, "test")
                    rospy.Subscriber(topic, TFMessage, hear)

            def both(child):
                try:
                    return [matrix(buffer.lookup_transform("base_link", child, rospy.Time(0)).transform)
                            for buffer in (ours, theirs)]
                except tf2_ros.TransformException:
                    return None

            links = re.findall(r'<link name="(\w+)"', rospy.get_param("/robot_description"))
            holds("tool0" in links and len(links) >= 8, links)

            def equal_soon(child):
                found = both(child)
                return found is not None and abs(found[0] - found[1]).max() < 1e-6

            for link in links:
                wait_for(lambda link=link: equal_soon(link), f"equal poses of {link}")
            echo = start("/usr/lib/tf/tf_echo", "base_link", "tool0")
            try:
                place = ours.lookup_transform("base_link", "tool0", rospy.Time(0)).transform.translation
                line = f"- Translation: [{place.x:.3f}, {place.y:.3f}, {place.z:.3f}]"
                wait_for(lambda: line in pathlib.Path("tf_echo.out.txt").read_text(), line)
            finally:
                end(echo)
        finally:
            end(publisher)


def case_a_cell_of_several_robots_shows_its_sensors_too(longarm):
    import longarm_msgs.msg
    from geometry_msgs.msg import PoseArray
    from sensor_msgs.msg import JointState

    with RosCell(longarm, "aprs-live", "--set", "actors.ros={kind: ros, cameras: [camera_1], curtains: [curtain]}"):
        rospy = node()
        together = states()
        fanuc, motoman = (message(f"/{name}/joint_states", JointState) for name in ("fanuc", "motoman"))
        equal((len(fanuc.name), len(motoman.name)), (6 + 2, 7 + 2), "joints of a Fanuc and of a Motoman, with two fingers each")
        equal(set(together.name) >= {f"fanuc/{name}" for name in fanuc.name} | {f"motoman/{name}" for name in motoman.name},
              True, f"names: {together.name}")
        holds("<robot" in rospy.get_param("/fanuc/robot_description") and not rospy.has_param("/robot_description"),
              "descriptions")
        seen = message("/camera_1/detections", longarm_msgs.msg.Detections)
        poses = message("/camera_1/poses", PoseArray)
        holds(seen.header.frame_id == "world" and len(seen.detections) > 0, seen)
        equal(len(poses.poses), len(seen.detections))
        holds(all(0 < each.confidence <= 1 and each.name for each in seen.detections), seen)
        curtain = message("/curtain/state", longarm_msgs.msg.CurtainState)
        equal((curtain.is_broken, curtain.broken_beams), (False, ()))


# --- what arms do


def case_arms_follow_goals_of_an_action_client(longarm):
    import actionlib
    from actionlib_msgs.msg import GoalStatus
    from control_msgs.msg import (FollowJointTrajectoryAction, FollowJointTrajectoryGoal, FollowJointTrajectoryResult,
                                  JointTolerance)

    with RosCell(longarm, "ur5-ros"):
        rospy = node()
        arm = actionlib.SimpleActionClient(ACTION, FollowJointTrajectoryAction)
        wait_for(lambda: arm.wait_for_server(rospy.Duration(0.5)), "the action server")
        feedback = []

        def result_of(path, **more):
            arm.send_goal(FollowJointTrajectoryGoal(trajectory=path, **more), feedback_cb=feedback.append)
            wait_for(lambda: arm.get_state() > GoalStatus.ACTIVE and arm.get_result() is not None, "a result")
            return arm.get_state(), arm.get_result().error_code

        began = rospy.Time.now()
        equal(result_of(trajectory(0.3, 1.0)), (GoalStatus.SUCCEEDED, FollowJointTrajectoryResult.SUCCESSFUL))
        took = (rospy.Time.now() - began).to_sec()
        holds(1.0 <= took < 3.0, f"a second's trajectory took {took} s")
        holds(abs(pan() - 0.3) < 0.01, pan())
        holds(len(feedback) >= 5 and feedback[-1].joint_names == JOINTS, f"{len(feedback)} feedbacks")
        equal(result_of(trajectory(0.0, 1.0, JOINTS[:5])),
              (GoalStatus.REJECTED, FollowJointTrajectoryResult.INVALID_JOINTS))
        # 3 rad in 0.3 s is more than the joint can do, and off the path by far
        equal(result_of(trajectory(3.0, 0.3), path_tolerance=[JointTolerance(name=JOINTS[0], position=0.05)]),
              (GoalStatus.ABORTED, FollowJointTrajectoryResult.PATH_TOLERANCE_VIOLATED))
        holds("shoulder_pan_joint" in arm.get_result().error_string, arm.get_result().error_string)
        unchecked = [JointTolerance(name=each, position=-1) for each in JOINTS]
        equal(result_of(trajectory(3.0, 0.3), path_tolerance=unchecked, goal_time_tolerance=rospy.Duration(0.1)),
              (GoalStatus.ABORTED, FollowJointTrajectoryResult.GOAL_TOLERANCE_VIOLATED))
        late = trajectory(0.0, 0.5)
        late.header.stamp = rospy.Time(0, 1)  # 0 would be: now
        equal(result_of(late), (GoalStatus.REJECTED, FollowJointTrajectoryResult.OLD_HEADER_TIMESTAMP))
        wrong = trajectory(0.0, 1.0)
        wrong.points[0].positions = [math.nan] * 6
        equal(result_of(wrong), (GoalStatus.REJECTED, FollowJointTrajectoryResult.INVALID_GOAL))
        # cancelled on the way
        arm.send_goal(FollowJointTrajectoryGoal(trajectory=trajectory(1.0, 20.0)))
        wait_for(lambda: arm.get_state() == GoalStatus.ACTIVE, "the goal to be accepted")
        arm.cancel_goal()
        wait_for(lambda: arm.get_state() == GoalStatus.PREEMPTED, "the goal to be cancelled")
        # another client's goal replaces it
        arm.send_goal(FollowJointTrajectoryGoal(trajectory=trajectory(1.0, 20.0)))
        wait_for(lambda: arm.get_state() == GoalStatus.ACTIVE, "the goal to be accepted")
        other = actionlib.SimpleActionClient(ACTION, FollowJointTrajectoryAction)
        wait_for(lambda: other.wait_for_server(rospy.Duration(0.5)), "the action server")
        here = pan()
        other.send_goal(FollowJointTrajectoryGoal(trajectory=trajectory(here, 0.5)))
        wait_for(lambda: arm.get_state() == GoalStatus.PREEMPTED, "the goal to be replaced")
        wait_for(lambda: other.get_state() == GoalStatus.SUCCEEDED, "the other's goal")


def case_arms_obey_command_topics(longarm):
    from std_msgs.msg import Float64MultiArray
    from trajectory_msgs.msg import JointTrajectory

    with RosCell(longarm, "ur5-ros") as cell:
        rospy = node()

        def publisher(name, kind):
            out = rospy.Publisher(f"/{name}/command", kind, queue_size=1)
            wait_for(lambda: out.get_num_connections() > 0, f"a subscriber of {name}")
            return out

        paths = publisher("ur5_controller", JointTrajectory)
        velocities = publisher("ur5_velocity_controller", Float64MultiArray)
        positions = publisher("ur5_position_controller", Float64MultiArray)
        paths.publish(trajectory(0.2, 0.5))
        wait_for(lambda: abs(pan() - 0.2) < 0.005, "the end of a trajectory")
        velocities.publish(Float64MultiArray(data=[-0.4, 0, 0, 0, 0, 0]))
        wait_for(lambda: pan() < 0.0, "motion")
        holds(abs(states().velocity[0] + 0.4) < 0.001, states().velocity)
        velocities.publish(Float64MultiArray(data=[0] * 6))
        wait_for(lambda: abs(states().velocity[0]) < 1e-3, "rest")
        there = pan() + 0.05
        positions.publish(Float64MultiArray(data=[there, *HOME[1:]]))
        wait_for(lambda: abs(pan() - there) < 0.002, "a position")
        paths.publish(trajectory(1.0, 20.0))
        wait_for(lambda: states().velocity[0] > 0.01, "motion")
        paths.publish(JointTrajectory())  # stop
        wait_for(lambda: abs(states().velocity[0]) < 1e-3, "rest")
        velocities.publish(Float64MultiArray(data=[1, 2]))
        wait_for(lambda: "'values' has 2 numbers, but the arm has 6 joints" in cell.words(), "a complaint")


def case_grippers_and_crcl_do_what_they_are_told(longarm):
    import actionlib
    from actionlib_msgs.msg import GoalStatus
    from control_msgs.msg import GripperCommand, GripperCommandAction, GripperCommandGoal
    from longarm_msgs.msg import CrclCommand, CrclStatus

    with RosCell(longarm, "aprs-live", "--set", "actors.ros={kind: ros}") as cell:
        rospy = node()
        name = "/fanuc_gripper_controller"
        gripper = actionlib.SimpleActionClient(f"{name}/gripper_cmd", GripperCommandAction)
        wait_for(lambda: gripper.wait_for_server(rospy.Duration(0.5)), "the action server")
        closed, opened, force = (rospy.get_param(f"{name}/{key}") for key in ("closed", "open", "max_effort"))
        middle = 0.5 * (closed + opened)
        holds(closed < opened and force > 0, (closed, opened, force))
        feedback = []

        def result_of(position, **more):
            gripper.send_goal(GripperCommandGoal(command=GripperCommand(position=position, **more)), feedback_cb=feedback.append)
            wait_for(lambda: gripper.get_state() > GoalStatus.ACTIVE and gripper.get_result() is not None, "a result")
            return gripper.get_state(), gripper.get_result()

        state, result = result_of(middle, max_effort=10.0)
        equal((state, result.reached_goal, result.stalled), (GoalStatus.SUCCEEDED, True, False))
        holds(abs(result.position - middle) < 0.002, result)
        equal(result_of(math.nan)[0], GoalStatus.REJECTED)
        state, result = result_of(opened)
        equal((state, result.reached_goal), (GoalStatus.SUCCEEDED, True))
        holds(len(feedback) > 0, "no feedback")
        # the same robot by CRCL
        seen = []
        rospy.Subscriber("/fanuc/crcl/status", CrclStatus, seen.append, queue_size=1000)
        commands = rospy.Publisher("/fanuc/crcl/command", CrclCommand, queue_size=1)
        wait_for(lambda: commands.get_num_connections() > 0 and seen, "CRCL")

        def crcl(number, what):
            commands.publish(CrclCommand(text=(
                '<CRCLCommandInstance xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
                f'<CRCLCommand xsi:type="{what}"><CommandID>{number}</CommandID></CRCLCommand></CRCLCommandInstance>')))
            wait_for(lambda: (seen[-1].command_id, seen[-1].command_state) == (number, "CRCL_Done"), f"{what} to be done")

        crcl(1, "InitCanonType")
        crcl(2, "EndCanonType")
        holds("<CRCLStatus" in seen[-1].text, seen[-1].text)
        commands.publish(CrclCommand(text="open, please"))
        wait_for(lambda: "CRCL command for fanuc: " in cell.words(), "a complaint")


def case_diagnostics_say_how_the_cell_is(longarm):
    from diagnostic_msgs.msg import DiagnosticArray

    with RosCell(longarm, "ur5-ros"):
        node()
        array = message("/diagnostics", DiagnosticArray)
        holds(array.status and all(each.name.startswith("longarm: ") and each.level == 0 for each in array.status), array)
        holds(any(each.values for each in array.status), array)


# --- the cell as a whole


def case_parameters_change_the_link_while_the_cell_runs(longarm):
    from longarm_msgs.srv import SetParameter
    from sensor_msgs.msg import JointState
    from std_msgs.msg import Float64MultiArray
    from tf2_msgs.msg import TFMessage

    with RosCell(longarm, "ur5-ros", "--set", "actors.ros.frames_period=8ms") as cell:
        rospy = node()
        poses, received = {}, {}

        def keep_angle(transforms):
            for each in transforms.transforms:
                if each.child_frame_id == "shoulder_link":
                    q = each.transform.rotation
                    poses[each.header.stamp] = 2 * math.atan2(q.z, q.w)

        def keep_state(state):
            received[state.header.stamp] = state.position[0]

        rospy.Subscriber("/tf", TFMessage, keep_angle)
        rospy.Subscriber("/joint_states", JointState, keep_state)
        drive = rospy.Publisher("/ur5_velocity_controller/command", Float64MultiArray, queue_size=1)
        wait_for(lambda: drive.get_num_connections() > 0, "a subscriber")
        speed = 0.1
        drive.publish(Float64MultiArray(data=[speed, 0, 0, 0, 0, 0]))

        def lag_s():
            """How old the states are that the controller has: where the arm is, less where it is seen, over its speed."""
            poses.clear()
            received.clear()
            both = wait_for(lambda: sorted(set(poses) & set(received)) or None, "a pose and a state of one instant")
            return (poses[both[-1]] - math.pi - received[both[-1]]) / speed  # the base of the model is turned by half

        # a cable of 0.1 ms, and one or two periods of 1 ms
        usual = wait_for(lambda: 0.0005 < lag_s() < 0.0025 and lag_s(), "the usual lag")
        name = "/longarm/network/cable/propagation"
        equal(float(ask("rosparam", "get", name)), 0.0001)
        ask("rosparam", "set", name, "0.05")
        # to a period
        wait_for(lambda: abs(lag_s() - usual - 0.05) < 0.0011, "50 ms more")
        answer = service("/longarm/set_parameter", SetParameter, name="network/cable/propagation", value="0.02")
        equal((answer.success, answer.message), (True, ""))
        wait_for(lambda: abs(lag_s() - usual - 0.02) < 0.0011, "20 ms more")
        wait_for(lambda: rospy.get_param(name) == 0.02, "the parameter to show what the service has set")
        # what the cell refuses is set back, and said
        rospy.set_param(name, -1.0)
        wait_for(lambda: rospy.get_param(name) == 0.02, "the parameter to be set back")
        holds(f"{name}: network/cable/propagation = -1.0: give a number from 0" in cell.words(), cell.words())
        refused = service("/longarm/set_parameter", SetParameter, name="network/cable/colour", value="1")
        holds(not refused.success and "no parameter is called 'network/cable/colour'" in refused.message, refused)


def case_a_cell_can_be_paused_stepped_and_reset(longarm):
    from longarm_msgs.srv import Step
    from rosgraph_msgs.msg import Clock
    from std_msgs.msg import Float64MultiArray, String
    from std_srvs.srv import Trigger

    with RosCell(longarm, "ur5-ros", "--set", "actors.ros.states_period=1ms") as cell:
        rospy = node()
        state, clock = [], []
        rospy.Subscriber("/longarm/state", String, lambda text: state.append(text.data))
        rospy.Subscriber("/clock", Clock, lambda now: clock.append(now.clock.to_nsec()), queue_size=1000)
        wait_for(lambda: state == ["running"] and clock, "a running cell")
        refused = service("/longarm/step", Step, steps=1)
        equal((refused.success, refused.message), (False, "the cell is running; pause it first"))
        holds(service("/longarm/pause", Trigger).success, "no pause")
        wait_for(lambda: state[-1] == "paused", "the pause")

        def at_rest():
            """Once nothing more comes of what was on its way."""
            seen = clock[-1]
            time.sleep(0.3)
            return seen if clock[-1] == seen else None

        before = wait_for(at_rest, "the clock to stop")
        holds(service("/longarm/step", Step, steps=25).success, "no steps")
        wait_for(lambda: clock[-1] == before + 25_000_000, "25 steps of 1 ms")
        equal(wait_for(at_rest, "the clock to stop"), before + 25_000_000)
        holds(service("/longarm/resume", Trigger).success, "no resume")
        wait_for(lambda: clock[-1] > before + 100_000_000, "the clock to go on")
        # moved, and back at the start after a reset; the clock too
        drive = rospy.Publisher("/ur5_velocity_controller/command", Float64MultiArray, queue_size=1)
        wait_for(lambda: drive.get_num_connections() > 0, "a subscriber")
        drive.publish(Float64MultiArray(data=[0.5, 0, 0, 0, 0, 0]))
        wait_for(lambda: pan() > 0.1, "motion")
        import actionlib
        from control_msgs.msg import FollowJointTrajectoryAction, FollowJointTrajectoryGoal

        arm = actionlib.SimpleActionClient(ACTION, FollowJointTrajectoryAction)
        wait_for(lambda: arm.wait_for_server(rospy.Duration(0.5)), "the action server")
        arm.send_goal(FollowJointTrajectoryGoal(trajectory=trajectory(1.0, 20.0)))
        wait_for(lambda: arm.get_state() == 1, "the goal to be accepted")
        past = clock[-1]
        holds(service("/longarm/reset", Trigger).success, "no reset")
        wait_for(lambda: clock[-1] < past and state[-1] == "running", "the cell to begin again")
        wait_for(lambda: abs(pan()) < 1e-6, "the arm at home")
        wait_for(lambda: arm.get_state() == 4, "the goal to be aborted")
        equal(cell.node.poll(), None, "longarm-ros")


def case_bags_are_recorded_and_played(longarm):
    import rosbag

    with RosCell(longarm, "ur5-ros"):
        recorder = start("rosbag", "record", "-O", "cell.bag", "/joint_states", "/tf", "/tf_static", "/clock")
        wait_for(lambda: pathlib.Path("cell.bag.active").exists() and
                 pathlib.Path("cell.bag.active").stat().st_size > 300_000, "a bag to grow")
        end(recorder)
        wait_for(lambda: pathlib.Path("cell.bag").exists(), "the bag")
        told = ask("rosbag", "info", "cell.bag")
        holds("sensor_msgs/JointState [3066dcd76a6cfaef579bd0f34173e9fd]" in told, told)
        with rosbag.Bag("cell.bag") as bag:
            recorded = [each for _, each, _ in bag.read_messages("/joint_states")]
        gaps = {(later.header.stamp - earlier.header.stamp).to_nsec() for earlier, later in zip(recorded, recorded[1:])}
        holds(len(recorded) > 50 and 8_000_000 in gaps and all(gap % 8_000_000 == 0 for gap in gaps), sorted(gaps))
    # without the cell
    with Master():
        from sensor_msgs.msg import JointState

        rospy = node("player_test")
        played = []
        rospy.Subscriber("/joint_states", JointState, played.append, queue_size=5000)
        player = start("rosbag", "play", "--clock", "--wait-for-subscribers", "--topics", "/joint_states", "--bags", "cell.bag")
        try:
            wait_for(lambda: len(played) >= 50, "played messages")
        finally:
            end(player)
        equal([each.position for each in played[:50]], [each.position for each in recorded[:50]])


# --- when something is missing


def case_what_is_missing_is_said(longarm):
    def tried(*words, **environment):
        done = subprocess.run([LONGARM_ROS, *words], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "ROS_MASTER_URI": f"http://127.0.0.1:{free_port()}", **environment})
        return done.returncode, done.stderr, done.stdout

    code, _, help_text = tried("--help")
    holds(code == 0 and "roscore" in help_text and "Exit code" in help_text, help_text)
    nobody = f"127.0.0.1:{free_port()}"
    equal(tried(nobody)[:2], (2, f"longarm-ros: error: no cell: {nobody}: Connection refused\n"
                                 "  hint: start one with `longarm serve ur5-ros`; --wait waits for it\n"))
    equal(tried("a:b:c")[0], 2)
    equal(tried("--colck")[0], 2)
    equal(tried("127.0.0.1:0")[:2], (2, "longarm-ros: error: '127.0.0.1:0' is no address\n"
                                        "  hint: give HOST:PORT, HOST or PORT, e.g. 127.0.0.1:11511\n"))
    with RosCell(longarm, "ur5-ros") as cell:
        address = f"127.0.0.1:{cell.cell.ports['ros']}"
        # no master
        code, words, _ = tried(address)
        holds(code == 2 and "no ROS master at http://127.0.0.1:" in words and "start one with roscore" in words, words)
        # the cell ends
        cell.cell.process.terminate()
        equal(cell.node.wait(30), 1)
        holds(f"error: the cell at {address} is gone: it closed the connection" in cell.words(), cell.words())
    with RosCell(longarm, "ur5-ros") as cell:
        # the master ends
        end(cell.master.process)
        equal(cell.node.wait(60), 1)
        holds("error: the ROS master at http://127.0.0.1:" in cell.words(), cell.words())


def case_ctrl_c_ends_it(longarm):
    with RosCell(longarm, "ur5-ros") as cell:
        cell.node.send_signal(signal.SIGINT)
        equal(cell.node.wait(30), 0, cell.words())


if __name__ == "__main__":
    sys.exit(main(globals()))
