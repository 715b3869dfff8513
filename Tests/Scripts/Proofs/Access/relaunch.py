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
import tempfile
import threading
import time

BIN = os.path.abspath(sys.argv[1])
LONG = "--long" in sys.argv
USER = 65534
AS_USER = ["setpriv", "--reuid", str(USER), "--regid", str(USER), "--clear-groups"]
failures = []


def check(condition, words):
    print(("ok     " if condition else "FAILED ") + words, flush=True)
    if not condition:
        failures.append(words)


def gpx(path):
    points = []
    for second in range(0, 6_000, 10):
        latitude = 47 + second * 20 / 111_200
        clock = f"{8 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        points.append(f'<trkpt lat="{latitude:.6f}" lon="8.5"><time>2026-05-01T{clock}Z</time></trkpt>')
    with open(path, "w") as file:
        file.write('<gpx version="1.1" creator="proof" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>' + "".join(points) + "</trkseg></trk></gpx>")


def main():
    folder = tempfile.mkdtemp(prefix="waypost-relaunch-", dir="/var/lib")  # not below /tmp, where everybody can write
    os.chmod(folder, 0o755)
    home = f"{folder}/home"
    os.mkdir(home)
    programs = {
        "ok": f'#!/bin/sh\n{{ echo "== $(id -u) $WAYPOST_LAUNCH $WAYPOST_REGISTRATION"; cat; }} >>{home}/ran\n',
        "fails": f"#!/bin/sh\necho no camera\necho x >>{home}/failed\nexit 3\n", "hangs": "#!/bin/sh\necho waiting\nexec sleep 1000\n",
        "writable": "#!/bin/sh\n",
    }
    for name, text in programs.items():
        with open(f"{home}/{name}", "w") as file:
            file.write(text)
        os.chmod(f"{home}/{name}", 0o777 if name == "writable" else 0o755)
        os.chown(f"{home}/{name}", USER, USER)
    os.mkdir(f"{home}/open")
    shutil.copy(f"{home}/ok", f"{home}/open/program")
    os.chmod(f"{home}/open", 0o777)
    for path in (home, f"{home}/open", f"{home}/open/program"):
        os.chown(path, USER, USER)
    gpx(f"{folder}/drive.gpx")
    with open(f"{folder}/policy.toml", "w") as file:
        file.write(f'[user]\n{USER} = {{ level = "full", scope = "always" }}\n')
    os.chmod(f"{folder}/policy.toml", 0o644)
    with open(f"{folder}/w.toml", "w") as file:
        file.write(f'[control]\npolicy = "{folder}/policy.toml"\n[log]\ntypes = []\n')
    environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_CONFIG_HOME": f"{home}/config", "WAYPOST_SOCKET": f"{folder}/socket"}

    def start_tracker(source):
        tracker = subprocess.Popen(
            [f"{BIN}/waypostd", "--stay", "--source", source, "--config", f"{folder}/w.toml", "--state", f"{folder}/state", "--log",
             f"{folder}/log", "--socket", f"{folder}/socket"], stdout=subprocess.DEVNULL, stderr=open(f"{folder}/tracker.log", "a"))
        while subprocess.run([f"{BIN}/waypost", "request"], env=environment, capture_output=True).returncode != 0:
            if tracker.poll() is not None:
                raise SystemExit(f"the tracker ended: {folder}/tracker.log")
            time.sleep(0.02)
        return tracker

    def user(*arguments, program=f"{BIN}/waypost"):
        return subprocess.run([*AS_USER, program, *arguments], env=environment, capture_output=True, text=True)

    def entry(name):
        return next(e for e in json.loads(user("register", "--list", "--json").stdout)["registrations"] if e["name"] == name)

    stopped = threading.Event()

    def path_unit():
        while not stopped.wait(0.2):
            markers = os.listdir(f"{folder}/state/wake") if os.path.isdir(f"{folder}/state/wake") else []
            for marker in markers:
                if marker.isdigit():
                    subprocess.run(["setpriv", "--reuid", marker, "--regid", marker, "--clear-groups", f"{BIN}/waypost", "agent", "--once"],
                                   env=environment, capture_output=True)

    def runs():
        """The events of each run, in their order."""
        if not os.path.exists(f"{home}/ran"):
            return []
        return [[json.loads(line) for line in part.splitlines()[1:]] for part in open(f"{home}/ran").read().split("== ")[1:]]

    def woken(count, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and len(runs()) < count:
            time.sleep(0.1)
        return len(runs()) >= count

    def settled():
        """Waits until what has run is acknowledged."""
        end = time.monotonic() + 10
        while time.monotonic() < end and (entry("drive")["events"] or entry("drive")["state"] == "running"):
            time.sleep(0.05)

    drive = f"gpx:{folder}/drive.gpx?speed=60"
    tracker = start_tracker("sim:none")
    try:
        for words, program in (("relative", "home/ok"), ("missing", f"{home}/none"), ("not executable", f"{folder}/w.toml"),
                               ("writable by everybody", f"{home}/writable"), ("in a folder writable by everybody", f"{home}/open/program")):
            answer = user("register", "bad", "--on", "significant", "--exec", program)
            check(answer.returncode == 65, f"{words}: {answer.stderr.strip()}")
        answer = user("register", "drive", "--on", "significant", "--exec", f"{home}/ok")
        check(answer.returncode == 0, "registered: " + answer.stdout.strip())

        def switches():
            total = 0
            for task in os.listdir(f"/proc/{tracker.pid}/task"):
                text = open(f"/proc/{tracker.pid}/task/{task}/status").read()
                total += int(text.split("voluntary_ctxt_switches:")[1].split()[0])
            return total

        def quiet(seconds=20):
            time.sleep(3)
            before = switches()
            time.sleep(seconds)
            return switches() - before

        one = quiet()
        for number in range(9):
            user("register", f"more{number}", "--on", "significant,enter,exit", "--exec", f"{home}/ok")
        ten = quiet()
        for number in range(9):
            user("unregister", f"more{number}")
        user("unregister", "drive")
        none = quiet()
        check(ten <= none + 5, f"wake-ups of the tracker in 20 s without a fix: {none} with no registration, {one} with one, {ten} with ten")
        user("register", "drive", "--on", "significant", "--exec", f"{home}/ok")

        # A restart of the tracker, no program and no agent: only what systemd does.
        tracker.kill()
        tracker.wait()
        unit = threading.Thread(target=path_unit)
        unit.start()
        tracker = start_tracker(drive)
        check(woken(1, 30), "woken at the first significant change")
        check(woken(3, 30), "and at the next ones")
        settled()
        tracker.kill()
        tracker.wait()
        count = len(runs())
        tracker = start_tracker(drive)
        check(woken(count + 1, 40), "woken again after kill -9 of the tracker")
        settled()
        tracker.kill()
        tracker.wait()
        shutil.rmtree(f"{folder}/socket", ignore_errors=True)
        # As after a reboot: nothing runs and the runtime folder is empty; what is on the disk is all there is.
        stopped.set()
        unit.join()
        stopped.clear()
        count = len(runs())
        tracker = start_tracker(drive)
        time.sleep(14)
        waiting = entry("drive")["events"]
        check(waiting >= 1 and len(runs()) == count, f"{waiting} events wait while nobody is there to start the program")
        tracker.kill()
        tracker.wait()
        tracker = start_tracker("sim:none")
        unit = threading.Thread(target=path_unit)
        unit.start()
        check(woken(count + 1, 30), "and it runs after the next start, though nothing happens any more")
        all_runs = runs()
        newest = all_runs[-1]
        check(len(newest) >= waiting and [e["time"] for e in newest] == sorted(e["time"] for e in newest), f"{len(newest)} events in one start, the newest last")
        ids = [event["id"] for run in all_runs for event in run]
        check(len(ids) == len(set(ids)), f"{len(ids)} events, none twice")
        text = open(f"{home}/ran").read()
        check(text.count(f"== {USER} location drive\n") == len(all_runs), "always as its user, with WAYPOST_LAUNCH=location")

        user("register", "bad", "--on", "significant", "--exec", f"{home}/fails")
        answer = user("register", "bad", "--test")
        check(answer.returncode == 1 and "exit code 3" in answer.stdout and "no camera" in answer.stdout, "a rehearsal shows exit code and output: " + answer.stdout.strip())
        check(entry("bad")["state"] == "retrying" and entry("bad")["next"] <= 5, "a program that fails is tried again")
        time.sleep(7)
        check(open(f"{home}/failed").read().count("x") >= 2, "and was")
        user("unregister", "bad")
        os.chmod(f"{home}/ok", 0o777)
        answer = user("register", "drive", "--test")
        check("may be written by every user" in answer.stdout, "what has become writable by everybody is not started: " + answer.stdout.strip().replace("\n", " "))
        os.chmod(f"{home}/ok", 0o755)
        # Who may only know roughly where the device is learns of no fence; the file of a program that is refused stays as it was.
        with open(f"{folder}/policy.toml", "w") as file:
            file.write(f'[user]\n{USER} = {{ level = "reduced", scope = "always" }}\n')
        user("register", "rough", "--on", "significant", "--exec", f"{home}/ok")
        answer = user("register", "rough", "--on", "enter,significant", "--exec", f"{home}/fails")
        check(answer.returncode == 77 and "not by enter" in answer.stderr, "reduced, woken by a fence: " + answer.stderr.strip())
        check(open(glob.glob(f"{home}/config/waypost/wake/.tracker*/rough")[0]).read() == f"exec {home}/ok\n", "and the program that was registered before stays")
        answer = user("register", "rough", "--test")
        check(answer.returncode == 0, "a reduced one runs: " + answer.stdout.strip().replace("\n", " "))
        if LONG:
            user("register", "hung", "--on", "significant", "--exec", f"{home}/hangs")
            begin = time.monotonic()
            answer = user("register", "hung", "--test")
            check("ended after 60 s" in answer.stdout and 59 < time.monotonic() - begin < 75, f"one that hangs is ended after {time.monotonic() - begin:.0f} s")
    finally:
        stopped.set()
        tracker.kill()
        tracker.wait()
        print(f"what ran: {home}/ran" if failures else "")
        if not failures:
            shutil.rmtree(folder)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
