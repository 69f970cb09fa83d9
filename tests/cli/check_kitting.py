# SPDX-License-Identifier: Apache-2.0
# Kitting on the command line: what a run says of itself, what can be set, and plans without a run.
import os
import pathlib
import sys

from program import equal, holds, main

SHORT_CELL = ["aprs-kitting", "--set", "length=250ms"]


def case_kitting_run_says_what_was_not_done_and_what_did_not_happen(longarm):
    done = longarm("run", *SHORT_CELL, "--set", "failures=1e9s fanuc breaks", "--out", "out")
    late = '"1e9s fanuc breaks" will not occur: the run ends after 0.25 s'
    at_work = "the executor was still working when the run ended"
    log = pathlib.Path("out/log.txt").read_text()
    for words in [late, at_work]:
        equal(done.stderr.count(words), 1, f"'{words}' in\n{done.stderr}")
        equal(log.count(words), 1, f"'{words}' in\n{log}")


def case_kitting_says_once_what_is_wrong_with_both_directions_of_a_cable(longarm):
    done = longarm("run", *SHORT_CELL, "--set", "network.links.executor.netem=loss 120%", expect=2)
    equal(done.stderr.count("'120%' after 'loss'"), 1, done.stderr)


def case_keys_of_kitting_have_those_of_link_models(longarm):
    said = longarm("keys", "aprs-kitting").stdout
    for key in ["network.links.executor.forward.model ", "network.links.NAME.netem ", "network.links.NAME.delay "]:
        holds("\n" + key in said, f"{key} is missing in\n{said}")
    holds("under network.links.NAME (both directions)" in said, said[-300:])


def case_plan_knows_which_scenarios_ask_for_kits(longarm):
    for other in ["ur5-waypoints", "belt-bench", "aprs-live"]:
        equal(longarm("plan", other, expect=2).stderr,
              f"{other}: error: this scenario requests no kits, so there is nothing to plan\n"
              "  hint: use aprs-kitting, a scenario with an actor of kind kitting, or a PDDL domain and problem\n")


def case_plan_refuses_options_that_mean_nothing(longarm):
    done = longarm("plan", "--domain", "aprs", "--check", "x", "--out", "y", expect=2)
    for option in ["--check", "--out"]:
        holds(f"{option}: error: --domain only prints the domain of an ontology\n" in done.stderr, done.stderr)
    done = longarm("plan", "aprs-kitting", "--check", "x", expect=2)
    holds("--check: error: a plan is checked against a domain and a problem\n" in done.stderr, done.stderr)
    done = longarm("plan", "a.pddl", "b.pddl", "--set", "seed=2", expect=2)
    holds("--set: error: PDDL files have no keys\n" in done.stderr, done.stderr)
    holds(not os.path.exists("y"), "a folder was made")


def case_plan_says_which_folder_cannot_be_made(longarm):
    pathlib.Path("file").write_text("")
    done = longarm("plan", "aprs-kitting", "--out", "file/below", expect=2)
    equal(done.stderr, "--out: error: cannot create folder 'file/below': Not a directory\n  hint: choose another one\n")
    equal(done.stdout, "")


def case_kitting_says_before_the_run_what_a_domain_lacks(longarm):
    domain = longarm("plan", "--domain", "aprs").stdout
    pathlib.Path("mine.pddl").write_text(domain.replace("(works ", "(wrks "))
    path = os.path.abspath("mine.pddl")
    done = longarm("run", "aprs-kitting", "--set", f"actors.kitting.domain={path}", expect=2)
    equal(done.stderr, f"--set actors.kitting.domain={path}: error: the problem generated from the request does not fit {path}: "
                       "unknown predicate 'works'\n  hint: did you mean 'wrks'?\n")


def case_kitting_says_before_the_run_which_action_nobody_can_carry_out(longarm):
    domain = longarm("plan", "--domain", "aprs").stdout
    pathlib.Path("mine.pddl").write_text(domain.replace("(:action pick\n", "(:action grab\n"))
    path = os.path.abspath("mine.pddl")
    done = longarm("run", "aprs-kitting", "--set", f"actors.kitting.domain={path}", expect=2)
    holds("error: unknown action 'grab' with 4 arguments\n" in done.stderr, done.stderr)
    holds("hint: valid actions: (pick ROBOT PART SLOT ZONE), " in done.stderr, done.stderr)


def case_kitting_knows_which_cameras_and_reaches_the_cell_has(longarm):
    ontology = (longarm.source / "kitting" / "aprs.yaml").read_text()
    pathlib.Path("mine.yaml").write_text(ontology.replace("  camera_2: {", "  camera_7: {"))
    path = os.path.abspath("mine.yaml")
    done = longarm("run", "aprs-kitting", "--set", f"actors.kitting.ontology={path}", expect=2)
    holds("error: the ontology has no camera 'camera_2'\n  hint: did you mean 'camera_" in done.stderr, done.stderr)
    done = longarm("run", *SHORT_CELL, "--set", "actors.kitting.executor.arms.fanuc.clear_m=[2, 2, 2]",
                   "--set", "actors.kitting.cameras=[camera_1]", "--set", "actors.camera_1.noise=gaussian",
                   "--set", "actors.camera_1.noise_m=0.02")
    for words in ["fanuc cannot reach its waiting position", "the ontology's camera 'camera_2' is missing",
                  "kitting was never tested with more than 3 mm of noise"]:
        holds(f"warning: {words}" in done.stderr, done.stderr)


def case_plan_writes_files_that_it_reads_again(longarm):
    plan = longarm("plan", "aprs-kitting", "--out", "plans").stdout
    again = longarm("plan", "plans/domain.pddl", "plans/problem.pddl").stdout
    holds(plan.startswith(again), plan)
    checked = longarm("plan", "plans/domain.pddl", "plans/problem.pddl", "--check", "plans/plan.txt").stdout
    holds(checked.startswith("a plan of 21 steps"), checked)


if __name__ == "__main__":
    sys.exit(main(globals()))
