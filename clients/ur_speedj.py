#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Drives a UR robot by velocity, 125 times a second, and shows what a network between costs.

    ur_speedj.py drive 127.0.0.1:30003 direct          a sine on wrist 3 for 10 s; what happened is in direct/
    ur_speedj.py drive 127.0.0.1:40003 relayed         the same through a relay
    ur_speedj.py compare direct relayed                by how much commands and states were later

The robot is one that speaks UR's real-time port: a real one, its vendor's simulator, or `longarm serve ur5-live`. Only
the standard library is needed. A real robot moves: keep clear of it.

How the delay is found. For each packet of the status stream, its arrival minus the controller's time is one way plus a
constant, which is that of the two clocks. For commands: each has a velocity of its own, so that the stream shows in
which cycle of 8 ms the robot followed it. It had come by the beginning of that cycle, and not by the beginning of the
one before: two bounds, 8 ms apart, of the other way minus the constant. Commands are sent every 8.0064 ms, so that over
10 s their phase goes once through a whole cycle and some come just in time, some just too late; the delay that
contradicts the fewest bounds, by the least, is the median of them all. The constants cancel between two drives during
which the robot was not restarted and the two clocks kept together (20 ppm are 0.2 ms in 10 s; on one computer there is
only one clock).
"""

import argparse
import csv
import json
import math
import pathlib
import select
import socket
import struct
import sys
import time

CYCLE_S = 0.008
# 1250 of them are 10 s, and drift by a whole cycle against the robot's
PERIOD_S = CYCLE_S * (1 + 1 / 1250)
# of the real-time packet, in bytes: docs/reference/ur.md
TIMESTAMP_AT, Q_TARGET_AT, QD_TARGET_AT, Q_ACTUAL_AT = 4, 12, 60, 252
LEAST_PACKET, LARGEST_PACKET = 756, 4096
# velocities are multiples of 1e-8 rad/s whose last four digits are the command's number
TICK_RAD_S, NUMBERS = 1e-8, 10_000
TRIMMED = 0.2
GROUPS = 10


class Problem(Exception):
    """Something to tell the user."""


def velocity_of(number, amplitude_rad_s, frequency_hz):
    """A sine, rounded, with the number in its last digits."""
    wanted = amplitude_rad_s * math.sin(2 * math.pi * frequency_hz * number * PERIOD_S)
    return (round(wanted / TICK_RAD_S / NUMBERS) * NUMBERS + number % NUMBERS) * TICK_RAD_S


class StatusStream:
    """Packets out of bytes, however they are cut."""

    def __init__(self):
        self.bytes = b""

    def feed(self, piece):
        self.bytes += piece
        packets = []
        while len(self.bytes) >= 4:
            size = struct.unpack_from(">i", self.bytes)[0]
            if not LEAST_PACKET <= size <= LARGEST_PACKET:
                raise Problem(f"a packet of {size} bytes: this is no real-time port (30003 on a real robot)")
            if len(self.bytes) < size:
                break
            packets.append(self.bytes[:size])
            self.bytes = self.bytes[size:]
        return packets


class Drive:
    """One connection, one thread: sends when a command is due, reads in between."""

    def __init__(self, options):
        host, _, port = options.robot.rpartition(":")
        if not port.isdecimal() or not 0 < int(port) < 65536:
            raise Problem(f"'{options.robot}' is no HOST:PORT, e.g. 127.0.0.1:30003")
        self.options = options
        self.link = socket.create_connection((host or "127.0.0.1", int(port)), timeout=10)
        self.link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = StatusStream()
        self.commands = []
        self.status = []

    def read_until(self, deadline):
        """At least what is there; returns when it is time to send."""
        while True:
            patience = max(0.0, deadline - time.monotonic())
            if not select.select([self.link], [], [], patience)[0]:
                return
            piece = self.link.recv(65536)
            arrival = time.monotonic()
            if not piece:
                raise Problem("the robot has hung up")
            for packet in self.stream.feed(piece):
                self.status.append((arrival, *self.fields_of(packet)))

    def fields_of(self, packet):
        joint = 8 * self.options.joint
        return [struct.unpack_from(">d", packet, at)[0]
                for at in (TIMESTAMP_AT, Q_TARGET_AT + joint, QD_TARGET_AT + joint, Q_ACTUAL_AT + joint)]

    def say(self, text):
        self.link.sendall(text.encode())

    def speedj(self, number):
        options = self.options
        velocities = ["0"] * 6
        velocity = velocity_of(number, options.amplitude, options.frequency)
        velocities[options.joint] = f"{velocity:.8f}"
        text = f"speedj([{','.join(velocities)}],{options.acceleration},{options.time})\n"
        self.commands.append((time.monotonic(), number, f"{velocity:.8f}"))
        self.say(text)

    def run(self):
        start = time.monotonic() + 0.2  # the stream is flowing by then
        for number in range(round(self.options.seconds / PERIOD_S)):
            self.read_until(start + number * PERIOD_S)
            self.speedj(number)
        self.read_until(time.monotonic() + self.options.linger)
        self.say("stopj(2.0)\n")
        self.read_until(time.monotonic() + 0.2)
        self.link.close()

    def write(self):
        folder = pathlib.Path(self.options.folder)
        folder.mkdir(parents=True, exist_ok=True)
        for name, head, rows in (
                ("commands.csv", ["sent_s", "number", "velocity_rad_s"], self.commands),
                ("status.csv", ["arrived_s", "timestamp_s", "q_target_rad", "qd_target_rad_s", "q_actual_rad"],
                 self.status)):
            with open(folder / name, "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(head)
                writer.writerows(rows)


def drive(options):
    run = Drive(options)
    run.run()
    run.write()
    print(f"{len(run.commands)} commands, {len(run.status)} packets in {options.folder}/")


def read_rows(path):
    try:
        with open(path, newline="") as file:
            return [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    except (TypeError, ValueError) as problem:
        raise Problem(f"{path} is not what `drive` writes: {problem}") from None


def command_delays(folder):
    """Of each command that was followed: the latest that it can have taken, by the controller's clock."""
    commands = {int(row["number"]): row for row in read_rows(folder / "commands.csv")}
    last, before_s, delays = -1, None, []
    for packet in read_rows(folder / "status.csv"):
        number = round(packet["qd_target_rad_s"] / TICK_RAD_S) % NUMBERS
        is_next = before_s is not None and packet["timestamp_s"] - before_s < 1.5 * CYCLE_S
        before_s = packet["timestamp_s"]
        command = commands.get(number)
        if number <= last or not command or abs(command["velocity_rad_s"] - packet["qd_target_rad_s"]) > 1e-9:
            continue  # seen already, or none of ours: the robot speeds up or stops
        last = number
        if is_next:  # otherwise an earlier packet, which we did not get, may have shown it
            delays.append(packet["timestamp_s"] - CYCLE_S - command["sent_s"])
    return delays


def status_delays(folder):
    return [row["arrived_s"] - row["timestamp_s"] for row in read_rows(folder / "status.csv")]


def trimmed_mean(values):
    """Without the fifth at each end, which a busy computer spoils; and its standard error."""
    ordered = sorted(values)
    cut = int(TRIMMED * len(ordered))
    kept = ordered[cut:len(ordered) - cut]
    mean = sum(kept) / len(kept)
    winsorised = [kept[0]] * cut + kept + [kept[-1]] * cut
    centre = sum(winsorised) / len(winsorised)
    variance = sum((value - centre) ** 2 for value in winsorised) / (len(winsorised) - 1)
    return mean, math.sqrt(variance / len(winsorised)) / (1 - 2 * TRIMMED)


def median_of_bounds(latest):
    """The middle of all bounds, each of `latest` and the one a cycle before; and its standard error, from groups."""

    def middle(values):
        bounds = sorted(values + [value - CYCLE_S for value in values])
        return (bounds[len(values) - 1] + bounds[len(values)]) / 2

    groups = [middle(latest[first::GROUPS]) for first in range(GROUPS)]
    mean = sum(groups) / GROUPS
    return middle(latest), math.sqrt(sum((each - mean) ** 2 for each in groups) / (GROUPS - 1) / GROUPS)


def difference(estimate, direct, relayed):
    if min(len(direct), len(relayed)) < 20:
        raise Problem(f"too little to compare: {len(direct)} and {len(relayed)} values")
    (first, first_error), (second, second_error) = estimate(direct), estimate(relayed)
    return {"delay_s": second - first, "standard_error_s": math.hypot(first_error, second_error),
            "direct": len(direct), "relayed": len(relayed)}


def compare(options):
    folders = pathlib.Path(options.direct), pathlib.Path(options.relayed)
    found = {"commands": difference(median_of_bounds, *map(command_delays, folders)),
             "status": difference(trimmed_mean, *map(status_delays, folders))}
    if options.json:
        print(json.dumps(found, indent=2))
        return
    for name, each in found.items():
        print(f"{name:8} {1e3 * each['delay_s']:8.3f} ms later, standard error {1e3 * each['standard_error_s']:.3f} ms, "
              f"of {each['direct']} direct and {each['relayed']} relayed")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = parser.add_subparsers(required=True, metavar="drive|compare")
    word = words.add_parser("drive", help="send speedj at 125 Hz, read the status stream, write both down")
    word.add_argument("robot", metavar="HOST:PORT", help="the real-time port, 30003 on a real one")
    word.add_argument("folder", help="for commands.csv and status.csv")
    word.add_argument("--seconds", type=float, default=10.0)
    word.add_argument("--joint", type=int, default=5, choices=range(6), help="0 is the base, 5 is wrist 3")
    word.add_argument("--amplitude", type=float, default=0.2, help="rad/s")
    word.add_argument("--frequency", type=float, default=0.25, help="Hz")
    word.add_argument("--acceleration", type=float, default=5.0, help="rad/s², of speedj")
    word.add_argument("--time", type=float, default=0.2, help="s, after which the robot gives a speedj up")
    word.add_argument("--linger", type=float, default=0.15, help="s, to see the last commands followed")
    word.set_defaults(do=drive)
    word = words.add_parser("compare", help="by how much the second drive was later than the first")
    word.add_argument("direct")
    word.add_argument("relayed")
    word.add_argument("--json", action="store_true")
    word.set_defaults(do=compare)
    options = parser.parse_args()
    try:
        options.do(options)
    except Problem as problem:
        parser.exit(2, f"error: {problem}\n")
    except KeyError as problem:
        parser.exit(2, f"error: a file without the column {problem}: not what `drive` writes\n")
    except OSError as problem:
        what = f"{problem.filename}: " if problem.filename else f"{getattr(options, 'robot', '')}: "
        parser.exit(2, f"error: {what}{problem.strerror or problem}\n")


if __name__ == "__main__":
    main()
