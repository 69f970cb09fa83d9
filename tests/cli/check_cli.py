# SPDX-License-Identifier: Apache-2.0
# Uses the program as a person in a shell does: what it prints where, what it writes, how it exits.
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time

from program import SHORT, equal, files_in, holds, main, snapshot

WORDS = ["run", "plan", "serve", "exec", "execute", "crcl", "proxy", "sweep", "margin", "place", "view", "report", "export", "oracle", "replay", "frame", "path", "bag", "delays",
         "node", "nodes", "calibrate", "inspect", "new", "lint", "list", "keys"]
USAGE_HINT = "  hint: longarm --help lists the subcommands, longarm SUBCOMMAND --help their options\n"


# --- words ----------------------------------------------------------------------------------------


def case_help_names_every_word(longarm):
    done = longarm("--help")
    equal(done.stderr, "", "stderr")
    for word in WORDS:
        holds(f"\n  {word} " in done.stdout, f"--help does not mention {word}:\n{done.stdout}")


def case_help_of_every_word(longarm):
    for word in WORDS:
        done = longarm(word, "--help")
        equal(done.stderr, "", "stderr")
        holds(f"Usage: longarm {word} " in done.stdout, done.stdout)
    options = longarm("run", "--help").stdout
    for option in ["--set", "--out", "--reference", "--allow", "--json"]:
        holds(option in options, f"run --help does not mention {option}")


def case_version(longarm):
    version = (longarm.source / "longarm/core/version.h").read_text().split('"')[1]
    equal(longarm("--version").stdout, version + "\n")


def case_list_shows_what_there_is(longarm):
    done = longarm("list")
    equal(done.stderr, "", "stderr")
    ready = [path.stem for path in (longarm.source / "scenarios").glob("*.yaml")]
    holds(len(ready) >= 3, "too few ready scenarios")
    names = {line.split()[0] for line in done.stdout.splitlines() if line.startswith("  ")}
    cuts = ["none", "trajectory", "position", "velocity", "effort", "stale-servo"]
    for name in ready + ["mujoco", "ode", "kinematic", "delay", "queue"] + cuts:
        holds(name in names, f"list does not show {name}:\n{done.stdout}")


def case_keys_are_the_keys_of_a_resolved_scenario(longarm):
    done = longarm("keys")
    equal(done.stderr, "", "stderr")
    listed = {line.split()[0] for line in done.stdout.split("\n\n")[0].splitlines()}
    for key in ["engine.name", "control.period", "cut", "gain", "link.delay", "link.slots", "link.compat"]:
        holds(key in listed, f"keys does not show {key}")
    # whatever a run writes as resolved is a key that was listed
    longarm("run", "one-joint", *SHORT, "--set", "link.delay=1ms", "--out", "out")
    groups = []
    for line in pathlib.Path("out/scenario.yaml").read_text().splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        name, value = line.strip().split(":", 1)
        groups = groups[:depth] + [name]
        key = ".".join(groups)
        of_model = key.replace("link.states.", "link.").replace("link.commands.", "link.")
        holds(not value or key in listed or of_model in listed, f"keys does not show {key}")


def case_unknown_words_and_options_are_explained(longarm):
    for arguments, text in [
        ([], f"error: missing subcommand\n  hint: choose one of: {', '.join(WORDS)}\n"),
        (["runn"], "error: unknown subcommand 'runn'\n  hint: did you mean 'run'?\n"),
        (["run", "one-joint", "--sett", "gain=1"],
         "error: unknown option '--sett'\n  hint: did you mean '--set'?\n"),
        (["--frob"], "error: unknown option '--frob'\n  hint: valid names are: --help, --version\n"),
        (["run"], "error: scenario is required\n" + USAGE_HINT),
    ]:
        done = longarm(*arguments, expect=2)
        equal(done.stderr, text, "stderr")
        equal(done.stdout, "", "stdout")


def case_output_that_cannot_be_written_is_told(longarm):
    text = "error: cannot write to standard output\n  hint: check that it is open and that the disk is not full\n"
    for arguments in [["list"], ["--help"], ["run", "one-joint", *SHORT, "--json"]]:
        with open("/dev/full", "w") as full:
            done = subprocess.run([longarm.binary, *arguments], stdout=full, stderr=subprocess.PIPE, text=True)
        equal((done.returncode, done.stderr), (2, text), f"full: {arguments}")
    # closed: nothing is begun, because a file could take the number of stdout
    before = snapshot(".")
    command = f"'{longarm.binary}' run one-joint --out closed >&-"
    done = subprocess.run(["sh", "-c", command], stderr=subprocess.PIPE, text=True)
    equal((done.returncode, done.stderr), (2, text), "closed")
    equal(snapshot("."), before, "the folder")


# --- run ------------------------------------------------------------------------------------------


def case_json_is_one_document_and_nothing_else(longarm):
    done = longarm("run", "one-joint", *SHORT, "--json", "--out", "out")
    document = json.loads(done.stdout)  # refuses anything before or after
    equal(document, json.loads(pathlib.Path("out/metrics.json").read_text()), "metrics.json")
    equal(document["simulated_s"], 1.0)
    # the calls of a tick go to stderr then
    done = longarm("run", "one-joint", *SHORT, "--json", "--trace-ticks", "1", "--out", "traced")
    equal(json.loads(done.stdout)["state_hash"], document["state_hash"])
    holds(" 1 update fires\n" in done.stderr, done.stderr)


def case_run_folder_holds_everything(longarm):
    done = longarm("run", "one-joint", *SHORT, "--out", "out")
    holds("results in out/" in done.stdout, done.stdout)
    equal(files_in("out"), ["log.txt", "metrics.json", "path.svg", "scenario.yaml", "trace.csv", "trace.mcap"])
    rows = pathlib.Path("out/trace.csv").read_text().splitlines()
    equal(len(rows), 1 + 1000, "rows of the trace")
    holds(rows[0].startswith("time_s,"), rows[0])
    equal(rows[-1].split(",")[0], "1")
    longarm("run", "one-joint", *SHORT, "--set", "record.trace=false", "--out", "small")
    equal(files_in("small"), ["log.txt", "metrics.json", "scenario.yaml"])


def case_runs_are_numbered_without_out(longarm):
    for _ in range(3):
        longarm("run", "one-joint", *SHORT)
    equal(files_in("runs"), ["one-joint", "one-joint-2", "one-joint-3"])


def case_out_never_overwrites(longarm):
    os.mkdir("mine")
    pathlib.Path("mine/thesis.txt").write_text("years of work")
    before = snapshot(".")
    done = longarm("run", "one-joint", *SHORT, "--out", "mine", expect=2)
    equal(done.stderr, "error: 'mine' already exists and is not empty\n"
                       "  hint: choose another --out, or remove it first\n")
    equal(done.stdout, "", "stdout")
    equal(snapshot("."), before, "the folder")
    # nor is a file taken for an empty folder
    pathlib.Path("note").touch()
    done = longarm("run", "one-joint", *SHORT, "--out", "note", expect=2)
    equal(done.stderr, "error: 'note' is a file, not a folder\n  hint: choose another --out\n")
    # an empty one is fine
    os.mkdir("empty")
    longarm("run", "one-joint", *SHORT, "--out", "empty")


def case_bad_input_writes_nothing(longarm):
    for arguments in [["nowhere"], ["one-joint", "--set", "gain=fast"],
                      ["one-joint", "--set", "engine={name: ode, solver: none}"],
                      ["one-joint", "--reference", "nowhere"]]:
        done = longarm("run", *arguments, expect=2)
        equal(done.stdout, "", "stdout")
        holds("error: " in done.stderr and "\n  hint: " in done.stderr, done.stderr)
    equal(snapshot("."), {}, "the folder")


def case_unknown_scenario_has_a_suggestion(longarm):
    done = longarm("run", "one-joynt", expect=2)
    equal(done.stderr, "error: there is no scenario 'one-joynt'\n"
                       "  hint: it is neither a file nor a built-in scenario; did you mean 'one-joint'?\n")


def case_an_unstable_robot_is_a_result(longarm):
    # gain 3000 1/s at 1 kHz: each tick multiplies the error by 1 - 3 = -2
    metrics = longarm.metrics("one-joint", *SHORT, "--set", "gain=3000")
    equal((metrics["stable"], metrics["unstable_joint"], metrics["ended"]), (False, "joint", "diverged"))


def case_a_resolved_scenario_runs_the_same_again(longarm):
    changes = ["--set", "link.states.delay=2500us", "--set", "link.commands.slots=2", "--set", "gain=8",
               "--set", "cut=effort", "--set", "seed=7", "--set", "task.hold=200ms"]
    first = longarm.metrics("ur5-waypoints", *changes, "--out", "first")
    again = longarm.metrics("first/scenario.yaml", "--out", "again")
    for key in ["state_hash", "identity", "path_deviation_max_m"]:
        equal(again[key], first[key], key)
    equal(pathlib.Path("again/scenario.yaml").read_text(), pathlib.Path("first/scenario.yaml").read_text())
    equal(pathlib.Path("again/trace.csv").read_bytes(), pathlib.Path("first/trace.csv").read_bytes())


def case_a_run_folder_brings_its_own_model(longarm):
    os.makedirs("cells/models")
    pathlib.Path("cells/models/drum.urdf").write_text(DRUM.format(ixx=0.56))
    pathlib.Path("cells/cell.yaml").write_text("robot: {model: models/drum.urdf, end_effector: drum}\n"
                                               "task: {path: step, joints_rad: [[0.1]], hold: 1s}\n"
                                               "gain: 20\n")
    first = longarm.metrics("cells/cell.yaml", "--out", "first")
    equal(files_in("first"), ["inputs", "log.txt", "metrics.json", "path.svg", "scenario.yaml", "trace.csv", "trace.mcap"])
    # also where the original is gone
    pathlib.Path("cells/models/drum.urdf").unlink()
    again = longarm.metrics("first/scenario.yaml", "--reference", "first", "--out", "again")
    for key in ["state_hash", "identity"]:
        equal(again[key], first[key], key)
    equal(again["reference_path_deviation_max_m"], 0.0)


# --- reference ------------------------------------------------------------------------------------


def case_reference_on_itself_is_zero(longarm):
    changes = ["ur5-waypoints", "--set", "task.hold=100ms", "--set", "link.delay=3ms"]
    longarm("run", *changes, "--out", "reference")
    metrics = longarm.metrics(*changes, "--reference", "reference", "--out", "out")
    equal(metrics["reference_path_deviation_max_m"], 0.0)
    equal(metrics["cumulated_velocity_command_difference_rad"], 0.0)
    equal(len(metrics["joints"]), 6)
    for joint in metrics["joints"].values():
        equal(joint["cumulated_velocity_command_difference_rad"], 0.0)


def case_reference_may_differ_in_link_cut_gain_and_seed(longarm):
    longarm("run", "one-joint", *SHORT, "--out", "reference")
    for number, change in enumerate(["link.delay=5ms", "link.slots=4", "cut=none", "gain=20", "seed=9"]):
        metrics = longarm.metrics("one-joint", *SHORT, "--set", change, "--reference", "reference", "--out",
                                  f"out{number}")
        same = change in ["cut=none", "seed=9"]
        equal(metrics["reference_path_deviation_max_m"] == 0.0, same, change)


def case_reference_is_refused_when_anything_else_differs(longarm):
    longarm("run", "one-joint", *SHORT, "--out", "reference")
    hint = ("  hint: only link.*, network.*, cut, gain, seed, controller, control.phase, jitter and clock, and task.replan may "
            "differ; repeat the reference run with the same values\n")
    for changes, names in [(["feed_forward=1"], "feed_forward"),
                           (["control.period=2ms", "engine=ode"], "control.period, engine.name"),
                           (["task.hold=2s"], "task.hold"),
                           (["robot.home_rad=[0.2]"], "robot.home_rad")]:
        settings = [word for change in changes for word in ("--set", change)]
        done = longarm("run", "one-joint", *SHORT, *settings, "--reference", "reference", "--out", "out",
                       expect=2)
        equal(done.stderr, f"--reference reference: error: the reference run differs in {names}\n{hint}")
        holds(not pathlib.Path("out").exists(), "a refused run left a folder")


def case_reference_must_be_a_finished_run(longarm):
    os.mkdir("empty")
    done = longarm("run", "one-joint", "--reference", "empty", expect=2)
    equal(done.stderr, "--reference empty: error: this is not the folder of a finished run\n"
                       "  hint: give the folder that was written by --out\n")
    longarm("run", "one-joint", *SHORT, "--set", "record.trace=false", "--out", "small")
    done = longarm("run", "one-joint", *SHORT, "--reference", "small", expect=2)
    holds(done.stderr.endswith("\n  hint: repeat the reference run with record.trace: true\n"), done.stderr)


def case_an_interrupted_run_keeps_what_it_has(longarm):
    # an hour of simulated time, interrupted once its trace has begun
    run = subprocess.Popen([longarm.binary, "run", "one-joint", "--set", "task.hold=3600s", "--out", "cut"],
                           stderr=subprocess.PIPE, text=True)
    trace = pathlib.Path("cut/trace.csv")
    while run.poll() is None and not (trace.exists() and trace.stat().st_size > 100_000):
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    stderr = run.communicate(timeout=60)[1]
    equal(run.returncode, 130, "exit code")
    holds("; partial results are in cut/\n" in stderr, stderr)
    metrics = json.loads(pathlib.Path("cut/metrics.json").read_text())
    equal(metrics["ended"], "interrupted")
    equal(metrics["verdict_reason"], "the run was interrupted")
    rows = trace.read_text().splitlines()
    equal(float(rows[-1].split(",")[0]), metrics["simulated_s"], "time of the last row")
    done = longarm("run", "one-joint", "--set", "task.hold=3600s", "--reference", "cut", expect=2)
    equal(done.stderr, "--reference cut: error: the reference run was interrupted\n"
                       "  hint: repeat it until its end\n")
    # and it replays up to there, by the recorded commands and from the beginning
    found = json.loads(longarm("replay", "cut", "--json").stdout)
    equal([found["same"], found["until_s"], found["world_hash"]], [True, metrics["simulated_s"], metrics["world_hash"]], "replay")
    again = json.loads(longarm("replay", "cut", "--out", "again", "--json").stdout)
    equal([again["same"], again["until_s"]], [True, metrics["simulated_s"]], "replay in full")
    equal(json.loads(pathlib.Path("again/metrics.json").read_text())["state_hash"], metrics["state_hash"], "state hash")


def case_a_run_near_its_limit_is_drawn_at_once_and_measured_before(longarm):
    # 40 000 steps of a swing that neither grows nor decays: for each of its 3600 turns all were looked at again
    longarm("run", "one-joint", "--set", "link.delay=5ms", "--set", "gain=149.46", "--set", "task.hold=40s", "--out", "near")
    taken_s = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    holds(taken_s < 8.0, f"{taken_s} s of computing")
    holds(pathlib.Path("near/metrics.json").stat().st_mtime_ns <= pathlib.Path("near/path.svg").stat().st_mtime_ns, "drawn first")


def case_folders_that_one_may_not_use_are_told_in_words(longarm):
    # root may do everything
    as_nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] if os.getuid() == 0 else []
    pathlib.Path(".").chmod(0o755)
    pathlib.Path("secret").mkdir(mode=0o000)
    pathlib.Path("locked").mkdir(mode=0o555)
    os.chdir("locked")
    for words, message in {
        ("--out", "../secret"): "error: cannot use folder '../secret': Permission denied\n  hint: choose another --out\n",
        ("--out", "../secret/run"): "error: cannot create folder '../secret/run': Permission denied\n  hint: choose another --out\n",
        ("--out", "."): "error: cannot write ./scenario.yaml: Permission denied\n  hint: check that the disk is not full and that you may write there\n",
        (): "error: cannot create folder 'runs': Permission denied\n  hint: choose another folder with --out, or change to a writable folder\n",
    }.items():
        done = subprocess.run([*as_nobody, longarm.binary, "run", "one-joint", *SHORT, *words], capture_output=True, text=True)
        equal((done.returncode, done.stderr), (2, message), words)
    for word in [["report", "../secret/study"], ["place", "armar-rectangle", "--hosts", "2", "--out", "../secret/x"],
                 ["sweep", "one-joint", "--axis", "gain=5,10", "--out", "../secret/x"], ["run", "../secret/mine.yaml"]]:
        done = subprocess.run([*as_nobody, longarm.binary, *word], capture_output=True, text=True)
        equal(done.returncode, 2, f"{word}: {done.stderr}")
        holds("internal error" not in done.stderr and "error: " in done.stderr, done.stderr)


def case_a_run_that_ends_when_it_is_done_shows_no_share_of_its_longest_time(longarm):
    import pty

    def shown(*words):
        pid, screen = pty.fork()
        if pid == 0:
            os.execv(longarm.binary, [longarm.binary, "run", *words])
        said = b""
        try:
            while piece := os.read(screen, 65536):
                said += piece
        except OSError:
            pass  # the other side is gone
        equal(os.waitpid(pid, 0)[1], 0, said.decode())
        return [line for line in said.decode().replace("\r", "\n").splitlines() if line.startswith("simulating")]

    lines = shown("aprs-kitting", "--set", "length=2s", "--set", "record.trace=false", "--out", "kits")
    holds(lines and not any("%" in line for line in lines), f"{lines}")
    lines = shown("ur5-waypoints", "--set", "task.hold=60s", "--out", "arm")
    holds(lines and all("%" in line for line in lines), f"{lines}")


def case_reference_must_be_whole(longarm):
    longarm("run", "one-joint", *SHORT, "--out", "reference")

    def refused(message, hint):
        done = longarm("run", "one-joint", *SHORT, "--reference", "reference", expect=2)
        equal(done.stderr, f"--reference reference: error: {message}\n  hint: {hint}\n")

    trace = pathlib.Path("reference/trace.csv")
    rows = trace.read_text()
    trace.write_text(rows.replace("velocity_command.joint", "speed").replace("end_effector.y", "y"))
    refused("its trace.csv lacks end_effector.y, velocity_command.joint", "repeat the reference run")
    trace.write_text(rows)
    metrics = pathlib.Path("reference/metrics.json")
    whole = metrics.read_text()
    metrics.write_text(whole[:100])
    refused("its metrics.json is not readable JSON", "repeat the reference run")
    # gain 3000 1/s at 1 kHz multiplies the error by -2 per tick
    longarm("run", "one-joint", *SHORT, "--set", "gain=3000", "--out", "wild")
    wild = json.loads(pathlib.Path("wild/metrics.json").read_text())
    done = longarm("run", "one-joint", *SHORT, "--reference", "wild", expect=2)
    equal(done.stderr, f"--reference wild: error: the reference run ended after {wild['simulated_s']:.1f} s because "
                       "its arm diverged\n"
                       "  hint: use a stable reference run, for example without a link or with a lower gain\n")


# --- lint -----------------------------------------------------------------------------------------

DRUM = """<robot name="drum">
<link name="base"/>
<link name="drum"><inertial>
<mass value="8"/><inertia ixx="{ixx}" ixy="0" ixz="0" iyy="0.56" iyz="0" izz="1"/>
</inertial></link>
<joint name="turn" type="revolute"><parent link="base"/><child link="drum"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="100" velocity="10"/></joint>
</robot>
"""


def case_lint_of_good_models_exits_0(longarm):
    pathlib.Path("good.urdf").write_text(DRUM.format(ixx=0.56))
    equal(longarm("lint", "good.urdf").stdout, "good.urdf: 0 findings, 0 errors\n")
    for model in (longarm.source / "models").iterdir():
        if model.is_dir():
            longarm("lint", model.name)


def case_lint_of_ready_scenarios_exits_0(longarm):
    for scenario in (longarm.source / "scenarios").glob("*.yaml"):
        done = longarm("lint", str(scenario))
        holds("no errors; a run takes" in done.stdout, done.stdout)


def case_lint_of_an_unphysical_model_says_what_a_scenario_needs(longarm):
    pathlib.Path("bad.urdf").write_text(DRUM.format(ixx=0.1))
    moments = ("body 'drum' has impossible principal moments: 0.1 + 0.56 is less than 1 kg·m²\n"
               "  hint: the sum of the two smaller ones must be at least the largest")
    equal(longarm("lint", "bad.urdf").stdout,
          f"bad.urdf:3:1: warning: {moments}; a scenario needs robot.inertia: estimate, or engine: kinematic "
          "[inertia-triangle]\nbad.urdf: 1 finding, 0 errors\n")
    equal(longarm("lint", "bad.urdf", "--strict", expect=1).stdout,
          f"bad.urdf:3:1: error: {moments} [inertia-triangle]\nbad.urdf: 1 finding, 1 error\n")
    longarm("lint", "bad.urdf", "--strict", "--allow", "inertia-triangle")


def case_lint_of_a_model_with_impossible_limits_exits_1(longarm):
    pathlib.Path("bad.urdf").write_text(DRUM.format(ixx=0.56).replace('lower="-1"', 'lower="2"'))
    longarm("lint", "bad.urdf", expect=1)


def case_a_robot_without_masses_runs_with_estimates(longarm):
    pathlib.Path("bare.urdf").write_text(
        '<robot name="bare"><link name="base"/><link name="arm"><collision><origin xyz="0.2 0 0"/><geometry>'
        '<box size="0.4 0.1 0.1"/></geometry></collision></link>'
        '<joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>'
        '<limit lower="-2" upper="2" effort="0" velocity="0"/></joint></robot>')
    pathlib.Path("bare.yaml").write_text(
        "robot: {model: bare.urdf, end_effector: arm, inertia: estimate, home_rad: {turn: 30deg}}\n"
        "task: {path: joint, joints_rad: [{turn: -20deg}], acceleration_limit_rad_s2: 5, hold: 300ms}\n"
        "gain: 20\nfeed_forward: 1\n")
    longarm("lint", "bare.urdf")
    done = longarm("run", "bare.yaml", "--out", "bare-run")
    holds("ESTIMATED from shapes: 'arm' (4 kg)" in done.stderr, done.stderr)
    metrics = json.loads(pathlib.Path("bare-run/metrics.json").read_text())
    holds(metrics["path_deviation_max_m"] < 0.001, metrics["path_deviation_max_m"])
    holds(metrics["stable"] is True, metrics["stable"])
    # without its masses it is refused, and says how to go on
    done = longarm("run", "bare.yaml", "--set", "robot.inertia=file", expect=2)
    holds("robot.inertia: estimate computes one from its shapes" in done.stderr, done.stderr)


def case_lint_of_a_scenario_exits_as_its_model_does(longarm):
    cell = ("robot: {model: drum.urdf, end_effector: drum}\n"
            "task: {path: step, joints_rad: [[0.1]], hold: 1s}\n"
            "gains: {p: 20, i: 1}\n")
    pathlib.Path("cell.yaml").write_text(cell)
    pathlib.Path("drum.urdf").write_text(DRUM.format(ixx=0.1))
    warning = ("cell.yaml:3:19: warning: gains.i has no effect without gains.i_clamp\n"
               "  hint: set gains.i_clamp, the limit of the integral term\n")
    moments = ("body 'drum' has impossible principal moments: 0.1 + 0.56 is less than 1 kg·m²\n"
               "  hint: the sum of the two smaller ones must be at least the largest")
    done = longarm("lint", "cell.yaml", expect=1)
    equal(done.stdout, warning + f"drum.urdf:3:1: error: {moments}; robot.inertia: estimate computes one from "
                       "its shapes; --allow inertia-triangle ignores it where the engine can\ncell.yaml: 1 warning, 1 error\n")
    equal(done.stderr, "", "stderr")
    done = longarm("lint", "cell.yaml", "--allow", "inertia-triangle")
    equal(done.stdout, warning + f"drum.urdf:3:1: warning: {moments}\n"
                       "cell.yaml: 2 warnings, no errors; a run takes 1.000 s\n")
    longarm("run", "cell.yaml", "--allow", "inertia-triangle")
    longarm("run", "cell.yaml", expect=2)
    # a servo too stiff for its step is a finding too
    pathlib.Path("drum.urdf").write_text(DRUM.format(ixx=0.56))
    done = longarm("lint", "cell.yaml", "--set", "servo={model: pid, p: 3000}", expect=1)
    holds(done.stdout.endswith("\ncell.yaml: 1 warning, 1 error\n"), done.stdout)
    # not being readable is worse
    pathlib.Path("cell.yaml").write_text(cell + "gian: 1\n")
    longarm("lint", "cell.yaml", expect=2)


def case_lint_counts_what_the_reader_warns_of(longarm):
    pathlib.Path("m.sdf").write_text("<sdf version='1.9'><model name='m'>\n<link name='a'/>\n</model></sdf>\n")
    equal(longarm("lint", "m.sdf").stdout,
          "m.sdf:2:1: warning: link 'a' has no <inertial>; SDF's default of 1 kg and 1 kg·m² is used\n"
          "  hint: give it one, or make it a <frame> if it has no mass\n"
          "m.sdf: 1 finding, 0 errors\n")


ARM = """<robot name='arm' xmlns:xacro='http://www.ros.org/wiki/xacro'>
<xacro:arg name='mass' default='2'/>
<xacro:macro name='bar' params='name mass length'>
  <link name='${name}'><inertial><origin xyz='0 0 ${length / 2}'/><mass value='${mass}'/>
    <inertia ixx='${mass * length * length / 12}' ixy='0' ixz='0' iyy='${mass * length * length / 12}' iyz='0' izz='0.002'/></inertial>
    <collision><origin xyz='0 0 ${length / 2}'/><geometry><cylinder radius='0.04' length='${length * 0.8}'/></geometry></collision></link>
</xacro:macro>
<link name='base'/><xacro:bar name='upper' mass='$(arg mass)' length='0.5'/><xacro:bar name='lower' mass='1' length='0.4'/>
<joint name='shoulder' type='revolute'><parent link='base'/><child link='upper'/><axis xyz='0 1 0'/>
  <limit lower='-1.5' upper='1.5' effort='100' velocity='2'/></joint>
<joint name='elbow' type='revolute'><parent link='upper'/><child link='lower'/><origin xyz='0 0 0.5'/><axis xyz='0 1 0'/>
  <limit lower='0.3' upper='2.5' effort='50' velocity='3'/></joint>
<link name='tool0'/><joint name='tool' type='fixed'><parent link='lower'/><child link='tool0'/><origin xyz='0 0 0.4'/></joint>
</robot>
"""


def case_inspect_shows_what_a_robot_is(longarm):
    pathlib.Path("arm.urdf.xacro").write_text(ARM)
    done = longarm("inspect", "arm.urdf.xacro", "mass:=5")
    equal(done.stderr, "", "stderr")
    lines = [line.split() for line in done.stdout.splitlines()]
    holds(done.stdout.startswith("arm.urdf.xacro: robot 'arm', 4 links, 2 moving joints, 6 kg\n"), done.stdout)
    holds(["elbow", "revolute", "17.189deg", "143.24deg", "171.89deg/s", "50", "N·m", "upper", "lower"] in lines, done.stdout)
    holds(["upper", "5", "kg", "1", "shape"] in lines, done.stdout)
    holds(["lower", "1", "kg", "1", "shape", "tool0"] in lines, done.stdout)
    holds("No findings." in done.stdout, done.stdout)
    equal(longarm("inspect", "arm.urdf.xacro", "mass=5", expect=2).stderr,
          "error: 'mass=5' is not name:=value\n  hint: write xacro arguments after the file, as name:=value\n")
    holds("there is no model 'nobody'" in longarm("inspect", "nobody", expect=2).stderr, "no such model")


def case_new_writes_a_scenario_that_runs(longarm):
    pathlib.Path("arm.urdf.xacro").write_text(ARM)
    done = longarm("new", "arm.urdf.xacro", "mass:=3")
    equal(done.stderr, "", "stderr")
    holds(done.stdout.startswith("arm.yaml: runs "), done.stdout)
    text = pathlib.Path("arm.yaml").read_text()
    for part in ['xacro_args: ["mass:=3"]', 'end_effector: "tool0"', "engine: mujoco ", "# link: {delay: 10ms}"]:
        holds(part in text, f"arm.yaml has no {part}:\n{text}")
    metrics = json.loads(longarm("run", "arm.yaml", "--json").stdout)
    holds(metrics["path_deviation_max_m"] < 0.005, f"deviation {metrics['path_deviation_max_m']}")
    # all joints move, and it says so in millimetres before
    for joint in ["shoulder", "elbow"]:
        holds(joint in metrics["joints"], f"{joint} is not driven")
    equal(longarm("new", "arm.urdf.xacro", expect=2).stderr,
          "--out: error: 'arm.yaml' already exists\n  hint: choose another name with --out, or use --force to overwrite it\n")
    equal(pathlib.Path("arm.yaml").read_text(), text)
    pathlib.Path("post.urdf").write_text("<robot name='post'><link name='post'/></robot>")
    equal(longarm("new", "post.urdf", expect=2).stderr,
          "post.urdf: error: robot 'post' has no joint that can move\n  hint: longarm inspect shows its joints\n")
    holds(not pathlib.Path("post.yaml").exists(), "a scenario of nothing")


SOLID = ('<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>')


def hinge(name, parent, child, limits="-1 1", effort=100, at="0 0 0.1", axis="0 0 1", more=""):
    lower, upper = limits.split()
    return (f'<joint name="{name}" type="revolute"><parent link="{parent}"/><child link="{child}"/><origin xyz="{at}"/>'
            f'<axis xyz="{axis}"/><limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="2"/>{more}</joint>\n')


def write_robot(name, *parts, links):
    pathlib.Path(f"{name}.urdf").write_text(
        f'<robot name="{name}">\n<link name="base"/>\n'
        + "".join(f'<link name="{link}">{SOLID}</link>\n' for link in links) + "".join(parts) + "</robot>\n")


def waypoints(scenario):
    lines = pathlib.Path(scenario).read_text().splitlines()
    return [json.loads(line[6:]) for line in lines if line.startswith("    - [")]


def mimic_robot(name, limits, multiplier, *parts, links=()):
    write_robot(name, hinge("finger", "base", "finger", "0 1"),
                hinge("tip", "finger", "tip", limits, more=f'<mimic joint="finger" multiplier="{multiplier}"/>'),
                *parts, links=["finger", "tip", *links])


def case_new_keeps_joints_that_mimic_within_their_limits(longarm):
    mimic_robot("grip", "0 0.2", 1)
    longarm("new", "grip.urdf")
    rows = waypoints("grip.yaml")
    holds(all(0 <= row[0] <= 0.2 for row in rows), rows)
    holds(max(row[0] for row in rows) - min(row[0] for row in rows) > 0.1, rows)
    longarm("run", "grip.yaml", "--json")


def case_new_leaves_out_a_joint_that_its_followers_hold(longarm):
    # tip = -finger within 0 ... 0.87: finger can only be at 0
    mimic_robot("grip", "0 0.87", -1)
    holds("grip.urdf:5:1: warning: joint 'finger' can only be at 0 within the limits of 'tip' (× -1, 0 to 0.87)"
          in longarm("lint", "grip.urdf").stdout, "lint says nothing")
    equal(longarm("new", "grip.urdf", expect=2).stderr,
          "grip.urdf: error: robot 'grip' has no joint that can move: the limits of the joints that mimic joint "
          "'finger' keep it from moving\n  hint: longarm lint shows the conflicting limits\n")
    mimic_robot("arm", "0 0.87", -1, hinge("wrist", "tip", "hand"), links=["hand"])
    done = longarm("new", "arm.urdf")
    holds("\n  Left out: joint 'finger'; the limits of the joints that mimic it keep it from moving" in done.stdout,
          done.stdout)
    holds('joints: ["wrist"]' in pathlib.Path("arm.yaml").read_text(), "it drives something else")


def case_new_wants_every_joint_to_make_its_motion(longarm):
    # the frame of 'bar' is on its axis and stays where it should be, though 9.81 N at 0.5 m are too much for the joint
    write_robot("weak", hinge("turn", "base", "bar", effort=1, axis="0 1 0"), links=["bar"])
    robot = pathlib.Path("weak.urdf")
    robot.write_text(robot.read_text().replace('<inertial>', '<inertial><origin xyz="0.5 0 0"/>'))
    done = longarm("new", "weak.urdf")
    holds("engine: kinematic " in pathlib.Path("weak.yaml").read_text(), "a motion that is none")
    holds("\n  Engine: kinematic, because the effort limit of joint 'turn' (1 N·m) is too low even" in done.stdout, done.stdout)


def case_new_avoids_contacts_and_says_what_it_gave_up(longarm):
    # 'bar' meets the post, 0.4 rad to either side of it, in a swing of 0.6 rad and not in one of 0.18 rad
    def box(size, at):
        return f'<collision><origin xyz="{at}"/><geometry><box size="{size}"/></geometry></collision>'
    posts = "".join(box("0.04 0.04 0.4", f"0.46 {y} 0.2") for y in (0.2, -0.2))
    text = (f'<robot name="fence"><link name="base">{posts}</link><link name="turret">{SOLID}</link>\n'
            f'<link name="bar">{SOLID}{box("0.5 0.02 0.02", "0.25 0 0")}</link>\n'
            + hinge("turn", "base", "turret") + hinge("lift", "turret", "bar", axis="0 1 0") + "</robot>\n")
    pathlib.Path("fence.urdf").write_text(text)
    done = longarm("new", "fence.urdf")
    holds("\n  Motion: 30 % of the usual range, because with the usual motion " in done.stdout, done.stdout)
    holds("base and bar touched" in done.stdout, done.stdout)
    holds("Motion: 30 % of the usual range" in pathlib.Path("fence.yaml").read_text(), "the file does not say so")
    equal(json.loads(longarm("run", "fence.yaml", "--json").stdout)["contact_steps"], 0)


def case_new_names_the_chain_and_what_it_estimates(longarm):
    write_robot("twins", hinge("l1", "base", "left1"), hinge("l2", "left1", "left2"), hinge("r1", "base", "right1"),
                links=["left1", "left2"])
    pathlib.Path("twins.urdf").write_text(
        pathlib.Path("twins.urdf").read_text().replace("</robot>", '<link name="right1"/></robot>'))
    done = longarm("new", "twins.urdf")
    holds("\n  Drives: 2 joints from 'base' to 'left2'; all other joints are held, among them the chain to 'right1'.\n"
          in done.stdout, done.stdout)
    holds("\n  Masses: estimated from shapes for 1 body without a usable <inertial>; efforts are rough estimates.\n"
          in done.stdout, done.stdout)


def case_new_of_one_joint_swings_to_either_side(longarm):
    write_robot("drum", hinge("turn", "base", "drum"), links=["drum"])
    longarm("new", "drum.urdf")
    equal(waypoints("drum.yaml"), [[0.6], [-0.6], [0]])
    text = pathlib.Path("drum.yaml").read_text()
    holds("# to one side, to the other, and back\n" in text, text)
    equal([line for line in text.splitlines() if line != line.rstrip()], [])
    holds(longarm("inspect", "drum.urdf").stdout.endswith("\nNext: longarm new drum.urdf\n"), "a blank at the end")


def case_new_holds_a_hand_whatever_its_fingers_have(longarm):
    # six joints of 10 cm carry two fingers of six joints of 2 cm
    parts, links = [], []

    def chain(prefix, parent, step):
        for i in range(6):
            links.append(f"{prefix}{i}")
            parts.append(hinge(f"{prefix}{i}", parent, links[-1], at=f"0 0 {step}", axis="0 1 0" if i % 2 else "0 0 1"))
            parent = links[-1]

    chain("arm", "base", 0.1)
    chain("thumb", "arm5", 0.02)
    chain("index", "arm5", 0.02)
    write_robot("handy", *parts, links=links)
    longarm("new", "handy.urdf")
    holds('end_effector: "arm5"' in pathlib.Path("handy.yaml").read_text(), pathlib.Path("handy.yaml").read_text())
    # a torso's arms are longer than it: three joints of 10 cm carry two arms of six of 10 cm
    parts, links = [], []
    chain("waist", "base", 0.1)
    del parts[3:], links[3:]
    chain("left", "waist2", 0.1)
    chain("right", "waist2", 0.1)
    write_robot("torso", *parts, links=links)
    longarm("new", "torso.urdf")
    holds('end_effector: "left5"' in pathlib.Path("torso.yaml").read_text(), pathlib.Path("torso.yaml").read_text())


def case_nodes_shows_both_ends(longarm):
    equal(longarm("nodes", "two-stations", "/left/planner", "right_camera").stdout, """\
/left/planner  program loop on edge, actor left_planner
  subscribes
    /left/image  ← /left/camera
  goals
    /left/arm/pick  → /left/arm
/right/camera  program loop on right_cell, actor right_camera
  publishes
    /right/image  → /right/planner
  services
    /right/camera/get_parameters
    /right/camera/list_parameters
    /right/camera/set_parameters
  parameters
    period = 0.05 s  double, period of its cycles
""")
    moved = longarm("nodes", "two-stations", "right_planner", "--set", "actors.right_planner.remap.arm/pick=/left/arm/pick")
    holds("/left/arm/pick  → /left/arm\n" in moved.stdout, moved.stdout)
    found = json.loads(longarm("nodes", "two-stations", "left/camera", "--json").stdout)[0]
    equal(found["services"]["/left/camera/set_parameters"], ["/supervisor"])
    equal(found["parameters"][0]["value"], 0.05)
    wrong = longarm("nodes", "two-stations", "/left/camra", expect=2).stderr
    equal(wrong, "error: there is no node '/left/camra'\n  hint: did you mean '/left/camera'?\n")
    holds("this scenario has no components" in longarm("nodes", "ur5-waypoints", expect=2).stderr, "no components")


def case_inspect_says_the_same_as_lint(longarm):
    pathlib.Path("bare.urdf").write_text(
        '<robot name="bare"><link name="base"/><link name="arm"/>\n' + hinge("turn", "base", "arm") + "</robot>")
    linted = longarm("lint", "bare.urdf").stdout
    holds("warning: body 'arm' moves but has no mass\n" in linted and "robot.inertia: estimate" in linted, linted)
    holds(linted.rsplit("\n", 2)[0] in longarm("inspect", "bare.urdf").stdout, "inspect says something else")


def case_lint_counts_warnings_that_are_alike(longarm):
    strange = '<dynamics damping="0" D="1"/>'
    write_robot("chain", hinge("a", "base", "a", more=strange), hinge("b", "a", "b", more=strange),
                hinge("c", "b", "c", more=strange), links="abc")
    done = longarm("lint", "chain.urdf").stdout
    holds("joint 'a': unknown attribute 'D' of <dynamics> is ignored (and 2 more like it)\n" in done, done)
    equal(done.count("unknown attribute"), 1)
    holds(done.endswith("chain.urdf: 3 findings, 0 errors\n"), done)
    equal(longarm("lint", "chain.urdf", "--all").stdout.count("unknown attribute"), 3)
    equal(longarm("inspect", "chain.urdf").stdout.count("unknown attribute"), 1)


def case_lint_expands_xacro(longarm):
    pathlib.Path("arm.urdf.xacro").write_text(
        "<robot name='a' xmlns:xacro='http://www.ros.org/wiki/xacro'>\n<xacro:arm/></robot>\n")
    equal(longarm("lint", "arm.urdf.xacro", expect=2).stderr,
          "arm.urdf.xacro:2:1: error: there is no macro 'arm'\n"
          "  hint: include the file that defines it before it is used\n")


def case_lint_of_an_unreadable_model_exits_2(longarm):
    pathlib.Path("broken.urdf").write_text("<robot name='r'><link></robot>")
    done = longarm("lint", "broken.urdf", expect=2)
    equal(done.stdout, "", "stdout")
    holds(done.stderr.startswith("broken.urdf:1:"), done.stderr)
    longarm("lint", "absent.urdf", expect=2)
    longarm("lint", "absent", expect=2)


if __name__ == "__main__":
    sys.exit(main(globals()))
