# SPDX-License-Identifier: Apache-2.0
# `longarm proxy` for datagrams: what the command promises, with Python's sockets at both ends.
import json
import os
import pathlib
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "cli"))
from program import equal, files_in, holds, main  # noqa: E402
from proxied import Echo, proxied, receive_all, skip, udp_socket  # noqa: E402


def to_echo(echo):
    return ["--listen", "udp:127.0.0.1:0", "--to", f"127.0.0.1:{echo.port}"]


def case_delays_datagrams_both_ways(longarm):
    echo = Echo()
    client = udp_socket()
    with proxied(longarm, *to_echo(echo), "--link-up", "delay 30ms", "--link-down", "delay 20ms") as relay:
        trips = []
        for i in range(10):
            sent = time.monotonic()
            client.sendto(b"%d" % i, ("127.0.0.1", relay.port))
            equal(client.recv(100), b"%d" % i)
            trips.append(time.monotonic() - sent)
        figures = relay.end()["udp"]
    holds(min(trips) >= 0.050, f"a round trip took {min(trips)} s")
    holds(abs(figures["up"]["delay_asked"]["mean_s"] - 0.030) < 1e-9, figures)
    holds(abs(figures["down"]["delay_asked"]["mean_s"] - 0.020) < 1e-9, figures)
    # what the relay says of itself explains what the client saw, but for the client's own wake-ups
    late = figures["up"]["lateness"]["p50_s"] + figures["down"]["lateness"]["p50_s"]
    holds(sorted(trips)[5] < 0.050 + late + 0.010, f"{trips} with a lateness of {late}")


def survivors(longarm, seed):
    server = udp_socket()
    client = udp_socket()
    route = ["--listen", "udp:0", "--to", f"127.0.0.1:{server.getsockname()[1]}"]
    with proxied(longarm, *route, "--link-up", "loss 20%", "--seed", str(seed)) as relay:
        for i in range(500):
            client.sendto(struct.pack("I", i), ("127.0.0.1", relay.port))
        numbers = [struct.unpack("I", data)[0] for data, _ in receive_all(server)]
        figures = relay.end()["udp"]["up"]
    equal(figures["packets_in"], 500)
    equal(figures["lost"], 500 - len(numbers))
    equal(figures["lost_by_relay"] + figures["lost_by_kernel"], 0)
    return numbers


def case_a_seed_repeats_the_same_fates(longarm):
    equal(survivors(longarm, 5), survivors(longarm, 5))
    holds(survivors(longarm, 6) != survivors(longarm, 5), "seeds 5 and 6 lose the same datagrams")


def case_a_burst_is_lost_only_as_asked(longarm):
    server = udp_socket()
    client = udp_socket()
    route = ["--listen", "udp:0", "--to", f"127.0.0.1:{server.getsockname()[1]}"]
    with proxied(longarm, *route) as relay:
        for i in range(2000):
            client.sendto(struct.pack("I", i) + bytes(996), ("127.0.0.1", relay.port))
            if i % 100 == 99:
                time.sleep(0.005)
        arrived = len(receive_all(server))
        figures = relay.end()["udp"]["up"]
    equal(figures["packets_in"], 2000)
    equal(figures["packets_out"], 2000)
    holds(arrived > 0, "nothing arrived")  # the receiver's own buffer may be small
    equal(figures["lost_by_kernel"], 0)


def case_several_ports_share_one_process(longarm):
    first, second = Echo(), Echo()
    client = udp_socket()
    words = ["--listen", "udp:0", "--to", f"127.0.0.1:{first.port}", "--listen", "udp:0",
             "--to", f"127.0.0.1:{second.port}"]
    with proxied(longarm, *words, count=2) as relay:
        for port in relay.ports:
            client.sendto(b"x", ("127.0.0.1", port))
            data, sender = client.recvfrom(10)
            equal((data, sender[1]), (b"x", port))
        equal(relay.end()["udp"]["conversations"], 2)


def case_ends_with_a_table_on_interrupt(longarm):
    echo = Echo()
    client = udp_socket()
    for how in [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]:
        with proxied(longarm, *to_echo(echo), "--link", "delay 5ms", json_wanted=False) as relay:
            client.sendto(b"x", ("127.0.0.1", relay.port))
            client.recv(10)
            text = relay.end(how)
        for words in ["udp                        to the server   to the client\n",
                      "packets in                             1               1\n", "lateness ms: mean"]:
            holds(words in text, f"'{words}' is not in\n{text}")


def case_writes_a_folder(longarm):
    echo = Echo()
    client = udp_socket()
    with proxied(longarm, *to_echo(echo), "--link", "delay 1ms", "--out", "results") as relay:
        client.sendto(b"hello", ("127.0.0.1", relay.port))
        client.recv(10)
        printed = relay.end()
    equal(files_in("results"), ["capture.pcap", "link.yaml", "statistics.json"])
    written = json.loads(pathlib.Path("results/statistics.json").read_text())
    equal(written["udp"]["up"]["packets_in"], printed["udp"]["up"]["packets_in"])
    # the link that was used can be used again
    with proxied(longarm, *to_echo(echo), "--link-file", "results/link.yaml") as relay:
        equal(relay.end()["link"], written["link"])


def case_ends_after_its_duration(longarm):
    begun = time.monotonic()
    done = longarm("proxy", "--listen", "udp:0", "--to", "127.0.0.1:9", "--duration", "200ms", "--json")
    took = time.monotonic() - begun
    holds(json.loads(done.stdout)["elapsed_s"] >= 0.2, done.stdout)
    holds(0.2 <= took < 30.0, f"took {took} s")


def case_wireshark_reads_the_capture(longarm):
    if shutil.which("tshark") is None:
        skip("there is no tshark")
    echo = Echo()
    client = udp_socket()
    with proxied(longarm, *to_echo(echo), "--link", "delay 10ms", "--capture", "all.pcap") as relay:
        client.sendto(b"hello", ("127.0.0.1", relay.port))
        client.recv(10)
        relay.end()
    done = subprocess.run(
        ["tshark", "-r", "all.pcap", "-o", "udp.check_checksum:TRUE", "-o", "ip.check_checksum:TRUE", "-T", "fields",
         "-e", "frame.time_relative", "-e", "udp.dstport", "-e", "udp.checksum.status", "-e", "ip.checksum.status",
         "-e", "data.data"], capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    equal(len(rows), 4)
    for row in rows:
        equal(row[2:], ["1", "1", b"hello".hex()], "checksums good, and contents")
    times = {int(row[1]): float(row[0]) for row in rows}
    # by their goals: an answer that comes at once may be stamped before what it answers has been sent
    came, left, returned = (times.pop(port) for port in (relay.port, echo.port, client.getsockname()[1]))
    [answered] = times.values()
    holds(left - came >= 0.010 and returned - answered >= 0.010, (came, left, answered, returned))


def case_wireshark_follows_tcp_in_the_capture(longarm):
    if shutil.which("tshark") is None:
        skip("there is no tshark")
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(5.0)
    sent = bytes(i % 251 for i in range(100_000))
    words = ["--listen", "0", "--to", f"127.0.0.1:{listener.getsockname()[1]}", "--link", "delay 5ms"]
    with proxied(longarm, *words, "--capture", "all.pcap") as relay:
        client = socket.create_connection(("127.0.0.1", relay.port))
        server, _ = listener.accept()
        server.settimeout(5.0)
        client.sendall(sent)
        client.shutdown(socket.SHUT_WR)
        heard = b"".join(iter(lambda: server.recv(65536), b""))
        server.sendall(b"thanks")
        server.close()
        equal(client.recv(100), b"thanks")
        equal(client.recv(100), b"")
        relay.end()
    equal(heard == sent, True)
    done = subprocess.run(
        ["tshark", "-r", "all.pcap", "-o", "tcp.check_checksum:TRUE", "-T", "fields", "-e", "tcp.stream", "-e",
         "tcp.dstport", "-e", "tcp.len", "-e", "tcp.checksum.status", "-e", "tcp.analysis.flags"],
        capture_output=True, text=True, check=True)
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    equal({row[0] for row in rows}, {"0", "1"}, "connections: client to relay, relay to server")
    equal({row[3] for row in rows}, {"1"}, "checksums")
    equal({row[4] for row in rows}, {""}, "what Wireshark finds odd")
    for stream, port in [("0", relay.port), ("1", listener.getsockname()[1])]:
        size = sum(int(row[2]) for row in rows if row[0] == stream and int(row[1]) == port)
        equal(size, len(sent), f"bytes of connection {stream}")


def case_bad_input_is_told(longarm):
    taken = udp_socket()
    port = taken.getsockname()[1]
    to = ["--to", "127.0.0.1:9"]
    for arguments, text in [
        ([], "error: no port to listen at\n"
             "  hint: e.g. longarm proxy --listen 30003 --to 192.168.1.10 --link \"delay 10ms\"\n"),
        (["--listen", "udp:127.0.0.1", *to],
         "--listen: error: '127.0.0.1' has no port\n  hint: e.g. --listen 127.0.0.1:30003 or --listen 30003; 0 picks a free port\n"),
        (["--listen", "udp:0.0.0.0:0", *to],
         "--listen: error: at 0.0.0.0 other machines could reach the server through this relay\n"
         "  hint: add --open to allow this, or listen at 127.0.0.1\n"),
        (["--listen", "udp:9", *to],
         "--to: error: 127.0.0.1:9 would connect to itself\n  hint: choose another port with --listen\n"),
        (["--listen", "udp:0", "--to", "tcp:127.0.0.1:9"],
         "--to: error: a relay cannot convert between TCP and UDP\n  hint: use the same protocol at both ends\n"),
        (["--ports", "9-7", "--to", "127.0.0.2"],
         "--ports: error: '9-7' is neither a port nor a range of ports\n"
         "  hint: e.g. --ports 30001-30004,29999; at most 1000\n"),
        (["--listen", f"udp:{port}", *to],
         f"error: cannot listen at 127.0.0.1:{port}: Address already in use\n"
         "  hint: another program uses this port; choose another with --listen\n"),
        (["--listen", "udp:0", *to, "--link", "dealy 3ms"],
         "--link \"dealy 3ms\": error: 'dealy' is not a netem option\n  hint: did you mean 'delay'?\n"),
        (["--listen", "udp:0", *to, "--duration", "soon"],
         "--duration: error: 'soon' is not a duration\n  hint: e.g. --duration 30s\n"),
        (["--listen", "udp:0", *to, "--corrupt", "maybe"],
         "--corrupt: error: 'maybe' is neither flip nor drop\n"
         "  hint: flip passes the datagram on with one bit changed; drop discards it, as a checksum would\n"),
        (["--tun", "near"], "--tun: error: 'near' does not name two devices\n  hint: e.g. --tun near,far\n"),
        (["--listen", "udp:0", *to, "--tun", "a,b"],
         "--tun: error: --tun cannot be combined with --listen, --to or --ports\n"
         "  hint: remove --listen, --to and --ports, or --tun\n"),
    ]:
        done = longarm("proxy", *arguments, expect=2)
        equal(done.stderr, text, f"stderr of {arguments}")
        equal(done.stdout, "", "stdout")


def case_numbers_and_useless_options_are_told(longarm):
    largest = 2**64 - 1
    udp = ["--listen", "udp:0", "--to", "127.0.0.1:9"]
    tcp = ["--listen", "0", "--to", "127.0.0.1:9"]
    for arguments, text in [
        ([*udp, "--clients", "0"],
         "--clients: error: '0' is not a whole number from 1 to 1000000\n  hint: e.g. --clients 1000\n"),
        ([*udp, "--clients=-4"],
         "--clients: error: '-4' is not a whole number from 1 to 1000000\n  hint: e.g. --clients 1000\n"),
        ([*udp, "--capture", "x.pcap", "--capture-limit=-1"],
         "--capture-limit: error: '-1' is not a whole number from 1 to 1000000\n  hint: e.g. --capture-limit 1000\n"),
        ([*udp, "--seed=-1"],
         f"--seed: error: '-1' is not a whole number from 0 to {largest}\n  hint: e.g. --seed 5\n"),
        ([*udp, "--seed", "99999999999999999999"],
         f"--seed: error: '99999999999999999999' is not a whole number from 0 to {largest}\n  hint: e.g. --seed 5\n"),
        ([*udp, "--tcp", "min_rto=50ms"],
         "--tcp: error: it applies to TCP ports only, and there are none\n  hint: remove it\n"),
        (["--tun", "a,b", "--tcp", "min_rto=50ms"],
         "--tcp: error: it applies to TCP ports only, and there are none\n"
         "  hint: with --tun, the kernels at both ends use their own TCP\n"),
        ([*tcp, "--idle", "5s"],
         "--idle: error: it applies to UDP ports only, and there are none\n"
         "  hint: remove it; TCP connections are closed by their clients\n"),
        ([*tcp, "--corrupt", "drop"],
         "--corrupt: error: it applies to UDP ports only, and there are none\n"
         "  hint: remove it; TCP retransmits damaged data\n"),
        ([*udp, "--capture-limit", "5"],
         "--capture-limit: error: there is no capture to limit\n  hint: add --capture FILE or --out DIR\n"),
        (["--ports", "30001,30001", "--to", "127.0.0.2"],
         "--listen: error: 127.0.0.1:30001 is given twice\n  hint: each port can lead to only one server\n"),
        (["--listen", "abc", "--to", "127.0.0.1:9"],
         "--listen: error: 'abc' has no port\n"
         "  hint: e.g. --listen 127.0.0.1:30003 or --listen 30003; 0 picks a free port\n"),
        (["--listen", "*:5000", "--to", "127.0.0.1:9"],
         "--listen: error: at 0.0.0.0 other machines could reach the server through this relay\n"
         "  hint: add --open to allow this, or listen at 127.0.0.1\n"),
    ]:
        equal(longarm("proxy", *arguments, expect=2).stderr, text, f"stderr of {arguments}")
    done = longarm("proxy", "--listen", "sctp:5000", "--to", "127.0.0.1:9", expect=2)
    holds("tcp: or udp: before the port, e.g. --listen 127.0.0.1:5000, --listen udp:5000\n" in done.stderr, done.stderr)


def case_a_taken_port_leaves_no_folder(longarm):
    taken = udp_socket()
    words = ["--listen", f"udp:{taken.getsockname()[1]}", "--to", "127.0.0.1:9"]
    longarm("proxy", *words, "--out", "results", "--capture", "all.pcap", expect=2)
    equal([os.path.exists("results"), os.path.exists("all.pcap")], [False, False])


def case_a_server_that_is_not_there_is_told(longarm):
    client = udp_socket()
    gone = udp_socket()
    port = gone.getsockname()[1]
    gone.close()
    with proxied(longarm, "--listen", "udp:0", "--to", f"127.0.0.1:{port}") as relay:
        for _ in range(20):
            client.sendto(b"x", ("127.0.0.1", relay.port))
            time.sleep(0.005)
        figures = relay.end()
    equal(figures["udp"]["up"]["refused"], 20)
    equal(relay.words.count(f"no program listens at udp 127.0.0.1:{port}\n"), 1)
    holds("20 packets were rejected" in figures["warnings"][0], figures["warnings"])


def case_an_unknown_host_is_told(longarm):
    done = longarm("proxy", "--listen", "udp:0", "--to", "no.such.host.invalid:9", expect=2)
    holds("--to: error: host 'no.such.host.invalid' cannot be found" in done.stderr, done.stderr)


def case_real_packets_cross_tun_devices(longarm):
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        skip("there is no unshare (util-linux) or no ip (iproute2)")
    if not os.path.exists("/dev/net/tun"):
        skip("there is no /dev/net/tun")
    rights = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
    script = pathlib.Path(__file__).resolve().parent / "tun_namespaces.py"
    done = subprocess.run(["unshare", *rights, "--net", "--mount", sys.executable, script, longarm.binary,
                           longarm.source / "docs" / "how-to" / "proxy.md"],
                          capture_output=True, text=True, timeout=120)
    if done.returncode == 77:
        skip(done.stdout.strip())
    equal(done.returncode, 0, f"exit code\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    sys.exit(main(globals()))
