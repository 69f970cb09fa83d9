# SPDX-License-Identifier: Apache-2.0
# Records runs, repeats them, asks them for frames, and cuts their traces short.
import json
import math
import pathlib
import sys

from program import SHORT, equal, holds, main

LOSSY = ["--set", "link.netem=delay 3ms 1ms loss 5% reorder 10%"]


def record(longarm, folder, *arguments):
    longarm("run", *arguments, "--out", folder)


def replayed(longarm, folder, expect=0):
    return json.loads(longarm("replay", folder, "--json", expect=expect).stdout)


def case_replay_repeats_every_cut_over_a_lossy_link(longarm):
    for cut in ["none", "trajectory", "position", "velocity", "effort", "stale-servo"]:
        servo = ["--set", "servo.p=20"] if cut in ["effort", "stale-servo"] else []
        record(longarm, cut, "one-joint", *SHORT, *LOSSY, *servo, "--set", f"cut={cut}")
        report = replayed(longarm, cut)
        # the state at time zero is where both begin; 999 of 1000 samples are compared
        equal((report["same"], report["states_compared"]), (True, 999), cut)
        equal(report["world_hash"], report["recorded_hash"], cut)


def case_replay_repeats_an_emergency_stop_and_a_watchdog(longarm):
    record(longarm, "estop", "ur5-three-points", "--set", "estop.at=2s", "--set", "estop.release=3s")
    holds(replayed(longarm, "estop")["same"], "with an emergency stop")
    record(longarm, "ur", "ur5-three-points", "--set", "link.netem=loss 90%", "--set", "link.watchdog=ur")
    metrics = json.loads(pathlib.Path("ur/metrics.json").read_text())
    holds(metrics["watchdog"]["tripped"], "nine of ten commands lost: 20 ms without one must come")
    holds(replayed(longarm, "ur")["same"], "with a watchdog that tripped")


def case_replay_says_when_the_robot_does_something_else(longarm):
    # a run keeps its robot's file beside it; the same commands to a robot that may only make 0.01 rad/s
    urdf = (longarm.source / "models/one-joint/one-joint.urdf").read_text()
    pathlib.Path("arm.urdf").write_text(urdf)
    cell = (longarm.source / "scenarios/one-joint.yaml").read_text().replace("model: one-joint", "model: arm.urdf")
    pathlib.Path("cell.yaml").write_text(cell)
    record(longarm, "run", "cell.yaml", *SHORT)
    slow = urdf.replace('type="continuous"', 'type="revolute"').replace(
        "</joint>", '<limit lower="-9" upper="9" velocity="0.01" effort="1e6"/></joint>', 1)
    pathlib.Path("run/inputs/arm.urdf").write_text(slow)
    equal(longarm("replay", "run", expect=2).stderr.splitlines()[0],
          "run: error: the model files have changed since the run")
    pathlib.Path("run/metrics.json").unlink()  # as if the run had been killed: nobody knows what it was made with
    done = longarm("replay", "run", expect=1)
    # the recorded joint goes from 0.1 rad to 0 in a second, this one 0.01 rad
    holds(done.stdout.startswith("different from 0.001 s on: largest difference 0.0"),
          done.stdout)


def case_replay_refuses_another_scenario(longarm):
    record(longarm, "run", "one-joint", *SHORT)
    scenario = pathlib.Path("run/scenario.yaml")
    scenario.write_text(scenario.read_text().replace("home_rad: [0.1]", "home_rad: [0.2]"))
    equal(longarm("replay", "run", expect=2).stderr,
          "run/scenario.yaml: error: this is not the scenario that the trace was recorded with\n"
          "  hint: run the changed scenario instead, or put the old one back\n")


def case_replay_of_what_is_no_run_says_so(longarm):
    pathlib.Path("empty").mkdir()
    equal(longarm("replay", "empty", expect=2).stderr,
          "empty: error: this is not the folder of a run\n  hint: give a folder written by longarm run\n")
    record(longarm, "run", "one-joint", *SHORT, "--set", "record.trace=false")
    equal(longarm("replay", "run", expect=2).stderr.splitlines()[1],
          "  hint: record it with record.trace: true, the default")
    pathlib.Path("run/trace.mcap").write_bytes(b"not an mcap file at all")
    equal(longarm("replay", "run", expect=2).stderr.count("error:"), 1)


def case_a_trace_cut_at_any_byte_still_replays_up_to_there(longarm):
    record(longarm, "run", "one-joint", *SHORT, *LOSSY)
    trace = pathlib.Path("run/trace.mcap")
    whole = trace.read_bytes()
    until = []
    for part in [0.3, 0.6, 0.9, 0.999]:
        trace.write_bytes(whole[: int(len(whole) * part)])
        report = replayed(longarm, "run")
        holds(report["same"] and report["trace_problem"], f"cut at {part}: {report}")
        until.append(report["until_s"])
    holds(until == sorted(until) and until[0] > 0.05 and until[-1] > 0.9, f"grows with the file: {until}")


def case_frames_at_any_time_agree_with_the_trace(longarm):
    record(longarm, "run", "ur5-three-points")
    lines = pathlib.Path("run/trace.csv").read_text().splitlines()
    columns = lines[0].split(",")
    where = [columns.index(f"end_effector.{axis}") for axis in "xyz"]
    for row, tolerance in [(3000, 1e-6), (3005, 1e-4)]:
        # frames are recorded every 10 ms: exact at 3 s, interpolated (the tool makes up to 1 m/s) at 3.005 s
        values = lines[row].split(",")
        said = longarm("frame", "run", "base_link", "tool0", "--at", values[0] + "s").stdout
        found = [float(x) for x in said.splitlines()[1].split("[")[1].rstrip("]").split(",")]
        distance = math.dist(found, [float(values[i]) for i in where])
        holds(distance <= tolerance, f"{distance} m off at {values[0]} s")


def case_frame_says_what_it_does_not_know(longarm):
    record(longarm, "run", "one-joint", *SHORT)
    done = longarm("frame", "run", "world", "tipp", expect=2)
    holds("error: " in done.stderr and "tip" in done.stderr.splitlines()[-1], done.stderr)
    done = longarm("frame", "run", "world", "tip", "--at", "5s", expect=2)
    holds("5" in done.stderr and "error: " in done.stderr, done.stderr)
    done = longarm("frame", "run", "world", "tip", "--at", "soon", expect=2)
    holds(done.stderr.startswith("--at soon: error: "), done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
