# SPDX-License-Identifier: Apache-2.0
"""The distributions of netem's options through `longarm proxy`, measured with many datagrams; takes a minute or two.

measure_netem.py LONGARM [DATAGRAMS]: prints a table; exit code 1 if a statistic is more than three standard errors
from its closed form. Times are the kernel's time stamps at the receiver minus the sender's clock; the mean that the
relay tells of its own lateness is subtracted, and its deviation is allowed on top.
"""

import math
import os
import pathlib
import socket
import statistics
import struct
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from proxied import proxied, udp_socket  # noqa: E402

SO_TIMESTAMPNS = 35
RATE_HZ = 5000
# of netem's pareto, in units of the jitter: longarm/proxy/test/udp_netem_test.cpp has the integrals
PARETO_MEAN, PARETO_DEVIATION = -0.0329218, 0.8208614


class Binary:
    def __init__(self, path):
        self.binary = path


class Receiver:
    """Writes down number, delay and bytes of each datagram, in a thread."""

    def __init__(self):
        self.socket = udp_socket()
        self.socket.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        self.socket.settimeout(0.2)
        self.arrived = []
        self.times_ns = []
        self.is_over = False
        self.thread = threading.Thread(target=self._run)
        self.thread.start()

    def _run(self):
        while True:
            try:
                data, control, _, _ = self.socket.recvmsg(2000, 100)
            except socket.timeout:
                if self.is_over:
                    return
                continue
            seconds, nanoseconds = struct.unpack("qq", control[0][2])
            number, sent_ns = struct.unpack("QQ", data[:16])
            at_ns = seconds * 10**9 + nanoseconds
            self.times_ns.append(at_ns)
            self.arrived.append((number, (at_ns - sent_ns) * 1e-9, data[16:]))


def send_through(binary, line, count, size=64, rate_hz=RATE_HZ):
    """What arrived, and the figures of the relay's direction up."""
    receiver = Receiver()
    client = udp_socket()
    route = ["--listen", "udp:0", "--to", f"127.0.0.1:{receiver.socket.getsockname()[1]}"]
    with proxied(Binary(binary), *route, "--link-up", line, "--seed", "3", "--real-time") as relay:
        padding = b"x" * (size - 16)
        begun = time.monotonic()
        for number in range(count):
            while rate_hz and time.monotonic() < begun + number / rate_hz:
                pass
            client.sendto(struct.pack("QQ", number, time.time_ns()) + padding, ("127.0.0.1", relay.port))
        time.sleep(0.5)
        receiver.is_over = True
        receiver.thread.join()
        figures = relay.end()["udp"]["up"]
    if figures["packets_in"] != count or figures["lost_by_relay"] + figures["lost_by_kernel"] > 0:
        raise SystemExit(f"{line}: not all datagrams got as far as the link: {figures}")
    figures["times_s"] = [at_ns * 1e-9 for at_ns in sorted(receiver.times_ns)]
    return receiver.arrived, figures


class Table:
    def __init__(self):
        self.is_good = True
        print("| line | statistic | closed form | measured | standard errors |\n|---|---|---|---|---|")

    def add(self, line, what, expected, measured, error, allowed=0.0, unit=1.0, digits=4):
        distance = abs(measured - expected)
        self.is_good = self.is_good and distance <= 3.0 * error + allowed
        print(f"| `{line}` | {what} | {expected * unit:.{digits}f} | {measured * unit:.{digits}f} | {distance / error:.2f} |")


def binomial(p, count):
    return math.sqrt(p * (1 - p) / count)


def measure_shares(table, binary, count):
    for line, what, p, get in [
        ("loss 5%", "lost", 0.05, lambda arrived: count - len(arrived)),
        ("duplicate 10%", "doubled", 0.10, lambda arrived: len(arrived) - count),
        ("corrupt 10%", "damaged (of the 48 bytes that are known)", 0.075,
         lambda arrived: sum(data != b"x" * 48 for _, _, data in arrived)),
        ("delay 40ms reorder 25%", "ahead of the queue", 0.25,
         lambda arrived: sum(delay < 0.040 for _, delay, _ in arrived)),
    ]:
        arrived, _ = send_through(binary, line, count)
        table.add(line, what, p, get(arrived) / count, binomial(p, count))


def measure_bursts(table, binary, count):
    line = "loss gemodel 2% 20%"
    arrived, _ = send_through(binary, line, count)
    share, rho = 2 / 22, 0.78
    table.add(line, "lost", share, 1 - len(arrived) / count,
              binomial(share, count) * math.sqrt((1 + rho) / (1 - rho)))
    here = {number for number, _, _ in arrived}
    bursts = sum(i not in here and (i == 0 or i - 1 in here) for i in range(count))
    table.add(line, "packets in a burst", 5.0, (count - len(arrived)) / bursts, math.sqrt(0.8 / 0.04 / bursts))


def tell_lateness(late):
    print(f"|  | lateness: median, 99 %, worst, ms |  | {late['p50_s'] * 1e3:.3f}, {late['p99_s'] * 1e3:.3f}, "
          f"{late['max_s'] * 1e3:.3f} |  |")


def measure_delay(table, binary, count, line, mean, deviation, expected_correlation=None):
    correlation = expected_correlation or 0.0
    arrived, figures = send_through(binary, line, count)
    delays = [delay for _, delay, _ in sorted(arrived)]
    late = figures["lateness"]
    seen_mean, seen_deviation = statistics.fmean(delays), statistics.pstdev(delays)
    centred = [delay - seen_mean for delay in delays]
    kurtosis = statistics.fmean(d**4 for d in centred) / seen_deviation**4
    # neighbours that are alike count for less
    error = deviation / math.sqrt(count) * math.sqrt((1 + correlation) / (1 - correlation))
    if deviation == 0:  # of a constant nothing but lateness varies
        print(f"| `{line}` | mean, ms | {mean * 1e3:.4f} | {(seen_mean - late['mean_s']) * 1e3:.4f} |  |")
        tell_lateness(late)
        return
    table.add(line, "mean, ms", mean, seen_mean - late["mean_s"], error, late["deviation_s"], 1e3)
    error = deviation * math.sqrt((kurtosis - 1) / (4 * count)) * math.sqrt((1 + correlation**2) / (1 - correlation**2))
    table.add(line, "standard deviation, ms", deviation, seen_deviation, error, late["deviation_s"], 1e3)
    if expected_correlation is not None:
        seen = statistics.fmean(a * b for a, b in zip(centred, centred[1:])) / seen_deviation**2
        noise = (late["deviation_s"] / deviation) ** 2
        table.add(line, "correlation of neighbours", correlation, seen,
                  math.sqrt((1 - correlation**2) / count), noise)
    tell_lateness(late)


def measure_rate(table, binary):
    # 1000 bytes with headers at 16 Mbit/s: 0.5 ms each; sent all at once, so that one waits behind the other
    line, count = "rate 16mbit", 900
    _, figures = send_through(binary, line, count, size=972, rate_hz=0)
    times, late = figures["times_s"], figures["lateness"]
    spacing = statistics.median(b - a for a, b in zip(times, times[1:]))
    print(f"| `{line}` | median between packets of 1000 bytes, ms | 0.5000 | {spacing * 1e3:.4f} |  |")
    table.is_good = table.is_good and abs(spacing - 0.0005) <= late["p50_s"]


def main():
    binary = os.path.abspath(sys.argv[1])
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 30_000
    table = Table()
    measure_shares(table, binary, count)
    measure_bursts(table, binary, count)
    measure_delay(table, binary, count, "delay 20ms", 0.020, 0.0)
    measure_delay(table, binary, count, "delay 20ms 5ms", 0.020, 0.005 / math.sqrt(3))
    measure_delay(table, binary, count, "delay 20ms 3ms distribution normal", 0.020, 0.003)
    measure_delay(table, binary, count, "delay 20ms 3ms distribution pareto", 0.020 + PARETO_MEAN * 0.003,
                  PARETO_DEVIATION * 0.003)
    # the kernel's remainder undoes the correlation
    measure_delay(table, binary, count, "delay 30ms 10ms 50%", 0.030, 0.010 / math.sqrt(3), 0.0)
    measure_rate(table, binary)
    return 0 if table.is_good else 1


if __name__ == "__main__":
    sys.exit(main())
