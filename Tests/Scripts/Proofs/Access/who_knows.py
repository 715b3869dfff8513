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
import time

from access_world import BIN, Talk, User, World, within

SECONDS = float(sys.argv[2]) if len(sys.argv) > 2 else 10
NAMES = ["wp-none", "wp-reduced", "wp-full", "wp-stranger", "wp-group"]


def make_users():
    users, made = {}, []
    for number, name in enumerate(NAMES):
        if shutil.which("useradd") and subprocess.run(["useradd", "--no-create-home", "--shell", "/bin/sh", name], capture_output=True).returncode == 0:
            made.append(name)
            users[name] = int(subprocess.run(["id", "-u", name], capture_output=True, text=True).stdout)
        else:
            users[name] = 61_840 + number
    return users, made


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
    policy = (
        f'[user]\n{users["wp-none"]} = {{ level = "none" }}\n'
        f'{users["wp-reduced"]} = {{ level = "reduced", full_for = ["navigation"] }}\n{users["wp-full"]} = {{ level = "full" }}\n'
        '[door]\ngpsd = "reduced"\nnmea_socket = "none"\npage = "full"\nguest = "none"\n'
        '[purpose]\nnavigation = "Shows the way"\nother = "Something else"\n')
    world = World("who", policy)
    check, folder = world.check, world.folder
    try:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with open(f"{folder}/fences.geojson", "w") as file:
            json.dump({"type": "FeatureCollection", "features": [{"type": "Feature", "properties": {"name": "SecretYard", "radius": 90_000},
                       "geometry": {"type": "Point", "coordinates": [8.5, 47.4]}}]}, file)
        world.set_configuration(
            f'[geofences]\nfile = "{folder}/fences.geojson"\n'
            f'[map]\nsocket = "{folder}/page.sock"\n[share]\ngpsd = "127.0.0.1:{port}"\nnmea_socket = "{folder}/nmea.sock"\n'
            '[[destination]]\nname = "home"\nurl = "http://127.0.0.1:1/"\ninterval = 0\n')
        world.start("sim:freeway")
        root = User(world, 0)
        people = {name: User(world, uid) for name, uid in users.items()}
        check(within(30, lambda: '"position"' in root.waypost("status", "--json")), "the drive has begun")

        # What the drive says, from the one who may know.
        truth = root.talk(['{"request":"watch"}'])
        talks = {name: people[name].talk(REQUESTS, SECONDS) for name in NAMES}
        said = {name: talk.whole() for name, talk in talks.items()}
        for name in NAMES:
            for command in (["status"], ["status", "--json"], ["capabilities", "--json"], ["fences", "list"], ["fences", "active"], ["ledger", "--since", "-1h"],
                            ["page"], ["grants"], ["register", "--list"], ["dispatch", "status"]):
                said[name] += people[name].waypost(*command)
        fixes = [json.loads(line) for line in truth.end().splitlines() if line.endswith("}") and '"class":"TPV"' in line]
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
        check(1 <= len(cells) <= len(times), f"one cell for wp-reduced in a quarter of an hour: {sorted(cells)}")
        check(all(re.search(r":(00|15|30|45):00\.000Z$", moment) for moment in times), f"coarse times: {sorted(times)}")

        # What changes while a connection is open.
        live = ['{"request":"authorisation","reason":"live","follow":true}', '{"request":"watch"}']
        talk = people["wp-full"].talk(live)
        check(talk.has('"speed"'), "an open watch has positions")
        print(root.waypost("grant", str(users["wp-full"]), "none").strip())
        check(talk.has('"level":"none"'), "and is told of a grant of none")
        time.sleep(3)
        before, _, after = talk.end().partition('"level":"none"')
        check(leaks(before) != [] and not leaks(after, ('"lat"',)), "which silences it")
        root.waypost("revoke", str(users["wp-full"]))

        talk = people["wp-stranger"].talk(live)
        check(within(20, lambda: "live" in root.waypost("grants")), "the administrator sees the question")
        root.waypost("grant", str(users["wp-stranger"]), "reduced")
        talk.has('"level":"reduced"')
        root.waypost("grant", str(users["wp-stranger"]), "full", "--for", "2s")
        within(20, lambda: talk.text.count('"level":"reduced"') >= 2)
        levels = re.findall(r'"AUTHORISATION_CHANGE","level":"([a-z_]+)"', talk.end())
        check(levels == ["reduced", "full", "reduced"], f"who asks is answered, and a grant with an end ends: {levels}")

        # Full accuracy for a purpose.
        check("not explained" in people["wp-reduced"].waypost("request-full", "--purpose", "unheard"), "an unknown purpose is refused")
        check("may know at least roughly" in people["wp-none"].waypost("request-full", "--purpose", "navigation"), "without a base there is no purpose")
        asking = '{"request":"authorisation","purpose":"%s","reason":"a proof"}'
        spy = people["wp-reduced"].talk([asking % "navigation"])
        check(spy.has('"level":"full"'), "full accuracy is given for a purpose of the policy")
        watch = people["wp-reduced"].talk(['{"request":"watch"}'])
        check(watch.has('"speed"') and leaks(watch.text) != [], "to all programs of the user while it is asked for")
        spy.end()
        # It has had the last one before the connection ended.
        time.sleep(2)
        begin = len(watch.text)
        time.sleep(3)
        check(not leaks(watch.end()[begin:]) and not leaks(people["wp-reduced"].say(['{"request":"watch"}', '{"request":"status"}'], 2)), "and not afterwards")
        asked = Talk(people["wp-reduced"].start(f"{BIN}/waypost", "request-full", "--purpose", "other", "--wait", "60", "--for", "1"))
        check(within(20, lambda: "--purpose other" in root.waypost("grants")), "another purpose waits for the administrator")
        root.waypost("grant", str(users["wp-reduced"]), "full", "--purpose", "other", "--for", "1h")
        check("full" in asked.whole(), "and is given then")

        # Doors.
        gpsd = people["wp-full"].say(b'?WATCH={"enable":true,"json":true,"nmea":true};\n?POLL;\n', 5, kind="AF_INET", address=port)
        check("VERSION" in gpsd and not leaks(gpsd) and "PRN" not in gpsd, f"the gpsd door gives no more than the policy says ({len(gpsd)} bytes, {leaks(gpsd)})")
        text = User(world, users["wp-stranger"] + 50).say(b"", 3, address=f"{folder}/nmea.sock")
        check(not text, f"the NMEA socket gives a stranger nothing {text[-200:]!r}")
        check(people["wp-full"].talk(b"", 30, address=f"{folder}/nmea.sock").has("GGA"), "and all to whom all is granted")
        owner = json.loads(root.say(['{"request":"page"}']).splitlines()[1])["token"]
        ask = "GET /api/v1/state HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nConnection: close\r\n\r\n"
        page = lambda: root.say((ask % owner).encode(), 30, address=f"{folder}/page.sock")
        check(leaks(page()) != [], "the page gives its owner the position")
        text = root.say(['{"request":"page","guest_seconds":600}'])
        check('"class":"ERROR"' in text and "guest" in text, "and guests get no link, as the policy says")

        # A broken policy.
        world.set_policy(policy + "\n[people]\n")
        within(10, lambda: "there is no section" in root.waypost("status"))
        text = "".join(people[name].say(['{"request":"watch"}', '{"request":"status"}', '{"request":"fences_active"}'], 2) for name in NAMES)
        check(not leaks(text, ('"lat"',)), "a broken policy is for nobody")
        status = root.waypost("status")
        check("there is no section" in status and "policy.toml:" in status, "and status says which line it is")
        check(" 403 " in page(), "the page is shut")
        check("full" in root.waypost("request"), "root knows all the same")

        trail = open(f"{world.state}/audit").read()
        check('"action":"grant"' in trail and '"action":"full ends"' in trail and '"purpose":"navigation"' in trail and not pattern.search(trail),
              f"the audit trail has {len(trail.splitlines())} entries and no coordinate")
        log = open(world.log).read()
        check(not pattern.search(log), "nor has the message log")
        check('"action":"ask"' not in trail and "access: ask (user " in log, "questions are in the message log only")
        check(os.stat(f"{world.state}/audit").st_mode & 0o077 == 0 and os.stat(f"{world.state}/grants").st_mode & 0o077 == 0, "both files are private")
    finally:
        for name in made:
            subprocess.run(["userdel", name], capture_output=True)
        world.kill()
    return world.end()


sys.exit(main())
