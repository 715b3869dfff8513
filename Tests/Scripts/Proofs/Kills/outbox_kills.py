#!/usr/bin/env python3
"""Kills a tracker again and again while an application sends events, and checks that a server that is no better gets every one of them.

Usage: python3 Tests/Scripts/Proofs/Kills/outbox_kills.py BIN ROUNDS [SECONDS]

In each round a tracker is started, an application gives it events one after the other over the control socket, and the tracker is killed
(SIGKILL) at a random moment of the first SECONDS (0.8), in the middle of whatever it does; its server (flaky_server.py) drops, half-answers
and lies. In the end it is started once more and left alone until nothing waits. Every event that was acknowledged must have arrived, in the
order in which it was given, repeats with the same id only, and nothing that nobody sent. Exits with 1 else. Standard library only.
"""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time

BIN, ROUNDS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 0.8
SEED = int(os.environ.get("SEED", "20261121"))
chance = random.Random(SEED)


class Application:
    """Gives the tracker events and remembers which it acknowledged."""

    def __init__(self, folder):
        self.folder, self.given, self.acknowledged = folder, 0, {}

    def connect(self, tracker):
        while tracker.poll() is None:
            try:
                line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                line.settimeout(90)
                line.connect(f"{self.folder}/socket")
                stream = line.makefile("rwb")
                stream.readline()
                return stream
            except OSError:
                time.sleep(0.005)
        raise ConnectionError

    def ask(self, stream, request):
        stream.write(json.dumps(request).encode() + b"\n")
        stream.flush()
        answer = json.loads(stream.readline() or b"{}")
        if not answer:
            raise ConnectionError
        return answer

    def track(self, stream):
        self.given += 1
        number = self.given
        answer = self.ask(stream, {"request": "track", "name": "event", "values": {"n": number}})
        if answer["class"] != "TRACKED":
            sys.exit(f"outbox-kills: refused: {answer}")
        self.acknowledged[number] = answer["id"]


def start(folder):
    return subprocess.Popen(
        [f"{BIN}/waypostd", "--config", "waypost.toml", "--source", "sim:walk", "--state", "state", "--log", "log", "--socket", "socket"],
        cwd=folder, stdin=subprocess.DEVNULL, stderr=open(f"{folder}/tracker.log", "a"))


def received(folder):
    try:
        return [json.loads(line) for line in open(f"{folder}/server/received")]
    except FileNotFoundError:
        return []


def main():
    begin = time.time()
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(f"{folder}/server")
        open(f"{folder}/server/mode", "w").write(f"flaky {SEED}")
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Tools", "flaky_server.py")
        server = subprocess.Popen([sys.executable, script, f"{folder}/server"], stdin=subprocess.PIPE)
        while not os.path.exists(f"{folder}/server/port"):
            time.sleep(0.01)
        port = open(f"{folder}/server/port").read()
        open(f"{folder}/waypost.toml", "w").write(
            f'[[destination]]\nname = "home"\nurl = "http://127.0.0.1:{port}/in"\ninterval = 1\nbatch = 7\ntimeout = 5\n')
        application = Application(folder)
        kills = 0
        for _ in range(ROUNDS):
            tracker = start(folder)
            # From beside, whatever the application waits for, and now and then before it has connected.
            killer = subprocess.Popen(["sh", "-c", f"sleep {chance.uniform(0, SECONDS):.3f}; kill -9 {tracker.pid}"])
            pause = chance.choice([0, 0, 0.002, 0.02])
            try:
                stream = application.connect(tracker)
                while True:
                    application.track(stream)
                    time.sleep(pause)
            except (OSError, ValueError):
                killer.wait()
            kills += tracker.wait() == -signal.SIGKILL
        open(f"{folder}/server/mode", "w").write("ok")
        tracker = start(folder)
        stream = application.connect(tracker)
        for _ in range(600):
            application.ask(stream, {"request": "dispatch", "action": "drain", "budget": 60})
            home = application.ask(stream, {"request": "dispatch", "action": "status"})["destinations"][0]
            if home["events"] == 0:
                break
            time.sleep(0.1)
        tracker.send_signal(signal.SIGTERM)
        code = tracker.wait(timeout=60)
        server.stdin.close()
        server.wait()
        sys.exit(judge(received(folder), application, kills, home, code, time.time() - begin, folder))


def judge(records, application, kills, home, code, seconds, folder):
    events = [record for record in records if record["class"] == "TRACK"]
    ids, first = {}, []
    wrong = []
    for record in events:
        number = record["values"]["n"]
        if number not in ids:
            first.append(number)
        if ids.setdefault(number, record["id"]) != record["id"]:
            wrong.append(f"event {number} came with two ids")
        if number > application.given:
            wrong.append(f"event {number} was never given")
    for number, name in application.acknowledged.items():
        if ids.get(number) != name:
            wrong.append(f"event {number} was acknowledged as {name} and arrived as {ids.get(number)}")
    if first != sorted(first):
        wrong.append("the order is another one")
    positions = {}
    for record in records:
        if record["class"] == "TPV":
            positions.setdefault(record["id"], record["time"])
    if list(positions.values()) != sorted(positions.values()):
        wrong.append("the order of the positions is another one")
    if home["events"] or home["dead_letters"] or home["dropped"] or code != 0 or kills != ROUNDS:
        wrong.append(f"in the end: {home}, exit {code}, {kills} kills")
    print(
        f"{kills} kills in {seconds:.0f} s: {application.given} events given, {len(application.acknowledged)} acknowledged, {len(ids)} arrived, "
        f"{len(events) - len(ids)} of them again; {len(positions)} positions, {len(records) - len(events) - len(positions)} again; seed {SEED}")
    for line in wrong[:10]:
        print(f"wrong: {line}")
    if wrong:
        print(open(f"{folder}/tracker.log").read()[-2_000:])
    return 1 if wrong else 0


main()
