#!/usr/bin/env bash
# Builds the C and C++ shims against the headers of each Debian release that waypost supports, whatever release this machine is:
# the quick look for a library that changed. The whole of it, tests included, is fresh-root.sh.
#
# Usage: bash Tests/Scripts/shims.sh [RELEASE...]          bookworm and trixie when none is given
#
# Needs apt and Swift's own clang, not root. The headers are kept in ${XDG_CACHE_HOME:-~/.cache}/waypost.
set -euo pipefail
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh

find_swift
clang=$(dirname "$(realpath "$(command -v swift)")")/clang
[[ -x $clang ]] || fail 69 "there is no clang beside swift; get Swift from $swift_download"
command -v apt-get >/dev/null || fail 69 "the headers come from Debian's packages, and there is no apt-get here"

# headers RELEASE FOLDER: what a build of that release finds in /usr/include.
headers() {
    local release=$1 folder=$2 package
    local -a packages=(libc6-dev linux-libc-dev "libgcc-${gcc_of[$release]}-dev" "libstdc++-${gcc_of[$release]}-dev")
    for package in "${build_packages[@]}"; do
        [[ $package != *-dev ]] || packages+=("$package")
    done

    # apt with lists of its own: what is installed here, and from where, does not matter and does not change.
    local apt=$folder/apt
    mkdir -p "$apt/lists/partial" "$apt/archives/partial"
    : >"$apt/status"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] %s %s main\n' "$mirror" "$release" >"$apt/sources.list"
    cat >"$apt/apt.conf" <<END
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt";
APT::Sandbox::User "";
END
    APT_CONFIG=$apt/apt.conf apt-get -qq update || fail 69 "apt-get update failed for $release at $mirror"
    (cd "$apt/archives" && APT_CONFIG=$apt/apt.conf apt-get -qq download "${packages[@]}") ||
        fail 69 "these packages of $release could not be fetched: ${packages[*]}"
    for package in "$apt"/archives/*.deb; do dpkg-deb --extract "$package" "$folder"; done
    rm -rf "$apt"
}

mirror=http://deb.debian.org/debian
declare -A gcc_of=([bookworm]=12 [trixie]=14)
architecture=$(dpkg --print-architecture)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/waypost
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT
includes=()
for folder in Sources/C*/include; do includes+=(-I "$folder"); done

(($# > 0)) || set -- "${!gcc_of[@]}"
failures=0
for release; do
    [[ -n ${gcc_of[$release]-} ]] || fail 64 "$release: not one of ${!gcc_of[*]}"
    # Other packages are other headers.
    root=$cache/headers-$release-$architecture-$(printf '%s\n' "${build_packages[@]}" | cksum | cut -d' ' -f1)
    if [[ ! -d $root ]]; then
        rm -rf "$root.part"
        headers "$release" "$root.part"
        mv "$root.part" "$root"
    fi
    # As the package says it: C17, C++17, and a warning is an error.
    for source in Sources/C*/*.c Sources/C*/*.cpp; do
        language=(-std=c17)
        [[ $source != *.cpp ]] || language=(-x c++ -std=c++17)
        "$clang" --sysroot="$root" "${language[@]}" -Werror "${includes[@]}" -c "$source" -o "$objects/shim.o" || {
            printf 'shims: %s does not build on Debian %s\n' "$source" "$release" >&2
            failures=$((failures + 1))
        }
    done
    for header in Sources/C*/include/*.h; do
        "$clang" --sysroot="$root" -std=c17 -Werror "${includes[@]}" -fsyntax-only -x c "$header" || failures=$((failures + 1))
    done
    printf 'shims: looked at %s\n' "$release"
done
((failures == 0))
