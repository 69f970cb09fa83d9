# SPDX-License-Identifier: Apache-2.0
# `longarm place` from the command line: its folder, the winner as a scenario, bad input, and Ctrl-C.
import json
import pathlib
import signal
import subprocess
import sys
import time

from program import equal, files_in, holds, main

# six in a ring, each calls the next; the first one's cycles are measured
SYSTEM = """
engine: kinematic
length: {length}
network:
  star: {{hosts: 6, rate: 1Gbit}}
  host_defaults: {{stack_send: 50us, stack_receive: 50us, loopback: 5us}}
placement: separate
actors:
  system: {{kind: middleware, settle: 20ms, measure: A}}
"""
FILES = ["best.svg", "best.yaml", "gains.svg", "history.csv", "place.json", "start.svg", "start.yaml"]


def write_system(length="100ms"):
    text = SYSTEM.format(length=length)
    for i, name in enumerate("ABCDEF"):
        after = "ABCDEF"[(i + 1) % 6]
        text += (f"  {name}: {{kind: component, period: 10ms, phase: {i}ms, calls: {{ask: {{to: {after}, request_bytes: {200 * i + 100}}}}},"
                 f" serves: {{ask: {{reply_bytes: 50}}}}}}\n")
    pathlib.Path("ring.yaml").write_text(text)


def case_place_writes_a_folder_whose_best_repeats(longarm):
    write_system()
    done = longarm("place", "ring.yaml", "--hosts", "3", "--balanced", "--out", "out", "--json")
    found = json.loads(done.stdout)
    equal(files_in("out"), FILES)
    equal(json.loads(pathlib.Path("out/place.json").read_text()), found)
    equal(found["ended"], "exhausted")
    equal(found["runs"], 15)  # 6! / (2! 2! 2!) / 3!
    equal(len(found["history"]), 15)
    equal(sorted(found["best"]["placement"]), list("ABCDEF"))
    holds(found["best"]["placement"]["A"] == found["best"]["placement"]["B"], "A calls B, and its cycles are measured")
    again = longarm.metrics("out/best.yaml", "--out", "again")
    equal(again["system"]["cycle_time_mean_s"] * 1e3, found["best"]["cycle_time_mean_ms"])


def case_place_over_a_range_of_hosts_makes_a_table(longarm):
    write_system()
    longarm("place", "ring.yaml", "--hosts", "1..3", "--balanced", "--minimise", "bandwidth", "--budget", "1", "--out", "out")
    rows = pathlib.Path("out/hosts.csv").read_text().splitlines()
    equal([row.split(",")[0] for row in rows], ["hosts", "1", "2", "3"])
    equal(float(rows[1].split(",")[1]), 0.0, "bandwidth of one host")
    equal(files_in("out"), ["hosts-1", "hosts-2", "hosts-3", "hosts.csv", "hosts.svg", "place.json"])


def case_place_says_what_is_wrong(longarm):
    write_system()
    for arguments, words in [
        (["ring.yaml", "--hosts", "0"], "expected a number of hosts"),
        (["ring.yaml", "--hosts", "two"], "expected a number of hosts"),
        (["ring.yaml", "--hosts", "100000000"], "there are only 6 components to place"),
        (["ring.yaml", "--hosts", "5..2"], "the end of the range is below its start"),
        (["ring.yaml", "--hosts", "7"], "there are only 6 components to place"),
        (["ring.yaml", "--hosts", "2", "--budget", "0"], "the METIS cut alone needs one simulation"),
        (["ring.yaml", "--hosts", "2", "--pin", "A=pc9"], "unknown host 'pc9'"),
        (["ring.yaml", "--hosts", "2", "--together", "A,B", "--apart", "A,B"], "must be apart but together"),
        (["ring.yaml", "--hosts", "2", "--minimise", "happiness"], "a run has no numeric metric 'happiness'"),
        (["one-joint", "--hosts", "2"], "'one-joint' has no components"),
        (["nowhere.yaml", "--hosts", "2"], "nowhere.yaml"),
    ]:
        done = longarm("place", *arguments, expect=2)
        holds(words in done.stderr, f"{arguments}: {done.stderr}")
        equal(done.stdout, "")
    holds(not pathlib.Path("runs").exists(), "nothing is written for a question that makes no sense")


def case_place_keeps_the_best_when_it_is_interrupted(longarm):
    write_system("20s")
    process = subprocess.Popen([longarm.binary, "place", "ring.yaml", "--hosts", "3", "--out", "out", "--budget", "100"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for _ in range(600):
        if pathlib.Path("out/place.json").exists() or process.poll() is not None:
            break
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    words = process.communicate(timeout=60)[1]
    equal(process.returncode, 130, words)
    holds("the best placement so far is in out/" in words, words)
    equal(json.loads(pathlib.Path("out/place.json").read_text())["ended"], "interrupted")


if __name__ == "__main__":
    sys.exit(main(globals()))
