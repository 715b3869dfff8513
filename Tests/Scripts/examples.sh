#!/usr/bin/env bash
# Builds the examples (Tests/Examples), runs their tests, and runs those that are programs: the code that the guides show works.
#
# Usage: bash Tests/Scripts/examples.sh
#
# The build folder is the root package's: what that has built is not built again.
set -euo pipefail
cd "$(dirname "$0")/../.."
PATH=$PATH:/usr/sbin

/usr/bin/python3 Tests/Scripts/doc_examples.py
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
options=(--package-path Tests/Examples --scratch-path .build)
swift build --build-tests "${options[@]}"
# What tests leave behind goes with the run.
mkdir "$work/t"
TMPDIR=$work/t swift test --skip-build --disable-xctest "${options[@]}"
bin=$(swift build --show-bin-path "${options[@]}")

printf '== print-positions: a receiver, a real gpsd on its own port, the program\n'
# In a network of its own, where nobody else has that port; only the loopback interface is brought up, by its flag IFF_UP.
cat >"$work/session.sh" <<'SESSION'
set -euo pipefail
/usr/bin/python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sh", b"lo", 1))'
/usr/bin/python3 Tests/Scripts/Tools/feed.py --rate 10 --skip 24 Tests/Data/drive.nmea "$work/tty" &
until [[ -e $work/tty ]]; do sleep 0.1; done
gpsd -N -n -b "$work/tty" >"$work/gpsd.log" 2>&1 &
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
timeout 20 stdbuf -oL "$bin/print-positions" | head -n 5 >"$work/positions"
SESSION
namespace=(unshare --net)
((EUID == 0)) || namespace=(unshare --map-root-user --net)
if ! command -v gpsd >/dev/null; then
    printf 'skipped: gpsd is not installed\n'
elif ! "${namespace[@]}" true 2>/dev/null; then
    printf 'skipped: no network of its own is to be had here\n'
else
    work=$work bin=$bin "${namespace[@]}" bash "$work/session.sh" || true
    cat "$work/positions"
    # The drive begins there.
    (($(grep -c '^51\.7[0-9]* 10\.2[0-9]*$' "$work/positions") >= 4)) || {
        printf 'examples: print-positions printed no positions of the drive\n' >&2
        exit 1
    }
fi

printf '== replay-trace: at full speed as at twenty times the real one\n'
TRACE=$bin/replay-trace SPEED=20 bash Tests/Scripts/Proofs/replay-equality.sh Tests/Examples/Tests/DoorbellTests/delivery.gpx
