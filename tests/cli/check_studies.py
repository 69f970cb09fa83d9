# SPDX-License-Identifier: Apache-2.0
# Studies that are killed, shared over MPI ranks, starved of disk and asked nonsense: no row is lost or changed.
import json
import os
import pathlib
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

from program import equal, holds, main

# 40 runs of one joint over a lossy link; long enough to be killed in the middle
STUDY = ["one-joint", "--set", "link.netem=delay 4ms 1ms loss 2%", "--set", "task.hold=5s",
         "--axis", "gain=10,20,40,60", "--axis", "seed=1..10", "--no-report"]
SMALL = ["one-joint", "--set", "task.hold=300ms", "--axis", "link.delay=0ms,5ms", "--no-report"]
# what a study consists of, apart from how long it took and on which machine
TABLES = ["grid", "points", "runs", "details", "curves", "results"]


def rows(folder):
    connection = sqlite3.connect(f"file:{folder}/study.db?mode=ro", uri=True)
    return {table: sorted(connection.execute(f"SELECT * FROM {table}").fetchall(), key=repr) for table in TABLES}


def same_rows(folder, expected):
    found = rows(folder)
    for table in TABLES:
        holds(found[table] == expected[table], f"table {table} of {folder} differs")


def case_study_killed_five_times_ends_as_if_it_had_not_been(longarm):
    longarm("sweep", *STUDY, "--out", "whole")
    expected = rows("whole")
    equal(len(expected["results"]), 40)
    chance = random.Random(os.getpid())  # another moment each time this test runs
    kills = 0
    while kills < 5:
        process = subprocess.Popen([longarm.binary, "sweep", *STUDY, "--out", "killed", "--threads", "2"],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # what a kill leaves is a study that can be read, and grows
        time.sleep(chance.uniform(0.03, 0.2))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0:  # it was quicker than we were: begin anew
            shutil.rmtree("killed")
        else:
            kills += 1
    longarm("sweep", *STUDY, "--out", "killed")
    same_rows("killed", expected)


def case_study_over_four_mpi_ranks_has_the_same_rows(longarm):
    if shutil.which("mpirun") is None:
        raise AssertionError("mpirun is missing: packages.txt names openmpi-bin")
    longarm("sweep", *STUDY, "--out", "alone", "--threads", "1")
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "4", longarm.binary, "sweep", *STUDY,
                           "--out", "ranks"], capture_output=True, text=True,
                          env={**os.environ, "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
                               "OMPI_MCA_rmaps_base_oversubscribe": "1"})
    equal(done.returncode, 0, done.stdout + done.stderr)
    holds("40 of 40 points done, 40 of them new" in done.stdout, done.stdout)
    same_rows("ranks", rows("alone"))


def case_study_over_mpi_says_once_what_is_wrong(longarm):
    done = subprocess.run(["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "3", longarm.binary, "sweep", "one-joint",
                           "--axis", "gian=1,2"], capture_output=True, text=True)
    equal(done.returncode, 2, done.stdout + done.stderr)
    equal(done.stderr.count("unknown key 'gian'"), 1, done.stderr)


def case_study_asked_again_does_nothing_and_one_more_value_runs_only_that(longarm):
    longarm("sweep", *SMALL, "--out", "study")
    holds("2 of 2 points done, 0 of them new" in longarm("sweep", *SMALL, "--out", "study").stdout, "again")
    more = [word.replace("5ms", "5ms,10ms") for word in SMALL]
    holds("3 of 3 points done, 1 of them new" in longarm("sweep", *more, "--out", "study").stdout, "one more")


def case_study_interrupted_keeps_what_is_finished(longarm):
    for pause in [0.2, 0.1, 0.05, 0.05, 0.05]:  # should it be quicker than we are, again and sooner
        shutil.rmtree("study", ignore_errors=True)
        process = subprocess.Popen([longarm.binary, "sweep", *STUDY, "--out", "study"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        while not pathlib.Path("study/study.db").exists():
            time.sleep(0.01)
        time.sleep(pause)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate()
        if process.returncode != 0:
            break
    equal(process.returncode, 130, words)
    equal(words, "interrupted; run the same command again to continue\n")
    kept = len(rows("study")["results"])
    done = longarm("sweep", *STUDY, "--out", "study")
    holds(f"40 of 40 points done, {40 - kept} of them new" in done.stdout, done.stdout)


def case_study_without_room_on_the_disk_loses_nothing(longarm):
    def small_files():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))

    done = subprocess.run([longarm.binary, "sweep", *STUDY, "--out", "study"], capture_output=True, text=True,
                          preexec_fn=small_files)
    equal(done.returncode, 2, done.stdout + done.stderr)
    holds("study/study.db: error: cannot write to this study: " in done.stderr, done.stderr)
    holds("if the disk is full, free some space and run the same command again: finished runs are kept" in done.stderr, done.stderr)
    kept = len(rows("study")["results"])
    holds(0 < kept < 40, f"{kept} rows were kept")
    done = longarm("sweep", *STUDY, "--out", "study")
    holds(f"40 of 40 points done, {40 - kept} of them new" in done.stdout, done.stdout)
    longarm("sweep", *STUDY, "--out", "whole")
    same_rows("study", rows("whole"))


def case_study_refuses_bad_axes_before_anything_is_made(longarm):
    complaints = {
        ("--axis", "link.dealy=0ms"): "--axis link.dealy=0ms: error: unknown key 'link.dealy'",
        ("--axis", "link.delay=0ms,5"): "--axis link.delay=5: error: '5' is not a duration",
        ("--axis", "seed=1..x"): "--axis seed=1..x: error: '1..x' is not a range of numbers or durations",
        ("--axis", "gain=1", "--axis", "gain=2"): "--axis gain=2: error: 'gain' is in two axes",
        (): "error: nothing to vary: 'one-joint' has no axes",
    }
    for arguments, words in complaints.items():
        done = longarm("sweep", "one-joint", *arguments, expect=2)
        equal(done.stderr.splitlines()[0], words)
    equal(list(pathlib.Path(".").iterdir()), [])


def case_study_of_another_version_is_left_alone(longarm):
    longarm("sweep", *SMALL, "--out", "study")
    connection = sqlite3.connect("study/study.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = pathlib.Path("study/study.db").read_bytes()
    for command in [["sweep", *SMALL, "--out", "study"], ["report", "study"], ["export", "study"]]:
        done = longarm(*command, expect=2)
        holds("this study was written by another version of Longarm (format 99;" in done.stderr, done.stderr)
    holds(pathlib.Path("study/study.db").read_bytes() == before, "the file was changed")


def case_study_in_a_folder_that_cannot_be_says_so(longarm):
    pathlib.Path("file").write_text("x")
    done = longarm("sweep", *SMALL, "--out", "file/study", expect=2)
    holds("cannot create this folder" in done.stderr and "--out" in done.stderr, done.stderr)
    if os.getuid() != 0:  # to root every folder is writable
        pathlib.Path("locked").mkdir(mode=0o500)
        done = longarm("sweep", *SMALL, "--out", "locked/study", expect=2)
        holds("cannot create this folder" in done.stderr, done.stderr)


def case_study_exports_what_the_database_holds(longarm):
    longarm("sweep", *STUDY, "--out", "study")
    lines = longarm("export", "study").stdout.splitlines()
    head, body = lines[0].split(","), [line.split(",") for line in lines[1:]]
    equal(head[:2], ["gain", "seed"])
    equal(len(body), 40)
    column = head.index("path_deviation_max_m")
    connection = sqlite3.connect("study/study.db")
    expected = [value for (value,) in connection.execute("SELECT path_deviation_max_m FROM results")]
    equal([float(row[column]) for row in body], expected)


def case_study_says_once_what_is_odd_about_its_links(longarm):
    asked = ["sweep", "one-joint", "--axis", "link.netem=delay 4ms,delay 4ms 1ms 50%", "--axis", "seed=1..3",
             "--set", "task.hold=100ms", "--no-report", "--out", "study"]
    said = longarm(*asked).stderr
    equal(said.count("the correlation of 50% has almost no effect"), 1)
    holds("  at 3 of 6 points\n" in said, said)
    equal(longarm(*asked).stderr, "")  # nothing ran


def case_oracle_gives_its_rows_as_json_and_refuses_unknown_names(longarm):
    # all by name, two groups as JSON: the suite Oracles runs every one
    names = [line for line in longarm("oracle", "--list").stdout.splitlines() if line.startswith("  ")]
    holds(len(names) >= 25, f"only {len(names)} oracles")
    document = json.loads(longarm("oracle", "timing", "links", "--json").stdout)
    equal({row["group"] for row in document["oracles"]}, {"timing", "links"})
    for row in document["oracles"]:
        holds(row["verdict"] is True and abs(row["expected"] - row["simulated"]) <= row["tolerance"], row)
        holds(row["reason"] and row["name"], row)
    done = longarm("oracle", "no-such-oracle", expect=2)
    holds("unknown oracle" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
