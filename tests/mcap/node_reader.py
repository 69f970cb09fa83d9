# SPDX-License-Identifier: Apache-2.0
"""Runs read_trace.mjs with the packages it needs, which are fetched once per build folder."""

import csv
import fcntl
import json
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
FILES = ["package.json", "package-lock.json", "read_trace.mjs"]


class NodeReader:
    """Reads traces with other people's code."""

    def __init__(self, folder):
        """`folder` keeps the packages; several tests may share it."""
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            for name in FILES:
                shutil.copyfile(HERE / name, self.folder / name)
            wanted = (HERE / "package-lock.json").read_text()
            installed = self.folder / "installed-lock.json"
            if not installed.exists() or installed.read_text() != wanted:
                command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
                subprocess.run(command, cwd=self.folder, check=True)
                installed.write_text(wanted)

    def read(self, trace, csv_folder=None, cut=None):
        """What is in `trace`, by stream and by index; None for the latter if there is no index."""
        command = ["node", str(self.folder / "read_trace.mjs"), str(trace)]
        if csv_folder is not None:
            pathlib.Path(csv_folder).mkdir(parents=True, exist_ok=True)
            command += ["--csv", str(csv_folder)]
        if cut is not None:
            command += ["--cut", str(cut)]
        found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        return found["stream"], found["indexed"]


def rows(csv_folder, topic):
    """The messages of a topic as dictionaries of text, oldest first."""
    path = pathlib.Path(csv_folder) / (topic.strip("/").replace("/", ".") + ".csv")
    if not path.exists():
        return
    header = None
    with open(path, newline="") as file:
        for cells in csv.reader(file):
            if cells[0] == "log_time_ns":
                header = cells
            else:
                yield dict(zip(header, cells))


def numbers(row, field):
    """The numbers of one array of a message, e.g. "position"."""
    out = []
    while f"{field}.{len(out)}" in row:
        out.append(float(row[f"{field}.{len(out)}"]))
    return out


def stamp_ns(row, field="header.stamp"):
    """An instant; the decoder's name for ROS 2's nanosec is nsec."""
    return int(row[f"{field}.sec"]) * 10**9 + int(row[f"{field}.nsec"])
