#!/usr/bin/env bash
# A real chronyd takes the time from the tracker: its SOCK reference clock is reached, and agrees with the receiver.
#
# Usage: bash Tests/Scripts/Proofs/chrony-proof.sh [SECONDS]     (40) how long chronyd may take
#   BIN      the folder of waypost and waypostd (.build/release)
#   CHRONYD  the daemon, CHRONYC its client; by default those that are installed
# Ends with 0 and says so when there is no chronyd. The machine's clock is not touched (chronyd -x).
set -euo pipefail
cd "$(dirname "$0")/../../.."
bin=$(realpath "${BIN:-.build/release}")
seconds=${1:-40}
PATH=$PATH:/usr/sbin
chronyd=${CHRONYD:-$(command -v chronyd || true)} chronyc=${CHRONYC:-$(command -v chronyc || true)}
[[ -n $chronyd && -n $chronyc ]] || {
    printf 'chrony-proof: skipped, no chronyd: apt-get install chrony\n'
    exit 0
}
((EUID == 0)) || {
    printf 'chrony-proof: skipped, chronyd starts as root only\n'
    exit 0
}

work=$(mktemp -d)
pids=()
trap 'kill "${pids[@]}" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
# chronyd takes commands only in a folder that is closed to others.
mkdir -m 700 "$work/run"
printf 'refclock SOCK %s/sock refid GNSS delay 0.4 poll 2 filter 4\ncmdport 0\nbindcmdaddress %s/run/chronyd.sock\npidfile %s/chronyd.pid\ndriftfile %s/drift\n' \
    "$work" "$work" "$work" "$work" >"$work/chrony.conf"
"$chronyd" -x -d -U -u root -f "$work/chrony.conf" >"$work/chronyd.log" 2>&1 &
pids+=($!)
for _ in {1..50}; do
    [[ ! -S $work/sock ]] || break
    sleep 0.1
done
[[ -S $work/sock ]] || {
    printf 'chrony-proof: chronyd made no socket: %s\n' "$(tail -n 1 "$work/chronyd.log")" >&2
    exit 1
}

# A receiver on a pseudo terminal that tells the machine's own time.
python3 - "$work/tty" <<'PYTHON' &
import datetime, functools, operator, os, sys, time, tty
near, far = os.openpty()
tty.setraw(far)
os.symlink(os.ttyname(far), sys.argv[1])
while True:
    time.sleep(1 - time.time() % 1)
    now = datetime.datetime.fromtimestamp(round(time.time()), datetime.timezone.utc)
    for body in (f"GPGGA,{now:%H%M%S}.00,4717.11,N,00833.92,E,1,08,0.9,408.0,M,47.5,M,,",
                 f"GPRMC,{now:%H%M%S}.00,A,4717.11,N,00833.92,E,0.0,0.0,{now:%d%m%y},,,A"):
        os.write(near, f"${body}*{functools.reduce(operator.xor, body.encode()):02X}\r\n".encode())
PYTHON
pids+=($!)
for _ in {1..50}; do
    [[ ! -e $work/tty ]] || break
    sleep 0.1
done
printf '[time]\nchrony_sock = "%s/sock"\n[[source]]\nurl = "serial://%s/tty"\n' "$work" "$work" >"$work/waypost.toml"
"$bin/waypostd" --config "$work/waypost.toml" --state "$work/state" --log "$work/log" --socket "$work/socket" 2>"$work/tracker.log" &
pids+=($!)

start=$SECONDS
while ((SECONDS - start < seconds)); do
    sleep 1
    line=$("$chronyc" -h "$work/run/chronyd.sock" -c sources 2>/dev/null | grep GNSS || true)
    # MODE,STATE,NAME,STRATUM,POLL,REACH,LASTRX,LASTSAMPLE,...
    IFS=, read -r _ state _ _ _ reach _ sample _ <<<"$line"
    [[ ${reach:-0} == 0 || ${sample:-0} == 0 ]] || {
        printf 'chrony-proof: GNSS reached after %s s: state %s, reach %s, off by %s s\n' $((SECONDS - start)) "$state" "$reach" "$sample"
        awk -v off="$sample" 'BEGIN { exit !(off < 0.5 && off > -0.5) }' || {
            printf 'chrony-proof: that is more than half a second\n' >&2
            exit 1
        }
        exit 0
    }
done
printf 'chrony-proof: GNSS not reached within %s s\n%s\n%s\n' "$seconds" "$(cat "$work/chronyd.log")" "$(tail -n 5 "$work/tracker.log")" >&2
exit 1
