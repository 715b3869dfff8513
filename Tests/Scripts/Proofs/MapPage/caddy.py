#!/usr/bin/env python3
"""Shows that the two lines of the guide put the map page behind Debian's Caddy with TLS: the page, its live stream, its links, and its refusals.

    sudo unshare -n python3 Tests/Scripts/Proofs/MapPage/caddy.py [FOLDER_OF_PROGRAMS]      (default .build/debug); a minute
    Needs: apt-get install --no-install-recommends caddy curl iproute2

In a network namespace of its own, where the ports 80 and 443 are free and no certificate authority can be reached: Caddy signs for the name itself, which
is the only line more than those of the guide. Whether the tracker or the proxy is stopped, the page comes back by itself.
"""
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

BIN = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".build/debug").resolve()
GUIDE = pathlib.Path(__file__).resolve().parents[4] / "Sources/Waypost/Waypost.docc/Operating/TheMapPage.md"
NAME = "tracker.example.org"
failures = []


def check(holds, words):
    print(("ok     " if holds else "FAILED ") + words, flush=True)
    if not holds:
        failures.append(words)


class Box:
    def __init__(self, folder):
        self.folder = folder
        guide = GUIDE.read_text()
        self.caddyfile = re.search(r"whole `Caddyfile`:\n\n```\n(.*?)```", guide, re.S).group(1)
        self.configuration = re.search(r"has to know the name:\n\n```toml\n(.*?)```", guide, re.S).group(1)
        assert NAME in self.caddyfile and NAME in self.configuration
        self.tracker = self.caddy = None
        self.folders = {}

    def start_tracker(self, configuration=None):
        (self.folder / "w.toml").write_text(configuration or self.configuration)
        self.tracker = subprocess.Popen(
            [BIN / "waypostd", "--config", self.folder / "w.toml", "--source", "sim:city", "--state", self.folder / "state", "--log",
             self.folder / "log", "--socket", self.folder / "socket"], stderr=(self.folder / "tracker.log").open("w"))
        self.wait(lambda: "map page at" in (self.folder / "tracker.log").read_text(), "the tracker's page")

    def start_caddy(self):
        (self.folder / "Caddyfile").write_text("{\n\tlocal_certs\n\tskip_install_trust\n}\n" + self.caddyfile)
        self.caddy = subprocess.Popen(
            ["caddy", "run", "--config", self.folder / "Caddyfile", "--adapter", "caddyfile"], stderr=(self.folder / "caddy.log").open("a"),
            env={**os.environ, "XDG_DATA_HOME": str(self.folder / "data"), "XDG_CONFIG_HOME": str(self.folder / "config"), "HOME": str(self.folder)})
        self.wait(lambda: self.root.exists() and self.get("/")[0] != 0, "Caddy")

    def wait(self, holds, what):
        for _ in range(300):
            if holds():
                return
            time.sleep(0.1)
        sys.exit(f"{what} does not come: see {self.folder}")

    @property
    def root(self):
        return self.folder / "data/caddy/pki/authorities/local/root.crt"

    def curl(self, path, *options, seconds=10):
        path = next((self.folders[option] for option in options if option in self.folders), "") + path
        return ["curl", "-sS", "--max-time", str(seconds), "--cacert", str(self.root), "--resolve", f"{NAME}:443:127.0.0.1", *options, f"https://{NAME}{path}"]

    def get(self, path, *options):
        """The status (0: no answer), the headers in lower case and the body."""
        run = subprocess.run(self.curl(path, "-i", *options), capture_output=True, text=True)
        head, _, body = run.stdout.replace("\r", "").partition("\n\n")
        status = re.match(r"HTTP/\S+ (\d+)", head)
        return int(status.group(1)) if status else 0, head.lower(), body

    @property
    def token(self):
        return re.search(r"token=(\S+)", self.waypost("page")).group(1)

    def waypost(self, *command):
        return subprocess.run([BIN / "waypost", *command, "--socket", self.folder / "socket"], capture_output=True, text=True).stdout

    def stop(self):
        for process in (self.caddy, self.tracker):
            if process and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                process.wait()


def proxy(box):
    box.start_tracker()
    box.start_caddy()
    check(box.get("/")[0] == 401, "without a token the page is refused through the proxy, too")
    status, head, _ = box.get(f"/?token={box.token}")
    cookie = (re.search(r"set-cookie: ([^;]+)(.*)", head) or [None, "", ""])
    check(status in (200, 303) and "httponly" in cookie[2] and "samesite" in cookie[2] and "secure" in cookie[2],
          f"the token becomes a cookie that TLS alone carries: {status} {cookie[2].strip('; ')}")
    name, value = cookie[1].split("=", 1)
    # The header was put into lower case; all of the cookie is.
    jar = ("-H", f"Cookie: {name}={value}")
    check(box.get("/", *jar)[0] == 401, "which opens nothing but below its path")
    box.folders[jar[1]] = re.search(r"; path=(/[0-9a-f]{32})/;", cookie[2]).group(1)
    status, head, body = box.get("/", *jar)
    check(status == 200 and "<html" in body.lower() and "content-security-policy" in head, f"the page opens: {status}")
    for file in sorted(set(re.findall(r'(?:src|href)="([^":]+)"', body))):
        status, _, _ = box.get("/" + file.lstrip("./"), *jar)
        check(status == 200, f"with {file}")
    state = json.loads(box.get("/api/v1/state", *jar)[2])
    check(state.get("class") == "STATE" and state["status"]["position"], "its state has a position")
    refused = {origin: box.get("/api/v1/state", *jar, "-H", f"Origin: {origin}", "-H", "Sec-Fetch-Site: cross-site")[0] for origin in ("https://evil.example", "null")}
    check(set(refused.values()) <= {401, 403}, f"another site's page is refused: {refused}")
    check(box.get("/api/v1/state", *jar, "-H", f"Origin: https://{NAME}")[0] == 200, "a request of the page's own origin is not")
    return jar


def stream(box, jar):
    reader = subprocess.Popen(box.curl("/api/v1/stream", "-N", *jar, seconds=60), stdout=subprocess.PIPE, text=True)
    began, beats, lines = time.monotonic(), [], []
    while time.monotonic() - began < 8:
        line = reader.stdout.readline()
        lines.append(line)
        if line.startswith("event: beat"):
            beats.append(time.monotonic())
    gaps = [b - a for a, b in zip(beats, beats[1:])]
    check(len(beats) >= 6 and max(gaps) < 2, f"the stream is live, nothing is held back: {len(beats)} beats in 8 s, {max(gaps, default=99):.1f} s apart at most")
    check(any(line.startswith("event: position") for line in lines), "with positions")
    reader.kill()


def interruptions(box, jar):
    box.tracker.send_signal(signal.SIGTERM)
    box.tracker.wait()
    check(box.get("/", *jar)[0] == 502, "while the tracker is stopped, Caddy says 502")
    box.start_tracker()
    check(box.get("/api/v1/state", *jar)[0] == 200, "after its start the same cookie opens the page again")
    box.caddy.send_signal(signal.SIGTERM)
    box.caddy.wait()
    box.start_caddy()
    check(box.get("/api/v1/state", *jar)[0] == 200, "so it does when Caddy was started again")
    log = (box.folder / "caddy.log").read_text() + (box.folder / "tracker.log").read_text()
    check(box.token not in log, "the token is in neither log")


def links(box):
    owner, guest = box.waypost("page"), box.waypost("page", "share", "--hours", "1")
    check(f"https://{NAME}/?token={box.token}" in owner, f"waypost page prints the address with that name: {owner.strip()[:60]!r}...")
    link = re.search(rf"https://{NAME}(/\S+)", guest)
    check(link is not None, f"waypost page share prints a link with that name: {guest.strip()[:60]!r}...")
    if link:
        status, head, _ = box.get(link.group(1))
        cookie = re.search(r"set-cookie: ([^;]+); path=(/[0-9a-f]{32})/;", head)
        guest_jar = ("-H", f"Cookie: {cookie.group(1)}")
        box.folders[guest_jar[1]] = cookie.group(2)
        check(box.get("/api/v1/state", *guest_jar)[0] == 200 and box.get("/api/v1/logs", *guest_jar)[0] == 403, "which opens the page, and no logs")


def stranger_name(box):
    box.tracker.send_signal(signal.SIGTERM)
    box.tracker.wait()
    box.start_tracker('[map]\nlisten = "127.0.0.1:7575"\n')
    status, _, body = box.get(f"/?token={box.token}")
    check(status in (400, 403, 421) and "hosts" in body, f"without the name in hosts it is refused, and the answer says what to write: {status} {body.strip()[:80]!r}")


def main():
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="waypost-caddy-"))
    box = Box(folder)
    try:
        jar = proxy(box)
        stream(box, jar)
        interruptions(box, jar)
        links(box)
        stranger_name(box)
    finally:
        box.stop()
    print(f"{len(failures)} failures" + (f"; kept: {folder}" if failures else ""))
    sys.exit(1 if failures else 0)


main()
