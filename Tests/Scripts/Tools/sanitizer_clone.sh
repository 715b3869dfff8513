# Sourced by the proofs with ThreadSanitizer, in the root of the repository: goes into a clone of the last commit, CLONE or a temporary one,
# where ThreadSanitizer knows the locks.
#
# It does not know those of Swift's Synchronization module: it would report each value that one protects. In the clone each target that uses
# `Mutex` therefore gets a type of that name on a POSIX lock, which hides the other.

repository=$PWD
if [[ -z ${CLONE-} ]]; then
    CLONE=$(mktemp -d)
    trap 'rm -rf "$CLONE"' EXIT
fi
[[ -e $CLONE/.git ]] || git clone --quiet "$repository" "$CLONE"
cd "$CLONE"
git fetch --quiet "$repository" HEAD
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
