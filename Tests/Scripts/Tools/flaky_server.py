#!/usr/bin/env python3
"""A server for what waypost sends over HTTP, in any of its formats, that behaves as real networks and servers do.

Usage: python3 Tests/Scripts/Tools/flaky_server.py FOLDER [--certificate PEM --key PEM [--client-ca PEM]] [--port N]

Listens on 127.0.0.1, writes its port to FOLDER/port, and each record that it has taken to FOLDER/received, one JSON object a line, before it
answers. It ends when its standard input ends. What it does with a request is the first word of FOLDER/mode, read anew each time:

  ok            takes all, answers {}                 silent      takes all, answers 200 without a body
  status N [S]  takes nothing, answers N, Retry-After S           words N TEXT  the same with TEXT as the body
  html          takes nothing, answers 200 with a web page        refuse ID     takes all others and names the records with that id
  poison TEXT   answers 422 to every batch with TEXT in it        drop          takes all and closes without an answer
  early         closes without reading                            half          takes all and closes in the middle of its answer
  cut TEXT      takes all, sends that much of an answer (\\r and \\n are line ends) and closes
  slow S        waits S seconds, then as ok                       large N       takes all, answers N bytes
  head N        takes all, answers with a line of N bytes in its head
  twice         takes all, answers, and 50 ms later answers once more
  answer TEXT   takes all, answers TEXT               device ID   a Traccar that knows this device only: 400 to forms, 404 to JSON
  loop          answers a GET with 302 and its own place
  redirect N [PLACE]   takes nothing, answers N with the place, /other otherwise, which behaves as ok
  flaky SEED    one of ok, silent, drop, early, half, status 503, html at random, ok half of the time

Standard library only.
"""

import argparse
import gzip
import http.server
import json
import os
import random
import socketserver
import ssl
import sys
import threading
import time
import zlib
import urllib.parse

parser = argparse.ArgumentParser()
parser.add_argument("folder")
parser.add_argument("--certificate")
parser.add_argument("--key")
parser.add_argument("--client-ca")
parser.add_argument("--port", type=int, default=0)
options = parser.parse_args()
lock = threading.Lock()
chance = None


def mode():
    global chance
    try:
        words = open(f"{options.folder}/mode").read().strip().split(" ")
    except FileNotFoundError:
        words = ["ok"]
    if words[0] != "flaky":
        return words
    with lock:
        chance = chance or random.Random(int(words[1]))
        return chance.choice(["ok"] * 6 + ["silent", "drop", "early", "half", "status 503", "html"]).split(" ")


def records_of(body, is_form):
    """Our own JSON, Tealium's and Overland's hold lists; a form or any other object is one record."""
    if is_form:
        return [dict(urllib.parse.parse_qsl(body.decode(), keep_blank_values=True, strict_parsing=True))]
    value = json.loads(body)
    if "events" in value:
        return [value.get("shared", {}) | event for event in value["events"]]
    return value.get("records", value.get("locations", [value]))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body of an answer are two writes; the second would wait for the first one's acknowledgement.
    disable_nagle_algorithm = True

    def answer(self, status, body=b"", kind="application/json", headers=()):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def hang_up(self):
        self.close_connection = True
        self.connection.close()

    def take(self, records):
        with lock, open(f"{options.folder}/received", "a") as received:
            for record in records:
                received.write(json.dumps(record) + "\n")

    def do_POST(self):
        word, *rest = ["ok"] if self.path == "/other" else mode()
        if word == "early":
            return self.hang_up()
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Content-Encoding") == "gzip":
            body = gzip.decompress(body)
        is_form = self.command == "GET" or self.headers["Content-Type"] == "application/x-www-form-urlencoded"
        if self.command == "GET":
            body = urllib.parse.urlsplit(self.path).query.encode()
        records = records_of(body, is_form)
        with lock, open(f"{options.folder}/requests", "a") as requests:
            heads = {name.lower(): value for name, value in self.headers.items()}
            requests.write(json.dumps({"path": self.path, "count": len(records), "port": self.client_address[1], **heads}) + "\n")
        if word == "device" and any(record.get("id" if is_form else "device_id") != rest[0] for record in records):
            return self.answer(400 if is_form else 404, b"", "text/plain")
        if word == "slow":
            time.sleep(float(rest[0]))
        if word == "status":
            return self.answer(int(rest[0]), headers=[("Retry-After", rest[1])] if rest[1:] else ())
        if word == "words":
            return self.answer(int(rest[0]), " ".join(rest[1:]).encode(), "text/plain")
        if word == "html":
            return self.answer(200, b"<html><title>Hotel WLAN</title></html>", "text/html; charset=utf-8")
        if word == "redirect":
            return self.answer(int(rest[0]), headers=[("Location", (rest + ["/other"])[1])])
        if word == "poison" and " ".join(rest).encode() in body:
            return self.answer(422, b'{"error":"no such parcel"}')
        if word == "refuse":
            self.take([record for record in records if record.get("id") != rest[0]])
            return self.answer(200, json.dumps({"refused": [rest[0]]}).encode())
        self.take(records)
        if word == "drop":
            return self.hang_up()
        if word == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
            return self.hang_up()
        if word == "cut":
            self.wfile.write(" ".join(rest).encode().decode("unicode_escape").encode("latin-1"))
            return self.hang_up()
        if word == "twice":
            self.answer(200, b"{}")
            time.sleep(0.05)
        if word == "large":
            return self.answer(200, b" " * int(rest[0]))
        if word == "head":
            return self.answer(200, b"{}", headers=[("X-Long", "x" * int(rest[0]))])
        if word == "answer":
            return self.answer(200, " ".join(rest).encode())
        self.answer(200, b"" if word == "silent" else b"{}")

    def do_GET(self):
        """Below /log a record in the query; else FOLDER/file, or a document of one word, with an ETag."""
        if self.path.startswith("/log"):
            return self.do_POST()
        word, *rest = ["ok"] if self.path == "/other" else mode()
        with lock, open(f"{options.folder}/requests", "a") as requests:
            requests.write(json.dumps({"path": self.path}) + "\n")
        if word == "early":
            return self.hang_up()
        if word == "status":
            return self.answer(int(rest[0]))
        if word == "html":
            return self.answer(200, b"<html><title>Hotel WLAN</title></html>", "text/html; charset=utf-8")
        if word in ("redirect", "loop"):
            return self.answer(int((rest or [302])[0]), headers=[("Location", self.path if word == "loop" else "/other")])
        if word == "half":
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")
            return self.hang_up()
        if word == "large":
            return self.answer(200, b" " * int(rest[0]))
        try:
            document = open(f"{options.folder}/file", "rb").read()
        except FileNotFoundError:
            document = b"document"
        tag = f'"{zlib.crc32(document):08x}"'
        if self.headers.get("If-None-Match") == tag:
            return self.answer(304, headers=[("ETag", tag)])
        self.answer(200, document, "text/plain", [("ETag", tag)])

    def log_message(self, *_):
        pass


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def end_with_parent():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_parent, daemon=True).start()
server = Server(("127.0.0.1", options.port), Handler)
if options.certificate:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.certificate, options.key)
    if options.client_ca:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(options.client_ca)
    # Each connection shakes hands on its own thread.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
with open(f"{options.folder}/.port", "w") as port:
    port.write(str(server.server_address[1]))
os.rename(f"{options.folder}/.port", f"{options.folder}/port")
server.serve_forever()
