# shellcheck shell=bash disable=SC2154
# Root file systems of Debian, and commands in them. Sourced, after Config/prerequisites.sh; needs root and mmdebstrap.

# debian_image RELEASE RECIPE...: the path of a tar of that Debian, made with these options of mmdebstrap; made once, and kept in
# ${XDG_CACHE_HOME:-~/.cache}/waypost by the hash of its recipe.
debian_image() {
    local release=$1 cache=${XDG_CACHE_HOME:-$HOME/.cache}/waypost image sources=()
    image=$cache/debian-$release-$(sha256sum <<<"$*" | head -c 12).tar
    if [[ ! -s $image ]]; then
        mkdir -p "$cache"
        printf '== a Debian %s: %s\n' "$release" "$image" >&2
        # With this machine's own package sources when it is the same Debian.
        if [[ $(. /etc/os-release && printf '%s' "${VERSION_CODENAME-}") == "$release" && -s /etc/apt/sources.list.d/debian.sources ]]; then
            sources=(/etc/apt/sources.list.d/debian.sources)
        fi
        mmdebstrap --quiet "${@:2}" --format=tar "$release" "$image.part" "${sources[@]}" >&2
        mv "$image.part" "$image"
    fi
    printf '%s\n' "$image"
}

# run_foreign: has the kernel start arm64's programs in an emulator, where this machine is another.
run_foreign() {
    local binfmt=/proc/sys/fs/binfmt_misc
    [[ $(dpkg --print-architecture) != arm64 && ! -e $binfmt/qemu-aarch64 ]] || return 0
    install_packages qemu-user-static
    [[ -e $binfmt/register ]] || mount -t binfmt_misc binfmt_misc "$binfmt"
    [[ -e $binfmt/qemu-aarch64 ]] || cat /usr/lib/binfmt.d/qemu-aarch64.conf >"$binfmt/register"
}

# find_bound: the folders of this machine that a build needs, as the array $bound: the Swift toolchain, and local copies of packages with the
# git settings that lead to them, as the array $git_settings.
find_bound() {
    toolchain=$(realpath "$(dirname "$(realpath "$(command -v swift)")")/..")
    # Bound into a root, it would hide that Debian's own programs.
    [[ $toolchain != /usr ]] || fail 69 "Swift is installed in /usr, where it cannot be lent to another Debian: unpack it elsewhere, such as /usr/local/swift, from $swift_download"
    bound=("$toolchain")
    git_settings=()
    local key value directory
    while IFS=' ' read -r key value; do
        git_settings+=("$key" "$value")
        directory=${key#url.}
        directory=${directory%.insteadof}
        [[ ! -d $directory ]] || bound+=("$(realpath "$directory")")
    done < <(git config --get-regexp '^url\..*\.insteadof$' || true)
}

# connect_root ROOT: gives a root the network as this machine sees it, and its settings of git.
connect_root() {
    local index
    cp --dereference /etc/resolv.conf /etc/hosts "$1/etc/"
    apt-config dump | grep -i '^acquire::https\?::proxy' >"$1/etc/apt/apt.conf.d/90proxy" || true
    : >"$1/etc/gitconfig"
    for ((index = 0; index < ${#git_settings[@]}; index += 2)); do
        git config --file "$1/etc/gitconfig" --add "${git_settings[index]}" "${git_settings[index + 1]}"
    done
}

# enter_root ROOT COMMAND FOLDER...: runs a command in name spaces of its own; the pseudo terminals and processes in there are not this
# machine's. A folder is bound to the same path, or as FROM:TO; read-only, or as rw=FROM:TO. What else the command's environment has is
# in the array $root_environment.
enter_root() {
    root_settings=$(printf '%q ' "${root_environment[@]}") \
        unshare --mount --pid --fork --kill-child bash -c 'inside_root "$@"' - "$@" </dev/null
}
inside_root() {
    set -euo pipefail
    local root=$1 name folder from to
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
    for folder in "${@:3}"; do
        from=${folder#rw=} to=${folder#rw=}
        from=${from%%:*} to=${to#*:}
        mkdir -p "$root$to"
        mount --bind "$from" "$root$to"
        [[ $folder == rw=* ]] || mount -o remount,bind,ro "$root$to"
    done
    local -a settings
    eval "settings=($root_settings)"
    exec env -i HOME=/root USER=root TERM="${TERM:-dumb}" LANG=C.UTF-8 CI="${CI-}" \
        PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" \
        chroot "$root" bash -ec 'cd ~/waypost; eval "$1"' - "$2"
}
export -f inside_root
