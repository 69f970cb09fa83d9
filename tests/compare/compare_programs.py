#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs two builds of longarm on one machine and compares what they compute, for each ready scenario.

  tests/compare/compare_programs.py OLD/build/release/apps/longarm/longarm build/release/apps/longarm/longarm

For a change that must not change results. Compared is all of metrics.json, state_hash included, but for `machine`,
which tells of speed and versions. Hashes differ between processors, so none is kept: both programs run here and now.
Exit code 0: all the same; 1: a scenario differs; 2: bad arguments.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile


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
        done = subprocess.run(command + [part for each in overrides for part in ("--set", each)], cwd=folder,
                              capture_output=True, text=True)
    if done.returncode not in (0, 1):
        return {"exit code": done.returncode, "said": done.stderr.strip().splitlines()[-1:]}
    results = json.loads(done.stdout)
    results.pop("machine", None)
    return {"exit code": done.returncode, **results}


def differences(old, new, where=""):
    """Paths of the values that are not the same."""
    if isinstance(old, dict) and isinstance(new, dict):
        return [row for key in {**old, **new} for row in
                differences(old.get(key), new.get(key), f"{where}.{key}" if where else key)]
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return [row for i, pair in enumerate(zip(old, new)) for row in differences(*pair, f"{where}[{i}]")]
    return [] if old == new else [f"{where}: {old!r} -> {new!r}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("scenarios", nargs="*", help="all ready ones if none is named")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="in both programs")
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    programs = [path.resolve() for path in (arguments.old, arguments.new)]
    for program in programs:
        if not os.access(program, os.X_OK) or program.is_dir():
            parser.error(f"{program} is no program")
    names = arguments.scenarios or ready_scenarios(programs[0])

    def compare(name):
        old, new = (results_of(program, name, arguments.set) for program in programs)
        return old, differences(old, new)

    different = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.threads) as pool:
        for name, (old, rows) in zip(names, pool.map(compare, names)):
            different += bool(rows)
            print(f"{name:24} {'DIFFERS' if rows else 'same'}  {old.get('state_hash', old)}", flush=True)
            for row in rows[:8]:
                print(f"    {row}")
    print(f"{len(names) - different} of {len(names)} scenarios are the same")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
