#!/usr/bin/env bash
# Starts, stops, swaps and drops managers in random order, from tasks, from loops and from consumers. Each manager and each run of a source must
# be gone afterwards, threads and descriptors must be no more than before, and nothing may hang.
#
# Usage: bash Tests/Scripts/Proofs/lives.sh [ROUNDS [SEED]]        1000 rounds by default, with a seed of the day
#
# Neither ThreadSanitizer nor valgrind can run this program: the benchmarks count allocations with a malloc of their own, and valgrind 3.19 ends
# in the main thread of an asynchronous program.
set -euo pipefail
cd "$(dirname "$0")/../../.."
source Config/prerequisites.sh

find_swift
install_packages "${build_packages[@]}"
options=(--package-path Tests/Benchmarks --scratch-path .build --product waypost-bench)
swift build "${options[@]}"
"$(swift build "${options[@]}" --show-bin-path)/waypost-bench" lives "${1:-1000}" "${2:-$(date +%Y%m%d)}" || {
    printf 'lives: something hung or was left\n' >&2
    exit 1
}
printf 'nothing left, nothing hung\n'
