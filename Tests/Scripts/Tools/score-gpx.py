#!/usr/bin/env python3
"""Scores `waypost convert` on other people's GPX files: every outcome as the manifest says, everything that is written keeps to the schema.

Usage: python3 Tests/Scripts/Tools/score-gpx.py [--binary PROGRAM] [--shared FOLDER] [--verbose]
  PROGRAM  the release build (.build/release/waypost)
  FOLDER   has data/gpx/MANIFEST.tsv and data/xsd/master.xsd ($WAYPOST_SHARED, else ../shared)

Prints a line for each file that differs, and a total; exits 1 unless all are as they should be.
"""

import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

KINDS = {"TPV": "trkpt", "WPT": "wpt", "RTE": "rtept"}
SECONDS, MEGABYTES = 1.0, 64


def run(arguments):
    """Exit code, output, complaints, CPU seconds and peak memory in MB of a command that starts anew."""
    start = time.monotonic()
    process = subprocess.Popen(arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
    output, errors = process.communicate(timeout=120)
    return process.returncode, output, errors.decode(errors="replace").splitlines(), time.monotonic() - start


def same_place(item, row, end):
    # The schema has no longitude of 180; JSON keeps what the file says.
    return all(abs(item[key] - float(row[f"{end}_{key}"])) < 1e-9 for key in ("lat", "lon"))


def differences(row, folder, binary, scratch, schema):
    """What is not as the row says, in words."""
    path = os.path.join(folder, row["file"])
    code, output, complaints, seconds = run([binary, "convert", path, "-", "--to", "jsonl"])
    expect = row["expect"]
    wrong = []
    if seconds > SECONDS:
        wrong.append(f"took {seconds:.1f} s")
    if code < 0 or code not in (0, 65):
        return [f"exit code {code}"]
    if not all(line.startswith("waypost: ") for line in complaints):
        wrong.append(f"complaint {complaints}")
    if expect == "reject":
        if code != 65:
            wrong.append(f"not refused: exit code {code}")
        if output:
            wrong.append(f"gave {len(output.splitlines())} lines of a file to refuse")
        return wrong
    if code != 0:
        return [f"refused: {complaints}"]

    items = [json.loads(line) for line in output.splitlines()]
    counts = {kind: sum(item["class"] == name for item in items) for name, kind in KINDS.items()}
    for kind, count in counts.items():
        expected = int(row[kind])
        # Of what is damaged, more than the label says is better ("at least").
        if count < expected or (count > expected and expect != "salvage"):
            wrong.append(f"{count} {kind} instead of {expected}")
    tracks = [item for item in items if item["class"] == "TPV"]
    segments = [item.get("segment") for item in tracks]
    if segments != sorted(segments, key=lambda number: -1 if number is None else number):
        wrong.append("segments out of order")
    if segments and expect != "salvage" and segments[-1] >= int(row["trkseg"]):
        wrong.append(f"segment {segments[-1]} of {row['trkseg']}")
    first = next((item for name in ("TPV", "RTE", "WPT") for item in items if item["class"] == name), None)
    if row["first_lat"] and (first is None or not any(same_place(item, row, "first") for item in items)):
        wrong.append("the first point is another")
    if row["last_lat"] and not any(same_place(item, row, "last") for item in items):
        wrong.append("the last point is missing")
    said = " ".join(complaints)
    if expect == "salvage" and not complaints:
        wrong.append("damaged, but nothing was said")
    if expect == "ok_skip" and f"left out: {row['bad_points']}," not in said:
        wrong.append(f"{row['bad_points']} points to leave out, said: {said}")
    if expect == "ok" and "left out" in said:
        wrong.append(f"points left out: {said}")

    # To GPX and back: as many points, and what is written keeps to the schema.
    written = os.path.join(scratch, "out.gpx")
    code, _, complaints, _ = run([binary, "convert", path, written])
    if code != 0:
        return wrong + [f"to gpx: exit code {code}: {complaints}"]
    lint = subprocess.run(["xmllint", "--noout", "--nonet", "--schema", schema, written], capture_output=True, text=True)
    if lint.returncode != 0:
        wrong.append(f"schema: {lint.stderr.splitlines()[0]}")
    code, output, complaints, _ = run([binary, "convert", written, "-", "--to", "jsonl"])
    again = [json.loads(line) for line in output.splitlines()]
    counts_again = {kind: sum(item["class"] == name for item in again) for name, kind in KINDS.items()}
    if counts_again != counts or complaints:
        wrong.append(f"written and read again {counts_again} instead of {counts}: {complaints}")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    here = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    parser.add_argument("--binary", default=os.path.join(here, ".build/release/waypost"))
    parser.add_argument("--shared", default=os.environ.get("WAYPOST_SHARED", os.path.join(os.path.dirname(here), "shared")))
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    folder = os.path.join(options.shared, "data/gpx")
    schema = os.path.join(options.shared, "data/xsd/master.xsd")
    with open(os.path.join(folder, "MANIFEST.tsv"), newline="") as manifest:
        rows = list(csv.DictReader(manifest, delimiter="\t", quoting=csv.QUOTE_NONE))
    failures = 0
    with tempfile.TemporaryDirectory() as scratch:
        for row in rows:
            wrong = differences(row, folder, options.binary, scratch, schema)
            failures += bool(wrong)
            if wrong or options.verbose:
                print(f"{row['file']} ({row['expect']}): {'; '.join(wrong) or 'as it should be'}")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"{len(rows) - failures} of {len(rows)} files as labelled; most memory of any run {peak:.0f} MB")
    sys.exit(failures > 0 or peak > MEGABYTES)


if __name__ == "__main__":
    main()
