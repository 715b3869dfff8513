#!/usr/bin/env bash
# GeoClue of Debian 13 (2.7), or of Debian 12 (2.6), finds the tracker's positions on the Unix socket of [share] nmea_socket: in a Debian without systemd, with a system bus, the
# agent that GeoClue brings, and a client that asks for five places.
#
# Usage: sudo bash Tests/Scripts/Proofs/Sharing/geoclue-proof.sh        fails when there are fewer, or they lie elsewhere
#   BIN    the folder of waypost and waypostd (.build/release)
#   SUITE  trixie, or bookworm (trixie)
# Needs mmdebstrap and a network: it fetches 60 packages.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
source Config/prerequisites.sh

install_packages mmdebstrap
[[ -x ${BIN:=.build/release}/waypostd ]] || fail 66 "no waypostd in $BIN"
work=$(mktemp -d)
chmod 755 "$work"
root=$work/root tracker=''
clean_up() {
    [[ -z $tracker ]] || { kill -KILL "$tracker" && wait "$tracker"; } 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT
mmdebstrap --variant=apt --include=geoclue-2.0,dbus-daemon,dbus,python3,python3-dbus "${SUITE:=trixie}" "$root" >"$work/mmdebstrap.log" 2>&1

# From the first fix on.
sed -n '/^\$GNRMC,[^,]*,A/,$p' Tests/Data/drive.nmea >"$work/drive.nmea"
mkdir -p "$root/run/waypost" "$root/etc/geoclue/conf.d"
printf '[share]\nnmea_socket = "%s"\n' "$root/run/waypost/nmea.sock" >"$work/waypost.toml"
"$BIN/waypostd" --config "$work/waypost.toml" --source "nmea:$work/drive.nmea?speed=1" --state "$work/state" --log "$work/log" \
    --socket "$work/socket" 2>"$work/tracker.log" &
tracker=$!
# 2.6 reads one file only, and from it who may ask for whom.
configuration=conf.d/waypost.conf
[[ $SUITE != bookworm ]] || configuration=geoclue.conf
cat >"$root/etc/geoclue/$configuration" <<END
[agent]
whitelist=geoclue-demo-agent
[network-nmea]
enable=true
nmea-socket=/run/waypost/nmea.sock
[wifi]
enable=false
[proof]
allowed=true
system=true
users=
END
cat >"$root/client.py" <<'END'
import time
import dbus

NAME = "org.freedesktop.GeoClue2"
bus = dbus.SystemBus()
manager = dbus.Interface(bus.get_object(NAME, "/org/freedesktop/GeoClue2/Manager"), NAME + ".Manager")
client = bus.get_object(NAME, manager.GetClient())
properties = dbus.Interface(client, "org.freedesktop.DBus.Properties")
properties.Set(NAME + ".Client", "DesktopId", "proof")
properties.Set(NAME + ".Client", "RequestedAccuracyLevel", dbus.UInt32(8))
dbus.Interface(client, NAME + ".Client").Start()
seen = set()
for _ in range(60):
    time.sleep(0.5)
    path = properties.Get(NAME + ".Client", "Location")
    if path == "/" or path in seen:
        continue
    seen.add(path)
    place = dbus.Interface(bus.get_object(NAME, path), "org.freedesktop.DBus.Properties").GetAll(NAME + ".Location")
    print(*(float(place[key]) for key in ("Latitude", "Longitude", "Altitude", "Speed", "Accuracy")), place["Description"], flush=True)
    if len(seen) == 5:
        break
END
unshare --mount --pid --fork chroot "$root" bash -c '
    mount -t proc proc /proc && mkdir -p /run/dbus && dbus-daemon --system --fork
    setpriv --reuid=geoclue --regid=geoclue --clear-groups env G_MESSAGES_DEBUG=Geoclue /usr/libexec/geoclue >&2 &
    sleep 2
    /usr/libexec/geoclue-2.0/demos/agent >/dev/null 2>&1 &
    sleep 1
    python3 /client.py' >"$work/places" 2>"$work/geoclue.log" || { tail -n 20 "$work/geoclue.log" >&2; exit 1; }
cat "$work/places"
python3 - "$work/places" <<'END'
import sys

places = [line.split(maxsplit=5) for line in open(sys.argv[1], encoding="utf-8") if line[0].isdigit()]
good = len(places) == 5 and all(abs(float(p[0]) - 51.7324) < 0.001 and abs(float(p[1]) - 10.2410) < 0.001 for p in places)
# Both sentences of an epoch: only what comes in one read is joined. 2.6 does not say so, but has a height of GGA and speeds of RMC.
good = good and (all("GGA+RMC" in p[5] for p in places) if len(places[0]) > 5
                 else all(float(p[2]) > 200 for p in places) and any(float(p[3]) > 0 for p in places))
print("all well" if good else "fell short")
sys.exit(not good)
END
