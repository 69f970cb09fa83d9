#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Two Python programs in lock-step, 10 ms apart, on a machine that is kept busy: every round trip must take exactly 20 ms.

Exit code 0: all of them did; 1: one did not.
"""

import argparse
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/lockstep_python"


def burn():
    while True:
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("longarm", help="the program")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--load", type=int, default=2 * os.cpu_count(), help="processes that do nothing but compute")
    options = parser.parse_args()
    busy = [multiprocessing.Process(target=burn, daemon=True) for _ in range(options.load)]
    for process in busy:
        process.start()
    start = time.monotonic()
    try:
        with tempfile.TemporaryDirectory() as folder:
            trips = pathlib.Path(folder) / "trips.csv"
            # the first call also finds the server and connects; it is not counted
            client = f"exec {sys.executable} {EXAMPLE / 'client.py'} --calls {options.calls + 1} --csv {trips}"
            done = subprocess.run(
                [options.longarm, "run", str(EXAMPLE / "echo.yaml"), "--out", str(pathlib.Path(folder) / "run"), "--json",
                 "--set", f"length={0.02 * (options.calls + 1) + 1.0:.3f}s", "--set", f"actors.Client.command={client}",
                 "--set", f"actors.Server.command=exec {sys.executable} {EXAMPLE / 'server.py'}"],
                capture_output=True, text=True, check=False, timeout=900)
            if done.returncode != 0:
                print(done.stderr)
                return 1
            lines = trips.read_text().split()[2:]
    finally:
        for process in busy:
            process.kill()
    wrong = [line for line in lines if line != "0.020000000"]
    print(f"{len(lines)} calls, {len(lines) - len(wrong)} of exactly 20 ms, {options.load} busy processes, "
          f"{time.monotonic() - start:.1f} s for {0.02 * len(lines):.0f} simulated seconds")
    return 0 if len(lines) == options.calls and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
