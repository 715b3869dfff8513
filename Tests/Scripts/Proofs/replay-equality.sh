#!/usr/bin/env bash
# Recordings played at full speed and in real time tell the same, byte for byte: positions, losses, and what the rules make of them.
#
# Usage: bash Tests/Scripts/Proofs/replay-equality.sh [FILE...]       three recordings of data/nmea and five of data/gpx by default, nine minutes
#   TRACE           the replay-trace program; without it, it is built (Tests/Examples)
#   SPEED           the speed to compare with full speed (1)
#   WAYPOST_SHARED  the folder with data/nmea and data/gpx (../shared)
set -euo pipefail
cd "$(dirname "$0")/../../.."

shared=${WAYPOST_SHARED:-$PWD/../shared}
speed=${SPEED:-1}
files=("$@")
if ((${#files[@]} == 0)); then
    # Losses of 21 s and 9 s, and a boat; then pauses of 25 s to 64 s, a damaged file with a hole of 7 s, and a drive of eight minutes.
    files=("$shared"/data/nmea/{meinberg-gps164,quectel-eg25-g,ais-nmea}.log
        "$shared"/data/gpx/{gpxgo__file,gpxpy__track-with-empty-segment,phpGPX__tests_fixtures_gps-track,x_nul_middle,gpxpy__around-visnjan-with-car}.gpx)
    [[ -r ${files[0]} ]] || { printf 'replay-equality: skipped: no recordings in %s\n' "$shared/data"; exit 0; }
fi
trace=${TRACE:-}
if [[ -z $trace ]]; then
    swift build --package-path Tests/Examples --scratch-path .build --product replay-trace >&2
    trace=.build/debug/replay-trace
fi

work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT

start=$(date +%s)
for i in "${!files[@]}"; do
    "$trace" "${files[i]}" 0 >"$work/$i.fast"
done
fast=$(($(date +%s) - start))
declare -a pids=()
for i in "${!files[@]}"; do
    (
        begin=$(date +%s)
        "$trace" "${files[i]}" "$speed" >"$work/$i.paced"
        printf '%s' $(($(date +%s) - begin)) >"$work/$i.seconds"
    ) &
    pids+=($!)
done
code=0
for pid in "${pids[@]}"; do wait "$pid" || code=1; done

# count FILE PATTERN
count() { grep -c "$2" "$1" || true; }
printf '| recording | s | lines | positions | losses | significant | stationary changes | the same |\n|---|---|---|---|---|---|---|---|\n'
for i in "${!files[@]}"; do
    verdict=yes
    diff -u "$work/$i.fast" "$work/$i.paced" >"$work/$i.diff" || { verdict=NO code=1; }
    [[ -s $work/$i.fast ]] || { verdict='NO, empty' code=1; }
    printf '| %s | %s | %d | %d | %d | %d | %d | %s |\n' "$(basename "${files[i]}")" "$(cat "$work/$i.seconds")" \
        "$(wc -l <"$work/$i.fast")" "$(count "$work/$i.fast" '^{')" "$(count "$work/$i.fast" '^lost')" \
        "$(count "$work/$i.fast" '^  significant')" "$(count "$work/$i.fast" '^  stationary')" "$verdict"
    head -n 20 "$work/$i.diff" >&2
done
printf 'all at full speed: %d s, one after the other\n' "$fast"
exit "$code"
