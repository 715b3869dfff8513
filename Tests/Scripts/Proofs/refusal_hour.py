#!/usr/bin/env python3
"""A server that refuses everything: 400, then 404, then a certificate that nobody trusts; then it is well again.

Usage: python3 Tests/Scripts/Proofs/refusal_hour.py BIN [SECONDS]

Each of the three lasts a third of SECONDS (3600), while a tracker follows a simulated walk and an application sends an event every second. Nothing may
go to the dead letters, nothing may be dropped, sending may not stop for good: once the server is well, everything must arrive by itself, within
the 15 minutes and jitter after which a server that denies is tried again, in the order in which it happened. Exits with 1 else. Needs openssl;
else the standard library only.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time

BIN, SECONDS = os.path.abspath(sys.argv[1]), float(sys.argv[2]) if len(sys.argv) > 2 else 3_600.0
HERE = os.path.dirname(os.path.abspath(__file__))
# The longest pause after a refusal, with its jitter, and a minute to send.
LONGEST = 15 * 60 * 1.5 + 60


def certificate(folder, name):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
         "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", f"{folder}/{name}.key", "-out", f"{folder}/{name}.pem"],
        check=True, stderr=subprocess.DEVNULL)


class Server:
    def __init__(self, folder):
        self.folder, self.port = folder, "0"
        os.mkdir(f"{folder}/server")

    def start(self, name):
        port = f"{self.folder}/server/port"
        if os.path.exists(port):
            os.remove(port)
        self.process = subprocess.Popen(
            [sys.executable, f"{HERE}/../Tools/flaky_server.py", f"{self.folder}/server", "--port", self.port,
             "--certificate", f"{self.folder}/{name}.pem", "--key", f"{self.folder}/{name}.key"], stdin=subprocess.PIPE)
        while not os.path.exists(port):
            time.sleep(0.01)
        self.port = open(port).read()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()

    def mode(self, text):
        open(f"{self.folder}/server/mode", "w").write(text)

    def received(self):
        try:
            return [json.loads(line) for line in open(f"{self.folder}/server/received")]
        except FileNotFoundError:
            return []


class Tracker:
    def __init__(self, folder):
        self.process = subprocess.Popen(
            [f"{BIN}/waypostd", "--config", "waypost.toml", "--source", "sim:walk", "--state", "state", "--log", "log", "--socket", "socket"],
            cwd=folder, stdin=subprocess.DEVNULL, stderr=open(f"{folder}/tracker.log", "w"))
        while True:
            try:
                line = socket.socket(socket.AF_UNIX)
                line.connect(f"{folder}/socket")
                break
            except OSError:
                time.sleep(0.05)
        self.stream = line.makefile("rwb")
        self.stream.readline()

    def ask(self, **request):
        self.stream.write(json.dumps(request).encode() + b"\n")
        self.stream.flush()
        return json.loads(self.stream.readline())

    def home(self):
        return self.ask(request="dispatch", action="status")["destinations"][0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        certificate(folder, "good")
        certificate(folder, "bad")
        server = Server(folder)
        server.start("good")
        open(f"{folder}/waypost.toml", "w").write(
            f'[[destination]]\nname = "home"\nurl = "https://127.0.0.1:{server.port}/in"\ninterval = 1\nca_file = "{folder}/good.pem"\n')
        tracker, ids, wrong = Tracker(folder), [], []

        def pass_time(seconds):
            end = time.time() + seconds
            while time.time() < end:
                ids.append(tracker.ask(request="track", name="event", values={"n": len(ids)})["id"])
                time.sleep(1)

        def check(phase):
            home = tracker.home()
            print(f"{phase}: {json.dumps(home)}", flush=True)
            if home["dead_letters"] or home["dropped"]:
                wrong.append(f"{phase}: {home}")

        for phase, mode in [("400", "status 400"), ("404", "status 404"), ("bad TLS", "ok")]:
            if phase == "bad TLS":
                server.stop()
                server.start("bad")
            server.mode(mode)
            pass_time(SECONDS / 3)
            check(phase)
        if server.received():
            wrong.append("something was taken through a certificate that nobody trusts")
        server.stop()
        server.start("good")
        began = time.time()
        while tracker.home()["events"] and time.time() - began < LONGEST:
            time.sleep(1)
        waited = time.time() - began
        time.sleep(3)
        check(f"well again, drained by itself after {waited:.0f} s")
        tracker.process.terminate()
        code = tracker.process.wait(timeout=60)
        server.stop()
        records = server.received()
        events = [record["id"] for record in records if record["class"] == "TRACK"]
        if list(dict.fromkeys(events)) != ids:
            wrong.append(f"{len(ids)} events were accepted, {len(set(events))} arrived, or the order is another one")
        times = [record["time"] for record in records if record["class"] == "TPV"]
        if times != sorted(times) or len(times) < SECONDS * 0.9:
            wrong.append(f"{len(times)} positions, in order: {times == sorted(times)}")
        if code:
            wrong.append(f"the tracker ended with {code}")
        print(f"{len(ids)} events accepted, {len(set(events))} arrived, {len(events) - len(set(events))} again; {len(times)} positions")
        for line in wrong:
            print(f"wrong: {line}")
        sys.exit(1 if wrong else 0)


main()
