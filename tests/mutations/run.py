#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Breaks the program on purpose, one patch at a time, and shows which oracle notices.

Works on a copy of the source tree, so that nothing here changes. Exit code 0: every mutation was noticed; 1: one
was not; 2: the copy could not be built, or the unbroken program fails its own oracles.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SHOWN = 4  # groups of which a row of the table names an oracle


def fail(words):
    print(f"mutations: {words}", file=sys.stderr)
    sys.exit(2)


def run(command, cwd, what):
    """Runs a tool that has to succeed."""
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=outside_git(cwd))
    if done.returncode != 0:
        print((done.stdout + done.stderr)[-4000:], file=sys.stderr)
        fail(f"{what} failed")
    return done.stdout


def outside_git(copy):
    # the copy lies within a working tree, and git must not take it for part of that
    return {**os.environ, "GIT_CEILING_DIRECTORIES": str(copy.parent)}


def copy_sources(source, copy):
    """Makes `copy` the same as what git does not ignore in `source`; what is the same already keeps its time."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            cwd=source, capture_output=True, check=True).stdout.decode().split("\0")
    wanted = {pathlib.Path(name) for name in listed if name and (source / name).is_file()}
    for old in [path for path in copy.rglob("*") if path.is_file()]:
        if old.relative_to(copy) not in wanted:
            old.unlink()
    for name in wanted:
        target = copy / name
        content = (source / name).read_bytes()
        if not target.is_file() or target.read_bytes() != content:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
            shutil.copymode(source / name, target)


def configure(copy, build):
    run(["cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DLONGARM_TESTS=OFF"], copy,
        "configuring")


def failing_oracles(build, jobs, timeout_s):
    """Builds and asks: the oracles that fail, or how the program ended instead."""
    run(["cmake", "--build", build, "-j", str(jobs), "--target", "longarm_app"], build, "building")
    program = next(path for path in build.rglob("longarm") if path.is_file() and os.access(path, os.X_OK))
    try:
        done = subprocess.run([program, "oracle", "--json"], capture_output=True, text=True, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return [], f"no end within {timeout_s} s"
    if done.returncode not in (0, 1):
        return [], f"exit code {done.returncode}: {(done.stderr.strip().splitlines() or [''])[-1]}"
    failing = [row for row in json.loads(done.stdout)["oracles"] if not row["verdict"]]
    if bool(failing) != (done.returncode == 1):
        fail(f"exit code {done.returncode} although {len(failing)} oracles fail")
    return failing, ""


def table_row(patch, failing, ending):
    lines = patch.read_text().splitlines()
    if ending:
        noticed = f"the program: {ending}"
    elif failing:
        firsts = {}  # of each group
        for row in failing:
            firsts.setdefault(row["group"], row["name"])
        names = list(firsts.values())[:SHOWN] if len(failing) > SHOWN else [row["name"] for row in failing]
        noticed = f"{len(failing)}: " + ", ".join(f"`{name}`" for name in names)
        noticed += ", …" if len(failing) > len(names) else ""
    else:
        noticed = "**nothing**"
    return f"| `{patch.stem}` | {lines[0]} | {noticed} |"


def check_patches(patches, source):
    """Each patch has to fit the sources exactly, as `git apply` wants it."""
    bad = 0
    for patch in patches:
        done = subprocess.run(["git", "-c", "safe.directory=*", "apply", "--check", patch], cwd=source,
                              capture_output=True, text=True, env=outside_git(source))
        bad += done.returncode != 0
        sys.stderr.write(done.stderr)
    print(f"{len(patches) - bad} of {len(patches)} patches fit the sources")
    return 1 if bad else 0


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("patches", nargs="*", metavar="NAME", help="parts of patch names; default: all")
    options.add_argument("--source", type=pathlib.Path, default=ROOT, help="working tree to copy")
    options.add_argument("--scratch", type=pathlib.Path, default=ROOT / "build" / "mutations", help="where to")
    options.add_argument("--jobs", type=int, default=os.cpu_count(), help="compilers at once")
    options.add_argument("--check", action="store_true", help="only say whether the patches fit the sources")
    options.add_argument("--timeout", type=float, default=300.0, help="seconds for the oracles of a mutation")
    arguments = options.parse_args()

    every = sorted(HERE.glob("*.patch"))
    patches = [p for p in every if not arguments.patches or any(part in p.stem for part in arguments.patches)]
    if not patches:
        fail("no patch has such a name; there are: " + ", ".join(p.stem for p in every))
    if arguments.check:
        return check_patches(patches, arguments.source.resolve())
    (arguments.scratch / "source").mkdir(parents=True, exist_ok=True)
    copy, build = ((arguments.scratch / name).resolve() for name in ("source", "build"))
    copy_sources(arguments.source.resolve(), copy)
    configure(copy, build)
    failing, ending = failing_oracles(build, arguments.jobs, arguments.timeout)
    if failing or ending:
        fail(f"the unbroken program fails: {ending or ', '.join(row['name'] for row in failing)}")

    print("| mutation | what is broken | detected by |\n|---|---|---|", flush=True)
    unnoticed = 0
    for patch in patches:
        run(["git", "apply", patch], copy, f"applying {patch.name}")
        failing, ending = failing_oracles(build, arguments.jobs, arguments.timeout)
        run(["git", "apply", "--reverse", patch], copy, f"reverting {patch.name}")
        unnoticed += not failing and not ending
        print(table_row(patch, failing, ending), flush=True)
    print(f"\n{len(patches) - unnoticed} of {len(patches)} mutations were noticed", file=sys.stderr)
    return 1 if unnoticed else 0


if __name__ == "__main__":
    sys.exit(main())
