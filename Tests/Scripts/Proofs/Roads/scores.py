#!/usr/bin/env python3
"""How often map matching finds the right road, on tracks whose truth is known, and beside Valhalla in the same run.

Usage: Tests/Scripts/Proofs/Roads/scores.py WAYPOST DATA [VALHALLA]
  WAYPOST   the command
  DATA      AREA.osm.pbf, and beside it AREA/NAME.sSIGMA.iINTERVAL.gpx, NAME being drive* or foot*, with AREA/NAME.truth.jsonl (time, lat, lon,
            way_id, s: metres along the route) and AREA/NAME.route.json (segments: way, node, node, metres); without them it says so and ends
  VALHALLA  the unpacked wheel, see valhalla.py
Needs nothing else. way: the exact way; near: a way of the route within 10 m of the true place along it; p95: metres from the true place.
Valhalla has no matching fix by fix: for "at once" it gets, for each fix, the last minute or ten fixes, at 1 s for sigma 10 alone.
"""
import argparse, bisect, calendar, collections, glob, json, math, os, re, subprocess, sys, tempfile, time

from valhalla import Valhalla, fixes

options = argparse.ArgumentParser()
for name in ("waypost", "data"):
    options.add_argument(name)
options.add_argument("valhalla", nargs="?")
options = options.parse_args()
work = tempfile.mkdtemp()
failures = []
intervals = (1, 5, 15, 30)


def check(what, holds, detail=""):
    print(f"{'ok  ' if holds else 'FAIL'} {what} {detail}")
    if not holds:
        failures.append(what)


def seconds(text):
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


def metres(lat, lon, other_lat, other_lon):
    mean = math.radians((lat + other_lat) / 2)
    return math.hypot(math.radians(lat - other_lat), math.radians(lon - other_lon) * math.cos(mean)) * 6_371_008.8


class Track:
    """A noisy track and where the device truly was."""

    def __init__(self, path):
        self.path = path
        area, name = os.path.split(path)
        name, sigma, interval, _ = name.split(".")
        self.area, self.mode = os.path.basename(area), "drive" if name.startswith("drive") else "foot"
        self.sigma, self.interval = int(sigma[1:]), int(interval[1:])
        self.fixes = fixes(path)
        with open(f"{area}/{name}.truth.jsonl") as file:
            self.truth = {row["time"]: row for row in map(json.loads, file)}
        with open(f"{area}/{name}.route.json") as file:
            segments = json.load(file)["segments"]
        self.ways, self.starts = [segment[0] for segment in segments], [0.0]
        for segment in segments:
            self.starts.append(self.starts[-1] + segment[3])

    @property
    def cell(self):
        return self.mode, self.sigma, self.interval

    def score(self, found, into):
        """Counts what was found for each fix: a way and a place, or None."""
        assert len(found) == len(self.fixes), self.path
        for (lat, lon, text), match in zip(self.fixes, found):
            truth = self.truth[seconds(text)]
            way, at = (match[0], match[1:]) if match else (None, (lat, lon))
            first = max(bisect.bisect_right(self.starts, truth["s"] - 10) - 1, 0)
            last = bisect.bisect_right(self.starts, truth["s"] + 10)
            into.append((way == truth["way_id"], way in self.ways[first:last], metres(truth["lat"], truth["lon"], *at)))


def own(track, roads, *arguments, without_speed=False):
    path = track.path
    if without_speed:
        path = f"{work}/bare.gpx"
        with open(track.path) as file, open(path, "w") as bare:
            bare.write(re.sub(r"<gpxtpx:(speed|course)>.*?</gpxtpx:\1>", "", file.read()))
    lines = subprocess.check_output([options.waypost, "match", roads, path, "--json", "--mode", "car" if track.mode == "drive" else "foot", *arguments])
    rows = map(json.loads, lines.splitlines())
    return [(row["way_id"], row["matched_lat"], row["matched_lon"]) if row["way_id"] is not None else None for row in rows]


def at_once(track, server, costing):
    """What Valhalla says of each fix when it is the last one that it knows."""
    times = [seconds(text) for *_, text in track.fixes]
    found = []
    for end in range(len(track.fixes)):
        begin = min(bisect.bisect_left(times, times[end] - 60), max(0, end - 9))
        found.append(server.ways(track.fixes[begin:end + 1], costing)[-1])
    return found


def cell(scores):
    """way%, near%, p95."""
    count = len(scores)
    distances = sorted(distance for *_, distance in scores)
    return 100 * sum(way for way, *_ in scores) / count, 100 * sum(near for _, near, _ in scores) / count, distances[int(0.95 * (count - 1))]


def main():
    paths = [path for path in sorted(glob.glob(f"{options.data}/*/*.gpx")) if os.path.exists(f"{path.split('.s')[0]}.truth.jsonl")]
    if not paths:
        print(f"skipped: {options.data} has no tracks with their truth")
        return
    scores = collections.defaultdict(lambda: collections.defaultdict(list))  # by tool, then by cell
    for area in sorted({os.path.basename(os.path.dirname(path)) for path in paths}):
        extract, roads = f"{options.data}/{area}.osm.pbf", f"{work}/{area}.roads"
        subprocess.run([options.waypost, "roads", "build", extract, roads], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        tracks = [Track(path) for path in paths if os.path.basename(os.path.dirname(path)) == area]
        for track in tracks:
            track.score(own(track, roads), scores["whole"][track.cell])
            track.score(own(track, roads, "--online"), scores["lag 0"][track.cell])
            track.score(own(track, roads, "--online", "--lag", "5"), scores["lag 5"][track.cell])
            track.score(own(track, roads, "--online", without_speed=True), scores["lag 0 bare"][track.cell])
        if not options.valhalla:
            continue
        with Valhalla(options.valhalla, extract, work) as server:
            for track in tracks:
                costing = "auto" if track.mode == "drive" else "pedestrian"
                track.score(server.ways(track.fixes, costing), scores["Valhalla"][track.cell])
                if track.interval > 1 or track.sigma == 10:
                    track.score(at_once(track, server, costing), scores["Valhalla 0"][track.cell])
    tools = [tool for tool in ("whole", "Valhalla", "lag 0", "lag 5", "lag 0 bare", "Valhalla 0") if tool in scores]
    table = {tool: {key: cell(values) for key, values in scores[tool].items()} for tool in tools}
    cells = sorted(table["whole"])
    print(f"| way% / near% / p95 m | {' | '.join(tools)} |\n|{'---|' * (len(tools) + 1)}")
    for key in cells:
        row = ["{:.1f} / {:.1f} / {:.1f}".format(*table[tool][key]) if key in table[tool] else "-" for tool in tools]
        print(f"| {'/'.join(map(str, key))} | {' | '.join(row)} |")
    judge(table, cells)


def judge(table, cells):
    if ("foot", 10, 1) in cells:
        check("a walk with fixes each second, sigma 10 m, has the exact way in 88 %", table["whole"]["foot", 10, 1][0] >= 88, f"{table['whole']['foot', 10, 1][0]:.1f}")
    if "Valhalla" not in table:
        return
    for mode in ("drive", "foot"):
        of = [key for key in cells if key[0] == mode and key[2] in (1, 5, 30)]
        gaps = {key: table["whole"][key][1] - table["Valhalla"][key][1] for key in of}
        least = min(gaps, key=gaps.get)
        check(f"{mode}: near is at most 1.0 below Valhalla in any cell", gaps[least] >= -1, f"least {gaps[least]:+.1f} at {least[1:]}")
        mean = sum(gaps.values()) / len(gaps)
        check(f"{mode}: and ahead on average", mean > 0, f"{mean:+.1f}")
    for name, interval in (("5 s", 5), ("1 s", 1)):
        for index, kind in enumerate(("way", "near")):
            of = [key for key in cells if key[2] == interval and key in table["Valhalla 0"]]
            gaps = {key: table["lag 0"][key][index] - table["Valhalla 0"][key][index] for key in of}
            least = min(gaps, key=gaps.get)
            check(f"at once, {name}: {kind} is never behind", gaps[least] >= 0, f"least {gaps[least]:+.1f} at {least[:2]}")
            mean = sum(gaps.values()) / len(gaps)
            check(f"at once, {name}: {kind} is ahead by 3 points on average", mean >= 3, f"{mean:+.1f}")
            bare = {key: table["lag 0 bare"][key][index] - table["Valhalla 0"][key][index] for key in of}
            mean = sum(bare.values()) / len(bare)
            check(f"at once, {name}: without speed and course {kind} is at least level on average", mean >= 0, f"{mean:+.1f}")


main()
sys.exit(1 if failures else 0)
