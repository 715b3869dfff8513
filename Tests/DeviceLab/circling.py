"""A receiver in a vehicle that drives in a circle, now: sentences of the kind a u-blox says, at the computer's own time.

A recording goes back in time when it is plugged in again; a receiver does not.
"""

import math
from datetime import datetime, timedelta, timezone

CENTRE = (51.7325, 10.2410)  # degrees
RADIUS, SPEED = 400.0, 15.0  # metres, metres per second
HEIGHT, GEOID = 226.0, 45.8  # metres
METRES_PER_DEGREE = 111_250.0
KNOT = 1852 / 3600


def sentence(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    return f"${body}*{total:02X}\r\n"


def angle(degrees, width):
    """Degrees and minutes, as NMEA 0183 writes them."""
    whole = int(degrees)
    return f"{whole:0{width}d}{(degrees - whole) * 60:08.5f}"


def epoch(moment):
    """The sentences of one epoch."""
    turned = moment.timestamp() * SPEED / RADIUS
    latitude = CENTRE[0] + RADIUS * math.cos(turned) / METRES_PER_DEGREE
    longitude = CENTRE[1] + RADIUS * math.sin(turned) / METRES_PER_DEGREE / math.cos(math.radians(CENTRE[0]))
    course = (math.degrees(turned) + 90) % 360
    clock = moment.strftime("%H%M%S.") + f"{moment.microsecond // 10_000:02d}"
    place = f"{angle(latitude, 2)},N,{angle(longitude, 3)},E"
    return "".join(map(sentence, (
        f"GNRMC,{clock},A,{place},{SPEED / KNOT:.3f},{course:.2f},{moment:%d%m%y},,,A,V",
        f"GNGGA,{clock},{place},1,12,0.80,{HEIGHT:.1f},M,{GEOID:.1f},M,,",
        "GNGSA,A,3,02,05,07,09,13,14,20,29,30,,,,1.40,0.80,1.15,1",
    ))).encode()


class Circling:
    """Epochs without end, one for each time it is asked; the same moment is never said twice."""

    def __init__(self, hertz):
        self.step = timedelta(seconds=1 / hertz)
        self.last = datetime.min.replace(tzinfo=timezone.utc)

    def next(self):
        now = datetime.now(timezone.utc)
        start = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self.last = max(start + (now - start) // self.step * self.step, self.last + self.step)
        return epoch(self.last)
