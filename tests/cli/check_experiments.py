# SPDX-License-Identifier: Apache-2.0
# Experiments on the command line: run, list, keys, lint, sweep, export and report know them as they know arms.
import csv
import io
import json
import os
import pathlib
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from program import equal, files_in, holds, main

BELT = ["belt-bench", "--set", "actors.bench.length=400ms"]
# 12 runs that take long enough to be killed in the middle
STUDY = ["belt-bench", "--set", "actors.bench.length=2s", "--axis", "actors.bench.speed_m_s=0.1,0.2,0.5", "--axis", "actors.bench.friction=0.3,1",
         "--axis", "engine=mujoco,ode", "--no-report"]
TABLES = ["grid", "points", "runs", "details", "curves", "results", "documents"]


def rows(folder):
    connection = sqlite3.connect(f"file:{folder}/study.db?mode=ro", uri=True)
    return {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in TABLES}


def same_rows(folder, expected):
    found = rows(folder)
    for table in TABLES:
        holds(found[table] == expected[table], f"table {table} of {folder} differs")


def case_experiment_run_shows_its_metrics_and_leaves_a_folder(longarm):
    done = longarm("run", *BELT, "--out", "out")
    holds("belt-bench: " in done.stdout and " s on mujoco\n" in done.stdout and "closed form" in done.stdout, done.stdout)
    holds("state hash" in done.stdout and "x real time" in done.stdout, done.stdout)
    for name in ["curves.csv", "metrics.json", "scenario.yaml"]:
        holds(name in files_in("out"), f"{name} is missing among {files_in('out')}")
        holds(name in done.stdout, f"{name} is not told:\n{done.stdout}")
    metrics = json.loads(pathlib.Path("out/metrics.json").read_text())
    holds(metrics["bench"]["slip_time_s"] > 0.0, metrics)
    again = longarm.metrics("out/scenario.yaml", "--out", "again")
    equal(again["state_hash"], metrics["state_hash"])
    equal(again["identity"], metrics["identity"])


def case_experiment_run_as_json_is_one_document_and_nothing_else(longarm):
    metrics = longarm.metrics(*BELT, "--set", "actors.bench.speed_m_s=0.5", "--out", "out")
    equal(metrics, json.loads(pathlib.Path("out/metrics.json").read_text()))


def case_run_of_a_cell_refuses_what_only_arms_have(longarm):
    done = longarm("run", *BELT, "--trace-ticks", "3", "--out", "out", expect=2)
    equal(done.stderr, "--trace-ticks: error: 'belt-bench' has no arm\n  hint: only the controller of an arm has ticks\n")
    done = longarm("run", *BELT, "--reference", "x", "--out", "out", expect=2)
    equal(done.stderr, "--reference x: error: only scenarios with a single arm can be compared with a run folder\n"
                       "  hint: use --reference ideal to compare a cell with the same cell without the network\n")
    holds(not os.path.exists("out"), "a folder was made")


def case_experiment_run_explains_an_unknown_key(longarm):
    done = longarm("run", "belt-bench", "--set", "actors.bench.sped_m_s=1", expect=2)
    equal(done.stderr, "--set actors.bench.sped_m_s=1: error: unknown key 'actors.bench.sped_m_s'\n"
                       "  hint: did you mean 'speed_m_s'?\n")


def case_old_file_of_a_bench_says_how_it_is_written_now(longarm):
    pathlib.Path("old.yaml").write_text("title: old\nexperiment: grasp-bench\nmotion: pull\n")
    for command in ["run", "lint", "keys"]:
        equal(longarm(command, "old.yaml", expect=2).stderr,
              "old.yaml:2:13: error: 'experiment: grasp-bench' is now written as an actor\n"
              "  hint: actors: {bench: {kind: grasp-bench, …}}; move its keys there, too\n")


def case_list_shows_scenarios_of_actors_and_their_kinds(longarm):
    lines = longarm("list").stdout.splitlines()
    for scenario in ["aprs", "aprs-kitting", "aprs-live", "belt-bench", "ur5-driver", "ur5-live"]:
        shown = [line for line in lines[:lines.index("studies")] if line.split()[0] == scenario]
        equal(len(shown), 1, "\n".join(lines))
    kinds = lines[lines.index("kinds of actors (keys: longarm keys NAME)") + 1:]
    named = {line.split()[0] for line in kinds[:[line.startswith("  ") for line in kinds].index(False)]}
    for kind in ["belt", "belt-bench", "camera", "contact-sensor", "crcl", "curtain", "grasp-table", "joint-topic", "kitting", "kitting-judge",
                 "part-drift", "plc", "safety", "ur", "ur-driver"]:
        holds(kind in named, f"{kind} is missing in {named}")


def case_keys_of_a_kind_of_actor(longarm):
    said = longarm("keys", "ur-driver").stdout.splitlines()
    for key in ["actors.NAME.kind", "actors.NAME.host", "actors.NAME.robot.of", "actors.NAME.method", "actors.NAME.task.path"]:
        holds(any(line.split()[0] == key for line in said), f"{key} is missing in {said}")
    holds(all(line.startswith("actors.NAME.") for line in said), "it has nothing else")
    # what can befall it stands below
    words = [line.split() for line in longarm("keys", "camera").stdout.splitlines()]
    holds(["TIME", "NAME", "blind", "[for", "TIME]"] in [each[:5] for each in words], f"{words}")
    # the keys of a scenario are those of its actors
    listed = {line.split()[0] for line in longarm("keys", "aprs").stdout.splitlines() if line.strip()}
    for key in ["world", "length", "actors.belt.joint", "actors.camera_1.position_m", "actors.drift.settle", "failures"]:
        holds(key in listed, f"{key} is missing in {listed}")
    holds(all(kind in longarm("keys").stdout for kind in ["ur-driver", "contact-sensor"]), "keys does not name the kinds")


def case_keys_of_failures_are_all_that_can_happen(longarm):
    said = longarm("keys", "failures").stdout
    for usage in ["TIME NAME breaks ", "TIME NAME drops ", "TIME NAME stops [for TIME] ", "TIME NAME broken for TIME ",
                  "TIME link NAME slow TIME [for TIME] ", "TIME part NAME misplaced METRES METRES "]:
        holds("\n" + usage in "\n" + said, f"{usage} is missing in\n{said}")


def case_keys_of_an_experiment_are_those_of_its_resolved_scenario(longarm):
    longarm("run", *BELT, "--out", "out")
    listed = [line.split()[0] for line in longarm("keys", "belt-bench").stdout.splitlines() if line.strip()]
    for line in pathlib.Path("out/scenario.yaml").read_text().splitlines():
        key = line.split(":")[0]
        if key and not line.startswith((" ", "#", "-")):
            holds(any(name == key or name.startswith(key + ".") for name in listed), f"keys does not show {key}: {listed}")
    holds("link.delay" not in listed, "an experiment has no link")
    # arms have theirs, by name or without one
    equal(longarm("keys", "ur5-waypoints").stdout.splitlines()[0], longarm("keys").stdout.splitlines()[0])
    holds("there is no scenario 'belt-bnch'" in longarm("keys", "belt-bnch", expect=2).stderr, "no such scenario")


def case_lint_of_experiments_exits_0(longarm):
    for path in sorted((longarm.source / "scenarios").glob("*.yaml")):
        if "\nactors:" in path.read_text():
            longarm("lint", path.stem)
    holds("belt-bench: " in longarm("lint", "belt-bench").stdout, "it says nothing")


WORLD = """<sdf version="1.6"><world name="w">
  <model name="part"><pose>0 0 1 0 0 0</pose><link name="part">
    <inertial><mass>1</mass><inertia><ixx>9</ixx><iyy>0.001</iyy><izz>0.001</izz></inertia></inertial>
    <collision name="c"><geometry><box><size>0.1 0.1 0.1</size></box></geometry></collision></link></model>
</world></sdf>
"""


def case_lint_of_a_world_judges_its_models(longarm):
    # no body has an ixx beyond iyy + izz
    pathlib.Path("w.sdf").write_text(WORLD)
    done = longarm("lint", "w.sdf", expect=1)
    holds("[inertia" in done.stdout and "w.sdf: " in done.stdout, done.stdout)
    pathlib.Path("w.sdf").write_text(WORLD.replace("<ixx>9<", "<ixx>0.001<"))
    longarm("lint", "w.sdf")


def case_warnings_of_an_experiment_are_told_and_counted_once(longarm):
    # a box of 1 kg with 1 cm sides has inertia 1.7e-5, not 0.001: a warning
    pathlib.Path("w.sdf").write_text(WORLD.replace("<ixx>9<", "<ixx>0.001<").replace("0.1 0.1 0.1", "0.01 0.01 0.01"))
    pathlib.Path("mini.yaml").write_text("title: mini\nworld: w.sdf\nlength: 100ms\n"
                                         "actors: {drift: {kind: part-drift, settle: 50ms}}\n")
    linted = longarm("lint", "mini.yaml").stdout
    found = [line for line in linted.splitlines() if "warning:" in line]
    holds(len(found) > 0, linted)
    equal(len(found), len({line.split("warning:")[1] for line in found}))
    holds(f"mini.yaml: {len(found)} warning" in linted, linted)
    told = longarm("run", "mini.yaml", "--out", "out").stderr
    message = found[0].split("warning: ")[1].split(" [")[0]
    message = message[message.find("'"):] if "'" in message else message
    equal(told.count(message), 1, told)


def case_a_bench_is_replayed_and_has_no_margin(longarm):
    longarm("run", *BELT, "--out", "out")
    said = longarm("replay", "out", "--out", "again").stdout
    equal(said, "identical: the cell is bit for bit the same until 0.600 s\n")
    runs = [json.loads(pathlib.Path(folder, "metrics.json").read_text()) for folder in ("out", "again")]
    for run in runs:
        run.pop("machine")
        run.pop("scenario")  # the file's name
    equal(runs[1], runs[0], "a replay's results")
    equal(longarm("margin", "belt-bench", expect=2).stderr,
          "error: 'belt-bench' has no robot whose stability can be tested\n  hint: use an actor of kind arm or ur-driver\n")


def case_delay_of_a_device_without_its_model_is_explained(longarm):
    pathlib.Path("w.sdf").write_text(WORLD.replace("<ixx>9<", "<ixx>0.001<"))
    pathlib.Path("mini.yaml").write_text("title: mini\nworld: w.sdf\nlength: 100ms\nactors: {camera_1: {kind: camera}}\n")
    told = longarm("run", "mini.yaml", "--set", "actors.camera_1.link.delay=20ms", expect=2).stderr
    holds("link.model=delay" in told and "unknown key" not in told, told)
    longarm("run", "mini.yaml", "--set", "actors.camera_1.link.model=delay", "--set", "actors.camera_1.link.delay=20ms")


def case_list_has_its_texts_in_one_column(longarm):
    lines = longarm("list").stdout.splitlines()
    scenarios = lines[lines.index("scenarios") + 1:lines.index("studies")]
    equal({line[28] == " " for line in scenarios}, {True})
    equal({line[29] == " " for line in scenarios}, {False})


def case_experiment_study_killed_three_times_ends_as_if_it_had_not_been(longarm):
    longarm("sweep", *STUDY, "--out", "whole")
    expected = rows("whole")
    equal(len(expected["results"]), 12)
    chance = random.Random(os.getpid())  # another moment each time this test runs
    for _ in range(3):
        process = subprocess.Popen([longarm.binary, "sweep", *STUDY, "--out", "killed", "--threads", "2"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.05, 0.4))
        process.send_signal(signal.SIGKILL)
        process.wait()
    longarm("sweep", *STUDY, "--out", "killed")
    same_rows("killed", expected)
    done = longarm("sweep", *STUDY, "--out", "killed")
    holds("12 of 12 points done, 0 of them new" in done.stdout, done.stdout)
    done = longarm("sweep", *[each.replace("0.2,0.5", "0.2,0.3,0.5") for each in STUDY], "--out", "killed")
    holds("16 of 16 points done, 4 of them new" in done.stdout, done.stdout)


def case_experiment_study_over_mpi_ranks_has_the_same_rows(longarm):
    small = ["belt-bench", "--set", "actors.bench.length=400ms", "--axis", "actors.bench.speed_m_s=0.1,0.2", "--axis", "actors.bench.friction=0.3,1",
             "--axis", "engine=mujoco", "--no-report"]
    longarm("sweep", *small, "--out", "alone", "--threads", "1")
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", longarm.binary, "sweep", *small,
                           "--out", "ranks"], capture_output=True, text=True)
    equal(done.returncode, 0, done.stdout + done.stderr)
    same_rows("ranks", rows("alone"))


def case_experiment_study_from_a_file_is_exported_and_reported(longarm):
    pathlib.Path("mine.yaml").write_text(
        "title: my belts\nscenario: belt-bench\nset: {actors.bench.length: 400ms}\naxes:\n  actors.bench.speed_m_s: [0.1, 0.2]\n  seed: 1..2\n")
    done = longarm("sweep", "mine.yaml", "--out", "study", "--threads", "1")
    command = sqlite3.connect("file:study/study.db?mode=ro", uri=True).execute("SELECT command FROM study").fetchone()[0]
    equal(command, "longarm sweep mine.yaml --threads 1 --out study")
    holds("real-time factor" in done.stdout and "--threads 1" in done.stdout, done.stdout)
    plain = list(csv.DictReader(io.StringIO(longarm("export", "study").stdout)))
    equal([row["actors.bench.speed_m_s"] for row in plain], ["0.1", "0.1", "0.2", "0.2"])
    equal({row["ended"] for row in plain}, {"completed"})
    holds("verdict" not in plain[0], "an experiment has no verdict")
    holds(not any("real_time" in name for name in plain[0]), "exports of two machines would differ")
    machine = list(csv.DictReader(io.StringIO(longarm("export", "study", "--machine").stdout)))
    holds(all(float(row["machine.real_time_factor"]) > 0.0 for row in machine), "no speed")
    drawn = longarm("report", "study", "--svg", "svg").stdout
    holds("curves-1.svg" in drawn and "metric-real_time_factor.svg" in drawn, drawn)
    # and of a single run
    longarm("run", *BELT, "--out", "out")
    holds("curves-1.svg" in longarm("report", "out", "--svg", "svg-of-run").stdout, "no curves")


if __name__ == "__main__":
    sys.exit(main(globals()))
