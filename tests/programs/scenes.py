# SPDX-License-Identifier: Apache-2.0
"""Scenes with existing programs: runs them, reads what they wrote, and sees that nothing is left of them."""

import json
import os
import pathlib
import shutil
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import children, equal, holds, inherit_orphans, main  # noqa: E402,F401  (for the scripts of this folder)

# Debian's, whose modules are those of Debian's packages
PYTHON = "/usr/bin/python3"

# Bytes on a cable: TCP with timestamps, IP, Ethernet, preamble.
TCP_OVERHEAD = 32 + 20 + 18 + 8
SYN = 40 + 20 + 18 + 8


def wire_ns(payload, rate=1e9, overhead=TCP_OVERHEAD):
    """How long a segment of that payload is on a cable of that rate."""
    return (payload + overhead) * 8 * 1e9 / rate


def nothing_is_left(but=()):
    """What longarm has started is gone when it is. `but` are processes of the test."""
    ended = 1
    while ended > 0:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
    equal(set(children()) - set(but), set(), "processes that are left")


def everything_ends(within_s=20):
    """The same for what ends by itself, if soon: returns as soon as nothing is left."""
    def too_late(*_):
        raise AssertionError(f"processes are left after {within_s} s")

    before = signal.signal(signal.SIGALRM, too_late)
    signal.alarm(within_s)
    try:
        while True:
            os.wait()
    except ChildProcessError:
        pass
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Outcome:
    """A folder of results."""

    def __init__(self, folder, done):
        self.folder = pathlib.Path(folder)
        self.stderr = done.stderr
        self.metrics = json.loads((self.folder / "metrics.json").read_text()) if done.returncode in (0, 1) else {}

    def text(self, name, stream="stdout"):
        path = self.folder / f"{name}.{stream}.txt"
        return path.read_text() if path.exists() else ""

    def output_files(self):
        return {path.name: path.read_bytes() for path in sorted(self.folder.glob("*.std*.txt"))}


def write(name, text):
    path = pathlib.Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def in_a_place_of_its_own(out, start):
    """Calls start(FOLDER, RESULTS) in a copy of the scene, which has the same name each time and is RESULTS/place later.

    Files are native, and one name more in a program's folder is another input: Python keeps the names, and its sets of
    objects are in the order of their addresses."""
    runs = pathlib.Path("runs").resolve()
    place, results = runs / "place", runs / out
    shutil.copytree(".", place, ignore=lambda folder, _: ["runs"] if folder == "." else [])
    done = start(place, results)
    place.rename(results / "place")
    return done


def run(longarm, scenario, out="out", expect=0, but=()):
    def start(folder, results):
        return longarm("run", scenario, "--out", str(results), expect=expect, folder=folder)

    inherit_orphans()
    done = in_a_place_of_its_own(out, start)
    nothing_is_left(but)
    return Outcome(f"runs/{out}", done)


def run_twice(longarm, text):
    """Both runs are the same."""
    write("scene.yaml", text)
    first = run(longarm, "scene.yaml")
    again = run(longarm, "scene.yaml", out="again")
    for name, content in first.output_files().items():
        equal(again.output_files().get(name), content, f"{name} the second time")
    equal(again.metrics["state_hash"], first.metrics["state_hash"], "state_hash the second time")
    return first


def network(rate="1Gbit", propagation="10ms", hosts=("edge", "robot")):
    """Hosts in a row, each with a cable to the first."""
    links = "".join(f"    cable_{other}: {{between: [{hosts[0]}, {other}], rate: {rate}, propagation: {propagation}}}\n"
                    for other in hosts[1:])
    return f"network:\n  hosts: [{', '.join(hosts)}]\n  links:\n{links}"
