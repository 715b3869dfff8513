#!/usr/bin/env bash
# Starts, stops, swaps and drops managers in random order, some with fences and a log, from tasks, from loops and from consumers. Each manager,
# monitor and log and each run of a source must be gone afterwards, threads and descriptors must be no more than before, and nothing may hang.
#
# Usage: bash Tests/Scripts/Proofs/lives.sh [--sanitize thread|address] [ROUNDS [SEED]]     1000 rounds by default, with a seed of the day
#   --sanitize thread   with ThreadSanitizer, which must have nothing to report; in a clone of the last commit
#   --sanitize address  with AddressSanitizer, and a search for memory that nothing refers to at the end
#   CLONE               the folder of the clone; with one that exists only what changed is built (a temporary one)
set -euo pipefail
cd "$(dirname "$0")/../../.."
source Config/prerequisites.sh

sanitizer=
if [[ ${1-} == --sanitize ]]; then
    [[ ${2-} == thread || ${2-} == address ]] || fail 64 "--sanitize wants thread or address"
    sanitizer=$2
    shift 2
fi
find_swift
install_packages "${build_packages[@]}"

options=(--package-path Tests/Benchmarks --product waypost-lives)
if [[ $sanitizer == thread ]]; then
    source Tests/Scripts/Tools/sanitizer_clone.sh
    printf '%s\n' "$mutex" >Tests/Benchmarks/Sources/WaypostLives/Mutex.swift
fi
[[ -z $sanitizer ]] || options+=("--sanitize=$sanitizer" --scratch-path ".build/lives-$sanitizer")
swift build "${options[@]}"
program=$(swift build "${options[@]}" --show-bin-path)/waypost-lives

work=$(mktemp -d)
code=0
TSAN_OPTIONS="log_path=$work/report halt_on_error=0 exitcode=0 report_thread_leaks=0" \
    ASAN_OPTIONS="detect_leaks=$([[ $sanitizer == address ]] && printf 1 || printf 0)" \
    "$program" "${1:-1000}" "${2:-$(date +%Y%m%d)}" "$work" || code=$?
if compgen -G "$work/report.*" >/dev/null; then
    grep -h '^SUMMARY' "$work"/report.* | sort | uniq -c
    printf 'lives: the reports are in %s\n' "$work" >&2
    exit 1
fi
rm -rf "$work"
((code == 0)) || fail 1 "something hung, was left, or was reported"
printf 'nothing left, nothing hung\n'
