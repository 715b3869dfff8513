#!/usr/bin/env bash
# Builds the fuzzers and runs each one; what breaks is kept in Tests/Fuzz/.build/findings, what was run in Tests/Fuzz/runs.tsv.
#
# Usage: bash Tests/Scripts/fuzz.sh [SECONDS]     60 for each target by default
#        bash Tests/Scripts/fuzz.sh --hour        each target for what it lacks of an hour of processor time, the one that lacks most first
#        bash Tests/Scripts/fuzz.sh --ledger      how long each target has run, without running any
#   TARGETS  which ones, by the name of their seeds (all)
#   BUILT    yes: the fuzzers are built already
set -euo pipefail
cd "$(dirname "$0")/../Fuzz"

ledger=runs.tsv
hour=3600

# seconds_of TARGET: the processor time it has run without a finding since the last one, by the ledger; a finding begins a new hour.
seconds_of() {
    awk -F '\t' -v target="$1" '$3 == target { seconds = $7 == "0" ? seconds + $4 : 0 } END { print seconds + 0 }' "$ledger"
}

all=(nmea json configuration journal control gpx lines fences-geojson fences-tealium fences-owntracks fences-traccar fences-kml state ubx outbox csv kml gzip log answers sharing access roads)
read -r -a targets <<<"${TARGETS:-${all[*]}}"
seconds=${1:-60}
case $seconds in
    --ledger)
        for target in "${targets[@]}"; do printf '%6d s  %s\n' "$(seconds_of "$target")" "$target"; done
        exit
        ;;
    --hour) mapfile -t targets < <(for target in "${targets[@]}"; do printf '%s %s\n' "$(seconds_of "$target")" "$target"; done | sort -n | cut -d' ' -f2) ;;
    *[!0-9]* | '')
        printf 'usage: fuzz.sh [SECONDS | --hour | --ledger]\n' >&2
        exit 64
        ;;
esac

# libFuzzer handles crashes itself and is killed by Swift's own handler; Swift's runtime keeps memory to the end on purpose.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0
if [[ ${BUILT-} != yes ]]; then
    # Not gold: it fails on the sanitizer's debug information.
    swift build -c release -Xswiftc -sanitize=fuzzer,address -Xcxx -fsanitize=fuzzer-no-link,address -Xswiftc -use-ld=lld
fi
bin=$(swift build -c release --show-bin-path)
commit=$(git rev-parse --short HEAD)

# fuzz_once TARGET SECONDS: runs it that long by the clock, and notes it; a machine with other work takes more than one run for an hour.
fuzz_once() {
    local target=$1 code=0 TIMEFORMAT='%U %S'
    mkdir -p ".build/corpus/$target" .build/findings
    # A fuzzer of several formats starts from each one's seeds. The first folder takes what is new; the seeds in the repository stay as they are.
    { time "$bin/fuzz-${target%%-*}" ".build/corpus/$target" "Corpus/$target" \
        -max_total_time="$2" -max_len=4096 -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix=".build/findings/$target-" >".build/$target.log" 2>&1 || code=$?; } 2>".build/$target.time"
    tail -n 12 ".build/$target.log"
    # date, commit, target, seconds of processor time, executions, edges covered, exit code of the fuzzer
    printf '%s\t%s\t%s\t%d\t%s\t%s\t%d\n' "$(date +%F)" "$commit" "$target" \
        "$(awk '{ print int($1 + $2) }' ".build/$target.time")" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' ".build/$target.log" | tail -1)" \
        "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' ".build/$target.log" | tail -1)" "$code" >>"$ledger"
    return "$code"
}

failures=0
for target in "${targets[@]}"; do
    if [[ $seconds == --hour ]]; then
        while left=$((hour - $(seconds_of "$target"))) && ((left > 0)); do
            fuzz_once "$target" "$((left < 60 ? 60 : left))" || {
                failures=$((failures + 1))
                break
            }
        done
    else
        fuzz_once "$target" "$seconds" || failures=$((failures + 1))
    fi
done
exit $((failures > 0))
