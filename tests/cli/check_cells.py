# SPDX-License-Identifier: Apache-2.0
# What holds for every cell: nobody reaches around the network, and the run without it is what it says.
import csv
import json
import sys

from program import equal, holds, main


def curves(folder, prefix):
    """The columns of an actor in curves.csv, as they were written."""
    with open(f"{folder}/curves.csv", newline="") as file:
        rows = list(csv.reader(file))
    columns = [i for i, name in enumerate(rows[0]) if name.startswith(prefix)]
    holds(columns, f"no curve of {prefix} in {rows[0]}")
    return [[row[i] for i in columns] for row in rows[1:]]


def failures(*sentences):
    return ["--set", f"failures={json.dumps(sentences)}"]


def case_a_ur_arm_behind_a_dead_cable_does_not_notice_what_its_driver_does(longarm):
    for method, sets in {"speedj": [], "ros_control": ["--set", "actors.ur5.controller=none"]}.items():
        sets = [*sets, "--set", f"actors.driver.method={method}", "--set", "length=4s"]
        dead = "2s link drop down"
        calm = longarm.metrics("ur5-driver", *sets, *failures(dead), "--out", f"{method}-calm")
        wild = longarm.metrics("ur5-driver", *sets, *failures(dead, "2.1s link uplink slow 50ms"), "--out", f"{method}-wild")
        equal(curves(f"{method}-wild", "ur5."), curves(f"{method}-calm", "ur5."), f"joints with {method}")
        equal(wild.get("ur5"), calm.get("ur5"), f"the robot's own account with {method}")
        alive = longarm.metrics("ur5-driver", *sets, "--out", f"{method}-alive")
        holds(alive["state_hash"] != calm["state_hash"], "the cable matters")


def case_robots_behind_dead_cables_do_not_notice_the_rest_of_the_cell(longarm):
    sets = ["--set", "length=14s"]
    dead = ["6s link fanuc down", "6s link motoman down"]
    calm = longarm.metrics("aprs-kitting", *sets, *failures(*dead), "--out", "calm")
    # cameras, belt and executor's cable change, and somebody walks into the curtain
    wild = longarm.metrics("aprs-kitting", *sets,
                           *failures(*dead, "6.1s camera_1 blind", "7s link executor down", "8s curtain broken for 2s"),
                           "--out", "wild")
    holds(wild["safety"]["stops"] > calm["safety"]["stops"], "the curtain was broken")
    for robot in ("fanuc", "motoman"):
        equal(wild[robot], calm[robot], f"the account of {robot}")
        for at in ("6.5", "9", "13.9"):
            poses = [longarm("frame", run, "world", f"{robot}/gripper::tcp", "--at", f"{at}s").stdout for run in ("calm", "wild")]
            equal(poses[1], poses[0], f"the tool of {robot} at {at} s")
    # with their cables they would have noticed
    curtain = longarm.metrics("aprs-kitting", *sets, *failures("8s curtain broken for 2s"), "--out", "alive")
    free = longarm.metrics("aprs-kitting", *sets, "--out", "free")
    holds(curtain["state_hash"] != free["state_hash"] and curtain["fanuc"]["commands"] < free["fanuc"]["commands"],
          "a curtain that is broken holds the robots up")


def case_the_reference_without_network_is_the_file_with_those_values(longarm):
    cells = {
        "ur5-driver": ["--set", "network.backend=ideal"],
        "aprs-kitting": ["--set", "network.backend=ideal", "--set", "length=3s"],
        "armar-rectangle": ["--set", "network.backend=ideal", "--set", "length=2s"],
        "aprs": [arguments for device in ("curtain", "camera_1", "camera_2")
                 for arguments in ("--set", f"actors.{device}.link={{model: none}}")],
    }
    for scenario, ideal in cells.items():
        length = [part for i, part in enumerate(ideal) if "length" in part or (i + 1 < len(ideal) and "length" in ideal[i + 1])]
        by_hand = longarm.metrics(scenario, *ideal)
        beside = longarm.metrics(scenario, *length, "--reference", "ideal")
        equal(beside["reference"]["state_hash"], by_hand["state_hash"], f"{scenario} without its network")
        nothing = longarm("run", scenario, *ideal, "--reference", "ideal").stdout
        holds("adds exactly nothing" in nothing, f"{scenario}, ideal already:\n{nothing}")


def case_an_arm_without_its_link_is_the_run_that_was_made_without_it(longarm):
    longarm("run", "ur5-waypoints", "--out", "alone")
    late = ["ur5-waypoints", "--set", "link.delay=10ms"]
    beside, ideal = (longarm.metrics(*late, "--reference", reference) for reference in ("alone", "ideal"))
    for results in (beside, ideal):
        results.pop("machine")
        results.pop("reference")
    equal(ideal, beside, "compared with the folder, and with what is made on the spot")
    nothing = longarm.metrics("ur5-waypoints", "--reference", "ideal")
    equal(nothing["reference_path_deviation_max_m"], 0.0, "what no link adds")


def case_a_host_with_one_cable_says_so(longarm):
    text = (longarm.source / "scenarios/ur5-driver.yaml").read_text()
    begin, end = text.index("  hosts:"), text.index("  flows: tcp")
    short = """  switches: {cell: {forwarding: 3us}}
  hosts:
    driver: {to: cell, rate: 1Gbit, propagation: 1ms}
    robot: {to: cell, rate: 100Mbit, propagation: 1us, cores: 2}
"""
    open("short.yaml", "w").write(text[:begin] + short + text[end:])
    equal(longarm.metrics("short.yaml")["state_hash"], longarm.metrics("ur5-driver")["state_hash"], "the same cables")
    slow = longarm.metrics("short.yaml", "--set", "network.hosts.driver.propagation=20ms")
    equal(slow["state_hash"], longarm.metrics("ur5-driver", "--set", "network.links.uplink.propagation=20ms")["state_hash"], "slower")
    longarm("run", "short.yaml", "--set", 'failures=["2s link driver down for 1s"]')
    twice = longarm("run", "short.yaml", "--set", "network.links.driver.rate=1Gbit", expect=2).stderr
    holds("host 'driver' has a cable and a link of its name" in twice, twice)


def case_what_the_network_adds_comes_first(longarm):
    said = longarm("run", "ur5-driver").stdout
    holds("what the network adds" not in said, "nobody asked")
    said = longarm("run", "ur5-driver", "--reference", "ideal").stdout
    holds(said.index("what the network adds") < said.index("tool from path, largest"), said)
    holds("driver:" in said and "mm at most from where it is without" in said, said)
    refused = longarm("run", "grasp-bench", "--reference", "ideal", expect=2).stderr
    holds("has no network that could be left out" in refused, refused)


def case_the_reference_of_kinds_is_what_they_say_of_themselves(longarm):
    page = (longarm.source / "docs/actors.md").read_text()
    equal(page, longarm("keys", "actors").stdout, "docs/actors.md; make it anew: longarm keys actors > docs/actors.md")


if __name__ == "__main__":
    sys.exit(main(globals()))
