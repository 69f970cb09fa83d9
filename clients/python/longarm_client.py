# SPDX-License-Identifier: Apache-2.0
"""Lets a Python program be a component of a Longarm simulation, in lock-step with simulated time.

    import longarm_client

    with longarm_client.join("Client") as me:
        reply = me.call("Server", "echo", b"hello")
        print(reply, me.now_ns)

Only the standard library is needed. The protocol is described in docs/how-to/processes.md.
"""

import base64
import json
import os
import socket

VERSION = 1


class LockstepError(Exception):
    """The simulation refused us, or broke off."""


class CallError(Exception):
    """A call got no reply: no such component or method, a lost connection, a time-out."""


class SimulationEnded(SystemExit):
    """There will be no more simulated time. Whoever does not catch it ends with one line instead of a traceback."""


def join(component=None, address=None, announces_idle=True):
    """Joins the simulation as `component`; both default to what Longarm gave the programs it started."""
    address = address or _from_environment("LONGARM_LOCKSTEP")
    component = component or _from_environment("LONGARM_COMPONENT")
    return Component(component, address, announces_idle)


class Component:
    """One component. All its methods are to be called from one thread, handlers run in that thread.

    While a call or a sleep is waited for, requests and messages are handled.
    """

    def __init__(self, component, address, announces_idle=True):
        try:
            self._socket = _connect(address)
        except OSError as problem:
            raise SimulationEnded(f"{component}: no simulation waits at {address}: {problem.strerror or problem}") from None
        self._lines = self._socket.makefile("rb")
        self._unsent = []
        self._announces_idle = announces_idle
        self._owes_idle = False
        self._turn = 0
        self._last_id = 0
        self._replies = {}
        self._awake = set()
        self._methods = {}
        self._receivers = {}
        self._on_step = None
        self._has_ended = False
        self.now_ns = 0
        self.name = component
        self.host = None
        self._say("hello", version=VERSION, component=component, announces_idle=announces_idle)
        self._flush()
        while self.host is None:
            self._handle_next()

    # --- what a component does

    def serve(self, method, handler):
        """`handler(request)` gets and gives bytes; (bytes, execution_ns) if executing takes simulated time."""
        self._methods[method] = handler
        self._say("serve", method=method)

    def call(self, server, method, request=b"", timeout_ns=0):
        """Waits, in simulated time, for the reply."""
        return self.result(self.begin_call(server, method, request, timeout_ns))

    def begin_call(self, server, method, request=b"", timeout_ns=0):
        """Asks and goes on; result() waits for the reply."""
        number = self._next_id()
        self._say("call", id=number, server=server, method=method, data=_to_text(request), timeout_ns=timeout_ns)
        return number

    def result(self, number):
        while number not in self._replies:
            self._handle_next()
        data, error = self._replies.pop(number)
        if error:
            raise CallError(error)
        return data

    def advertise(self, topic, message_type="longarm/Blob", transport="tcp"):
        self._say("advertise", topic=topic, message_type=message_type, transport=transport)

    def publish(self, topic, data):
        self._say("publish", topic=topic, data=_to_text(data))

    def subscribe(self, topic, receiver, message_type="longarm/Blob", transport="tcp"):
        """`receiver(data)` gets each message."""
        self._receivers[topic] = receiver
        self._say("subscribe", topic=topic, message_type=message_type, transport=transport)

    def sleep_until(self, time_ns):
        number = self._next_id()
        self._say("sleep_until", id=number, time_ns=max(0, time_ns))
        while number not in self._awake:
            self._handle_next()
        self._awake.discard(number)

    def sleep(self, span_ns):
        self.sleep_until(self.now_ns + span_ns)

    def on_step(self, handler):
        """`handler()` is called at each step; only where the simulation collects messages (lockstep.mode: collect)."""
        self._on_step = handler

    def run(self):
        """Serves until the simulation ends."""
        try:
            while True:
                self._handle_next()
        except SimulationEnded:
            return

    def leave(self):
        """Nothing more will come from here; who calls us from now on ends the run."""
        if not self._has_ended and self._socket is not None:
            self._say("bye")
            self._flush()
        self.close()

    def close(self):
        if self._socket is not None:
            self._lines.close()
            self._socket.close()
            self._socket = None

    def __enter__(self):
        return self

    def __exit__(self, kind, problem, trace):
        if kind is None:
            self.leave()
        else:
            self.close()
        return kind is not None and issubclass(kind, SimulationEnded)

    # --- lines

    def _next_id(self):
        self._last_id += 1
        return self._last_id

    def _say(self, kind, **fields):
        self._unsent.append(json.dumps({"type": kind, **fields}))
        if not self._announces_idle:
            self._flush()

    def _flush(self):
        if self._unsent:
            text = "\n".join(self._unsent) + "\n"
            self._unsent.clear()
            try:
                self._socket.sendall(text.encode())
            except OSError:
                pass  # the simulation is gone, and its last words are still to be read

    def _handle_next(self):
        if self._has_ended:
            raise self._ended()
        if self._owes_idle and self._announces_idle:
            self._say("idle", turn=self._turn)
        self._owes_idle = False
        self._flush()
        try:
            line = self._lines.readline()
        except OSError:
            line = b""
        if not line:
            self._has_ended = True
            raise self._ended()
        message = json.loads(line)
        self.now_ns = message.get("time_ns", self.now_ns)
        if "turn" in message:
            self._turn = message["turn"]
            self._owes_idle = True
        self._handle(message)

    def _handle(self, message):
        kind = message["type"]
        data = base64.b64decode(message.get("data", ""))
        if kind == "request":
            self._answer(message["id"], self._methods[message["method"]](data))
        elif kind == "reply":
            self._replies[message["id"]] = (data, message.get("error", ""))
        elif kind == "message":
            self._receivers[message["topic"]](data)
        elif kind == "wake":
            self._awake.add(message["id"])
        elif kind == "step":
            if self._on_step is not None:
                self._on_step()
        elif kind == "joined":
            self.host = message["host"]
        elif kind == "refused":
            raise LockstepError(message["error"])
        elif kind == "end":
            self._has_ended = True
            raise self._ended()
        else:
            raise LockstepError(f"Longarm said '{kind}', which version {VERSION} does not know")

    def _ended(self):
        return SimulationEnded(f"{self.name}: the simulation ended at {self.now_ns / 1e9:.9f} s")

    def _answer(self, number, result):
        data, execution_ns = result if isinstance(result, tuple) else (result, 0)
        self._say("answer", id=number, data=_to_text(data), execution_ns=int(execution_ns))


def _connect(address):
    if "/" in address:
        result = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        result.connect(address)
        return result
    host, _, port = address.rpartition(":")
    result = socket.create_connection((host.strip("[]"), int(port)))
    result.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return result


def _from_environment(name):
    if name not in os.environ:
        raise LockstepError(f"{name} is not set; `longarm run` says what to set it to when it waits for a component")
    return os.environ[name]


def _to_text(data):
    if not isinstance(data, (bytes, bytearray, memoryview)):
        raise TypeError(f"contents are bytes, not {type(data).__name__}" + ("; try text.encode()" if isinstance(data, str) else ""))
    return base64.b64encode(data).decode()
