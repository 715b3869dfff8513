#!/usr/bin/env python3
"""What the times and sizes of files tell another user of the machine: nothing of a loss, a fence, a privacy zone, or a program that was woken.

    sudo python3 Tests/Scripts/Proofs/Access/folder_times.py BIN

The state folder and the home of a user whose program is woken let everybody in, as /var/lib and many homes do; the tracker makes its log and its
files itself. Another user looks twenty times a second at everything that can be looked at below there (stat needs only the right to enter the folders above)
while a receiver loses and finds its position, enters and leaves a fence, for which a program is started, and enters and leaves a zone. No size
and no time may change then, and must have where root looks. Standard library only.
"""

import json
import os
import sys
import time

from access_world import NOBODY, Receiver, User, World, within

SPY = 61_891
OUT, FENCE, ZONE = (47.01, 8.5), (47.05, 8.5), (47.2, 8.5)

# Prints a line of JSON whenever something that can be seen has changed: the time, and the paths.
LOOK = r"""
import json, os, sys, time
def see(folder, seen):
    for name in names(folder):
        path = os.path.join(folder, name)
        try: status = os.lstat(path)
        except OSError: continue
        seen[path] = (status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        if os.path.isdir(path): see(path, seen)
def names(folder):
    # Who may enter a folder but not list it may know the names.
    try: return os.listdir(folder)
    except OSError: return KNOWN
KNOWN = sys.argv[2:]
before = None
while True:
    seen = {}
    see(sys.argv[1], seen)
    if before is not None:
        changed = sorted(path for path in seen.keys() | before.keys() if seen.get(path) != before.get(path))
        if changed: print(json.dumps([time.time(), changed]), flush=True)
    before = seen
    time.sleep(0.05)
"""
KNOWN = [".lock", "kept", "state", "journal", ".sequence", "SHA256SUMS", "last-position", "fence-state", "wake", "waypost", "config", "tracks"]


def main():
    world = World("times", f'[user]\n{NOBODY} = {{ level = "full", scope = "always" }}\n', below="/var/lib")  # not below /tmp, where everybody can write
    check, user = world.check, User(world, NOBODY)
    user.make_home({"program": "#!/bin/sh\ncat >/dev/null\n"})
    for folder in ("config", "config/waypost"):
        os.mkdir(f"{user.home}/{folder}", 0o755)
        os.chown(f"{user.home}/{folder}", NOBODY, NOBODY)
    with open(f"{world.folder}/fences.geojson", "w") as file:
        json.dump({"type": "Feature", "properties": {"name": "Yard", "radius": 300}, "geometry": {"type": "Point", "coordinates": FENCE[::-1]}}, file)
    world.set_configuration(f'[geofences]\nfile = "{world.folder}/fences.geojson"\nrule = "exact"\n[privacy]\nzones = ["home: 47.2, 8.5, 2 km"]\n')
    os.mkdir(f"{world.folder}/state", 0o755)
    receiver = Receiver(time.time())
    world.start(f"nmea-tcp://127.0.0.1:{receiver.port}")
    try:
        root = User(world, 0)
        check(within(30, lambda: "fix" in root.waypost("status")), "the tracker has a fix")
        check(user.call("register", "gate", "--on", "enter,exit", "--exec", f"{user.home}/program").returncode == 0, "a program is registered")
        agent = user.agent()
        # The first run makes the file of its mark.
        check(user.call("register", "gate", "--test").returncode == 0, "and has run")
        time.sleep(2)
        # The log of the tracker, which is open for this, is the one exception: it says when it was started.
        looks = {who: User(world, who).start(sys.executable, "-c", LOOK, world.folder, *KNOWN) for who in (SPY, 0)}
        for what, place in (("a loss", None), ("found again", OUT), ("into a fence", FENCE), ("out of it", OUT), ("into a zone", ZONE), ("out of it", OUT)):
            receiver.place = place
            print(f"{time.time():.1f} {what}", flush=True)
            time.sleep(8)
        check(within(20, lambda: user.registration("gate")["state"] == "idle"), "the program has run for the fence")
        seen = {}
        for who, look in looks.items():
            look.terminate()
            seen[who] = [json.loads(line) for line in look.communicate()[0].decode().splitlines() if line.startswith("[")]
        agent.kill()
        told = sorted({path[len(world.folder):] for _, paths in seen[SPY] for path in paths if path != world.log})
        check(not told, f"another user sees nothing change: {told}")
        known = {path[len(world.folder):] for _, paths in seen[0] for path in paths}
        check(any("fence-state" in path for path in known) and any("/.run" in path for path in known), f"root sees {len(known)} paths change")
    finally:
        world.kill()
    return world.end()


sys.exit(main())
