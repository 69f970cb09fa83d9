#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicts the cycle times of a control loop and measures them: eight real processes in network namespaces.

Calibrates, measures and simulates within the same minute, on the same machine, several times over, and sets the two
distributions side by side. Exit code 0: the means agree within --within; 1: they do not; 77: this machine does not allow it.
"""

import argparse
import csv
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

import figures
from namespaces import NotPossible, Star

HERE = pathlib.Path(__file__).resolve().parent
SCENARIO = HERE / "control_loop.yaml"
# in the order of the scenario's hosts pc1 … pc8
COMPONENTS = ["TCPControlUnit", "RobotState", "KinematicUnit", "KinematicModel", "StateChart", "RemoteRobot", "Observer", "WorkingMemory"]
LOOPS = ["TCPControlUnit", "StateChart", "Observer"]
NAMES_PORT = 7401


def wait_for_ready(process, what):
    line = process.stdout.readline()
    if not line.startswith("ready"):
        raise SystemExit(f"{what} did not start {line}")


def calibrate(longarm, star, options, folder):
    """Between two of the namespaces, with the pauses and as many calls in a row as the loop has."""
    server = subprocess.Popen(star.command(0, [longarm, "calibrate", "--serve", f"{star.addresses[0]}:7400", "--servers", "3"],
                                            options.priority),
                              stdout=subprocess.PIPE, text=True)
    try:
        wait_for_ready(server, "the calibration's server")
        words = [longarm, "calibrate", "--to", f"{star.addresses[0]}:7400", "--listen", star.addresses[1], "--out", str(folder),
                 "--pause-us", "10000", "--count", str(options.count), "--sizes", "32,128,512,1200,4000", "--seconds", str(options.seconds / 4),
                 str(SCENARIO)]
        done = subprocess.run(star.command(1, words, options.priority), capture_output=True, text=True, check=True, timeout=300)
        print(done.stdout)
    finally:
        server.kill()
        server.wait()


def measure(longarm, star, options, folder):
    """All components as processes; time zero is the same for all, a little ahead."""
    epoch_ns = time.monotonic_ns() + int(options.start_within * 1e9)
    names = f"{star.addresses[0]}:{NAMES_PORT}"
    processes = []
    try:
        for i, component in enumerate(COMPONENTS):
            words = [longarm, "node", str(SCENARIO), "--component", component, "--listen", star.addresses[i], "--names", names,
                     "--epoch", str(epoch_ns), "--seconds", str(options.seconds), "--out", str(folder)]
            words += ["--serve-names"] if i == 0 else []
            # those that end last complain that the others are gone
            with open(folder / f"log_{component}.txt", "w", encoding="utf-8") as log:
                process = subprocess.Popen(star.command(i, words, options.priority), stdout=subprocess.PIPE, stderr=log, text=True)
            processes.append(process)
            if i == 0:
                wait_for_ready(process, component)
        for process, component in zip(processes[1:], COMPONENTS[1:]):
            wait_for_ready(process, component)
        if time.monotonic_ns() > epoch_ns:
            raise SystemExit("the processes took too long to start; give a longer --start-within")
        for process in processes:
            process.wait(timeout=options.seconds + 60)
    finally:
        for process in processes:
            process.kill()
            process.wait()


def predict(longarm, options, folder, calibration):
    times = (calibration / "options.txt").read_text().split()
    for component in LOOPS:
        words = [longarm, "run", str(SCENARIO), "--out", str(folder / component), "--json", "--set", f"actors.system.measure={component}",
                 "--set", f"length={options.seconds}s", *times]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
        if done.returncode != 0:
            raise SystemExit(f"longarm run: {done.stderr}")


def cycle_times(path, length_s):
    """In seconds, without the first half second and the end, when others may already have ended."""
    with open(path, encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if 0.5 <= float(row["started_s"]) < length_s - 0.1]
    if any(row["failed"] == "1" for row in rows):
        raise SystemExit(f"{path}: calls failed")
    return [float(row["seconds"]) for row in rows]


def gather(folder, options, kind, file):
    """The cycles of all rounds."""
    values = []
    for number in range(options.rounds):
        values += cycle_times(folder / f"round{number + 1}" / kind / file, options.seconds)
    return values


def report(folder, options):
    worst = 0.0
    for component in LOOPS:
        predicted = gather(folder, options, "predicted", f"{component}/cycles.csv")
        measured = gather(folder, options, "measured", f"cycles_{component}.csv")
        named = {"predicted": figures.summary(predicted), "measured": figures.summary(measured)}
        print(f"{component}: cycle time / ms")
        print(f"  {'':10} {'cycles':>7} {'mean':>8} {'SD':>8} {'p50':>8} {'p90':>8} {'p99':>8}")
        for name, row in named.items():
            print(f"  {name:10} {row['count']:7d} " + " ".join(f"{row[key]:8.4f}" for key in ("mean", "sd", "p50", "p90", "p99")))
        error = named["predicted"]["mean"] / named["measured"]["mean"] - 1
        print(f"  the predicted mean is {100 * error:+.1f} % off\n")
        worst = max(worst, abs(error))
        figures.distributions(folder / f"cycles_{component}.svg", f"{component}: predicted and measured",
                              {"predicted": predicted, "measured": measured})
    print(f"figures in {folder}")
    return worst


def can_have_priority():
    has_priority = subprocess.run(["chrt", "-f", "20", "true"], capture_output=True, check=False).returncode == 0
    if not has_priority:
        print("no real-time priority here: other programs will disturb", file=sys.stderr)
    return has_priority


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("longarm", help="the program")
    parser.add_argument("--out", default="validation", help="folder for everything that is measured")
    parser.add_argument("--rounds", type=int, default=4, help="how often to calibrate and measure: machines drift")
    parser.add_argument("--seconds", type=float, default=10.0, help="how long the loop runs in each")
    parser.add_argument("--count", type=int, default=300, help="round trips of each size, for each calibration")
    parser.add_argument("--start-within", type=float, default=6.0, help="time for all processes to start")
    parser.add_argument("--within", type=float, default=0.10, help="how far means may be apart, as a share")
    parser.add_argument("--no-priority", dest="priority", action="store_false", help="run without a real-time priority")
    parser.add_argument("--mechanics", action="store_true", help="only show that it works; noise does not count")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # namespaces go away all the same
    folder = pathlib.Path(options.out).resolve()
    longarm = str(pathlib.Path(options.longarm).resolve())
    try:
        with Star(len(COMPONENTS)) as star:
            options.priority = options.priority and can_have_priority()
            for number in range(options.rounds):
                here = folder / f"round{number + 1}"
                shutil.rmtree(here, ignore_errors=True)  # of an earlier time
                (here / "measured").mkdir(parents=True, exist_ok=True)
                print(f"round {number + 1}: {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
                calibrate(longarm, star, options, here / "calibration")
                measure(longarm, star, options, here / "measured")
    except NotPossible as problem:
        print(f"skipped: {problem}", file=sys.stderr)
        return 77
    for number in range(options.rounds):
        here = folder / f"round{number + 1}"
        predict(longarm, options, here / "predicted", here / "calibration")
    worst = report(folder, options)
    return 0 if options.mechanics or worst <= options.within else 1


if __name__ == "__main__":
    sys.exit(main())
