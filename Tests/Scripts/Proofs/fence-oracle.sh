#!/usr/bin/env bash
# Holds every enter and exit of `waypost fences replay --rule exact` against an independent oracle.
#
# Usage: bash Tests/Scripts/Proofs/fence-oracle.sh [--short] [COUNT...]     20 1000 10000 fences without a count; --short: 20, ten walkers
#   BIN             the folder of the release build (.build/release)
#   WAYPOST_SHARED  the folder with tools/fences/check_exact.py and data/fences (../shared)
#   FENCE_DATA      the folder with fences_N.tsv, positions.tsv and events_N.tsv ($WAYPOST_SHARED/data/fences); for 100000 fences made by
#                   tools/fences/gen_geofence.py --seed 11
#
# Exits with 1 when an event is missing or is one too many; says so and exits with 0 where the data is not at hand.
set -euo pipefail
cd "$(dirname "$0")/../../.."

bin=$(realpath "${BIN:-.build/release}")
shared=${WAYPOST_SHARED:-$PWD/../shared}
data=${FENCE_DATA:-$shared/data/fences}
options=()
if [[ ${1-} == --short ]]; then
    options=(--walkers 10)
    shift
    (($# > 0)) || set -- 20
fi
(($# > 0)) || set -- 20 1000 10000
if [[ ! -e $shared/tools/fences/check_exact.py || ! -d $data ]]; then
    printf 'fence-oracle: skipped: no %s\n' "$shared/tools/fences/check_exact.py"
    exit 0
fi
failures=0
for count in "$@"; do
    # What the tool calls agreement may miss one event in a thousand; here none may be missed.
    result=$(python3 "$shared/tools/fences/check_exact.py" "$bin/waypost" "$data" "$count" "${options[@]}") || true
    printf '%s\n' "$result"
    [[ $result == *'"missing": 0, "extra": 0,'* ]] || failures=$((failures + 1))
done
exit $((failures > 0))
