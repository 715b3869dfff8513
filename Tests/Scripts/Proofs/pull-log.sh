#!/usr/bin/env bash
# Pulls a log in pieces of 1 KiB over connections that break, beside a tracker that records, and compares every byte with the log.
#
# Usage: bash Tests/Scripts/Proofs/pull-log.sh [SECONDS]
#   SECONDS  how long the tracker records meanwhile (60); the recording is played eight times as fast
#   BIN      the folder of waypost and waypostd (.build/release)
#   PULL     the command before `waypost`, such as `ssh van` (nothing: this machine)
set -euo pipefail
cd "$(dirname "$0")/../../.."

bin=$(realpath "${BIN:-.build/release}")
seconds=${1:-60}
work=$(mktemp -d)
tracker=
trap '[[ -z $tracker ]] || kill "$tracker" 2>/dev/null || true; rm -rf "$work"' EXIT
fail() {
    printf 'pull-log: %s\n' "$*" >&2
    exit 1
}
# shellcheck disable=SC2086 # PULL is several words
waypost() { ${PULL-} "$bin/waypost" "$@" --log "$work/log" --socket "$work/socket"; }

"$bin/waypost" run --source "nmea:$PWD/Tests/Data/drive.nmea?speed=8" --state "$work/state" --log "$work/log" --socket "$work/socket" \
    </dev/null >"$work/tracker.log" 2>&1 &
tracker=$!
for ((try = 0; try < 150; try++)); do
    ! compgen -G "$work/log/journal/*.journal" >/dev/null || break
    sleep 0.1
done

: >"$work/pulled"
pulls=0
# pull: one connection, cut after 1 KiB; what arrived whole is kept, and half of the time its acknowledgement is lost.
pull() {
    { waypost log export --puller test 2>>"$work/errors" || true; } | head -c 1024 >"$work/piece"
    # Without the last line when it was cut.
    [[ -s $work/piece ]] || return 0
    if [[ $(tail -c 1 "$work/piece" | od -An -tx1) != ' 0a' ]]; then sed -i '$d' "$work/piece"; fi
    [[ -s $work/piece ]] || return 0
    cat "$work/piece" >>"$work/pulled"
    pulls=$((pulls + 1))
    if ((RANDOM % 2)); then
        waypost log ack "$(tail -n 1 "$work/piece" | sed -n 's/.*"seq":\([0-9]*\).*/\1/p')" --puller test
    fi
}
end=$((SECONDS + seconds))
while ((SECONDS < end)) && kill -0 "$tracker" 2>/dev/null; do pull; done
kill "$tracker" 2>/dev/null || true
wait "$tracker" || fail "the tracker did not end with 0: $(tail -n 1 "$work/tracker.log")"
tracker=

# The rest; a pull whose acknowledgement was lost brings the same again.
waypost log export >"$work/whole"
last=$(tail -n 1 "$work/whole")
until [[ $(tail -n 1 "$work/pulled") == "$last" ]]; do pull; done

# Lines that came twice came the same, byte for byte: their numbers are as many as the lines that differ.
awk '!seen[$0]++' "$work/pulled" >"$work/once"
cmp "$work/once" "$work/whole" || fail "what was pulled is not the log"
printf 'pull-log: %d lines, %d bytes in %d pieces, %d lines repeated: equal\n' "$(wc -l <"$work/whole")" "$(wc -c <"$work/whole")" \
    "$pulls" $(($(wc -l <"$work/pulled") - $(wc -l <"$work/whole")))
