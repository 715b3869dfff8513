#!/usr/bin/env python3
"""What map matching costs, beside Valhalla in the same run: processor time and memory for a fix, size, building and opening of the map.

Usage: Tests/Scripts/Proofs/Roads/beside_valhalla.py WAYPOST DATA [VALHALLA]
  WAYPOST   the release build of the command
  DATA      AREA.osm.pbf, and beside it AREA/NAME.sSIGMA.iINTERVAL.gpx, NAME being drive* or foot*
  VALHALLA  the unpacked wheel, see valhalla.py
Needs nothing else. Times are of the processor, user and system: of a whole track, less those of a track of one fix.
"""
import glob, json, os, re, subprocess, sys, tempfile, time

from valhalla import Valhalla, fixes

waypost, data = sys.argv[1:3]
wheel = sys.argv[3] if len(sys.argv) > 3 else None
work = tempfile.mkdtemp()


def run(command, output=subprocess.DEVNULL):
    """The seconds of the processor, those of the wall, and the peak of memory in MB."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command}: status {status}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1_000


def of(mode, interval, area):
    return sorted(glob.glob(f"{data}/{area}/{mode}*.i{interval:02d}.gpx"))


def shorten(path):
    """The same track with its first fix alone."""
    text = open(path).read()
    short = f"{work}/one.gpx"
    open(short, "w").write(re.sub(r"(</trkpt>).*(</trkpt>)", r"\1", text, count=1, flags=re.S))
    return short


def own(area, rows):
    roads = f"{work}/{area}.roads"
    seconds, wall, memory = run([waypost, "roads", "build", f"{data}/{area}.osm.pbf", roads])
    info = json.loads(subprocess.check_output([waypost, "roads", "info", "--json", roads]))
    opening = min(run([waypost, "roads", "info", roads])[1] for _ in range(5)) - min(run([waypost, "--version"])[1] for _ in range(5))
    print(f"{area}: built in {wall:.2f} s with {memory:.0f} MB, {info['bytes'] / info['road_km']:.0f} bytes per road km, "
          f"opened and checked in {1e3 * max(opening, 0):.1f} ms")
    for mode, name in (("car", "drive"), ("foot", "foot")):
        for interval in (1, 5, 30):
            spent, count, peak = 0.0, 0, 0.0
            for path in of(name, interval, area):
                command = [waypost, "match", roads, path, "--json", "--online", "--mode", mode]
                seconds, _, memory = run(command)
                reading, _, _ = run([waypost, "convert", path, f"{work}/out.jsonl"])
                start, _, _ = run(command[:3] + [shorten(path)] + command[4:])
                empty, _, _ = run([waypost, "convert", f"{work}/one.gpx", f"{work}/out.jsonl"])
                # Without reading and writing the track, which is not matching.
                spent += max(seconds - start - (reading - empty), 0)
                count += len(fixes(path))
                peak = max(peak, memory)
            rows.setdefault((name, interval), {})["waypost"] = add(rows.get((name, interval), {}).get("waypost"), spent, count, peak)


def add(before, spent, count, peak):
    before = before or (0.0, 0, 0.0)
    return before[0] + spent, before[1] + count, max(before[2], peak)


def theirs(area, rows):
    server = Valhalla(wheel, f"{data}/{area}.osm.pbf", work)
    seconds, wall, memory = run(server.building)
    print(f"{area}: Valhalla built in {wall:.2f} s with {memory:.0f} MB, {server.byte_count} bytes")
    with server:
        server.ask(fixes(of("drive", 30, area)[0])[:2], "auto")
        for name, costing in (("drive", "auto"), ("foot", "pedestrian")):
            for interval in (1, 5, 30):
                tracks = [fixes(path) for path in of(name, interval, area)]
                began = server.seconds
                for points in tracks:
                    server.ask(points, costing)
                row = rows.setdefault((name, interval), {})
                row["Valhalla"] = add(row.get("Valhalla"), server.seconds - began, sum(map(len, tracks)), server.peak_megabytes)


rows = {}
for pbf in sorted(glob.glob(f"{data}/*.osm.pbf")):
    area = os.path.basename(pbf).removesuffix(".osm.pbf")
    own(area, rows)
    if wheel:
        theirs(area, rows)
print("\n| track | interval, s | fixes | waypost, us each | MB | Valhalla, us each | MB |\n|---|---|---|---|---|---|---|")
for (name, interval), row in rows.items():
    cells = []
    for tool in ("waypost", "Valhalla"):
        spent, count, peak = row.get(tool, (0, 0, 0))
        cells += [f"{1e6 * spent / count:.1f}", f"{peak:.0f}"] if count else ["-", "-"]
    print(f"| {name} | {interval} | {row['waypost'][1]} | {' | '.join(cells)} |")
