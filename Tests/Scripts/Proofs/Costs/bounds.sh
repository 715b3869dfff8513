#!/usr/bin/env bash
# Measures what has a bound and no other command, prints each figure beside its bound, and ends with 1 when one is missed.
#
# Usage: bash Tests/Scripts/Proofs/Costs/bounds.sh [journal|import|wakeups]...     all three without arguments
#   BIN      the folder of the release build, made with Config/build-release.sh (.build/release)
#   SECONDS_LIVE   length of each measurement of wake-ups (60)
#
#   journal  waypost log recover of a journal with 16 MiB that look like the beginnings of long records, in two patterns: <= 2 s of processor time
#   import   waypost fences import of 100 000 fences into a running tracker: <= 10 s of processor time of both; the set and its copy are each written
#            once: <= twice the file
#   wakeups  voluntary context switches of all threads of waypostd for each fix from gpsd, with the log and two fences, at 1 and at 10 Hz: <= 2.5
#
# Wake-ups need gpsd. Processor time, not the clock; yet a processor whose other half is busy takes up to twice as long.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

bin=$(realpath "${BIN:-.build/release}")
live=${SECONDS_LIVE:-60}
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
running=()
missed=0
clean_up() {
    ((${#running[@]} == 0)) || kill -TERM "${running[@]}" 2>/dev/null || true
    wait
    rm -rf "$work"
}
trap clean_up EXIT

# bound NAME FIGURE BOUND [UNIT]: a line of the table.
bound() {
    local verdict=held unit=${4-}
    if awk "BEGIN { exit !($2 > $3) }"; then verdict=MISSED missed=1; fi
    printf '| %s | %s | %s | %s |\n' "$1" "$2${unit:+ $unit}" "$3${unit:+ $unit}" "$verdict"
}
# cpu COMMAND...: the seconds of processor time that it takes; its exit code and words are in $work/words.
cpu() {
    python3 - "$work/words" "$@" <<'PYTHON'
import os, subprocess, sys
with open(sys.argv[1], "wb") as words:
    code = subprocess.run(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=words, stderr=words).returncode
with open(sys.argv[1], "a") as words:
    print(f"exit code {code}", file=words)
usage = os.times()
print(f"{usage.children_user + usage.children_system:.2f}")
PYTHON
}
# ticks PID: processor ticks of a process so far.
ticks() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }
# wakeups PID: voluntary context switches of all its threads so far.
wakeups() { cat "/proc/$1"/task/*/status | awk '/^voluntary/ { sum += $2 } END { print sum }'; }
# answers SOCKET: waits until a tracker answers there.
answers() {
    local try
    for ((try = 0; try < 100; try++)); do
        if "$bin/waypost" status --socket "$1" >/dev/null 2>&1 || (($? == 1)); then return; fi
        sleep 0.1
    done
    printf 'bounds: no tracker answers on %s\n' "$1" >&2
    exit 1
}

# The header and the first record of a seed of the fuzzers, a marker and a length every three bytes, and the seed's last record.
bound_journal() {
    local pattern folder seconds
    for pattern in b50010 b5040f; do
        folder=$work/log-$pattern
        mkdir -p "$folder/journal"
        python3 - "$pattern" "$folder/journal/20260301T120000Z-00000001-1.open.journal" <<'PYTHON'
import sys
seed = open("Tests/Fuzz/Corpus/journal/costly", "rb").read()
pattern = bytes.fromhex(sys.argv[1])
middle = bytes.fromhex("b5040f")
start = seed.index(middle * 2)
end = start
while seed[end:end + 3] == middle:
    end += 3
with open(sys.argv[2], "wb") as journal:
    journal.write(seed[:start] + pattern * ((16 << 20) // 3) + seed[end:])
PYTHON
        seconds=$(cpu "$bin/waypost" log recover --log "$folder")
        if grep -q 'exit code 6[469]' "$work/words"; then
            cat "$work/words" >&2
            exit 1
        fi
        bound "recover a journal with 16 MiB of ${pattern}" "$seconds" 2 's'
    done
}

bound_import() {
    python3 Tests/Scripts/Tools/make_fences.py geojson 100000 >"$work/fences.geojson"
    : >"$work/empty.toml"
    # Nobody listens there: no position comes.
    "$bin/waypostd" --config "$work/empty.toml" --source gpsd://localhost:9 --state "$work/state" --log "$work/log" --socket "$work/socket" \
        2>"$work/tracker" &
    local tracker=$! before written seconds
    running+=("$tracker")
    answers "$work/socket"
    before=$(ticks "$tracker")
    written=$(awk '/^wchar/ { print $2 }' "/proc/$tracker/io")
    seconds=$(cpu "$bin/waypost" fences import "$work/fences.geojson" --socket "$work/socket")
    if ! grep -q 'imported 100000 fences\|imported 100 000 fences' "$work/words"; then
        cat "$work/words" >&2
        exit 1
    fi
    # What it has to do for it may come after the answer.
    sleep 2
    seconds=$(awk -v command="$seconds" -v ticks=$(($(ticks "$tracker") - before)) -v hertz="$(getconf CLK_TCK)" \
        'BEGIN { printf "%.2f", command + ticks / hertz }')
    written=$(($(awk '/^wchar/ { print $2 }' "/proc/$tracker/io") - written))
    bound 'import 100 000 fences' "$seconds" 10 's'
    bound 'written for them' "$(awk "BEGIN { printf \"%.1f\", $written / 1e6 }")" \
        "$(stat -c %s "$work/fences.geojson" | awk '{ printf "%.1f", $1 * 2 / 1e6 }')" 'MB'
    kill -TERM "$tracker"
    wait "$tracker"
}

bound_wakeups() {
    if ! command -v gpsd >/dev/null; then
        printf 'bounds: wake-ups need gpsd\n' >&2
        exit 1
    fi
    local rate port tracker count
    for rate in 1 10; do
        python3 - "$rate" $((rate * (live + 30))) >"$work/$rate.nmea" <<'PYTHON'
import datetime, sys
rate, count = int(sys.argv[1]), int(sys.argv[2])
start = datetime.datetime.now(datetime.timezone.utc)
def say(body):
    total = 0
    for byte in body.encode():
        total ^= byte
    print(f"${body}*{total:02X}", end="\r\n")
for index in range(count):
    now = start + datetime.timedelta(seconds=index / rate)
    clock = now.strftime("%H%M%S.") + f"{now.microsecond // 1000:03d}"
    place = f"4722.{68000 + index * 8 // rate:05d},N,00832.{40000 + index * 8 // rate:05d},E"
    # The sentence with the date first, as feed.py cuts there.
    say(f"GPRMC,{clock},A,{place},29.158,45.0,{now.strftime('%d%m%y')},,,A")
    say(f"GPGGA,{clock},{place},1,08,0.90,408.0,M,47.5,M,,")
    say("GPGSA,A,3,02,05,07,13,15,20,27,30,,,,,1.60,0.90,1.32")
    say("GPGSV,2,1,08,02,12,034,31,05,65,180,44,07,23,300,38,13,41,090,40")
    say("GPGSV,2,2,08,15,08,210,29,20,55,120,43,27,33,270,37,30,77,010,46")
PYTHON
        port=$((20000 + ($$ + rate) % 20000))
        python3 Tests/Scripts/Tools/feed.py --rate "$rate" "$work/$rate.nmea" "$work/tty$rate" &
        running+=($!)
        until [[ -e $work/tty$rate ]]; do sleep 0.1; done
        gpsd -N -n -b -S "$port" "$work/tty$rate" >/dev/null 2>&1 &
        running+=($!)
        python3 Tests/Scripts/Tools/make_fences.py geojson 2 >"$work/two.geojson"
        printf '[geofences]\nfile = "%s"\n' "$work/two.geojson" >"$work/two.toml"
        sleep 2
        "$bin/waypostd" --config "$work/two.toml" --source "gpsd://localhost:$port" --state "$work/w$rate" --log "$work/w$rate/log" \
            --socket "$work/w$rate.sock" 2>"$work/tracker" &
        tracker=$!
        running+=("$tracker")
        answers "$work/w$rate.sock"
        "$bin/waypost" watch --count 3 --timeout 20 --socket "$work/w$rate.sock" >/dev/null
        sleep 5
        count=$(wakeups "$tracker")
        sleep "$live"
        count=$(($(wakeups "$tracker") - count))
        bound "wake-ups a fix at $rate Hz" "$(awk "BEGIN { printf \"%.2f\", $count / ($live * $rate) }")" 2.5
        kill -TERM "$tracker"
        wait "$tracker"
    done
}

parts=("$@")
((${#parts[@]} > 0)) || parts=(journal import wakeups)
printf '| what | figure | bound | |\n|---|---|---|---|\n'
for part in "${parts[@]}"; do
    case $part in
    journal | import | wakeups) "bound_$part" ;;
    *)
        printf 'bounds: unknown: %s\n' "$part" >&2
        exit 64
        ;;
    esac
done
((missed == 0))
