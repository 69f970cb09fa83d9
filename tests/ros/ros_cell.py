# SPDX-License-Identifier: Apache-2.0
"""A served cell, a ROS master and longarm-ros between them, at ports that are free; ROS tools find the master."""

import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

for folder in ("cli", "serve"):
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / folder))
from program import equal, holds  # noqa: E402
from served_cell import Cell  # noqa: E402

LONGARM_ROS = os.environ.get("LONGARM_ROS", "longarm-ros")
PATIENCE_S = 90  # for what takes a second on an idle machine


def wait_for(condition, what, patience_s=PATIENCE_S):
    """What the condition returns as soon as it is true."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError(f"waited {patience_s} s for {what}")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end(process, how=signal.SIGINT):
    """Ends a process and what it has started, and returns its exit code."""
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(60)  # roscore waits for those that it has started
        except subprocess.TimeoutExpired:
            pass
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    return process.wait()


def start(*words, **options):
    """In a process group of its own; its output goes to a file named like the program."""
    name = pathlib.Path(words[0]).name
    with open(f"{name}.out.txt", "a") as out, open(f"{name}.err.txt", "a") as err:
        return subprocess.Popen(list(map(str, words)), stdout=out, stderr=err, start_new_session=True, **options)


def use_master(port):
    """Programs that are started from now on find it there, and leave their logs here."""
    os.environ.update(ROS_MASTER_URI=f"http://127.0.0.1:{port}", ROS_IP="127.0.0.1",
                      ROS_LOG_DIR=os.path.abspath("log"), ROS_HOME=os.path.abspath("ros"))
    os.environ.pop("ROS_HOSTNAME", None)


class Master:
    """A roscore; programs that are started from now on find it."""

    def __enter__(self):
        for _ in range(5):
            port = free_port()
            use_master(port)
            self.process = start("roscore", "-p", port)
            if self.answers():
                return self
            end(self.process)
        raise AssertionError("roscore does not start: " + pathlib.Path("roscore.err.txt").read_text())

    def answers(self):
        """Once it does; None if it has ended, because somebody else took the port."""
        import rosgraph

        def look():
            return "ended" if self.process.poll() is not None else rosgraph.is_master_online()

        return wait_for(look, "roscore") != "ended"

    def __exit__(self, *_):
        end(self.process)


class RosCell:
    """All three. `arguments` are those of longarm serve."""

    def __init__(self, longarm, scenario, *arguments):
        self.longarm, self.scenario, self.arguments = longarm, scenario, arguments

    def __enter__(self):
        self.master = Master().__enter__()
        try:
            self.cell = Cell(self.longarm, self.scenario, ["ros"], *self.arguments).__enter__()
            self.node = start(LONGARM_ROS, self.cell.ports["ros"])
            wait_for(lambda: self.node.poll() is not None or has_topic("/longarm/state"), "longarm-ros")
            holds(self.node.poll() is None, self.words())
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for name, leave in (("node", end), ("cell", lambda cell: cell.__exit__())):
            if hasattr(self, name):
                leave(getattr(self, name))
        self.master.__exit__()

    def words(self):
        """Of longarm-ros, on stderr."""
        return pathlib.Path("longarm-ros.err.txt").read_text()


def has_topic(name):
    """Whether somebody publishes it."""
    import rosgraph

    return any(topic == name for topic, _ in rosgraph.Master("/test").getSystemState()[0])


def ask(*words, expect=0, patience_s=PATIENCE_S):
    """What a tool of ROS prints."""
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=patience_s)
    equal(done.returncode, expect, f"{words}: {done.stdout}{done.stderr}")
    return done.stdout


def message(topic, kind, patience_s=PATIENCE_S):
    """The next one."""
    import rospy

    return rospy.wait_for_message(topic, kind, timeout=patience_s)
