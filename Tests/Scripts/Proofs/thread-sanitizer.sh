#!/usr/bin/env bash
# Runs tests with ThreadSanitizer, in a clone of the last commit.
#
# Usage: bash Tests/Scripts/Proofs/thread-sanitizer.sh [SWIFT TEST OPTION...]       the tests of live parts by default
#   CLONE  the folder of the clone; with one that exists only what changed is built (a temporary one)
set -euo pipefail
cd "$(dirname "$0")/../../.."
source Config/prerequisites.sh

find_swift
install_packages "${build_packages[@]}" "${test_packages[@]}"
source Tests/Scripts/Tools/sanitizer_clone.sh

(($# > 0)) || set -- --no-parallel --filter '^(WaypostPositioningTests|WaypostSystemTests|WaypostControlTests|WaypostDispatchTests|WaypostDaemonTests)\.'
swift build --build-tests --sanitize=thread
reports=$(mktemp -d)
# What is slower by a factor of ten breaks promises in seconds: only what the sanitizer reports counts here.
TSAN_OPTIONS="log_path=$reports/report halt_on_error=0 report_thread_leaks=0 ${TSAN_OPTIONS-}" \
    swift test --skip-build --sanitize=thread --disable-xctest "$@" </dev/null || printf 'some tests failed: see above\n'
if compgen -G "$reports/report.*" >/dev/null; then
    grep -h '^SUMMARY' "$reports"/report.* | sort | uniq -c
    printf 'the reports: %s\n' "$reports"
    exit 1
fi
rmdir "$reports"
printf 'ThreadSanitizer has nothing to report\n'
