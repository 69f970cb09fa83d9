# SPDX-License-Identifier: Apache-2.0
# The viewer's page in headless Chromium against the real program; browser.mjs does what a person would do.
#
# That these tests can fail was seen by changing expected values by one bit (served) and by 2e-6 of their range (one
# file), and by a page that still had the fault: it stood at the end of the scenario instead of following the live run.
import contextlib
import csv
import json
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys

from viewer import Page, equal, holds, main

HERE = pathlib.Path(__file__).resolve().parent
DOORS = ["primary", "primary_ro", "secondary", "secondary_ro", "realtime", "realtime_ro", "rtde", "dashboard"]
TOLERANCE = 1e-6  # of a column's range, in the one-file form


class Browser:
    """browser.mjs with one case."""

    def __init__(self, case, **arguments):
        self.case = case
        command = [os.environ.get("LONGARM_NODE", "node"), str(HERE / "browser.mjs"), os.environ["LONGARM_PAGE_FOLDER"], case, json.dumps(arguments)]
        self.errors = open("browser-errors", "w+")
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()

    def asks(self):
        return self.process.stdout.readline().strip()

    def tell(self, line):
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def finish(self):
        """The last line that it said."""
        said = self.process.stdout.read()
        self.process.wait(timeout=100)
        self.errors.seek(0)
        equal((self.process.returncode, self.errors.read()), (0, ""), f"what went wrong in the browser, {self.case}")
        return said.strip().splitlines()[-1] if said.strip() else ""


def browse(case, **arguments):
    with Browser(case, **arguments) as browser:
        return browser.finish()


def record(program, *arguments, out="run"):
    program("run", "ur5-waypoints", *arguments, "--out", out)
    return pathlib.Path(out)


def values_of(folder, count, seed, until_s=None, run=0):
    """Values of trace.csv at random times: that of the newest row at or before each."""
    with open(folder / "trace.csv", newline="") as file:
        lines = list(csv.reader(file))
    header, lines = lines[0], lines[1:]
    names = [name for name in header if name.split(".")[0] in ("position", "velocity", "effort") and name.count(".") == 1]
    names = [name for name in names if name.endswith("_joint")]
    columns = {name: [float(line[header.index(name)]) for line in lines] for name in names}
    times = [float(line[0]) for line in lines]
    chance = random.Random(seed)
    out = []
    for _ in range(count):
        t = chance.uniform(times[0], until_s or times[-1])
        row = max(i for i, each in enumerate(times) if each <= t)
        # the last state of all is in trace.csv alone
        row = min(row, len(lines) - 2)
        name = chance.choice(names)
        column = columns[name]
        out.append({"run": run, "topic": "/joint_states", "column": name, "t": t, "expected": column[row], "range": max(column) - min(column)})
    return out


def turned(q, v):
    """v turned by the quaternion x y z w."""
    x, y, z, w = q
    t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])]
    return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]]


def product(a, b):
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz]


def poses_of(page, count, seed):
    """Frames in the world at rows of /tf, by the chain of their parents."""
    document = page.document()
    frames = document["scenes"][0]["frames"]
    table = next(table for table in document["runs"][0]["tables"] if table["topic"] == "/tf")
    chance = random.Random(seed)
    out = []
    for _ in range(count):
        row = chance.randrange(table["rows"])
        values = page.numbers(f"run=0&table={table['id']}&columns=0-{len(table['columns']) - 1}&from={row}&to={row + 1}")
        world = []
        for frame in frames:
            p, q = frame["p"], frame["q"]
            if frame["moving"] >= 0:
                first = 1 + 7 * frame["moving"]
                p, q = values[first:first + 3], values[first + 3:first + 7]
            if frame["parent"] >= 0:
                base_p, base_q = world[frame["parent"]]
                p, q = [a + b for a, b in zip(base_p, turned(base_q, p))], product(base_q, q)
            world.append((list(p), list(q)))
        number = chance.randrange(1, len(frames))
        out.append({"frame": frames[number]["name"], "t": values[0], "p": world[number][0], "q": world[number][1]})
    return out


def case_browser_values_served(program):
    folder = record(program, "--set", "link.delay=10ms")
    with Page(program, "view", folder) as page:
        browse("values", address=f"http://127.0.0.1:{page.port}/", values=values_of(folder, 12, 30), poses=poses_of(page, 10, 31), tolerance=0)


def case_browser_values_one_file(program):
    folder = record(program, "--set", "link.delay=10ms")
    program("view", folder, "--out", "run.html")
    # alone: nothing beside it
    pathlib.Path("alone").mkdir()
    shutil.move("run.html", "alone/run.html")
    size_mb = pathlib.Path("alone/run.html").stat().st_size / 1e6
    holds(size_mb <= 3, f"run.html has {size_mb:.2f} MB")
    with Page(program, "view", folder) as page:
        poses = poses_of(page, 10, 32)
    browse("values", address=pathlib.Path("alone/run.html").resolve().as_uri(), values=values_of(folder, 12, 33), poses=poses, tolerance=TOLERANCE)


def two_runs(program):
    late = record(program, "--set", "link.delay=10ms", out="late")
    ideal = record(program, out="ideal")
    return late, ideal


def marks_of(page):
    marks = sorted(mark["t_s"] for run in page.document()["runs"] for mark in run["marks"])
    holds(marks, "runs without marks")
    return marks


def case_browser_mouse(program):
    with Page(program, "view", *two_runs(program)) as page:
        end_s = max(run["end_s"] for run in page.document()["runs"])
        browse("mouse", address=f"http://127.0.0.1:{page.port}/", end=end_s, firstMark=min(t for t in marks_of(page) if t > 1.5))


def case_browser_keyboard(program):
    with Page(program, "view", *two_runs(program)) as page:
        runs = page.document()["runs"]
        worst = [mark["t_s"] for run in runs for mark in run["marks"] if mark["kind"] == "worst"]
        browse("keyboard", address=f"http://127.0.0.1:{page.port}/", end=max(run["end_s"] for run in runs), firstMark=marks_of(page)[0], worst=worst)


def case_browser_phone(program):
    with Page(program, "view", *two_runs(program)) as page:
        browse("phone", address=f"http://127.0.0.1:{page.port}/")


def case_browser_broken_file(program):
    folder = record(program)
    shutil.copytree(folder, "cut")
    whole = (folder / "trace.mcap").read_bytes()
    pathlib.Path("cut/trace.mcap").write_bytes(whole[:len(whole) // 2])
    program("view", "cut", "--out", "cut.html")
    with Page(program, "view", "cut") as page:
        run = page.document()["runs"][0]
        end_s = next(table["last_s"] for table in run["tables"] if table["topic"] == "/joint_states")
        values = values_of(folder, 10, 34, until_s=end_s)
        browse("broken", address=f"http://127.0.0.1:{page.port}/", problem=run["problem"], values=values, tolerance=0)
    # the columns' ranges are smaller now, hence the tolerance is, too; that of the whole run is not
    browse("broken", address=pathlib.Path("cut.html").resolve().as_uri(), problem=run["problem"], values=values, tolerance=TOLERANCE)


def case_browser_damaged_file(program):
    """A part in the middle: said once it is needed; nothing of before stays there as if it were of now."""
    folder = record(program)
    whole = bytearray((folder / "trace.mcap").read_bytes())
    middle = len(whole) // 2
    whole[middle:middle + 500] = bytes(500)
    (folder / "trace.mcap").write_bytes(whole)
    with Page(program, "view", folder) as page:
        table = next(table for table in page.document()["runs"][0]["tables"] if table["topic"] == "/joint_states")
        values = page.numbers(f"run=0&table={table['id']}&columns=1")
        gap = [row / 1000 for row, value in enumerate(values) if value != value]
        holds(gap, "nothing is missing")
    with Page(program, "view", folder) as page:  # which does not know of it yet
        browse("damaged", address=f"http://127.0.0.1:{page.port}/", gap=gap[len(gap) // 2], after=gap[-1] + 0.5)


def case_browser_live(program):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ports = [word for door in DOORS for word in ("--port", f"ur5.{door}=0")]

    def start(out):
        return Page(program, "serve", "ur5-live", *ports, "--out", out, "--view", "--view-port", port)

    with contextlib.ExitStack() as stack:
        first = stack.enter_context(start("first"))
        browser = stack.enter_context(Browser("live", address=f"http://127.0.0.1:{port}/", topic="/ur5/joint_states", column="position.elbow_joint"))
        for expected, act in (("stop", first.end), ("start", lambda: stack.enter_context(start("second")))):
            asked = browser.asks()
            if asked != expected:
                browser.finish()
            equal(asked, expected, "what the browser asks for")
            act()
            browser.tell("done")
        browser.finish()


def case_browser_live_marks(program):
    arguments = ["run", "aprs-kitting", "--set", "length=60s", "--set", 'failures=["5s curtain broken for 2s"]', "--out", "run"]
    with Page(program, *arguments, "--view") as page:
        browse("liveMarks", address=f"http://127.0.0.1:{page.port}/")


def case_browser_sequence(program):
    """Calls of components: the longest cycle is that of the metrics; then messages, where there are no calls."""
    arguments = ["--set", "length=2s", "--set", "record.calls=true", "--out", "armar"]
    program("run", "armar-rectangle", *arguments)
    figures = json.loads(pathlib.Path("armar/metrics.json").read_text())["armarx"]
    with Page(program, "view", "armar") as page:
        browse("sequence", address=f"http://127.0.0.1:{page.port}/", longest=figures["cycle_time_max_s"], shortest=figures["cycle_time_min_s"])
    program("run", "ur5-driver", "--set", "length=2s", "--set", "record.packets=true", "--out", "driver")
    with Page(program, "view", "driver") as page:
        browse("sequenceOfMessages", address=f"http://127.0.0.1:{page.port}/")


def hops_of(page, run=0):
    """Rows of /network/frames as dictionaries; `end_s` is the time of the row."""
    table = next(each for each in page.document()["runs"][run]["tables"] if each["topic"] == "/network/frames")
    names = ["end_s"] + [each["name"] for each in table["columns"][1:]]
    rows = table["rows"]
    numbers = page.numbers(f"run={run}&table={table['id']}&columns=0-{len(names) - 1}&from=0&to={rows}")
    hops = [{name: value for name, value in zip(names, numbers[i::rows]) if value == value} for i in range(rows)]
    for each in hops:
        each["sent_s"] = each["end_s"] - each.get("travelling_s", 0) - each.get("sending_s", 0)
        each["queued_s"] = each["sent_s"] - each["waited_s"]
    return hops


def case_browser_network(program):
    """Frames hop by hop: losses where they happen, retransmissions, queues, counters; and backends that have none."""
    settings = ["record.packets=true", "network.flows=tcp", "network.links.bridge.rate=1Mbit",
                "network.links.bridge.netem=delay 4ms 1ms loss 2%"]
    program("run", "ur5-topology", *[word for each in settings for word in ("--set", each)], "--out", "topology")
    network = json.loads(pathlib.Path("topology/metrics.json").read_text())["network"]
    cable = next(each for each in network["cables"] if each["name"] == "bridge: office > cell")
    with Page(program, "view", "topology") as page:
        hops = hops_of(page)
        lost = next(each for each in hops if each["fate"] == 3 and each["port"] == 2)
        again = next(each for each in hops if "retransmission" in each and "message" in each and each["fate"] == 0 and each["port"] == 2 and each["end_s"] > 1)
        waits = next(each for each in hops if each["waited_s"] > 1e-4 and each["port"] == 2)
        browse("network", address=f"http://127.0.0.1:{page.port}/", lost=lost, again=again, waits=waits,
               cableLost=cable["dropped_loss"] + cable["dropped_queue"],
               retransmissions=sum(each["retransmissions"] for each in network["flows"]))
    program("run", "ur5-topology", "--set", "record.packets=true", "--set", "network.backend=ideal", "--out", "ideal")
    with Page(program, "view", "ideal") as page:
        browse("networkWithoutHops", address=f"http://127.0.0.1:{page.port}/", backend="ideal")


if __name__ == "__main__":
    sys.exit(main(globals()))
