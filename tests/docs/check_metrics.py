#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Every key of metrics.json stands in docs/reference/metrics.md.
"""Usage: check_metrics.py PROGRAM SCENARIO [RUN OPTION...]"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/reference/metrics.md"
# below these there are so many levels of names of the scenario, which are no metrics
NAMED = {"joints": 1, "hosts": 1, "call_phases": 1, "cycles_by_calls": 1, "actions": 1, "states_entered": 2, "each_m": 1, "distance_m": 1, "distance": 1,
         "metrics": 1, "talks": 1, "curtains": 1, "tool_changes_by_robot": 1, "time_to_notice_s": 1,
         "kits": 2}


def keys(value, levels=0):
    """All keys below a value, in objects and lists, but for the names of so many levels."""
    if isinstance(value, list):
        for each in value:
            yield from keys(each)
    elif isinstance(value, dict):
        for key, below in value.items():
            if levels == 0:
                yield key
            yield from keys(below, levels - 1 if levels > 0 else NAMED.get(key, 0))


def main():
    words = {word for code in re.findall(r"`([^`\n]+)`", PAGE.read_text()) for word in re.findall(r"\w+", code)}
    program, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="longarm-metrics-") as folder:
        environment = {key: value for key, value in os.environ.items() if key != "LONGARM_DATA"}
        subprocess.run([program, "run", *arguments, "--out", f"{folder}/run"], check=True, stdout=subprocess.DEVNULL, env=environment)
        metrics = json.loads(pathlib.Path(folder, "run/metrics.json").read_text())
        scenario = pathlib.Path(folder, "run/scenario.yaml").read_text()
    actors = set(re.findall(r"^  ([\w-]+):\n    kind:", scenario, re.MULTILINE))
    groups = [metrics.pop(actor) for actor in actors & metrics.keys()]
    missing = sorted(set(keys([metrics, *groups])) - words)
    if missing:
        print(f"docs/reference/metrics.md has no {', '.join(missing)}", file=sys.stderr)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
