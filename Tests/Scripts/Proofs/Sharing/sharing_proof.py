"""The doors of the tracker beside a real gpsd, with real clients; started by sharing-proof.sh."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

BIN, RECORDING = sys.argv[1:3]
WANTED = sys.argv[3:]
FEED = os.path.join(os.path.dirname(__file__), "../../Tools/feed.py")
# Epochs before the recording's first fix.
SKIP = 24
# The most that two clients may differ: what NMEA of a receiver can express, 1e-5 minutes.
TOLERANCE = 2e-7
processes = []
failures = []


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(command, **options):
    options.setdefault("stdout", subprocess.DEVNULL)
    options.setdefault("stderr", subprocess.DEVNULL)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
    processes.append(process)
    return process


def output(command, seconds, **options):
    """What a command prints until it ends, or for that long."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    try:
        return process.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGTERM)
        try:
            return process.communicate(timeout=5)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            return process.communicate()[0]


def both(read):
    """The same client on both sides at the same time."""
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor() as pool:
        return list(pool.map(read, (real_port, own_port)))


def compare(name, sides, least=10):
    """The places of both sides, by time; every time that both have must have the same place."""
    real, own = sides
    common = sorted(set(real) & set(own))
    away = max((max(abs(a - b) for a, b in zip(real[t], own[t])) for t in common), default=None)
    good = len(common) >= least and away <= TOLERANCE
    report(name, good, f"gpsd {len(real)}, waypost {len(own)}, both {len(common)}, furthest apart {away} degrees")


def report(name, good, words):
    print(f"{'ok ' if good else 'BAD'} {name}: {words}", flush=True)
    if not good:
        failures.append(name)


def skip(name, why):
    print(f"--  {name}: {why}", flush=True)


def tpvs(text):
    places = {}
    for line in text.splitlines():
        if not line.startswith('{"class":"TPV"'):
            continue
        tpv = json.loads(line)
        if tpv.get("mode", 0) >= 2 and "time" in tpv and "lat" in tpv:
            # gpsd tells an epoch more than once: the last counts.
            places[tpv["time"]] = (tpv["lat"], tpv["lon"])
    return places


def sentences(text):
    """The places of RMC with the time of day."""
    places = {}
    for line in text.splitlines():
        fields = line.split("*")[0].split(",")
        if fields[0][3:] == "RMC" and len(fields) > 9 and fields[2] == "A":
            def degrees(value, hemisphere):
                point = value.index(".")
                return (int(value[:point - 2]) + float(value[point - 2:]) / 60) * (-1 if hemisphere in "SW" else 1)
            places[float(fields[1])] = (degrees(*fields[3:5]), degrees(*fields[5:7]))
    return places


# -- The parts.


def part_gpspipe_w():
    """gpspipe -w -n 50"""
    compare("gpspipe -w -n 50", both(lambda port: tpvs(output(["gpspipe", "-w", "-n", "50", f"localhost:{port}"], 30))))


def part_gpspipe_r():
    compare("gpspipe -r", both(lambda port: sentences(output(["gpspipe", "-r", "-n", "150", f"localhost:{port}"], 30))))


def part_gpxlogger():
    def log(port):
        path = f"{work}/{port}.gpx"
        output(["gpxlogger", "-f", path, f"localhost:{port}"], 8)
        with open(path, encoding="utf-8") as file:
            points = re.findall(r'<trkpt lat="([^"]+)" lon="([^"]+)">.*?<time>([^<]+)</time>', file.read(), re.S)
        return {at: (float(lat), float(lon)) for lat, lon, at in points}
    compare("gpxlogger", both(log))


def part_cgps():
    """cgps on a terminal of 80 x 24, whose screen is read ten times."""
    if not shutil.which("tmux"):
        return skip("cgps", "no tmux")

    def screens(port):
        places = {}
        tmux = ["tmux", "-L", f"waypost{port}"]
        subprocess.run(tmux + ["new-session", "-d", "-x", "80", "-y", "24", f"cgps localhost:{port}"], check=True)
        try:
            for _ in range(60):
                time.sleep(0.1)
                screen = subprocess.run(tmux + ["capture-pane", "-p"], capture_output=True, text=True, check=False).stdout
                at = re.search(r"Time:\s+(\S+)", screen)
                lat = re.search(r"Latitude:\s+([\d.]+)\s+([NS])", screen)
                lon = re.search(r"Longitude:\s+([\d.]+)\s+([EW])", screen)
                if at and lat and lon and "FIX" in screen:
                    places[at[1]] = (float(lat[1]), float(lon[1]))
            if port == own_port:
                print("\n".join("      " + line for line in screen.rstrip().splitlines()[:14]))
            return places
        finally:
            subprocess.run(tmux + ["kill-server"], check=False, capture_output=True)
    compare("cgps", both(screens), least=5)


def python_part(name, module, code, interpreter="python3", judge=None):
    """A program on both sides; `judge` is another client of the gpsd, where the program itself sees too little there."""
    if subprocess.run([interpreter, "-c", f"import {module}"], capture_output=True, check=False).returncode:
        return skip(name, f"no module {module}")

    def read(port):
        return tpvs(output(judge(port) if judge and port == real_port else [interpreter, "-u", "-c", code, str(port)], 10))
    compare(name, both(read), least=5)


SAY = """
import json, sys, time
def say(at, lat, lon):
    print(json.dumps({"class": "TPV", "mode": 3, "time": at, "lat": float(lat), "lon": float(lon)}, separators=(",", ":")))
"""


def part_python_gps():
    """Debian's python3-gps."""
    python_part("Python's gps", "gps", SAY + """
import gps
session = gps.gps(host="127.0.0.1", port=sys.argv[1], mode=gps.WATCH_ENABLE)
for report in session:
    if report["class"] == "TPV" and report.mode >= 2 and hasattr(report, "lat"):
        say(report.time, report.lat, report.lon)
""", interpreter="/usr/bin/python3")


def part_gps3():
    """As Home Assistant's gpsd integration uses it."""
    # gpsd tells several TPVs of an epoch and its SKY at once, of which gps3 sees few, sometimes none.
    python_part("gps3", "gps3", SAY + """
from gps3.agps3threaded import AGPS3mechanism
mechanism = AGPS3mechanism()
mechanism.stream_data(host="127.0.0.1", port=int(sys.argv[1]))
mechanism.run_thread()
while True:
    stream = mechanism.data_stream
    if stream.mode in (2, 3) and stream.lat != "n/a":
        say(stream.time, stream.lat, stream.lon)
    time.sleep(0.05)
""", judge=lambda port: ["gpspipe", "-w", f"localhost:{port}"])


def part_gpsd_py3():
    python_part("gpsd-py3", "gpsd", SAY + """
import gpsd
gpsd.connect(host="127.0.0.1", port=int(sys.argv[1]))
while True:
    packet = gpsd.get_current()
    if packet.mode >= 2:
        say(packet.time, packet.lat, packet.lon)
    time.sleep(0.05)
""")


def part_libgps():
    """libgps in another tracker."""
    def follow(port):
        folder = f"{work}/follower-{port}"
        os.mkdir(folder)
        start([f"{BIN}/waypostd", "--source", f"gpsd://127.0.0.1:{port}", "--state", f"{folder}/state", "--log", f"{folder}/log",
               "--socket", f"{folder}/socket"])
        wait_for(lambda: os.path.exists(f"{folder}/socket"))
        return tpvs(output([f"{BIN}/waypost", "watch", "--json", "--socket", f"{folder}/socket"], 8))
    compare("libgps (waypost --source gpsd://)", both(follow))


def part_gpsd_on_our_nmea():
    """A real gpsd that reads our port 10110, with the satellites."""
    port = free_port()
    start(["gpsd", "-N", "-n", "-S", str(port), f"tcp://127.0.0.1:{nmea_port}"], env={**os.environ, "GPSD_SHM_KEY": "0x47505402"})
    time.sleep(2)
    text = [None, None]

    def read(which):
        text[which == port] = output(["gpspipe", "-w", "-n", "80", f"localhost:{which}"], 20)
        return tpvs(text[which == port])
    from concurrent.futures import ThreadPoolExecutor
    with ThreadPoolExecutor() as pool:
        compare("gpsd -n tcp:// on our NMEA", list(pool.map(read, (real_port, port))))

    def satellites(lines):
        views = [json.loads(line) for line in lines.splitlines() if line.startswith('{"class":"SKY"') and "satellites" in line]
        return [{(s["PRN"], s.get("gnssid"), s.get("svid"), s["used"]) for s in view["satellites"]} for view in views]
    real, own = satellites(text[0]), satellites(text[1])
    report("its satellites", bool(own) and any(view in real for view in own), f"{len(own)} views, {len(own[-1]) if own else 0} in the last")


def part_stuck():
    """One client of each kind hangs; another one gets every report, and the tracker stays as large as it is."""
    tracker_memory()
    commands = [["gpspipe", "-w", f"localhost:{own_port}"], ["gpspipe", "-r", f"localhost:{own_port}"],
                ["socat", "-u", f"TCP:127.0.0.1:{nmea_port}", "-"], ["socat", "-u", f"UNIX-CONNECT:{work}/nmea.sock", "-"]]
    stuck = [start(command) for command in commands if shutil.which(command[0])]
    time.sleep(1)
    for process in stuck:
        process.send_signal(signal.SIGSTOP)
    before = tracker_memory()
    # Much for the buffers of those that hang, at a rate that no receiver has.
    seconds = 20
    text = output(["gpspipe", "-w", f"localhost:{own_port}"], seconds)
    rate = len(tpvs(text)) / seconds
    after = tracker_memory()
    for process in stuck:
        process.kill()
    report("stuck clients", rate > 0.9 * RATE and after - before < 1024,
           f"{len(stuck)} hang; {rate:.1f} of {RATE} fixes a second; memory {before} -> {after} KiB")


def part_flood():
    """A client that asks for more than it reads."""
    before = tracker_memory()
    flood = []
    for _ in range(20):
        client = socket.create_connection(("127.0.0.1", own_port))
        client.setblocking(False)
        client.sendall(b'?WATCH={"enable":true};')
        try:
            for _ in range(1_000):
                client.send(b"?POLL;" * 500)
        except BlockingIOError:
            pass
        flood.append(client)
    time.sleep(3)
    after = tracker_memory()
    count = len(tpvs(output(["gpspipe", "-w", f"localhost:{own_port}"], 4)))
    for client in flood:
        client.close()
    report("a flood of polls", count > 0.8 * 4 * RATE and after - before < 8 * 1024,
           f"20 clients; {count / 4:.1f} of {RATE} fixes a second for another; memory {before} -> {after} KiB")


def tracker_memory():
    with open(f"/proc/{tracker.pid}/status", encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def wait_for(condition, seconds=15):
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            sys.exit("sharing-proof: something does not start")
        time.sleep(0.1)


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


RATE = 5
# gps3 reads a few times a second: receivers of one fix a second are what Home Assistant has.
RATES = {"part_gps3": 1}
real_port, own_port, nmea_port = free_port(), free_port(), free_port()


def set_up(rate):
    """Two receivers that say the same, a gpsd on one, the tracker on the other."""
    for side in ("gpsd", "waypost"):
        start(["python3", FEED, "--rate", str(rate), "--skip", str(SKIP), RECORDING, f"{work}/{side}"])
    wait_for(lambda: all(os.path.exists(f"{work}/{side}") for side in ("gpsd", "waypost")))
    os.chmod(os.path.realpath(f"{work}/gpsd"), 0o666)
    start(["gpsd", "-N", "-n", "-b", "-S", str(real_port), f"{work}/gpsd"], env={**os.environ, "GPSD_SHM_KEY": "0x47505401"})
    with open(f"{work}/waypost.toml", "w", encoding="utf-8") as file:
        file.write(f'''
[[source]]
url = "serial://{work}/waypost"
[share]
gpsd = "127.0.0.1:{own_port}"
nmea = "127.0.0.1:{nmea_port}"
nmea_socket = "{work}/nmea.sock"
''')
    own = start([f"{BIN}/waypostd", "--config", f"{work}/waypost.toml", "--state", f"{work}/state", "--log", f"{work}/log",
                 "--socket", f"{work}/socket"])
    wait_for(lambda: answers(real_port) and answers(own_port))
    time.sleep(3)
    return own


for name, part in list(globals().items()):
    if not name.startswith("part_") or (WANTED and name[5:] not in WANTED):
        continue
    work = tempfile.mkdtemp()
    os.chmod(work, 0o755)
    try:
        tracker = set_up(RATES.get(name, RATE))
        part()
    finally:
        while processes:
            process = processes.pop()
            process.kill()
            process.wait()
        shutil.rmtree(work)
print(f"{len(failures)} fell short" if failures else "all well")
sys.exit(bool(failures))
