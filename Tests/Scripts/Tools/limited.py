#!/usr/bin/env python3
"""Runs a command, and kills it with everything that it has started when it takes too long: the exit code is 124 then, else the command's.

limited.py SECONDS COMMAND [ARGUMENT...]

timeout(1) does not reach programs in process groups of their own, such as the tests that `swift test` starts.
"""
import os
import signal
import subprocess
import sys


def descendants(pid):
    """The processes that a process has started, and those that these have."""
    children = {}
    for entry in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{entry}/stat") as file:
                # The name, in parentheses, may have spaces.
                parent = int(file.read().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue
        children.setdefault(parent, []).append(int(entry))
    found, rest = [], [pid]
    while rest:
        more = children.get(rest.pop(), [])
        found += more
        rest += more
    return found


def main():
    if len(sys.argv) < 3 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    process = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL)
    try:
        code = process.wait(timeout=int(sys.argv[1]))
    except subprocess.TimeoutExpired:
        for pid in {*descendants(process.pid), process.pid}:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        process.wait()
        sys.exit(124)
    sys.exit(code if code >= 0 else 128 - code)


main()
