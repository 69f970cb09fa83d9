# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share: the program in a folder of its own, claims, and a main that runs one case.
import contextlib
import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

SHORT = ["--set", "task.hold=1s"]  # one-joint for a second: 1000 steps


class Program:
    """The program in a folder of its own, which goes away afterwards."""

    def __init__(self, binary, source):
        self.binary = binary
        self.source = pathlib.Path(source)

    def __call__(self, *arguments, expect=0, folder=None):
        environment = {k: v for k, v in os.environ.items() if k != "LONGARM_DATA"}
        done = subprocess.run([self.binary, *arguments], capture_output=True, text=True, env=environment, cwd=folder)
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


def inherit_orphans():
    """Whatever outlives its parent becomes a child of ours, so that it can be seen."""
    PR_SET_CHILD_SUBREAPER = 36
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "PR_SET_CHILD_SUBREAPER")


def children():
    return list(map(int, pathlib.Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def end_what_is_left(patience_s=20):
    """Commands of processes that outlive a case; they are ended. Those that are about to end by themselves may."""
    left = []
    until = time.monotonic() + patience_s
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return left
        if ended == 0 and time.monotonic() < until:
            time.sleep(0.01)
        elif ended == 0:
            for each in children():
                with contextlib.suppress(OSError):
                    left.append(pathlib.Path(f"/proc/{each}/cmdline").read_bytes().decode().replace("\0", " "))
                    os.kill(each, signal.SIGKILL)
            until += patience_s


def main(names):
    """Lists the cases among `names` (a script's globals), or runs the one asked for and sees that no process is left."""
    cases = {name[5:]: case for name, case in names.items() if name.startswith("case_")}
    if sys.argv[1:] == ["--list"]:
        print("\n".join(cases))
        return 0
    binary, source, name = sys.argv[1:]
    inherit_orphans()
    with tempfile.TemporaryDirectory(prefix="longarm-cli-") as folder:
        os.chdir(folder)
        try:
            cases[name](Program(binary, source))
        except AssertionError as problem:
            print(f"{name}: {problem}", file=sys.stderr)
            return 1
        finally:
            os.chdir("/")
            left = end_what_is_left()
    if left:
        print(f"{name}: processes are left: {left}", file=sys.stderr)
        return 1
    return 0
