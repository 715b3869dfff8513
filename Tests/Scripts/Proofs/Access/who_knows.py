#!/usr/bin/env python3
"""Real users at every door of a tracker: what each level gets, and that nothing of the position is in what the lower ones get.

    sudo python3 Tests/Scripts/Proofs/Access/who_knows.py BIN [SECONDS]

As root: makes users (useradd) for the time of the proof, or takes free numbers where that does not work. A tracker drives sim:freeway with a fence
around it, a log, a destination that nobody serves, a map page, gpsd and NMEA doors. Each user sends every request of the control socket, also wrong
ones, watches for SECONDS (10), and reads the doors; all bytes are searched for coordinates of the drive to three decimals (some 100 m), for speeds
and for the fence. The search must find them in what the user with full gets. Grants, revocations and temporary accuracy must reach connections
that are open. Exits with 1 when something falls short. Standard library only.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time

BIN = os.path.abspath(sys.argv[1])
SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10
NAMES = ["wp-none", "wp-reduced", "wp-full", "wp-stranger", "wp-group"]
failures = []


def check(condition, words):
    print(("ok     " if condition else "FAILED ") + words, flush=True)
    if not condition:
        failures.append(words)


def make_users():
    users, made = {}, []
    for number, name in enumerate(NAMES):
        if shutil.which("useradd") and subprocess.run(["useradd", "--no-create-home", "--shell", "/bin/sh", name], capture_output=True).returncode == 0:
            made.append(name)
            users[name] = int(subprocess.run(["id", "-u", name], capture_output=True, text=True).stdout)
        else:
            users[name] = 61_840 + number
    return users, made


# Runs as another user: sends lines on the socket and prints what comes for so long.
CLIENT = r"""
import socket, sys, time
path, seconds, text = sys.argv[1], float(sys.argv[2]), sys.stdin.read()
s = socket.socket(socket.AF_UNIX); s.connect(path); s.sendall(text.encode()); s.settimeout(0.2)
end = time.monotonic() + seconds
while time.monotonic() < end:
    try:
        piece = s.recv(1 << 16)
    except TimeoutError:
        continue
    if not piece: break
    sys.stdout.buffer.write(piece); sys.stdout.buffer.flush()
"""


class User:
    def __init__(self, uid, folder):
        self.uid, self.folder = uid, folder

    def start(self, *command, **options):
        environment = {"PATH": os.environ["PATH"], "HOME": "/", "WAYPOST_SOCKET": f"{self.folder}/socket"}
        return subprocess.Popen(
            ["setpriv", "--reuid", str(self.uid), "--regid", str(self.uid), "--clear-groups", *command], env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)

    def run(self, *command, text=""):
        return self.start(*command).communicate(text.encode(), timeout=120)[0].decode(errors="replace")

    def say(self, lines, seconds=1.0):
        return self.run("python3", "-c", CLIENT, f"{self.folder}/socket", str(seconds), text="".join(line + "\n" for line in lines))

    def waypost(self, *arguments):
        return self.run(f"{BIN}/waypost", *arguments)


REQUESTS = [
    '{"request":"status"}', '{"request":"capabilities"}', '{"request":"authorisation","reason":"a proof"}', '{"request":"watch","sky":true}',
    '{"request":"watch","significant":true}', '{"request":"watch","distance":1}', '{"request":"hold","reason":"x"}', '{"request":"playback"}',
    '{"request":"private"}', '{"request":"fences_list","from":0,"shapes":true}', '{"request":"fences_list","from":0,"shapes":false}',
    '{"request":"fences_active"}', '{"request":"track","name":"n","values":{}}', '{"request":"ledger","since":"2020-01-01T00:00:00Z"}',
    '{"request":"dispatch","action":"status"}', '{"request":"dispatch","action":"now"}', '{"request":"dispatch","action":"list"}',
    '{"request":"dispatch","action":"export","destination":"home"}', '{"request":"page"}', '{"request":"page","guest_seconds":600}',
    '{"request":"grants"}', '{"request":"grant","who":"root","level":"none"}', '{"request":"registrations"}', '{"request":"agent"}',
    '{"request":"register","name":"x","on":["significant","enter"],"program":"/bin/true"}', '{"request":"rehearse","name":"x"}',
    '{"request":"attach","name":"x"}', '{"request":"log_rotate"}', "{}", "nonsense", '{"request":"status","x":1}',
]


def main():
    users, made = make_users()
    folder = tempfile.mkdtemp(prefix="waypost-who-")
    os.chmod(folder, 0o755)
    tracker = None
    try:
        ports = []
        for _ in range(2):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                ports.append(probe.getsockname()[1])
        with open(f"{folder}/policy.toml", "w") as file:
            file.write(
                f'[user]\n{users["wp-none"]} = {{ level = "none" }}\n'
                f'{users["wp-reduced"]} = {{ level = "reduced", full_for = ["navigation"] }}\n{users["wp-full"]} = {{ level = "full" }}\n'
                '[door]\ngpsd = "reduced"\nnmea_socket = "none"\npage = "full"\nguest = "none"\n'
                '[purpose]\nnavigation = "Shows the way"\nother = "Something else"\n')
        os.chmod(f"{folder}/policy.toml", 0o644)
        with open(f"{folder}/fences.geojson", "w") as file:
            json.dump({"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "SecretYard", "radius": 90_000},
                       "geometry": {"type": "Point", "coordinates": [8.5, 47.4]}}]}, file)
        with open(f"{folder}/w.toml", "w") as file:
            file.write(
                f'[control]\npolicy = "{folder}/policy.toml"\n[geofences]\nfile = "{folder}/fences.geojson"\n'
                f'[map]\nsocket = "{folder}/page.sock"\n[share]\ngpsd = "127.0.0.1:{ports[0]}"\nnmea_socket = "{folder}/nmea.sock"\n'
                '[[destination]]\nname = "home"\nurl = "http://127.0.0.1:1/"\ninterval = 0\n')
        tracker = subprocess.Popen(
            [f"{BIN}/waypostd", "--stay", "--source", "sim:freeway", "--config", f"{folder}/w.toml", "--state", f"{folder}/state", "--log",
             f"{folder}/log", "--socket", f"{folder}/socket"], stdout=open(f"{folder}/tracker.log", "w"), stderr=subprocess.STDOUT)
        root = User(0, folder)
        while '"position"' not in root.waypost("status", "--json"):
            time.sleep(0.2)
        people = {name: User(uid, folder) for name, uid in users.items()}

        # What the drive says, from the one who may know.
        truth = root.start(f"{BIN}/waypost", "watch", "--json", "--timeout", "60")
        said = {}
        talks = {name: people[name].start("python3", "-c", CLIENT, f"{folder}/socket", str(SECONDS)) for name in NAMES}
        for talk in talks.values():
            talk.stdin.write("".join(line + "\n" for line in REQUESTS).encode())
            talk.stdin.close()
            talk.stdin = None
        for name, talk in talks.items():
            said[name] = talk.communicate()[0].decode(errors="replace")
        for name in NAMES:
            for command in (["status"], ["status", "--json"], ["capabilities", "--json"], ["fences", "list"], ["fences", "active"], ["ledger", "--since", "-1h"],
                            ["page"], ["grants"], ["register", "--list"], ["dispatch", "status"]):
                said[name] += people[name].waypost(*command)
        truth.terminate()
        fixes = [json.loads(line) for line in truth.communicate()[0].decode().splitlines() if '"class":"TPV"' in line]
        check(len(fixes) >= 5, f"{len(fixes)} fixes of the drive")
        marks = set()
        for fix in fixes:
            for member in ("lat", "lon"):
                marks.add(f"{fix[member]:.9f}"[: f"{fix[member]:.9f}".index(".") + 4])
        pattern = re.compile("|".join(re.escape(mark) for mark in sorted(marks)))

        def leaks(text, also=()):
            found = sorted(set(pattern.findall(text)))
            return found + [word for word in ("SecretYard", '"speed"', '"track":', '"alt', *also) if word in text]

        check(len(leaks(said["wp-full"])) >= 4, f"the search finds the drive in what full gets: {leaks(said['wp-full'])[:4]}")
        for name in ("wp-none", "wp-stranger", "wp-group"):
            check(not leaks(said[name], ('"lat"', '"lon"')), f"nothing of it in the {len(said[name])} bytes for {name} {leaks(said[name])[:4]}")
        check(not leaks(said["wp-reduced"]), f"nothing finer than the cell in the {len(said['wp-reduced'])} bytes for wp-reduced {leaks(said['wp-reduced'])[:4]}")
        cells = set(re.findall(r'"lat":([-0-9.]+),"lon":([-0-9.]+)', said["wp-reduced"]))
        times = set(re.findall(r'"time":"([^"]+)"', said["wp-reduced"]))
        check(len(cells) == 1, f"one cell for wp-reduced: {sorted(cells)}")
        check(all(re.search(r":(00|15|30|45):00\.000Z$", moment) for moment in times), f"coarse times: {sorted(times)}")

        # What changes while a connection is open.
        def watch(name, seconds):
            talk = people[name].start("python3", "-c", CLIENT, f"{folder}/socket", str(seconds))
            talk.stdin.write(b'{"request":"authorisation","reason":"live","follow":true}\n{"request":"watch"}\n')
            talk.stdin.close()
            talk.stdin = None
            return talk

        talk = watch("wp-full", 6)
        time.sleep(2.5)
        print(root.waypost("grant", str(users["wp-full"]), "none").strip())
        text = talk.communicate()[0].decode()
        before, _, after = text.partition('"level":"none"')
        check(leaks(before) != [] and after != "" and not leaks(after, ('"lat"',)), "a grant of none silences an open watch")
        root.waypost("revoke", str(users["wp-full"]))

        talk = watch("wp-stranger", 7)
        time.sleep(1)
        check("live" in root.waypost("grants"), "the administrator sees the question")
        root.waypost("grant", str(users["wp-stranger"]), "reduced")
        time.sleep(1)
        root.waypost("grant", str(users["wp-stranger"]), "full", "--for", "2s")
        text = talk.communicate()[0].decode()
        levels = re.findall(r'"AUTHORISATION_CHANGE","level":"([a-z_]+)"', text)
        check(levels == ["reduced", "full", "reduced"], f"who asks is answered, and a grant with an end ends: {levels}")

        # Full accuracy for a purpose.
        check("not explained" in people["wp-reduced"].waypost("request-full", "--purpose", "unheard"), "an unknown purpose is refused")
        check("may know at least roughly" in people["wp-none"].waypost("request-full", "--purpose", "navigation"), "without a base there is no purpose")
        asked = people["wp-reduced"].start(f"{BIN}/waypost", "request-full", "--purpose", "navigation", "--for", "4")
        time.sleep(1)
        text = people["wp-reduced"].say(['{"request":"watch"}'], 2)
        check(leaks(text) != [], "full accuracy while it is asked for")
        asked.communicate()
        text = people["wp-reduced"].say(['{"request":"watch"}', '{"request":"status"}'], 2)
        check(not leaks(text), "and not afterwards")
        asked = people["wp-reduced"].start(f"{BIN}/waypost", "request-full", "--purpose", "other", "--wait", "20", "--for", "3")
        time.sleep(1)
        check("--purpose other" in root.waypost("grants"), "another purpose waits for the administrator")
        root.waypost("grant", str(users["wp-reduced"]), "full", "--purpose", "other", "--for", "1h")
        check("full" in asked.communicate()[0].decode(), "and is given then")

        # Doors.
        def read(kind, address, text, seconds, uid):
            # Nothing is sent when there is nothing to send: at a door that has been shut already, even an empty send fails.
            code = ("import socket,sys,time\ntext=%r\ns=socket.socket(socket.%s);s.connect(%r);s.settimeout(.2)\nif text: s.sendall(text)\nend=time.monotonic()+%r\n"
                    "while time.monotonic()<end:\n try:\n  p=s.recv(65536)\n except TimeoutError: continue\n if not p: break\n sys.stdout.buffer.write(p)\n"
                    % (text, kind, address, seconds))
            return User(uid, folder).run("python3", "-c", code)

        gpsd = read("AF_INET", ("127.0.0.1", ports[0]), b'?WATCH={"enable":true,"json":true,"nmea":true};\n?POLL;\n', 5, users["wp-full"])
        check("VERSION" in gpsd and not leaks(gpsd) and "PRN" not in gpsd, f"the gpsd door gives no more than the policy says ({len(gpsd)} bytes, {leaks(gpsd)})")
        text = read("AF_UNIX", f"{folder}/nmea.sock", b"", 3, users["wp-stranger"] + 50)
        check(not text, f"the NMEA socket gives a stranger nothing {text[-200:]!r}")
        check("GGA" in read("AF_UNIX", f"{folder}/nmea.sock", b"", 3, users["wp-full"]), "and all to whom all is granted")
        owner = json.loads(root.say(['{"request":"page"}']).splitlines()[1])["token"]
        ask = "GET /api/v1/state HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
        check(leaks(read("AF_UNIX", f"{folder}/page.sock", (ask % owner).encode(), 2, 0)) != [], "the page gives its owner the position")
        text = root.say(['{"request":"page","guest_seconds":600}'])
        check('"class":"ERROR"' in text and "guest" in text, "and guests get no link, as the policy says")

        # A broken policy.
        with open(f"{folder}/policy.toml", "a") as file:
            file.write("\n[people]\n")
        text = "".join(people[name].say(['{"request":"watch"}', '{"request":"status"}', '{"request":"fences_active"}'], 2) for name in NAMES)
        check(not leaks(text, ('"lat"',)), "a broken policy is for nobody")
        status = root.waypost("status")
        check("there is no section" in status and "policy.toml:" in status, "and status says which line it is")
        check(" 403 " in read("AF_UNIX", f"{folder}/page.sock", (ask % owner).encode(), 2, 0), "the page is shut")
        check("full" in root.waypost("request"), "root knows all the same")

        trail = open(f"{folder}/state/audit").read()
        check('"action":"grant"' in trail and '"action":"full ends"' in trail and '"purpose":"navigation"' in trail and not pattern.search(trail),
              f"the audit trail has {len(trail.splitlines())} entries and no coordinate")
        log = open(f"{folder}/tracker.log").read()
        check(not pattern.search(log), "nor has the message log")
        check('"action":"ask"' not in trail and "access: ask (user " in log, "questions are in the message log only")
        check(os.stat(f"{folder}/state/audit").st_mode & 0o077 == 0 and os.stat(f"{folder}/state/grants").st_mode & 0o077 == 0, "both files are private")
    finally:
        if tracker:
            tracker.terminate()
            tracker.wait()
        for name in made:
            subprocess.run(["userdel", name], capture_output=True)
        if failures:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


sys.exit(main())
