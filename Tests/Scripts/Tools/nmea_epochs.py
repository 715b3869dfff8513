#!/usr/bin/env python3
"""What a reader must find in an NMEA file, by a decoder of its own: the epochs that have an undamaged GGA or RMC with a fix.

Usage: nmea_epochs.py FILE.nmea [CONVERTED.jsonl]

Prints how many sentences and epochs there are. With what `waypost convert` made of the file: also how many of these epochs have their
position in it, within 1e-7 degrees, and how many positions are not of such an epoch; exit code 1 when either is not as it must be.

Undamaged: `$`, no other `$`, `*`, two hexadecimal digits that are the checksum. An epoch is a time of day; the file goes through no
midnight twice (then times would repeat, which is an error here).
"""
import json
import re
import sys

SENTENCE = re.compile(rb"\$([^$*\r\n]*)\*([0-9A-Fa-f]{2})")


def degrees(value, hemisphere):
    """ddmm.mmmmm as degrees."""
    point = value.index(".")
    result = int(value[: point - 2]) + float(value[point - 2 :]) / 60
    return -result if hemisphere in "SW" else result


def epochs(path):
    """The places by time of day, and how many undamaged GGA and RMC there are."""
    places = {}
    counts = {"GGA": 0, "RMC": 0}
    with open(path, "rb") as file:
        for match in SENTENCE.finditer(file.read()):
            body, stated = match.groups()
            total = 0
            for byte in body:
                total ^= byte
            if total != int(stated, 16):
                continue
            fields = body.decode("ascii", "replace").split(",")
            kind = fields[0][2:]
            if kind not in counts:
                continue
            counts[kind] += 1
            first = 2 if kind == "GGA" else 3
            valid = fields[6] not in ("", "0") if kind == "GGA" else fields[2] == "A"
            if valid:
                places[fields[1]] = (
                    degrees(fields[first], fields[first + 1]),
                    degrees(fields[first + 2], fields[first + 3]),
                )
    return places, counts


def main():
    places, counts = epochs(sys.argv[1])
    print(f"undamaged: {counts['GGA']} GGA, {counts['RMC']} RMC; epochs with a fix in one of them: {len(places)}")
    if len(sys.argv) < 3:
        return 0
    found = set()
    others = 0
    with open(sys.argv[2], encoding="ascii") as lines:
        for line in lines:
            report = json.loads(line)
            if "lat" not in report:
                continue
            clock = report.get("time", "")[11:23].replace(":", "")
            place = places.get(clock[:9]) or places.get(clock[:10]) or places.get(clock)
            name = next((name for name in (clock[:9], clock[:10], clock) if name in places), None)
            if place and abs(place[0] - report["lat"]) < 1e-7 and abs(place[1] - report["lon"]) < 1e-7 and name not in found:
                found.add(name)
            else:
                others += 1
    print(f"found: {len(found)}; missing: {len(places) - len(found)}; positions of no such epoch: {others}")
    return 0 if len(found) == len(places) and others == 0 else 1


sys.exit(main())
