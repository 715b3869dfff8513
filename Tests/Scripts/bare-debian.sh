# A small Debian with systemd in a container, or in a chroot where no container can be started. Sourced; what Config/prerequisites.sh and Config/debian/roots.sh define is there.
#
# Who sources it sets: work, a folder that goes away at the end; root, the folder of the Debian, in it; release, its code name.

container=
nspawn=

# finish: what goes away with the script, however it ends; a script with more to remove defines its own.
finish() {
    local code=$?
    trap - EXIT
    stop_container
    rm -rf --one-file-system "$work"
    exit "$code"
}
trap finish EXIT

# passed WHAT: one more thing that holds.
passed() { printf 'ok     %3d s  %s\n' "$SECONDS" "$*"; }

# within SECONDS COMMAND...: whether the command succeeds before the time is over.
within() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" >/dev/null 2>&1; do
        ((SECONDS < deadline)) || return 1
        sleep 0.2
    done
}

# unpack_debian PACKAGES RECIPE...: the bare Debian with these packages as $root; made once, and kept by the hash of its recipe.
unpack_debian() {
    local image
    image=$(debian_image "$release" --variant=apt --include="$1" "${@:2}")
    mkdir "$root"
    tar -C "$root" --numeric-owner -xf "$image"
    : >"$root/etc/machine-id"
    printf '127.0.0.1 localhost\n' >"$root/etc/hosts"
}

# start_container WORD...: with these words on the command line of its first process.
start_container() {
    systemd-nspawn --quiet --register=no --keep-unit --private-network --directory="$root" --boot --console=pipe "$@" \
        </dev/null >"$work/console" 2>&1 &
    nspawn=$!
    within 60 is_up
}
is_up() {
    # Its first child only prepares the one that stays.
    container=$(cat "/proc/$nspawn/task/$nspawn/children" 2>/dev/null)
    container=${container%% *}
    [[ -n $container && $(inside systemctl is-system-running) =~ running|degraded ]]
}
gone() { ! kill -0 "$1" 2>/dev/null; }
stop_container() {
    [[ -n $container ]] || return 0
    inside systemctl poweroff >/dev/null 2>&1 || true
    within 20 gone "$nspawn" || kill -KILL "$nspawn" 2>/dev/null || true
    container=
}

# way_inside: the command that goes before one that runs in the container, else in the chroot, as the array $way.
way_inside() {
    # In name spaces of its own, as a chroot alone has no /proc.
    way=(unshare --mount --pid --fork --kill-child --mount-proc="$root/proc" chroot "$root")
    [[ -z $container ]] || way=(nsenter --target "$container" --all)
    way+=(env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive)
}
inside() {
    local way
    way_inside
    "${way[@]}" "$@" </dev/null
}
shell() { inside sh -c "$1"; }
