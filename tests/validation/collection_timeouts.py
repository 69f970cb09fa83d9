#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What collecting messages for a wall-clock time-out costs, and how wrong it is (Krauß et al. 2018, Fig. 6), beside the exact mode.

Two Python programs, half a millisecond apart; the server thinks for up to 3 ms of real time, which should not matter.
Writes a CSV file and a picture.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time

import figures

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples/lockstep_python"
TIMEOUTS_MS = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20]


def simulate(longarm, cycles, timeout_ms):
    """Mean cycle time in ms of simulated time, how many cycles, and seconds of real time. No time-out: the exact mode."""
    with tempfile.TemporaryDirectory() as folder:
        trips = pathlib.Path(folder) / "trips.csv"
        idle = "" if timeout_ms is None else " --no-idle"
        client = f"exec {sys.executable} {EXAMPLE / 'client.py'} --calls {cycles} --every-ns 5000000 --csv {trips}{idle}"
        server = f"exec {sys.executable} {EXAMPLE / 'server.py'} --think-s 0.003{idle}"
        words = [longarm, "run", str(EXAMPLE / "echo.yaml"), "--out", str(pathlib.Path(folder) / "run"), "--json",
                 "--set", f"length={0.005 * cycles + 0.05:.3f}s", "--set", "network.links.cable.propagation=500us",
                 "--set", "physics.period=1ms", "--set", f"actors.Client.command={client}",
                 "--set", f"actors.Server.command={server}"]
        if timeout_ms is not None:
            words += ["--set", "actors.system.lockstep.mode=collect", "--set", f"actors.system.lockstep.timeouts.all={timeout_ms}ms"]
        start = time.monotonic()
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=900)
        elapsed = time.monotonic() - start
        if done.returncode != 0:
            raise SystemExit(f"longarm run: {done.stderr}")
        # the first call also finds the server and connects
        spans = [float(line) for line in trips.read_text().split()[2:]]
    return sum(spans) / max(1, len(spans)) * 1e3, len(spans), elapsed


def check_mechanics(longarm):
    """What must hold on any machine, however busy: a time-out is paid for in full, and a patient one misses next to nothing."""
    cycles, long_ms = 4, 40
    exact_ms, exact_count, _ = simulate(longarm, cycles, None)
    patient_ms, patient_count, patient_s = simulate(longarm, cycles, long_ms)
    print(f"exact {exact_ms:.4f} ms ({exact_count}), {long_ms} ms: {patient_ms:.4f} ms ({patient_count}) in {patient_s:.1f} s")
    # the first call is left out; there and back is 1 ms
    holds = [exact_count == cycles - 1, abs(exact_ms - 1.0) < 0.01,
             # one collection for each millisecond of the cycles, and those for request, execution and reply
             patient_s > cycles * 5 * long_ms * 1e-3, patient_count == cycles - 1,
             # a thought of up to 3 ms fits into 40 ms; where it does not, a reply is late by a step of 1 ms
             exact_ms - 0.01 < patient_ms < exact_ms + 2.0]
    return 0 if all(holds) else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("longarm", help="the program")
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--out", default="collection-timeouts", help="folder for the CSV file and the picture")
    parser.add_argument("--mechanics", action="store_true", help="only check what holds on any machine")
    options = parser.parse_args()
    if options.mechanics:
        return check_mechanics(options.longarm)
    folder = pathlib.Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    rows = [(each, *simulate(options.longarm, options.cycles, each)) for each in TIMEOUTS_MS]
    exact = simulate(options.longarm, options.cycles, None)
    reference = rows[-1][1]
    text = "timeout_ms,run_time_s,cycle_time_ms,error_percent,cycles\n"
    print(f"{'time-out/ms':>12} {'run time/s':>11} {'cycle/ms':>9} {'error/%':>8} {'cycles':>7}")
    for name, (mean, count, elapsed) in [*((f"{row[0]:g}", row[1:]) for row in rows), ("exact", exact)]:
        error = 100 * (mean / reference - 1)
        text += f"{name},{elapsed:.3f},{mean:.6f},{error:.3f},{count}\n"
        print(f"{name:>12} {elapsed:11.2f} {mean:9.4f} {error:8.2f} {count:7d}")
    (folder / "collection_timeouts.csv").write_text(text)
    figures.two_axes(folder / "collection_timeouts.svg", f"collecting for a time-out; the exact mode takes {exact[2]:.1f} s, without error",
                     "collection time-out / ms", TIMEOUTS_MS, ("run time / s", [row[3] for row in rows]),
                     ("error of the cycle time / %", [100 * abs(row[1] / reference - 1) for row in rows]))
    print(f"written to {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
