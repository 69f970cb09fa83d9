#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A network simulator for Longarm in one file: each message crosses its cables one after the other, at their rate.

Longarm starts it with `--socket PATH`. It speaks version 1 of the protocol of docs/how-to/backends.md: lines of JSON.
"""

import heapq
import json
import socket
import sys

RESEND_NS = 200_000_000  # an ordered message that is lost is sent again after so long


class Direction:
    """One way along a cable: when it is free, and what will become of its packets."""

    def __init__(self, cable, direction):
        self.rate_bit_s = cable["rate_bit_s"]  # None: sending takes no time
        self.propagation_ns = cable["propagation_ns"]
        self.ends = cable["ends"][direction], cable["ends"][1 - direction]
        self.has_fates = cable["fates"][direction] != "none"
        self.fates = []  # of the packets to come
        self.used = 0
        self.free_ns = 0
        self.packets = 0
        self.bytes = 0
        self.lost = 0

    def needs_fates(self):
        return self.has_fates and self.used == len(self.fates)

    def send(self, now_ns, size_bytes):
        """When a packet that is ready now reaches the far end; None if it does not."""
        begins_ns = max(now_ns, self.free_ns)
        sending_ns = 0 if self.rate_bit_s is None else size_bytes * 8 * 1_000_000_000 // self.rate_bit_s
        self.free_ns = begins_ns + sending_ns
        self.packets += 1
        self.bytes += size_bytes
        extra_ns = 0
        if self.has_fates:
            extra_ns = self.fates[self.used]
            self.used += 1
            extra_ns = min(extra_ns) if isinstance(extra_ns, list) else extra_ns  # of copies the first counts
        if extra_ns < 0:
            self.lost += 1
            return None
        return self.free_ns + self.propagation_ns + extra_ns


class Flow:
    def __init__(self, command):
        self.id = command["flow"]
        self.nodes = command["opener"], command["peer"]
        self.is_ordered = command["transport"] == "tcp"
        self.is_open = [True, True]
        self.queued = [[], []]  # ordered messages to that side, the first under way
        self.counts = [dict.fromkeys(("messages_sent", "messages_delivered", "bytes_delivered"), 0) for _ in range(2)]


class Network:
    def __init__(self, build):
        for cable in build["cables"]:
            if cable["queue"]["kind"] != "drop_tail" or cable["queue"]["priorities"] != 1:
                raise ValueError(f"cable '{cable['name']}': only plain queues")
            if cable["changes"]:
                raise ValueError(f"cable '{cable['name']}': only cables that never change")
        self.next_cable = build["next_cable"]
        self.cables = [[Direction(cable, d) for d in range(2)] for cable in build["cables"]]
        self.forwarding_ns = [node["forwarding_ns"] for node in build["nodes"]]
        self.flows = {}
        self.events = []  # (time, order of planning, what to do)
        self.planned = 0
        self.happened = 0
        self.now_ns = 0
        self.deliveries = []

    def at(self, time_ns, action):
        if time_ns < self.now_ns:
            raise ValueError(f"something for {time_ns} ns is told at {self.now_ns} ns")
        heapq.heappush(self.events, (time_ns, self.planned, action))
        self.planned += 1

    def tell(self, flow, side, fate, message=0):
        if flow.is_open[side]:
            self.deliveries.append({"time_ns": self.now_ns, "flow": flow.id, "side": side, "message": message, "fate": fate})

    # --- what Longarm says ---

    def open(self, command):
        if command["transport"] not in ("udp", "tcp", "raw"):
            raise ValueError(f"transport '{command['transport']}'")
        flow = self.flows[command["flow"]] = Flow(command)
        if flow.is_ordered:  # a handshake of three messages of 40 bytes
            self.at(command["at_ns"], lambda: self.carry(
                flow, 1, 40, lambda: self.carry(flow, 0, 40, lambda: self.connected(flow))))

    def connected(self, flow):
        self.tell(flow, 0, "connected")
        self.carry(flow, 1, 40, lambda: self.tell(flow, 1, "connected"))

    def send(self, command):
        flow, side = self.flows[command["flow"]], 1 - command["side"]
        message, size_bytes = command["message"], command["bytes"]
        flow.counts[1 - side]["messages_sent"] += 1

        def start():
            if not flow.is_ordered:
                self.carry(flow, side, size_bytes, lambda: self.arrive(flow, side, message, size_bytes),
                           lambda: self.tell(flow, side, "lost", message))
                return
            flow.queued[side].append((message, size_bytes))
            if len(flow.queued[side]) == 1:
                self.send_first(flow, side)

        self.at(command["at_ns"], start)

    def send_first(self, flow, side):
        """One ordered message at a time: the next leaves when this one has arrived."""
        message, size_bytes = flow.queued[side][0]

        def arrived():
            self.arrive(flow, side, message, size_bytes)
            flow.queued[side].pop(0)
            if flow.queued[side]:
                self.send_first(flow, side)

        self.carry(flow, side, size_bytes, arrived)

    def arrive(self, flow, side, message, size_bytes):
        counts = flow.counts[1 - side]
        counts["messages_delivered"] += 1
        counts["bytes_delivered"] += size_bytes
        self.tell(flow, side, "delivered", message)

    def close(self, command):
        flow = self.flows[command["flow"]]
        self.at(command["at_ns"], lambda: flow.is_open.__setitem__(command["side"], False))

    def reset(self, command):
        flow, side = self.flows[command["flow"]], command["side"]

        def gone():
            flow.is_open[side] = False
            self.carry(flow, 1 - side, 40, lambda: self.tell(flow, 1 - side, "reset"))

        self.at(command["at_ns"], gone)

    def change(self, command):
        raise ValueError("cables never change here")

    def fates(self, command):
        self.cables[command["cable"]][command["direction"]].fates += command["extra_ns"]

    def advance(self, command):
        self.deliveries = []
        while self.events and self.events[0][0] < command["until_ns"] and not self.wanted():
            if self.deliveries and self.events[0][0] > self.now_ns and command["stop_at_first_delivery"]:
                break
            self.now_ns, _, action = heapq.heappop(self.events)
            self.happened += 1
            action()
        return {"reply": "advanced", "time_ns": self.now_ns, "deliveries": self.deliveries, "fates_wanted": self.wanted(),
                "next_event_ns": self.events[0][0] if self.events else None}

    def wanted(self):
        return [{"cable": c, "direction": d, "first": way.used}
                for c, cable in enumerate(self.cables) for d, way in enumerate(cable) if way.needs_fates()]

    def figures(self, _):
        flows = [{"flow": flow.id, "side": side, **flow.counts[side]} for flow in self.flows.values() for side in range(2)]
        cables = [{"cable": c, "direction": d, "packets": way.packets, "bytes": way.bytes, "dropped_loss": way.lost}
                  for c, cable in enumerate(self.cables) for d, way in enumerate(cable)]
        return {"reply": "figures", "flows": flows, "cables": cables, "events": self.happened}

    # --- the network ---

    def carry(self, flow, side, size_bytes, arrived, lost=None):
        """Takes a packet to that side of a flow, cable by cable; what nobody misses is sent again."""
        lost = lost or (lambda: self.at(self.now_ns + RESEND_NS, lambda: self.carry(flow, side, size_bytes, arrived)))
        self.hop(flow.nodes[1 - side], flow.nodes[side], size_bytes, arrived, lost)

    def hop(self, node, destination, size_bytes, arrived, lost):
        if node == destination:
            arrived()
            return
        cable = self.cables[self.next_cable[node][destination]]
        way = cable[0] if cable[0].ends[0] == node else cable[1]
        arrival_ns = way.send(self.now_ns, size_bytes)
        if arrival_ns is None:
            lost()
            return
        far = way.ends[1]
        self.at(arrival_ns + self.forwarding_ns[far], lambda: self.hop(far, destination, size_bytes, arrived, lost))


def answer(command, network):
    """The network from now on, and what is to be said, if anything."""
    what = command["do"]
    if what == "hello":
        if command["protocol"] != "longarm-network" or command["version"] != 1:
            raise ValueError("only version 1 of longarm-network is spoken here")
        return network, {"reply": "hello", "protocol": "longarm-network", "version": 1, "backend": "python example",
                         "capabilities": ["udp", "tcp", "fates"]}
    if what in ("build", "open"):
        try:
            if what == "build":
                return Network(command), {"reply": "built"}
            network.open(command)
            return network, {"reply": "opened", "flow": command["flow"]}
        except ValueError as why:
            return network, {"reply": "refused", "message": str(why)}
    if what in ("advance", "figures", "send", "close", "reset", "change", "fates"):
        return network, getattr(network, what)(command)
    raise ValueError(f"unknown command '{what}'")


def main():
    if len(sys.argv) != 3 or sys.argv[1] != "--socket":
        sys.exit("backend.py --socket PATH (Longarm starts it)")
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(sys.argv[2])
        network = None
        with connection.makefile("r", encoding="utf-8") as lines, connection.makefile("w", encoding="utf-8") as out:
            for line in lines:
                command = json.loads(line)
                if command["do"] == "quit":
                    return
                try:
                    network, reply = answer(command, network)
                except (ValueError, KeyError, IndexError) as why:
                    reply = {"reply": "error", "message": f"{type(why).__name__}: {why}"}
                if reply:
                    out.write(json.dumps(reply) + "\n")
                    out.flush()


if __name__ == "__main__":
    main()
