# SPDX-License-Identifier: Apache-2.0
# Real processes on the command line: calibrate, node, and programs that are not ours.
import json
import pathlib
import subprocess
import sys

from program import equal, files_in, holds, main

SYSTEM = """
experiment: components
length: 400ms
settle: 0s
measure: Loop
network: {star: {hosts: 2}}
components:
  Loop: {host: pc1, period: 10ms, phase: 20ms, calls: {get: {to: State, request_bytes: 40}}}
  State: {host: pc2, serves: {get: {reply_bytes: 100, execution: 1ms}}}
"""

# says hello, then what the case wants
STRANGER = """
import os, socket
host, port = os.environ["LONGARM_LOCKSTEP"].rsplit(":", 1)
door = socket.create_connection((host, int(port)))
door.sendall(b'{"type":"hello","version":%VERSION%,"component":"Stranger"}\\n')
door.recv(1000)
%THEN%
"""


def foreign(then, version="1"):
    """A scenario with a program that is not ours, and the program."""
    pathlib.Path("stranger.py").write_text(STRANGER.replace("%VERSION%", version).replace("%THEN%", then))
    pathlib.Path("foreign.yaml").write_text(
        "experiment: components\nlength: 1s\nsettle: 0s\nlockstep: {patience: 300ms}\nnetwork: {star: {hosts: 2}}\ncomponents:\n"
        f"  Stranger: {{host: pc1, program: foreign, command: exec {sys.executable} stranger.py}}\n"
        "  Loop: {host: pc2, period: 10ms, calls: {get: {to: State}}}\n  State: {host: pc2, serves: {get: {execution: 1ms}}}\n")


def case_calibrate_writes_what_a_scenario_reads(longarm):
    pathlib.Path("system.yaml").write_text(SYSTEM)
    done = longarm("calibrate", "system.yaml", "--count", "20", "--pause-us", "0", "--sizes", "64,1024", "--seconds", "0.2", "--out", "found")
    for name in ["stack_send", "stack_receive", "serialise", "deserialise", "State get"]:
        holds(name in done.stdout, done.stdout)
    for name in ["calibration.yaml", "execution_State_get.csv", "options.txt", "stack_receive.csv"]:
        holds(name in files_in("found"), f"{name} is missing among {files_in('found')}")
    options = pathlib.Path("found/options.txt").read_text().split()
    plain = longarm.metrics("system.yaml", "--out", "plain")
    real = longarm.metrics("system.yaml", *options, "--out", "real")
    holds(plain["cycle_time_mean_s"] < real["cycle_time_mean_s"], "measured times make no difference")


def case_calibrate_refuses_bad_addresses(longarm):
    for words in [["--to", "nowhere"], ["--to", "127.0.0.1:1"], ["--serve", "192.0.2.1:0"], ["--rate", "fast"], ["--listen", "192.0.2.1"],
                  ["--count", "0"], ["no-such-scenario"]]:
        done = longarm("calibrate", *words, expect=2)
        holds("error" in done.stderr and "hint" in done.stderr, f"{words}: {done.stderr}")


def case_node_runs_the_components_of_a_scenario_as_processes(longarm):
    pathlib.Path("system.yaml").write_text(SYSTEM)
    words = ["node", "system.yaml", "--seconds", "5", "--out", "measured"]
    server = subprocess.Popen([longarm.binary, *words, "--component", "State", "--serve-names", "--names", "127.0.0.1:0"],
                              stdout=subprocess.PIPE, text=True)
    try:
        names = server.stdout.readline().split()[1]
        longarm(*words, "--component", "Loop", "--names", names, "--set", "components.Loop.cycles=20")
    finally:
        server.kill()
        server.wait()
    lines = pathlib.Path("measured/cycles_Loop.csv").read_text().splitlines()
    equal(lines[0], "started_s,seconds,calls,failed")
    equal(len(lines), 21)
    holds(all(float(line.split(",")[1]) >= 0.001 and line.endswith(",1,0") for line in lines[1:]), str(lines))


def case_node_refuses_what_it_cannot_run(longarm):
    pathlib.Path("system.yaml").write_text(SYSTEM)
    names = ["--names", "127.0.0.1:1"]
    for words in [["system.yaml", *names], ["system.yaml", "--component", "Lop", *names], ["one-joint", "--component", "x", *names],
                  ["system.yaml", "--component", "Loop", "--names", "x"],
                  ["system.yaml", "--component", "Loop", "--listen", "192.0.2.1", *names]]:
        done = longarm("node", *words, expect=2)
        holds("error" in done.stderr and "hint" in done.stderr, f"{words}: {done.stderr}")


def case_foreign_programs_that_misbehave_end_the_run_with_who_and_when(longarm):
    cases = {
        "os._exit(3)": "it closed its connection (its program ended with exit code 3)",
        "import time; time.sleep(60)": "it has said nothing for 0.3 s",
        "door.sendall(b'nonsense\\n'); door.recv(1)": "the line \"nonsense\" is no JSON object",
        "door.sendall(b'{\"type\":\"answer\",\"id\":5}\\n{\"type\":\"idle\",\"turn\":1}\\n'); door.recv(1)": "it answered request 5",
    }
    for number, (then, expected) in enumerate(cases.items()):
        foreign(then)
        done = longarm("run", "foreign.yaml", "--out", f"out{number}", expect=1)
        holds("/Stranger" in done.stderr and "0.000000000 s" in done.stderr and expected in done.stderr, f"{then}: {done.stderr}")
        metrics = json.loads(pathlib.Path(f"out{number}/metrics.json").read_text())
        equal(metrics["experiment"], "components")
    foreign("door.recv(1)", version="7")
    done = longarm("run", "foreign.yaml", "--out", "out-version", expect=1)
    holds("/Stranger speaks version 7 of the lock-step protocol, this is version 1" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
