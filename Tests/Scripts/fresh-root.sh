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
cache=${XDG_CACHE_HOME:-$HOME/.cache}/waypost
mkdir -p "$cache"
roots=()
# The mounts live in a name space of their own and are gone by then; one file system keeps it so that nothing else can be hit.
$keep || trap '((${#roots[@]} == 0)) || rm -rf --one-file-system "${roots[@]}"' EXIT

# What is bound in, read-only: the toolchain, and local copies of packages with the git settings that lead to them.
toolchain=$(realpath "$(dirname "$(realpath "$(command -v swift)")")/..")
bound=("$toolchain")
settings=()
while IFS=' ' read -r key value; do
    settings+=("$key" "$value")
    directory=${key#url.}
    directory=${directory%.insteadof}
    [[ ! -d $directory ]] || bound+=("$(realpath "$directory")")
done < <(git config --get-regexp '^url\..*\.insteadof$' || true)

# make_root RELEASE: a new bare root with a clean clone in it, as $root.
make_root() {
    local release=$1 image sources=() index
    # With this machine's own package sources when it is the same Debian.
    image=$cache/debian-$release-$(dpkg --print-architecture).tar
    if [[ ! -s $image ]]; then
        if [[ $(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}") == "$release" && -s /etc/apt/sources.list.d/debian.sources ]]; then
            sources=(/etc/apt/sources.list.d/debian.sources)
        fi
        printf '== a bare Debian %s: %s\n' "$release" "$image"
        mmdebstrap --quiet --variant=apt "$release" "$image.part" "${sources[@]}" --format=tar
        mv "$image.part" "$image"
    fi
    root=$(mktemp -d "${TMPDIR:-/tmp}/waypost-root.XXXXXX")
    roots+=("$root")
    ! $keep || printf '== keeping %s\n' "$root"
    tar -C "$root" -xf "$image"

    # The network as this machine sees it.
    cp --dereference /etc/resolv.conf /etc/hosts "$root/etc/"
    apt-config dump | grep -i '^acquire::https\?::proxy' >"$root/etc/apt/apt.conf.d/90proxy" || true
    : >"$root/etc/gitconfig"
    for ((index = 0; index < ${#settings[@]}; index += 2)); do
        git config --file "$root/etc/gitconfig" --add "${settings[index]}" "${settings[index + 1]}"
    done

    git clone --quiet --no-hardlinks "$repository" "$root/root/waypost"
    printf '\n== Debian %s, waypost at %s, Swift from %s\n' \
        "$release" "$(git -C "$root/root/waypost" log -1 --format='%h %s')" "$toolchain"
}

# The part that runs in name spaces of its own; the pseudo terminals and processes in there are not this machine's.
enter() {
    set -euo pipefail
    local root=$1 directory
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=755 tmpfs "$root/dev"
    for name in null zero full random urandom tty; do
        touch "$root/dev/$name"
        mount --bind "/dev/$name" "$root/dev/$name"
    done
    mkdir "$root/dev/pts" "$root/dev/shm"
    mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$root/dev/pts"
    ln -s pts/ptmx "$root/dev/ptmx"
    ln -s /proc/self/fd "$root/dev/fd"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
    for directory in "${@:3}"; do
        mkdir -p "$root$directory"
        mount --bind "$directory" "$root$directory"
        mount -o remount,bind,ro "$root$directory"
    done
    exec env -i HOME=/root USER=root TERM="${TERM:-dumb}" LANG=C.UTF-8 CI="${CI-}" \
        PATH="$toolchain/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" \
        chroot "$root" bash -c 'cd ~/waypost && eval "$1"' - "$2"
}
export -f enter
export toolchain

code=0
for release in "${releases[@]}"; do
    make_root "$release"
    for command in "${commands[@]}"; do
        printf '\n== %s $ %s\n' "$release" "$command"
        began=$SECONDS
        result=0
        unshare --mount --pid --fork --kill-child bash -c 'enter "$@"' - "$root" "$command" "${bound[@]}" </dev/null || result=$?
        printf '== exit %d after %d s: %s: %s\n' "$result" $((SECONDS - began)) "$release" "$command"
        ((result == 0)) || code=1
    done
    # Before the next one: a build takes gigabytes.
    $keep || rm -rf --one-file-system "$root"
done
exit "$code"
