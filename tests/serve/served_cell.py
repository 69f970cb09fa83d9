# SPDX-License-Identifier: Apache-2.0
# A cell that `longarm serve` runs for a test.
import os
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import holds  # noqa: E402


class Cell:
    """A served cell at ports that are free, once its doors are open."""

    def __init__(self, program, scenario, doors, *arguments):
        self.doors = doors
        ports = [word for door in doors for word in ["--port", f"{door}=0"]]
        # topics of this cell alone, whoever else is on this computer
        environment = {**os.environ, "IGN_PARTITION": f"longarm-served-{os.getpid()}"}
        self.process = subprocess.Popen([program.binary, "serve", scenario, *ports, *arguments], text=True, env=environment,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.ports = {}
        while not set(doors) <= set(self.ports):
            line = self.process.stdout.readline()
            holds(line, "the cell has ended")
            if found := re.fullmatch(r"(\S+) at 127\.0\.0\.1:(\d+)\n", line):
                self.ports[found[1]] = int(found[2])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def words_of(self, prefix):
        """--port of the doors that the executor needs; it is told of no others."""
        return [word for door in self.doors if door.startswith(prefix) for word in ["--port", f"{door}={self.ports[door]}"]]
