#!/usr/bin/env python3
"""Writes which functions a tracker calls while it runs, the most called first, for the linker: Config/function-order.txt.

Usage: python3 Tests/Scripts/Tools/function_order.py [--bin .build/release] [--least CALLS] [OUT]

Needs valgrind. A tracker of the release build plays the bundled drive, twenty times as fast, with fences, a log, a destination whose server is away, a
map page with three streams, a gpsd door with a client, and questions for its status; callgrind counts the calls. Names that a later build no longer
has are passed over by the linker. What is called less often than CALLS (5) stays where it is.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import threading
import time

TOKEN = "0123456789abcdef0123456789abcdef"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def stay(port, text):
    """A client that sends a text and takes what comes until the end."""
    try:
        with socket.create_connection(("127.0.0.1", port)) as line:
            line.sendall(text)
            while line.recv(65_536):
                pass
    except OSError:
        pass  # The tracker has ended.


def play(programs, folder):
    """Lets callgrind watch a whole run; returns its report."""
    subprocess.run(["strip", "-g", "-o", folder / "waypostd", programs / "waypostd"], check=True)
    page, gpsd, away = free_port(), free_port(), free_port()
    (folder / "token").write_text(TOKEN + "\n")
    (folder / "token").chmod(0o600)
    fences = [{"type": "Feature", "properties": {"name": name, "radius": radius}, "geometry": {"type": "Point", "coordinates": place}}
              for name, radius, place in [("Start", 300, [10.2410, 51.7325]), ("Village", 500, [10.2500, 51.7300]), ("Far", 900, [10.4, 51.9])]]
    (folder / "fences.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": fences}))
    (folder / "w.toml").write_text(
        f'[geofences]\nfile = "{folder}/fences.geojson"\n[map]\nlisten = "127.0.0.1:{page}"\ntoken_file = "{folder}/token"\n'
        f'[share]\ngpsd = "127.0.0.1:{gpsd}"\n[[destination]]\nname = "home"\nurl = "http://127.0.0.1:{away}/"\ninterval = 5\n')
    report = folder / "callgrind.out"
    tracker = subprocess.Popen(
        ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={report}", folder / "waypostd", "--config", folder / "w.toml",
         "--source", f"nmea:{pathlib.Path('Tests/Data/drive.nmea').resolve()}?speed=20", "--state", folder / "state", "--log", folder / "log",
         "--socket", folder / "socket"], stderr=(folder / "messages").open("w"))
    while "map page at" not in (folder / "messages").read_text():
        if tracker.poll() is not None:
            raise SystemExit((folder / "messages").read_text())
        time.sleep(0.2)
    stream = f"GET /api/v1/stream HTTP/1.1\r\nHost: 127.0.0.1:{page}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n".encode()
    for port, text in [(page, stream)] * 3 + [(gpsd, b'?WATCH={"enable":true,"json":true};\n')]:
        threading.Thread(target=stay, args=(port, text), daemon=True).start()
    while tracker.poll() is None:
        subprocess.run([programs / "waypost", "status", "--socket", folder / "socket"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(4)
    return report


def calls(report):
    """How often each function of the tracker's own file was called, by its name in the symbol table; callgrind(1), "format of profile data"."""
    names, objects, home, count = {}, {}, {}, collections.Counter()
    here = called_in = called = None
    for line in report.open():
        if match := re.match(r"(c?ob)=\((\d+)\)(?: (.*))?$", line):
            kind, number, name = match.groups()
            if name:
                objects[number] = name
            here, called_in = (number, called_in) if kind == "ob" else (here, number)
        elif match := re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line):
            kind, number, name = match.groups()
            if name:
                names[number] = re.sub(r"'\d+$", "", name)
            home.setdefault(number, here if kind == "fn" else called_in or here)
            if kind == "cfn":
                called, called_in = number, None
        elif line.startswith("calls="):
            count[called] += int(line[6:].split()[0])
    own = collections.Counter()
    for number, times in count.items():
        if objects.get(home[number], "").endswith("/waypostd") and not names[number].startswith("0x"):
            own[names[number]] += times
    return own


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--bin", default=".build/release", type=pathlib.Path)
    parser.add_argument("--least", default=5, type=int)
    parser.add_argument("out", nargs="?", default="Config/function-order.txt", type=pathlib.Path)
    options = parser.parse_args()
    os.chdir(pathlib.Path(__file__).parents[3])
    with tempfile.TemporaryDirectory() as name:
        own = calls(play(options.bin.resolve(), pathlib.Path(name)))
    chosen = [function for function, times in own.most_common() if times >= options.least]
    options.out.write_text("".join(function + "\n" for function in chosen))
    print(f"{len(own)} functions were called, {len(chosen)} of them at least {options.least} times: {options.out}")


main()
