#!/usr/bin/env python3
"""The measuring of duty-proof.sh: two trackers, one that follows every fix and one that follows significant changes, each with a gpsd.

    python3 Tests/Scripts/Proofs/duty_proof.py WAYPOSTD SECONDS

CPU is the process's own clock of the kernel; wake-ups are voluntary context switches, read five times a second of every thread, so that
those of threads that end are counted, too. Between a tracker and its gpsd stands a relay, which knows when the connection has a watch:
that is how long waypost wants the receiver on. Standard library only.
"""

import glob
import json
import math
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from datetime import timedelta

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Tools"))
from make_drive import GEOID, GLONASS, GPS, START, angle, geographic, sentence, sky, views

SETTLING = 20  # seconds from the start until the measuring begins: what starting costs is not what following costs
RADIUS, SPEED = 3000, 14.0  # metres, metres a second: a car on a ring road

CPU_RATIO = 10  # frequent mode's CPU to significant mode's
OPEN_AN_HOUR = 60  # seconds
WAKE_UPS_A_MINUTE = 30


def drive(seconds):
    """An endless drive on a ring road, as a receiver says it once a second."""
    source = random.Random(1)
    for second in range(seconds):
        clock = START + timedelta(seconds=second)
        turned = SPEED * second / RADIUS
        east = RADIUS * math.sin(turned) + source.gauss(0, 0.5)
        north = RADIUS * math.cos(turned) + source.gauss(0, 0.5)
        latitude, longitude = geographic(east, north)
        place = f"{angle(latitude, 2, 'N', 'S')},{angle(longitude, 3, 'E', 'W')}"
        course = (90 + math.degrees(turned)) % 360
        now = clock.strftime("%H%M%S.00")
        # The sky of the first ten minutes, over and over.
        gps, glonass = sky(second % 600, GPS, 0, source), sky(second % 600, GLONASS, 1, source)
        yield sentence(f"GNRMC,{now},A,{place},{SPEED * 3600 / 1852:.3f},{course:.2f},{clock.strftime('%d%m%y')},,,A")
        yield sentence(f"GNGGA,{now},{place},1,12,0.74,{226 + 8 * math.sin(turned):.1f},M,{GEOID:.1f},M,,")
        for seen in (gps, glonass):
            used = [f"{s[0]:02d}" for s in seen if s[3] is not None][:12]
            yield sentence(f"GNGSA,A,3,{','.join(used + [''] * (12 - len(used)))},1.32,0.74,1.09")
        yield from views("GP", gps)
        yield from views("GL", glonass)
        yield sentence(f"GNGST,{now},11,1.6,1.3,40,1.5,1.4,2.9")


class Stopwatch:
    """How long something was so."""

    def __init__(self):
        self.seconds, self.times, self.since = 0.0, 0, None

    def set(self, is_so):
        now = time.monotonic()
        if is_so and self.since is None:
            self.since, self.times = now, self.times + 1
        elif not is_so and self.since is not None:
            self.seconds, self.since = self.seconds + now - self.since, None

    def read(self):
        return self.seconds + (time.monotonic() - self.since if self.since is not None else 0.0)


class WatchRelay:
    """Between a client and a gpsd: passes everything on, and knows whether a watch is enabled."""

    WATCH = re.compile(rb"\?WATCH=(\{[^}]*\})")

    def __init__(self, gpsd_port):
        self.gpsd_port = gpsd_port
        self.watched = Stopwatch()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            try:
                daemon = socket.create_connection(("127.0.0.1", self.gpsd_port))
            except OSError:
                client.close()
                continue
            threading.Thread(target=self.listen, args=(client, daemon), daemon=True).start()
            threading.Thread(target=self.pass_on, args=(daemon, client), daemon=True).start()

    def listen(self, client, daemon):
        """What the client says."""
        said = b""
        try:
            while data := client.recv(65536):
                daemon.sendall(data)
                said += data
                for watch in self.WATCH.finditer(said):
                    self.watched.set(json.loads(watch[1]).get("enable", True))
                    said = said[watch.end():]
        except OSError:
            pass
        self.watched.set(False)
        hang_up(daemon)

    @staticmethod
    def pass_on(daemon, client):
        """What the daemon answers."""
        try:
            while data := daemon.recv(65536):
                client.sendall(data)
        except OSError:
            pass
        hang_up(client)


def hang_up(connection):
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass


class Usage:
    """What a process has used since it began to be looked at."""

    def __init__(self, pid):
        self.pid = pid
        self.switches = {}
        self.look()
        self.first_cpu, self.first_switches = self.cpu(), sum(self.switches.values())

    def cpu(self):
        # The clock of another process: its number inverted, above the three bits that ask for user and system time together.
        return time.clock_gettime((~self.pid << 3) | 2)

    def look(self):
        for status in glob.glob(f"/proc/{self.pid}/task/*/status"):
            try:
                with open(status) as lines:
                    count = next(int(line.split()[1]) for line in lines if line.startswith("voluntary_ctxt_switches"))
            except (OSError, StopIteration):
                continue  # It has just ended.
            self.switches[status] = count

    def read(self):
        self.look()
        return self.cpu() - self.first_cpu, sum(self.switches.values()) - self.first_switches


class Mode:
    """A receiver on a terminal line, its gpsd, the relay and the tracker."""

    def __init__(self, name, waypostd, folder, recording, configuration):
        self.name, self.waypostd, self.folder, self.configuration = name, waypostd, folder, configuration
        os.mkdir(folder)
        self.line = f"{folder}/tty"
        self.running = [subprocess.Popen([sys.executable, "Tests/Scripts/Tools/feed.py", recording, self.line])]
        self.tracker = None

    def start(self):
        while not os.path.islink(self.line):
            time.sleep(0.05)
        self.terminal = os.readlink(self.line)
        os.chmod(self.terminal, 0o666)  # gpsd opens it when somebody watches, and is not root any more by then.
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        # Without -n: it opens the receiver for clients only, and gives it back after they have gone.
        self.gpsd = subprocess.Popen(
            ["gpsd", "-N", "-b", "-S", str(port), self.line], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.running.append(self.gpsd)
        wait_for(port)
        self.relay = WatchRelay(port)
        with open(f"{self.folder}/waypost.toml", "w") as configuration:
            configuration.write(self.configuration)
        self.errors = open(f"{self.folder}/errors", "w")
        self.tracker = subprocess.Popen(
            [self.waypostd, "--config", f"{self.folder}/waypost.toml", "--source", f"gpsd://127.0.0.1:{self.relay.port}",
             "--state", f"{self.folder}/state", "--log", f"{self.folder}/log", "--socket", f"{self.folder}/socket"],
            stdout=subprocess.DEVNULL, stderr=self.errors)
        self.running.append(self.tracker)

    def begin(self):
        self.usage = Usage(self.tracker.pid)
        self.opened = self.relay.watched.read()
        self.samples = self.relay.watched.times - (self.relay.watched.since is not None)
        self.held = Stopwatch()

    def look(self):
        self.usage.look()
        self.held.set(any(link == self.terminal for link in links(self.gpsd.pid)))

    def end(self):
        """The figures, and the end of the tracker: (CPU seconds, wake-ups, seconds open, times opened, seconds gpsd held it, fixes logged)."""
        if self.tracker.poll() is not None:
            sys.exit(f"duty-proof: the tracker of {self.name} mode has ended: {open(self.errors.name).read()}")
        cpu, switches = self.usage.read()
        opened, samples = self.relay.watched.read() - self.opened, self.relay.watched.times - self.samples
        held = self.held.read()
        self.tracker.send_signal(signal.SIGTERM)
        self.tracker.wait(30)
        fixes = sum(open(track).read().count("<trkpt") for track in glob.glob(f"{self.folder}/log/*.gpx"))
        return cpu, switches, opened, samples, held, fixes

    def kill(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
                process.wait()


def links(pid):
    for descriptor in glob.glob(f"/proc/{pid}/fd/*"):
        try:
            yield os.readlink(descriptor)
        except OSError:
            pass


def wait_for(port):
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.1)
    sys.exit("duty-proof: gpsd does not answer")


def main():
    waypostd, seconds = sys.argv[1], int(sys.argv[2])
    with tempfile.TemporaryDirectory() as work:
        os.chmod(work, 0o755)  # For gpsd, which is not root when it looks for the receiver.
        recording = f"{work}/drive.nmea"
        with open(recording, "w", newline="") as file:
            file.writelines(drive(seconds + SETTLING + 60))
        modes = []
        try:
            for name, high_accuracy in (("frequent", "true"), ("significant", "false")):
                modes.append(Mode(name, waypostd, f"{work}/{name}", recording, f"[tracking]\nhigh_accuracy = {high_accuracy}\n"))
            for mode in modes:
                mode.start()
            time.sleep(SETTLING)
            for mode in modes:
                mode.begin()
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                time.sleep(0.2)
                for mode in modes:
                    mode.look()
            results = [mode.end() for mode in modes]
        finally:
            for mode in modes:
                mode.kill()
    return report(seconds, results)


def report(seconds, results):
    print(f"| over {seconds} s | CPU s | wake-ups a minute | receiver open, s | times | gpsd held it, s | fixes logged |")
    print("|---|---|---|---|---|---|---|")
    for name, (cpu, switches, opened, samples, held, fixes) in zip(("frequent", "significant"), results):
        print(f"| {name} | {cpu:.3f} | {switches * 60 / seconds:.1f} | {opened:.1f} | {samples} | {held:.0f} | {fixes} |")
    frequent, significant = results
    ratio = frequent[0] / max(significant[0], 1e-9)
    goals = [
        (f"frequent mode followed: {frequent[5]} fixes", frequent[5] >= 0.95 * seconds),
        (f"significant mode followed: {significant[5]} fixes", significant[5] >= max(1, seconds // 300)),
        (f"CPU {ratio:.1f} times less, at least {CPU_RATIO}", ratio >= CPU_RATIO),
        (f"receiver open {significant[2] * 3600 / seconds:.1f} s an hour, at most {OPEN_AN_HOUR}",
         significant[2] * 3600 <= OPEN_AN_HOUR * seconds),
        (f"{significant[1] * 60 / seconds:.1f} wake-ups a minute, at most {WAKE_UPS_A_MINUTE}",
         significant[1] * 60 <= WAKE_UPS_A_MINUTE * seconds),
    ]
    print()
    for words, is_met in goals:
        print(f"{'ok' if is_met else 'FAILS'}: {words}")
    return 0 if all(is_met for _, is_met in goals) else 1


if __name__ == "__main__":
    sys.exit(main())
