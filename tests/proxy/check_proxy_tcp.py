# SPDX-License-Identifier: Apache-2.0
# `longarm proxy` for TCP: what clients and servers can do to it, with Python's sockets at both ends.
import contextlib
import hashlib
import os
import pathlib
import resource
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, holds, main  # noqa: E402
from proxied import proxied  # noqa: E402

# more than this is growth: the allocator's own rounding stays well below
FLAT_KB = 4096


class Server:
    """Listens in a thread; `answer` is what it does with each client, in a thread of its own."""

    def __init__(self, answer):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self.socket.getsockname()[1]
        self.answer = answer
        self.problems = []
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self):
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.socket.accept()
                client.settimeout(30.0)
                threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        with client, contextlib.suppress(OSError):
            self.answer(client)


def echo(client):
    while data := client.recv(65536):
        client.sendall(data)


def never_read(client):
    time.sleep(60)


def route(server):
    return ["--listen", "tcp:127.0.0.1:0", "--to", f"127.0.0.1:{server.port}"]


def connect(relay):
    out = socket.create_connection(("127.0.0.1", relay.port), timeout=30.0)
    out.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return out


def reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()


def receive(client, size):
    data = b""
    while len(data) < size:
        more = client.recv(size - len(data))
        if not more:
            break
        data += more
    return data


def memory_kb(relay):
    for line in pathlib.Path(f"/proc/{relay.process.pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no memory to be seen")


def ping(client):
    client.sendall(b"ping")
    equal(receive(client, 4), b"ping")


def case_delay_is_added_each_way_to_tcp(longarm):
    server = Server(echo)
    with proxied(longarm, *route(server), "--link", "delay 20ms") as relay, connect(relay) as client:
        ping(client)  # the first waits for the handshake
        trips = []
        for _ in range(20):
            begin = time.monotonic()
            ping(client)
            trips.append(time.monotonic() - begin)
        figures = relay.end()["tcp"]
    holds(min(trips) >= 0.040, f"a round trip took {min(trips)} s")
    late = figures["up"]["lateness"]["max_s"] + figures["down"]["lateness"]["max_s"]
    # beyond what the relay says of itself there are three threads here that have to wake up
    holds(sorted(trips)[10] < 0.040 + late + 0.015, f"{sorted(trips)} with a lateness of {late} s")


def case_bytes_are_kept_in_order_under_loss_and_reordering(longarm):
    size = 600_000
    sent = os.urandom(size)
    hashes = []

    def judge(client):
        hashed = hashlib.sha256()
        while data := client.recv(65536):
            hashed.update(data)
        client.sendall(hashed.digest() + sent)

    server = Server(judge)
    link = "delay 2ms 1ms loss 0.5% duplicate 1%"
    with proxied(longarm, *route(server), "--link", link) as relay, connect(relay) as client:
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        hashes.append(receive(client, 32))
        back = receive(client, size)
        equal(client.recv(1), b"", "after the end")
        model = relay.end()["tcp"]["model"]
    equal(hashes[0], hashlib.sha256(sent).digest(), "what the server got")
    holds(back == sent, "what came back differs")
    holds(model["up"]["lost"] > 0 and model["up"]["retransmissions"] > 0, model)


def case_two_hundred_connections_at_once(longarm):
    server = Server(echo)
    with proxied(longarm, *route(server), "--link", "delay 2ms") as relay:
        clients = [connect(relay) for _ in range(200)]
        silent = [connect(relay) for _ in range(50)]  # who never say a word
        for number, client in enumerate(clients):
            client.sendall(struct.pack("I", number) * 1000)
        for number, client in enumerate(clients):
            holds(receive(client, 4000) == struct.pack("I", number) * 1000, f"client {number} got others' bytes")
        for client in clients + silent:
            client.close()
        equal(relay.end()["tcp"]["conversations"], 250)


def case_memory_stays_flat_over_short_connections(longarm, count=2500):
    server = Server(lambda client: client.sendall(receive(client, 5)))
    kept = []
    with proxied(longarm, *route(server), "--link", "loss 0.2%") as relay:
        for number in range(count):
            client = connect(relay)
            client.sendall(b"hello")
            if number % 4 == 0:
                reset(client)
            elif number % 4 == 1:
                client.close()
            elif number % 50 == 2:
                kept.append(client)  # the server ends it, this one never does
            else:
                with contextlib.suppress(OSError):
                    client.settimeout(0.05)  # a lost segment shall not keep us here
                    receive(client, 6)
                client.close()
            if number == count // 3:
                early_kb = memory_kb(relay)
        late_kb = memory_kb(relay)
        equal(relay.end()["tcp"]["conversations"], count)
    holds(late_kb - early_kb < FLAT_KB, f"{early_kb} kB, then {late_kb} kB")


def case_a_server_that_never_reads_stops_its_own_client_only(longarm):
    server = Server(lambda client: never_read(client) if client.recv(1) == b"n" else echo(client))
    with proxied(longarm, *route(server)) as relay, connect(relay) as stuck, connect(relay) as client:
        client.sendall(b"e")
        before_kb = memory_kb(relay)
        stuck.sendall(b"n")
        stuck.setblocking(False)
        pushed, since = 0, time.monotonic()
        while time.monotonic() - since < 0.3:  # until nobody takes any more
            try:
                pushed += stuck.send(bytes(65536))
                since = time.monotonic()
            except BlockingIOError:
                time.sleep(0.01)
        for _ in range(20):
            ping(client)
        # the relay holds 4 MiB for a connection, each way
        holds(memory_kb(relay) - before_kb < 2 * 4096 + FLAT_KB, f"{before_kb} kB, then {memory_kb(relay)} kB")
        holds(pushed > 4_000_000, f"only {pushed} bytes were taken")


def case_a_refusing_server_resets_its_client(longarm):
    free = socket.create_server(("127.0.0.1", 0))
    port = free.getsockname()[1]
    free.close()
    with proxied(longarm, "--listen", "tcp:127.0.0.1:0", "--to", f"127.0.0.1:{port}", "--link", "delay 10ms") as relay:
        begin = time.monotonic()
        with connect(relay) as client:
            try:
                found = client.recv(1)
            except ConnectionResetError:
                found = "reset"
        equal(found, "reset")
        holds(time.monotonic() - begin >= 0.040, "sooner than the link allows")
        figures = relay.end()
        equal(figures["tcp"]["conversations_refused"], 1)
        equal(figures["warnings"], [f"tcp: none of 1 connections reached 127.0.0.1:{port}: Connection refused"])
        # at once, and at the end
        equal(relay.words.splitlines(), [f"cannot reach 127.0.0.1:{port}: Connection refused",
                                         f"warning: {figures['warnings'][0]}"])


def case_resets_in_the_middle_harm_nobody_else(longarm):
    server = Server(echo)
    with proxied(longarm, *route(server), "--link", "delay 5ms rate 50mbit") as relay, connect(relay) as client:
        ping(client)
        for _ in range(40):
            victim = connect(relay)
            victim.sendall(bytes(100_000))
            reset(victim)
        ping(client)
        figures = relay.end()["tcp"]
    equal(figures["conversations"], 41)


def case_running_out_of_descriptors_refuses_and_recovers(longarm):
    server = Server(echo)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with proxied(longarm, *route(server)) as relay:
        resource.prlimit(relay.process.pid, resource.RLIMIT_NOFILE, (60, before[1]))
        clients, refused = [], 0
        for _ in range(80):
            try:
                client = connect(relay)  # reset before it stands, if the relay is quick
                ping(client)
                clients.append(client)
            except (ConnectionResetError, BrokenPipeError, AssertionError):
                refused += 1
        holds(refused > 0 and clients, f"{len(clients)} served, {refused} refused")
        for client in clients:
            client.close()
        deadline = time.monotonic() + 10.0
        while True:  # their places are free as soon as their FINs have crossed
            try:
                with connect(relay) as again:
                    ping(again)
                break
            except (ConnectionResetError, BrokenPipeError, AssertionError):
                holds(time.monotonic() < deadline, "nobody is served any more")
        equal(relay.end()["tcp"]["conversations_now"], 0)


def case_clients_at_once_leave_descriptors_for_their_servers(longarm):
    server = Server(echo)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    with proxied(longarm, *route(server), "--link", "delay 20ms") as relay:
        resource.prlimit(relay.process.pid, resource.RLIMIT_NOFILE, (40, before[1]))
        clients, served = [], 0
        for _ in range(60):
            with contextlib.suppress(ConnectionResetError):  # before it stands, if the relay is quick
                clients.append(socket.create_connection(("127.0.0.1", relay.port), timeout=30.0))
        for client in clients:
            with contextlib.suppress(ConnectionResetError, BrokenPipeError, AssertionError):
                ping(client)
                served += 1
        figures = relay.end()
    # standard streams, the reactor's two or three, the listener and a spare; two each of the others
    holds(15 <= served <= 17, f"{served} of 60 were served")
    turned_away = f"tcp: {60 - served} clients were rejected at 127.0.0.1:{relay.port}: "
    holds(any(line.startswith(turned_away) for line in figures["warnings"]), figures["warnings"])
    equal(relay.words.count("a client was rejected"), 1, relay.words)


def case_too_few_descriptors_are_told_at_the_start(longarm):
    words = ["proxy", "--listen", "0", "--listen", "udp:0", "--to", "127.0.0.1:9", "--clients", "50",
             "--duration", "50ms"]
    done = subprocess.run(["sh", "-c", 'ulimit -n 140; exec "$@"', "sh", longarm.binary, *words],
                          capture_output=True, text=True)
    equal((done.returncode, done.stderr),
          (0, "note: 50 clients at each of 2 ports need 150 file descriptors, but the limit is 140 (ulimit -n): "
              "some clients may be rejected\n"))


def case_a_full_queue_is_told_from_loss(longarm):
    server = Server(lambda client: client.sendall(receive(client, 300_000)[:1]))
    with proxied(longarm, *route(server), "--link", "delay 5ms limit 20") as relay, connect(relay) as client:
        client.sendall(bytes(300_000))
        equal(receive(client, 1), b"\0")
        figures = relay.end()
    model = figures["tcp"]["model"]["up"]
    holds(model["queue_full"] > 0, model)
    equal(model["lost"], 0)
    holds(any("because the link's queue was full" in line for line in figures["warnings"]), figures["warnings"])


def case_no_relay_talks_to_itself(longarm):
    for arguments, text in [
        (["--open", "--listen", "0.0.0.0:7100", "--to", "127.0.0.1:7100"],
         "--to: error: 127.0.0.1:7100 would connect to itself\n  hint: choose another port with --listen\n"),
        (["--listen", "7100", "--to", "127.0.0.1:7101", "--listen", "7101", "--to", "127.0.0.1:7100"],
         "--to: error: relays would form a loop: "
         "127.0.0.1:7100 to 127.0.0.1:7101 to 127.0.0.1:7100\n  hint: one of them must lead to a server\n"),
    ]:
        equal(longarm("proxy", *arguments, expect=2).stderr, text, f"stderr of {arguments}")


sys.exit(main(globals()))
