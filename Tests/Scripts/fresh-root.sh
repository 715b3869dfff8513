#!/usr/bin/env bash
# Runs the README's two commands where nothing is installed: a minimal Debian that has apt and little else, from a clean clone; in every
# release that waypost supports, one after the other.
#
# Usage: bash Tests/Scripts/fresh-root.sh [--release NAME]... [--keep] [COMMAND...]
#   COMMAND    run inside the clone instead of the README's commands
#   --release  only in this release: bookworm (Debian 12), trixie (Debian 13) or another that the mirror has
#   --keep     leave the roots behind and say where they are
#
# Needs root and mmdebstrap. The Swift toolchain is bound in, and with it the copies of packages that git's url.*.insteadOf
# settings point to, if there are any. The bare roots are kept in ${XDG_CACHE_HOME:-~/.cache}/waypost; nothing else outlives the run.
set -euo pipefail
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh
source Config/debian/roots.sh

keep=false
releases=()
while [[ ${1-} == --* ]]; do
    case $1 in
        --keep) keep=true ;;
        --release)
            [[ ${2-} =~ ^[a-z]+$ ]] || fail 64 "--release wants the name of a Debian release, such as trixie"
            releases+=("$2")
            shift
            ;;
        *) fail 64 "$1: no such option; --release NAME and --keep are" ;;
    esac
    shift
done
((${#releases[@]} > 0)) || releases=(bookworm trixie)
commands=("bash Config/try.sh" "bash Tests/Scripts/test.sh")
(($# == 0)) || commands=("$@")

((EUID == 0)) || fail 77 "fresh-root.sh makes root file systems and changes into them: run it as root"
find_swift
install_packages mmdebstrap util-linux git

repository=$PWD
roots=()
# The mounts live in a name space of their own and are gone by then; one file system keeps it so that nothing else can be hit.
$keep || trap '((${#roots[@]} == 0)) || rm -rf --one-file-system "${roots[@]}"' EXIT
find_bound
root_environment=(PATH="$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")

# make_root RELEASE: a new bare root with a clean clone in it, as $root.
make_root() {
    local image
    image=$(debian_image "$1" --variant=apt)
    root=$(mktemp -d "${TMPDIR:-/tmp}/waypost-root.XXXXXX")
    roots+=("$root")
    ! $keep || printf '== keeping %s\n' "$root"
    tar -C "$root" -xf "$image"
    connect_root "$root"
    git clone --quiet --no-hardlinks "$repository" "$root/root/waypost"
    printf '\n== Debian %s, waypost at %s, Swift from %s\n' "$1" "$(git -C "$root/root/waypost" log -1 --format='%h %s')" "$toolchain"
}

code=0
for release in "${releases[@]}"; do
    make_root "$release"
    for command in "${commands[@]}"; do
        printf '\n== %s $ %s\n' "$release" "$command"
        began=$SECONDS
        result=0
        enter_root "$root" "$command" "${bound[@]}" || result=$?
        printf '== exit %d after %d s: %s: %s\n' "$result" $((SECONDS - began)) "$release" "$command"
        ((result == 0)) || code=1
    done
    # Before the next one: a build takes gigabytes.
    $keep || rm -rf --one-file-system "$root"
done
exit "$code"
