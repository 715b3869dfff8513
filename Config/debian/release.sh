#!/usr/bin/env bash
# Builds everything that is released, from a clean clone of the last commit: the packages for amd64 and arm64, for each Debian; a repository for apt of
# them; their checksums; and the list of what is inside (SPDX).
#
# Usage: bash Config/debian/release.sh OUTDIR [--release NAME]...          as root
#   --release  only for this Debian: bookworm (12) or trixie (13)
#   SIGN_KEY   a file with the secret key of OpenPGP that signs the repository (without it, it is not signed)
#
# The programs for amd64 are built in that Debian, with this machine's Swift. Those for arm64 are built on this machine too: in a Debian sid, whose Swift
# has its standard library for arm64 as a package, with the headers and libraries of the Debian they are for. Everything comes from the mirror that apt
# uses; the roots are kept in ${XDG_CACHE_HOME:-~/.cache}/waypost. It takes 3 GB of memory and 15 GB of disk.
set -euo pipefail
(($# >= 1)) && [[ $1 != -* ]] || {
    printf 'usage: bash Config/debian/release.sh OUTDIR [--release NAME]...\n' >&2
    exit 64
}
umask 022
mkdir -p "$1"
outdir=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh
source Config/debian/roots.sh

releases=()
while (($# > 0)); do
    [[ $1 == --release && ${2-} =~ ^(bookworm|trixie)$ ]] || fail 64 "$*: not an option; --release bookworm and --release trixie are"
    releases+=("$2")
    shift 2
done
((${#releases[@]} > 0)) || releases=(bookworm trixie)
((EUID == 0)) || fail 77 "release.sh makes root file systems and changes into them: run it as root"
[[ -z ${SIGN_KEY-} || -r $SIGN_KEY ]] || fail 66 "SIGN_KEY: $SIGN_KEY cannot be read"
find_swift
install_packages mmdebstrap util-linux git apt-utils gnupg python3 dpkg-dev
find_bound

work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-release.XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT
stage() { printf '\n== %d s: %s\n' "$SECONDS" "$*"; }

# place_clone ROOT: the last commit, at the place where it is always built, so that no other path gets into the programs.
place_clone() {
    rm -rf "$1/root/waypost"
    git clone --quiet --no-hardlinks . "$1/root/waypost"
    cp Config/swift-packages.json "$1/root/waypost/Package.resolved"
}

# make_target RELEASE: a Debian with the headers and libraries of both architectures, and what makes packages, as $target.
make_target() {
    local gcc=14 library both=() name
    [[ $1 != bookworm ]] || gcc=12
    for library in libc6-dev "libgcc-$gcc-dev" "libstdc++-$gcc-dev" libgps-dev libtomlplusplus-dev zlib1g-dev; do
        both+=("$library" "$library:arm64")
    done
    printf -v name '%s,' "${build_packages[@]}" "${package_packages[@]}" lintian binutils-aarch64-linux-gnu "${both[@]}"
    target=$work/$1
    mkdir "$target"
    tar -C "$target" -xf "$(debian_image "$1" --variant=apt --architectures=amd64,arm64 --include="${name%,}")"
    connect_root "$target"
    place_clone "$target"
    mkdir "$target/root/arm64"
    # Links that begin at the root of that Debian would lead out of it.
    local link
    find "$target/usr/lib/aarch64-linux-gnu" -type l -lname '/*' -print0 | while IFS= read -r -d '' link; do
        ln -sfnr "$target$(readlink "$link")" "$link"
    done
    # Where Swift's driver looks for what it links; the builder has it.
    for name in swift swift_static clang; do ln -s "/opt/swift-arm64/$name" "$target/usr/lib/$name"; done
}

# make_builder: a Debian sid with Swift for this machine, and with the libraries of Swift for arm64, as $builder.
make_builder() {
    local image
    # Nothing of the other architecture runs, so its packages are only unpacked. The index is as old as the mirror's copy.
    # shellcheck disable=SC2016
    image=$(debian_image sid --variant=apt --architectures=amd64,arm64 --include=swiftlang,g++,git,ca-certificates,pkg-config \
        --aptopt='Acquire::Check-Valid-Until "false"' --customize-hook='chroot "$1" sh -ec "
            cd /opt && mkdir all && apt-get -qq download swiftlang:arm64 libswiftlang:arm64
            for package in *.deb; do dpkg-deb --extract \$package all; done
            mv all/usr/libexec/swift/lib swift-arm64 && rm -r all ./*.deb"')
    builder=$work/builder
    mkdir "$builder"
    tar -C "$builder" -xf "$image"
    connect_root "$builder"
    mkdir -p "$builder/opt/waypost.artifactbundle/arm64"
    # Where the compiler finds what for programs for arm64.
    printf '%s\n' '{"schemaVersion": "1.0", "artifacts": {"waypost-arm64": {"type": "swiftSDK", "version": "1.0", "variants":
        [{"path": "arm64", "supportedTriples": ["x86_64-pc-linux-gnu", "x86_64-unknown-linux-gnu"]}]}}}' >"$builder/opt/waypost.artifactbundle/info.json"
    printf '%s\n' '{"schemaVersion": "4.0", "targetTriples": {"aarch64-unknown-linux-gnu": {"sdkRootPath": "/sysroot",
        "swiftResourcesPath": "/opt/swift-arm64/swift", "swiftStaticResourcesPath": "/opt/swift-arm64/swift_static",
        "toolsetPaths": ["toolset.json"]}}}' >"$builder/opt/waypost.artifactbundle/arm64/swift-sdk.json"
    printf '%s\n' '{"schemaVersion": "1.0", "swiftCompiler": {"extraCLIOptions": ["-use-ld=lld"]}}' >"$builder/opt/waypost.artifactbundle/arm64/toolset.json"
}

# build_arm64 RELEASE: the programs for arm64 of the Debian in $target, into its /root/arm64.
build_arm64() {
    local options=()
    place_clone "$builder"
    if [[ $1 == bookworm ]]; then options=(-Xlinker /root/glibc-2.36.o); fi
    root_environment=(
        PATH=/usr/libexec/swift/bin:/usr/sbin:/usr/bin:/sbin:/bin LD_LIBRARY_PATH=/usr/libexec/swift/lib/swift/linux
        PKG_CONFIG_LIBDIR=/sysroot/usr/lib/aarch64-linux-gnu/pkgconfig:/sysroot/usr/share/pkgconfig PKG_CONFIG_SYSROOT_DIR=/sysroot
    )
    enter_root "$builder" "
        clang --target=aarch64-linux-gnu --sysroot=/sysroot -O2 -c Config/debian/glibc-2.36.c -o /root/glibc-2.36.o
        for program in waypostd waypost; do
            bash Config/build-release.sh --disable-sandbox --swift-sdks-path /opt --swift-sdk waypost-arm64 \
                --force-resolved-versions --product \$program ${options[*]}
        done
        cp .build/aarch64-unknown-linux-gnu/release/waypost .build/aarch64-unknown-linux-gnu/release/waypostd /programs/
        swift --version >/programs/swift-version
    " "$target:/sysroot" "rw=$target/root/arm64:/programs" "${bound[@]:1}"
}

# note_linked ARCH FILE: what is linked into the programs of the Debian in $target, for the list of what is inside; FILE has what Swift says of itself.
note_linked() {
    local debian toml osmium protozero
    debian=$(. "$target/etc/os-release" && printf 'deb%s' "$VERSION_ID")
    toml=$(dpkg-query --admindir="$target/var/lib/dpkg" --show --showformat='${Version}' libtomlplusplus-dev:amd64)
    osmium=$(dpkg-query --admindir="$target/var/lib/dpkg" --show --showformat='${Version}' libosmium2-dev)
    protozero=$(dpkg-query --admindir="$target/var/lib/dpkg" --show --showformat='${Version}' libprotozero-dev)
    printf '%s\n' \
        "$debian $1 swift $(sed -n 's/.*Swift version \([0-9.]*[0-9]\).*/\1/p' "$2") Apache-2.0+WITH+Swift-exception https://www.swift.org" \
        "$debian $1 tomlplusplus $toml MIT https://marzer.github.io/tomlplusplus" \
        "$debian $1 libosmium $osmium BSL-1.0 https://osmcode.org/libosmium" \
        "$debian $1 protozero $protozero BSD-2-Clause+AND+Apache-2.0 https://github.com/mapbox/protozero" >>"$work/linked"
}

stage "Debian sid, with Swift for arm64"
make_builder
mkdir -p "$work/packages"
for release in "${releases[@]}"; do
    stage "Debian $release"
    make_target "$release"
    stage "$release, amd64: build"
    root_environment=(PATH="$toolchain/bin:/usr/sbin:/usr/bin:/sbin:/bin")
    enter_root "$target" 'bash Config/build-release.sh --force-resolved-versions
        swift --version >/root/swift-version' "${bound[@]}"
    stage "$release, arm64: build"
    build_arm64 "$release"
    stage "$release: packages"
    root_environment=(PATH=/usr/sbin:/usr/bin:/sbin:/bin)
    enter_root "$target" '
        BIN=.build/release bash Config/debian/build.sh /packages
        NATIVE=.build/release BIN=/root/arm64 ARCH=arm64 bash Config/debian/build.sh /packages' "rw=$work/packages:/packages"
    # By the rules of the Debian that they are for, both architectures; not each override has its reason in both.
    stage "$release: lintian"
    enter_root "$target" 'lintian --version
        for package in "/packages/"*"~deb$(. /etc/os-release && printf %s "$VERSION_ID")_"*.deb; do
            ! lintian --allow-root --display-info --pedantic "$package" 2>&1 | grep "^[EWIP]: " | grep -v ": unused-override " || {
                printf "waypost: %s: lintian finds the above; mend it, or say why not in Config/debian/lintian\n" "$(basename "$package")" >&2
                exit 65
            }
        done' "$work/packages:/packages"
    note_linked amd64 "$target/root/swift-version"
    note_linked arm64 "$target/root/arm64/swift-version"
    rm -rf --one-file-system "$target"
done
stage "the repository"
LINKED=$work/linked bash Config/debian/repository.sh "$work/packages" "$outdir"
stage "done: $outdir"
