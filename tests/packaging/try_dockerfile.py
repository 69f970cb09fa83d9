#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Follows the Dockerfile without a container engine: each stage is a clean Debian 12 made by mmdebstrap, each RUN a chroot.

Usage: try_dockerfile.py ROOT [BASE.tar], as root; BASE is the archive of a clean Debian 12 to begin with. Ends by running
the image's entry point with a scenario. Knows only the instructions and forms that the Dockerfile has."""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

source = pathlib.Path(sys.argv[1]).resolve()
base = sys.argv[2] if len(sys.argv) > 2 else None
started = time.monotonic()


def run(*words, **options):
    subprocess.run(words, check=True, **options)


class Stage:
    """A root folder, and what instructions change about it."""

    def __init__(self, folder):
        self.root = folder
        self.root.mkdir()
        if base:
            run("tar", "-xf", base, "-C", str(self.root))
        else:
            run("mmdebstrap", "--quiet", "--variant=apt", "--mode=root", "bookworm", str(self.root))
        self.root.chmod(0o755)
        run("cp", "/etc/resolv.conf", str(self.root / "etc/resolv.conf"))
        run("mount", "-t", "proc", "proc", str(self.root / "proc"))
        self.folder = "/"
        self.entry = []
        self.environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"}
        if "NODE_EXTRA_CA_CERTS" in os.environ:  # of the network of whoever tries this, not of the image
            (self.root / "etc/ssl").mkdir(exist_ok=True)
            run("cp", os.environ["NODE_EXTRA_CA_CERTS"], str(self.root / "etc/ssl/extra.crt"))
            self.environment["NODE_EXTRA_CA_CERTS"] = "/etc/ssl/extra.crt"

    def inside(self, path):
        return self.root / os.path.join(self.folder, path).lstrip("/")

    def execute(self, *words):
        run("chroot", str(self.root), "env", "-i", *(f"{name}={value}" for name, value in self.environment.items()),
            "sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", self.folder, *words)

    def close(self):
        run("umount", str(self.root / "proc"))


def copy(words, stages, stage):
    options = [word for word in words if word.startswith("--")]
    *names, target = [word for word in words if not word.startswith("--")]
    where = stage.inside(target)
    if options:
        origin = stages[options[0].removeprefix("--from=")].root
        found = [path for name in names for path in sorted(origin.glob(name.lstrip("/")))]
        assert len(found) == 1, f"{names} should be one file, not {found}"
        run("cp", "-r", str(found[0]), str(where))
        return
    where.mkdir(parents=True, exist_ok=True)
    ignored = [f"--exclude={line.removeprefix('**/') if line.startswith('**/') else './' + line}"
               for line in (source / ".dockerignore").read_text().split()]
    packed = subprocess.Popen(["tar", "-C", str(source), "-c", *ignored, *(f"./{name}" for name in names)],
                              stdout=subprocess.PIPE)
    run("tar", "-C", str(where), "-x", "--no-same-owner", stdin=packed.stdout)
    assert packed.wait() == 0


text = re.sub(r"\\\n", " ", re.sub(r"^#.*\n", "", (source / "Dockerfile").read_text(), flags=re.M))
scratch = tempfile.mkdtemp()
stages, stage = {}, None
try:
    for line in filter(None, text.split("\n")):
        print(f"[{time.monotonic() - started:.0f} s] {line}", flush=True)
        word, rest = line.split(None, 1)
        if word == "FROM":
            image, *name = rest.split(" AS ")
            assert image == "debian:12", image
            stage = Stage(pathlib.Path(scratch) / f"stage{len(stages)}")
            stages[name[0] if name else "image"] = stage
        elif word == "WORKDIR":
            stage.folder = rest
            stage.inside(".").mkdir(parents=True, exist_ok=True)
        elif word == "COPY":
            copy(shlex.split(rest), stages, stage)
        elif word == "RUN":
            stage.execute("sh", "-c", rest)
        elif word == "ENTRYPOINT":
            stage.entry = json.loads(rest)
        else:
            assert word == "CMD", line
    print(f"[{time.monotonic() - started:.0f} s] docker run … run ur5-waypoints", flush=True)
    stage.execute(*stage.entry, "run", "ur5-waypoints")
    assert list(stage.inside("runs").glob("*/metrics.json"))
    print(f"[{time.monotonic() - started:.0f} s] the image works")
finally:
    for each in stages.values():
        each.close()
    run("rm", "-rf", "--one-file-system", scratch)
