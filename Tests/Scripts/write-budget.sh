#!/usr/bin/env bash
# What a day of one fix a second costs the disk, counted from outside: calls of fsync and fdatasync, and bytes passed to write, by strace.
#
# Usage: bash Tests/Scripts/write-budget.sh       exits with 1 when it is over the budget
#   MAXIMUM_FSYNCS  (8700)
#   MAXIMUM_BYTES   (40000000)
set -euo pipefail
cd "$(dirname "$0")/../.."

command -v strace >/dev/null || { echo 'write-budget: needs strace' >&2; exit 69; }
(cd Tests/Benchmarks && swift build -c release --product waypost-bench >&2)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

strace -f -qq -e trace=write,pwrite64,writev,pwritev,fsync,fdatasync -e signal=none -o "$work/trace" \
    Tests/Benchmarks/.build/release/waypost-bench log-day "$work/log" | sed 's/^/the log itself: /'
# Lines of calls that another thread interrupts come in two parts: the second one has the result. Output to the terminal is not the disk's.
python3 - "$work/trace" "${MAXIMUM_FSYNCS:-8700}" "${MAXIMUM_BYTES:-40000000}" <<'PYTHON'
import re
import sys

syncs = written = 0
descriptor = {}
for line in open(sys.argv[1], errors="replace"):
    thread, _, call = line.partition(" ")
    call = call.strip()
    begun = re.match(r"(\w+)\((\d+)", call)
    if begun:
        descriptor[thread] = begun.groups()
    resumed = re.match(r"<\.\.\. (\w+) resumed>", call)
    if not begun and not resumed or call.endswith("<unfinished ...>"):
        continue
    name, number = descriptor.get(thread, ("", "0"))
    result = re.search(r"= (-?\d+)", call[call.rfind(")"):])
    if name in ("fsync", "fdatasync"):
        syncs += 1
    elif result and int(number) > 2:
        written += max(0, int(result.group(1)))
print(f"strace: {syncs} fsync and fdatasync, {written} bytes passed to write")
sys.exit(syncs > int(sys.argv[2]) or written > int(sys.argv[3]))
PYTHON
