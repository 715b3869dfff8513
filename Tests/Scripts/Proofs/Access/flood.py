#!/usr/bin/env python3
"""A flood on the control socket: a thousand clients, lines of a megabyte, half-open and silent connections, of several users; the others are served.

    sudo python3 Tests/Scripts/Proofs/Access/flood.py BIN [CLIENTS]

CLIENTS (1 000) connections of users who may know nothing are opened as fast as they come, and opened again when they are refused; some say nothing,
some end their sending side at once, some send lines of 1 MB with and without a line feed, some ask and never read, some are torn down in the middle of
a line, some send noise. Meanwhile root asks for the status and another user, who may know nothing either, comes and asks to know more; a third with
`full` watches. Exits with 1 when root, the one who asks or the watch is kept out, a user has more connections than the guide says, the memory grows
by more than 32 MB, descriptors stay behind, or anything but the flooders' own connections ends. Standard library only.
"""

import os
import random
import socket
import sys
import threading
import time

from access_world import Client, World, within

CLIENTS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000
FLOODERS = [61_871, 61_872, 61_873]
ASKER, WATCHER = 61_875, 61_876


def ask(path, user, request):
    try:
        return Client(path, user, timeout=5).ask(request)
    except (OSError, ValueError) as error:
        return {"class": str(error)}


def main():
    random.seed(1)
    world = World("flood", f'[user]\n{WATCHER} = {{ level = "full" }}\n')
    check, path = world.check, world.socket
    world.start("sim:walk")
    tracker = world.tracker

    def figure(name):
        return next(int(line.split()[1]) for line in open(f"/proc/{tracker.pid}/status") if line.startswith(name))

    def descriptor_count():
        return len(os.listdir(f"/proc/{tracker.pid}/fd"))

    memory, descriptors = figure("VmRSS"), descriptor_count()
    watcher = Client(path, WATCHER, timeout=60)
    positions = []
    watcher.listen(lambda line: positions.append(time.monotonic()) if '"lat"' in line else None, {"request": "watch"})
    megabyte = b"x" * (1 << 20)
    kept = {user: [] for user in FLOODERS}
    counts = {"served": 0, "refused": 0, "ended": 0}
    stop = threading.Event()

    def flood(user, number):
        for _ in range(number):
            if stop.is_set():
                return
            try:
                client = Client(path, user, timeout=5)
                kind = random.randrange(6)
                if kind == 0:
                    client.socket.shutdown(socket.SHUT_WR)
                elif kind == 1:
                    client.socket.sendall(megabyte)
                elif kind == 2:
                    client.socket.sendall(megabyte + b"\n" + b'{"request":"status"}\n')
                elif kind == 3:
                    client.socket.sendall(b'{"request":"status"}\n' * 2_000)
                elif kind == 4:
                    client.socket.sendall(b'{"request":"auth')
                    client.socket.close()
                    counts["ended"] += 1
                    continue
                elif kind == 5:
                    client.socket.sendall(os.urandom(1_000))
                kept[user].append(client)
                counts["served" if client.next().get("class") == "HELLO" else "refused"] += 1
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
            client.socket.close()
            client.lines.close()
    kept.clear()
    # The tracker takes note of each that has gone.
    within(20, lambda: descriptor_count() <= descriptors + 4)
    silent = [Client(path, FLOODERS[0], timeout=5) for _ in range(20)]
    answers = [client.next() for client in silent]
    count = sum(answer["class"] == "HELLO" for answer in answers)
    check(count == 8, f"{count} connections of one user who may know nothing")
    check("there are 8 connections of this user already" in answers[-1].get("message", ""), f"one more: {answers[-1].get('message')}")
    check(ask(path, FLOODERS[1], {"request": "status"}).get("class") == "STATUS", "another user is still served")
    for client in [*silent, watcher]:
        client.socket.shutdown(socket.SHUT_RDWR)
    within(20, lambda: descriptor_count() <= descriptors + 1)
    grown, left = figure("VmRSS") - memory, descriptor_count() - descriptors
    check(grown < 32 << 10, f"the memory has grown by {grown / 1024:.1f} MB")
    check(left <= 1, f"{max(0, left)} descriptors are left")
    check(world.stop() == 0, "the tracker ends well")
    size = os.path.getsize(world.log)
    check(size < 100_000, f"the message log has {size} bytes")
    return world.end()


sys.exit(main())
