#!/usr/bin/env bash
# Installs what the tests need, when something is missing, and runs all of them.
#
# Usage: bash Tests/Scripts/test.sh [SWIFT TEST OPTION...]       for example: --filter EpochAssembler
set -euo pipefail
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh

find_swift
install_packages "${build_packages[@]}" "${test_packages[@]}"
have_swift

results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

swift build --build-tests
code=0
# run NAME OPTION...: one run of the test program; its results go to NAME.xml.
run() {
    # The suite is written in Swift Testing throughout; without this flag a second, empty runner reports "0 tests" above the real one.
    swift test --skip-build --disable-xctest --xunit-output "$results/$1.xml" "${@:2}" </dev/null || code=$?
}
# Tests of live parts (threads, sockets, gpsd, whole programs) run one after the other, and not beside those that only compute: these
# would take every thread of a small machine for seconds, and a receiver that is waited for is late then.
live='^(WaypostSystemTests|WaypostPositioningTests|WaypostControlTests|EndToEndTests)\.'
if (($# > 0)); then
    run tests "$@"
else
    run computing --skip "$live"
    run live --no-parallel --filter "$live"
fi

# A green run says little when half of it was skipped: which tests were, and why.
python3 - "$results"/*.xml <<'PYTHON' || code=1
import sys
import xml.etree.ElementTree as tree

passed = failed = 0
skipped = []
for path in sys.argv[1:]:
    for case in tree.parse(path).iter("testcase"):
        skip = case.find("skipped")
        if skip is not None:
            reason = skip.get("message") or (skip.text or "").strip()
            skipped.append((f"{case.get('classname')}.{case.get('name')}", reason))
        elif case.find("failure") is not None:
            failed += 1
        else:
            passed += 1
for name, reason in skipped:
    print(f"skipped: {name}" + (f": {reason}" if reason else ""))
print(f"{passed} passed, {failed} failed, {len(skipped)} skipped")
PYTHON
exit "$code"
