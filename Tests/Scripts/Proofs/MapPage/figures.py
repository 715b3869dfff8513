#!/usr/bin/python3
"""What the map page takes: time until the first number and until a day's track is drawn, in a browser slowed down six times; from a byte on the serial
line to the browser's event; the tracker's memory; the browser's heap.

Usage: Tests/Scripts/Proofs/MapPage/figures.py [--bin FOLDER] [--seconds N] [PART...]     parts: first day latency memory heap; all but heap by default
Needs: apt-get install --no-install-recommends chromium chromium-driver python3-selenium libjs-leaflet; ten minutes for memory, and as many for heap
"""
import argparse
import datetime
import json
import math
import os
import pathlib
import pty
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tty
import urllib.request

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

TOKEN = "0123456789abcdef0123456789abcdef"
failures = []


def check(what, holds, detail=""):
    print(f"{'ok  ' if holds else 'FAIL'} {what}: {detail}", flush=True)
    if not holds:
        failures.append(what)


def sentence(body):
    sum_ = 0
    for byte in body.encode():
        sum_ ^= byte
    return f"${body}*{sum_:02X}\r\n"


def coordinate(degrees, width, letters):
    value = abs(degrees)
    return f"{int(value):0{width}d}{(value % 1) * 60:08.5f},{letters[degrees < 0]}"


class Vehicle:
    """A drive through streets: straights, corners, stops, and the noise of a receiver."""

    def __init__(self, seed=1):
        self.random = random.Random(seed)
        self.place = [47.0, 8.0]
        self.course, self.speed, self.until = 90.0, 12.0, 0.0

    def epoch(self, moment, step):
        """The sentences of the next fix, `step` seconds after the last one."""
        now = moment.timestamp()
        if now >= self.until:
            self.until = now + self.random.uniform(10, 90)
            self.course = (self.course + self.random.choice((-90, -45, 45, 90)) + self.random.uniform(-8, 8)) % 360
            self.speed = self.random.choice((0, 6, 12, 14, 25)) if self.random.random() < 0.9 else 0
        metres = self.speed * step
        self.place[0] += metres * math.cos(math.radians(self.course)) / 111_200
        self.place[1] += metres * math.sin(math.radians(self.course)) / (111_200 * math.cos(math.radians(self.place[0])))
        lat = coordinate(self.place[0] + self.random.gauss(0, 1.2) / 111_200, 2, "NS")
        lon = coordinate(self.place[1] + self.random.gauss(0, 1.2) / 76_000, 3, "EW")
        clock = moment.strftime("%H%M%S.") + f"{moment.microsecond // 10_000:02d}"
        date = moment.strftime("%d%m%y")
        return (sentence(f"GPRMC,{clock},A,{lat},{lon},{self.speed * 1.943844:.2f},{self.course:.1f},{date},,,A")
                + sentence(f"GPGGA,{clock},{lat},{lon},1,09,0.9,408.2,M,47.9,M,,"))


class Tracker:
    """The real tracker with a page."""

    def __init__(self, folder, programs, source, more=""):
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        (folder / "token").write_text(TOKEN + "\n")
        (folder / "token").chmod(0o600)
        (folder / "w.toml").write_text(f'[map]\nlisten = "127.0.0.1:{self.port}"\ntoken_file = "{folder}/token"\n{more}')
        self.process = subprocess.Popen(
            [programs / "waypostd", "--config", folder / "w.toml", "--source", source, "--state", folder / "state", "--log",
             folder / "log", "--socket", folder / "socket", "--stay"], stderr=(folder / "errors").open("w"))
        self.address = f"http://127.0.0.1:{self.port}/"
        while "map page at" not in (folder / "errors").read_text():
            if self.process.poll() is not None:
                sys.exit((folder / "errors").read_text())
            time.sleep(0.1)

    def ask(self, path, **headers):
        request = urllib.request.Request(f"{self.address}{path}", headers={"Authorization": f"Bearer {TOKEN}", **headers})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read()

    def kilobytes(self, field="VmRSS"):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(text.split(field + ":")[1].split()[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(30)


class Browser:
    def __init__(self, throttle=1):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/lib/chromium/chromium"
        for flag in ("--headless=new", "--window-size=1280,900", "--enable-precise-memory-info", "--js-flags=--expose-gc"):
            options.add_argument(flag)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
        self.throttle = throttle

    def open(self, tracker):
        """Opens the page as somebody who was here before: with the cookie, and with the page's files kept."""
        self.driver.get(f"{tracker.address}?token={TOKEN}")
        self.until("return window.waypost?.state.report")
        address = self.driver.current_url
        self.driver.get("about:blank")
        self.driver.execute_cdp_cmd("Emulation.setCPUThrottlingRate", {"rate": self.throttle})
        self.driver.get(address)

    def until(self, script, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                value = self.driver.execute_script(script)
                if value:
                    return value
            except Exception:
                pass  # The page is being loaded.
            time.sleep(0.05)
        sys.exit(f"never: {script}")

    def mark(self, name):
        """Milliseconds from the navigation to a mark that the page sets."""
        return self.until(f"return performance.getEntriesByName('{name}')[0]?.startTime")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()


def first(folder, programs):
    """Until the first number is seen, and until the first live one."""
    with Tracker(folder, programs, "sim:city") as tracker, Browser(6) as browser:
        time.sleep(2)
        seen, live = [], []
        for _ in range(5):
            browser.open(tracker)
            live.append(browser.mark("position"))
            seen.append(browser.until("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime"))
            check("a number is in the page as it comes", b'id="speed">36<' in tracker.ask(""), "before any script")
        check("first number, 6 x slower, <= 1 s", statistics.median(seen) <= 1000, f"painted after {[round(x) for x in seen]} ms")
        print(f"     first live position after {[round(x) for x in live]} ms")


def unread(tracker, path):
    """Who asks for all of the day and reads nothing: what is left is the little that its buffers held."""
    whole = len(tracker.ask(path))

    def asking():
        reader = socket.socket()
        reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        reader.settimeout(20)
        reader.connect(("127.0.0.1", tracker.port))
        reader.sendall(f"GET /{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())
        return reader

    before = tracker.kilobytes()
    many = [asking() for _ in range(40)]
    answers = [reader.recv(13).split()[1] for reader in many]
    check("of many such only some are served", answers.count(b"200") == 8 and answers.count(b"503") == 32, f"{answers.count(b'200')} of {len(many)}")
    for reader in many:
        reader.close()
    grown = tracker.kilobytes() - before
    check("and leave little behind", grown < 8_000, f"{grown} kB")
    time.sleep(1)
    with asking() as reader:
        time.sleep(38)
        reader.settimeout(5)
        got = 0
        try:
            while data := reader.recv(65_536):
                got += len(data)
        except (ConnectionResetError, TimeoutError):
            pass
    check("who reads nothing for 30 s is disconnected", got < whole / 2, f"{got / 1e6:.1f} of {whole / 1e6:.1f} MB had been sent")


def day(folder, programs):
    """A day of 86 400 points, all before now."""
    count = 86_400
    now = datetime.datetime.now(datetime.timezone.utc)
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0)
    step = (now - midnight).total_seconds() / count
    vehicle = Vehicle()
    with open(folder / "day.nmea", "w", encoding="ascii") as file:
        for number in range(count):
            file.write(vehicle.epoch(midnight + datetime.timedelta(seconds=number * step), step))
    with Tracker(folder, programs, f"nmea:{folder}/day.nmea?speed=0") as tracker, Browser(6) as browser:
        while json.loads(tracker.ask("api/v1/state"))["status"].get("source", {}).get("state") not in ("finished", "ended"):
            time.sleep(0.5)
        since = f"since={midnight:%Y-%m-%dT%H:%M:%SZ}"
        for query in ("tolerance=1.5", "tolerance=20"):
            start = time.monotonic()
            body = tracker.ask(f"api/v1/track?{since}&{query}")
            took = time.monotonic() - start
            track = json.loads(body)
            points = sum(len(segment["points"]) for segment in track["segments"])
            print(f"     /track {query}: {took * 1000:.0f} ms, {track['positions']} positions, {points} points, tolerance {track['tolerance']}, "
                  f"{len(body) / 1000:.0f} kB")
        drawn = []
        for _ in range(5):
            browser.open(tracker)
            drawn.append(browser.mark("track"))
        unread(tracker, f"api/v1/gpx?{since}")
        check("a day of 86 400 points, 6 x slower, <= 2 s", statistics.median(drawn) <= 2000, f"drawn after {[round(x) for x in drawn]} ms")


class Receiver(threading.Thread):
    """A receiver at 10 Hz on a pseudo terminal, which notes when it has said each fix."""

    def __init__(self, link, rate=10):
        super().__init__(daemon=True)
        self.controller, terminal = pty.openpty()
        tty.setraw(terminal)
        self.terminal = terminal
        os.set_blocking(self.controller, False)
        self.path = os.ttyname(terminal)
        os.symlink(self.path, link)
        self.said, self.rate, self.runs = {}, rate, True

    def run(self):
        vehicle, step = Vehicle(), 1 / self.rate
        due = time.time()
        while self.runs:
            moment = datetime.datetime.fromtimestamp(math.floor(due * self.rate) / self.rate, datetime.timezone.utc)
            text = vehicle.epoch(moment, step).encode()
            try:
                os.write(self.controller, text)
            except BlockingIOError:
                pass  # Nobody reads yet.
            self.said[moment.strftime("%H:%M:%S.") + f"{moment.microsecond // 1000:03d}"] = time.time()
            due += step
            time.sleep(max(0, due - time.time()))


def follow(tracker, heard):
    """A client of the stream that notes when each position came."""
    with socket.create_connection(("127.0.0.1", tracker.port)) as line:
        line.sendall(f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{tracker.port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode())
        rest = b""
        while True:
            piece = line.recv(65536)
            now = time.time()
            if not piece:
                return
            *events, rest = (rest + piece).split(b"\n\n")
            for event in events:
                if b"event: position\n" in event:
                    heard.append((json.loads(event.split(b"data: ")[1].split(b"\n")[0])["time"][11:23], now))


def latency(folder, programs, seconds):
    """Five clients of the stream, and a browser; the time of a fix is when its last byte was written."""
    receiver = Receiver(folder / "tty")
    receiver.start()
    with Tracker(folder, programs, f"serial://{folder}/tty?baud=115200") as tracker, Browser() as browser:
        while json.loads(tracker.ask("api/v1/state"))["status"].get("position") is None:
            time.sleep(0.5)
        heard = [[] for _ in range(5)]
        for list_ in heard:
            threading.Thread(target=follow, args=(tracker, list_), daemon=True).start()
        browser.open(tracker)
        browser.mark("position")
        browser.driver.execute_script("""
            window.arrivals = [];
            let last = waypost.state.position;
            Object.defineProperty(waypost.state, "position", { get: () => last, set(fix) {
              last = fix;
              if (fix) arrivals.push([fix.time, performance.timeOrigin + performance.now()]);
            } })""")
        time.sleep(seconds)
        seen = browser.driver.execute_script("return arrivals")
        report("five clients of the stream", [(now - receiver.said[name]) * 1000 for list_ in heard for name, now in list_ if name in receiver.said])
        report("the browser's event", [at - receiver.said[name[11:23]] * 1000 for name, at in seen if name[11:23] in receiver.said])
    receiver.runs = False


def report(what, milliseconds):
    ordered = sorted(milliseconds)
    median, last = statistics.median(ordered), ordered[int(len(ordered) * 0.99)]
    check(f"{what}, 10 Hz: median <= 20 ms, 99 % <= 100 ms", median <= 20 and last <= 100 and len(ordered) > 100,
          f"{median:.1f} ms, {last:.1f} ms, {ordered[-1]:.1f} ms at most, of {len(ordered)}")


def memory(folder, programs, seconds):
    """The tracker with and without five open pages, at 10 Hz.

    Every ten minutes it unmaps the pages of the program that it does not need: what the opening of pages has used counts until then.
    """
    receiver = Receiver(folder / "tty")
    receiver.start()
    with Tracker(folder, programs, f"serial://{folder}/tty?baud=115200") as tracker:
        # The pages of the program that only the start has used go after half a minute.
        time.sleep(45)
        without = tracker.kilobytes(), tracker.kilobytes("RssAnon")
        browsers = []
        try:
            for number in range(5):
                browsers.append(Browser())
                browsers[-1].open(tracker)
                browsers[-1].mark("position")
            seen = []
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                time.sleep(30)
                seen.append(tracker.kilobytes())
            open_ = seen[-1], tracker.kilobytes("RssAnon")
        finally:
            for browser in browsers:
                browser.driver.quit()
        print(f"     {without[0]} kB resident, {without[1]} of them anonymous; with five pages {open_[0]} and {open_[1]}; each half minute {seen}")
        check("five pages: <= 16 MB + 0.3 each", open_[0] <= 16_000 + 5 * 300, f"{open_[0] / 1000:.1f} MB")
    receiver.runs = False


def heap(folder, programs, seconds):
    """The browser's heap at 10 Hz, after garbage collection, each half minute."""
    receiver = Receiver(folder / "tty")
    receiver.start()
    with Tracker(folder, programs, f"serial://{folder}/tty?baud=115200") as tracker, Browser() as browser:
        browser.open(tracker)
        browser.mark("position")
        samples = []
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            time.sleep(30)
            browser.driver.execute_cdp_cmd("HeapProfiler.collectGarbage", {})
            samples.append((time.monotonic(), browser.driver.execute_script("return performance.memory.usedJSHeapSize") / 1000))
        later = samples[len(samples) // 2:]
        slopes = [(b[1] - a[1]) / (b[0] - a[0]) * 60 for i, a in enumerate(later) for b in later[i + 1:]]
        slope = statistics.median(slopes)
        check("the heap is flat", slope < 20, f"{slope:.1f} kB a minute in the second half; {[round(x[1]) for x in samples]} kB")
    receiver.runs = False


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bin", default=".build/release")
    parser.add_argument("--seconds", type=int)
    parser.add_argument("parts", nargs="*")
    options = parser.parse_args()
    programs = pathlib.Path(options.bin).resolve()
    for part in options.parts or ["first", "day", "latency", "memory"]:
        print(f"-- {part}", flush=True)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            {"first": first, "day": day, "memory": lambda *a: memory(*a, options.seconds or 660),
             "latency": lambda *a: latency(*a, options.seconds or 120),
             "heap": lambda *a: heap(*a, options.seconds or 600)}[part](folder, programs)
    sys.exit(1 if failures else 0)


main()
