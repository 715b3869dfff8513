#!/usr/bin/env bash
# What serial lines, fallback and refusals do, shown at length on pseudo terminals and real gpsds: one line each, with what was measured.
#
# Usage: bash Tests/Scripts/Proofs/serial-proof.sh [--short]       about four minutes on an idle machine; --short is what every test run does
# shellcheck disable=SC2317 # `prove` calls functions by name
set -euo pipefail
cd "$(dirname "$0")/../../.."

if [[ ${1:-} != --short ]]; then
    export WAYPOST_REPLUG_ROUNDS=100 WAYPOST_COLD_START_SECONDS=57
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
failed=0

# prove NAME TESTS COMMAND...: runs the tests; the command makes one line of what they printed.
prove() {
    local verdict=ok
    swift test --skip-build --disable-xctest --no-parallel --filter "$2" >"$log" 2>&1 </dev/null || verdict=FAILED
    grep -q 'Test run with [1-9]' "$log" || verdict=FAILED
    [[ $verdict == ok ]] || failed=1
    printf '%s %s: %s\n' "$1" "$verdict" "$("${@:3}")"
    [[ $verdict == ok ]] || grep -E '✘|error:' "$log" | head -n 5 >&2 || true
}
# slowest WORDS: the largest number of milliseconds among the lines with these words.
slowest() { grep -E "$1" "$log" | grep -oE '[0-9]+ ms' | sort -n | tail -n 1; }
speeds() {
    printf '%s speeds at one report a second, slowest %s (computed, every phase: %s); the last good one %s' \
        "$(grep -c 'auto-baud: .* found after' "$log")" "$(slowest 'found after')" "$(slowest 'computed')" "$(slowest 'found again')"
}
# said WORDS...: what the lines with any of these words say, joined.
said() {
    local words found=""
    for words; do found+=$(grep -E "$words" "$log" | sed 's/^.*refusal: *//' | paste -sd'|' | sed 's/|/ | /g')"; "; done
    printf '%s' "${found%; }"
}

swift build --build-tests >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    exit 1
}
prove 'auto-baud' 'BaudSearchTests|findsTheSpeedOfARealLine' speeds
prove 'gpsd stopped and back' 'leavesAStoppedGPSD' said 'after gpsd was stopped' 'after it answered again'
prove 'tunnel and cold start' 'staysInATunnel' said 'kept through'
prove 'replug' 'isBackAfterEveryReplug' said 'replug:'
prove 'refusals' 'SerialPortTests' said 'refusal:'
exit "$failed"
