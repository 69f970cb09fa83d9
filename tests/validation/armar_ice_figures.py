#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The figures of Krauß et al. (2018) for ARMAR's loop as programs of ZeroC Ice: a call (1), a cycle (2), the hand's distance
from its path (4), bandwidth and cycle time by number of hosts with message sizes as Ice sends them (5).

Figure 3, cycle times, is armar_ice.py's. Calls are read by tshark from what crosses the simulated network.
"""

import argparse
import collections
import csv
import json
import pathlib
import shutil
import subprocess
import sys

import armar_ice
import figures
from armar_ice import PLACEMENTS, PORTS, PROGRAMS, Setting
from namespaces import SwitchedStar
from validate import can_have_priority

COSTS = {"loopback": "60us", "stack_send": "50us", "stack_receive": "50us"}
SEPARATE = PLACEMENTS["separate"]
AT = {f"10.0.0.{place + 1}": name for name, place in SEPARATE.items()}
# operations of Ice, and calls and topics of the scenario armar-rectangle
CALLS = {"getSynchronizedRobot": [("TCPControlUnit", "RobotStateComponent"), ("HeadIKUnit", "RobotStateComponent")],
         "getConfig": [("TCPControlUnit", "RemoteRobot"), ("HeadIKUnit", "RemoteRobot"), ("AgentMemoryUpdater", "RemoteRobot")],
         "switchControlMode": [("TCPControlUnit", "KinematicUnit")], "setJointVelocities": [("TCPControlUnit", "KinematicUnit")]}
TOPICS = {"reportJointAngles": "JointAngles", "reportJointVelocities": "JointVelocities", "reportJointTorques": "JointTorques"}


def messages(folder, name):
    """What a program's host has sent and received, in order: {at_s, from, to, operation, id, bytes, is_reply}."""
    capture = next((folder / "out" / "capture").glob(f"pc{SEPARATE[name] + 1}-*.pcap"))
    decode = [word for port in PORTS.values() for word in ("-d", f"tcp.port=={port},icep")]
    fields = ["frame.time_epoch", "ip.src", "ip.dst", "icep.message_type", "icep.request_id", "icep.operation", "icep.message_status"]
    words = ["tshark", "-r", str(capture), *decode, "-Y", "icep.request_id", "-T", "fields", *(word for field in fields for word in ("-e", field))]
    found = []
    for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines():
        at, source, destination, kind, number, operation, size = line.split("\t")
        if "," not in kind:  # several messages in one packet are oneway
            found.append({"at_s": float(at), "from": AT[source], "to": AT[destination], "is_reply": kind == "2", "id": int(number),
                          "operation": operation, "bytes": int(size)})
    return found


def calls_of(folder, name):
    """Calls that a program makes, as they leave its host and as the server's host sees them."""
    there = {(each["from"], each["to"], each["is_reply"], each["id"]): each for server in PROGRAMS if server != name
             for each in messages(folder, server)}
    calls, waiting = [], {}
    for each in messages(folder, name):
        if not each["is_reply"] and each["from"] == name and each["id"] != 0:
            waiting[each["to"], each["id"]] = each
        elif each["is_reply"] and (each["from"], each["id"]) in waiting:
            request = waiting.pop((each["from"], each["id"]))
            calls.append({"server": each["from"], "operation": request["operation"], "request_bytes": request["bytes"], "reply_bytes": each["bytes"],
                          "times_s": [request["at_s"], there[name, each["from"], False, each["id"]]["at_s"],
                                      there[each["from"], name, True, each["id"]]["at_s"], each["at_s"]]})
    return calls


# --- pictures ---------------------------------------------------------------------------------------


def line(x1, y1, x2, y2, colour="#333", width=1.0, marker=""):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}" {marker}/>'


def text(x, y, words, anchor="middle", size=11):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}">{words}</text>'


def svg(path, width, height, parts):
    arrow = '<defs><marker id="a" markerWidth="8" markerHeight="6" refX="8" refY="3" orient="auto"><path d="M0,0 L8,3 L0,6 z"/></marker></defs>'
    pathlib.Path(path).write_text(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif">'
                                  f'<rect width="{width}" height="{height}" fill="white"/>{arrow}' + "\n".join(parts) + "</svg>\n", encoding="utf-8")


def draw_call(path, call):
    """Figure 1: way of the request, execution, way of the reply, to scale."""
    begin, end = call["times_s"][0], call["times_s"][3]
    place = [60 + 560 * (at - begin) / (end - begin) for at in call["times_s"]]
    parts = [text(340, 24, f"{call['operation']}: {1e6 * (end - begin):.0f} us", size=14), line(40, 110, 640, 110, marker='marker-end="url(#a)"')]
    for x1, x2, colour, words in ((place[0], place[1], figures.COLOURS[0], "request"), (place[1], place[2], figures.COLOURS[1], "server"),
                                  (place[2], place[3], figures.COLOURS[0], "reply")):
        parts += [f'<rect x="{x1:.1f}" y="70" width="{x2 - x1:.1f}" height="40" fill="{colour}" opacity="0.6"/>', text((x1 + x2) / 2, 60, words)]
    parts += [text(x, 128, f"{1e6 * (at - begin):.1f}") for x, at in zip(place, call["times_s"])]
    svg(path, 680, 150, [*parts, text(640, 128, "us", "end")])


def draw_cycle(path, cycle):
    """Figure 2: a sequence diagram; time goes down, to scale."""
    names = ["TCPControlUnit", *dict.fromkeys(call["server"] for call in cycle)]
    x = {name: 120 + 220 * i for i, name in enumerate(names)}
    begin, end = cycle[0]["times_s"][0], cycle[-1]["times_s"][3]
    height = 40 + 150 * len(cycle)

    def y(at):
        return 60 + (height - 20) * (at - begin) / (end - begin)

    parts = [text(x[name], 30, name, size=13) for name in names]
    parts += [line(x[name], 40, x[name], height + 50, "#999") for name in names]
    for call in cycle:
        here, there = x["TCPControlUnit"], x[call["server"]]
        sent, came, answered, back = map(y, call["times_s"])
        parts += [line(here, sent, there, came, marker='marker-end="url(#a)"'), line(there, answered, here, back, marker='marker-end="url(#a)" stroke-dasharray="4"'),
                  f'<rect x="{there - 5}" y="{came:.1f}" width="10" height="{answered - came:.1f}" fill="{figures.COLOURS[1]}"/>',
                  text(there + 12, came + 12, f"{call['operation']} ({call['request_bytes']} B, {call['reply_bytes']} B)", "start"),
                  text(here - 8, sent + 4, f"{1e6 * (call['times_s'][0] - begin):.0f} us", "end")]
    svg(path, 220 * len(names) + 300, height + 70, parts)


def draw_hands(path, hands):
    """Figure 4: distance from the path over time, from where the hand has reached it."""
    width, height = 680, 320
    end = max(points[-1][0] for points in hands.values())
    top = 1.1 * max(mm for points in hands.values() for _, mm in points)
    parts = [text(340, 22, "distance of the hand from the rectangle / mm, over s", size=14), line(60, 280, 640, 280), line(60, 280, 60, 40)]
    parts += [text(60 + 580 * k / 4, 298, f"{end * k / 4:.1f}") for k in range(5)] + [text(54, 284 - 240 * k / 4, f"{top * k / 4:.1f}", "end") for k in range(5)]
    for i, (name, points) in enumerate(hands.items()):
        way = " ".join(f"{60 + 580 * at / end:.1f},{280 - 240 * mm / top:.1f}" for at, mm in points[::5])
        parts += [f'<polyline points="{way}" fill="none" stroke="{figures.COLOURS[i]}"/>',
                  f'<text x="630" y="{56 + 16 * i}" text-anchor="end" font-size="12" fill="{figures.COLOURS[i]}">{name}</text>']
    svg(path, width, height, parts)


# --- figures ----------------------------------------------------------------------------------------


def a_call_and_a_cycle(options, folder):
    run = folder / "capture"
    setting = Setting(3.0, options.delay_us, 0.0)
    armar_ice.run_virtually(options, setting, SEPARATE, PROGRAMS, "TCPControlUnit", COSTS, 1, run, ["network.capture=true"])
    calls = calls_of(run, "TCPControlUnit")
    active = next(i for i, call in enumerate(calls) if call["operation"] == "switchControlMode") - 2
    draw_call(folder / "figure-1-call.svg", calls[active + 1])
    draw_cycle(folder / "figure-2-cycle.svg", calls[active:active + 4])
    print(f"\nbytes of Ice's messages: {'request':>10} {'reply':>10}")
    sizes = {}
    for call in calls[active:active + 4]:
        sizes[call["operation"]] = (call["request_bytes"], call["reply_bytes"])
    for call in calls_of(run, "Rectangle"):
        if call["operation"] == "setTCPVelocity":
            sizes[call["operation"]] = (call["request_bytes"], call["reply_bytes"])
    for each in messages(run, "KinematicUnit"):
        if each["operation"] in TOPICS:
            sizes[each["operation"]] = (each["bytes"], None)
    for operation, (request, reply) in sizes.items():
        print(f"  {operation:21} {request:10} {reply if reply is not None else '':>10}")
    return sizes


def distances(run):
    """(s, mm) from where the hand has reached its path."""
    with open(run / "out" / "curves.csv", encoding="utf-8") as file:
        rows = [(float(row["time_s"]), 1e3 * float(row["arm.path_deviation"])) for row in csv.DictReader(file)]
    on_path = next(i for i, (_, mm) in enumerate(rows) if mm < 1.0)
    return [(at - rows[on_path][0], mm) for at, mm in rows[on_path:]]


def the_hand(options, folder):
    setting = Setting(options.hand_seconds, options.delay_us, 0.35, has_arm=True)
    print("\nhand from path / mm: root mean square, largest")
    hands = {}
    for placement in ("together", "separate"):
        run = folder / f"hand-{placement}"
        armar_ice.run_virtually(options, setting, PLACEMENTS[placement], PROGRAMS, "TCPControlUnit", COSTS, 1, run)
        hands[placement] = run
    if options.delay_switch:
        options.priority = can_have_priority()
        with SwitchedStar(len(PROGRAMS), options.delay_switch, options.delay_us, options.priority) as star:
            run = folder / "hand-processes"
            armar_ice.run_really(options, star, setting, SEPARATE, PROGRAMS, "TCPControlUnit", run)
            hands["separate, processes"] = run
    for name, run in hands.items():
        arm = json.loads((run / "out" / "metrics.json").read_text())["arm"]
        print(f"  {name:20} {1e3 * arm['path_deviation_rms_m']:.3f} {1e3 * arm['path_deviation_max_m']:.3f}")
    draw_hands(folder / "figure-4-hand.svg", {name: distances(run) for name, run in hands.items()})


def bandwidths(options, folder, sizes):
    """METIS's cuts of the whole system of 57 components, with sizes as Ice sends them where they are known."""
    changes = []
    for operation, pairs in CALLS.items():
        request, reply = sizes[operation]
        changes += [f"actors.{caller}.calls.{operation}.request_bytes={request}" for caller, _ in pairs]
        changes += [f"actors.{server}.serves.{operation}.reply_bytes={reply}" for server in dict.fromkeys(server for _, server in pairs)]
    changes += [f"actors.KinematicUnit.publishes.{topic}.bytes={sizes[operation][0]}" for operation, topic in TOPICS.items()]
    rows = collections.OrderedDict()
    for name, sets in (("guessed", []), ("Ice", changes)):
        words = [options.longarm, "place", "armar-rectangle", "--hosts", options.hosts, "--balanced", "--minimise", "bandwidth", "--budget", "1",
                 "--out", str(folder / f"place-{name}"), *(word for each in sets for word in ("--set", each))]
        subprocess.run(words, capture_output=True, text=True, check=True)
        with open(folder / f"place-{name}" / "hosts.csv", encoding="utf-8") as file:
            rows[name] = list(csv.DictReader(file))
    print("\nMETIS's cuts with guessed sizes, and with Ice's")
    print("  hosts    Mbit/s      ms    Mbit/s      ms")
    for pair in zip(rows["guessed"], rows["Ice"]):
        columns = [f"{float(row['start_bandwidth_mbit_s']):9.2f} {float(row['start_cycle_time_ms']):7.3f}" for row in pair]
        print(f"  {pair[0]['hosts']:>5} " + " ".join(columns))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("longarm", help="the program")
    parser.add_argument("armar_ice", help="the programs of labs/armar/ice")
    parser.add_argument("--out", default="armar-ice-figures")
    parser.add_argument("--delay-switch", help="the switch of this folder, for the hand moved by real processes")
    parser.add_argument("--start-within", type=float, default=3.0, help="time for all processes to start")
    parser.add_argument("--delay-us", type=float, default=115.0, help="of the way between two hosts")
    parser.add_argument("--hand-seconds", type=float, default=20.0, help="length of the runs with the arm; it moves in the second half")
    parser.add_argument("--hosts", default="2..12", help="of figure 5")
    options = parser.parse_args()
    if options.delay_switch:
        options.delay_switch = str(pathlib.Path(options.delay_switch).resolve())
    options.longarm, options.armar_ice = (str(pathlib.Path(each).resolve()) for each in (options.longarm, options.armar_ice))
    folder = pathlib.Path(options.out).resolve()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    sizes = a_call_and_a_cycle(options, folder)
    the_hand(options, folder)
    bandwidths(options, folder, sizes)
    print(f"\nfigures in {folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
