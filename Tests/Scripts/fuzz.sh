#!/usr/bin/env bash
# Builds the fuzzers and runs each one; what breaks is kept in Tests/Fuzz/.build/findings.
#
# Usage: bash Tests/Scripts/fuzz.sh [SECONDS]     60 for each target by default
#   TARGETS  which ones, by the name of their seeds (all)
set -euo pipefail
cd "$(dirname "$0")/../Fuzz"

seconds=${1:-60}
[[ $seconds =~ ^[0-9]+$ ]] || { printf 'usage: fuzz.sh [SECONDS]\n' >&2; exit 64; }

# libFuzzer handles crashes itself and is killed by Swift's own handler; Swift's runtime keeps memory to the end on purpose.
export SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=detect_leaks=0

failures=0
all=(nmea json configuration journal control gpx lines fences-geojson fences-tealium fences-owntracks fences-traccar fences-kml state ubx outbox csv kml gzip log answers sharing)
for target in ${TARGETS:-${all[*]}}; do
    # A fuzzer of several formats starts from each one's seeds.
    fuzzer=fuzz-${target%%-*}
    # Not gold: it fails on the sanitizer's debug information.
    swift build -c release --product "$fuzzer" -Xswiftc -sanitize=fuzzer,address -Xcxx -fsanitize=fuzzer-no-link,address \
        -Xswiftc -use-ld=lld
    mkdir -p ".build/corpus/$target" .build/findings
    # The first folder takes what is new; the seeds in the repository stay as they are.
    "$(swift build -c release --show-bin-path)/$fuzzer" ".build/corpus/$target" "Corpus/$target" \
        -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=1024 -print_final_stats=1 -verbosity=0 \
        -artifact_prefix=".build/findings/$target-" || failures=$((failures + 1))
done
exit $((failures > 0))
