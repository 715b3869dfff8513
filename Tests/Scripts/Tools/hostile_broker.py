#!/usr/bin/env python3
"""A broker that lets everybody in and then does what a broker must not.

Usage: python3 Tests/Scripts/Tools/hostile_broker.py MODE

Listens on 127.0.0.1, prints its port, acknowledges what it is asked, and ends when its standard input ends. MODE:

  qos2      messages of QoS 2, which nobody subscribed to and nobody ever lets go
  long      one message of 256 MB
  strange   messages on a topic that nobody subscribed to, as fast as they go
  chatter   messages on the topic that was subscribed to, as fast as they go
  deaf      messages of QoS 1 on that topic, and reads no acknowledgement
  answers   acknowledgements that nobody waits for, as fast as they go

Standard library only.
"""

import os
import socket
import struct
import sys
import threading

MODE = sys.argv[1]


def text(value):
    return struct.pack(">H", len(value)) + value


def length(count):
    out = b""
    while True:
        count, digit = count >> 7, count & 127
        out += bytes([digit | (128 if count else 0)])
        if not count:
            return out


def publish(topic, payload, qos, number):
    body = text(topic) + (struct.pack(">H", number) if qos else b"") + payload
    return bytes([0x30 | qos << 1]) + length(len(body)) + body


def packet(stream):
    head = stream.read(1)
    if not head:
        return None, None
    count, shift = 0, 0
    while True:
        digit = stream.read(1)[0]
        count |= (digit & 127) << shift
        shift += 7
        if digit < 128:
            return head[0], stream.read(count)


class Connection:
    """A socket to which several threads write, one packet after the other."""

    def __init__(self, socket):
        self.socket, self.lock = socket, threading.Lock()

    def sendall(self, data):
        with self.lock:
            self.socket.sendall(data)


def flood(connection, topic):
    number = 0
    while True:
        if MODE == "long":
            connection.sendall(b"\x30" + length(268_000_000) + text(topic))
            while True:
                connection.sendall(b"x" * 65_536)
        batch = b""
        for _ in range(500):
            number = number % 65_535 + 1
            if MODE == "qos2":
                batch += publish(topic, b"x" * 2_000, 2, number)
            elif MODE == "strange":
                batch += publish(b"elsewhere/" + topic, b"x" * 20, 0, number)
            elif MODE == "chatter":
                batch += publish(topic, b"x", 0, number)
            elif MODE == "deaf":
                batch += publish(topic, b"x", 1, number)
            else:
                batch += b"\x40\x02" + struct.pack(">H", number)
        connection.sendall(batch)


def serve(connection):
    stream = connection.makefile("rb")
    connection = Connection(connection)
    try:
        while True:
            kind, body = packet(stream)
            if kind is None:
                return
            if kind >> 4 == 1:
                connection.sendall(b"\x20\x02\x00\x00")
            elif kind >> 4 == 8:
                connection.sendall(b"\x90\x03" + body[:2] + b"\x01")
                topic = body[4 : 4 + struct.unpack(">H", body[2:4])[0]]
                if MODE == "deaf":
                    return flood(connection, topic)
                threading.Thread(target=quietly, args=(flood, connection, topic), daemon=True).start()
            elif kind >> 4 == 12:
                connection.sendall(b"\xd0\x00")
            elif kind >> 4 == 3:
                start = 2 + struct.unpack(">H", body[:2])[0]
                connection.sendall(b"\x40\x02" + body[start : start + 2])
    except OSError:
        pass


def quietly(work, *arguments):
    try:
        work(*arguments)
    except OSError:
        pass


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
while True:
    client, _ = listener.accept()
    threading.Thread(target=quietly, args=(serve, client), daemon=True).start()
