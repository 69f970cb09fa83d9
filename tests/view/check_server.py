# SPDX-License-Identifier: Apache-2.0
# `longarm view RUN`: every number is the trace's, wrong questions get words, and nobody else's page gets anything.
#
# That these tests can fail was seen by changing what they compare with: a number of trace.csv by its last bit, an index
# of the MCAP by one, a bin of an overview by 1e-9, a window by 50 ms, a header more that must not be there; and by a
# program that still had the faults: it ended at a folder's name that is not UTF-8, sent 128 MB for one question, took
# from=-1 for nothing, had no page for who came after 64 silent clients, and served a trace with nothing in it.
import csv
import json
import math
import os
import pathlib
import random
import shutil
import socket
import struct
import subprocess
import sys
import time

from viewer import Page, Socket, doubles, equal, holds, main, parsed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mcap"))
from node_reader import NodeReader, numbers, rows, stamp_ns  # noqa: E402

RUN = "run"
# extremes of long stretches are kept by blocks of so many rows
BLOCK_ROWS = 16


def record(program, *arguments, scenario="ur5-waypoints", out=RUN):
    program("run", scenario, *arguments, "--out", out)
    return pathlib.Path(out)


def same(found, expected):
    """Bit for bit; nothing is nothing."""
    return struct.pack("<d", found) == struct.pack("<d", expected) or (math.isnan(found) and math.isnan(expected))


def table_of(document, topic, run=0):
    found = [table for table in document["runs"][run]["tables"] if table["topic"] == topic]
    equal(len(found), 1, f"tables of {topic}")
    return found[0]


def column_of(table, name):
    return [column["name"] for column in table["columns"]].index(name)


def is_refused(answer, statuses, what):
    """A plain sentence, no page of a library, and no name of a file of ours."""
    status, headers, body = answer
    holds(status in statuses, f"{what}: {status} {body[:200]}")
    holds(headers["content-type"].startswith("text/plain"), f"{what}: {headers}")
    text = body.decode()
    holds(10 < len(text) < 300 and " " in text and text.endswith("\n"), f"{what} is answered by {text!r}")


def case_page_and_document(program):
    folder = record(program)
    metrics = json.loads((folder / "metrics.json").read_text())
    with Page(program, "view", folder) as page:
        status, headers, html = page.ask("/")
        equal((status, headers["content-type"]), (200, "text/html; charset=utf-8"), "answer to /")
        equal(headers["cache-control"], "no-store", "caching")
        holds(b'id="view-data">{"source":"served"}</script>' in html, "the page does not say where its data is")
        equal(page.get("/index.html"), html, "/index.html")
        # nothing comes from elsewhere
        for word in (b"src=\"http", b"href=\"http", b"src=\"//", b"@import"):
            holds(word not in html, f"the page loads {word}")

        document = page.document()
        equal((document["format"], document["source"], len(document["runs"])), (1, "served", 1), "the document")
        run = document["runs"][0]
        equal((run["label"], run["folder"], run["verdict"], run["problem"]), (RUN, RUN, "stable", ""), "the run")
        equal(run["end_s"], metrics["simulated_s"], "end of the run")
        for key, value in run["metrics"].items():
            equal(value, metrics[key], f"metric {key}")
        worst = [mark for mark in run["marks"] if mark["kind"] == "worst"]
        equal([mark["t_s"] for mark in worst], [metrics["path_deviation_max_at_s"]], "the mark of the worst deviation")
        plan = run["plans"][0]
        equal(plan["hold_start_s"], metrics["hold_start_s"], "start of the hold")
        holds(len(plan["path_m"]) > 10 and len(plan["waypoints_m"]) >= 3, "the plan has no path")

        scene = document["scenes"][run["scene"]]
        frames = scene["frames"]
        for i, frame in enumerate(frames):
            holds(frame["parent"] < i, f"{frame['name']} comes before its parent")
            holds(abs(math.hypot(*frame["q"]) - 1.0) < 1e-9, f"rotation of {frame['name']}")
        for shape in scene["shapes"]:
            holds(0 <= shape["frame"] < len(frames) and shape.get("mesh", -1) < len(scene["meshes"]), f"shape {shape['name']}")
        tf = table_of(document, "/tf")
        moving = [frame for frame in frames if frame["moving"] >= 0]
        equal(len(tf["columns"]), 1 + 7 * len(moving), "columns of /tf")
        for frame in moving:
            parts = [column["name"] for column in tf["columns"][1 + 7 * frame["moving"]:][:7]]
            equal(parts, [f"{frame['name']}.{part}" for part in ("x", "y", "z", "qx", "qy", "qz", "qw")], "columns of a frame")
        for table in run["tables"]:
            equal(table["columns"][0], {"name": "time", "unit": "s"}, f"first column of {table['topic']}")
            times = page.numbers(f"run=0&table={table['id']}&columns=0")
            equal((len(times), times[0], times[-1]), (table["rows"], table["first_s"], table["last_s"]), table["topic"])
            holds(all(a <= b for a, b in zip(times, times[1:])), f"times of {table['topic']} go back")
            if table["period_s"] is not None:
                holds(all(abs(table["first_s"] + i * table["period_s"] - t) < 1e-9 for i, t in enumerate(times)),
                      f"{table['topic']} has no period")


def case_numbers_are_those_of_trace_csv(program):
    folder = record(program, "--set", "link.delay=10ms")
    with open(folder / "trace.csv", newline="") as file:
        lines = list(csv.reader(file))
    # the state after each step; the table has the one before the first as well
    header, lines = lines[0], {round(1000 * float(line[0])): line for line in lines[1:]}
    chance = random.Random(20)
    compared = 0
    with Page(program, "view", folder) as page:
        table = table_of(page.document(), "/joint_states")
        equal(len(lines), table["rows"], "rows of trace.csv")
        names = [column["name"] for column in table["columns"]]
        for _ in range(60):
            row = chance.randrange(1, table["rows"])
            got = page.numbers(f"run=0&table={table['id']}&columns=0-{len(names) - 1}&from={row}&to={row + 1}")
            equal(len(got), len(names), "numbers of a row")
            holds(same(got[0], float(lines[row][0])), f"time of row {row}: {got[0]!r}, not {lines[row][0]}")
            for name, value in zip(names[1:], got[1:]):
                expected = float(lines[row][header.index(name)])
                holds(same(value, expected), f"{name} in row {row}: {value!r}, not {expected!r}")
                compared += 1
        # a block of some columns in an order of their own
        first = chance.randrange(1, table["rows"] - 700)
        chosen = [5, 1, 2, 3, 18]
        got = page.numbers(f"run=0&table={table['id']}&columns=5,1-3,18&from={first}&to={first + 700}")
        equal(len(got), 5 * 700, "numbers of a block")
        for place, column in enumerate(chosen):
            for i in range(700):
                expected = float(lines[first + i][header.index(names[column])])
                holds(same(got[place * 700 + i], expected), f"{names[column]} in row {first + i}")
                compared += 1
        equal(page.numbers(f"run=0&table={table['id']}&columns=1&from=7&to=7"), (), "no rows")
        equal(len(page.numbers(f"run=0&table={table['id']}&columns=1&from={table['rows'] - 3}&to=99999999")), 3, "the end")
    holds(compared > 4000, f"only {compared} numbers were compared")


def mcap_row(topic, row, width):
    """A row of a table from a message that another reader decoded."""
    time_s = int(row["log_time_ns"]) / 1e9
    if topic == "/tf":
        parts = [f"{part}.{axis}" for part in ("translation", "rotation") for axis in ("xyz" if part == "translation" else "xyzw")]
        values = []
        while f"transforms.{len(values) // 7}.transform.translation.x" in row:
            values += [float(row[f"transforms.{len(values) // 7}.transform.{part}"]) for part in parts]
    elif topic.endswith("pose"):
        values = [float(row[f"pose.position.{axis}"]) for axis in "xyz"] + [float(row[f"pose.orientation.{axis}"]) for axis in "xyzw"]
    elif topic.startswith("/link"):
        values = [float(row["index"]), float(row["size_bytes"]), stamp_ns(row, "sent_at") / 1e9, float(row["delay_s"])]
    else:
        joints = sum(1 for name in row if name.startswith("name."))
        values = []
        for part in ("position", "velocity", "effort"):
            found = numbers(row, part)
            values += found or [math.nan] * joints
    equal(len(values) + 1, width, f"columns of {topic}")
    return time_s, values


def case_numbers_are_those_of_the_mcap(program):
    """Every topic, as the format authors' own reader has it."""
    folder = record(program, "--set", "link.netem=delay 4ms 2ms loss 2% duplicate 1%", "--set", "task.hold=1s")
    reader = NodeReader(os.environ["LONGARM_MCAP_NODE"])
    reader.read(folder / "trace.mcap", "csv")
    chance = random.Random(21)
    with Page(program, "view", folder) as page:
        document = page.document()
        topics = {table["topic"] for table in document["runs"][0]["tables"]}
        holds({"/tf", "/joint_states", "/joint_commands", "/link/states", "/end_effector_pose"} <= topics, f"tables: {topics}")
        for table in document["runs"][0]["tables"]:
            messages = list(rows("csv", table["topic"]))
            equal(table["rows"], len(messages), f"rows of {table['topic']}")
            width = len(table["columns"])
            for row in sorted(chance.sample(range(len(messages)), 40)) + [0, len(messages) - 1]:
                got = page.numbers(f"run=0&table={table['id']}&columns=0-{width - 1}&from={row}&to={row + 1}")
                time_s, values = mcap_row(table["topic"], messages[row], width)
                holds(abs(got[0] - time_s) < 5e-10, f"time of row {row} of {table['topic']}: {got[0]!r}, not {time_s!r}")
                for column, (value, expected) in enumerate(zip(got[1:], values), start=1):
                    name = table["columns"][column]["name"]
                    holds(same(value, expected), f"{table['topic']} {name} row {row}: {value!r}, not {expected!r}")
            if table["has_texts"]:
                texts = json.loads(page.get(f"/texts?run=0&table={table['id']}"))
                for text, message in zip(texts, messages):
                    equal(json.loads(text)["event"], message["event"], f"event of {table['topic']}")
                holds(any(json.loads(text)["event"] == "lost" for text in texts), f"nothing was lost in {table['topic']}")


def extremes(times, values, from_s, to_s, bins):
    """As the contract has it: bins divide [from, to] evenly, and rows outside are in none."""
    least, most = [math.nan] * bins, [math.nan] * bins
    for time_s, value in zip(times, values):
        if from_s <= time_s <= to_s and not math.isnan(value):
            at = min(bins - 1, int((time_s - from_s) / (to_s - from_s) * bins))
            least[at] = value if math.isnan(least[at]) else min(least[at], value)
            most[at] = value if math.isnan(most[at]) else max(most[at], value)
    return least, most


def case_overviews(program):
    folder = record(program, "--set", "link.delay=10ms")
    chance = random.Random(22)
    with Page(program, "view", folder) as page:
        document = page.document()
        for topic in ("/joint_states", "/link/states", "/tf", "/end_effector_pose"):
            table = table_of(document, topic)
            width = len(table["columns"])
            whole = page.numbers(f"run=0&table={table['id']}&columns=0-{width - 1}")
            columns = [whole[i * table["rows"]:(i + 1) * table["rows"]] for i in range(width)]
            for column in chance.sample(range(1, width), 4):
                values = [value for value in columns[column] if not math.isnan(value)]
                for bins in (1, 20, 300, 2000):
                    got = page.numbers(f"run=0&table={table['id']}&columns={column}&from_s={table['first_s']}"
                                       f"&to_s={table['last_s']}&points={bins}")
                    equal(len(got), 2 * bins, "numbers of an overview")
                    least, most = got[:bins], got[bins:]
                    what = f"{topic} column {column} in {bins} bins"
                    if values:
                        equal(min(v for v in least if not math.isnan(v)), min(values), f"smallest of {what}")
                        equal(max(v for v in most if not math.isnan(v)), max(values), f"largest of {what}")
                    expected = extremes(columns[0], columns[column], table["first_s"], table["last_s"], bins)
                    if table["rows"] < 2 * bins * BLOCK_ROWS:
                        for i in range(bins):
                            holds(same(least[i], expected[0][i]) and same(most[i], expected[1][i]),
                                  f"bin {i} of {what}: {least[i]} to {most[i]}, not {expected[0][i]} to {expected[1][i]}")
                        continue
                    # of a whole block of rows, which may begin in the bin before
                    for i in range(bins):
                        near = [v for v in expected[0][i:i + 2] + expected[1][i:i + 2] if not math.isnan(v)]
                        holds(not near or min(near) <= least[i] and most[i] <= max(near), f"bin {i} of {what} is too wide")
                        own = [expected[0][i], expected[1][i]]
                        union = [v for k in (max(0, i - 1), i) for v in (least[k], most[k]) if not math.isnan(v)]
                        holds(math.isnan(own[0]) or min(union) <= own[0] and own[1] <= max(union), f"bin {i} of {what} hides rows")
            # two columns at once are those one by one
            pair = page.numbers(f"run=0&table={table['id']}&columns=1-2&from_s=1&to_s=2&points=50")
            single = [page.numbers(f"run=0&table={table['id']}&columns={c}&from_s=1&to_s=2&points=50") for c in (1, 2)]
            holds(all(map(same, pair, single[0] + single[1])), f"two columns of {topic}")
        # before and after everything
        beyond = page.numbers(f"run=0&table={table['id']}&columns=1&from_s=1000&to_s=2000&points=10")
        holds(all(math.isnan(v) for v in beyond[1:10] + beyond[11:]), "an overview of nothing has values")


def case_overview_of_a_window_has_only_its_rows(program):
    """A window within the run: rows outside of it are in no bin, as the contract says."""
    folder = record(program)
    with Page(program, "view", folder) as page:
        table = table_of(page.document(), "/joint_states")
        times = page.numbers(f"run=0&table={table['id']}&columns=0")
        for column in (1, 8, 14):
            values = page.numbers(f"run=0&table={table['id']}&columns={column}")
            for from_s, to_s, bins in ((2.0005, 2.5005, 50), (4.0, 4.01, 100), (1.0, 9.0, 700)):
                got = page.numbers(f"run=0&table={table['id']}&columns={column}&from_s={from_s}&to_s={to_s}&points={bins}")
                least, most = extremes(times, values, from_s, to_s, bins)
                for i in range(bins):
                    # times at the edges of bins may fall either way
                    near = [v for k in range(max(0, i - 1), min(bins, i + 2)) for v in (least[k], most[k]) if not math.isnan(v)]
                    holds(math.isnan(got[i]) or not near or min(near) <= got[i] <= got[bins + i] <= max(near),
                          f"column {column} from {from_s} to {to_s}, bin {i}: {got[i]} to {got[bins + i]}, not within {near}")
                    holds(i == 0 or i == bins - 1 or math.isnan(got[i]) == math.isnan(least[i]), f"bin {i} of {bins} is empty or not")


def case_meshes_and_texts(program):
    folder = record(program)
    with Page(program, "view", folder) as page:
        document = page.document()
        meshes = document["scenes"][0]["meshes"]
        holds(len(meshes) > 5, "the UR5 has no meshes")
        for number, mesh in enumerate(meshes):
            body = page.get(f"/mesh?scene=0&mesh={number}")
            equal(len(body), 12 * (mesh["vertices"] + mesh["triangles"]), f"bytes of mesh {number}")
            corners = struct.unpack(f"<{3 * mesh['vertices']}f", body[:12 * mesh["vertices"]])
            holds(all(abs(x) < 100 for x in corners), f"mesh {number} is not in metres")
            indices = struct.unpack(f"<{3 * mesh['triangles']}I", body[12 * mesh["vertices"]:])
            holds(max(indices) < mesh["vertices"], f"mesh {number} has corners that are not there")
        links = table_of(document, "/link/states")
        holds(links["has_texts"], "link events have no texts")
        all_texts = json.loads(page.get(f"/texts?run=0&table={links['id']}"))
        equal(len(all_texts), links["rows"], "texts")
        equal(json.loads(page.get(f"/texts?run=0&table={links['id']}&from=500&to=520")), all_texts[500:520], "some texts")
        equal({json.loads(text)["event"] for text in all_texts}, {"sent", "arrived"}, "events of a link without losses")


def case_colours_of_mesh_files(program):
    """A visual without a material of its own has those of its file, one shape for each; one with a material has that."""
    corners = [(x, y, z) for z in (0, 0.1) for y in (0, 0.1) for x in (0, 0.1)]
    faces = ["1 3 4", "1 4 2", "5 6 8", "5 8 7", "1 2 6", "1 6 5", "3 7 8", "3 8 4", "1 5 7", "1 7 3", "2 4 8", "2 8 6"]
    obj = ["mtllib box.mtl", *(f"v {x} {y} {z}" for x, y, z in corners)]
    obj += ["usemtl red", *(f"f {f}" for f in faces[:4]), "usemtl blue", *(f"f {f}" for f in faces[4:])]
    pathlib.Path("box.obj").write_text("\n".join(obj) + "\n")
    pathlib.Path("box.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    visual = '<visual><geometry><mesh filename="box.obj"/></geometry>{}</visual>'
    green = '<material name="green"><color rgba="0 1 0 1"/></material>'
    inertial = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
    pathlib.Path("arm.urdf").write_text(
        f'<robot name="arm"><link name="base">{visual.format(green)}</link><link name="hand">{inertial}{visual.format("")}</link>'
        '<joint name="turn" type="revolute"><parent link="base"/><child link="hand"/><axis xyz="0 0 1"/>'
        '<limit lower="-3" upper="3" velocity="1" effort="10"/></joint></robot>')
    pathlib.Path("arm.yaml").write_text("title: two colours\nrobot: {model: arm.urdf, end_effector: hand}\n"
                                        "task: {path: joint, joints_rad: [[0.5]], acceleration_limit_rad_s2: 1}\ngain: 10\n")
    program("run", "arm.yaml", "--out", "coloured")
    with Page(program, "view", "coloured") as page:
        scene = page.document()["scenes"][0]
        frames = [frame["name"] for frame in scene["frames"]]
        shown = [(frames[shape["frame"]], scene["meshes"][shape["mesh"]]["triangles"], shape["colour"][:3])
                 for shape in scene["shapes"] if shape["role"] == "visual"]
        equal(sorted(shown), sorted([("base", 4, [0, 1, 0]), ("base", 8, [0, 1, 0]), ("hand", 4, [1, 0, 0]), ("hand", 8, [0, 0, 1])]),
              "visuals by frame, with their triangles and colours")


BAD_QUERIES = {
    404: ["data", "data?run=0", "data?table=1&columns=1", "data?run=1&table=0&columns=1", "data?run=-1&table=0&columns=1",
          "data?run=0&table=99&columns=1", "data?run=0x0&table=1&columns=1", "data?run=&table=1&columns=1",
          "data?run=18446744073709551616&table=1&columns=1", "texts?run=0", "texts?run=7&table=5", "mesh", "mesh?scene=0",
          "mesh?scene=0&mesh=999", "mesh?scene=9&mesh=0", "mesh?scene=0&mesh=-1", "nothing", "data/", "data/x?run=0", "..",
          "../..", "../trace.mcap", "/etc/passwd", "//etc/passwd", "%2e%2e%2f%2e%2e%2fetc/passwd", "..%2ftrace.mcap",
          "%2fetc%2fpasswd", "run/trace.mcap", "trace.mcap", "trace.csv", "metrics.json", "scenario.yaml", "view.json/..",
          "view.json%00", "%00", "data%00?run=0&table=1&columns=1", "favicon.icon", "..\\..\\etc\\passwd", "VIEW.JSON"],
    400: ["data?run=0&table=1", "data?run=0&table=1&columns=", "data?run=0&table=1&columns=99", "data?run=0&table=1&columns=-1",
          "data?run=0&table=1&columns=3-1", "data?run=0&table=1&columns=1;2", "data?run=0&table=1&columns=1-", "data?run=0&table=1&columns=a",
          "data?run=0&table=1&columns=1-18446744073709551615", "data?run=0&table=1&columns=1&points=0&from_s=0&to_s=1",
          "data?run=0&table=1&columns=1&points=10", "data?run=0&table=1&columns=1&points=10&from_s=2&to_s=1",
          "data?run=0&table=1&columns=1&points=10&from_s=1&to_s=1", "data?run=0&table=1&columns=1&points=20001&from_s=0&to_s=1",
          "data?run=0&table=1&columns=1&points=1e3&from_s=0&to_s=1", "data?run=0&table=1&columns=1&points=10&from_s=nan&to_s=1",
          "data?run=0&table=1&columns=1&points=-1&from_s=0&to_s=1", "data?run=0&table=1&columns=1&from=5&to=2",
          "data?run=0&table=1&columns=1&from=18446744073709551615"],
}
# what a question that is not understood must not be taken for: everything
UNCLEAR = ["data?run=0&table=1&columns=1&from=-1", "data?run=0&table=1&columns=1&from=abc", "data?run=0&table=1&columns=1&to=-5",
           "data?run=0&table=1&columns=1&to=1.5", "data?run=0&table=1&columns=1&from=99999999999999999999999",
           "data?run=0&table=1&columns=1,&from=0&to=1", "texts?run=0&table=5&from=-3", "texts?run=0&table=5&to=x"]


def case_wrong_requests(program):
    folder = record(program)
    with Page(program, "view", folder) as page:
        for status, queries in BAD_QUERIES.items():
            for query in queries:
                is_refused(page.ask("/" + query if not query.startswith("//") else query), [status], query)
        holds(page.is_alive(), "the program has ended")
        page.document()


def case_wrong_numbers_are_refused(program):
    """A number that is none is an error, not the default."""
    folder = record(program)
    with Page(program, "view", folder) as page:
        taken = [query for query in UNCLEAR if page.ask("/" + query)[0] not in (400, 404)]
        equal(taken, [], "wrong questions that got an answer")


def case_answers_are_bounded(program):
    """At most four million numbers a request, of overviews too: 32 MB and what the program needs for them."""
    folder = record(program)
    with Page(program, "view", folder) as page:
        page.document()
        before_kb = page.memory_kb()
        # the same column again and again: as many as a request has room for
        for query in (f"columns={','.join(['1'] * 400)}&from=0&to=11510", f"columns={','.join(['1'] * 400)}&from_s=0&to_s=10&points=20000"):
            status, _, body = page.ask(f"/data?run=0&table=1&{query}")
            holds(status == 400, f"{len(body) / 1e6:.0f} MB were sent for a question of {len(query)} characters: {query[-40:]}")
        grown_mb = (page.memory_kb() - before_kb) / 1024
        holds(grown_mb < 200, f"the program has grown by {grown_mb:.0f} MB")


def strange_target(chance):
    words = ["data", "texts", "mesh", "view.json", "live", "index.html", "..", ".", "%2e%2e", "%2f", "%", "%%", "%zz", "%0", "/", "//", "\\", "~", "*"]
    keys = ["run", "table", "columns", "from", "to", "from_s", "to_s", "points", "scene", "mesh", "", "x", "%72un"]
    values = ["0", "1", "5", "-1", "1e9", "1e308", "-1e308", "1e-320", "nan", "inf", "-inf", "18446744073709551615", "18446744073709551616",
              "9223372036854775808", "0-5", "0-", "-", ",", ",,,", "5-1", "0,0,0", "0x10", "1.5", "+1", "%31", "%00", "%ff%fe", "ü", "=", "'", "<", "9" * 40,
              "", " ", "true", "null", "1&run=0", "0;0", "[]", "2000"]
    # some are nearly right
    if chance.random() < 0.4:
        return f"/{chance.choice(['data', 'data', 'texts', 'mesh'])}?run=0&table=1&columns=1&scene=0&{chance.choice(keys)}={chance.choice(values)}"
    target = "/" + "/".join(chance.choice(words) for _ in range(chance.choice([1, 1, 1, 2, 4])))
    if chance.random() < 0.8:
        target += "?" + "&".join(chance.choice(keys) + chance.choice(["=", "=", "=", "", "=="]) + chance.choice(values)
                                 for _ in range(chance.randrange(8)))
    return target


def strange_bytes(chance):
    """Something that is not HTTP, or hardly."""
    kind = chance.randrange(9)
    host = b"Host: 127.0.0.1:1\r\n"
    return [
        bytes(chance.randrange(256) for _ in range(chance.randrange(1, 300))),
        b"GET / HTTP/1.1\r\n" + b"X: " + b"y" * chance.choice([100, 20000, 200000]) + b"\r\n\r\n",
        b"GET /" + b"a" * chance.choice([1000, 20000, 100000]) + b" HTTP/1.1\r\n" + host + b"\r\n",
        b"GET / HTTP/9.9\r\n" + host + b"\r\n",
        b"POST / HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999\r\n\r\n",
        b"POST /data HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFF\r\nx",
        b"GET / HTTP/1.1\r\n" + host * 50 + b"\r\n",
        b"GET /live HTTP/1.1\r\n" + host + b"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n",
        b"\r\n" * chance.randrange(1, 50) + b"GET / HTTP/1.1\r\n\r\n",
    ][kind]


def case_thousands_of_strange_requests(program):
    folder = record(program, "--set", "task.hold=100ms")
    chance = random.Random(23)
    with Page(program, "view", folder) as page:
        page.document()
        answered = {}
        # many on one connection, as it is quicker
        for _ in range(60):
            with socket.create_connection(("127.0.0.1", page.port), timeout=30) as connection:
                stream = connection.makefile("rwb")
                for _ in range(50):
                    target = strange_target(chance).encode("utf-8").replace(b" ", b"%20")
                    method = chance.choice([b"GET"] * 8 + [b"HEAD", b"PUT"])
                    stream.write(method + b" " + target + f" HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode())
                    stream.flush()
                    line = stream.readline()
                    if not line:  # a target that is none ends the connection
                        break
                    status = int(line.split()[1])
                    length = 0
                    while (line := stream.readline().strip()):
                        if line.lower().startswith(b"content-length:"):
                            length = int(line.split(b":")[1])
                    if method != b"HEAD":
                        stream.read(length)
                    answered[status] = answered.get(status, 0) + 1
                    holds(status in (200, 400, 403, 404, 405), f"{method} {target}: {status}")
        for _ in range(600):
            page.say(strange_bytes(chance))
        holds(page.is_alive(), "the program has ended")
        page.document()
        holds(sum(answered.values()) > 2000 and {200, 400, 404, 405} <= set(answered), f"answers: {answered}")


def case_other_sites(program):
    folder = record(program, "--set", "task.hold=100ms")
    with Page(program, "view", folder) as page:
        targets = ["/", "/index.html", "/view.json", "/data?run=0&table=1&columns=1", "/texts?run=0&table=5", "/mesh?scene=0&mesh=0", "/nothing"]
        names = ["example.com", f"example.com:{page.port}", "127.0.0.1", "localhost", f"127.0.0.1:{page.port + 1}", f"127.0.0.1.example.com:{page.port}",
                 f"localhost.example.com:{page.port}", f"127.0.0.2:{page.port}", f"0.0.0.0:{page.port}", f"127.1:{page.port}", "", f"127.0.0.1:{page.port}@x"]
        origins = ["https://example.com", "http://127.0.0.1", f"http://127.0.0.1:{page.port + 1}", f"https://127.0.0.1:{page.port}", "null", "file://",
                   f"http://127.0.0.1:{page.port}.example.com", f"http://localhost:{page.port}/", f"http://127.0.0.2:{page.port}"]
        for target in targets:
            for host in names:
                is_refused(page.ask(target, Host=host), [403], f"{target} of {host!r}")
            for origin in origins:
                is_refused(page.ask(target, Origin=origin), [403], f"{target} for {origin}")
        raw = b"GET /view.json HTTP/1.0\r\n\r\n"
        equal(parsed(page.say(raw))[0], 403, "a request that names no host")
        raw = f"GET http://example.com/view.json HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nConnection: close\r\n\r\n"
        equal(parsed(page.say(raw.encode()))[0], 404, "a request to a proxy")
        for good in ({"Host": f"localhost:{page.port}"}, {"Origin": f"http://127.0.0.1:{page.port}"}, {"Origin": f"http://localhost:{page.port}"}):
            status, headers, _ = page.ask("/view.json", **good)
            equal(status, 200, f"answer with {good}")
            holds(not any(name.startswith("access-control") for name in headers), f"another site is let in: {headers}")
            equal(headers["cross-origin-resource-policy"], "same-origin", "what other pages may embed")
            equal(headers["x-content-type-options"], "nosniff", "types")
        status, headers, _ = page.ask("/view.json", "OPTIONS", Origin="https://example.com", Access_Control_Request_Method="GET")
        equal(status, 403, "the question of another site's page whether it may")
        holds(not any(name.startswith("access-control") for name in headers), f"another site is let in: {headers}")
        # who serves recorded runs has no socket
        with Socket(page.port, origin="https://example.com") as other:
            equal(other.status, 403, "WebSocket of another site")
        with Socket(page.port) as own:
            equal(own.status, 400, "WebSocket where there is none")


def case_methods(program):
    folder = record(program, "--set", "task.hold=100ms")
    with Page(program, "view", folder) as page:
        for target in ("/", "/view.json", "/data?run=0&table=1&columns=1", "/nothing"):
            status, headers, body = page.ask(target)
            head_status, head_headers, head_body = page.ask(target, "HEAD")
            equal((head_status, head_body), (status, b""), f"HEAD of {target}")
            equal(head_headers["content-length"], str(len(body)), f"length told by HEAD of {target}")
            equal(head_headers["content-type"], headers["content-type"], f"type told by HEAD of {target}")
        for method in ("POST", "PUT", "DELETE", "PATCH", "TRACE", "PROPFIND", "BREW", "get"):
            is_refused(page.ask("/view.json", method), [400, 405], method)
        # one connection after the other question
        with socket.create_connection(("127.0.0.1", page.port), timeout=30) as connection:
            stream = connection.makefile("rwb")
            for _ in range(5):
                stream.write(f"HEAD /view.json HTTP/1.1\r\nHost: localhost:{page.port}\r\n\r\n".encode())
                stream.flush()
                equal(stream.readline(), b"HTTP/1.1 200 OK\r\n", "the next answer on the same connection")
                while stream.readline().strip():
                    pass


def case_silent_clients(program):
    """Who connects and says nothing keeps nobody waiting, nor does who asks and does not read."""
    folder = record(program)
    with Page(program, "view", folder) as page:
        silent = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(30)]
        half = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(10)]
        for each in half:
            each.sendall(b"GET /view.json HT")
        for _ in range(10):
            greedy = socket.socket()
            greedy.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            greedy.connect(("127.0.0.1", page.port))
            greedy.sendall(f"GET /data?run=0&table=1&columns=0-18 HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\n\r\n".encode())
            silent.append(greedy)
        start = time.monotonic()
        for _ in range(20):
            page.document()
        took_s = time.monotonic() - start
        holds(took_s < 20, f"20 answers took {took_s:.1f} s beside silent clients")
        for each in silent + half:
            each.close()


def case_many_silent_clients(program):
    """More of them than the program has room for: the page still opens."""
    folder = record(program, "--set", "task.hold=100ms")
    with Page(program, "view", folder) as page:
        silent = [socket.create_connection(("127.0.0.1", page.port)) for _ in range(100)]
        time.sleep(0.3)
        try:
            page.document()
        except (AssertionError, OSError) as problem:
            raise AssertionError(f"no page beside 100 connections that say nothing: {problem}") from None
        for each in silent:
            each.close()


def refused(program, *arguments):
    """What the program says as it ends with exit code 2."""
    try:
        done = subprocess.run([program.binary, "view", *map(str, arguments)], capture_output=True, text=True, timeout=20)
    except subprocess.TimeoutExpired:
        raise AssertionError(f"view {arguments} is served, though there is nothing to show") from None
    equal((done.returncode, done.stdout), (2, ""), f"exit code and output of view {arguments}\n{done.stderr}")
    holds("error" in done.stderr and "hint" in done.stderr, f"no words: {done.stderr}")
    holds("terminate" not in done.stderr and "what()" not in done.stderr, f"not words: {done.stderr}")
    return done.stderr


def case_folders_without_anything_to_show(program):
    folder = record(program, "--set", "task.hold=100ms")
    program("run", "ur5-waypoints", "--set", "record.trace=false", "--set", "task.hold=100ms", "--out", "no-trace")
    pathlib.Path("empty").mkdir()
    for where, words in (("no-trace", "trace.mcap"), ("empty", "trace.mcap"), ("nowhere", "nowhere"), (folder / "metrics.json", "metrics.json"),
                         (folder / "trace.mcap", "trace.mcap"), ("/dev/null", "/dev/null")):
        for more in ([], ["--out", "page.html"]):
            holds(words in refused(program, where, *more), f"{where} is not named")
    holds(not pathlib.Path("page.html").exists(), "a page of nothing was written")
    for content in (b"", b"not a trace", os.urandom(5000), (folder / "trace.mcap").read_bytes()[:8]):
        shutil.rmtree("broken", ignore_errors=True)
        shutil.copytree(folder, "broken")
        pathlib.Path("broken/trace.mcap").write_bytes(content)
        holds("trace.mcap" in refused(program, "broken"), "the file is not named")
    # one good run and one that is none
    refused(program, folder, "empty")
    # a page that cannot be written
    refused(program, folder, "--out", "nowhere/page.html")
    program("view", expect=2)
    program("view", folder, "--port", "70000", expect=2)


def case_cut_trace(program):
    """A run that was killed: what there is is shown, and that there is no more is said."""
    folder = record(program)
    whole = (folder / "trace.mcap").read_bytes()
    with Page(program, "view", folder) as page:
        table = table_of(page.document(), "/joint_states")
        expected = page.get(f"/data?run=0&table={table['id']}&columns=0-18")
    for part in (0.99, 0.6, 0.3):
        shutil.rmtree("cut", ignore_errors=True)
        shutil.copytree(folder, "cut")
        pathlib.Path("cut/trace.mcap").write_bytes(whole[:int(part * len(whole))])
        with Page(program, "view", "cut") as page:
            document = page.document()
            problem = document["runs"][0]["problem"]
            holds("trace.mcap" in problem and len(problem) > 20, f"the problem is {problem!r}")
            page.wait_for(r"warning: cut: trace\.mcap is ")
            cut = table_of(document, "/joint_states")
            holds(0.2 * part * table["rows"] < cut["rows"] <= table["rows"], f"{cut['rows']} rows of {table['rows']} are left of {part}")
            got = page.get(f"/data?run=0&table={cut['id']}&columns=0-18")
            for column in range(19):
                equal(got[8 * column * cut["rows"]:8 * (column + 1) * cut["rows"]],
                      expected[8 * column * table["rows"]:][:8 * cut["rows"]], f"column {column} of what is left")
            for each in document["runs"][0]["tables"]:
                page.get(f"/data?run=0&table={each['id']}&columns=1&from_s=0&to_s=12&points=100")
            equal(document["runs"][0]["end_s"], max(each["last_s"] for each in document["runs"][0]["tables"]), "end of what is left")
        holds("warning: cut: trace.mcap is" in program("view", "cut", "--out", "cut.html").stderr, "no warning with --out")
        holds(problem in pathlib.Path("cut.html").read_text(), "the problem is not in the one-file form")


def case_damaged_trace(program):
    """Bytes in the middle were changed: shown or refused in words, and never a crash."""
    folder = record(program, "--set", "task.hold=100ms")
    whole = (folder / "trace.mcap").read_bytes()
    chance = random.Random(24)
    shutil.copytree(folder, "damaged")
    told = 0
    for attempt in range(25):
        spoiled = bytearray(whole)
        # everywhere, or in the index at the end
        first = chance.randrange(len(whole)) if attempt % 2 else len(whole) - chance.randrange(1, 3000)
        for i in range(chance.choice([1, 20, 4000])):
            spoiled[min(first + i, len(whole) - 1)] = chance.randrange(256)
        pathlib.Path("damaged/trace.mcap").write_bytes(spoiled)
        done = subprocess.run([program.binary, "view", "damaged", "--out", "damaged.html"], capture_output=True, text=True, timeout=60)
        holds(done.returncode in (0, 2), f"attempt {attempt}: exit code {done.returncode}\n{done.stderr}")
        holds(done.returncode == 0 or "error" in done.stderr, f"attempt {attempt}: no words\n{done.stderr}")
        told += done.stderr != ""
        if attempt < 8 and done.returncode == 0:
            with Page(program, "view", "damaged") as page:
                document = page.document()
                for table in document["runs"][0]["tables"]:
                    for question in (f"/data?run=0&table={table['id']}&columns=1", f"/texts?run=0&table={table['id']}",
                                     f"/data?run=0&table={table['id']}&columns=1&from_s=0&to_s=12&points=10"):
                        status, _, body = page.ask(question)
                        holds(status in (200, 400, 500), f"{question}: {status} {body[:100]}")
                holds(page.is_alive(), "the program has ended")
    holds(told > 5, f"only {told} of 25 damaged files were noticed")


def case_damaged_part_is_a_gap(program):
    """What can be read is shown, before and after; what cannot has its times and no values, and that is said."""
    folder = record(program)
    whole = (folder / "trace.mcap").read_bytes()
    with Page(program, "view", folder) as page:
        table = table_of(page.document(), "/joint_states")
        question = f"/data?run=0&table={table['id']}&columns=0,3"
        status, headers, body = page.ask(question)
        holds("longarm-problem" not in headers, f"a good file has the problem {headers.get('longarm-problem')}")
        expected = doubles(body)
    shutil.copytree(folder, "damaged")
    middle = len(whole) // 2
    pathlib.Path("damaged/trace.mcap").write_bytes(whole[:middle] + bytes(byte ^ 90 for byte in whole[middle:middle + 500]) + whole[middle + 500:])
    with Page(program, "view", "damaged") as page:
        equal(table_of(page.document(), "/joint_states"), table, "the table")
        status, headers, body = page.ask(question)
        equal(status, 200, "status")
        problem = headers["longarm-problem"]
        holds(problem.startswith("trace.mcap is damaged at byte "), f"the problem is {problem!r}")
        got, rows = doubles(body), table["rows"]
        equal(got[:rows], expected[:rows], "times")
        missing = [row for row in range(rows) if math.isnan(got[rows + row])]
        holds(0 < len(missing) < rows // 2 and missing[0] > 0 and missing[-1] < rows - 1, f"{len(missing)} of {rows} rows are missing")
        equal(missing, list(range(missing[0], missing[-1] + 1)), "one gap")
        holds(all(got[rows + row] == expected[rows + row] for row in set(range(rows)) - set(missing)), "values beside the gap")
        # a curve of the whole run has the same gap
        bins = page.numbers(f"run=0&table={table['id']}&columns=3&from_s=0&to_s={table['last_s']}&points=50")
        holds(0 < sum(map(math.isnan, bins)) < 60 and not math.isnan(bins[49]), "the curve")
    done = program("view", "damaged", "--out", "damaged.html")
    holds(f"warning: damaged: {problem}" in done.stderr, f"--out says {done.stderr}")
    holds(problem in pathlib.Path("damaged.html").read_text(), "the problem is not in the one-file form")


def case_runs_of_an_earlier_program(program):
    """Its scenario or metrics cannot be read any more: the curves are shown, with a warning."""
    folder = record(program, "--set", "task.hold=100ms")
    changes = {
        "scenario.yaml": ["no_such_key: 1\n", "robot: {kind: gone}\n", ": : :\n", ""],
        "metrics.json": ["", "{", "[]", "null", '{"format": 1}', '{"stable": "maybe", "path_deviation_max_at_s": "x"}', '{"warnings": 3}',
                         '{"warnings": [1]}', '{"model_hash": 5}', '{"warnings": {"a": 1}}'],
    }
    for name, contents in changes.items():
        for content in contents + [None]:
            shutil.rmtree("old", ignore_errors=True)
            shutil.copytree(folder, "old")
            (pathlib.Path("old") / name).unlink() if content is None else (pathlib.Path("old") / name).write_text(content)
            what = f"{name} with {content!r}"
            try:
                with Page(program, "view", "old") as page:
                    run = page.document()["runs"][0]
                    holds(table_of({"runs": [run]}, "/joint_states")["rows"] > 5000, f"no curves: {what}")
                    holds(all(isinstance(each, str) for each in run["warnings"]), f"{what}: {run['warnings']}")
                    holds(name != "scenario.yaml" or run["warnings"], f"no warning: {what}")
                    page.get("/data?run=0&table=1&columns=1")
                    equal(page.ask("/mesh?scene=0&mesh=0")[0], 404 if name == "scenario.yaml" else 200, f"meshes: {what}")
            except AssertionError as problem:
                raise AssertionError(f"{what}: {problem}") from None


def case_names_that_are_not_ascii(program):
    """Folders may be called anything that the system lets them."""
    folder = record(program, "--set", "task.hold=100ms")
    for name in ("größe 1", "<script>alert(1)</script>", 'a"b', "a&b", "100%", b"latin-\xe9"):
        target = os.fsencode(name).replace(b"/", b"-")
        os.rename(folder, target)
        folder = os.fsdecode(target)
        with Page(program, "view", folder) as page:
            status, _, body = page.ask("/view.json")
            equal(status, 200, f"document of a folder named {target!r}")
            holds(json.loads(body)["runs"][0]["label"], "a run has no label")
            holds(page.is_alive(), f"the program has ended: {target!r}")
        program("view", folder, "--out", "page.html")
        html = pathlib.Path("page.html").read_text(encoding="utf-8", errors="strict")
        holds("<script>alert(1)" not in html, "a folder's name is a script on the page")


def case_several_runs(program):
    record(program, "--set", "link.delay=10ms", out="late")
    record(program, out="ideal")
    with Page(program, "view", "late", "ideal/", "late") as page:
        document = page.document()
        equal([run["label"] for run in document["runs"]][:2], ["late", "ideal"], "labels")
        equal(len(document["scenes"]), 1, "scenes of runs that look alike")
        equal({run["scene"] for run in document["runs"]}, {0}, "scene of the runs")
        table = table_of(document, "/joint_states")
        first, second, third = (page.get(f"/data?run={run}&table={table['id']}&columns=1") for run in range(3))
        equal(first, third, "the same run again")
        holds(first != second, "another run is the same")


def case_port_taken(program):
    folder = record(program, "--set", "task.hold=100ms")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        holds(port in refused(program, folder, "--port", port), "the port is not named")
        for more in (["run", "ur5-waypoints"], ["serve", "ur5-live"]):
            done = program(*more, "--view", "--view-port", port, "--out", "not-run", expect=2)
            holds(port in done.stderr and "hint" in done.stderr, f"no words: {done.stderr}")
            holds("--view-port" in done.stderr, f"the hint names an option that {more[0]} has not: {done.stderr}")
    with Page(program, "view", folder, "--port", port) as page:
        equal(page.port, int(port), "the port that was asked for")
        equal(page.end(), 0, "exit code after Ctrl-C")
    # at once again
    with Page(program, "view", folder, "--port", port) as page:
        page.document()


def case_loopback_only(program):
    folder = record(program, "--set", "task.hold=100ms")
    with Page(program, "view", folder) as page:
        listening = pathlib.Path("/proc/net/tcp").read_text().splitlines()[1:]
        addresses = {line.split()[1].split(":")[0] for line in listening if line.split()[1].endswith(f":{page.port:04X}") and line.split()[3] == "0A"}
        equal(addresses, {"0100007F"}, "addresses that the page is served at")


if __name__ == "__main__":
    sys.exit(main(globals()))
