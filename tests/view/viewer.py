# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share: a program that serves a page, questions to it, and a WebSocket client.
import base64
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402,F401

PATIENCE_S = 90
LIVE_PROTOCOL = "longarm.view.v1"


class Page:
    """A program that serves a page, once it has said where."""

    def __init__(self, program, *arguments):
        environment = {k: v for k, v in os.environ.items() if k != "LONGARM_DATA"}
        self.process = subprocess.Popen([program.binary, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.out, self.errors = [], []
        self.listeners = [threading.Thread(target=self._listen, args=pair, daemon=True)
                          for pair in ((self.process.stdout, self.out), (self.process.stderr, self.errors))]
        for each in self.listeners:
            each.start()
        self.port = int(self.wait_for(r"http://127\.0\.0\.1:(\d+)/")[1])

    @staticmethod
    def _listen(pipe, lines):
        for line in pipe:
            lines.append(line)

    def words(self):
        return "".join(self.out + self.errors)

    def wait_for(self, pattern, seconds=PATIENCE_S):
        """What the program has said, on either of its outputs, that fits."""
        until = time.monotonic() + seconds
        while True:
            ended = self.process.poll() is not None
            if ended:
                for each in self.listeners:
                    each.join()
            if found := re.search(pattern, self.words()):
                return found
            holds(not ended, f"the program ended with {self.process.poll()} before it said {pattern}\n{self.words()}")
            holds(time.monotonic() < until, f"the program does not say {pattern}\n{self.words()}")
            time.sleep(0.01)

    def is_alive(self):
        return self.process.poll() is None

    def end(self, how=signal.SIGINT, seconds=PATIENCE_S):
        """Its exit code."""
        self.process.send_signal(how)
        try:
            self.process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"still there {seconds} s after {how!r}\n{self.words()}") from None
        for each in self.listeners:
            each.join()
        return self.process.returncode

    def memory_kb(self):
        """What it has in memory now."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])

    def queued_s(self):
        """For how long its first thread, which steps, has waited for a processor."""
        return float(pathlib.Path(f"/proc/{self.process.pid}/schedstat").read_text().split()[1]) / 1e9

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for each in self.listeners:
            each.join()
        self.process.stdout.close()
        self.process.stderr.close()

    # --- questions

    def ask(self, target, method="GET", **headers):
        """Status, headers by small names and body. Headers are given as Host="…", X_Some="…"."""
        host = headers.pop("Host", f"127.0.0.1:{self.port}")
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        return parsed(self.say(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")), method)

    def say(self, raw):
        """All that comes back for some bytes, until the other side closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE_S) as connection:
            # who is refused early may not have read everything
            with contextlib.suppress(OSError):
                connection.sendall(raw)
                connection.shutdown(socket.SHUT_WR)
            out = []
            with contextlib.suppress(ConnectionResetError):
                while part := connection.recv(1 << 20):
                    out.append(part)
            return b"".join(out)

    def get(self, target):
        """The body of an answer that must be a good one."""
        status, _, body = self.ask(target)
        equal(status, 200, f"status of {target}: {body[:200]}")
        return body

    def document(self):
        return json.loads(self.get("/view.json"))

    def numbers(self, query):
        return doubles(self.get(f"/data?{query}"))


def parsed(raw, method="GET"):
    holds(raw, "no answer at all")
    head, _, body = raw.partition(b"\r\n\r\n")
    lines = head.decode("latin-1").split("\r\n")
    found = re.match(r"HTTP/1\.[01] (\d{3}) ", lines[0])
    holds(found, f"no HTTP: {lines[0]}")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    if method != "HEAD" and "content-length" in headers:
        equal(len(body), int(headers["content-length"]), "length of the answer")
    return int(found[1]), headers, body


def doubles(data):
    return struct.unpack(f"<{len(data) // 8}d", data)


class Socket:
    """A WebSocket (RFC 6455) that says little and hears everything."""

    def __init__(self, port, protocol=LIVE_PROTOCOL, path="/live", origin=None, receive_buffer=None, seconds=PATIENCE_S):
        self.connection = socket.socket()
        if receive_buffer:  # before connecting, or it has no effect
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.connection.settimeout(seconds)
        self.connection.connect(("127.0.0.1", port))
        lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", "Upgrade: websocket", "Connection: Upgrade",
                 f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}", "Sec-WebSocket-Version: 13"]
        lines += [f"Sec-WebSocket-Protocol: {protocol}"] if protocol else []
        lines += [f"Origin: {origin}"] if origin else []
        self.connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.pending = b""
        while b"\r\n\r\n" not in self.pending:
            part = self.connection.recv(4096)
            if not part:
                break
            self.pending += part
        head, _, self.pending = self.pending.partition(b"\r\n\r\n")
        self.status = int(head.split(b" ")[1]) if head else 0
        self.head = head.decode("latin-1")

    def _take(self, count):
        while len(self.pending) < count:
            part = self.connection.recv(1 << 16)
            if not part:
                raise EOFError("the socket was closed")
            self.pending += part
        taken, self.pending = self.pending[:count], self.pending[count:]
        return taken

    def message(self):
        """A str or bytes; EOFError at the end."""
        content, kind = b"", None
        while True:
            first, second = self._take(2)
            holds(second < 128, "a server masks nothing")
            length = second
            if length == 126:
                length, = struct.unpack(">H", self._take(2))
            elif length == 127:
                length, = struct.unpack(">Q", self._take(8))
            body = self._take(length)
            code = first & 15
            if code == 8:
                raise EOFError("the server closed")
            if code == 9:
                self.send(body, 10)
            if code >= 8:
                continue
            kind = code or kind
            content += body
            if first & 128:
                return content.decode() if kind == 1 else content

    def send(self, body, code=1):
        mask = os.urandom(4)
        head = bytes([128 | code, 128 | len(body)]) if len(body) < 126 else bytes([128 | code, 254]) + struct.pack(">H", len(body))
        self.connection.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(body)))

    def close(self):
        self.connection.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Viewer(Socket):
    """What a page knows after some messages of the live protocol."""

    def __init__(self, port, **keywords):
        super().__init__(port, **keywords)
        equal(self.status, 101, f"answer to the WebSocket\n{self.head}")
        self.documents, self.document = 0, None
        self.tables, self.rows, self.texts, self.marks, self.clock = {}, {}, {}, [], None

    def hear(self):
        """One message more; its type."""
        message = self.message()
        if isinstance(message, bytes):
            self._add_rows(message)
            return "rows"
        said = json.loads(message)
        if said["type"] == "document":
            self.documents += 1
            self.document = said["document"]
            self.tables = {table["id"]: table for table in self.document["runs"][0]["tables"]}
        elif said["type"] == "clock":
            holds(not self.clock or said["now_s"] >= self.clock["now_s"], f"time goes back: {self.clock} {said}")
            self.clock = said
        elif said["type"] == "texts":
            holds(len(said["texts"]) == len(said["times_s"]), f"texts without times: {said}")
            self.texts.setdefault(said["table"], []).extend(zip(said["times_s"], said["texts"]))
        else:
            equal(said["type"], "marks", "type of a message")
            self.marks += said["marks"]
        return said["type"]

    def _add_rows(self, message):
        length, = struct.unpack("<I", message[:4])
        head = json.loads(message[4:4 + length])
        start = -(-(4 + length) // 8) * 8
        equal(head["run"], 0, "run of a message")
        holds(head["table"] in self.tables, f"rows of table {head['table']}, which no document has")
        width = len(self.tables[head["table"]]["columns"])
        values = doubles(message[start:])
        equal(len(values), width * head["rows"], f"numbers of {head}")
        kept = self.rows.setdefault(head["table"], [])
        # messages on a network are told when their fate is known, a little out of order
        is_ordered = self.tables[head["table"]]["topic"] != "/network/packets"
        for row in range(head["rows"]):
            values_of_row = values[row::head["rows"]]
            holds(not is_ordered or not kept or kept[-1][0] <= values_of_row[0], f"rows of table {head['table']} are not in order")
            kept.append(values_of_row)

    def hear_until(self, claim, what, seconds=PATIENCE_S):
        until = time.monotonic() + seconds
        while not claim(self):
            holds(time.monotonic() < until, f"not within {seconds} s: {what}")
            self.hear()

    def of(self, topic):
        """Number of a topic's table; None: it has none yet."""
        return next((number for number, table in self.tables.items() if table["topic"] == topic), None)

    def rows_of(self, topic):
        return self.rows.get(self.of(topic), [])
