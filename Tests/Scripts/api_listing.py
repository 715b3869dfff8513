#!/usr/bin/env python3
"""Writes down the public API of the libraries, or compares it with what is written down: a change of it shows in review.

Usage: python3 Tests/Scripts/api_listing.py write|check GRAPHS FOLDER MODULE...

GRAPHS has the symbol graphs, MODULE.symbols.json and MODULE@OTHER.symbols.json; FOLDER has the listings, MODULE.txt: a line for each public declaration, sorted by its
path, members after their types. Members that the compiler or the standard library supplies (==, hash(into:), default implementations of
protocols of other modules) are left out.
"""

import difflib
import json
import pathlib
import re
import sys


def listing(graphs):
    lines = set()
    for symbol in [symbol for graph in graphs for symbol in graph["symbols"]]:
        identity = symbol["identifier"]["precise"]
        if "::SYNTHESIZED::" in identity or symbol["accessLevel"] not in ("public", "open"):
            continue
        declaration = "".join(part["spelling"] for part in symbol.get("declarationFragments", []))
        declaration = re.sub(r"\s+", " ", declaration).strip()
        path = symbol["pathComponents"]
        name = path[-1]
        # Written by the compiler, or said by the conformance.
        if name in ("==(_:_:)", "hash(into:)", "hashValue", "!=(_:_:)", "init(rawValue:)"):
            continue
        owner = ".".join(path[:-1])
        lines.add((tuple(path), f"{owner}: {declaration}" if owner else declaration))
    return [line for _, line in sorted(lines)]


def main():
    if len(sys.argv) < 5 or sys.argv[1] not in ("write", "check"):
        sys.exit(__doc__)
    action, graphs, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    changed = False
    for module in sys.argv[4:]:
        # What a module adds to the types of another one is in a file of its own.
        paths = [graphs / f"{module}.symbols.json"] + sorted(graphs.glob(f"{module}@*.symbols.json"))
        lines = listing([json.loads(path.read_text()) for path in paths])
        if not lines:
            sys.exit(f"api: the symbol graph of {module} has no public declaration")
        path = folder / f"{module}.txt"
        if action == "write":
            folder.mkdir(parents=True, exist_ok=True)
            path.write_text("\n".join(lines) + "\n")
            continue
        known = path.read_text().splitlines() if path.exists() else []
        if known != lines:
            changed = True
            for line in difflib.unified_diff(known, lines, str(path), "the sources", lineterm="", n=0):
                print(line, file=sys.stderr)
    if changed:
        sys.exit("api: the public API has changed; if that is meant, WAYPOST_WRITE_GOLDEN=1 bash Tests/Scripts/docs.sh writes it down")


main()
