#!/usr/bin/env bash
# The packages of a release, those for arm64 in an emulator: each installs in its Debian with what apt finds for it, its programs find their libraries,
# and what they make of recordings and fences is on arm64 what it is on amd64, byte for byte; then it is removed and purged.
#
# Usage: bash Tests/Scripts/Proofs/Release/arm64-programs.sh OUTDIR      as root; OUTDIR is that of Config/debian/release.sh, or a folder with packages
#   WAYPOST_SHARED  a folder with more recordings: data/nmea and data/gpx (../shared); and with the oracle for fences
#
# The Debians are kept in ${XDG_CACHE_HOME:-~/.cache}/waypost; one for arm64 takes some minutes to make. The seconds that it prints are those of this
# machine and, for arm64, of the emulator.
set -euo pipefail
(($# == 1)) || {
    printf 'usage: bash Tests/Scripts/Proofs/Release/arm64-programs.sh OUTDIR\n' >&2
    exit 64
}
outdir=$(realpath "$1")
cd "$(dirname "$0")/../../../.."
source Config/prerequisites.sh
source Config/debian/roots.sh
((EUID == 0)) || fail 77 "arm64-programs.sh makes root file systems: run it as root"
install_packages mmdebstrap util-linux git python3
run_foreign
git_settings=()
shared=${WAYPOST_SHARED:-$PWD/../shared}
work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-arm64.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
short() {
    printf 'arm64-programs: %s\n' "$*" >&2
    exit 1
}

# What is run in each Debian, in its /root/waypost: sums of all that the programs write, by name.
mkdir -p "$work/given/nmea" "$work/given/gpx" "$work/given/fences"
cp Tests/Data/*.nmea "$work/given/nmea/"
cp Tests/Data/fences/* "$work/given/fences/"
[[ ! -d $shared/data/nmea ]] || cp "$shared"/data/nmea/*.log "$work/given/nmea/"
[[ ! -d $shared/data/gpx ]] || cp "$shared"/data/gpx/*.gpx "$work/given/gpx/"
cat >"$work/given/run.sh" <<'END'
# sums WORD...: the command's exit code, the sum of what it says, and the command.
sums() {
    "$@" >/tmp/said 2>&1
    printf '%s %s %s\n' "$?" "$(sha256sum </tmp/said | cut -c1-64)" "$*"
}
for file in nmea/*; do for to in jsonl gpx csv geojson; do sums waypost convert "$file" - --from nmea --to "$to"; done; done
for file in gpx/*; do [ ! -e "$file" ] || sums waypost convert "$file" - --from gpx --to jsonl; done
for fences in fences/*; do
    sums waypost fences check "$fences"
    for rule in exact robust; do sums waypost fences replay "$fences" nmea/drive.nmea --rule "$rule" --json; done
done
END

# tried RELEASE ARCH PACKAGE: the package in that Debian; the sums are in $work/RELEASE-ARCH.
tried() {
    local root=$work/root began
    mkdir "$root"
    tar -C "$root" --numeric-owner -xf "$(debian_image "$1" --variant=apt --architectures="$2" --skip=check/qemu)"
    connect_root "$root"
    cp -r "$work/given" "$root/root/waypost"
    cp "$3" "$root/root/"
    root_environment=(DEBIAN_FRONTEND=noninteractive)
    enter_root "$root" "apt-get -qq update && apt-get -qq -y --no-install-recommends install /root/$(basename "$3")" >"$work/said" 2>&1 ||
        short "$1, $2: it does not install: $(grep '^E: ' "$work/said" || tail -n 3 "$work/said")"
    # shellcheck disable=SC2016
    enter_root "$root" 'for program in waypost waypostd; do ldd "$(command -v $program)"; done; waypost --version; waypostd --version' >"$work/said" 2>&1 ||
        short "$1, $2: $(tail -n 3 "$work/said")"
    ! grep 'not found' "$work/said" || short "$1, $2: a library is missing"
    began=$SECONDS
    enter_root "$root" 'sh run.sh' >"$work/$1-$2"
    printf '%-9s %-6s %s: %s results in %s s, %s with exit code 0\n' "$1" "$2" "$(basename "$3")" "$(wc -l <"$work/$1-$2")" $((SECONDS - began)) \
        "$(grep -c '^0 ' "$work/$1-$2")"
    # Some of the files are damaged on purpose.
    (($(grep -c '^0 ' "$work/$1-$2") > $(wc -l <"$work/$1-$2") / 2)) || short "$1, $2: most of it fails: $(grep -v '^0 ' "$work/$1-$2" | head -n 3)"
    if [[ $2 == arm64 && -e $shared/tools/fences/check_exact.py ]]; then
        mkdir -p "$work/bin"
        printf '#!/bin/sh\nexec qemu-aarch64-static -L %q %q/usr/bin/waypost "$@"\n' "$root" "$root" >"$work/bin/waypost"
        chmod 755 "$work/bin/waypost"
        BIN=$work/bin WAYPOST_SHARED=$shared bash Tests/Scripts/Proofs/fence-oracle.sh --short
    fi
    enter_root "$root" 'apt-get -qq -y remove waypost && test -f /etc/waypost/waypost.toml && apt-get -qq -y purge waypost' >"$work/said" 2>&1 ||
        short "$1, $2: it cannot be removed: $(tail -n 3 "$work/said")"
    [[ ! -e $root/etc/waypost && ! -e $root/var/lib/waypost ]] || short "$1, $2: purge leaves files"
    rm -rf --one-file-system "$root"
}

compared=0
for release in 12:bookworm 13:trixie; do
    for arch in amd64 arm64; do
        package=$(find "$outdir" -name "waypost_*~deb${release%:*}_$arch.deb" | sort -V | tail -n 1)
        [[ -n $package ]] || continue 2
        tried "${release#*:}" "$arch" "$package"
    done
    diff "$work/${release#*:}-amd64" "$work/${release#*:}-arm64" >"$work/diff" || short "not the same on both: $(grep '^<' "$work/diff" | head -n 5)"
    compared=$((compared + $(wc -l <"$work/${release#*:}-arm64")))
done
((compared > 0)) || fail 66 "$outdir: no packages of one Debian for both architectures; make them with Config/debian/release.sh"
printf 'arm64-programs: %d results are the same on both, byte for byte\n' "$compared"
