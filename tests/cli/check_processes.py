# SPDX-License-Identifier: Apache-2.0
# Real processes on the command line: calibrate, node, and programs that are not ours.
import json
import os
import pathlib
import subprocess
import sys

from program import equal, files_in, holds, main

SYSTEM = """
length: 400ms
network: {star: {hosts: 2}}
actors:
  system: {kind: middleware, settle: 0s, measure: Loop}
  Loop: {kind: component, host: pc1, period: 10ms, phase: 20ms, calls: {get: {to: State, request_bytes: 40}}}
  State: {kind: component, host: pc2, serves: {get: {reply_bytes: 100, execution: 1ms}}}
"""

HEAD = "length: 100ms\nnetwork: {star: {hosts: 2}}\nactors:\n  system: {kind: middleware, settle: 0s}\n"

# says hello, then what the case wants
STRANGER = """
import os, socket
host, port = os.environ["LONGARM_LOCKSTEP"].rsplit(":", 1)
door = socket.create_connection((host, int(port)))
door.sendall(b'{"type":"hello","version":%VERSION%,"component":"Stranger"}\\n')
door.recv(1000)
%THEN%
"""


def foreign(then, version="1", answer_timeout="20s"):
    """A scenario with a program that is not ours, and the program."""
    pathlib.Path("stranger.py").write_text(STRANGER.replace("%VERSION%", version).replace("%THEN%", then))
    pathlib.Path("foreign.yaml").write_text(
        "length: 1s\nnetwork: {star: {hosts: 2}}\nactors:\n"
        f"  system: {{kind: middleware, settle: 0s, lockstep: {{answer_timeout: {answer_timeout}}}}}\n"
        f"  Stranger: {{kind: lockstep, host: pc1, command: exec {sys.executable} stranger.py}}\n"
        "  Loop: {kind: component, host: pc2, period: 10ms, calls: {get: {to: State}}}\n"
        "  State: {kind: component, host: pc2, serves: {get: {execution: 1ms}}}\n")


def case_calibrate_writes_what_a_scenario_reads(longarm):
    pathlib.Path("system.yaml").write_text(SYSTEM)
    done = longarm("calibrate", "system.yaml", "--count", "20", "--pause-us", "0", "--sizes", "64,1024", "--seconds", "0.2", "--out", "found")
    for name in ["stack_send", "stack_receive", "serialise", "deserialise", "State get"]:
        holds(name in done.stdout, done.stdout)
    for name in ["calibration.yaml", "execution_State_get.csv", "options.txt", "stack_receive.csv"]:
        holds(name in files_in("found"), f"{name} is missing among {files_in('found')}")
    options = pathlib.Path("found/options.txt").read_text().split()
    holds(any(word.startswith("actors.State.serves.get.execution.file=") for word in options), str(options))
    plain = longarm.metrics("system.yaml", "--out", "plain")
    real = longarm.metrics("system.yaml", *options, "--out", "real")
    holds(plain["system"]["cycle_time_mean_s"] < real["system"]["cycle_time_mean_s"], "measured times make no difference")


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
        longarm(*words, "--component", "Loop", "--names", names, "--set", "actors.Loop.cycles=20")
    finally:
        server.kill()
        server.wait()
    lines = pathlib.Path("measured/cycles_Loop.csv").read_text().splitlines()
    equal(lines[0], "started_s,seconds,calls,failed")
    equal(len(lines), 21)
    holds(all(float(line.split(",")[1]) >= 0.001 and line.endswith(",1,0") for line in lines[1:]), str(lines))


def case_node_says_so_when_nobody_is_there_to_call(longarm):
    pathlib.Path("system.yaml").write_text(SYSTEM)
    done = longarm("node", "system.yaml", "--component", "Loop", "--names", "127.0.0.1:1", "--seconds", "0.1")
    holds("Loop: no cycle has ended; check that all components it calls are running" in done.stderr, done.stderr)


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
        "import time; time.sleep(60)": "it has not answered for 0.3 s",
        "door.sendall(b'nonsense\\n'); door.recv(1)": "the line \"nonsense\" is not a JSON object",
        "door.sendall(b'{\"type\":\"answer\",\"id\":5}\\n{\"type\":\"idle\",\"turn\":1}\\n'); door.recv(1)": "it answered request 5",
    }
    for number, (then, expected) in enumerate(cases.items()):
        # only one of them is to take too long, also on a busy machine
        foreign(then, answer_timeout="300ms" if "0.3 s" in expected else "20s")
        done = longarm("run", "foreign.yaml", "--out", f"out{number}", expect=1)
        holds(f"longarm: error: the run ended at 0.000000000 s: foreign component /Stranger: {expected}" in done.stderr,
              f"{then}: {done.stderr}")
        equal(done.stderr.count("0.000000000 s"), 1, done.stderr)
        metrics = json.loads(pathlib.Path(f"out{number}/metrics.json").read_text())
        equal((metrics["ended"], metrics["system"]["components"]), ("failed", 3))
    foreign("door.recv(1)", version="7")
    done = longarm("run", "foreign.yaml", "--out", "out-version", expect=1)
    holds("/Stranger uses version 7 of the lock-step protocol, this is version 1" in done.stderr, done.stderr)


def client(name, text):
    """A program that uses our client for Python."""
    path = pathlib.Path(__file__).resolve().parents[2] / "clients/python"
    pathlib.Path(name).write_text(f"import sys\nsys.path.insert(0, {str(path)!r})\nimport longarm_client\n{text}")


def case_whoever_starts_a_client_is_told_where_to(longarm):
    client("server.py", "me = longarm_client.join()\nme.serve('get', lambda request: request)\nme.run()\n")
    pathlib.Path("waits.yaml").write_text(
        f"{HEAD}  Server: {{kind: lockstep, host: pc1}}\n"
        "  Loop: {kind: component, host: pc2, period: 10ms, phase: 10ms, calls: {get: {to: Server}}}\n")
    run = subprocess.Popen([longarm.binary, "run", "waits.yaml", "--out", "out"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        line = run.stderr.readline()
        holds(line.startswith("waiting 30 s for /Server at 127.0.0.1:"), line)
        settings = dict(word.split("=") for word in line.split() if "=" in word)
        server = subprocess.run([sys.executable, "server.py"], env={**os.environ, **settings}, timeout=20)
        equal((run.wait(20), server.returncode), (0, 0))
    finally:
        run.kill()


def case_commands_name_files_beside_the_scenario(longarm):
    pathlib.Path("beside").mkdir()
    client("beside/leaves.py", "with longarm_client.join() as me:\n    me.sleep(1000)\n")
    pathlib.Path("beside/system.yaml").write_text(
        f"{HEAD}  Leaver: {{kind: lockstep, host: pc1, command: exec {sys.executable} leaves.py}}\n")
    longarm("run", "beside/system.yaml", "--out", "out")
    longarm("run", "out/scenario.yaml", "--out", "again")


def case_clients_end_quietly_when_others_fail(longarm):
    client("dies.py", "import os\nme = longarm_client.join()\nme.sleep(5_000_000)\nos._exit(3)\n")
    # a signal would end it before it could say anything
    client("waits.py", "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nme = longarm_client.join()\nme.sleep(50_000_000)\n")
    pathlib.Path("fails.yaml").write_text(
        f"{HEAD}  Dies: {{kind: lockstep, host: pc1, command: exec {sys.executable} dies.py}}\n"
        f"  Waits: {{kind: lockstep, host: pc2, command: exec {sys.executable} waits.py}}\n")
    done = longarm("run", "fails.yaml", "--out", "out", expect=1)
    holds("Traceback" not in done.stderr, done.stderr)
    holds("/Waits: the simulation ended at 0.005000000 s\n" in done.stderr, done.stderr)


def case_clients_are_told_that_contents_are_bytes(longarm):
    client("text.py", "me = longarm_client.join()\nme.call('Server', 'get', 'text')\n")
    pathlib.Path("text.yaml").write_text(
        f"{HEAD}  Text: {{kind: lockstep, host: pc1, command: exec {sys.executable} text.py}}\n")
    done = longarm("run", "text.yaml", "--out", "out", expect=1)
    holds("TypeError: contents are bytes, not str; try text.encode()" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
