#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the round trip of 1000 messages of 100 bytes."""

import collections
import socket
import time

server = socket.create_connection(("edge", 7000))
server.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
times = collections.Counter()
for _ in range(1000):
    sent = time.monotonic_ns()
    server.sendall(b"x" * 100)
    server.recv(4096)
    times[time.monotonic_ns() - sent] += 1
for nanoseconds, count in sorted(times.items()):
    print(f"{count} round trips of {nanoseconds} ns")
