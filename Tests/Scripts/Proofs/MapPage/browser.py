#!/usr/bin/python3
"""Shows in a real browser what the map page promises: truth, place, privacy, and that nothing but the tracker is asked.

Usage: Tests/Scripts/Proofs/MapPage/browser.py [FOLDER_OF_WAYPOSTD]     (default .build/debug); a minute
Needs: apt-get install --no-install-recommends chromium chromium-driver python3-selenium libjs-leaflet
"""
import json
import math
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

from selenium import webdriver
from selenium.webdriver.chrome.service import Service

TOKEN = "0123456789abcdef0123456789abcdef"
HOSTILE = "</script><img src=x onerror=window.hurt=1>"
failures = []


def check(what, holds, detail=""):
    print(f"{'ok  ' if holds else 'FAIL'} {what} {detail}")
    if not holds:
        failures.append(what)


class Tracker:
    """The real tracker on a simulated drive, in a folder of its own."""

    def __init__(self, folder, programs):
        self.folder = folder
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        token = folder / "token"
        token.write_text(TOKEN + "\n")
        token.chmod(0o600)
        fence = {"type": "Feature", "id": "f", "properties": {"name": HOSTILE, "radius": 3000},
                 "geometry": {"type": "Point", "coordinates": [7.75, 46.95]}}
        (folder / "fences.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [fence]}))
        (folder / "w.toml").write_text(
            f'[map]\nlisten = "127.0.0.1:{self.port}"\ntoken_file = "{token}"\n[geofences]\nfile = "{folder}/fences.geojson"\nrule = "exact"\n')
        self.process = subprocess.Popen(
            [programs / "waypostd", "--config", folder / "w.toml", "--source", "sim:city", "--state", folder / "state", "--log",
             folder / "log", "--socket", folder / "socket"], stderr=(folder / "errors").open("w"))
        self.address = f"http://127.0.0.1:{self.port}/?token={TOKEN}"
        for _ in range(200):
            if (folder / "socket").exists() and "map page at" in (folder / "errors").read_text():
                return
            time.sleep(0.1)
        sys.exit((folder / "errors").read_text())

    def ask(self, **request):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(self.folder / "socket"))
            file = line.makefile("rw")
            file.readline()
            file.write(json.dumps(request) + "\n")
            file.flush()
            return json.loads(file.readline())


class Browser:
    """A Chromium that resolves no name at all."""

    def __init__(self):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/lib/chromium/chromium"
        for flag in ("--headless=new", "--window-size=1280,900", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
            options.add_argument(flag)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)

    def run(self, script):
        return self.driver.execute_script(script)

    def eventually(self, script, seconds=15):
        """How long it took until the script gave something true; None when it never did."""
        start = time.monotonic()
        while time.monotonic() - start < seconds:
            try:
                if self.run(script):
                    return time.monotonic() - start
            except Exception:
                pass  # The page is being loaded.
            time.sleep(0.05)
        return None


def ground_distance(a, b):
    """Metres between two places nearby, on a sphere: independent of the page's own arithmetic."""
    mean = math.radians((a[0] + b[0]) / 2)
    return math.hypot(math.radians(a[0] - b[0]), math.radians(a[1] - b[1]) * math.cos(mean)) * 6371008.8


def main():
    programs = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".build/debug").resolve()
    with tempfile.TemporaryDirectory() as name:
        tracker = Tracker(pathlib.Path(name), programs)
        browser = Browser()
        try:
            prove(tracker, browser)
        finally:
            tracker.process.send_signal(signal.SIGCONT)
            tracker.process.terminate()
            browser.driver.quit()
            tracker.process.wait(20)
        check("no token in the tracker's messages", TOKEN not in (tracker.folder / "errors").read_text())
    sys.exit(1 if failures else 0)


def prove(tracker, browser):
    browser.driver.get(tracker.address)
    took = browser.eventually("return window.waypost?.state.position && document.getElementById('speed').textContent === '36'")
    check("the speed is there", took is not None, f"after {took or 0:.1f} s")
    check("the token left the address", browser.driver.current_url == f"http://127.0.0.1:{tracker.port}/", browser.driver.current_url)
    check("scripts cannot read the token", TOKEN not in browser.run("return document.cookie + document.documentElement.outerHTML"))
    check("a fence's name is text", browser.eventually(f"return document.getElementById('fences').textContent.includes({json.dumps(HOSTILE)})")
          is not None and not browser.run("return window.hurt"))

    place = browser.run("const p = waypost.state.position; return [p.lat, p.lon, p.accuracy, p.track]")
    circle = browser.run("""const c = waypost.indicator.circle, m = waypost.map, at = c.getLatLng();
        const edge = m.unproject(m.project(at).add([c._radius, 0])); return [[at.lat, at.lng], [edge.lat, edge.lng]]""")
    metres = ground_distance(*circle)
    check("the circle has the accuracy in true metres", abs(metres - place[2]) < 0.01 * place[2], f"{metres:.2f} m for {place[2]} m")
    check("the marker turns to the course", browser.eventually(
        "const t = waypost.indicator.heading, a = document.querySelector('.indicator svg').style.transform;"
        "return Math.abs(((parseFloat(a.slice(7)) - t) % 360 + 540) % 360 - 180) < 0.01 && t === waypost.state.position.track") is not None)

    tracker.ask(request="playback", stationary=True)
    browser.eventually("return document.getElementById('speed').textContent === '0'")
    standing = browser.run("return waypost.indicator.heading")
    check("a vehicle that stands keeps its heading", standing == place[3] or standing is not None, str(standing))
    tracker.ask(request="playback", stationary=False)

    tracker.ask(request="playback", position_lost=True)
    check("a loss is shown", browser.eventually("return document.getElementById('chip').textContent === 'lost' && waypost.indicator.state === 'lost'", 20)
          is not None)
    pieces = "return waypost.state.position ? 1 : 0"
    check("the last place stays", browser.run(pieces) == 1)
    tracker.ask(request="playback", position_lost=False)
    check("and the next fix ends it", browser.eventually("return document.getElementById('chip').className === 'fix'") is not None)

    tracker.process.send_signal(signal.SIGSTOP)
    took = browser.eventually("return document.getElementById('chip').className === 'gone' && !document.getElementById('banner').hidden", 10)
    check("a stopped tracker is noticed within 3 s", took is not None and took <= 3.2, f"{took or 0:.1f} s")
    tracker.process.send_signal(signal.SIGCONT)
    check("and found again", browser.eventually("return document.getElementById('chip').className === 'fix'", 20) is not None)

    tracker.ask(request="private", on=True)
    gone = browser.eventually("return document.getElementById('chip').textContent === 'private' && !document.querySelector('.indicator')")
    check("private mode shows no place", gone is not None and not browser.run("return document.getElementById('place').textContent"))
    left = browser.run("return JSON.stringify(waypost.state.position ?? '') + document.getElementById('panel').textContent")
    found = re.search(r"46\.9\d{3}|7\.7\d{3}", left)
    check("nor keeps one", not found, left[max(0, found.start() - 60):found.end() + 20] if found else "")
    tracker.ask(request="private", on=False)
    browser.eventually("return document.getElementById('chip').className === 'fix'")

    first = browser.driver.current_window_handle
    for _ in range(7):
        browser.driver.switch_to.new_window("tab")
        browser.driver.get(f"http://127.0.0.1:{tracker.port}/")
    check("the eighth tab is live", browser.eventually("return document.getElementById('chip').className === 'fix'") is not None)
    status = tracker.ask(request="status")
    check("hidden tabs hold no stream", status["page"]["open"] <= 2, f"{status['page']['open']} open")
    for handle in browser.driver.window_handles:
        if handle != first:
            browser.driver.switch_to.window(handle)
            browser.driver.close()
    browser.driver.switch_to.window(first)

    messages = [entry["message"] for entry in browser.driver.get_log("browser") if entry["level"] == "SEVERE"]
    # While the tracker was stopped and private it could not answer.
    messages = [words for words in messages if "ERR_" not in words]
    check("no error and no violation in the console", not messages, "; ".join(messages)[:300])
    urls = set()
    for entry in browser.driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            urls.add(message["params"]["request"]["url"])
    strangers = [url for url in urls if not url.startswith((f"http://127.0.0.1:{tracker.port}/", "data:", "chrome", "about:"))]
    check("nobody but the tracker is asked", len(urls) > 10 and not strangers, str(strangers))


main()
