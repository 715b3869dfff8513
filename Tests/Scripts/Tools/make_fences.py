#!/usr/bin/env python3
"""Invents a fence file: the same bytes on every run.

Usage: make_fences.py geojson|tealium|owntracks|traccar|kml COUNT       circles, one to a square of 0.01 degrees
       make_fences.py ring CORNERS                                      one GeoJSON polygon, its edges as uneven as a star's
       make_fences.py deep LEVELS                                       nothing but opening brackets
"""
import math
import sys


def places(count):
    """A row of 1000 places eastward, then the next row to the north."""
    for index in range(count):
        yield index, -50 + 0.01 * (index // 1000), 0.01 * (index % 1000)


def lines(kind, count):
    if kind == "ring":
        corners = []
        for corner in range(count):
            angle = 2 * math.pi * corner / count
            size = 0.5 + 0.2 * math.sin(7 * angle) + 0.01 * (corner * 7919 % 97) / 97
            corners.append(f"[{8 + size * math.cos(angle):.7f},{47 + size * math.sin(angle):.7f}]")
        yield '{"type":"Feature","properties":{"name":"Ring"},"geometry":{"type":"Polygon","coordinates":[[' + ",".join(corners + corners[:1]) + "]]}}"
    elif kind == "deep":
        yield '{"type":"FeatureCollection","features":' + "[" * count
    else:
        head, one, between, tail = {
            "geojson": ('{"type":"FeatureCollection","features":[',
                        '{{"type":"Feature","id":{0},"properties":{{"name":"F{0}","radius":100}},"geometry":{{"type":"Point","coordinates":[{2:.7f},{1:.7f}]}}}}',
                        ",", "]}"),
            "tealium": ("[", '{{"name":"F{0}","latitude":{1:.7f},"longitude":{2:.7f},"radius":100,"trigger_on_enter":true,"trigger_on_exit":true}}', ",", "]"),
            "owntracks": ('{"_type":"waypoints","waypoints":[',
                          '{{"_type":"waypoint","desc":"F{0}","lat":{1:.7f},"lon":{2:.7f},"rad":100,"tst":{0}}}', ",", "]}"),
            "traccar": ("[", '{{"id":{0},"name":"F{0}","area":"CIRCLE ({1:.7f} {2:.7f}, 100)","attributes":{{"waypost_id":"F{0}"}}}}', ",", "]"),
            "kml": ('<kml xmlns="http://www.opengis.net/kml/2.2"><Document>',
                    '<Placemark><name>F{0}</name><ExtendedData><Data name="radius"><value>100</value></Data></ExtendedData>'
                    '<Point><coordinates>{2:.7f},{1:.7f}</coordinates></Point></Placemark>', "", "</Document></kml>"),
        }[kind]
        yield head
        for index, latitude, longitude in places(count):
            yield (between if index else "") + one.format(index, latitude, longitude)
        yield tail


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    for line in lines(sys.argv[1], int(sys.argv[2])):
        sys.stdout.write(line + "\n")


main()
