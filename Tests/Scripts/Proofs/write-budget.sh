#!/usr/bin/env bash
# What a day of one fix a second costs the disk, counted from outside: calls of fsync and fdatasync, and bytes passed to write, by strace;
# and, as root, what reaches the block device below an ext4 file system of its own, by the kernel's count of the device.
#
# Usage: bash Tests/Scripts/Proofs/write-budget.sh       exits with 1 when it is over the budget
#   MAXIMUM_FSYNCS  (8700)
#   MAXIMUM_BYTES   (40000000)
set -euo pipefail
cd "$(dirname "$0")/../../.."

command -v strace >/dev/null || { echo 'write-budget: needs strace' >&2; exit 69; }
(cd Tests/Benchmarks && swift build -c release --product waypost-bench >&2)
work=$(mktemp -d)
device=
clean_up() {
    ! mountpoint -q "$work/disk" || umount "$work/disk"
    [[ -z $device ]] || losetup --detach "$device"
    rm -rf "$work"
}
trap clean_up EXIT

# What the device has written so far: requests and sectors of 512 bytes (Documentation/block/stat.rst, fields 5 and 7).
written() { awk '{ print $5, $7 }' "/sys/block/${device##*/}/stat"; }
if ((EUID == 0)) && command -v losetup mkfs.ext4 >/dev/null; then
    mkdir "$work/disk"
    truncate -s 600M "$work/image"
    mkfs.ext4 -q "$work/image"
    device=$(losetup --find --show "$work/image")
    mount "$device" "$work/disk"
    sync
    read -r requests sectors < <(written)
    Tests/Benchmarks/.build/release/waypost-bench log-day "$work/disk/log" >/dev/null
    sync
    read -r requests_after sectors_after < <(written)
    printf 'block device, ext4: %d requests, %d bytes written\n' $((requests_after - requests)) $(((sectors_after - sectors) * 512))
fi

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
