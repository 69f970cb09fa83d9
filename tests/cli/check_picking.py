# SPDX-License-Identifier: Apache-2.0
# Parts off a moving belt: what the picker says it did, what the feeder saw, and what lateness does.
import sys

from program import equal, holds, main


def belt(longarm, out, *sets):
    words = [word for each in ("length=26s", *sets) for word in ("--set", each)]
    metrics = longarm.metrics("ur5-belt", *words, "--set", "record.trace=false", "--out", out)
    feeder = metrics["feeder"]
    equal(feeder["fed"], feeder["delivered"] + feeder["missed"] + feeder["dropped"] + feeder["on_the_way"], "every part is somewhere")
    return metrics


def case_gears_go_from_the_belt_into_the_crate(longarm):
    for method in (["method=movel"], ["method=servoj", "speed_m_s=0.7"]):
        metrics = belt(longarm, method[0], *(f"actors.picker.{each}" for each in method))
        picker, feeder = metrics["picker"], metrics["feeder"]
        holds(picker["placed"] >= 2, f"placed: {picker}")
        equal([picker["drops"], picker["empty"], picker["stops"], feeder["missed"], feeder["dropped"]], [0, 0, 0, 0, 0], method[0])
        holds(picker["placed"] - 1 <= feeder["delivered"] <= picker["placed"], f"delivered: {feeder}")


def case_a_picker_that_does_not_allow_for_latency_closes_on_nothing(longarm):
    late = ["network.links.radio.propagation=200ms", "actors.picker.aims_ahead="]
    ahead, behind = (belt(longarm, word, late[0], late[1] + word)["picker"] for word in ("true", "false"))
    holds(ahead["grasps"] >= 2, f"with half a round trip: {ahead}")
    equal(behind["grasps"], 0, f"20 mm beside the gear: {behind}")
    holds(behind["empty"] >= 2, f"20 mm beside the gear: {behind}")


def case_feeders_and_pickers_say_what_they_need(longarm):
    for setting, words in [
            ("actors.feeder.box=crates", "there is no 'crates' in this world"),
            ("actors.feeder.parts=[gear_9]", "there is no loose part 'gear_9'"),
            ("actors.feeder.jitter=5s", "must be less than 'every'"),
            ("actors.picker.window_m=[0.3, -0.3]", "ends before it begins"),
            ("actors.picker.force=300", "gripper values must be from 0 to 255"),
            ("actors.picker.robot=camera", "UR controller"),
            ("actors.ur5.gripper.tool_output=2", "the tool has digital outputs 0 and 1")]:
        done = longarm("run", "ur5-belt", "--set", setting, "--out", "never", expect=2)
        holds(words in done.stderr, f"{setting}: {done.stderr}")
    done = longarm("run", "ur5-belt", "--set", "actors.ur5.model=ur5", "--set", "actors.ur5.base_frame=base", "--set",
                   "actors.ur5.flange=tool0", "--out", "never", expect=2)
    holds("has no Robotiq gripper behind a UR controller" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(main(globals()))
