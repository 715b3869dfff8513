#!/usr/bin/env bash
# Installs what the tests need, when something is missing, and runs all of them.
#
# Usage: bash Tests/Scripts/test.sh [SWIFT TEST OPTION...]       for example: --filter EpochAssembler
#   TEST_LIMIT  how long each of the runs may take, in seconds (1200)
set -euo pipefail
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh

find_swift
install_packages "${build_packages[@]}" "${test_packages[@]}"
have_swift
pin_swift_packages

results=$(mktemp -d)
# A run in the background does not hear Ctrl-C.
trap 'rm -rf "$results"; jobs -p | xargs -r kill 2>/dev/null || :' EXIT

swift build --build-tests
# What tests leave behind goes with the run; sockets among it have room for a path of 108 bytes.
mkdir "$results/t"
export TMPDIR=$results/t
code=0
runs=()
live_results=()
limit=${TEST_LIMIT:-1200}
# run NAME OPTION...: one run of the test program; its results go to NAME.xml.
run() {
    # The suite is written in Swift Testing throughout; without this flag a second, empty runner reports "0 tests" above the real one.
    local ended=0
    # A test that waits for what never comes would stop everything without a word. The runner's own lines wait in its buffer.
    local events=()
    if swift test --help-hidden 2>&1 | grep -e '--event-stream-output-path' >/dev/null; then events=(--event-stream-output-path "$results/$1.events"); fi
    python3 Tests/Scripts/Tools/limited.py "$limit" \
        swift test --skip-build --disable-xctest --xunit-output "$results/$1.xml" "${events[@]}" "${@:2}" || ended=$?
    if ((ended == 124)); then
        printf 'test.sh: the run "%s" did not end within %s seconds; these had begun:\n' "$1" "$limit"
        python3 Tests/Scripts/test_results.py unfinished "$results/$1.events"
    fi
    return "$ended"
}
# Tests of live parts (threads, sockets, gpsd, whole programs) do not run beside those that only compute: these would take every thread
# of a small machine for seconds, and a receiver that is waited for is late then. They wait more than they compute (500 s of a processor in
# 2 400 s), so several runs of them go side by side, each with one test after the other; the parts take about as long as each other.
live='^(EndToEndTests|WaypostPositioningTests|WaypostSystemTests|WaypostControlTests|WaypostDispatchTests)\.'
parts=(
    '^EndToEndTests\.EndToEnd/[A-C]'
    '^EndToEndTests\.EndToEnd/[D-FR]'
    '^EndToEndTests\.EndToEnd/[G-L]'
    '^EndToEndTests\.EndToEnd/[M-Q]'
    '^EndToEndTests\.EndToEnd/S'
    '^WaypostPositioningTests\.S'
    '^(WaypostControlTests|WaypostDispatchTests)\.|^EndToEndTests\.EndToEnd/[T-Z]'
)
if (($# > 0)); then
    run tests "$@" || code=$?
else
    run computing --skip "$live" || code=$?
    # What is said in UTC is said in UTC in every zone, and what is shown by the clocks of a place is shown by those.
    zoned='^WaypostDispatchTests\.TealiumFormatTests|^WaypostTests\.QuantitiesTests|^WaypostCLITests\.(ScreenTests|MomentTextTests)|DisplayTests'
    TZ=Asia/Tokyo run zone --filter "$zoned" || code=1
    # Each prints when it has ended: several reports line by line through each other help nobody.
    others=()
    live_results+=("$results/live-rest.xml")
    failed=0
    for part in "${!parts[@]}"; do
        run "live-$part" --no-parallel --ignore-lock --filter "${parts[part]}" >"$results/live-$part.log" 2>&1 &
        runs[part]=$!
        others+=(--skip "${parts[part]}")
        live_results+=("$results/live-$part.xml")
    done
    run live-rest --no-parallel --ignore-lock --filter "$live" "${others[@]}" || failed=1
    for part in "${!parts[@]}"; do
        wait "${runs[part]}" || failed=1
        cat "$results/live-$part.log"
    done
    if ((failed)); then
        # They hold promises in seconds, which no program keeps on a machine that stands still for one. A few that failed are run once
        # more, alone; the report says which these were. What fails twice has failed.
        again=$(python3 Tests/Scripts/test_results.py failed "${live_results[@]}" || :)
        if [[ -z $again ]] || ! run again --no-parallel --filter "$again"; then code=1; fi
    fi
fi

# A green run says little when half of it was skipped: which tests were, and why. And what failed is said again where it is looked for.
reports=()
for path in "$results"/{tests,computing,zone}.xml "${live_results[@]}" "$results/again.xml"; do
    if [[ -e $path ]]; then reports+=("$path"); fi
done
python3 Tests/Scripts/test_results.py report "${reports[@]}" || code=1
exit "$code"
