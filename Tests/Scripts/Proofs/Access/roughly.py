#!/usr/bin/env python3
"""Attacks on the position of a user who may only know roughly where the device is, through the real socket.

    sudo python3 Tests/Scripts/Proofs/Access/roughly.py BIN [POLLS [PART]]

A walk along the edge of a cell and over it, three hours of it in a minute, is polled POLLS (10 000) times with `status`, and watched, by a user with
`reduced`: all answers are middles of cells, one for each quarter of an hour; the average of them all is no nearer to the device than the cell; the
moments at which the answer changes are beginnings of quarters, whatever the device did. Then, in real time, a receiver whose clock is shortly before
a quarter of an hour enters and leaves a privacy zone, loses and finds its position: the answers of `status`, the lines of a watch, `health` and the
shared gpsd door change at the quarter and at no other moment. Standard library only.
"""

import datetime
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

BIN = os.path.abspath(sys.argv[1])
POLLS = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
USER = 61_861
CELL = 180 / 4_000
failures = []


def check(condition, words):
    print(("ok     " if condition else "FAILED ") + words, flush=True)
    if not condition:
        failures.append(words)


class Client:
    """A connection as another user: who connects counts."""

    def __init__(self, path, user=0):
        self.socket = socket.socket(socket.AF_UNIX)
        os.seteuid(user)
        try:
            self.socket.connect(path)
        finally:
            os.seteuid(0)
        self.lines = self.socket.makefile("r")
        self.lines.readline()

    def ask(self, request):
        self.socket.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(self.lines.readline())


def start_tracker(folder, source, more=""):
    with open(f"{folder}/policy.toml", "w") as file:
        file.write(f'[user]\n{USER} = {{ level = "reduced", scope = "always" }}\n[door]\ngpsd = "reduced"\n')
    with open(f"{folder}/w.toml", "w") as file:
        file.write(f'[control]\npolicy = "{folder}/policy.toml"\n[log]\ntypes = []\n{more}')
    tracker = subprocess.Popen(
        [f"{BIN}/waypostd", "--stay", "--source", source, "--config", f"{folder}/w.toml", "--state", f"{folder}/state", "--log", f"{folder}/log",
         "--socket", f"{folder}/socket"], stdout=subprocess.DEVNULL, stderr=open(f"{folder}/tracker.log", "a"))
    while True:
        try:
            Client(f"{folder}/socket")
            return tracker
        except OSError:
            if tracker.poll() is not None:
                raise SystemExit(f"the tracker ended: {folder}/tracker.log")
            time.sleep(0.05)


def edge_walk(path):
    """Three hours on foot along the northern edge of a band of cells: ten metres to both sides of it, now and then half a kilometre and more."""
    edge = math.floor((47.0 + 90) / CELL) * CELL - 90
    points = []
    for second in range(0, 10_800, 2):
        north = 10 * math.sin(second / 7) + (1_200 * math.sin(second / 1_700) if second > 5_000 else 0)
        latitude, longitude = edge + north / 111_200, 8.5 + second * 1.4 / 76_000
        clock = f"{8 + second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        points.append(f'<trkpt lat="{latitude:.7f}" lon="{longitude:.7f}"><time>2026-05-01T{clock}Z</time></trkpt>')
    with open(path, "w") as file:
        file.write('<gpx version="1.1" creator="proof" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>' + "".join(points) + "</trkseg></trk></gpx>")


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def middle(latitude, longitude):
    band = math.floor((latitude + 90) / CELL)
    centre = (band + 0.5) * CELL - 90
    columns = int(360 / CELL * math.cos(math.radians(centre)))
    column = math.floor((longitude + 180) / 360 * columns)
    return round(centre, 4), round((column + 0.5) * 360 / columns - 180, 4)


def polls(folder):
    edge_walk(f"{folder}/walk.gpx")
    tracker = start_tracker(folder, f"gpx:{folder}/walk.gpx?speed=180")
    try:
        spy, truth, watcher = Client(f"{folder}/socket", USER), Client(f"{folder}/socket"), Client(f"{folder}/socket", USER)
        watcher.socket.sendall(b'{"request":"watch"}\n')
        watched = []
        threading.Thread(target=lambda: [watched.append(json.loads(line)) for line in watcher.lines], daemon=True).start()
        told, places, changes, before = [], [], [], None
        begin = time.monotonic()
        for number in range(POLLS):
            # As many as there are, spread over the walk.
            time.sleep(max(0, begin + number * 58 / POLLS - time.monotonic()))
            known = truth.ask({"request": "status"}).get("position")
            answer = spy.ask({"request": "status"})
            if "position" not in answer or not known:
                continue
            position = answer["position"]
            told.append((position["lat"], position["lon"], position["time"]))
            places.append((known["lat"], known["lon"], seconds(known["time"])))
            if told[-1] != before:
                changes.append((before, told[-1], seconds(known["time"])))
            before = told[-1]
            if set(answer) - {"class", "version", "pid", "uptime", "health", "position"} or set(position) - {"class", "time", "mode", "lat", "lon", "accuracy", "accuracy_from"}:
                check(False, f"more than may be known: {answer}")
                break
        span = places[-1][2] - places[0][2]
        print(f"{len(told)} polls while the device walked for {span / 60:.0f} min")
        check(len(told) > POLLS * 0.9 and span > 1_800, "the walk was polled")
        check(all((lat, lon) == middle(lat, lon) for lat, lon, _ in set(told)), f"all answers are middles of cells: {len({t[:2] for t in told})} of them")
        check(all(seconds(moment) % 900 == 0 for _, _, moment in set(told)), "with the start of a quarter of an hour as their time")
        check(len(set(told)) <= span / 900 + 2, f"{len(set(told))} different answers in {span / 900:.1f} quarters of an hour")
        # The first is told at once, as nothing was known. The device's time was asked for a moment before the answer.
        away = [(moment + 450) % 900 - 450 for _, _, moment in changes[1:]]
        check(all(abs(rest) < 30 for rest in away), f"they change when a quarter begins: {[round(rest, 1) for rest in away]} s from it")
        away = [abs(lat - place[0]) / CELL for (lat, _, _), place in zip(told, places)]
        print(f"from the answer to the device {min(away):.2f} to {max(away):.2f} cells; average of all answers {sum(t[0] for t in told) / len(told):.4f} N, of the device "
              f"{sum(p[0] for p in places) / len(places):.4f} N")
        # On the edge the device is half a cell away from every answer, however many there are. The walk leaves it after 5 000 s; how far it
        # has come is known by its longitude, as its times are those of the replay.
        first = [t[0] for t, place in zip(told, places) if (place[1] - 8.5) * 76_000 / 1.4 < 4_900]
        check(len(set(first)) == 1, f"along the edge always the same cell: {sorted(set(first))}")
        lines = {(line["lat"], line["lon"], line["time"]) for line in watched if line["class"] == "TPV"}
        check(lines <= set(told) and {line["class"] for line in watched} <= {"TPV"}, f"a watch gets the same and no more: {len(lines)} positions")
    finally:
        tracker.kill()
        tracker.wait()


class Receiver:
    """A receiver over TCP whose clock begins at a moment of our choice; it is where `place` says, or has no fix where that is None."""

    def __init__(self, moment):
        self.moment, self.began, self.place, self.clients = moment, time.monotonic(), (47.01, 8.5), []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()
        threading.Thread(target=self.send, daemon=True).start()

    def now(self):
        return self.moment + time.monotonic() - self.began

    def accept(self):
        while True:
            self.clients.append(self.listener.accept()[0])

    @staticmethod
    def sentence(text):
        total = 0
        for character in text:
            total ^= ord(character)
        return f"${text}*{total:02X}\r\n"

    def send(self):
        while True:
            now = datetime.datetime.fromtimestamp(round(self.now(), 1), datetime.timezone.utc)
            clock, day, place = now.strftime("%H%M%S.") + f"{now.microsecond // 10_000:02d}", now.strftime("%d%m%y"), self.place
            if place:
                fields = [f"{int(abs(v)):0{w}d}{(abs(v) % 1) * 60:08.5f},{h}" for v, w, h in ((place[0], 2, "N"), (place[1], 3, "E"))]
                text = self.sentence(f"GPRMC,{clock},A,{fields[0]},{fields[1]},0.0,0.0,{day},,,A") + self.sentence(f"GPGGA,{clock},{fields[0]},{fields[1]},1,10,0.8,400.0,M,47.0,M,,")
            else:
                text = self.sentence(f"GPRMC,{clock},V,,,,,,,{day},,,N") + self.sentence(f"GPGGA,{clock},,,,,0,00,99.9,,,,,,")
            for client in self.clients:
                try:
                    client.sendall(text.encode())
                except OSError:
                    pass
            time.sleep(0.25)


def moments(folder, words, steps, expected):
    """What the spy sees while the receiver is somewhere from some second before or after a quarter of an hour on."""
    quarter = 1_777_624_200
    receiver = Receiver(quarter - 920)
    probe = socket.socket()
    probe.bind(("127.0.0.1", 0))
    door = probe.getsockname()[1]
    probe.close()
    tracker = start_tracker(
        folder, f"nmea-tcp://127.0.0.1:{receiver.port}", f'[privacy]\nzones = ["home: 47.2, 8.5, 2 km"]\n[share]\ngpsd = "127.0.0.1:{door}"\n')
    try:
        spy, watcher = Client(f"{folder}/socket", USER), Client(f"{folder}/socket", USER)
        watcher.socket.sendall(b'{"request":"watch"}\n')
        seen = []
        threading.Thread(target=lambda: [seen.append(("watch", receiver.now() - quarter, line[:60])) for line in watcher.lines], daemon=True).start()
        gpsd = socket.create_connection(("127.0.0.1", door))
        gpsd.sendall(b'?WATCH={"enable":true,"json":true};\n')
        threading.Thread(target=lambda: [seen.append(("gpsd", receiver.now() - quarter, line[:60])) for line in gpsd.makefile("r") if '"TPV"' in line], daemon=True).start()
        before = {}
        # A new tracker tells the first position at once, and nothing new in the quarter of an hour of that.
        while "position" not in spy.ask({"request": "status"}):
            time.sleep(0.1)
        receiver.moment += quarter - 20 - receiver.now()
        while receiver.now() < quarter + 25:
            for second, place in steps:
                if receiver.now() - quarter >= second:
                    receiver.place = place
            answer = spy.ask({"request": "status"})
            for door_name, value in (("position", json.dumps(answer.get("position"))), ("health", answer["health"])):
                if before.get(door_name, value) != value:
                    seen.append((door_name, receiver.now() - quarter, value[:60]))
                before[door_name] = value
            time.sleep(0.02)
        # The clock was set shortly before that.
        wrong = [(what, round(moment, 2), text) for what, moment, text in seen if moment > -14 and not -0.2 <= moment <= 1.5]
        check(not wrong, f"{words}: nothing changes but at the quarter: {wrong[:3]}")
        at = sorted({what for what, moment, _ in seen if -0.2 <= moment <= 1.5})
        check(at == expected, f"{words}: seen at the quarter: {at}")
    finally:
        tracker.kill()
        tracker.wait()


OUT, ZONE = (47.01, 8.5), (47.2, 8.5)
MOMENTS = [
    ("into a zone", [(-10, ZONE)], ["gpsd", "position"]),
    ("into a zone and out again before the quarter", [(-12, ZONE), (-11, OUT)], ["gpsd", "position", "watch"]),
    ("lost before it and found after it", [(-10, None), (12, OUT)], ["gpsd", "position", "watch"]),
    ("another cell after it", [(5, (47.3, 8.9))], ["gpsd", "position", "watch"]),
]


def main():
    number = int(sys.argv[3]) if len(sys.argv) > 3 else None
    folder = tempfile.mkdtemp(prefix="waypost-roughly-")
    os.chmod(folder, 0o755)
    if number is None:
        # Each takes three quarters of a minute, mostly of waiting.
        others = [subprocess.Popen([sys.executable, __file__, BIN, str(POLLS), str(index)]) for index in range(len(MOMENTS))]
        polls(folder)
        failures.extend(f"part {index}" for index, other in enumerate(others) if other.wait() != 0)
    else:
        moments(folder, *MOMENTS[number])
    if failures:
        print(f"kept: {folder}", flush=True)
    else:
        shutil.rmtree(folder)
    if number is None:
        print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
