# SPDX-License-Identifier: Apache-2.0
# Arms over networks, as a person in a shell has them: what is written, and what happens when a backend fails.
import json
import pathlib
import sys

from program import SHORT, equal, files_in, holds, main

NETWORK = ["--set", "network.hosts={edge: {}, robot: {}}",
           "--set", "network.links={wire: {between: [edge, robot], rate: 10Mbit, propagation: 1ms}}"]


def case_network_keys_are_shown(longarm):
    listed = {line.split()[0] for line in longarm("keys").stdout.splitlines() if line.strip()}
    for key in ["network.backend", "network.hosts.NAME.cores", "network.links.NAME.between", "network.links.NAME.rate",
                "network.star.hosts", "network.flows.tcp.congestion", "control.host", "robot.host"]:
        holds(key in listed, f"keys does not show {key}")


def case_a_run_folder_with_a_network_runs_again(longarm):
    first = longarm.metrics("one-joint", *SHORT, *NETWORK, "--out", "first")
    second = longarm.metrics("first/scenario.yaml", "--out", "second")
    equal(second["state_hash"], first["state_hash"], "state hash")
    equal(first["network"]["backend"], "builtin")
    equal([cable["name"] for cable in first["network"]["cables"]], ["wire: edge > robot", "wire: robot > edge"])


def case_networks_that_make_no_sense_are_refused(longarm):
    done = longarm("run", "one-joint", *NETWORK, "--set", "network.links.wire.rate=0bit", expect=2)
    equal(done.stderr, "--set network.links.wire.rate=0bit: error: a rate of 0 never sends anything\n"
                       "  hint: use a rate above 0, or remove it to send in no time\n", "stderr")
    done = longarm("run", "one-joint", *NETWORK, "--set", "control.host=moon", expect=2)
    holds("the network has no host 'moon'" in done.stderr, done.stderr)
    equal(list(pathlib.Path(".").iterdir()), [], "nothing is written")


def case_a_backend_that_dies_ends_the_run_and_its_results_are_kept(longarm):
    backend = longarm.source / "examples/python_backend/backend.py"
    pathlib.Path("dies.py").write_text(
        "import importlib.util, os\n"
        f"spec = importlib.util.spec_from_file_location('backend', {str(backend)!r})\n"
        "backend = importlib.util.module_from_spec(spec)\n"
        "spec.loader.exec_module(backend)\n"
        "advance = backend.Network.advance\n"
        "def advance_or_die(self, command):\n"
        "    if self.now_ns > 200_000_000:\n"
        "        os._exit(9)\n"
        "    return advance(self, command)\n"
        "backend.Network.advance = advance_or_die\n"
        "backend.main()\n")
    done = longarm("run", "one-joint", *SHORT, *NETWORK, "--set", "network.backend=external",
                   "--set", f"network.command={sys.executable} dies.py", "--out", "out", expect=1)
    holds("error: the run ended at 0.2" in done.stderr and "external" in done.stderr, done.stderr)
    holds("out/" in done.stderr, done.stderr)
    metrics = json.loads(pathlib.Path("out/metrics.json").read_text())
    equal(metrics["ended"], "failed")
    holds("external" in metrics["failure"], metrics["failure"])
    holds(0.2 <= metrics["simulated_s"] < 0.21, metrics["simulated_s"])
    holds({"metrics.json", "scenario.yaml", "trace.mcap", "log.txt"} <= set(files_in("out")), files_in("out"))


def case_delays_are_drawn(longarm):
    longarm("run", "one-joint", *SHORT, *NETWORK, "--out", "tcp")
    longarm("run", "one-joint", *SHORT, *NETWORK, "--set", "network.flows=udp", "--out", "udp")
    longarm("delays", "tcp", "udp", "--label", "one", "--label", "two", "--out", "delays.svg")
    text = pathlib.Path("delays.svg").read_text()
    holds(text.startswith("<svg") or text.startswith("<?xml"), text[:80])
    holds("one: 1001 sent" in text or "one: 1000 sent" in text, text[:600])
    holds("two: " in text, text[:600])
    done = longarm("delays", "nothing", expect=2)
    holds("nothing/trace.mcap" in done.stderr, done.stderr)


def case_packets_are_captured(longarm):
    longarm("run", "one-joint", *SHORT, *NETWORK, "--set", "network.capture=true", "--out", "out")
    captures = sorted(pathlib.Path("out/capture").iterdir())
    equal(len(captures), 2, "interfaces")
    for capture in captures:
        equal(capture.read_bytes()[:4], bytes.fromhex("4d3cb2a1"), f"nanosecond pcap: {capture}")


if __name__ == "__main__":
    sys.exit(main(globals()))
