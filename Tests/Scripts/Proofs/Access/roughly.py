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
import socket
import subprocess
import sys
import threading
import time

from access_world import BIN, Client, Receiver, World, write_track

POLLS = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
USER = 61_861
CELL = 180 / 4_000


def edge_walk(path):
    """Three hours on foot along the northern edge of a band of cells: ten metres to both sides of it, now and then half a kilometre and more."""
    edge = math.floor((47.0 + 90) / CELL) * CELL - 90
    points = []
    for second in range(0, 10_800, 2):
        north = 10 * math.sin(second / 7) + (1_200 * math.sin(second / 1_700) if second > 5_000 else 0)
        latitude, longitude = edge + north / 111_200, 8.5 + second * 1.4 / 76_000
        points.append((latitude, longitude, second))
    write_track(path, points)


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def middle(latitude, longitude):
    band = math.floor((latitude + 90) / CELL)
    centre = (band + 0.5) * CELL - 90
    columns = int(360 / CELL * math.cos(math.radians(centre)))
    column = math.floor((longitude + 180) / 360 * columns)
    return round(centre, 4), round((column + 0.5) * 360 / columns - 180, 4)


def polls(world):
    """What many answers tell; false where this machine was too slow to ask all the time, or to know a change to half a minute."""
    edge_walk(f"{world.folder}/walk.gpx")
    world.start(f"gpx:{world.folder}/walk.gpx?speed=180")
    check = world.check
    try:
        spy, truth, watcher = Client(world.socket, USER), Client(world.socket), Client(world.socket, USER)
        watched = []
        watcher.next()
        watcher.listen(lambda line: watched.append(json.loads(line)), {"request": "watch"})
        told, places, changes, before, earlier = [], [], [], None, 0
        begin = time.monotonic()
        for number in range(POLLS):
            # As many as there are, spread over the walk.
            time.sleep(max(0, begin + number * 58 / POLLS - time.monotonic()))
            known = truth.ask({"request": "status"}).get("position")
            answer = spy.ask({"request": "status"})
            later = truth.ask({"request": "status"}).get("position")
            if "position" not in answer or not known or not later:
                continue
            position = answer["position"]
            told.append((position["lat"], position["lon"], position["time"]))
            places.append((known["lat"], known["lon"], seconds(known["time"])))
            if told[-1] != before:
                changes.append((earlier, seconds(later["time"])))
            before, earlier = told[-1], seconds(known["time"])
            if set(answer) - {"class", "version", "pid", "uptime", "health", "position"} or set(position) - {"class", "time", "mode", "lat", "lon", "accuracy", "accuracy_from"}:
                check(False, f"more than may be known: {answer}")
                break
        # However slow this machine is.
        check(all((lat, lon) == middle(lat, lon) for lat, lon, _ in set(told)), f"all answers are middles of cells: {len({t[:2] for t in told})} of them")
        check(all(seconds(moment) % 900 == 0 for _, _, moment in set(told)), "with the start of a quarter of an hour as their time")
        # The first is told at once, as nothing was known. The device's time is asked for before and after each answer: between that before the last
        # old answer and that after the new one a quarter begins, however slow this machine is. A fix comes each two seconds.
        spans = changes[1:]
        if time.monotonic() - begin > 60 or spans and sorted(end - begin for begin, end in spans)[len(spans) // 2] >= 30:
            return bool(world.failures)
        span = places[-1][2] - places[0][2]
        print(f"{len(told)} polls while the device walked for {span / 60:.0f} min")
        check(len(told) > POLLS * 0.9 and span > 1_800, "the walk was polled")
        check(len(set(told)) <= span / 900 + 2, f"{len(set(told))} different answers in {span / 900:.1f} quarters of an hour")
        check(all((end + 2) // 900 > (begin - 2) // 900 for begin, end in spans), f"they change when a quarter begins: {[(b % 900, e % 900) for b, e in spans]}")
        away = [abs(lat - place[0]) / CELL for (lat, _, _), place in zip(told, places)]
        print(f"from the answer to the device {min(away):.2f} to {max(away):.2f} cells; average of all answers {sum(t[0] for t in told) / len(told):.4f} N, of the device "
              f"{sum(p[0] for p in places) / len(places):.4f} N")
        # On the edge the device is half a cell away from every answer, however many there are. The walk leaves it after 5 000 s; how far it
        # has come is known by its longitude, as its times are those of the replay.
        first = [t[0] for t, place in zip(told, places) if (place[1] - 8.5) * 76_000 / 1.4 < 4_900]
        check(len(set(first)) == 1, f"along the edge always the same cell: {sorted(set(first))}")
        lines = {(line["lat"], line["lon"], line["time"]) for line in watched if line["class"] == "TPV"}
        check(lines <= set(told) and {line["class"] for line in watched} <= {"TPV"}, f"a watch gets the same and no more: {len(lines)} positions")
        return True
    finally:
        world.kill()


def moments(world, words, steps, expected):
    """What the spy sees while the receiver is somewhere from some second before or after a quarter of an hour on; false where this machine stood still."""
    quarter = 1_777_624_200
    receiver = Receiver(quarter - 920)
    probe = socket.socket()
    probe.bind(("127.0.0.1", 0))
    door = probe.getsockname()[1]
    probe.close()
    world.set_configuration(f'[log]\ntypes = []\n[privacy]\nzones = ["home: 47.2, 8.5, 2 km"]\n[share]\ngpsd = "127.0.0.1:{door}"\n')
    world.start(f"nmea-tcp://127.0.0.1:{receiver.port}")
    check = world.check
    try:
        spy, watcher, owner = Client(world.socket, USER), Client(world.socket, USER), Client(world.socket)
        seen = []
        watcher.next()
        watcher.listen(lambda line: seen.append(("watch", receiver.now() - quarter, line[:60])), {"request": "watch"})
        gpsd = socket.create_connection(("127.0.0.1", door))
        gpsd.sendall(b'?WATCH={"enable":true,"json":true};\n')
        threading.Thread(target=lambda: [seen.append(("gpsd", receiver.now() - quarter, line[:60])) for line in gpsd.makefile("r") if '"TPV"' in line], daemon=True).start()
        before = {}
        # A new tracker tells the first position at once, and nothing new in the quarter of an hour of that.
        while "position" not in spy.ask({"request": "status"}):
            time.sleep(0.1)
        receiver.moment += quarter - 20 - receiver.now()
        slowest, last = 0, receiver.now()
        while receiver.now() < quarter + 25:
            slowest, last = max(slowest, receiver.now() - last), receiver.now()
            while steps and receiver.now() - quarter >= steps[0][0]:
                place = steps.pop(0)[1]
                if isinstance(place, bool):
                    owner.ask({"request": "private", "on": place})
                else:
                    receiver.place = place
            answer = spy.ask({"request": "status"})
            for door_name, value in (("position", json.dumps(answer.get("position"))), ("health", answer["health"])):
                if before.get(door_name, value) != value:
                    seen.append((door_name, receiver.now() - quarter, value[:60]))
                before[door_name] = value
            time.sleep(0.02)
        # The clock was set shortly before that. What comes late because this machine stood still does not come from the device.
        latest = 1.5 + slowest
        wrong = [(what, round(moment, 2), text) for what, moment, text in seen if moment > -14 and not -0.2 <= moment <= latest]
        at = sorted({what for what, moment, _ in seen if -0.2 <= moment <= latest})
        # Between two programs it may stand still for longer than this one sees.
        if latest > 4.5 or slowest > 0.5 and (wrong or at != expected):
            return False
        check(not wrong, f"{words}: nothing changes but at the quarter: {wrong[:3]}")
        check(at == expected, f"{words}: seen at the quarter: {at}")
        return True
    finally:
        world.kill()


OUT, ZONE = (47.01, 8.5), (47.2, 8.5)
MOMENTS = [
    ("into a zone", [(-10, ZONE)], ["gpsd", "position"]),
    ("into a zone and out again before the quarter", [(-12, ZONE), (-11, OUT)], ["gpsd", "position", "watch"]),
    ("lost before it and found after it", [(-10, None), (12, OUT)], ["gpsd", "position", "watch"]),
    ("another cell after it", [(5, (47.3, 8.9))], ["gpsd", "position", "watch"]),
    ("the end of private mode", [(-16, True), (-12, False)], ["gpsd", "position", "watch"]),
]


def judged(words, world, make, part):
    """The world in which a part was judged: where this machine stood still, it is tried again, a few times."""
    for _ in range(5):
        if part(world):
            return world
        print(f"{words}: this machine stood still for seconds; again", flush=True)
        world.end(total=False)
        world = make()
    world.check(False, f"{words}: this machine was too slow five times")
    return world


def main():
    number = int(sys.argv[3]) if len(sys.argv) > 3 else None
    make = lambda: World("roughly", f'[user]\n{USER} = {{ level = "reduced", scope = "always" }}\n[door]\ngpsd = "reduced"\n')
    if number is None:
        # Each takes three quarters of a minute, mostly of waiting.
        others = [subprocess.Popen([sys.executable, __file__, BIN, str(POLLS), str(index)]) for index in range(len(MOMENTS))]
        world = judged("many polls", make(), make, polls)
        world.failures.extend(f"part {index}" for index, other in enumerate(others) if other.wait() != 0)
    else:
        words, steps, expected = MOMENTS[number]
        world = judged(words, make(), make, lambda world: moments(world, words, list(steps), expected))
    return world.end(total=number is None)


sys.exit(main())
