#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes one gear off the belt of a served cell, with nothing but sockets:

    longarm serve ur5-belt-live
    python3 take_a_gear.py

It looks through the camera (lines of JSON), moves the arm by URScript at its real-time port, and closes the gripper at the port of
its maker's software. What it knows of the cell beforehand is in the constants below."""
import argparse
import json
import math
import socket
import struct
import sys

ARM_BASE = (0.0, -0.62, 0.8)     # in the world; the controller's base is turned by half a turn about z
TCP = 0.14                       # of the tool's point, from the flange
GRASP_HEIGHT = 0.953             # of the tool's point, when it holds a gear that lies on the belt
CRATE = (0.48, -0.62, 0.98)      # where to let go
WINDOW = (-0.25, 0.15)           # along the belt: take it there
HOVER_S, DESCENT_S = 1.2, 0.4
ACCELERATION = 4.0
TOOL_DOWN = (math.pi / math.sqrt(2), -math.pi / math.sqrt(2), 0.0)  # fingers across the belt
CLOCK_OFFSET_S = 40.0            # the controller was started so long before the simulation


def pose(x, y, z):
    """A place in the world as the arm's controller has it."""
    numbers = (ARM_BASE[0] - x, ARM_BASE[1] - y, z - ARM_BASE[2], *TOOL_DOWN)
    return "p[" + ",".join(f"{number:.6f}" for number in numbers) + "]"


class Arm:
    def __init__(self, port):
        self.link = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.size = None

    def status(self):
        """Time of the simulation and height of the tool's point in the world, from the newest packet."""
        if self.size is None:
            self.size = struct.unpack("!i", self.link.recv(4, socket.MSG_PEEK | socket.MSG_WAITALL))[0]
        packet = self.link.recv(self.size, socket.MSG_WAITALL)
        time_s, = struct.unpack_from("!d", packet, 4)
        x, y, z = struct.unpack_from("!ddd", packet, 444)
        return time_s - CLOCK_OFFSET_S, (ARM_BASE[0] - x, ARM_BASE[1] - y, ARM_BASE[2] + z)

    def run(self, *moves):
        lines = [f"set_tcp(p[0,0,{TCP},0,0,0])", *moves]
        self.link.sendall(("def way():\n" + "".join(f"  {line}\n" for line in lines) + "end\n").encode())

    def wait(self, is_there, seconds=10.0):
        begun, where = self.status()
        now = begun
        while not is_there(where):
            now, where = self.status()
            if now - begun > seconds:
                sys.exit(f"the arm did not come there: it is at {where}")


class Gripper:
    def __init__(self, port):
        self.link = socket.create_connection(("127.0.0.1", port), timeout=60)

    def ask(self, line):
        self.link.sendall(line.encode() + b"\n")
        return self.link.recv(64).decode()

    def go(self, position):
        """Until the fingers stand: 2, they hold something; 3, they are where they were told to go."""
        assert self.ask(f"SET POS {position} SPE 255 FOR 0 GTO 1") == "ack"
        while (answer := self.ask("GET OBJ")) == "OBJ 0":
            pass
        return int(answer.split()[1])


def gears(port):
    """(time, place) of the foremost gear on the belt, frame by frame."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as link, link.makefile() as lines:
        for line in lines:
            frame = json.loads(line)
            on_belt = [(part["position_m"], part["name"]) for part in frame["parts"]
                       if abs(part["position_m"][2] - 0.91) < 0.02 and part["position_m"][0] < WINDOW[0]]
            if on_belt:
                place, name = max(on_belt)
                yield frame["stamp_s"], place, name


def choose(port):
    """The first gear that is near enough, and how fast it comes."""
    first = {}
    for time_s, place, name in gears(port):
        since, start = first.setdefault(name, (time_s, place))
        if time_s - since > 2.0 and place[0] > WINDOW[0] - 0.25:
            return time_s, place, name, (place[0] - start[0]) / (time_s - since)
    sys.exit("the camera has nothing more to say")


def take_one(ports):
    arm, gripper = Arm(ports.arm), Gripper(ports.gripper)
    gripper.go(120)
    seen_s, (x, y, _), name, speed = choose(ports.camera)
    arm = Arm(ports.arm)  # a new connection, so that its first packet is a new one
    now, _ = arm.status()
    grasp_x = x + speed * (now + HOVER_S + DESCENT_S - seen_s) + speed**2 / (2 * ACCELERATION)
    arm.run(f"movel({pose(grasp_x, y, GRASP_HEIGHT + 0.08)}, t={HOVER_S})", f"movel({pose(grasp_x, y, GRASP_HEIGHT)}, t={DESCENT_S})",
            f"movel({pose(grasp_x + 1.5 * speed, y, GRASP_HEIGHT)}, a={ACCELERATION}, v={speed:.4f})")
    arm.wait(lambda where: where[2] < GRASP_HEIGHT + 0.002)
    if gripper.go(255) != 2:
        sys.exit(f"{name} was not there any more: the gripper closed on nothing")
    arm = Arm(ports.arm)
    _, (x, y, z) = arm.status()
    arm.run(f"movel({pose(x, y, z + 0.12)}, t=0.5)", f"movel({pose(*CRATE[:2], z + 0.12)}, t=1.8)", f"movel({pose(*CRATE)}, t=0.6)")
    arm.wait(lambda where: math.dist(where, CRATE) < 0.003)
    if gripper.ask("GET OBJ") != "OBJ 2":
        sys.exit(f"{name} was lost on the way")
    gripper.go(120)
    print(f"{name} is in the crate; the belt runs at {speed:.3f} m/s")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--arm", type=int, default=30003)
    parser.add_argument("--gripper", type=int, default=63352)
    parser.add_argument("--camera", type=int, default=64451)
    take_one(parser.parse_args())
