#!/usr/bin/env python3
"""Kills the tracker at every step of telling a fence event, and counts the events in the end.

    python3 Tests/Scripts/Proofs/Kills/fence_kills.py BIN STEPS [STRIDE]

A receiver on a FIFO goes into a circle and out again. In run N, for every STRIDEth N (1), the tracker is killed (SIGKILL, by strace) at its Nth rename, fsync, fdatasync
or write to a file of its state or log, then started again; what the receiver said meanwhile waits in the FIFO. In the end the tracks must
have exactly one enter and one exit, in that order, as after a run that nobody killed. Exits with 1 when a run does not. Standard library only.

A tracker that is killed takes with it what it has read and not logged: on a busy machine it falls behind, and reads the seconds of a whole side of the
circle at once. So the events must be those of the fixes that are in the log, and no fix may be missing that was not read before the kill.
"""

import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from killing import killed_at, sentence, unread

HOME = (51.7325, 10.2410)  # latitude, longitude
SECONDS = 60  # 10 m a second towards the circle, through it, and on
FENCE = (
    '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Yard","radius":100},'
    f'"geometry":{{"type":"Point","coordinates":[{HOME[1]},{HOME[0]}]}}}}]}}'
)
RULE = os.environ.get("RULE", "exact")
STEPS = "rename,fsync,fdatasync,pwrite64,write"


def angle(degrees, digits, positive, negative):
    whole, minutes = divmod(abs(degrees) * 60, 60)
    return f"{int(whole):0{digits}d}{minutes:09.6f},{positive if degrees >= 0 else negative}"


def epoch(second):
    latitude = HOME[0] + (10 * second - 300) / 111_300
    place = f"{angle(latitude, 2, 'N', 'S')},{angle(HOME[1], 3, 'E', 'W')}"
    now = f"12{second // 60:02d}{second % 60:02d}.00"
    return sentence(f"GNRMC,{now},A,{place},19.438,0.00,010326,,,A") + sentence(f"GNGGA,{now},{place},1,12,0.7,226.0,M,45.8,M,,")


def expected(seconds):
    """What the events of a walk may be of which these seconds are known: the circle is touched at the 20th and the 40th."""
    outside, inside, after = (len(seconds.intersection(part)) for part in (range(20), range(21, 40), range(41, SECONDS)))
    kinds = []
    # One second alone may be logged without being kept as the place from which the circle is entered: the next one is logged after that.
    for before in [outside > 0] if outside != 1 else [True, False]:
        if inside:
            kinds.append(["enter"] * before + ["exit"] * (after > 0))
        else:
            kinds.append(["pass"] if before and after else [])
    return kinds


class Run:
    """One walk through the circle."""

    def __init__(self, bin, folder, step):
        self.bin, self.folder, self.step = bin, folder, step
        open(f"{folder}/fences.geojson", "w").write(FENCE)
        open(f"{folder}/waypost.toml", "w").write(f'[geofences]\nfile = "fences.geojson"\nrule = "{RULE}"\n')
        os.mkfifo(f"{folder}/receiver")
        # Open for both, so that nothing is lost while no tracker reads.
        self.receiver = os.open(f"{folder}/receiver", os.O_RDWR)

    def start(self, step=None):
        command = [f"{self.bin}/waypostd", "--config", "waypost.toml", "--source", "nmea:receiver", "--state", "state", "--log", "log",
                   "--socket", "socket"]
        if step is not None:
            command = killed_at(STEPS, step) + command
        return subprocess.Popen(command, cwd=self.folder, stderr=open(f"{self.folder}/tracker.log", "a"))

    def await_reading(self, tracker):
        """Until the tracker has read everything, or is killed; on a busy machine it takes its time to start."""
        deadline = time.monotonic() + 60
        while unread(self.receiver) and tracker.poll() is None and time.monotonic() < deadline:
            time.sleep(0.1)

    def logged(self):
        """The seconds of the walk that are in the log."""
        lines = subprocess.run([f"{self.bin}/waypost", "log", "export", "--log", "log", "--format", "jsonl"], cwd=self.folder,
                               capture_output=True, text=True).stdout.splitlines()
        times = [json.loads(line)["time"] for line in lines if '"TPV"' in line]
        return {int(text[14:16]) * 60 + int(text[17:19]) for text in times}

    def events(self):
        """The waypoints of the tracks: kind and time, in the order of time; whether the tracker was killed; and the seconds that it had read
        then, of which none is in doubt when it was not."""
        tracker = self.start(self.step)
        killed = False
        ends, total, read = [], 0, 0
        for second in range(SECONDS):
            said = epoch(second).encode()
            os.write(self.receiver, said)
            total += len(said)
            ends.append(total)
            time.sleep(0.02)
            if tracker.poll() is not None and not killed:
                killed = True
                read = total - unread(self.receiver)
                tracker = self.start()
        self.await_reading(tracker)
        if self.step is not None and not killed and tracker.poll() is None:
            tracker.send_signal(signal.SIGTERM)
        # The last fixes may still be on their way.
        time.sleep(1)
        if tracker.poll() is not None:
            if not killed:
                read = total - unread(self.receiver)
            killed = True
            tracker = self.start()
            self.await_reading(tracker)
            time.sleep(1)
        children = subprocess.run(["pgrep", "-P", str(tracker.pid)], capture_output=True, text=True).stdout.split()
        for process in [int(child) for child in children] or [tracker.pid]:
            os.kill(process, signal.SIGTERM)
        tracker.wait(timeout=30)
        os.close(self.receiver)
        # Killed while it finished the track: the next start does that.
        if glob.glob(f"{self.folder}/log/*.open") or killed:
            subprocess.run([f"{self.bin}/waypost", "log", "recover", "--log", "log"], cwd=self.folder, capture_output=True)
        found = []
        for path in glob.glob(f"{self.folder}/log/*.gpx"):
            for point in re.findall(r"<wpt .*?</wpt>", open(path).read(), re.S):
                found.append((re.search(r"<time>(.*?)</time>", point)[1], re.search(r"<desc>(.*?)</desc>", point)[1]))
        # One of which it had read the beginning only is lost, too.
        return sorted(found), killed, {second for second, end in enumerate(ends) if end - len(epoch(second)) < read}


def main():
    if not shutil.which("strace"):
        print("fence-kills: needs strace", file=sys.stderr)
        sys.exit(69)
    bin, steps, stride = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory() as folder:
        alone, _, _ = Run(bin, folder, None).events()
    print(f"nobody kills it: {', '.join(kind for _, kind in alone)}")
    if [kind for _, kind in alone] != ["enter", "exit"]:
        sys.exit("fence-kills: the walk does not go in and out")
    wrong = kills = fewer = 0
    # The start alone takes some dozen steps; those of the events lie behind.
    runs = range(stride, steps + 1, stride)
    for step in runs:
        with tempfile.TemporaryDirectory() as folder:
            run = Run(bin, folder, step)
            found, killed, read = run.events()
            kills += killed
            seconds = run.logged()
            gone = set(range(SECONDS)) - seconds
            kinds = [kind for _, kind in found]
            if kinds not in expected(seconds) or not gone <= read:
                wrong += 1
                print(f"killed at step {step}: {found}; not logged: {sorted(gone)}, of which read before the kill: {sorted(gone & read)}")
            elif kinds != ["enter", "exit"]:
                fewer += 1
                print(f"killed at step {step}: {', '.join(kinds)}, as of the fixes in the log: it had read {len(gone)} others ({sorted(gone)})")
    print(f"{len(runs)} runs, {kills} of them killed: {len(runs) - wrong - fewer} with one enter and one exit, {fewer} with the events of the fixes "
          f"that were not lost with the tracker, {wrong} wrong")
    sys.exit(1 if wrong or not kills else 0)


main()
