"""A server of Valhalla for one area, beside which waypost is measured: tiles built from the same extract, and traces matched by it."""
import glob, http.client, json, os, re, subprocess, sys, time


def fixes(path):
    """The fixes of a GPX file: latitude, longitude, and the time as it stands there."""
    import xml.etree.ElementTree as XML
    points = XML.parse(path).getroot().iter("{http://www.topografix.com/GPX/1/1}trkpt")
    return [(float(p.get("lat")), float(p.get("lon")), p.find("{*}time").text) for p in points]


class Valhalla:
    """
    Usage: with Valhalla(WHEEL, EXTRACT, FOLDER) as server: server.ask(fixes, "auto")
    WHEEL is the unpacked wheel: pip download --no-deps --only-binary :all: --python-version 3.12 --platform manylinux_2_28_x86_64
    pyvalhalla==3.9.1, and unzip.
    """

    def __init__(self, wheel, extract, work):
        programs = f"{wheel}/valhalla/bin"
        area = os.path.basename(extract).split(".")[0]
        self.tiles, settings = f"{work}/tiles-{area}", f"{work}/{area}.json"
        made = subprocess.run([sys.executable, f"{wheel}/valhalla/valhalla_build_config.py", "--mjolnir-tile-dir", self.tiles],
                              capture_output=True, text=True)
        config = json.loads(made.stdout)
        self.port = 18_000 + os.getpid() % 2_000
        config["httpd"]["service"]["listen"] = f"tcp://127.0.0.1:{self.port}"
        for name in ("loopback", "interrupt"):
            config["httpd"]["service"][name] = f"ipc://{work}/{area}-{name}"
        for name in ("loki", "thor", "odin"):
            config[name]["service"]["proxy"] = f"ipc://{work}/{area}-{name}"
        config["mjolnir"]["concurrency"] = 1
        config["service_limits"]["trace"]["max_shape"] = 100_000
        config["service_limits"]["trace"]["max_distance"] = 1e7
        with open(settings, "w") as file:
            json.dump(config, file)
        self.building = [f"{programs}/valhalla_build_tiles", "-c", settings, extract]
        self.serving = [f"{programs}/valhalla_service", settings, "1"]

    @property
    def byte_count(self):
        return sum(os.path.getsize(path) for path in glob.glob(f"{self.tiles}/**/*.gph", recursive=True))

    def __enter__(self):
        if not os.path.exists(self.tiles):
            subprocess.run(self.building, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.server = subprocess.Popen(self.serving, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.connection = None
        for _ in range(100):
            try:
                http.client.HTTPConnection("127.0.0.1", self.port, timeout=5).connect()
                return self
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        sys.exit("Valhalla does not answer")

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()

    @property
    def seconds(self):
        """The processor's seconds of the server, user and system."""
        fields = open(f"/proc/{self.server.pid}/stat").read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def peak_megabytes(self):
        return int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{self.server.pid}/status").read())[1]) / 1_000

    def ask(self, points, costing):
        """The answer to a trace, and whether it was matched."""
        body = dict(shape=[dict(lat=lat, lon=lon) for lat, lon, *_ in points], costing=costing, shape_match="map_snap",
                    filters=dict(attributes=["edge.way_id", "matched.point", "matched.type", "matched.edge_index"], action="include"))
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        self.connection.request("POST", "/trace_attributes", json.dumps(body), {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        return json.loads(answer.read()), answer.status == 200

    def ways(self, points, costing):
        """For each fix the way and the place; None where there is none."""
        if len(points) < 2:
            return [None] * len(points)
        answer, is_matched = self.ask(points, costing)
        if not is_matched:
            return [None] * len(points)
        edges, found = answer["edges"], []
        for match in answer["matched_points"]:
            edge = match.get("edge_index")
            on_road = match.get("type") != "unmatched" and edge is not None and edge < len(edges)
            found.append((edges[edge]["way_id"], match["lat"], match["lon"]) if on_road else None)
        return found
