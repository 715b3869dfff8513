#!/usr/bin/env bash
# Starts, stops, swaps and drops managers in random order, from tasks, from loops and from consumers: with ThreadSanitizer, which must report
# nothing, and with valgrind, which must find nothing lost. Each manager and each run of a source must be gone afterwards, threads and descriptors
# must be as many as before, and nothing may hang.
#
# Usage: bash Tests/Scripts/Proofs/lives.sh [ROUNDS [SEED]]        1000 rounds by default, with a seed of the day
#   CLONE  the folder of the clone for ThreadSanitizer; with one that exists only what changed is built (a temporary one)
set -euo pipefail
cd "$(dirname "$0")/../../.."
source Config/prerequisites.sh

find_swift
install_packages "${build_packages[@]}" valgrind
rounds=${1:-1000}
seed=${2:-$(date +%Y%m%d)}

printf '== valgrind\n'
options=(--package-path Tests/Benchmarks --scratch-path .build --product waypost-bench)
swift build "${options[@]}"
# The runtime of Swift keeps what it has made for types; what is lost is what no pointer leads to.
valgrind --quiet --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite --error-exitcode=9 --undef-value-errors=no \
    "$(swift build "${options[@]}" --show-bin-path)/waypost-bench" lives "$rounds" "$seed"

printf '== ThreadSanitizer\n'
source Tests/Scripts/Tools/sanitizer_clone.sh
swift build "${options[@]}" --sanitize=thread
reports=$(mktemp -d)
TSAN_OPTIONS="log_path=$reports/report halt_on_error=0 report_thread_leaks=0 ${TSAN_OPTIONS-}" \
    "$(swift build "${options[@]}" --sanitize=thread --show-bin-path)/waypost-bench" lives "$rounds" "$seed" || {
    printf 'lives: something hung or was left\n' >&2
    exit 1
}
if compgen -G "$reports/report.*" >/dev/null; then
    grep -h '^SUMMARY' "$reports"/report.* | sort | uniq -c
    printf 'the reports: %s\n' "$reports"
    exit 1
fi
rmdir "$reports"
printf 'nothing left, nothing hung, nothing to report\n'
