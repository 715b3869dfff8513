#!/usr/bin/env python3
"""Reads the results of test runs (xUnit XML; unfinished: its stream of events).

test_results.py failed FILE...      a pattern for the tests that failed, when they are few; nothing when none or many did
test_results.py report FILE...      what failed and what was skipped, and why, then the totals; a later file's word on a test counts
test_results.py unfinished FILE     the tests and suites that began and did not end
"""
import json
import os
import re
import sys
import xml.etree.ElementTree as tree

# More than so many failures are no chance.
FEW = 4


def cases(path):
    """The tests of one run: name, what happened (passed, failed, skipped), and why."""
    try:
        root = tree.parse(path)
    except (FileNotFoundError, tree.ParseError):
        sys.exit(f"{os.path.basename(path)} is missing or not complete: that run did not come to its end")
    for case in root.iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        for kind, state in (("failure", "failed"), ("skipped", "skipped")):
            found = case.findall(kind)
            if found:
                yield name, state, "; ".join(each.get("message") or (each.text or "").strip() for each in found)
                break
        else:
            yield name, "passed", ""


def failed(paths):
    names = {name.rsplit(".", 1)[-1].split("(")[0] for path in paths for name, state, _ in cases(path) if state == "failed"}
    if 0 < len(names) <= FEW:
        print("[./](" + "|".join(re.escape(name) for name in sorted(names)) + r")\(")


def report(paths):
    last, before = {}, {}
    for path in paths:
        for name, state, reason in cases(path):
            if last.get(name, ("",))[0] == "failed":
                before[name] = last[name][1]
            last[name] = (state, reason)
    for name, (state, reason) in last.items():
        if state != "passed":
            print(f"{state}: {name}: {reason}")
        elif name in before:
            print(f"failed at first, passed alone: {name}: {before[name]}")
    count = [sum(state == each for state, _ in last.values()) for each in ("passed", "failed", "skipped")]
    print("{} passed, {} failed, {} skipped".format(*count))
    sys.exit(count[1] > 0)


def unfinished(path):
    if not os.path.exists(path):
        sys.exit("this version of Swift does not say which")
    begun = {}
    for line in open(path, errors="replace"):
        try:
            event = json.loads(line).get("payload", {})
        except ValueError:
            continue  # The last line may be cut.
        kind, test = event.get("kind"), event.get("testID")
        if kind == "testStarted":
            begun[test] = True
        elif kind in ("testEnded", "testSkipped"):
            begun.pop(test, None)
    print("\n".join(f"  {test}" for test in begun))


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "failed":
        failed(sys.argv[2:])
    elif len(sys.argv) > 2 and sys.argv[1] == "report":
        report(sys.argv[2:])
    elif len(sys.argv) == 3 and sys.argv[1] == "unfinished":
        unfinished(sys.argv[2])
    else:
        sys.exit(__doc__)
