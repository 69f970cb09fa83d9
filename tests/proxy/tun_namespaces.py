# SPDX-License-Identifier: Apache-2.0
"""Runs the example of docs/how-to/proxy.md for TUN devices and lets Linux' own ICMP and TCP cross the relay.

To be started in network and mount namespaces of its own (unshare --net --mount): everything goes away with them.
"""

import contextlib
import hashlib
import json
import os
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve()
SERVER = "10.9.0.2"
PORT = 7000
SIZE = 300_000


def not_possible(why):
    print(why)
    sys.exit(77)


# --- inside of the client's and the server's namespace ----------------------------------------------------------------


def checksum(data):
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


def ping(count):
    """Round trips of ICMP echo requests (RFC 792), in seconds; None where none came back."""
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
    raw.settimeout(1.0)
    trips = []
    for number in range(count):
        header = struct.pack("!BBHHH", 8, 0, 0, 77, number)
        request = struct.pack("!BBHHH", 8, 0, checksum(header), 77, number)
        sent = time.monotonic()
        raw.sendto(request, (SERVER, 0))
        try:
            while raw.recv(1000)[20:28] != struct.pack("!BBHHH", 0, 0, checksum(b"\0\0" + header[2:]), 77, number):
                pass
            trips.append(time.monotonic() - sent)
        except socket.timeout:
            trips.append(None)
    return trips


def serve():
    """Takes one connection and answers with the hash of all that came."""
    listener = socket.create_server((SERVER, PORT))
    print("ready", flush=True)
    connection, _ = listener.accept()
    connection.settimeout(60)
    data = hashlib.sha256()
    while piece := connection.recv(65536):
        data.update(piece)
    connection.sendall(data.hexdigest().encode())


def upload():
    connection = socket.create_connection((SERVER, PORT), timeout=60)
    data = bytes(i * 7919 % 251 for i in range(SIZE))
    begun = time.monotonic()
    connection.sendall(data)
    connection.shutdown(socket.SHUT_WR)
    answer = connection.recv(1000).decode()
    return {"is_whole": answer == hashlib.sha256(data).hexdigest(), "took_s": time.monotonic() - begun}


INSIDE = {"ping": lambda: print(json.dumps(ping(20))), "serve": serve, "upload": lambda: print(json.dumps(upload()))}


# --- outside ----------------------------------------------------------------------------------------------------------


def inside(namespace, what, **keywords):
    words = ["nsenter", f"--net=/run/netns/{namespace}", sys.executable, str(HERE), "--inside", what]
    return subprocess.Popen(words, text=True, stdout=subprocess.PIPE, **keywords)


def example(document):
    text = pathlib.Path(document).read_text()
    found = re.search(r"<!-- tun -->\n```sh\n(.*?)```", text, re.S)
    if not found:
        raise AssertionError("docs/how-to/proxy.md has no example after <!-- tun -->")
    return found[1]


def relay_with(commands, link):
    """The example with another link; gives the relay's process id."""
    script = "set -e\n" + commands.replace("delay 10ms", link) + "\necho $!\n"
    done = subprocess.run(["sh", "-c", script], capture_output=True, text=True, timeout=30)
    if done.returncode != 0:
        if "Operation not permitted" in done.stderr:
            not_possible(done.stderr.strip())
        raise AssertionError(done.stdout + done.stderr)
    return int(done.stdout.split()[-1])


def end(relay):
    os.kill(relay, signal.SIGINT)
    for _ in range(300):
        text = pathlib.Path("relay.json").read_text()
        if text.endswith("}\n"):
            break
        time.sleep(0.1)
    for namespace in ["client", "server"]:
        subprocess.run(["ip", "netns", "del", namespace], check=True)
    return json.loads(text)["tun"]


def kill(relay):
    with contextlib.suppress(ProcessLookupError):
        os.kill(relay, signal.SIGKILL)


def check_ping(commands, cleanup):
    relay = relay_with(commands, "delay 10ms")
    cleanup.callback(kill, relay)
    trips = json.loads(inside("client", "ping").communicate(timeout=60)[0])
    figures = end(relay)
    assert None not in trips, trips
    late = figures["up"]["lateness"]["p50_s"] + figures["down"]["lateness"]["p50_s"]
    median = sorted(trips)[len(trips) // 2]
    print(f"ping: median {median * 1e3:.3f} ms, of which late {late * 1e3:.3f} ms")
    assert min(trips) >= 0.020, trips
    assert median < 0.020 + late + 0.010, (trips, late)


def check_transfer(commands, cleanup):
    relay = relay_with(commands, "delay 10ms loss 2%")
    cleanup.callback(kill, relay)
    server = inside("server", "serve")
    server.stdout.readline()
    result = json.loads(inside("client", "upload").communicate(timeout=90)[0])
    server.wait(timeout=60)
    figures = end(relay)
    print(f"upload of {SIZE} bytes: {result}, {figures['up']['lost']} of {figures['up']['packets_in']} packets lost")
    assert result["is_whole"], result
    # the window opens once, and bytes take at least a round trip
    assert result["took_s"] >= 0.020, result
    # each packet is lost with 2 %: of n, none at all in 0.98^n of all cases
    assert figures["up"]["packets_in"] > 100, figures
    assert figures["up"]["lost"] + figures["down"]["lost"] > 0, figures


def check_deletion(binary):
    """A device that somebody deletes ends the relay, in words and with results."""
    relay = subprocess.Popen([binary, "proxy", "--tun", "near,far", "--json"], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    assert relay.stderr.readline() == "tun near to far\n"
    subprocess.run(["ip", "link", "del", "far"], check=True)
    out, words = relay.communicate(timeout=20)
    assert relay.returncode == 1, relay.returncode
    assert words == "error: the TUN device 'far' is gone: it or its namespace was deleted\n", words
    assert "tun" in json.loads(out), out


def check_names(binary):
    for names, message, hint in [
        ("lo,far", "'lo' is not a TUN device", "choose an unused name"),
        ("a-name-that-is-too-long,far", "is not a valid device name: names have 1 to 15 characters", "e.g. --tun near,far"),
    ]:
        done = subprocess.run([binary, "proxy", "--tun", names], text=True, capture_output=True, timeout=20)
        assert done.returncode == 2 and message in done.stderr and hint in done.stderr, done.stderr


def main():
    binary, document = sys.argv[1:]
    # names of namespaces are files there, and ours are nobody else's
    mount = subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], capture_output=True, text=True)
    if mount.returncode != 0:
        not_possible(mount.stderr.strip())
    os.makedirs("bin", exist_ok=True)
    if not os.path.exists("bin/longarm"):
        os.symlink(os.path.abspath(binary), "bin/longarm")
    os.environ["PATH"] = f"{os.getcwd()}/bin:{os.environ['PATH']}"
    commands = example(document)
    # a relay that outlived us would keep the namespaces
    with contextlib.ExitStack() as cleanup:
        check_ping(commands, cleanup)
        check_transfer(commands, cleanup)
    check_deletion(binary)
    check_names(binary)


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        INSIDE[sys.argv[2]]()
    else:
        main()
