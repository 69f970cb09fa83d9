#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Sends back whatever it gets."""

import socket

listener = socket.create_server(("", 7000))
client, address = listener.accept()
client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
print("from", address, flush=True)
while data := client.recv(4096):
    client.sendall(data)
