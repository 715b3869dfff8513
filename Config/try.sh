#!/usr/bin/env bash
# Builds waypost and starts it on the receiver that is there, or on a recorded drive when there is none: positions on the screen,
# a GPX track at the end. Ctrl-C ends it.
#
# Usage: bash Config/try.sh [SOURCE]         for example: nmea:drive.nmea or gpsd://tracker.local:2947
set -euo pipefail
cd "$(dirname "$0")/.."
source Config/prerequisites.sh

find_swift
install_packages "${build_packages[@]}"
have_swift
pin_swift_packages

printf 'waypost: building; the first time takes some minutes\n'
bash Config/build-release.sh
waypost=$PWD/.build/release/waypost

# A gpsd on this machine that has a receiver: it answers ?DEVICES with at least one path.
gpsd_has_receiver() (
    { exec 3<>/dev/tcp/localhost/2947; } 2>/dev/null || exit 1
    printf '?DEVICES;\n' >&3
    while IFS= read -r -t 2 line <&3; do
        [[ $line != *'"class":"DEVICES"'* ]] || exec grep -q '"path"' <<<"$line"
    done
    exit 1
)

if (($# > 0)); then
    source=$1
    printf 'waypost: starting on %s; Ctrl-C ends it\n' "$source"
elif gpsd_has_receiver; then
    source=gpsd://localhost:2947
    printf 'waypost: starting on the receiver of gpsd; Ctrl-C ends it\n'
elif "$waypost" devices --json | grep '"receiver"' >/dev/null; then
    source=serial:auto
    printf 'waypost: starting on the receiver that is plugged in; Ctrl-C ends it\n'
else
    # Ten minutes of driving in a quarter of one.
    source="nmea:$PWD/Tests/Data/drive.nmea?speed=40"
    printf 'waypost: no receiver found; playing a recorded drive past two fences, forty times as fast\n'
fi

# Tracks stay; the socket does not. A new folder each time: what answers in it is the tracker that was just started.
state=${XDG_STATE_HOME:-$HOME/.local/state}/waypost-try
session=$(mktemp -d)
mkdir -p "$state/log"
socket=$session/waypost.sock
tracker=
options=(--source "$source" --log "$state/log" --socket "$socket")
if [[ $source != nmea:$PWD/Tests/Data/drive.nmea* ]]; then
    options+=(--state "$state")
else
    # What was known at the end of the drive is no news at its start.
    options+=(--state "$session/state" --config "$session/waypost.toml")
    printf '[geofences]\nfile = "%s"\n' "$PWD/Config/try-fences.geojson" >"$session/waypost.toml"
fi

# The finished tracks. A file's time is that of its fixes, so what is new shows only by comparison.
tracks() { find "$state/log" -name '*.gpx' | sort; }

# Ends the tracker, which finishes its track first, and says where that is. Runs once, however the script ends.
finish() {
    local code=$?
    trap - EXIT
    trap '' INT TERM HUP
    if [[ -n $tracker ]]; then
        kill -TERM "$tracker" 2>/dev/null || true
        local ended=0
        wait "$tracker" || ended=$?
        local tracks
        tracks=$(tracks | comm -13 "$session/tracks-before" -)
        if ((ended != 0)) || [[ -z $tracks ]]; then
            code=$ended
            printf 'waypost: the tracker ended with %d; it said:\n' "$ended" >&2
            tail -n 20 "$session/tracker.log" >&2
        fi
        [[ -z $tracks ]] || printf '\nYour track, as GPX:\n%s\n' "$tracks"
    fi
    rm -rf "$session"
    exit "$code"
}
trap finish EXIT
trap 'exit 0' TERM HUP
# With a handler here, not an empty one, the programs below keep their own way of dealing with Ctrl-C.
interrupted=false
trap 'interrupted=true' INT

tracks >"$session/tracks-before"
SECONDS=0
# In a process group of its own (set -m): Ctrl-C ends the screen, and the script then asks the tracker to end, once.
set -m
"$waypost" run "${options[@]}" </dev/null >"$session/tracker.log" 2>&1 &
tracker=$!
set +m

# The socket's name appears before anybody listens: ready is when `status` gets an answer, healthy (0) or not yet (1).
answers() {
    local code=0
    "$waypost" status --socket "$socket" >/dev/null 2>&1 || code=$?
    ((code <= 1))
}
until answers; do
    # An early end is told with its reason below.
    if $interrupted || ! kill -0 "$tracker" 2>/dev/null; then exit 0; fi
    ((SECONDS < 30)) || fail 69 "the tracker does not answer on its socket"
    sleep 0.1
done

# Ends with the tracker (69, the end of a recording) or by Ctrl-C; both are as it should be.
"$waypost" watch --socket "$socket" || true
