#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ARMAR's loop as programs of ZeroC Ice: as real processes in network namespaces, and unmodified in simulated time.

Measures what a call costs here that computes nothing, runs the programs by wall time and in simulated time with that
cost, for each placement of Krauß et al. (2018), and prints the table. Exit code 0: the means agree within --within;
1: they do not; 77: this machine does not allow it.
"""

import argparse
import csv
import io
import json
import math
import os
import pathlib
import shutil
import signal
import statistics
import subprocess
import sys
import time

import figures
from namespaces import NotPossible, SwitchedStar
from validate import can_have_priority

# programs, and the objects that others look for in them
PROGRAMS = {"TCPControlUnit": ["TCPControlUnit"], "RobotState": ["RobotStateComponent", "RemoteRobot"], "KinematicUnit": ["KinematicUnit"],
            "Rectangle": [], "KinematicUnitObserver": [], "IceStorm": []}
# those that measure what a call costs, and what runs meanwhile
ECHOES = {"Echo1": ["Echo1"], "Echo2": ["Echo2"]}
MEASURING = ["Asker", *ECHOES, "RobotState", "KinematicUnit", "KinematicUnitObserver", "IceStorm"]
# which program runs where, counted from 0; what is not named is on the first host
PLACEMENTS = {"together": {}, "KinematicUnit isolated": {"KinematicUnit": 1}, "robot information isolated": {"RobotState": 1},
              "separate": {name: place for place, name in enumerate(PROGRAMS)}}
# ms; Krauß et al. (2018), simulated but for the last
PUBLISHED = {"together": 0.88, "KinematicUnit isolated": 1.13, "robot information isolated": 1.56, "separate": 1.79}
MEASURED_BY_THEM = 2.122
# as in scenarios/armar-rectangle.yaml: µs before scaling, the scale, and the variation
EXECUTION_US = {"getSynchronizedRobot": 80, "getConfig": 60, "switchControlMode": 40, "setJointVelocities": 50, "setTCPVelocity": 30}
# of a call of which only the rest is measured: a caller that has slept for longer wakes more slowly
EXECUTION_US["ask"] = statistics.mean(EXECUTION_US.values())
SCALE, VARIATION = 1.5, 0.35
# in ms
PERIODS = {"TCPControlUnit": (30, 3.1), "Rectangle": (5, 1.3), "KinematicUnit": (5, 0), "Asker": (30, 3.1)}
PORTS = {name: 10000 + 10 * place for place, name in enumerate([*PROGRAMS, *ECHOES])}
NAMES = {"virtual": "simulated time", "real": "processes"}
SETTLE_S = 0.2
ALL_JOINTS = 43
BYTES_OF_JOINT = 1 + len("joint_of_body_00") + 8


# the simulated arm, on the host of KinematicUnit, and where it takes commands
ARM = {"kind": "armar-arm", "model": "armar3", "hand": "tcp_l", "positions_deg": [0, -20, 0, 0, 0, 0, 0],
       "path_m": [[-0.36, 0.5, 1.06], [-0.52, 0.5, 1.06], [-0.52, 0.5, 1.18], [-0.36, 0.5, 1.18]], "drives_port": 7100}


class Setting:
    """How the programs are run: for how long, how far apart their hosts are, how computing times vary, and whether they move
    the simulated arm."""

    def __init__(self, seconds, delay_us, variation, has_arm=False):
        self.seconds, self.delay_us, self.variation, self.has_arm = seconds, delay_us, variation, has_arm


def address(place):
    return f"10.0.0.{place + 1}"


def properties(setting, places, computing, epoch_ns):
    """Of all programs, in one file."""
    lines = [f"Armar.Epoch={epoch_ns}", f"Armar.Length={setting.seconds * 1e3}", f"Armar.Computing={computing}",
             f"Armar.Variation={setting.variation}", f"Armar.Start={setting.seconds * 500}",
             # one thread for each who may call at the same time
             "Ice.ThreadPool.Server.Size=4", "Ice.IPv6=0", "Ice.Warn.Connections=0"]
    lines += [f"Armar.Drives=127.0.0.1 {ARM['drives_port']}"] if setting.has_arm else []
    lines += [f"Armar.Execution.{method}={us * SCALE:.3f}" for method, us in EXECUTION_US.items()]
    for name, (period, phase) in PERIODS.items():
        lines += [f"Armar.Period.{name}={period}", f"Armar.Phase.{name}={phase}"]
    for name, objects in {**PROGRAMS, **ECHOES}.items():
        endpoint = f"tcp -h {address(places.get(name, 0))} -p {PORTS[name]}"
        if name == "IceStorm":
            lines.append(f"Armar.Proxy.TopicManager=IceStorm/TopicManager:{endpoint}")
        elif name != "Rectangle":
            lines.append(f"{name}.Endpoints={endpoint}")
        lines += [f"Armar.Proxy.{each}={each}:{endpoint}" for each in objects]
    return "\n".join([*lines, ""])


def storm_properties(places):
    host, port = address(places.get("IceStorm", 0)), PORTS["IceStorm"]
    return "\n".join([f"IceStorm.TopicManager.Endpoints=tcp -h {host} -p {port}", f"IceStorm.Publish.Endpoints=tcp -h {host} -p {port + 1}",
                      "IceStorm.InstanceName=IceStorm", "IceStorm.Transient=1", "Ice.IPv6=0", ""])


def command(options, name, folder):
    if name == "IceStorm":
        return ["icebox", f"--IceBox.Service.IceStorm=IceStormService,37:createIceStorm --Ice.Config={folder}/storm.config", "--Ice.IPv6=0"]
    return [options.armar_ice, name, f"--Ice.Config={folder}/armar.config"]


def write_properties(folder, setting, places, computing, epoch_ns):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "armar.config").write_text(properties(setting, places, computing, epoch_ns))
    (folder / "storm.config").write_text(storm_properties(places))


def cycle_times(path):
    """(calls, seconds) of each cycle, without the first ones."""
    rows = csv.DictReader(io.StringIO(pathlib.Path(path).read_text()))
    return [(int(row["calls"]), float(row["seconds"])) for row in rows if float(row["started_s"]) >= SETTLE_S]


# --- by wall time -----------------------------------------------------------------------------------


def serve_arm(options, star, place, folder):
    """The simulated arm in real time, for programs of the same host."""
    (folder / "arm.yaml").write_text(json.dumps({"actors": {"arm": ARM}}))
    words = [options.longarm, "serve", str(folder / "arm.yaml"), "--out", str(folder / "out")]
    process = subprocess.Popen(star.command(place, words, options.priority), stdout=subprocess.PIPE, text=True)
    if not process.stdout.readline().startswith("arm.drives"):
        raise SystemExit("the arm does not start")
    return process


def run_really(options, star, setting, places, names, measured, folder):
    epoch_ns = time.monotonic_ns() + int(options.start_within * 1e9)
    write_properties(folder, setting, places, "burn", epoch_ns)
    processes = {}
    try:
        if setting.has_arm:
            processes["arm"] = serve_arm(options, star, places.get("KinematicUnit", 0), folder)
        for name in sorted(names, key=lambda each: each != "IceStorm"):
            with open(folder / f"{name}.stdout.txt", "w", encoding="utf-8") as out, open(folder / f"{name}.stderr.txt", "w", encoding="utf-8") as err:
                words = star.command(places.get(name, 0), command(options, name, folder), options.priority)
                processes[name] = subprocess.Popen(words, stdout=out, stderr=err)
        if processes[measured].wait(timeout=options.start_within + setting.seconds + 30) != 0:
            raise SystemExit(f"{measured}: {(folder / f'{measured}.stderr.txt').read_text()}")
        if setting.has_arm:
            processes["arm"].terminate()  # it writes its results
            processes["arm"].wait(timeout=30)
    finally:
        for process in processes.values():
            process.kill()
            process.wait()
    return cycle_times(folder / f"{measured}.stdout.txt")


# --- in simulated time ------------------------------------------------------------------------------


# which program computes when it receives which request
COMPUTES = {"RobotState": ["getSynchronizedRobot", "getConfig"], "KinematicUnit": ["switchControlMode", "setJointVelocities"],
            "TCPControlUnit": ["setTCPVelocity"], "Echo1": ["ask"], "Echo2": ["ask"]}


def charges(setting, name, folder):
    """Computing of a program that knows nothing of it: its methods are recognised in the bytes that it receives."""
    sigma = math.sqrt(math.log1p(setting.variation**2))
    values = [math.exp(sigma * statistics.NormalDist().inv_cdf((i + 0.5) / 1000) - 0.5 * sigma**2) for i in range(1000)]
    (folder / "variation.csv").write_text("seconds\n" + "".join(f"{value}\n" for value in values))
    return {method: {"contains": [method], "time": {"file": str(folder / "variation.csv"), "scale": EXECUTION_US[method] * SCALE * 1e-6}}
            for method in COMPUTES.get(name, [])}


def scenario(options, setting, places, names, measured, costs, seed, folder):
    """One host for each place, and the programs on them. YAML reads JSON."""
    hosts = max(2, 1 + max(places.get(name, 0) for name in names))
    actors = {name: {"kind": "program", "host": f"pc{places.get(name, 0) + 1}", "command": command(options, name, folder)} for name in names}
    actors[measured]["expect_exit"] = 0
    for name, actor in actors.items():
        actor.update({"charges": charges(setting, name, folder)} if options.charges and name in COMPUTES else {})
    if setting.has_arm:
        actors["arm"] = {**ARM, "host": actors["KinematicUnit"]["host"]}
    return json.dumps({
        "length": f"{setting.seconds + 10}s", "seed": seed, "actors": actors,
        # half of the delay on either side of the switch
        "network": {"star": {"hosts": hosts, "rate": "10Gbit", "propagation": f"{setting.delay_us / 2}us"}, "host_defaults": costs}}, indent=1)


def run_virtually(options, setting, places, names, measured, costs, seed, folder, changes=()):
    # before that they find each other
    write_properties(folder, setting, places, "charged" if options.charges else "wait", 2_000_000_000)
    (folder / "scenario.yaml").write_text(scenario(options, setting, places, names, measured, costs, seed, folder))
    words = [options.longarm, "run", str(folder / "scenario.yaml"), "--out", str(folder / "out"), *(word for each in changes for word in ("--set", each))]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)}: {done.stderr}")
    return cycle_times(folder / "out" / f"{measured}.stdout.txt")


# --- what a call costs ------------------------------------------------------------------------------


def mean_s(cycles):
    return statistics.mean([seconds for _, seconds in cycles])


def per_call_s(cycles, joints):
    """Of the cycles of Asker with so many joints in a message."""
    chosen = [(calls - joints, seconds) for calls, seconds in cycles if (calls >= ALL_JOINTS) == (joints == ALL_JOINTS)]
    return sum(seconds for _, seconds in chosen) / sum(calls for calls, _ in chosen)


def measure_costs(options, star, setting, folder):
    """What the real call takes longer than the simulated one without costs, which is the wire: by the length of the message,
    an equal part for each time that it passes an operating system."""
    costs = {}
    everywhere = {**PLACEMENTS["separate"], "Echo1": 1, "Echo2": 3}
    for where, places, passes in (("loopback", {}, 2), ("stack", everywhere, 4)):
        arguments = (Setting(options.calibration_seconds, setting.delay_us, 0.0), places, MEASURING, "Asker")
        real = run_really(options, star, *arguments, folder / where / "real")
        wire = run_virtually(options, *arguments, {}, 1, folder / where / "virtual")
        extra_s = [(per_call_s(real, joints) - per_call_s(wire, joints)) / passes for joints in (0, ALL_JOINTS)]
        per_byte_s = max(0.0, (extra_s[1] - extra_s[0]) / (ALL_JOINTS * BYTES_OF_JOINT))
        cost = {"fixed": f"{extra_s[0] * 1e9:.0f}ns", "per_byte_ns": round(per_byte_s * 1e9, 4)}
        costs.update({"loopback": cost} if where == "loopback" else {"stack_send": cost, "stack_receive": cost})
        print(f"{where}: {extra_s[0] * 1e6:.1f} us and {per_byte_s * 1e9:.1f} ns a byte for each of {passes} times", flush=True)
    return costs


def typical(costs):
    """The median of the rounds, for each part."""
    return {name: {"fixed": f"{statistics.median(int(each[name]['fixed'].removesuffix('ns')) for each in costs):.0f}ns",
                   "per_byte_ns": statistics.median(each[name]["per_byte_ns"] for each in costs)} for name in costs[0]}


# --- results ----------------------------------------------------------------------------------------


def milliseconds(runs, average):
    """Of each run."""
    return [1e3 * average([seconds for _, seconds in cycles]) for cycles in runs]


def table(results, average, title):
    """Of each run the average, of those the median and half of what lies between their quartiles, in ms: what disturbs a few
    rounds does not count. Returns the largest difference of processes and simulated time."""
    print(f"{title:28} {'Krauß et al.':>12}" + "".join(f" {kind:>20}" for kind in ("Ice, simulated time", "Ice, processes", "difference")))
    worst = 0.0
    for placement, kinds in results.items():
        cells, middles = [], []
        for kind in NAMES:
            runs = milliseconds(kinds[kind], average)
            middles.append(statistics.median(runs))
            quartiles = statistics.quantiles(runs, n=4) if len(runs) > 1 else [0.0, 0.0, 0.0]
            cells.append(f"{middles[-1]:.3f} ± {(quartiles[2] - quartiles[0]) / 2:.3f}")
        off = middles[0] / middles[1] - 1
        worst = max(worst, abs(off))
        print(f"{placement:28} {PUBLISHED[placement]:12.2f}" + "".join(f" {cell:>20}" for cell in [*cells, f"{100 * off:+.1f} %"]))
    return worst


def by_calls(results):
    """The same of the cycles with two calls, while the hand rests, and of those with four."""
    print(f"{'mean by calls / ms':28}" + "".join(f" {f'{kind}, {calls} calls':>24}" for calls in (2, 4) for kind in NAMES.values()))
    for placement, kinds in results.items():
        means = [1e3 * statistics.median(mean_s([cycle for cycle in run if cycle[0] == calls]) for run in kinds[kind])
                 for calls in (2, 4) for kind in NAMES]
        print(f"{placement:28}" + "".join(f" {mean:24.3f}" for mean in means))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("longarm", help="the program")
    parser.add_argument("armar_ice", help="the programs of labs/armar/ice")
    parser.add_argument("delay_switch", help="the switch of this folder")
    parser.add_argument("--out", default="runs/armar-ice", help="folder for everything that is measured")
    parser.add_argument("--runs", type=int, default=10, help="rounds of calibrations, and of a run of each placement")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long each run is; the hand moves in its second half")
    parser.add_argument("--calibration-seconds", type=float, default=5.0, help="how long each of the two calibrations of a round is")
    parser.add_argument("--delay-us", type=float, default=115.0, help="of the way between two hosts")
    parser.add_argument("--start-within", type=float, default=3.0, help="time for all processes to start")
    parser.add_argument("--within", type=float, default=0.10, help="how far means may be apart, as a share")
    parser.add_argument("--charges", action="store_true", help="in simulated time, charge computing to the programs instead of letting them wait")
    parser.add_argument("--no-priority", dest="priority", action="store_false", help="run without a real-time priority")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # namespaces go away all the same
    options.longarm, options.armar_ice, options.delay_switch = (
        str(pathlib.Path(each).resolve()) for each in (options.longarm, options.armar_ice, options.delay_switch))
    folder = pathlib.Path(options.out).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    setting = Setting(options.seconds, options.delay_us, VARIATION)
    costs = []
    results = {placement: {"virtual": [], "real": []} for placement in PLACEMENTS}
    try:
        with SwitchedStar(len(PROGRAMS), options.delay_switch, setting.delay_us, options.priority) as star:
            options.priority = options.priority and can_have_priority()
            for number in range(1, options.runs + 1):
                print(f"round {number}: load {os.getloadavg()[0]:.1f}", flush=True)
                here = folder / f"round{number}"
                costs.append(measure_costs(options, star, setting, here / "calibration"))
                for placement, places in PLACEMENTS.items():
                    results[placement]["real"].append(
                        run_really(options, star, setting, places, PROGRAMS, "TCPControlUnit", here / placement.replace(" ", "-") / "real"))
    except NotPossible as problem:
        print(f"skipped: {problem}", file=sys.stderr)
        return 77
    print(f"in simulated time: {typical(costs)}", flush=True)
    for number in range(1, options.runs + 1):
        for placement, places in PLACEMENTS.items():
            results[placement]["virtual"].append(
                run_virtually(options, setting, places, PROGRAMS, "TCPControlUnit", typical(costs), number,
                              folder / f"round{number}" / placement.replace(" ", "-") / "virtual"))
    for placement, kinds in results.items():
        figures.distributions(folder / f"{placement.replace(' ', '-')}.svg", f"TCPControlUnit: {placement}",
                              {NAMES[kind]: [seconds for run in runs for _, seconds in run] for kind, runs in kinds.items()})
    worst = table(results, statistics.mean, "mean of a run / ms")
    table(results, statistics.median, "median of a run / ms")
    by_calls(results)
    print(f"figures in {folder}")
    return 0 if worst <= options.within else 1


if __name__ == "__main__":
    sys.exit(main())
