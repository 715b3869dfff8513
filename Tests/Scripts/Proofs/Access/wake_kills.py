#!/usr/bin/env python3
"""Kills the tracker (SIGKILL) between event and launch, and the agent too: every event that was accepted ran, as its user, and none after it was acknowledged.

    sudo python3 Tests/Scripts/Proofs/Access/wake_kills.py BIN [ROUNDS [SEED]]

In each of ROUNDS (200) rounds a program of user 65534 is woken with a synthetic event, in the way of a real one, and the tracker is killed at a random
moment of the time that the whole way takes here without a kill: before it has the event, while it writes it, while it tells the agent, while the
program runs, while it notes the end. In every third round the agent is killed as well, and in every fifth the event is acknowledged by hand first.
Then all is started again, at the end without kills until nothing waits. Exits with 1 when an event whose id was answered did not run, one that was
acknowledged ran, or anything ran as another user. Standard library only.
"""

import collections
import json
import random
import sys
import time

from access_world import Client, NOBODY, User, World, within

ROUNDS = int(sys.argv[2]) if len(sys.argv) > 2 else 200
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1


def main():
    random.seed(SEED)
    world = World("wake", f'[user]\n{NOBODY} = {{ level = "full", scope = "always" }}\n', below="/var/lib")  # not below /tmp, where everybody can write
    user = User(world, NOBODY)
    # What has run is on the disk before it counts as run.
    user.make_home({"program": '#!/bin/sh\n[ "$WAYPOST_LAUNCH" = location ] || exit 9\ncd "$(dirname "$0")" || exit 9\n'
                    'while read -r line; do echo "$(id -u) $line" >>ran; done\nsync ran\n'})

    accepted, acknowledged, steps = [], set(), collections.Counter()
    world.start("sim:walk")

    def register():
        answer = user.call("register", "proof", "--on", "significant", "--exec", f"{user.home}/program")
        if answer.returncode:
            raise SystemExit(answer.stderr)

    def waits():
        return user.registration("proof")["events"]

    register()
    agent = user.agent()
    # How long the way from the request to the end of the program takes on this machine.
    begin = time.monotonic()
    Client(world.socket, NOBODY, timeout=30).ask({"request": "rehearse", "name": "proof"})
    within(60, lambda: user.registration("proof")["events"] == 0, pause=0)
    longest = min(1, time.monotonic() - begin)
    begin = time.monotonic()
    for number in range(ROUNDS):
        by_hand = number % 5 == 4
        if by_hand:
            agent.kill()
            agent.wait()
        client = Client(world.socket, NOBODY, timeout=30)
        client.hello = client.next()
        if by_hand:
            event = client.ask({"request": "rehearse", "name": "proof"})["id"]
            # One that a program still has may have run before.
            if client.ask({"request": "ack", "name": "proof", "id": event}).get("waiting") and user.registration("proof")["state"] != "running":
                acknowledged.add(event)
        else:
            client.send({"request": "rehearse", "name": "proof"})
            time.sleep(random.random() * longest)
        world.kill()
        if not by_hand:
            try:
                # What it has answered is there, though it has been killed.
                accepted.append(client.next()["id"])
                steps["answered before the kill"] += 1
            except (OSError, ValueError, KeyError):
                steps["killed before the answer"] += 1
        if number % 3 == 2 and not by_hand:
            agent.kill()
            agent.wait()
        world.start("sim:walk")
        if agent.poll() is not None:
            agent = user.agent()
        if number % 25 == 24:
            # More than 64 that wait would be dropped; to register anew ends the pause after failures.
            register()
            within(120, lambda: waits() == 0)
    register()
    within(180, lambda: waits() == 0 and user.registration("proof")["state"] != "running", pause=0.5)
    waiting = waits()
    agent.kill()
    agent.wait()

    runs = collections.Counter()
    users = collections.Counter()
    for line in open(f"{user.home}/ran"):
        uid, _, text = line.partition(" ")
        users[uid] += 1
        runs[json.loads(text)["id"]] += 1
    missing = [event for event in accepted if not runs[event]]
    returned = [event for event in acknowledged if runs[event]]
    repeated = sum(count - 1 for count in runs.values())
    print(f"{ROUNDS} rounds in {time.monotonic() - begin:.0f} s: {dict(steps)}, {len(acknowledged)} acknowledged by hand")
    print(f"{len(runs)} events ran, {repeated} starts of those were repeated before their acknowledgement, {waiting} still waiting")
    world.check(not missing and not waiting, f"every accepted event ran {missing[:5]}")
    world.check(not returned, f"none after its acknowledgement {returned[:5]}")
    world.check(set(users) <= {str(NOBODY)}, f"always as its user: {dict(users)}")
    return world.end()


sys.exit(main())
