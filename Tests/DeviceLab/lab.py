"""What the parts of the device lab share: its folder, commands that are waited for, and processes that are remembered."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The device's processor, as Debian calls it: amd64, or arm64 with UEFI.
ARCH = os.environ.get("DEVICELAB_ARCH") or "amd64"
FOLDER = Path(os.environ.get("DEVICELAB_DIR") or Path.home() / ".cache/waypost" / ("devicelab" if ARCH == "amd64" else f"devicelab-{ARCH}")).absolute()
SLOTS = (1, 2, 3)


class LabError(Exception):
    """Something the person at the keyboard should read, without a traceback."""


def step(text):
    print(f"devicelab: {text}", file=sys.stderr, flush=True)


def call(*command, timeout=60, **options):
    """Runs a command to its end and returns what it printed; a failure shows the end of that."""
    try:
        done = subprocess.run(command, timeout=timeout, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **options)
    except subprocess.TimeoutExpired as problem:
        raise LabError(f"{command[0]}: no end after {timeout} s") from problem
    if done.returncode:
        said = done.stdout[-3000:].strip()
        raise LabError(f"{shlex.join(map(str, command))[:300]} failed ({done.returncode}):\n{said}")
    return done.stdout


def wait(condition, seconds, pause=0.1):
    """Whether the condition holds before the time is over."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(pause)
    return bool(condition())


def tail(name, lines):
    """The last lines of a file in the lab's folder; nothing when there is none."""
    try:
        text = (FOLDER / name).read_text(errors="replace").replace("\r", "")
    except OSError:
        return ""
    return "\n".join(text.splitlines()[-lines:])


# -- Processes, remembered by number and start time, so that a number which was given out again is never signalled.


def started_at(pid):
    """The process's start time in clock ticks, or None when it is gone or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else fields[19]


def spawn(name, command):
    with open(FOLDER / f"{name}.log", "ab") as log:
        process = subprocess.Popen(command, cwd=FOLDER, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
    (FOLDER / f"{name}.pid").write_text(f"{process.pid} {started_at(process.pid)}")


def running(name):
    """The number of a process that we started and that still runs, or None."""
    try:
        pid, start = (FOLDER / f"{name}.pid").read_text().split()
    except (OSError, ValueError):
        return None
    return int(pid) if started_at(int(pid)) == start else None


def end(name, number=signal.SIGTERM, patience=5):
    """Ends a process of ours, however unwilling; whether there was one."""
    pid = running(name)
    if pid:
        os.kill(pid, number)
        if not wait(lambda: not running(name), patience):
            os.kill(pid, signal.SIGKILL)
            wait(lambda: not running(name), 5)
    (FOLDER / f"{name}.pid").unlink(missing_ok=True)
    return bool(pid)
