#!/usr/bin/env python3
"""An HTTP server that takes every request: take_all.py PORT FILE appends their bodies to the file.

Of the standard library only what Debian's python3-minimal has."""
import socket
import sys

port, path = sys.argv[1:]
server = socket.socket()
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(("127.0.0.1", int(port)))
server.listen()
while True:
    client, _ = server.accept()
    data = b""
    while b"\r\n\r\n" not in data and (more := client.recv(65536)):
        data += more
    head, _, body = data.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]) and (more := client.recv(65536)):
        body += more
    with open(path, "ab") as file:
        file.write(body + b"\n")
    client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    client.close()
