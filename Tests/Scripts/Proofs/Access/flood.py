#!/usr/bin/env python3
"""A flood on the control socket: a thousand clients, lines of a megabyte, half-open and silent connections, of several users; the others are served.

    sudo python3 Tests/Scripts/Proofs/Access/flood.py BIN [CLIENTS]

CLIENTS (1 000) connections of users who may know nothing are opened as fast as they come, and opened again when they are refused; some say nothing,
some end their sending side at once, some send lines of 1 MB with and without a line feed, some ask and never read, some are torn down in the middle of
a line, some send noise. Meanwhile root asks for the status and another user, who may know nothing either, comes and asks to know more; a third with
`full` watches. Exits with 1 when root, the one who asks or the watch is kept out, a user has more connections than the guide says, the memory grows
by more than 32 MB, descriptors stay behind, or anything but the flooders' own connections ends. Standard library only.
"""

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

BIN = os.path.abspath(sys.argv[1])
CLIENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
FLOODERS = [61_871, 61_872, 61_873]
ASKER, WATCHER = 61_875, 61_876
failures = []
connecting = threading.Lock()


def check(condition, words):
    print(("ok     " if condition else "FAILED ") + words, flush=True)
    if not condition:
        failures.append(words)


def connect(path, user):
    """A connection as another user; None when it is refused at once."""
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(5)
    with connecting:
        os.seteuid(user)
        try:
            client.connect(path)
        finally:
            os.seteuid(0)
    return client


def first_line(client):
    return json.loads(client.makefile("r").readline() or "{}")


def ask(path, user, request):
    try:
        client = connect(path, user)
        lines = client.makefile("r")
        hello = json.loads(lines.readline() or "{}")
        if hello.get("class") != "HELLO":
            return hello
        client.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(lines.readline() or "{}")
    except (OSError, ValueError) as error:
        return {"class": str(error)}


def main():
    random.seed(1)
    folder = tempfile.mkdtemp(prefix="waypost-flood-")
    os.chmod(folder, 0o755)
    path = f"{folder}/socket"
    with open(f"{folder}/policy.toml", "w") as file:
        file.write(f'[user]\n{WATCHER} = {{ level = "full" }}\n')
    with open(f"{folder}/w.toml", "w") as file:
        file.write(f'[control]\npolicy = "{folder}/policy.toml"\n[log]\ntypes = []\n')
    tracker = subprocess.Popen(
        [f"{BIN}/waypostd", "--stay", "--source", "sim:walk", "--config", f"{folder}/w.toml", "--state", f"{folder}/state", "--log", f"{folder}/log",
         "--socket", path], stdout=subprocess.DEVNULL, stderr=open(f"{folder}/tracker.log", "w"))
    while ask(path, 0, {"request": "status"}).get("class") != "STATUS":
        time.sleep(0.1)

    def figure(name):
        return next(int(line.split()[1]) for line in open(f"/proc/{tracker.pid}/status") if line.startswith(name))

    memory, descriptors = figure("VmRSS"), len(os.listdir(f"/proc/{tracker.pid}/fd"))
    watcher = connect(path, WATCHER)
    watcher.settimeout(60)
    watcher.sendall(b'{"request":"watch"}\n')
    positions = []
    threading.Thread(target=lambda: [positions.append(time.monotonic()) for line in watcher.makefile("r") if '"lat"' in line], daemon=True).start()
    megabyte = b"x" * (1 << 20)
    kept = {user: [] for user in FLOODERS}
    counts = {"served": 0, "refused": 0, "ended": 0}
    stop = threading.Event()

    def flood(user, number):
        for _ in range(number):
            if stop.is_set():
                return
            try:
                client = connect(path, user)
                kind = random.randrange(6)
                if kind == 0:
                    client.shutdown(socket.SHUT_WR)
                elif kind == 1:
                    client.sendall(megabyte)
                elif kind == 2:
                    client.sendall(megabyte + b"\n" + b'{"request":"status"}\n')
                elif kind == 3:
                    client.sendall(b'{"request":"status"}\n' * 2_000)
                elif kind == 4:
                    client.sendall(b'{"request":"auth')
                    client.close()
                    counts["ended"] += 1
                    continue
                elif kind == 5:
                    client.sendall(os.urandom(1_000))
                kept[user].append(client)
                counts["served" if first_line(client).get("class") == "HELLO" else "refused"] += 1
            except (OSError, ValueError):
                counts["ended"] += 1

    threads = [threading.Thread(target=flood, args=(user, CLIENTS // len(FLOODERS) // 4)) for user in FLOODERS for _ in range(4)]
    begin = time.monotonic()
    for thread in threads:
        thread.start()
    root, asked = [], []
    while any(thread.is_alive() for thread in threads) or len(root) < 10:
        moment = time.monotonic()
        root.append((ask(path, 0, {"request": "status"}).get("class"), time.monotonic() - moment))
        answer = ask(path, ASKER, {"request": "authorisation", "reason": "a map in the hall"})
        asked.append(answer.get("class"))
        time.sleep(0.1)
    seconds = time.monotonic() - begin
    print(f"{CLIENTS} clients in {seconds:.1f} s: {counts}")
    check(all(answer == "STATUS" for answer, _ in root), f"root was served {len(root)} times, at the latest after {max(took for _, took in root):.2f} s")
    check(all(answer == "AUTHORISATION" for answer in asked), f"who wants to ask could, {len(asked)} times: {sorted(set(map(str, asked)))}")
    check(len([moment for moment in positions if moment > begin]) >= seconds / 2, f"the watch got {len(positions)} positions")

    # As many silent ones as are let in, and one more.
    for clients in kept.values():
        for client in clients:
            client.close()
    time.sleep(1)
    silent = [connect(path, FLOODERS[0]) for _ in range(20)]
    answers = [first_line(client) for client in silent]
    count = sum(answer["class"] == "HELLO" for answer in answers)
    check(count == 8, f"{count} connections of one user who may know nothing")
    check("there are 8 connections of this user already" in answers[-1].get("message", ""), f"one more: {answers[-1].get('message')}")
    check(ask(path, FLOODERS[1], {"request": "status"}).get("class") == "STATUS", "another user is still served")
    for client in silent:
        client.close()
    watcher.close()
    time.sleep(2)
    grown, left = figure("VmRSS") - memory, len(os.listdir(f"/proc/{tracker.pid}/fd")) - descriptors
    check(grown < 32 << 10, f"the memory has grown by {grown / 1024:.1f} MB")
    check(left <= 1, f"{max(0, left)} descriptors are left")
    tracker.terminate()
    check(tracker.wait() == 0, "the tracker ends well")
    size = os.path.getsize(f"{folder}/tracker.log")
    check(size < 100_000, f"the message log has {size} bytes")
    if failures:
        print(f"kept: {folder}")
    else:
        shutil.rmtree(folder)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
