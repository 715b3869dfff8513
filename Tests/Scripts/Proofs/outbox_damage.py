#!/usr/bin/env python3
"""Damages the files of an outbox in which events wait, and checks that what is lost is told with its count.

Usage: python3 Tests/Scripts/Proofs/outbox_damage.py BIN ROUNDS

In each round a tracker takes 24 events for a server that nobody can reach, is stopped or killed, and one of its outbox's files is damaged: bytes
are flipped, the end is cut off, the head or all of it is overwritten, the file is removed. Then the tracker is started again: what waits
and what `status` says is lost must be the 24. At last the state folder of a running tracker is removed: from then on every event must be refused,
and `status` must say so. Exits with 1 else. Standard library only.
"""

import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BIN, ROUNDS = os.path.abspath(sys.argv[1]), int(sys.argv[2])
SEED = int(os.environ.get("SEED", "20261122"))
EVENTS = 24
chance = random.Random(SEED)


def start(folder):
    tracker = subprocess.Popen(
        [f"{BIN}/waypostd", "--config", "waypost.toml", "--source", "sim:walk", "--state", "state", "--log", "log", "--socket", "socket"],
        cwd=folder, stdin=subprocess.DEVNULL, stderr=open(f"{folder}/tracker.log", "a"))
    while tracker.poll() is None:
        try:
            line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            line.settimeout(60)
            line.connect(f"{folder}/socket")
            stream = line.makefile("rwb")
            stream.readline()
            return tracker, stream
        except OSError:
            time.sleep(0.01)
    sys.exit("outbox-damage: the tracker does not start: " + open(f"{folder}/tracker.log").read())


def ask(stream, request):
    stream.write(json.dumps(request).encode() + b"\n")
    stream.flush()
    return json.loads(stream.readline())


def track(stream, number):
    return ask(stream, {"request": "track", "name": "event", "values": {"n": number, "text": "x" * chance.randrange(400)}})


def damage(path):
    """What was done to the file; None when there is nothing to damage."""
    size = os.path.getsize(path) if os.path.exists(path) else 0
    if size == 0:
        return None
    kind = chance.choice(["flip", "flip", "cut", "head", "overwrite", "remove"])
    if kind == "remove":
        os.remove(path)
        return "removed"
    with open(path, "r+b") as file:
        if kind == "cut":
            file.truncate(chance.randrange(size))
        elif kind == "flip":
            for _ in range(chance.choice([1, 8])):
                place = chance.randrange(size)
                file.seek(place)
                byte = file.read(1)[0]
                file.seek(place)
                file.write(bytes([byte ^ 1 << chance.randrange(8)]))
        else:
            count = size if kind == "overwrite" else min(size, 100)
            file.write(chance.randbytes(count))
    return kind


def told(stream):
    status = ask(stream, {"request": "status"})
    problems = [line for line in status["problems"] if "outbox" in line]
    lost = sum(int(number) for line in problems for number in re.findall(r"(\d+) (?:is|are) lost", line))
    return lost, problems, status["health"]


def damage_round(folder, number):
    tracker, stream = start(folder)
    for event in range(EVENTS):
        assert track(stream, event)["class"] == "TRACKED"
    how = chance.choice([signal.SIGTERM, signal.SIGKILL])
    tracker.send_signal(how)
    tracker.wait()
    suffix = chance.choice(["-wal", "-wal", ""]) if how == signal.SIGKILL else chance.choice(["-wal", ""])
    what = damage(f"{folder}/state/kept/state/outbox.sqlite{suffix}")
    tracker, stream = start(folder)
    waiting = ask(stream, {"request": "dispatch", "action": "status"})["destinations"][0]["events"]
    lost, problems, _ = told(stream)
    accepts = track(stream, 99)["class"] == "TRACKED"
    tracker.kill()
    tracker.wait()
    # A byte of what a file does not use harms nobody.
    good = accepts and waiting + lost == EVENTS and (what is not None or waiting == EVENTS)
    verdict = "told" if good and lost else "whole" if good else "WRONG"
    print(f"{number}: {how.name}, {suffix or 'main file'} {what}: {waiting} wait, {lost} lost: {verdict}")
    if not good:
        print("  ", problems)
    return good


def vanishing(folder):
    tracker, stream = start(folder)
    for event in range(EVENTS):
        track(stream, event)
    shutil.rmtree(f"{folder}/state")
    refused = sum(track(stream, event)["class"] == "ERROR" for event in range(40))
    time.sleep(1)
    _, problems, health = told(stream)
    tracker.kill()
    tracker.wait()
    print(f"state folder removed: {refused} of 40 events refused, {health}: {problems}")
    return refused == 40 and health != "healthy" and bool(problems)


def main():
    wrong = 0
    for number in range(ROUNDS + 1):
        with tempfile.TemporaryDirectory() as folder:
            open(f"{folder}/waypost.toml", "w").write('[[destination]]\nname = "home"\nurl = "http://127.0.0.1:9/in"\ninterval = 0\n')
            wrong += not (damage_round(folder, number) if number < ROUNDS else vanishing(folder))
    print(f"{wrong} of {ROUNDS + 1} wrong; seed {SEED}")
    sys.exit(wrong > 0)


main()
