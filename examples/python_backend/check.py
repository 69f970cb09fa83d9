#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs two-components.yaml and compares its cycle times with arithmetic: check.py LONGARM, from the root of the source tree."""

import json
import subprocess
import sys
import tempfile

SCENARIO = "examples/python_backend/two-components.yaml"
with tempfile.TemporaryDirectory(prefix="longarm-backend-") as folder:
    done = subprocess.run([sys.argv[1], "run", SCENARIO, "--json", "--out", folder + "/run"], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stdout + done.stderr)
    metrics = json.loads(done.stdout)["system"]

# A request is 125 bytes and 10 around them (kind 1, number 4, name of the method 2 + 3), a reply 250 and 21 (kind 1, number 4,
# two times of 8). At 1 Mbit/s a byte takes 8 us; 5 ms of propagation each way, 1 ms of computing.
expected_s = 8e-6 * (125 + 10) + 5e-3 + 1e-3 + 8e-6 * (250 + 21) + 5e-3
found_s = [metrics[f"cycle_time_{which}_s"] for which in ("min", "mean", "max")]
if metrics["cycles"] < 30 or any(abs(each - expected_s) > 1e-9 for each in found_s):
    sys.exit(f"{metrics['cycles']} cycles of {found_s} s instead of {expected_s} s")
print(f"{metrics['cycles']} cycles of {expected_s * 1e3:.3f} ms, as they should be")
