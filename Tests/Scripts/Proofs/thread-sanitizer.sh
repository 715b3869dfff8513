#!/usr/bin/env bash
# Runs tests with ThreadSanitizer, in a clone of the last commit.
#
# Usage: bash Tests/Scripts/Proofs/thread-sanitizer.sh [SWIFT TEST OPTION...]       the tests of live parts by default
#   CLONE  the folder of the clone; with one that exists only what changed is built (a temporary one)
#
# ThreadSanitizer does not know the locks of Swift's Synchronization module: it would report each value that one protects. In the clone each
# target that uses `Mutex` therefore gets a type of that name on a POSIX lock, which hides the other.
set -euo pipefail
cd "$(dirname "$0")/../../.."
source Config/prerequisites.sh

find_swift
install_packages "${build_packages[@]}" "${test_packages[@]}"
repository=$PWD
if [[ -z ${CLONE-} ]]; then
    CLONE=$(mktemp -d)
    trap 'rm -rf "$CLONE"' EXIT
fi
[[ -e $CLONE/.git ]] || git clone --quiet "$repository" "$CLONE"
cd "$CLONE"
git checkout --quiet --force --detach "$(git -C "$repository" rev-parse HEAD)"
cp Config/swift-packages.json Package.resolved

mutex='import Glibc

/// A lock that ThreadSanitizer knows, in place of the one of the Synchronization module.
struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming sending Value) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        guard pthread_mutex_init(lock, nil) == 0 else { fatalError("no lock") }
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        value.deallocate()
        pthread_mutex_destroy(lock)
        lock.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}'
# Benchmarks, examples and fuzzers are packages of their own.
while IFS= read -r target; do
    printf '%s\n' "$mutex" >"$target/Mutex.swift"
done < <(grep -rlE --include='*.swift' '\bMutex[<(]' Sources Tests/*Tests Tests/WaypostTestKit | cut -d/ -f1,2 | sort -u)

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
