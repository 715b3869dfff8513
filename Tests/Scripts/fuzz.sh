#!/usr/bin/env bash
# Builds the fuzzers and runs each one; what breaks is kept in Tests/Fuzz/.build/findings, what was run in Tests/Fuzz/runs.tsv.
#
# Usage: bash Tests/Scripts/fuzz.sh [SECONDS]     60 for each target by default
#        bash Tests/Scripts/fuzz.sh --hour        each target for what it lacks of an hour, the one that lacks most first
#        bash Tests/Scripts/fuzz.sh --ledger      how long each target has run, without running any
#   TARGETS  which ones, by the name of their seeds (all)
#   BUILT    yes: the fuzzers are built already
set -euo pipefail
cd "$(dirname "$0")/../Fuzz"

ledger=runs.tsv
hour=3600

# seconds_of TARGET: how long it has run without a finding since the last one, by the ledger; a finding begins a new hour.
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

failures=0
for target in "${targets[@]}"; do
    left=$seconds
    if [[ $seconds == --hour ]]; then
        left=$((hour - $(seconds_of "$target")))
        ((left > 0)) || continue
    fi
    mkdir -p ".build/corpus/$target" .build/findings
    code=0
    # A fuzzer of several formats starts from each one's seeds. The first folder takes what is new; the seeds in the repository stay as they are.
    "$bin/fuzz-${target%%-*}" ".build/corpus/$target" "Corpus/$target" \
        -max_total_time="$left" -max_len=4096 -timeout=60 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix=".build/findings/$target-" 2>&1 | tee ".build/$target.log" || code=$?
    ((code == 0)) || failures=$((failures + 1))
    # date, commit, target, seconds, executions, edges covered, exit code of the fuzzer
    printf '%s\t%s\t%s\t%d\t%s\t%s\t%d\n' "$(date +%F)" "$commit" "$target" \
        "$(sed -n 's/^Done [0-9]* runs in \([0-9]*\) second.*/\1/p' ".build/$target.log" | tail -1 | grep . || printf 0)" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' ".build/$target.log" | tail -1)" \
        "$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' ".build/$target.log" | tail -1)" "$code" >>"$ledger"
done
exit $((failures > 0))
