#!/usr/bin/env python3
"""Kills the tracker at every call by which it writes its log and its state, and checks that nothing is lost, and nothing counted as lost.

    python3 Tests/Scripts/Proofs/Kills/log_kills.py BIN STEPS [CALL...]

For each kind of call (CALLS), and for N from 1 to STEPS, the tracker is killed (SIGKILL, by strace) at the Nth such call of any of its threads,
and then started again, always with the same log and state. Of its two destinations one is away until the end. After each start the log must
be well and status must count nothing as dropped; in the end each destination has every position of the log once. Exits with 1 if not. Standard library only.
"""

import http.server
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from killing import killed_at, sentence, unread

CALLS = ["pwrite64", "write", "rename", "fsync", "fdatasync", "fallocate", "ftruncate", "unlink"]
PAUSE = 0.03
BEGIN = 36_000  # second of the day


def epoch(second):
    """A walk to the north, two metres a second."""
    clock = f"{second // 3600:02d}{second // 60 % 60:02d}{second % 60:02d}.00"
    place = f"51{20 + (second - BEGIN) * 0.00108:08.5f},N,01014.46000,E"
    return (sentence(f"GNRMC,{clock},A,{place},3.900,0.00,010326,,,A") + sentence(f"GNGGA,{clock},{place},1,12,0.7,226.0,M,45.8,M,,")).encode()


class Server(http.server.ThreadingHTTPServer):
    """Takes the batches of the destinations `near` and `far`; the second one is away at first."""

    daemon_threads = True

    def __init__(self):
        self.received = {"near": [], "far": []}
        self.is_away = True
        server = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_POST(self):
                name, body = self.path.strip("/"), self.rfile.read(int(self.headers["Content-Length"]))
                accepts = name == "near" or not server.is_away
                if accepts:
                    server.received[name] += [record["time"] for record in json.loads(body)["records"] if record["class"] == "TPV"]
                self.send_response(200 if accepts else 503)
                self.send_header("Content-Length", "0")
                self.end_headers()

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()


class Device:
    """A log and a state, and the tracker that has them."""

    def __init__(self, bin, folder, server):
        self.bin, self.folder, self.second, self.tracker = bin, folder, BEGIN, None
        lines = ['[dispatch]', 'stop_budget = "1 s"']
        for name in server.received:
            url = f"http://127.0.0.1:{server.server_port}/{name}"
            lines += ["[[destination]]", f'name = "{name}"', f'url = "{url}"', 'interval = "1 s"']
        open(f"{folder}/waypost.toml", "w").write("\n".join(lines) + "\n")
        os.mkfifo(f"{folder}/receiver")
        self.receiver = os.open(f"{folder}/receiver", os.O_RDWR)

    def start(self, call=None, number=None):
        command = [f"{self.bin}/waypostd", "--config", "waypost.toml", "--source", "nmea:receiver", "--state", "state", "--log", "log",
                   "--socket", "socket"]
        if call:
            command = killed_at(call, number) + command
        self.tracker = subprocess.Popen(command, cwd=self.folder, stderr=open(f"{self.folder}/tracker.log", "a"), start_new_session=True)

    def drive(self, fixes):
        """Goes on, until the tracker has died of it."""
        for _ in range(fixes):
            if unread(self.receiver) < 4_096:
                os.write(self.receiver, epoch(self.second))
                self.second += 1
            time.sleep(PAUSE)
            if self.tracker.poll() is not None:
                return True
        return False

    def end(self, kind):
        if self.tracker.poll() is None:
            os.killpg(self.tracker.pid, kind)
        return self.tracker.wait(timeout=60)

    def ask(self, *arguments):
        return subprocess.run([f"{self.bin}/waypost", *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def status(self):
        deadline = time.monotonic() + 60
        while True:
            answer = self.ask("status", "--json", "--socket", "socket")
            if answer.stdout:
                return json.loads(answer.stdout)
            if time.monotonic() > deadline or self.tracker.poll() is not None:
                return {}
            time.sleep(0.1)

    def faults(self):
        """What status and the log say against the promise, with the tracker running."""
        status, verified = self.status(), self.ask("log", "verify", "--log", "log")
        found = [f"{each['name']} dropped {each['dropped']}" for each in status.get("destinations", []) if each["dropped"]]
        if not status:
            found.append("no status")
        if verified.returncode:
            found.append(f"log verify ends with {verified.returncode}: {verified.stdout.strip()} {verified.stderr.strip()}")
        return found + [problem for problem in map(str, status.get("problems", [])) if "lost" in problem]


def main():
    if not shutil.which("strace"):
        print("log-kills: needs strace", file=sys.stderr)
        sys.exit(69)
    bin, steps, calls = os.path.abspath(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or CALLS
    with tempfile.TemporaryDirectory() as folder:
        server = Server()
        device = Device(bin, folder, server)
        kills = wrong = 0
        for call in calls:
            for number in range(1, steps + 1):
                device.start(call, number)
                killed = device.drive(40)
                kills += killed
                device.end(signal.SIGKILL)
                device.start()
                device.status()
                device.drive(15)
                found = device.faults()
                device.end(signal.SIGTERM if number % 3 == 0 else signal.SIGKILL)
                if found:
                    wrong += 1
                    print(f"killed at {call} {number}: {'; '.join(found)}")
        server.is_away = False
        device.start()
        device.status()
        # Whatever waited for the server is tried again within a minute.
        waited = device.ask("dispatch", "now", "--wait", "--timeout", "100s", "--socket", "socket")
        found = device.faults()
        found += [] if waited.returncode == 0 else [f"dispatch now ends with {waited.returncode}: {waited.stderr.strip()}"]
        code = device.end(signal.SIGTERM)
        found += [] if code == 0 else [f"the tracker ends with {code}"]
        lines = device.ask("log", "export", "--log", "log", "--format", "jsonl").stdout.splitlines()
        logged = [json.loads(line)["time"] for line in lines if '"TPV"' in line]
        for name, times in server.received.items():
            missing, foreign = set(logged) - set(times), set(times) - set(logged)
            print(f"{name}: {len(logged)} positions in the log, {len(set(times))} received, {len(missing)} missing, {len(foreign)} in no log")
            found += [f"{name} lacks {sorted(missing)[:3]}"] if missing else []
            found += [f"{name} has {sorted(foreign)[:3]} of no log"] if foreign else []
        if len(set(logged)) != len(logged):
            found.append("positions are in the log twice")
        for line in found:
            print(f"in the end: {line}")
    print(f"{len(calls) * steps} runs, {kills} of them killed: {wrong} wrong")
    sys.exit(1 if wrong or found or not kills else 0)


main()
