#!/usr/bin/env python3
"""A month without a network at one fix a second, and then its drain, while the walk goes on.

Usage: python3 Tests/Scripts/Proofs/month_offline.py BIN [POSITIONS [KIND]]

Lets a tracker log POSITIONS (2 600 000) fixes of a recorded track while its server cannot be reached, and then start anew with the server there
and a receiver at work: everything must arrive once, each lane in its order, and with two lanes (http) the newest position within 5 s all along.
KIND is the destination's: http, with two lanes; traccar, with one, whose order must be that of time. Prints what waiting cost on the disk, the time, the CPU and the memory of the drain, and exits with 1 when
something is missing, comes twice, out of order or late. Standard library only.
"""

import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

BIN = os.path.abspath(sys.argv[1])
POSITIONS = int(sys.argv[2]) if len(sys.argv) > 2 else 2_600_000
KIND = sys.argv[3] if len(sys.argv) > 3 else "http"
# So many bytes may lie on the disk for 2.6 million positions that wait.
MOST_BYTES = 250e6
LATEST_SECONDS = 5


def instant(text):
    """Seconds since 1970 of an RFC 3339 time of ours, or of Traccar's milliseconds."""
    if "T" not in text:
        return int(text) / (1_000 if int(text) > 2_147_483_647 else 1)
    day, clock = text.rstrip("Z").split("T")
    hours, minutes, seconds = clock.split(":")
    return DAYS.setdefault(day, time.mktime(time.strptime(day + " UTC", "%Y-%m-%d %Z")) - time.timezone) \
        + int(hours) * 3600 + int(minutes) * 60 + float(seconds)


DAYS = {}


class Server:
    """As fast as Python is: HTTP/1.1 with kept connections, one answer for each request."""

    def __init__(self):
        self.month, self.live, self.latest, self.begin = [], [], 0.0, None
        self.last, self.disorder = {}, set()
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def listen(self, port):
        asyncio.run_coroutine_threadsafe(asyncio.start_server(self.serve, "127.0.0.1", port), self.loop).result()

    async def serve(self, reader, writer):
        try:
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
                length = int(head.split("content-length:")[1].split("\r\n")[0])
                body = await reader.readexactly(length) if length else b""
                self.take(head, body)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    def take(self, head, body):
        now = time.time()
        if KIND == "traccar":
            text = body.decode() or head.split(" ")[1].partition("?")[2]
            times = [("all", instant(dict(urllib.parse.parse_qsl(text))["timestamp"]))]
        else:
            times = [(record["lane"], instant(record["time"])) for record in json.loads(body)["records"]]
        for lane, moment in times:
            if moment < self.last.get(lane, 0):
                self.disorder.add(lane)
            self.last[lane] = moment
            if self.begin is not None and moment < self.begin - 30:
                self.month.append(moment)
            else:
                self.live.append(moment)
                self.latest = max(self.latest, now - moment)


def track(path, first):
    with open(path, "w") as file:
        file.write('<?xml version="1.0"?>\n<gpx version="1.1" creator="month" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>\n')
        for n in range(POSITIONS):
            moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(first + n))
            file.write(f'<trkpt lat="{47 + n % 90_000 * 1e-5:.5f}" lon="{9 + n % 70_000 * 1e-5:.5f}"><time>{moment}</time></trkpt>\n')
        file.write("</trkseg></trk></gpx>\n")


def size(folder):
    return sum(os.path.getsize(os.path.join(root, name)) for root, _, names in os.walk(folder) for name in names)


def run(folder, source, *options):
    return subprocess.Popen(
        [f"{BIN}/waypostd", "--config", "waypost.toml", "--source", source, "--state", "state", "--log", "log", "--socket", "socket", *options],
        cwd=folder, stdin=subprocess.DEVNULL, stderr=open(f"{folder}/tracker.log", "a"))


def status(folder):
    answer = subprocess.run(
        [f"{BIN}/waypost", "dispatch", "status", "--json", "--socket", f"{folder}/socket"], capture_output=True, text=True).stdout
    return json.loads(answer)["destinations"][0] if answer else None


def usage(process):
    """Memory in MB, CPU seconds."""
    fields = open(f"/proc/{process.pid}/stat").read().rsplit(") ", 1)[1].split()
    memory = [int(line.split()[1]) for line in open(f"/proc/{process.pid}/status") if line.startswith("VmRSS")]
    return memory[0] / 1e3, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main():
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port = line.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        first = int(time.time()) - POSITIONS - 600
        track(f"{folder}/month.gpx", first)
        # Traccar finds crossings in what is not older than what it has: oldest first. Else two lanes, the newest first.
        extra = "" if KIND == "traccar" else 'batch = 1000\norder = "live"\n'
        open(f"{folder}/waypost.toml", "w").write(
            f'[[destination]]\nname = "home"\nkind = "{KIND}"\nurl = "http://127.0.0.1:{port}/"\ninterval = 1\n{extra}'
            '[dispatch]\ndevice = "van"\nstop_budget = 0\n')
        began = time.time()
        recording = run(folder, "gpx:month.gpx?style=actual&speed=0&times=original")
        code = recording.wait()
        tracks = sum(os.path.getsize(f"{folder}/log/{name}") for name in os.listdir(f"{folder}/log") if name.endswith(".gpx"))
        waiting = size(f"{folder}/log") - tracks + size(f"{folder}/state")
        print(f"{POSITIONS} fixes logged in {time.time() - began:.0f} s (exit {code}): {waiting / 1e6:.0f} MB wait (journal and outbox), "
              f"{tracks / 1e6:.0f} MB of GPX files beside it", flush=True)

        server, peak, memories = Server(), 0.0, []
        server.begin = began = time.time()
        tracker = run(folder, "sim:walk")
        time.sleep(3)
        server.listen(port)
        time.sleep(1)
        subprocess.run([f"{BIN}/waypost", "dispatch", "now", "--socket", f"{folder}/socket"], check=True)
        start, _ = usage(tracker)
        while len(server.month) < POSITIONS and time.time() - began < 3_600 and tracker.poll() is None:
            time.sleep(1)
            memory, cpu = usage(tracker)
            memories.append(memory)
        seconds = time.time() - began
        time.sleep(12)
        home = status(folder)
        tracker.terminate()
        code = tracker.wait(timeout=60)
        wrong = []
        if server.disorder:
            wrong.append(f"out of order: {', '.join(server.disorder)}")
        if len(server.month) != POSITIONS or len(set(server.month)) != POSITIONS:
            wrong.append(f"{len(server.month)} positions of the month arrived, {len(set(server.month))} different ones")
        # The first could not arrive before there was a server; who sends all in one row sends the newest last.
        if KIND == "http" and server.latest > LATEST_SECONDS + 4:
            wrong.append(f"a live position came {server.latest:.1f} s late")
        if waiting > MOST_BYTES * POSITIONS / 2_600_000 + 2e6:
            wrong.append(f"{waiting / 1e6:.0f} MB on the disk")
        if memories and max(memories) > start + 16:
            wrong.append(f"memory grew from {start:.1f} to {max(memories):.1f} MB")
        if code or not home or home["dead_letters"] or home["dropped"]:
            wrong.append(f"in the end: {home}, exit {code}")
        print(f"drained ({KIND}) in {seconds:.0f} s, {POSITIONS / seconds:.0f}/s; CPU {cpu:.0f} s; memory {start:.1f} MB at the start, "
              f"{max(memories):.1f} at most, {memories[-1]:.1f} at the end; {len(server.live)} live positions meanwhile, the latest {server.latest:.1f} s old")
        for line in wrong:
            print(f"wrong: {line}")
        if wrong:
            print(open(f"{folder}/tracker.log").read()[-1_500:])
        sys.exit(1 if wrong else 0)


main()
