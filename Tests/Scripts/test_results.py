#!/usr/bin/env python3
"""Reads the results of test runs (xUnit XML).

test_results.py failed FILE...      a pattern for the tests that failed, when they are few; nothing when none or many did
test_results.py report FILE...      what failed and what was skipped, and why, then the totals; a later file's word on a test counts
"""
import os
import re
import sys
import xml.etree.ElementTree as tree

# More than so many failures are no chance.
FEW = 4


def cases(path):
    """The tests of one run: name, what happened (passed, failed, skipped), and why."""
    if not os.path.exists(path):
        sys.exit(f"{path} is missing: that run did not come to its end")
    for case in tree.parse(path).iter("testcase"):
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


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[1] == "failed":
        failed(sys.argv[2:])
    elif len(sys.argv) > 2 and sys.argv[1] == "report":
        report(sys.argv[2:])
    else:
        sys.exit(__doc__)
