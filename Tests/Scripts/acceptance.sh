#!/usr/bin/env bash
# What the finished product does, shown on real parts: a line per feature that works, `ROW ok` or `ROW falls short`, and a total.
#
# Usage: bash Tests/Scripts/acceptance.sh [ROW...]
#   BIN             the folder of waypost and waypostd (.build/release)
#   WAYPOST_SHARED  the folder whose data/xsd holds the GPX schemas (../shared); without it GPX files are only checked to be XML
set -euo pipefail
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh
install_packages "${test_packages[@]}"
bin=$(realpath "${BIN:-.build/release}")
shared=${WAYPOST_SHARED:-$PWD/../shared}
schema=$shared/data/xsd/master.xsd
recording=$PWD/Tests/Data/drive.nmea first_fix=24 # epochs into the recording
PATH=$PATH:/usr/sbin

[[ -x $bin/waypost && -x $bin/waypostd ]] || {
    printf 'acceptance: no waypost in %s; build it first: bash Config/build-release.sh\n' "$bin" >&2
    exit 69
}
[[ -f $schema ]] || printf 'acceptance: no %s; GPX files are only checked to be XML\n' "$schema" >&2

# -- What the rows are made of. Each runs in a subshell, in a folder of its own, and may call `short`, which ends it.

# short REASON...: the row falls short.
short() {
    printf '  %s\n' "$*" >&2
    exit 1
}
# within SECONDS COMMAND...: whether the command succeeds before the time is over.
within() {
    local deadline=$(($(microseconds) + $1 * 1000000))
    shift
    until "$@"; do
        (($(microseconds) < deadline)) || return 1
        sleep 0.1
    done
}
microseconds() { printf '%s' "${EPOCHREALTIME//[^0-9]/}"; }
# feed RATE: a receiver on ./tty that has a fix and drives.
feed() {
    python3 Tests/Scripts/Tools/feed.py --rate "$1" --skip "$first_fix" "$recording" "$work/tty" &
    feeder=$!
    within 5 test -e "$work/tty" || short "no pseudo terminal"
}
# start_gpsd: a real gpsd on ./tty, on a port of its own.
start_gpsd() {
    gpsd -N -n -b -S "$port" "$work/tty" >>"$work/gpsd.log" 2>&1 &
    gpsd=$!
}
# track SOURCE [OPTION...]: the tracker, its state and tracks below the folder, and what `watch` says in ./watch.jsonl.
track() {
    "$bin/waypost" run --source "$1" "${@:2}" --state "$work/state" --log "$work/log" --socket "$work/socket" \
        </dev/null >>"$work/tracker.log" 2>&1 &
    tracker=$!
    within 15 answers || short "the tracker does not answer: $(tail -n 1 "$work/tracker.log")"
    "$bin/waypost" watch --json --socket "$work/socket" >>"$work/watch.jsonl" 2>>"$work/watch.log" &
}
answers() {
    local code=0
    "$bin/waypost" status --socket "$work/socket" >/dev/null 2>&1 || code=$?
    ((code <= 1))
}
# fixes: the lines of `watch` that are positions; a TPV of mode 0 or 1 is none.
fixes() { grep '"class":"TPV"' "$work/watch.jsonl" | grep '"mode":[23]' || true; }
losses() { grep '"class":"LOST"' "$work/watch.jsonl" || true; }
# count KIND: how many of them it has said; reached KIND COUNT: whether it has said that many.
count() { "$1" | wc -l; }
reached() { (($(count "$1") >= $2)); }
# fix_times: the times of its fixes, one a line, as GPX writes whole seconds.
fix_times() { fixes | sed -n 's/.*"time":"\([^"]*\)".*/\1/p' | sed 's/\.0*Z$/Z/'; }
# silent SECONDS: whether no fix is said for that long; what was under way may still arrive in the half second before.
silent() {
    sleep 0.5
    local before
    before=$(count fixes)
    sleep "$1"
    (($(count fixes) == before))
}
# ended_well: the tracker is asked to end, and does, soon and with 0.
ended_well() {
    kill -TERM "$tracker"
    within 20 gone "$tracker" && wait "$tracker"
}
gone() { ! kill -0 "$1" 2>/dev/null; }
# valid FILE...: whether the GPX files keep to the schema.
valid() {
    if [[ -f $schema ]]; then
        xmllint --noout --nonet --schema "$schema" "$@" >/dev/null 2>>"$work/xmllint.log"
    else
        xmllint --noout --nonet "$@" 2>>"$work/xmllint.log"
    fi
}

# -- The rows.

# gpsd receivers through libgps: reconnects, no stale fix.
row_S1() {
    feed 5
    start_gpsd
    track "gpsd://localhost:$port"
    within 20 reached fixes 5 || short "no positions from gpsd"

    kill -KILL "$gpsd"
    wait "$gpsd" 2>/dev/null || true
    silent 3 || short "positions while gpsd is dead"
    local before
    before=$(count fixes)
    start_gpsd
    within 5 reached fixes $((before + 1)) || short "no position within 5 s of gpsd's return"

    local lost
    lost=$(count losses)
    kill -STOP "$feeder"
    within 10 reached losses $((lost + 1)) || short "no loss told when the receiver fell silent"
    silent 3 || short "positions while the receiver is silent"
    before=$(count fixes)
    kill -CONT "$feeder"
    within 10 reached fixes $((before + 3)) || short "no position after the receiver's silence"

    fix_times | sort --check=silent --unique || short "a fix was told twice, or an older one after a newer"
    ended_well || short "the tracker did not end with 0"
}

# The serial reader finds the speed by itself, and the receiver again after it was unplugged, under another name of the kernel.
row_S2() {
    feed 5
    track "serial://$work/tty"
    within 20 reached fixes 5 || short "no positions from the serial line"
    kill "$feeder"
    wait "$feeder" 2>/dev/null || true
    within 10 reached losses 1 || short "no loss told when the receiver was unplugged"
    local before
    before=$(count fixes)
    rm -f "$work/tty"
    first_fix=200 # later in the drive: time has gone on
    feed 5
    within 8 reached fixes $((before + 3)) || short "no position after the receiver was plugged in again"
    fix_times | sort --check=silent --unique || short "a fix was told twice, or an older one after a newer"
    ended_well || short "the tracker did not end with 0"
}

# The doctor finds each fault of a system and the command that mends it, and nothing in a system that is well.
row_N1() {
    BIN=$bin bash Tests/Scripts/doctor-trees.sh >"$work/doctor.log" 2>&1 || short "$(tail -n 1 "$work/doctor.log")"
}

# asked MEMBER...: what status says, member by member, as JSON.
asked() {
    "$bin/waypost" status --json --socket "$work/socket" 2>/dev/null | python3 -c 'import json, sys
value = json.loads(sys.stdin.read() or "null")
for name in sys.argv[1:]: value = value.get(name) if isinstance(value, dict) else None
print(json.dumps(value))' "$@"
}
is() { [[ $(asked "${@:2}") == "$1" ]]; }

# One source, every fix or significant changes: with the latter alone the receiver sleeps, and wakes for who needs more.
row_S7() {
    feed 5
    start_gpsd
    printf '[tracking]\nhigh_accuracy = false\n' >"$work/waypost.toml"
    "$bin/waypost" run --config "$work/waypost.toml" --source "gpsd://localhost:$port" --state "$work/state" --log "$work/log" \
        --socket "$work/socket" </dev/null >>"$work/tracker.log" 2>&1 &
    tracker=$!
    within 20 is '"asleep"' following pace || short "the receiver does not sleep: $(asked following)"
    is '"healthy"' health || short "a planned sleep counts as a problem: $(asked problems)"
    "$bin/waypost" watch --significant --json --count 1 --timeout 5 --socket "$work/socket" >"$work/significant" ||
        short "no first report of significant changes"
    grep -q '"cached":true' "$work/significant" || short "the first report is not marked as cached"
    "$bin/waypost" watch --count 5 --timeout 10 --socket "$work/socket" >/dev/null || short "who needs every fix does not get it"
    ! grep -q 'position lost' "$work/tracker.log" || short "a planned sleep was told as a loss"
    ended_well || short "the tracker did not end with 0"
}

# A recording is played in three styles, held, lost and begun again, and ends.
row_S8() {
    "$bin/waypost" convert "$recording" "$work/drive.gpx" 2>/dev/null || short "no GPX of the recording"
    local style
    for style in actual interpolated fixed; do
        "$bin/waypost" run --source "gpx:$work/drive.gpx?style=$style&speed=0&times=original" --state "$work/state" --log "$work/$style" \
            --socket "$work/socket" </dev/null >>"$work/tracker.log" 2>&1 || short "style $style did not end with 0"
        (($("$bin/waypost" log export --log "$work/$style" | wc -l) > 300)) || short "style $style gave too little"
    done
    track "gpx:$work/drive.gpx"
    within 10 reached fixes 2 || short "no positions"
    "$bin/waypost" playback stationary on --socket "$work/socket" || short "stationary"
    sleep 2.5
    [[ $(fixes | tail -n 2 | sed 's/.*\("lat":[^,]*,"lon":[^,]*\),.*/\1/' | sort -u | wc -l) == 1 ]] || short "it moves while it stands still"
    "$bin/waypost" playback position-lost on --socket "$work/socket" || short "position-lost"
    within 5 reached losses 1 || short "no loss"
    silent 2 || short "positions while there are none"
    "$bin/waypost" playback position-lost off --socket "$work/socket"
    "$bin/waypost" playback stationary off --socket "$work/socket"
    "$bin/waypost" playback reset --socket "$work/socket" || short "reset"
    local before
    before=$(count fixes)
    within 5 reached fixes $((before + 2)) || short "it does not go on"
    ended_well || short "the tracker did not end with 0"
}

# A drive along a route at a speed, and one that is built in.
row_S9() {
    "$bin/waypost" convert "$recording" "$work/drive.gpx" 2>/dev/null || short "no GPX of the recording"
    "$bin/waypost" run --source "route:$work/drive.gpx?speed=30&interval=1" --state "$work/state" --log "$work/log" --socket "$work/socket" \
        </dev/null >>"$work/tracker.log" 2>&1 &
    tracker=$!
    within 10 answers || short "the tracker does not answer"
    "$bin/waypost" watch --json --count 4 --timeout 10 --socket "$work/socket" >"$work/watch.jsonl" || short "no positions along the route"
    [[ $(fixes | grep -c '"speed":30') == 4 ]] || short "not at 30 m/s"
    ended_well || short "the tracker did not end with 0"
    track sim:freeway
    within 10 reached fixes 3 || short "no positions of sim:freeway"
    ended_well || short "the tracker did not end with 0"
}

# Fences of a file: events in the log, in watch and in status; inside at creation is silent; the file is read again.
row_S13() {
    printf '%s' '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Start","radius":60},' \
        '"geometry":{"type":"Point","coordinates":[10.2410,51.7325]}}]}' >"$work/fences.geojson"
    printf '[geofences]\nfile = "%s"\n' "$work/fences.geojson" >"$work/waypost.toml"
    "$bin/waypost" run --config "$work/waypost.toml" --source "nmea:$recording?speed=20" --state "$work/state" --log "$work/log" \
        --socket "$work/socket" </dev/null >>"$work/tracker.log" 2>&1 &
    tracker=$!
    within 10 answers || short "the tracker does not answer"
    "$bin/waypost" watch --json --events --count 1 --timeout 30 --socket "$work/socket" >"$work/events" || short "no event"
    grep -q '"event":"exit","fence":"Start"' "$work/events" || short "not the exit: $(cat "$work/events")"
    "$bin/waypost" status --socket "$work/socket" | grep 'exit Start' >/dev/null || short "status does not show the event"
    "$bin/waypost" fences add Here --at 51.7145,10.2624 --radius 50 --socket "$work/socket" || short "no fence added"
    [[ $("$bin/waypost" fences list --socket "$work/socket" | wc -l) == 2 ]] || short "not two fences"
    printf '{"type":"FeatureCollection","features":[]}' >"$work/fences.geojson"
    [[ $("$bin/waypost" fences list --socket "$work/socket") == Here\ * ]] || short "the file was not read again"
    ended_well || short "the tracker did not end with 0"
    grep -q '<name>Start</name>' "$work"/log/*.gpx || short "the event is no waypoint of the track"
    valid "$work"/log/*.gpx || short "not valid: $(tail -n 1 "$work/xmllint.log")"
}

# Average speed, a hold with its reason, and what the box can do.
row_S24() {
    track sim:freeway
    within 10 reached fixes 4 || short "no positions"
    [[ $(asked following average_speed) == 3[0-9]* ]] || short "average speed $(asked following average_speed) at 33 m/s"
    "$bin/waypost" hold --reason 'photo walk' --socket "$work/socket" 2>/dev/null &
    within 5 held 'photo walk' || short "status does not show the hold"
    "$bin/waypost" capabilities --socket "$work/socket" | grep '^significant changes: yes' >/dev/null || short "capabilities"
    ended_well || short "the tracker did not end with 0"
}
held() { asked following for | grep -F "$1" >/dev/null; }

# Through a fence between two sparse fixes: one pass, with both times; and what would have fired on a recording, byte for byte.
row_N5() {
    printf '%s' '{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Bridge","radius":30},' \
        '"geometry":{"type":"Point","coordinates":[8,47.001]}}]}' >"$work/fences.geojson"
    printf '{"class":"TPV","time":"2026-03-01T12:00:%s.000Z","mode":3,"lat":%s,"lon":8}\n' 00 47 10 47.002 >"$work/track.jsonl"
    "$bin/waypost" fences replay "$work/fences.geojson" "$work/track.jsonl" --rule exact --json >"$work/first" || short "replay failed"
    [[ $(wc -l <"$work/first") == 1 ]] || short "not one event: $(cat "$work/first")"
    grep -q '"event":"pass".*"crossed_at":.*"left_at":' "$work/first" || short "no pass with its times: $(cat "$work/first")"
    "$bin/waypost" fences replay "$work/fences.geojson" "$work/track.jsonl" --rule exact --json | cmp -s - "$work/first" ||
        short "the same input gave other bytes"
}

# The package: udev rules, configuration, service; installed, upgraded and purged. $PACKAGE_SHOWN says that this is shown by itself.
row_S4() {
    [[ -n ${PACKAGE_SHOWN-} ]] || BIN=$bin bash Tests/Scripts/package.sh >"$work/package" 2>&1 || short "$(tail -n 3 "$work/package")"
}

# The service manager hears that all is well while there is no receiver, and nothing once the tracker hangs.
row_N11() {
    socat -u UNIX-RECV:"$work/notify" OPEN:"$work/heard",creat,append &
    within 5 test -S "$work/notify" || short "no socket for notifications"
    export NOTIFY_SOCKET=$work/notify WATCHDOG_USEC=1000000
    track "serial:///dev/waypost-no-such-receiver"
    within 10 beaten 8 || short "no sign of life without a receiver: $(cat "$work/heard")"
    kill -STOP "$tracker"
    local before
    before=$(beats)
    ! within 3 beaten $((before + 2)) || short "signs of life from a tracker that hangs"
    kill -CONT "$tracker"
    within 5 beaten $((before + 3)) || short "no sign of life afterwards"
    ended_well || short "the tracker did not end with 0"
}
beats() { grep -o 'WATCHDOG=1' "$work/heard" | wc -l; }
beaten() { (($(beats) >= $1)); }

# -- Each group one after the other, as several of them measure time; the groups, which wait more than they compute, beside each other.

for part in log dispatch sharing access roads; do source "Tests/Scripts/Acceptance/$part.sh"; done
rows=(S1 S2 S3 S4 S7 S8 S9 S10 S11 S13)
beside=("S17" "S19" "S15 S18 S22 S24 S25 N1 N3 N5 N8 N9 N10 N11 N14 N16")
(($# == 0)) || rows=("$@") beside=()
good=0
all=${#rows[@]}
# Each group has fifty ports of its own.
port=$((20000 + $$ % 200 * 50))
side=$(mktemp -d)
trap 'rm -rf "$side"; jobs -p | xargs -r kill 2>/dev/null || :' EXIT
runs=()
for group in "${!beside[@]}"; do
    read -r -a words <<<"${beside[group]}"
    all=$((all + ${#words[@]}))
    bash Tests/Scripts/acceptance.sh "${words[@]}" >"$side/$group" 2>&1 &
    runs[group]=$!
done
for row in "${rows[@]}"; do
    work=$(mktemp -d)
    mkdir -p "$work/log"
    : >"$work/watch.jsonl"
    result=0
    # A subshell in a process group of its own (set -m), so that what a row leaves running ends with it and nothing else does.
    set -m
    (
        set +m
        "row_$row"
    ) </dev/null &
    running=$!
    set +m
    wait "$running" || result=$?
    kill -KILL -- "-$running" 2>/dev/null || true
    if ((result == 0)); then
        printf '%s ok\n' "$row"
        good=$((good + 1))
        rm -rf "$work"
    else
        printf '%s falls short\n' "$row"
        printf '  what it left is in %s\n' "$work" >&2
    fi
    port=$((port + 1))
done
for group in "${!runs[@]}"; do
    wait "${runs[group]}" || :
    # Without the total of its own run.
    sed '$d' "$side/$group"
    good=$((good + $(grep -c '^[A-Z][0-9]* ok$' "$side/$group" || :)))
done
printf '%d of %d rows ok\n' "$good" "$all"
((good == all))
