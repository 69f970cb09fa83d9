# SPDX-License-Identifier: Apache-2.0
# Opens the reports of real studies and of real runs in headless Chromium: every number on the page is the database's.
#   check_report.py LONGARM NODE PAGE_FOLDER SCRATCH
import json
import math
import pathlib
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys

# two-sided 95 % points of Student's t for 2 and 4 repeats less one, from printed tables
STUDENT = {2: 12.7062, 4: 3.18245}


def run(*command, folder=None):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise SystemExit(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def numbers_on(page, node, page_folder):
    return json.loads(run(node, "test/report/browser_test.mjs", page, folder=page_folder))


def check_motion(page):
    """The page has what moves its robots; that they are where the curves say is the browser's part."""
    data = data_of(page)
    assert len(data["motion"]["joints"]) == len(data["joints"]) == 6, data["joints"]
    assert data["motion"]["scene"]["meshes"], "the robot has no meshes"
    assert all(series["positions"] for series in data["series"]), "a run has no positions of its joints"


def close(found, expected, tolerance):
    return math.isclose(found, expected, rel_tol=tolerance, abs_tol=1e-12)


def compare(numbers, connection, delays):
    """Means and intervals as Python's statistics computes them from the rows; the number of cells compared."""
    compared = 0
    for cell in numbers:
        delay = delays[int(cell["point"])]
        if cell["metric"] == "n":
            found = connection.execute('SELECT count(*) FROM results WHERE "link.delay" = ?', (delay,)).fetchone()
            assert cell["value"] == found[0], (cell, found)
            continue
        rows = connection.execute(f'SELECT {cell["metric"]} FROM results WHERE "link.delay" = ?', (delay,)).fetchall()
        values = [value for (value,) in rows if value is not None]
        assert values, f"{cell} is on the page, but not in the database"
        assert close(cell["value"], statistics.fmean(values), 1e-12), (cell, values)
        if len(values) > 1:
            half = STUDENT[len(values)] * statistics.stdev(values) / math.sqrt(len(values))
            assert close(cell["high"] - cell["value"], half, 2e-5) or half < 1e-9 * abs(cell["value"]), (cell, half)
        compared += 1
    return compared


def check_experiment(longarm, node, page_folder, scratch):
    """A study of an experiment and one of its runs; the number of cells compared."""
    study = scratch / "experiment"
    speeds = ["0.1", "0.2", "0.5"]
    question = scratch / "belts.yaml"
    question.write_text("scenario: belt-bench\nset: {actors.bench.length: 400ms}\naxes:\n"
                        f"  actors.bench.speed_m_s: [{', '.join(speeds)}]\n  engine: [mujoco, ode]\n")
    run(longarm, "sweep", question, "--out", study)
    connection = sqlite3.connect(study / "study.db")
    numbers = numbers_on(study / "report.html", node, page_folder)
    for cell in numbers:
        speed, engine = (int(step) for step in cell["point"].split(","))
        where = f"""WHERE "actors.bench.speed_m_s" = {speeds[speed]} AND engine = '{["mujoco", "ode"][engine]}'"""
        if cell["metric"] == "real_time_factor":
            found = connection.execute("SELECT json_extract(metrics, '$.simulated_s') / wall_s FROM results JOIN machine"
                                       f" USING(identity) JOIN details USING(identity) {where}").fetchone()
        else:
            found = connection.execute(f'SELECT "{cell["metric"]}" FROM results {where}').fetchone()
        assert close(cell["value"], found[0], 1e-12), (cell, found)
    metrics = {cell["metric"] for cell in numbers}
    assert len(numbers) == 6 * len(metrics) and "real_time_factor" in metrics, metrics

    run(longarm, "run", "belt-bench", "--set", "actors.bench.length=400ms", "--out", scratch / "belt")
    run(longarm, "report", scratch / "belt")
    alone = json.loads((scratch / "belt" / "metrics.json").read_text())
    for cell in numbers_on(scratch / "belt" / "report.html", node, page_folder):
        source = alone["machine"] if cell["metric"] == "real_time_factor" else alone
        assert cell["value"] == source[cell["metric"]], cell
    assert data_of(study / "report.html")["motion"] is None, "a belt without a robot is shown in motion"
    check_cells(longarm, scratch)
    return len(numbers)


def data_of(page):
    return json.loads(re.search(r'id="report-data">(.*?)</script>', page.read_text(), re.S)[1])


def check_cells(longarm, scratch):
    """Robots of cells move, too: in studies by positions of all joints, in runs by poses of the trace."""
    run(longarm, "sweep", "aprs-kitting", "--set", "length=2s", "--axis", "seed=1,2", "--out", scratch / "kits")
    data = data_of(scratch / "kits" / "report.html")
    joints = {joint["joint"] for joint in data["motion"]["joints"]}
    assert len(joints) > 10 and all(series["positions"] for series in data["series"]), joints
    run(longarm, "run", "aprs-kitting", "--set", "length=3s", "--out", scratch / "kitting")
    run(longarm, "report", scratch / "kitting")
    data = data_of(scratch / "kitting" / "report.html")
    frames = [frame for frame in data["motion"]["scene"]["frames"] if frame["moving"] >= 0]
    assert len(frames) > 20 and data["motion"]["joints"] == [], len(frames)
    [series] = data["series"]
    poses = series["poses"]
    assert poses["count"] > 100 and poses["data"] and series["positions"] is None, poses["count"]
    assert 2.9 < poses["start_s"] + poses["period_s"] * (poses["count"] - 1) < 3.1, poses["period_s"]


def main():
    longarm, node, page_folder = sys.argv[1:4]
    scratch = pathlib.Path(sys.argv[4]).resolve()
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)

    # a study with repeats that differ
    delays = ["2ms", "10ms", "20ms"]
    study = scratch / "study"
    run(longarm, "sweep", "ur5-latency", "--axis", "link.delay=" + ",".join(delays), "--axis", "seed=1..4", "--set",
        "control.jitter=500us", "--out", study)
    numbers = numbers_on(study / "report.html", node, page_folder)
    check_motion(study / "report.html")
    connection = sqlite3.connect(study / "study.db")
    compared = compare(numbers, connection, delays)
    assert compared >= 3 * 5, f"only {compared} numbers are on the page"
    jitter = [v for (v,) in connection.execute("SELECT path_deviation_max_m FROM results WHERE \"link.delay\" = '2ms'")]
    assert len(set(jitter)) > 1, "the repeats do not differ: the intervals were not tested"

    # a single run
    run(longarm, "run", "ur5-waypoints", "--set", "link.delay=10ms", "--out", scratch / "run")
    run(longarm, "report", scratch / "run", "--svg", scratch / "svg")
    metrics = json.loads((scratch / "run" / "metrics.json").read_text())
    numbers = numbers_on(scratch / "run" / "report.html", node, page_folder)
    assert numbers, "the report of a run shows no numbers"
    check_motion(scratch / "run" / "report.html")
    for cell in numbers:
        assert cell["value"] == (1 if cell["metric"] == "n" else metrics[cell["metric"]]), cell
    drawn = sorted(path.name for path in (scratch / "svg").iterdir())
    assert "paths.svg" in drawn and "velocity-commands.svg" in drawn, drawn
    compared += check_experiment(longarm, node, page_folder, scratch)
    print(f"{compared} numbers of the studies and {len(numbers)} of the run are the database's")


if __name__ == "__main__":
    main()
