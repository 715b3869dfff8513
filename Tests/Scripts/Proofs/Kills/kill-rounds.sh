#!/usr/bin/env bash
# Kills the tracker with -9 at random moments while fixes come ten times a second, again and again, and looks at what it leaves:
# every GPX file valid, no name used twice, no fix lost that it had taken, but for the few that were on their way to the log.
#
# Usage: bash Tests/Scripts/Proofs/Kills/kill-rounds.sh [ROUNDS]       100 without a number
#   BIN             the folder of waypostd (.build/debug)
#   WAYPOST_SHARED  the folder with data/xsd/master.xsd (../shared); without it GPX files are only checked to be XML
set -euo pipefail
cd "$(dirname "$0")/../../../.."

exec python3 - "${1:-100}" "$(realpath "${BIN:-.build/debug}")/waypostd" "${WAYPOST_SHARED:-../shared}/data/xsd/master.xsd" <<'PYTHON'
import array
import fcntl
import glob
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import termios
import time

rounds, program, schema = int(sys.argv[1]), sys.argv[2], sys.argv[3]
random.seed(rounds)
work = tempfile.mkdtemp(prefix="waypost-kill-")
fifo = work + "/receiver"
os.mkfifo(fifo)
pipe = os.open(fifo, os.O_RDWR)


def sentence(body):
    checksum = 0
    for character in body.encode():
        checksum ^= character
    return f"${body}*{checksum:02X}\r\n"


def epoch(number):
    """The tenth of a second of that number since 2026-05-02T03:00:00Z, as a receiver says it."""
    tenths = 3 * 36000 + number
    clock = f"{tenths // 36000:02}{tenths // 600 % 60:02}{tenths // 10 % 60:02}.{tenths % 10}0"
    place = f"47{6.0 + number % 6000 / 6000:09.6f},N,009{31.0 + number % 5000 / 5000:09.6f},E"
    return sentence(f"GPRMC,{clock},A,{place},20.0,90.0,020526,,,A") + sentence(f"GPGGA,{clock},{place},1,09,0.9,500.0,M,47.0,M,,")


def start():
    return subprocess.Popen(
        [program, "--source", "nmea:" + fifo, "--state", work + "/state", "--log", work + "/log", "--socket", work + "/socket"],
        stderr=subprocess.DEVNULL)


def unread():
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


number = 0
taken = set()  # epochs of which the tracker has read every byte
worst = 0
lost_by_round = []
for turn in range(rounds):
    process = start()
    said = []  # (epoch, bytes said up to its end)
    total = 0
    end = time.monotonic() + random.uniform(0.3, 2.5)
    while time.monotonic() < end:
        text = epoch(number).encode()
        os.write(pipe, text)
        total += len(text)
        said.append((number, total))
        number += 1
        time.sleep(0.1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    rest = unread()
    if rest:
        os.read(pipe, rest)
    mine = [name for name, upto in said if upto <= total - rest]
    lost_by_round.append(mine)
    taken.update(mine)
    number += 50  # five seconds of silence
# The last one ends in peace.
process = start()
time.sleep(1.5)
process.send_signal(signal.SIGTERM)
code = process.wait()
failures = []
if code != 0:
    failures.append(f"the tracker ended with {code}")
files = sorted(glob.glob(work + "/log/*.gpx"))
found = set()
points = 0
for path in files:
    with open(path) as file:
        track = file.read().split("<trk>")[-1]
    for hour, minute, second, tenth in re.findall(r"<time>2026-05-02T(\d\d):(\d\d):(\d\d)(?:\.(\d))?\d*Z</time>", track):
        found.add((int(hour) - 3) * 36000 + int(minute) * 600 + int(second) * 10 + int(tenth or 0))
        points += 1
if points != len(found):
    failures.append(f"{points - len(found)} fixes stand twice")
for mine in lost_by_round:
    missing = [name for name in mine if name not in found]
    worst = max(worst, len(missing))
    # What is lost is the end: nothing is missing before something that is there.
    if missing and any(name in found for name in mine if name > missing[0]):
        failures.append(f"a hole at {missing[0]}")
if worst > 100:
    failures.append(f"{worst} fixes lost at once, more than a sync interval has")
options = ["--schema", schema] if os.path.exists(schema) else []
for begin in range(0, len(files), 50):
    check = subprocess.run(["xmllint", "--noout", "--nonet", *options, *files[begin:begin + 50]], capture_output=True, text=True)
    if check.returncode != 0:
        failures.append(check.stderr.strip())
sums = subprocess.run(["sha256sum", "--check", "--quiet", "--strict", "SHA256SUMS"], cwd=work + "/log", capture_output=True, text=True)
if files and sums.returncode != 0:
    failures.append(sums.stderr.strip() + sums.stdout.strip())
numbers = [int(path.rsplit("-", 1)[1].split(".")[0]) for path in files]
if len(set(numbers)) != len(numbers) or glob.glob(work + "/log/journal/*.open.journal"):
    failures.append("a number used twice, or an unfinished journal")
single = sum(open(path).read().count("<trkpt") == 1 for path in files)
print(
    f"{rounds} rounds: {len(files)} files ({single} of one point), {len(taken)} fixes read, {len(found)} in the files, "
    f"at most {worst} lost in a round, {len(failures)} failures")
for failure in failures:
    print(failure)
if not failures:
    subprocess.run(["rm", "-rf", work], check=True)
sys.exit(bool(failures))
PYTHON
