"""A real Home Assistant in this process, and the tracker beside it; started by homeassistant-proof.sh."""

import asyncio
import json
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile

from homeassistant import bootstrap, runner
from homeassistant.helpers import device_registry, entity_registry

BIN, RECORDING = sys.argv[1:3]
failures = []
trackers = []


def report(name, good, words=""):
    print(f"{'ok ' if good else 'BAD'} {name}{': ' if words else ''}{words}", flush=True)
    if not good:
        failures.append(name)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_tracker(discovery):
    (work / "w.toml").write_text(f'''
[[source]]
url = "nmea:{work}/drive.nmea?speed=8"
[geofences]
file = "{work}/fences.geojson"
rule = "exact"
[[destination]]
name = "home"
kind = "homeassistant"
url = "mqtt://127.0.0.1:{port}"
device = "van"
interval = "2 s"
health = "5 s"
discovery = {str(discovery).lower()}
''')
    trackers.append(subprocess.Popen(
        [f"{BIN}/waypostd", "--config", f"{work}/w.toml", "--state", f"{work}/state", "--log", f"{work}/log", "--socket", f"{work}/socket",
         "--stay"], stdin=subprocess.DEVNULL, stderr=open(work / "tracker.log", "a", encoding="utf-8")))
    return trackers[-1]


def prepare(config):
    """A Home Assistant that knows its broker and nothing else, as if somebody had answered its questions."""
    (config / ".storage").mkdir(parents=True)
    (config / "configuration.yaml").write_text("homeassistant:\n  name: Home\n  latitude: 51.7\n  longitude: 10.2\n")
    entry = {
        "created_at": "2026-01-01T00:00:00+00:00", "modified_at": "2026-01-01T00:00:00+00:00", "data": {"broker": "127.0.0.1", "port": port},
        "disabled_by": None, "discovery_keys": {}, "domain": "mqtt", "entry_id": "01JAAAAAAAAAAAAAAAAAAAAAAA", "minor_version": 2,
        "options": {}, "pref_disable_new_entities": False, "pref_disable_polling": False, "source": "user", "subentries": [],
        "title": "broker", "unique_id": None, "version": 1}
    (config / ".storage/core.config_entries").write_text(json.dumps(
        {"version": 1, "minor_version": 5, "key": "core.config_entries", "data": {"entries": [entry]}}))


async def eventually(condition, seconds=60):
    for _ in range(seconds * 5):
        if condition():
            return True
        await asyncio.sleep(0.2)
    return False


async def main():
    config = work / "hass"
    prepare(config)
    hass = await bootstrap.async_setup_hass(
        runner.RuntimeConfig(config_dir=str(config), skip_pip=False, log_no_color=True, log_file=str(work / "hass.log")))
    await hass.async_start()

    def state(entity):
        found = hass.states.get(entity)
        return found.state if found else None

    def attribute(name):
        found = hass.states.get("device_tracker.van")
        return found.attributes.get(name) if found else None

    tracker = await asyncio.to_thread(start_tracker, True)
    report("Home Assistant finds the tracker", await eventually(lambda: attribute("latitude") is not None))
    report("its place, with accuracy", attribute("source_type") == "gps" and attribute("gps_accuracy") > 0,
           f"{attribute('latitude')}, {attribute('longitude')}, {attribute('gps_accuracy')} m")
    await eventually(lambda: state("sensor.van_queue") not in (None, "unknown"), 20)
    for sensor in ("speed", "course", "altitude", "accuracy", "satellites", "last_fix", "queue"):
        value = state(f"sensor.van_{sensor}")
        report(f"sensor {sensor}", value not in (None, "unavailable") and (sensor in ("queue", "course") or value != "unknown"), str(value))
    report("the fence is ON inside", await eventually(lambda: state("binary_sensor.van_depot") == "on"))
    report("and OFF outside", await eventually(lambda: state("binary_sensor.van_depot") == "off"))
    devices = [d for d in device_registry.async_get(hass).devices.values() if d.manufacturer == "waypost"]
    report("one device has all of them", len(devices) == 1 and devices[0].name == "van", str([d.name for d in devices]))
    before = attribute("latitude")
    tracker.terminate()
    tracker.wait()
    report("the sensors of a tracker that is gone are unavailable", await eventually(lambda: state("sensor.van_speed") == "unavailable", 20))
    report("its last place stays", attribute("latitude") is not None, f"{before} -> {attribute('latitude')}")

    tracker = await asyncio.to_thread(start_tracker, False)
    names = lambda: [e.entity_id for e in entity_registry.async_get(hass).entities.values() if e.platform == "mqtt"]
    report("discovery = false removes it", await eventually(lambda: not names()), str(names()))
    tracker.terminate()
    tracker.wait()
    kept = subprocess.run(
        ["mosquitto_sub", "-h", "127.0.0.1", "-p", str(port), "-t", "#", "-W", "2", "-v", "--retained-only"], capture_output=True, text=True,
        check=False).stdout if shutil.which("mosquitto_sub") else ""
    report("the broker keeps nothing", not kept, kept)
    log = await asyncio.to_thread((work / "hass.log").read_text)
    errors = [line for line in log.splitlines() if "[homeassistant.components.mqtt" in line and ("ERROR" in line or "WARNING" in line)]
    report("Home Assistant complains about no message", not errors, "\n".join(errors[:5]))
    await hass.async_stop(force=True)


work = pathlib.Path(tempfile.mkdtemp())
port = free_port()
(work / "mosquitto.conf").write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
(work / "drive.nmea").write_bytes(pathlib.Path(RECORDING).read_bytes())
# Around a place that the drive passes.
(work / "fences.geojson").write_text(json.dumps({"type": "FeatureCollection", "features": [
    {"type": "Feature", "properties": {"name": "Depot", "radius": 300}, "geometry": {"type": "Point", "coordinates": [10.262429, 51.714533]}}]}))
broker = subprocess.Popen(["mosquitto", "-c", work / "mosquitto.conf"], stderr=subprocess.DEVNULL)
try:
    asyncio.run(main())
finally:
    for process in trackers + [broker]:
        process.kill()
print(f"{len(failures)} fell short; see {work}" if failures else "all well")
sys.exit(bool(failures))
