#!/usr/bin/env python3
"""Kills the tracker (SIGKILL) between event and launch, and the agent too: every event that was accepted ran, as its user, and none after it was acknowledged.

    sudo python3 Tests/Scripts/Proofs/Access/wake_kills.py BIN [ROUNDS [SEED]]

In each of ROUNDS (200) rounds a program of user 65534 is woken with a synthetic event, in the way of a real one, and the tracker is killed at a random
moment of the next 60 ms: before it has the event, while it writes it, while it tells the agent, while the program runs, while it notes the end. In
every third round the agent is killed as well, and in every fifth the event is acknowledged by hand first. Then all is started again, at the end
without kills until nothing waits. Exits with 1 when an event whose id was answered did not run, one that was acknowledged ran, or anything ran as
another user. Standard library only.
"""

import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

BIN = os.path.abspath(sys.argv[1])
ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1
USER = 65534
AS_USER = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]

CLIENT = r"""
import json, socket, sys, time
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(3)
lines = s.makefile("rw"); lines.readline()
for request in sys.argv[2:]:
    lines.write(request + "\n"); lines.flush()
    print(lines.readline().strip(), flush=True)
"""


def main():
    random.seed(SEED)
    folder = tempfile.mkdtemp(prefix="waypost-wake-", dir="/var/lib")  # not below /tmp, where everybody can write
    os.chmod(folder, 0o755)
    home = f"{folder}/home"
    os.mkdir(home)
    with open(f"{home}/program", "w") as file:
        # What has run is on the disk before it counts as run.
        file.write(f'#!/bin/sh\n[ "$WAYPOST_LAUNCH" = location ] || exit 9\nwhile read -r line; do echo "$(id -u) $line" >>{home}/ran; done\nsync {home}/ran\n')
    os.chmod(f"{home}/program", 0o755)
    for path in (home, f"{home}/program"):
        os.chown(path, USER, USER)
    with open(f"{folder}/policy.toml", "w") as file:
        file.write(f'[user]\n{USER} = {{ level = "full", scope = "always" }}\n')
    with open(f"{folder}/w.toml", "w") as file:
        file.write(f'[control]\npolicy = "{folder}/policy.toml"\n[log]\ntypes = []\n')
    os.chmod(f"{folder}/policy.toml", 0o644)
    environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "WAYPOST_SOCKET": f"{folder}/socket"}

    def start_tracker():
        tracker = subprocess.Popen(
            [f"{BIN}/waypostd", "--stay", "--source", "sim:walk", "--config", f"{folder}/w.toml", "--state", f"{folder}/state", "--log",
             f"{folder}/log", "--socket", f"{folder}/socket"], stdout=subprocess.DEVNULL, stderr=open(f"{folder}/tracker.log", "a"))
        while subprocess.run([f"{BIN}/waypost", "request"], env=environment, capture_output=True).returncode != 0:
            if tracker.poll() is not None:
                raise SystemExit(f"the tracker ended: {folder}/tracker.log")
            time.sleep(0.02)
        return tracker

    def start_agent():
        return subprocess.Popen([*AS_USER, f"{BIN}/waypost", "agent"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def user(*command):
        return subprocess.run([*AS_USER, *command], env=environment, capture_output=True, text=True)

    accepted, acknowledged, steps = [], set(), collections.Counter()
    tracker, agent = start_tracker(), None
    answer = user(f"{BIN}/waypost", "register", "proof", "--on", "significant", "--exec", f"{home}/program")
    if answer.returncode:
        raise SystemExit(answer.stderr)
    agent = start_agent()
    begin = time.monotonic()
    for number in range(ROUNDS):
        by_hand = number % 5 == 4
        if by_hand:
            agent.kill()
            agent.wait()
            time.sleep(0.1)
        client = subprocess.Popen(
            [*AS_USER, sys.executable, "-c", CLIENT, f"{folder}/socket", '{"request":"rehearse","name":"proof"}'], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        if by_hand:
            said = client.communicate()[0]
            event = json.loads(said)["id"]
            said = user(sys.executable, "-c", CLIENT, f"{folder}/socket", json.dumps({"request": "ack", "name": "proof", "id": event})).stdout
            if '"waiting":true' in said:
                acknowledged.add(event)
        else:
            # The client needs some 30 ms to start.
            time.sleep(0.02 + random.random() * 0.06)
        tracker.kill()
        tracker.wait()
        if not by_hand:
            said = client.communicate()[0]
            try:
                accepted.append(json.loads(said)["id"])
                steps["answered before the kill"] += 1
            except (ValueError, KeyError):
                steps["killed before the answer"] += 1
        if number % 3 == 2 and not by_hand:
            agent.kill()
            agent.wait()
        tracker = start_tracker()
        if agent.poll() is not None:
            agent = start_agent()
    waiting = None
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline:
        answer = user(f"{BIN}/waypost", "register", "--list", "--json").stdout
        waiting = json.loads(answer)["registrations"][0]["events"]
        if waiting == 0:
            break
        time.sleep(0.5)
    time.sleep(1)
    agent.kill()
    tracker.terminate()
    tracker.wait()

    runs = collections.Counter()
    users = collections.Counter()
    for line in open(f"{home}/ran"):
        uid, _, text = line.partition(" ")
        users[uid] += 1
        runs[json.loads(text)["id"]] += 1
    missing = [event for event in accepted if not runs[event]]
    returned = [event for event in acknowledged if runs[event]]
    repeated = sum(count - 1 for count in runs.values())
    print(f"{ROUNDS} rounds in {time.monotonic() - begin:.0f} s: {dict(steps)}, {len(acknowledged)} acknowledged by hand")
    print(f"{len(runs)} events ran, {repeated} starts of those were repeated before their acknowledgement, users {dict(users)}, {waiting} still waiting")
    for words, bad in ((f"did not run: {missing[:5]}", missing), (f"ran after they were acknowledged: {returned[:5]}", returned),
                       (f"ran as somebody else: {dict(users)}", set(users) - {str(USER)}), ("still waiting", waiting)):
        if bad:
            print("FAILED", words, "kept:", folder)
            return 1
    shutil.rmtree(folder)
    print("ok: every accepted event ran as its user, none after its acknowledgement")
    return 0


sys.exit(main())
