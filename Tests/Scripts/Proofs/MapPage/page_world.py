"""The real tracker with its map page, a real browser, and a stranger's page, for the proofs of the map page."""
import json
import math
import os
import socket
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

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

    def __init__(self, folder, programs, source="sim:city", more=""):
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
        self.policy = folder / "policy.toml"
        self.policy.write_text('[door]\npage = "full"\nguest = "full"\n')
        self.policy.chmod(0o600)
        (folder / "w.toml").write_text(
            f'[control]\npolicy = "{self.policy}"\n[map]\nlisten = "127.0.0.1:{self.port}"\ntoken_file = "{token}"\n[geofences]\nfile = "{folder}/fences.geojson"\nrule = "exact"\n{more}')
        self.process = subprocess.Popen(
            [programs / "waypostd", "--config", folder / "w.toml", "--source", source, "--state", folder / "state", "--log",
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
        for flag in ("--headless=new", "--window-size=1280,900", "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"):
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


class Stranger(ThreadingHTTPServer):
    """Another site on this machine, to which a browser sends every cookie of the host whose path it asks for: they know no ports."""

    PAGE = b"""<!DOCTYPE html><meta charset=utf-8><title>wait</title><script>
        const at = location.hash.slice(1), said = {};
        const note = (name, promise) => promise.then((value) => { said[name] = value; }, (error) => { said[name] = "refused"; });
        const element = (name, key) => new Promise((done) => { const node = document.createElement(name); node[key] = at + "app.js"; node.onload = () => done("loaded"); node.onerror = () => done("refused"); document.head.append(node); });
        const all = !at ? [] : [
            note("fetch", fetch(at + "api/v1/state", { credentials: "include" }).then((answer) => answer.text())),
            note("opaque", fetch(at + "api/v1/state", { credentials: "include", mode: "no-cors" }).then((answer) => answer.type)),
            note("post", fetch(at + "api/v1/state", { method: "POST", body: "x", credentials: "include", mode: "no-cors" }).then((answer) => answer.type)),
            note("stream", new Promise((done) => { const s = new EventSource(at + "api/v1/stream", { withCredentials: true }); s.onmessage = () => done("event"); s.onerror = () => done("refused"); })),
            note("script", element("script", "src")), note("image", element("img", "src")),
            note("frame", new Promise((done) => { const f = document.createElement("iframe"); f.src = at; f.onload = () => { try { done(f.contentDocument ? "read" : "closed"); } catch { done("closed"); } }; document.documentElement.append(f); })),
        ];
        if (at) Promise.all(all).then(() => { document.title = JSON.stringify(said); });
    </script>"""

    def __init__(self):
        self.headers = []
        stranger = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                stranger.headers.append(dict(self.headers))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(Stranger.PAGE)

            def log_message(self, *_):
                pass

        super().__init__(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.serve_forever, daemon=True).start()
        self.address = f"http://127.0.0.1:{self.server_port}/"


def ground_distance(a, b):
    """Metres between two places nearby, on a sphere: independent of the page's own arithmetic."""
    mean = math.radians((a[0] + b[0]) / 2)
    return math.hypot(math.radians(a[0] - b[0]), math.radians(a[1] - b[1]) * math.cos(mean)) * 6371008.8
