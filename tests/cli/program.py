# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share: the program in a folder of its own, claims, and a main that runs one case.
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SHORT = ["--set", "task.hold=1s"]  # one-joint for a second: 1000 steps


class Program:
    """The program in a folder of its own, which goes away afterwards."""

    def __init__(self, binary, source):
        self.binary = binary
        self.source = pathlib.Path(source)

    def __call__(self, *arguments, expect=0):
        environment = {k: v for k, v in os.environ.items() if k != "LONGARM_DATA"}
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, env=environment)
        equal(done.returncode, expect, f"exit code of {arguments}\n{done.stdout}{done.stderr}")
        return done

    def metrics(self, *arguments):
        return json.loads(self("run", *arguments, "--json").stdout)


def equal(found, expected, what="value"):
    if found != expected:
        raise AssertionError(f"{what}\n--- expected\n{expected}\n--- found\n{found}")


def holds(claim, what):
    if not claim:
        raise AssertionError(what)


def snapshot(folder):
    """Everything below a folder: names, contents and times."""
    return {
        str(path): (path.read_bytes() if path.is_file() else None, path.stat().st_mtime_ns)
        for path in sorted(pathlib.Path(folder).rglob("*"))
    }


def files_in(folder):
    return sorted(path.name for path in pathlib.Path(folder).iterdir())


def main(names):
    """Lists the cases among `names` (a script's globals), or runs the one asked for."""
    cases = {name[5:]: case for name, case in names.items() if name.startswith("case_")}
    if sys.argv[1:] == ["--list"]:
        print("\n".join(cases))
        return 0
    binary, source, name = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="longarm-cli-") as folder:
        os.chdir(folder)
        try:
            cases[name](Program(binary, source))
        except AssertionError as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            return 1
        finally:
            os.chdir("/")
    return 0
