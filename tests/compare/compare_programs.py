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

# Where results of the old program are in the new one, with everything below them, while a change moves them:
# {"all": {"cell.belt": "belt"}}, or {"aprs-kitting": {…}} for one scenario, {"UR": {…}} for one protocol. None: not
# compared; say why in a comment. Empty it when the change has landed.
KEYS_MOVED = {}
# What only the new program has, with everything below it: ["actors"].
KEYS_ADDED = []

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
