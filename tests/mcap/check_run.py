# SPDX-License-Identifier: Apache-2.0
"""Records real runs and has their traces checked by other people's code.

usage: check_run.py LONGARM SCRATCH_FOLDER NODE_FOLDER
"""

import pathlib
import shutil
import subprocess
import sys

RUNS = {
    "velocity": ["--set", "link.netem=delay 4ms 2ms loss 2% duplicate 1%"],
    "effort": ["--set", "cut=effort", "--set", "link.delay=2ms"],
    "obstacles": [],
}


def main():
    longarm, scratch, node = sys.argv[1:]
    check = pathlib.Path(__file__).resolve().parent / "check_trace.py"
    for name, changes in RUNS.items():
        folder = pathlib.Path(scratch) / name
        shutil.rmtree(folder, ignore_errors=True)
        scenario = "ur5-obstacles" if name == "obstacles" else "ur5-three-points"
        subprocess.run([longarm, "run", scenario, *changes, "--out", folder], check=True)
        subprocess.run([sys.executable, check, folder, node], check=True)


if __name__ == "__main__":
    main()
