#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""An ordinary client of an action: sends a UR5 somewhere, 2 s after the start of the simulation, and says how long that
took. It knows nothing of Longarm."""

import time

import actionlib
import rospy
from control_msgs.msg import FollowJointTrajectoryAction, FollowJointTrajectoryGoal
from trajectory_msgs.msg import JointTrajectoryPoint

JOINTS = ["shoulder_pan_joint", "shoulder_lift_joint", "elbow_joint", "wrist_1_joint", "wrist_2_joint", "wrist_3_joint"]
START_NS = (946_684_800 + 2) * 10**9  # programs see the year 2000 begin

rospy.init_node("client")
arm = actionlib.SimpleActionClient("/ur5_controller/follow_joint_trajectory", FollowJointTrajectoryAction)
arm.wait_for_server()
goal = FollowJointTrajectoryGoal()
goal.trajectory.joint_names = JOINTS
goal.trajectory.points = [JointTrajectoryPoint(positions=[0.05, -1.57, 1.57, -1.57, -1.57, 0], time_from_start=rospy.Duration(0.5))]
time.sleep((START_NS - time.time_ns()) / 1e9)
sent_ns = time.time_ns()
arm.send_goal(goal)
arm.wait_for_result()
print(f"sent at {sent_ns}, error code {arm.get_result().error_code} after {time.time_ns() - sent_ns} ns")
