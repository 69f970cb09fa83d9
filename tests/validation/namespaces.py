# SPDX-License-Identifier: Apache-2.0
"""Network namespaces around a bridge, and processes in them. Everything goes away at the end."""

import os
import shutil
import subprocess


class NotPossible(Exception):
    """This machine does not let us."""


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NotPossible(f"{' '.join(words)}: {done.stderr.strip()}")


class Star:
    """`count` namespaces, each with an address, on a bridge in one more."""

    def __init__(self, count):
        if shutil.which("ip") is None:
            raise NotPossible("there is no program `ip` (iproute2)")
        tag = f"lgv{os.getpid()}"
        self._bridge = f"{tag}b"
        self.names = [f"{tag}n{i}" for i in range(1, count + 1)]
        self.addresses = [f"10.213.7.{i}" for i in range(1, count + 1)]
        self._made = []
        try:
            self._make()
        except NotPossible:
            self.close()
            raise

    def _make(self):
        self._add(self._bridge)
        self._in_bridge("link", "add", "bridge", "type", "bridge", "forward_delay", "0")
        self._in_bridge("link", "set", "bridge", "up")
        for i, (name, address) in enumerate(zip(self.names, self.addresses), 1):
            self._add(name)
            run("ip", "-n", self._bridge, "link", "add", f"port{i}", "type", "veth", "peer", "name", "eth0", "netns", name)
            self._in_bridge("link", "set", f"port{i}", "master", "bridge", "up")
            run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")

    def _add(self, name):
        run("ip", "netns", "add", name)
        self._made.append(name)

    def _in_bridge(self, *words):
        run("ip", "-n", self._bridge, *words)

    def command(self, index, words, has_priority):
        """The words, to be run in namespace `index`, with a real-time priority if asked for."""
        priority = ["chrt", "-f", "20"] if has_priority else []
        return ["ip", "netns", "exec", self.names[index], *priority, *words]

    def close(self):
        for name in self._made:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
        self._made = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class SwitchedStar(Star):
    """`count` namespaces with the addresses 10.0.0.1, 10.0.0.2 and so on, whose packets take `delay_us` through a program."""

    def __init__(self, count, switch, delay_us, has_priority):
        self._switch_words = [*(["chrt", "-f", "30"] if has_priority else []), switch, str(int(delay_us * 1e3))]
        self._switch = None
        super().__init__(count)
        self.addresses = [f"10.0.0.{i}" for i in range(1, count + 1)]

    def _make(self):
        for i, name in enumerate(self.names, 1):
            self._add(name)
            run("ip", "-n", name, "tuntap", "add", "dev", "eth0", "mode", "tun")
            run("ip", "-n", name, "addr", "add", f"10.0.0.{i}/24", "dev", "eth0")
            run("ip", "-n", name, "link", "set", "eth0", "up")
            run("ip", "-n", name, "link", "set", "lo", "up")
        self._switch = subprocess.Popen([*self._switch_words, *self.names], stdout=subprocess.PIPE, text=True)
        if self._switch.stdout.readline() != "ready\n":
            raise NotPossible("the switch does not start")

    def close(self):
        if self._switch is not None:
            self._switch.kill()
            self._switch.wait()
        super().close()
