#!/usr/bin/env python3
"""Writes the bundled recording: ten minutes of an invented drive, as a receiver of the u-blox kind says it once a second.

    python3 Tests/Scripts/Tools/make_drive.py > Tests/Data/drive.nmea

The vehicle obeys physics (speed limits, curves, braking), the receiver has correlated errors, and what can happen on a drive does:
a start without a fix, a stop at a traffic light, a tunnel. The same bytes on every run. Standard library only.
"""

import math
import random
import sys
from datetime import datetime, timedelta, timezone

SECONDS = 600
START = datetime(2026, 5, 9, 7, 14, 20, tzinfo=timezone.utc)
HOME = (51.7325, 10.2410)  # latitude, longitude; the roads there are others
HOME_HEIGHT = 226.0  # metres above mean sea level
GEOID = 45.8  # metres, geoid above the ellipsoid there

CLOCK_KNOWN, DATE_KNOWN, FIRST_FIX = 3, 9, 24  # seconds after power-up
DEPARTURE = 40
TUNNEL_SECONDS = 30

# The road: ("straight", metres, limit) or ("curve", degrees to the right, radius, limit); limits in m/s.
ROAD = [
    ("straight", 60, 5), ("curve", 90, 9, 5),                      # out of the yard
    ("straight", 310, 13.9), ("curve", -85, 14, 8),                # the village
    ("straight", 240, 13.9), ("curve", 40, 120, 13.9), ("straight", 180, 13.9),
    ("stop", 34),                                                  # the traffic light
    ("straight", 45, 13.9), ("curve", 92, 16, 8),
    ("straight", 420, 19.4), ("curve", -30, 300, 22), ("straight", 650, 25),
    ("curve", 55, 260, 22), ("straight", 380, 25), ("curve", -70, 180, 20),
    ("straight", 300, 22), ("tunnel",), ("straight", 900, 22), ("curve", 25, 500, 22),
    ("straight", 700, 25), ("curve", -110, 60, 11), ("straight", 500, 19.4),
    ("curve", 35, 18, 7), ("curve", -170, 15, 6), ("curve", 35, 18, 7),                 # half way round a roundabout
    ("straight", 840, 19.4), ("curve", 48, 140, 16), ("straight", 460, 16),
    ("straight", 380, 13.9), ("curve", -88, 12, 7), ("straight", 150, 8.3), ("curve", 80, 10, 5), ("straight", 25, 4),
]
ACCELERATION, BRAKING, SIDEWAYS = 1.6, 2.2, 2.4  # m/s²

# What is in the sky: number, elevation, azimuth, and how fast both change in degrees an hour.
GPS = [(2, 61, 118, 9, 22), (5, 34, 61, -11, 14), (7, 78, 240, 4, -60), (9, 24, 205, 10, 9), (13, 8, 322, -4, 8),
       (14, 17, 290, -9, -7), (20, 46, 82, 8, 18), (29, 12, 27, 6, 5), (30, 52, 173, -12, 16)]
GLONASS = [(66, 27, 48, 9, -8), (67, 66, 11, 6, -40), (68, 35, 265, -12, 6), (82, 19, 148, 8, 10), (83, 58, 96, -5, 24),
           (84, 9, 330, 3, 12)]


class Road:
    """The road as points a metre apart: east, north, heading, speed allowed there."""

    def __init__(self):
        self.points = []
        self.stops = {}
        self.tunnel = None
        east = north = 0.0
        heading = math.radians(38)
        for piece in ROAD:
            if piece[0] == "stop":
                self.stops[len(self.points) - 1] = piece[1]
                continue
            if piece[0] == "tunnel":
                self.tunnel = len(self.points) + 60
                continue
            if piece[0] == "straight":
                length, bend, limit = piece[1], 0.0, piece[2]
            else:
                length = abs(math.radians(piece[1])) * piece[2]
                bend = math.radians(piece[1]) / length
                limit = min(piece[3], math.sqrt(SIDEWAYS * piece[2]))
            for _ in range(round(length)):
                heading += bend
                east += math.sin(heading)
                north += math.cos(heading)
                self.points.append((east, north, heading, limit))
        # Brake in time for what comes: from the end backwards.
        limits = [point[3] for point in self.points]
        limits[-1] = 0.0
        for index in self.stops:
            limits[index] = 0.0
        for index in range(len(limits) - 2, -1, -1):
            limits[index] = min(limits[index], math.sqrt(limits[index + 1] ** 2 + 2 * BRAKING))
        self.limits = limits

    def at(self, distance):
        index = min(int(distance), len(self.points) - 2)
        part = min(distance - index, 1.0)
        (e0, n0, h0, _), (e1, n1, h1, _) = self.points[index], self.points[index + 1]
        return e0 + part * (e1 - e0), n0 + part * (n1 - n0), h0 + part * (h1 - h0)

    def height(self, distance):
        return HOME_HEIGHT + 14 * math.sin(distance / 900) + 9 * (1 - math.cos(distance / 2100))


def drive(road):
    """Once a second: distance along the road and speed."""
    distance = speed = waiting = 0.0
    passed = set()
    for second in range(SECONDS):
        yield distance, speed
        for _ in range(20):
            step = 0.05
            if second < DEPARTURE:
                continue
            if waiting > 0:
                waiting -= step
                continue
            stop = next((s for s in road.stops if s not in passed and s - distance < 1.5), None)
            if speed < 0.4 and stop is not None:
                waiting, speed = road.stops[stop], 0.0
                passed.add(stop)
                continue
            allowed = road.limits[min(int(distance) + 1, len(road.limits) - 1)]
            if any(s in passed and 0 <= s - distance < 3 for s in road.stops):
                allowed = max(allowed, 3.0)  # the light is green
            target = max(allowed, 0.3 if distance < len(road.points) - 2 else 0.0)
            speed += max(-BRAKING * 1.5 * step, min(ACCELERATION * step, target - speed))
            speed = max(speed, 0.0)
            distance = min(distance + speed * step, len(road.points) - 1.001)


class Noise:
    """A first-order Gauss-Markov process: errors of a receiver wander, they do not jump."""

    def __init__(self, source, sigma, seconds):
        self.source, self.sigma, self.keep = source, sigma, math.exp(-1 / seconds)
        self.value = source.gauss(0, sigma)

    def next(self):
        self.value = self.keep * self.value + math.sqrt(1 - self.keep ** 2) * self.source.gauss(0, self.sigma)
        return self.value


def sentence(body):
    check = 0
    for character in body:
        check ^= ord(character)
    return f"${body}*{check:02X}\r\n"


def angle(degrees, width, positive, negative):
    """ddmm.mmmmm and the hemisphere."""
    hundred_thousandths = round(abs(degrees) * 60 * 100000)
    whole, rest = divmod(hundred_thousandths, 60 * 100000)
    return f"{whole:0{width}d}{rest // 100000:02d}.{rest % 100000:05d},{positive if degrees >= 0 else negative}"


def geographic(east, north):
    """A plane on the WGS 84 ellipsoid, good to millimetres over some kilometres."""
    latitude = math.radians(HOME[0])
    w = 1 - 0.00669437999014 * math.sin(latitude) ** 2
    meridian = 6378137.0 * (1 - 0.00669437999014) / w ** 1.5
    normal = 6378137.0 / math.sqrt(w)
    return HOME[0] + math.degrees(north / meridian), HOME[1] + math.degrees(east / (normal * math.cos(latitude)))


def sky(second, signal, shade, source):
    """[(number, elevation, azimuth, carrier to noise or None)] of one system."""
    seen = []
    for number, elevation, azimuth, rise, turn in signal:
        elevation = round(elevation + rise * second / 3600)
        azimuth = round(azimuth + turn * second / 3600) % 360
        strength = round(27 + 18 * math.sin(math.radians(elevation)) + source.gauss(0, 1.3) - shade)
        seen.append((number, elevation, azimuth, strength if strength >= 15 else None))
    return seen


def views(talker, satellites):
    pages = (len(satellites) + 3) // 4
    for page in range(pages):
        body = f"{talker}GSV,{pages},{page + 1},{len(satellites):02d}"
        for number, elevation, azimuth, strength in satellites[page * 4:page * 4 + 4]:
            body += f",{number:02d},{elevation:02d},{azimuth:03d},{'' if strength is None else f'{strength:02d}'}"
        yield sentence(body)


def main():
    source = random.Random(20260509)
    road = Road()
    east_error, north_error = Noise(source, 1.1, 60), Noise(source, 1.3, 60)
    height_error, speed_error = Noise(source, 2.0, 90), Noise(source, 0.04, 2)
    tunnel_until = None
    fix_since = None
    out = []
    for second, (distance, speed) in enumerate(drive(road)):
        if tunnel_until is None and distance >= road.tunnel:
            tunnel_until = second + TUNNEL_SECONDS
        hidden = tunnel_until is not None and second < tunnel_until
        fixed = second >= FIRST_FIX and not hidden
        fix_since = (second if fix_since is None else fix_since) if fixed else None

        now = START + timedelta(seconds=second)
        clock = now.strftime("%H%M%S.00") if second >= CLOCK_KNOWN else ""
        date = now.strftime("%d%m%y") if second >= DATE_KNOWN else ""

        shade = 40 if hidden else max(0, 14 - second) + (6 if second < FIRST_FIX else 0)
        gps, glonass = sky(second, GPS, shade, source), sky(second, GLONASS, shade + 1, source)
        used = [[s[0] for s in seen if fixed and s[3] is not None and s[1] >= 10] for seen in (gps, glonass)]
        count = len(used[0]) + len(used[1])

        # The first seconds of a fix are worse than what follows.
        worse = 1 + 3 * math.exp(-(second - fix_since) / 8) if fixed else 1
        hdop = round((0.62 + 1.4 / max(count, 4)) * (1 + 0.35 * (worse - 1)), 2)
        vdop = round(hdop * 1.52, 2)
        pdop = round(math.hypot(hdop, vdop), 2)

        if fixed:
            east, north, heading = road.at(distance)
            east, north = east + east_error.next() * worse, north + north_error.next() * worse
            latitude, longitude = geographic(east, north)
            height = road.height(distance) + height_error.next() * worse
            measured = abs(speed + speed_error.next())
            place = f"{angle(latitude, 2, 'N', 'S')},{angle(longitude, 3, 'E', 'W')}"
            # Too slow to know where it is going: the field stays empty.
            bearing = math.degrees(heading) + source.gauss(0, 3) / max(measured, 1)
            course = f"{bearing % 360:.2f}" if measured > 0.5 else ""
            knots, kilometres = f"{measured * 3600 / 1852:.3f}", f"{measured * 3.6:.3f}"
            out.append(sentence(f"GNRMC,{clock},A,{place},{knots},{course},{date},,,A"))
            out.append(sentence(f"GNVTG,{course},T,,M,{knots},N,{kilometres},K,A"))
            out.append(sentence(f"GNGGA,{clock},{place},1,{min(count, 12):02d},{hdop:.2f},{height:.1f},M,{GEOID:.1f},M,,"))
        else:
            out.append(sentence(f"GNRMC,{clock},V,,,,,,,{date},,,N"))
            out.append(sentence("GNVTG,,,,,,,,,N"))
            out.append(sentence(f"GNGGA,{clock},,,,,0,00,99.99,,,,,,"))
        for numbers in used:
            listed = ",".join([f"{n:02d}" for n in numbers] + [""] * (12 - len(numbers)))
            dops = f"{pdop:.2f},{hdop:.2f},{vdop:.2f}" if fixed else "99.99,99.99,99.99"
            out.append(sentence(f"GNGSA,A,{3 if fixed else 1},{listed},{dops}"))
        if second >= CLOCK_KNOWN:
            out.extend(views("GP", gps))
            out.extend(views("GL", glonass))
        else:
            out.append(sentence("GPGSV,1,1,00"))
            out.append(sentence("GLGSV,1,1,00"))
        if fixed:
            out.append(sentence(f"GNGLL,{place},{clock},A,A"))
            major, minor = 1.9 * hdop * worse, 1.5 * hdop * worse
            out.append(sentence(
                f"GNGST,{clock},{11 * worse:.0f},{major:.1f},{minor:.1f},{20 + second / 30:.0f},"
                f"{major * 0.95:.1f},{minor * 1.05:.1f},{2.6 * vdop * worse:.1f}"))
        else:
            out.append(sentence(f"GNGLL,,,,,{clock},V,N"))
            out.append(sentence(f"GNGST,{clock},0.0000000,,,,,,"))
    sys.stdout.buffer.write("".join(out).encode("ascii"))


if __name__ == "__main__":
    main()
