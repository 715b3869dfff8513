#!/usr/bin/env bash
# Makes a release twice, from clones of the last commit in folders of different names, in different time zones and with different masks for new files, and
# shows that both are the same to the byte: packages, repository, checksums, and the list of what is inside. Prints the minutes and the memory of each.
#
# Usage: bash Tests/Scripts/Proofs/Release/release-twice.sh [--release NAME]...      as root; the options are those of release.sh
#   SIGN_KEY  as for release.sh: then the signatures are the same, too
#
# The roots that release.sh keeps are made by the first run where there are none. Without --release it takes two times two builds of all programs.
set -euo pipefail
cd "$(dirname "$0")/../../../.."
source Config/prerequisites.sh
((EUID == 0)) || fail 77 "release.sh makes root file systems: run it as root"
[[ -z ${SIGN_KEY-} ]] || SIGN_KEY=$(realpath "$SIGN_KEY")
work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-twice.XXXXXX")
keep=
trap '[[ -n $keep ]] || rm -rf --one-file-system "$work"' EXIT

# release RUN ZONE MASK OPTION...: a release into $work/RUN; what it said is in $work/RUN.log.
release() {
    local run=$1 zone=$2 mask=$3
    git clone --quiet --no-hardlinks . "$work/clone-$run"
    (
        umask "$mask"
        cd "$work/clone-$run"
        # Of all its processes, the memory of the largest.
        TZ=$zone python3 -c '
import resource, subprocess, sys, time
began = time.monotonic()
code = subprocess.run(sys.argv[1:]).returncode
memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(f"{(time.monotonic() - began) / 60:.0f} minutes, at most {memory:.0f} MB in one process", file=sys.stderr)
sys.exit(code)' bash Config/debian/release.sh "$work/$run" "${@:4}" >"$work/$run.log" 2>"$work/$run.errors"
    ) || {
        tail -n 20 "$work/$run.log" "$work/$run.errors" >&2
        fail 1 "the $run release ends with an error"
    }
    printf '%s: %s, %s packages\n' "$run" "$(tail -n 1 "$work/$run.errors")" "$(grep -c '\.deb$' "$work/$run/SHA256SUMS")"
    rm -rf "$work/clone-$run"
}
release first UTC 022 "$@"
release second-in-a-longer-folder Pacific/Auckland 077 "$@"

(cd "$work/first" && sha256sum --check --quiet SHA256SUMS)
if ! diff -r "$work/first" "$work/second-in-a-longer-folder" >"$work/diff"; then
    keep=yes
    cat "$work/diff" >&2
    fail 1 "the second release is another: compare both, in $work, with diffoscope"
fi
cat "$work/first/SHA256SUMS"
printf 'release-twice: the same to the byte, %s files\n' "$(find "$work/first" -type f | wc -l)"
