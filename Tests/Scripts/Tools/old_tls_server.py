#!/usr/bin/env python3
"""A server that speaks TLS 1.1 and nothing later, and notes with which version each client has shaken hands.

Usage: old_tls_server.py FOLDER CERTIFICATE KEY

FOLDER/port has its port once it listens; FOLDER/handshakes gets a line for each connection: a version, or why there is none. It ends with its
standard input. Exits with 3 where its TLS library has no TLS 1.1.
"""
import os
import socket
import ssl
import sys
import threading
import warnings

folder, certificate, key = sys.argv[1:]
warnings.simplefilter("ignore", DeprecationWarning)
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
try:
    context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv1_1
    context.set_ciphers("ALL:@SECLEVEL=0")
except (ValueError, ssl.SSLError):
    sys.exit(3)
context.load_cert_chain(certificate, key)


def serve(connection):
    try:
        connection.settimeout(10)
        with context.wrap_socket(connection, server_side=True) as secured:
            line = secured.version()
    except (OSError, ssl.SSLError) as error:
        line = f"none: {error}".replace("\n", " ")
    with open(f"{folder}/handshakes", "a") as handshakes:
        handshakes.write(line + "\n")


def accept(listener):
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=serve, args=(connection,), daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=accept, args=(listener,), daemon=True).start()
with open(f"{folder}/.port", "w") as port:
    port.write(str(listener.getsockname()[1]))
os.rename(f"{folder}/.port", f"{folder}/port")
sys.stdin.read()
