#!/usr/bin/env bash
# Builds what ships, as it ships, and holds it to the room it has on a small device.
#
# Usage: bash Tests/Scripts/size.sh
#   BIN  the folder of waypost and waypostd built already (.build/release, built first)
set -euo pipefail
cd "$(dirname "$0")/../.."

[[ -n ${BIN-} ]] || bash Config/build-release.sh
bin=${BIN:-.build/release}

# limit PROGRAM MEGABYTES: the stripped program may be that large.
limit() {
    local stripped size
    stripped=$(mktemp)
    strip -o "$stripped" "$bin/$1"
    size=$(stat -c %s "$stripped")
    rm -f "$stripped"
    printf 'size: %s stripped %d.%d MB, limit %d MB\n' "$1" $((size / 1000000)) $((size / 100000 % 10)) "$2"
    ((size <= $2 * 1000000)) || {
        printf 'size: %s is too large\n' "$1" >&2
        exit 1
    }
}
# 20.3 with the map page, the doors, authorisation and waking; 17.3 since the linker leaves out what nothing calls; 18.0 with
# roads, and 17.4 without the names of all characters (Sources/CScalarNames).
limit waypostd 18

# One firstRange(of:) or contains("text") brings the engine of regular expressions, 2 MB: a search of our own is a line.
if nm "$bin/waypostd" | grep '12_RegexParser' >/dev/null; then
    printf 'size: waypostd has the engine of regular expressions; look for string searches in what was changed\n' >&2
    exit 1
fi
if nm "$bin/waypostd" | grep '_swift_stdlib_names' >/dev/null; then
    printf 'size: waypostd has the names of all characters; compare the symbol in Sources/CScalarNames with that of this toolchain\n' >&2
    exit 1
fi
