#!/usr/bin/env python3
"""The field test of relaunching, at the desk: a program that does not run is woken by a drive, again after kill -9 of the tracker, and never twice for one id.

    sudo python3 Tests/Scripts/Proofs/Access/relaunch.py BIN [--long]

A drive of 20 m/s is played sixty times as fast. What systemd's path unit does is done by this script: it looks for markers in the folder `wake` of the
state and starts `waypost agent --once` as that user. Also what goes wrong: a program that fails is tried again and shown; one that is missing, not
executable, writable by everybody (or in such a folder) or named without its whole path is refused; with --long one that hangs is ended after 60 s.
And what it costs: with ten registrations and nothing happening the tracker wakes up as often as with none. Standard library only.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import threading
import time

from access_world import BIN, NOBODY, User, World, within, write_track

LONG = "--long" in sys.argv


def main():
    world = World("relaunch", f'[user]\n{NOBODY} = {{ level = "full", scope = "always" }}\n', below="/var/lib")  # not below /tmp, where everybody can write
    check, user = world.check, User(world, NOBODY)
    user.make_home({
        "ok": f'#!/bin/sh\n{{ echo "== $(id -u) $WAYPOST_LAUNCH $WAYPOST_REGISTRATION"; cat; }} >>{user.home}/ran\n',
        "fails": f"#!/bin/sh\necho no camera\necho x >>{user.home}/failed\nexit 3\n", "hangs": "#!/bin/sh\necho waiting\nexec sleep 1000\n",
        "writable": ("#!/bin/sh\n", 0o777),
    })
    os.mkdir(f"{user.home}/open")
    shutil.copy(f"{user.home}/ok", f"{user.home}/open/program")
    os.chmod(f"{user.home}/open", 0o777)
    for path in (f"{user.home}/open", f"{user.home}/open/program"):
        os.chown(path, NOBODY, NOBODY)
    write_track(f"{world.folder}/drive.gpx", [(47 + second * 20 / 111_200, 8.5, second) for second in range(0, 6_000, 10)])
    drive = f"gpx:{world.folder}/drive.gpx?speed=60"
    stopped = threading.Event()

    def path_unit():
        while not stopped.wait(0.2):
            markers = os.listdir(f"{world.state}/wake") if os.path.isdir(f"{world.state}/wake") else []
            for marker in markers:
                if marker.isdigit():
                    subprocess.run(User(world, int(marker)).command(f"{BIN}/waypost", "agent", "--once"), env=user.environment, capture_output=True)

    def start_unit():
        stopped.clear()
        unit = threading.Thread(target=path_unit)
        unit.start()
        return unit

    def runs():
        """The events of each run, in their order."""
        if not os.path.exists(f"{user.home}/ran"):
            return []
        return [[json.loads(line) for line in part.splitlines()[1:]] for part in open(f"{user.home}/ran").read().split("== ")[1:]]

    def woken(count, seconds):
        return within(seconds, lambda: len(runs()) >= count)

    def settled():
        """Waits until what has run is acknowledged."""
        within(20, lambda: not user.registration("drive")["events"] and user.registration("drive")["state"] != "running", pause=0.05)

    world.start("sim:none")
    try:
        for words, program in (("relative", "home/ok"), ("missing", f"{user.home}/none"), ("not executable", f"{world.folder}/w.toml"),
                               ("writable by everybody", f"{user.home}/writable"), ("in a folder writable by everybody", f"{user.home}/open/program")):
            answer = user.call("register", "bad", "--on", "significant", "--exec", program)
            check(answer.returncode == 65, f"{words}: {answer.stderr.strip()}")
        answer = user.call("register", "drive", "--on", "significant", "--exec", f"{user.home}/ok")
        check(answer.returncode == 0, "registered: " + answer.stdout.strip())

        def switches():
            total = 0
            for task in os.listdir(f"/proc/{world.tracker.pid}/task"):
                text = open(f"/proc/{world.tracker.pid}/task/{task}/status").read()
                total += int(text.split("voluntary_ctxt_switches:")[1].split()[0])
            return total

        def quiet():
            """The fewest wake-ups of two times: what somebody else asks of it meanwhile does not count."""
            counts = []
            for _ in range(2):
                time.sleep(3)
                before = switches()
                time.sleep(10)
                counts.append(switches() - before)
            return min(counts)

        names = [f"more{number}" for number in range(9)]
        one = quiet()
        for name in names:
            user.call("register", name, "--on", "significant,enter,exit", "--exec", f"{user.home}/ok")
        ten = quiet()
        for name in [*names, "drive"]:
            user.call("unregister", name)
        none = quiet()
        check(ten <= none + 5, f"wake-ups of the tracker in 10 s without a fix: {none} with no registration, {one} with one, {ten} with ten")
        user.call("register", "drive", "--on", "significant", "--exec", f"{user.home}/ok")

        # A restart of the tracker, no program and no agent: only what systemd does.
        world.kill()
        unit = start_unit()
        world.start(drive)
        check(woken(1, 30), "woken at the first significant change")
        check(woken(3, 30), "and at the next ones")
        settled()
        world.kill()
        count = len(runs())
        world.start(drive)
        check(woken(count + 1, 40), "woken again after kill -9 of the tracker")
        settled()
        world.kill()
        os.remove(world.socket)
        # As after a reboot: nothing runs and the runtime folder is empty; what is on the disk is all there is.
        stopped.set()
        unit.join()
        count = len(runs())
        world.start(drive)
        within(60, lambda: user.registration("drive")["events"] >= 2)
        waiting = user.registration("drive")["events"]
        check(waiting >= 2 and len(runs()) == count, f"{waiting} events wait while nobody is there to start the program")
        world.kill()
        world.start("sim:none")
        unit = start_unit()
        check(woken(count + 1, 30), "and it runs after the next start, though nothing happens any more")
        settled()
        all_runs = runs()
        newest = all_runs[-1]
        check(len(newest) >= waiting and [e["time"] for e in newest] == sorted(e["time"] for e in newest), f"{len(newest)} events in one start, the newest last")
        ids = [event["id"] for run in all_runs for event in run]
        check(len(ids) == len(set(ids)), f"{len(ids)} events, none twice")
        text = open(f"{user.home}/ran").read()
        check(text.count(f"== {NOBODY} location drive\n") == len(all_runs), "always as its user, with WAYPOST_LAUNCH=location")

        user.call("register", "bad", "--on", "significant", "--exec", f"{user.home}/fails")
        answer = user.call("register", "bad", "--test")
        check(answer.returncode == 1 and "exit code 3" in answer.stdout and "no camera" in answer.stdout, "a rehearsal shows exit code and output: " + answer.stdout.strip())
        check(within(60, lambda: open(f"{user.home}/failed").read().count("x") >= 2), "a program that fails is tried again")
        user.call("unregister", "bad")
        os.chmod(f"{user.home}/ok", 0o777)
        answer = user.call("register", "drive", "--test")
        check("may be written by every user" in answer.stdout, "what has become writable by everybody is not started: " + answer.stdout.strip().replace("\n", " "))
        os.chmod(f"{user.home}/ok", 0o755)
        # Who may only know roughly where the device is learns of no fence; the file of a program that is refused stays as it was.
        world.set_policy(f'[user]\n{NOBODY} = {{ level = "reduced", scope = "always" }}\n')
        within(10, lambda: "reduced" in user.waypost("request"))
        user.call("register", "rough", "--on", "significant", "--exec", f"{user.home}/ok")
        answer = user.call("register", "rough", "--on", "enter,significant", "--exec", f"{user.home}/fails")
        check(answer.returncode == 77 and "not by enter" in answer.stderr, "reduced, woken by a fence: " + answer.stderr.strip())
        check(open(glob.glob(f"{user.home}/config/waypost/wake/.tracker*/rough")[0]).read() == f"exec {user.home}/ok\n", "and the program that was registered before stays")
        answer = user.call("register", "rough", "--test")
        check(answer.returncode == 0, "a reduced one runs: " + answer.stdout.strip().replace("\n", " "))
        if LONG:
            user.call("register", "hung", "--on", "significant", "--exec", f"{user.home}/hangs")
            begin = time.monotonic()
            answer = user.call("register", "hung", "--test")
            check("ended after 60 s" in answer.stdout and 59 < time.monotonic() - begin < 90, f"one that hangs is ended after {time.monotonic() - begin:.0f} s")
    finally:
        stopped.set()
        world.kill()
    return world.end()


sys.exit(main())
