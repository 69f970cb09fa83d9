#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs two builds of longarm on one machine and compares what they compute.

  tests/compare/compare_programs.py OLD/build/release/apps/longarm/longarm build/release/apps/longarm/longarm
  tests/compare/compare_programs.py OLD NEW one-joint UR          # some only
  tests/compare/compare_programs.py OLD NEW --renamed aprs-live=cell-live

For a change that must not change results. Of each ready scenario: all of metrics.json, state_hash included, but for its
name and `machine`, which tells of speed and versions. Of each protocol (UR, CRCL, Modbus, JointCmd): the old program
serves a session to a scripted client and records it; both programs replay that, and the hashes of the world and of all
that its doors said are compared. Hashes differ between processors, so none is kept: both programs run here and now.

Results that have other names in the new program stand in KEYS_MOVED.
Exit code 0: all the same; 1: something differs or could not be compared; 2: bad arguments.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from recordings import PROTOCOLS, find_joint_publisher, record, replay

# Scenarios of actors: results stand under the actor's name. Their keys are others, and so is the hash of them.
ACTORS = {"identity": None, "experiment": None}
COUNTED = {key: f"world.{key}" for key in ("contacts_mean", "contacts_max", "joints_made", "joints_removed", "joints_at_end")}
CELL = {
    **COUNTED,
    "belt_encoder_m": "belt.encoder_m",
    "belt_jammed": "belt.jammed",
    "curtain_interruptions": "curtain.interruptions",
    "curtain_latched": "curtain.latched",
    "curtain_rays": "curtain.rays",
    "curtain": "curtain.link",
    "robots.fanuc": "fanuc",
    "robots.motoman": "motoman",
    "safety_stops": "safety.stops",
    "safety_stops_by_silence": "safety.stops_by_silence",
    "stop_distance_m": "safety.stop_distance_m",
    "stops": "safety.each_stop",
    "joint_topics": None,  # of the world file; only where an actor of kind joint-topic asks for it
    "arm_contacts": "world.arm_contacts",
    "arm_contact_s": "world.arm_contact_s",
    "environment_hits": "world.environment_hits",
    "first_arm_contact": "world.first_arm_contact",
    "first_environment_hit": "world.first_environment_hit",
}
DRIFT = {"parts": "drift.parts", "displacement_sum_m": "drift.sum_m", "displacement_max_m": "drift.max_m",
         "displacement_m": "drift.each_m"}
JUDGED = ("completion", "kits_completed", "kits_requested", "makespan_s", "last_kit_s", "kits_per_hour", "slots_filled")
MADE = ("worked_s", "plan_length", "plan_cost_s", "plan_optimal", "plan_method", "plan_states", "parts_placed", "plans",
        "replans", "drops", "failed_grasps", "overlap_s", "time_to_recover_s", "time_to_recover_mean_s", "setbacks", "undone",
        "causes", "crcl_round_trip_mean_s", "talks", "time_to_notice_s")
# The safety controller's orders to both arms and to the curtain are TCP connections of their own: their handshakes are on
# four cables, and flows have other numbers.
OLD_FLOWS = {0: 4, 1: 5, **{i: i + 6 for i in range(2, 12)}}
ORDERS = {
    **{f"cell.network.flows[{old}]": f"network.flows[{new}]" for old, new in OLD_FLOWS.items()},
    **{f"cell.network.flows[{old}].name": None for old in OLD_FLOWS},
    **{f"network.flows[{new}].name": None for new in OLD_FLOWS.values()},
    **{f"network.flows[{new}]": None for new in (0, 1, 2, 3, 6, 7)},
    **{f"{network}.cables[{cable}]": None for network in ("cell.network", "network") for cable in range(2, 10)},
}
DRIVEN = ("path_deviation_max_m", "path_deviation_rms_m", "cumulated_joint_difference_rad_s", "overshoot_rad", "settling_time_s",
          "stable", "verdict_reason", "unstable_joint", "unstable_at_s", "growth_per_s", "growth_standard_error_per_s", "joints",
          "path_missed_max_m", "path_error_max_m", "tracking_error_rms_m", "tracking_error_max_m", "plan_completed",
          "goal_error_rad", "plan_begun_s", "commands_sent", "commands_received", "command_delay_mean_s", "command_delay_min_s",
          "command_delay_max_s", "packets_received", "packets_missed", "packet_delay_mean_s", "packet_delay_min_s",
          "packet_delay_max_s", "packet_silence_max_s", "driver_watchdog_trips", "robot_timeouts", "speedj_timeouts",
          "first_timeout_s", "protective_stops", "first_protective_stop_s", "retransmissions")
SYSTEM = ("measured", "cycles", "cycles_failed", *(f"cycle_time_{key}_s" for key in (
    "mean", "sd", "ci95", "min", "p50", "p90", "p99", "max", "peak_low", "peak_high")), "cycles_by_calls", "cycle_overruns",
    "call_phases", "components", "hosts_used", "calls_per_s", "messages_per_s", "failed_calls", "calls_outstanding",
    "bandwidth_bit_s", "bandwidth_content_bit_s", "hosts", "network_events", "lockstep_turns")
# Benches are actors called `bench`.
BENCHES = {
    "belt-bench": ("slip_time_s", "slip_distance_m", "slip_time_error", "fit_rms_m_s", "creep_m_s", "slip_measured_m",
                   "slip_time_expected_s", "slip_distance_expected_m"),
    "contact-bench": ("displacement_sum_settled_m", "displacement_max_settled_m", "displacement_sum_m", "displacement_max_m",
                      "angle_sum_settled_rad", "angle_max_settled_rad", "angle_sum_rad", "contacts_mean", "joints_made",
                      "joints_removed", "joints", "welded_instead", "lost_gears", "belt_travel_m"),
    "gear-in-slot": ("seated", "overlap_max_m", "overlap_final_m", "penetration_max_m", "release_height_m", "final_height_m",
                     "final_offset_m", "centred_m", "final_tilt_rad", "rebound_m_s"),
    "grasp-bench": ("grasped", "dropped", "dropped_at_s", "slip_force_N", "slip_force_expected_N", "displacement_m",
                    "displacement_closing_m", "displacement_tangential_m", "displacement_end_m", "angle_rad", "holding",
                    "gripper_state", "asymmetry_m", "off_centre_m", "shoved_m"),
    "grasp-table": ("grasped", "rise_m", "overlap_m", "held_before_lift", "gripper_state"),
    "vacuum-bench": ("has_sealed", "state", "pull_off_N", "pull_off_error", "pull_off_expected_N"),
}
# Where results of the old program are in the new one, with everything below them: {"all": {"cell.belt": "belt"}}, or
# {"aprs-kitting": {…}} for one scenario, {"UR": {…}} for one protocol. None: not compared; say why in a comment.
# An arm by itself is an actor, too: what was its state_hash is the hash of what actors add to that of bodies and joints.
ARMS = ("lrmate-waypoints", "one-joint", "ur5-darpa", "ur5-darpa-transport", "ur5-lemniscate", "ur5-obstacles", "ur5-three-points",
        "ur5-topology", "ur5-waypoints", "ur5-wifi-trace")
KEYS_MOVED = {
    # format 3 has one loader: identities and hashes of files are of another text, and world_hash is that of cells
    "all": {"format": None, "identity": None, "files_hash": None, "model_hash": None, "world_hash": None, "experiment": None},
    **{arm: {"state_hash": "actors_hash"} for arm in ARMS},
    "aprs": {**ACTORS, **CELL, **DRIFT},
    "aprs-live": {**ACTORS, **CELL, **DRIFT, "joint_topics.~/fanuc/joints": "fanuc_joints"},
    "aprs-kitting": {
        **ACTORS,
        **{key: f"judge.{key}" for key in JUDGED},
        **{key: f"kitting.{key}" for key in MADE},
        "executor_over_s": "kitting.over_s",
        "judge": "judge.kits",
        "safety_stops": "safety.stops",
        "stop_distance_m": "safety.stop_distance_m",
        "arm_contacts": "world.arm_contacts",
        "environment_hits": "world.environment_hits",
        "cell": "",
        **{f"cell.{key}": place for key, place in CELL.items()},
        **ORDERS,
    },
    "armar-rectangle": {**ACTORS, **{key: f"armarx.{key}" for key in SYSTEM}, "network": None,  # was left out beside components
                        **{f"path_deviation_{key}_m": f"arm.path_deviation_{key}_m" for key in ("max", "rms")}},
    "ur5-driver": {**ACTORS, "driver": "driver.method", "robots": None, "robots.ur5": "ur5",
                   **{key: f"driver.{key}" for key in DRIVEN}},
    "ur5-live": {**ACTORS, "driver": None, "robots.ur5": "ur5"},  # driver: none
    **{bench: {**ACTORS, **{key: f"bench.{key}" for key in keys}} for bench, keys in BENCHES.items()},
}
# What only the new program has, with everything below it: ["actors"].
KEYS_ADDED = ["world", "state_hash", "traffic_hash", "fanuc_joints.topic", "judge.seat_error_m"]  # contacts were not counted beside UR arms; a topic was a key

MISSING = "nothing"


def ready_scenarios(program):
    """Names from `longarm list`: the indented lines below the heading 'scenarios'."""
    names = []
    lines = subprocess.run([program, "list"], capture_output=True, text=True, check=True).stdout.splitlines()
    for line in lines[lines.index("scenarios") + 1:]:
        if not line.startswith("  "):
            break
        names.append(line.split()[0])
    return names


def results_of(program, scenario, overrides):
    with tempfile.TemporaryDirectory() as folder:
        command = [program, "run", scenario, "--json", "--out", str(pathlib.Path(folder) / "run")]
        done = subprocess.run(command + overrides, cwd=folder, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return {"exit code": done.returncode, "said": done.stderr.strip().splitlines()[-1:]}
    results = json.loads(done.stdout)
    for key in ("machine", "scenario"):
        results.pop(key, None)
    return {"exit code": done.returncode, **results}


def replays_of(protocol, programs, overrides, renamed):
    """What both programs say of one recording of the old one."""
    with tempfile.TemporaryDirectory() as folder:
        folders = [pathlib.Path(folder, name) for name in ("recorded", "old", "new")]
        for each in folders:
            each.mkdir()
        lines = record(protocol, programs[0], folders[0], *overrides[0])
        old = replay(protocol, programs[0], lines, {}, folders[1], *overrides[0])
        if not old["same"]:
            raise AssertionError(f"the old program does not repeat its own recording: {old}")
        return old, replay(protocol, programs[1], lines, renamed, folders[2], *overrides[1])


def flat(value, where=""):
    """Every single value by its path: {"cell.stops[0].broken_s": 13.0, …}."""
    if isinstance(value, dict) and value:
        below = [(f"{where}.{key}" if where else key, each) for key, each in value.items()]
    elif isinstance(value, list) and value:
        below = [(f"{where}[{i}]", each) for i, each in enumerate(value)]
    else:
        return {where: value}
    return {path: leaf for start, each in below for path, leaf in flat(each, start).items()}


def is_below(path, start):
    return path.startswith(start) and path[len(start):][:1] in ("", ".", "[")


def moved(path, table):
    """Where the new program has it; the longest entry of the table counts."""
    starts = [start for start in table if is_below(path, start)]
    if not starts:
        return path
    start = max(starts, key=len)
    return None if table[start] is None else (table[start] + path[len(start):]).lstrip(".")


def differences(name, old, new):
    """Paths of the values that are not the same, as the new program has them."""
    table = {**KEYS_MOVED.get("all", {}), **KEYS_MOVED.get(name, {})}
    pairs = [(moved(path, table), value) for path, value in flat(old).items()]
    new = flat(new)
    rows = [f"{path}: {value!r} -> {new.get(path, MISSING)!r}" for path, value in pairs
            if path is not None and new.get(path, MISSING) != value]
    added = new.keys() - {path for path, _ in pairs}
    return rows + [f"{path}: {MISSING!r} -> {new[path]!r}" for path in sorted(added)
                   if moved(path, table) is not None and not any(is_below(path, each) for each in KEYS_ADDED)]


def headline(results):
    """What to show of them in a line."""
    if "said_hash" in results:
        return f"{results['said_hash']}  {results['events']} events, {results['steps']} steps"
    return results.get("state_hash", results)


def read_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("names", nargs="*", help=f"ready scenarios and {', '.join(PROTOCOLS)}; all if none is named")
    parser.add_argument("--renamed", action="append", default=[], metavar="OLD=NEW",
                        help="a scenario (or a door of it) that the new program calls otherwise; may be a file")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="in both programs")
    parser.add_argument("--set-old", action="append", default=[], metavar="KEY=VALUE", help="in the old one alone")
    parser.add_argument("--set-new", action="append", default=[], metavar="KEY=VALUE", help="in the new one alone")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    for program in (arguments.old, arguments.new):
        if not os.access(program, os.X_OK) or program.is_dir():
            parser.error(f"{program} is no program")
    if not all("=" in pair for pair in arguments.renamed):
        parser.error("--renamed takes OLD=NEW")
    return arguments


def main():
    arguments = read_arguments()
    programs = [path.resolve() for path in (arguments.old, arguments.new)]
    renamed = dict(pair.split("=", 1) for pair in arguments.renamed)
    overrides = [[part for each in changes for part in ("--set", each)]
                 for changes in (arguments.set + arguments.set_old, arguments.set + arguments.set_new)]
    find_joint_publisher(programs)
    names = arguments.names or ready_scenarios(programs[0]) + list(PROTOCOLS)

    def compare(name):
        """What to show of it, and what differs."""
        try:
            if name in PROTOCOLS:
                old, new = replays_of(name, programs, overrides, renamed)
            else:
                old = results_of(programs[0], name, overrides[0])
                new = results_of(programs[1], renamed.get(name, name), overrides[1])
        except (AssertionError, OSError, subprocess.SubprocessError) as problem:
            return "", [f"could not be compared: {problem}"]
        return headline(old), differences(name, old, new)

    different = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.threads) as pool:
        for name, (shown, rows) in zip(names, pool.map(compare, names)):
            different += bool(rows)
            print(f"{name:24} {'DIFFERS' if rows else 'same'}  {shown}", flush=True)
            for row in rows[:8]:
                print(f"    {row}")
    print(f"{len(names) - different} of {len(names)} are the same")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
