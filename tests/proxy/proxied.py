# SPDX-License-Identifier: Apache-2.0
"""`longarm proxy` in a process of its own, and sockets around it."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import threading
import time

SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


class Proxied:
    """The relay, once it listens; `ports` are those it got, in the order of its routes."""

    def __init__(self, program, *arguments, count=1, json_wanted=True):
        words = [program.binary, "proxy", *arguments, *(["--json"] if json_wanted else [])]
        self.process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        places = self.process.stderr if json_wanted else self.process.stdout
        self.ports = []
        while len(self.ports) < count:
            line = places.readline()
            found = re.fullmatch(r"(tcp|udp) [\d.]+:(\d+) to \S+\n", line)
            if not found:
                self.process.kill()
                raise AssertionError(f"no route but: {line}{self.process.stderr.read()}")
            self.ports.append(int(found[2]))
        self.port = self.ports[0]

    def end(self, how=signal.SIGINT):
        """Its statistics, or its words."""
        self.process.send_signal(how)
        out, self.words = self.process.communicate(timeout=60)
        if self.process.returncode != 0:
            raise AssertionError(f"exit code {self.process.returncode}: {self.words}")
        return json.loads(out) if out.startswith("{") else out


@contextlib.contextmanager
def proxied(program, *arguments, **keywords):
    relay = Proxied(program, *arguments, **keywords)
    try:
        yield relay
    finally:
        if relay.process.poll() is None:
            relay.process.kill()
            relay.process.wait()


def udp_socket():
    out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    out.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_000_000)
    out.bind(("127.0.0.1", 0))
    out.settimeout(5.0)
    return out


class Echo:
    """Sends datagrams back to whoever sent them, in a thread."""

    def __init__(self):
        self.socket = udp_socket()
        self.port = self.socket.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        with contextlib.suppress(OSError):
            while True:
                try:
                    data, sender = self.socket.recvfrom(65536)
                except socket.timeout:
                    continue
                self.socket.sendto(data, sender)


def receive_all(where, patience=0.5):
    """What arrives until nothing has come for so long: (bytes, when)."""
    where.settimeout(patience)
    out = []
    with contextlib.suppress(socket.timeout):
        while True:
            data = where.recv(65536)
            out.append((data, time.monotonic()))
    return out
