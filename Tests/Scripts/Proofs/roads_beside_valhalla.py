#!/usr/bin/env python3
"""What map matching costs, beside Valhalla in the same run: processor time and memory for a fix, size, building and opening of the map.

Usage: roads_beside_valhalla.py WAYPOST DATA [VALHALLA]
  WAYPOST   the release build of the command
  DATA      AREA.osm.pbf, and beside it AREA/NAME.sSIGMA.iINTERVAL.gpx, NAME being drive* or foot*
  VALHALLA  the unpacked wheel: pip download --no-deps --only-binary :all: --python-version 3.12 --platform manylinux_2_28_x86_64
            pyvalhalla==3.9.1, and unzip
Needs nothing else. Times are of the processor, user and system: of a whole track, less those of a track of one fix.
"""
import glob, http.client, json, os, re, subprocess, sys, tempfile, time, xml.etree.ElementTree as XML

waypost, data = sys.argv[1:3]
valhalla = sys.argv[3] if len(sys.argv) > 3 else None
work = tempfile.mkdtemp()


def run(command, output=subprocess.DEVNULL):
    """The seconds of the processor, those of the wall, and the peak of memory in MB."""
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{command}: status {status}")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - began, usage.ru_maxrss / 1_000


def fixes(path):
    points = XML.parse(path).getroot().iter("{http://www.topografix.com/GPX/1/1}trkpt")
    return [(float(p.get("lat")), float(p.get("lon")), p.find("{*}time").text) for p in points]


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
    sys.path.insert(0, valhalla)
    programs = f"{valhalla}/valhalla/bin"
    tiles, settings = f"{work}/tiles-{area}", f"{work}/{area}.json"
    made = subprocess.run([sys.executable, f"{valhalla}/valhalla/valhalla_build_config.py", "--mjolnir-tile-dir", tiles],
                          capture_output=True, text=True)
    config = json.loads(made.stdout)
    port = 18_000 + os.getpid() % 2_000
    config["httpd"]["service"]["listen"] = f"tcp://127.0.0.1:{port}"
    for name in ("loopback", "interrupt"):
        config["httpd"]["service"][name] = f"ipc://{work}/{area}-{name}"
    for name in ("loki", "thor", "odin"):
        config[name]["service"]["proxy"] = f"ipc://{work}/{area}-{name}"
    config["mjolnir"]["concurrency"] = 1
    config["service_limits"]["trace"]["max_shape"] = 100_000
    config["service_limits"]["trace"]["max_distance"] = 1e7
    json.dump(config, open(settings, "w"))
    seconds, wall, memory = run([f"{programs}/valhalla_build_tiles", "-c", settings, f"{data}/{area}.osm.pbf"])
    size = sum(os.path.getsize(p) for p in glob.glob(f"{tiles}/**/*.gph", recursive=True))
    print(f"{area}: Valhalla built in {wall:.2f} s with {memory:.0f} MB, {size} bytes")
    server = subprocess.Popen([f"{programs}/valhalla_service", settings, "1"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        def ticks():
            fields = open(f"/proc/{server.pid}/stat").read().rpartition(")")[2].split()
            return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

        def ask(points, costing):
            body = dict(shape=[dict(lat=p[0], lon=p[1]) for p in points], costing=costing, shape_match="map_snap",
                        filters=dict(attributes=["edge.way_id", "matched.point", "matched.edge_index"], action="include"))
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
            connection.request("POST", "/trace_attributes", json.dumps(body), {"Content-Type": "application/json"})
            return connection.getresponse().read()

        for _ in range(100):
            try:
                ask(fixes(of("drive", 30, area)[0])[:2], "auto")
                break
            except OSError:
                time.sleep(0.1)
        for name, costing in (("drive", "auto"), ("foot", "pedestrian")):
            for interval in (1, 5, 30):
                tracks = [fixes(path) for path in of(name, interval, area)]
                began = ticks()
                for points in tracks:
                    ask(points, costing)
                spent = ticks() - began
                peak = int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{server.pid}/status").read())[1]) / 1_000
                row = rows.setdefault((name, interval), {})
                row["Valhalla"] = add(row.get("Valhalla"), spent, sum(map(len, tracks)), peak)
    finally:
        server.terminate()
        server.wait()


rows = {}
for pbf in sorted(glob.glob(f"{data}/*.osm.pbf")):
    area = os.path.basename(pbf).removesuffix(".osm.pbf")
    own(area, rows)
    if valhalla:
        theirs(area, rows)
print("\n| track | interval, s | fixes | waypost, us each | MB | Valhalla, us each | MB |\n|---|---|---|---|---|---|---|")
for (name, interval), row in rows.items():
    cells = []
    for tool in ("waypost", "Valhalla"):
        spent, count, peak = row.get(tool, (0, 0, 0))
        cells += [f"{1e6 * spent / count:.1f}", f"{peak:.0f}"] if count else ["-", "-"]
    print(f"| {name} | {interval} | {row['waypost'][1]} | {' | '.join(cells)} |")
