#!/usr/bin/env bash
# The system's own starter of programs, sandboxed units and all, under a real systemd in a container: the tracker is killed between event and launch,
# the container reboots; every accepted event runs, as its user, outside the tracker's sandbox, and once.
#
# Usage: bash Tests/Scripts/Proofs/Access/wake_unit.sh BIN [ROUNDS]     as root
#   BIN     the folder of waypost and waypostd, a debug build is enough
#   ROUNDS  how many kills (10), at moments from 0 to 1 s after the event
set -euo pipefail
bin=$(realpath "$1")
rounds=${2:-10}
cd "$(dirname "$0")/../../../.."
source Config/prerequisites.sh
source Config/debian/roots.sh
((EUID == 0)) || fail 77 "wake_unit.sh starts a container: run it as root"
install_packages mmdebstrap systemd systemd-container util-linux
release=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-wake-unit.XXXXXX")
root=$work/root
source Tests/Scripts/bare-debian.sh
short() {
    printf 'FAILED %3d s  %s\n' "$SECONDS" "$*"
    shell 'cat /home/pi/ran; waypost register --list; ls -l /var/lib/waypost/kept/state/wake; journalctl --lines 60 --no-pager' || true
    exit 1
}

# -- A Debian with the programs, the units, and a user who may be woken.

unpack_debian systemd,systemd-sysv,dbus,adduser,libgps"$([[ $release == bookworm ]] && echo 28 || echo 30)",libstdc++6
install -m 755 "$bin/waypost" "$bin/waypostd" "$root/usr/bin/"
# What a debug build takes from the toolchain.
mkdir -p "$root/usr/lib/swift"
ldd "$bin/waypostd" "$bin/waypost" | awk '$3 ~ /swift/ { print $3 }' | sort -u | xargs -r cp --dereference --target-directory="$root/usr/lib/swift"
printf '/usr/lib/swift\n' >"$root/etc/ld.so.conf.d/swift.conf"
install -m 644 -t "$root/usr/lib/systemd/system" Config/systemd/waypostd.service Config/systemd/waypost-wake.path Config/systemd/waypost-wake.service Config/systemd/waypost-wake@.service
install -m 644 Config/sysusers.d/* "$root/usr/lib/sysusers.d/"
install -m 644 Config/tmpfiles.d/* "$root/usr/lib/tmpfiles.d/"
mkdir -p "$root/etc/waypost"
printf '[user]\npi = { level = "full", scope = "always" }\n' >"$root/etc/waypost/policy.toml"
printf '[[source]]\nurl = "sim:walk"\n[log]\ntypes = []\n' >"$root/etc/waypost/waypost.toml"
chroot "$root" /bin/sh -c 'ldconfig; systemd-sysusers; systemd-tmpfiles --create waypost.conf; useradd --create-home --shell /bin/sh pi
    systemctl enable waypostd.service waypost-wake.path' >/dev/null 2>&1
# What has run is on the disk before it counts as run; also what the tracker's sandbox would not let it see or write.
cat >"$root/home/pi/program" <<'PROGRAM'
#!/bin/sh
[ "$WAYPOST_LAUNCH" = location ] && [ "$WAYPOST_REGISTRATION" = proof ] || exit 9
while read -r line; do printf '%s %s %s\n' "$(id -un)" "$(cut -d: -f3 /proc/self/cgroup | head -n 1)" "$line" >>/home/pi/ran; done
sync /home/pi/ran
PROGRAM
chmod 755 "$root/home/pi/program"
chroot "$root" chown pi:pi /home/pi/program
start_container || fail 69 "no container with systemd can be started here: $(tail -n 3 "$work/console")"
up() { inside waypost status --json; }
within 60 up || short "the tracker does not start"
as_pi() { inside setpriv --reuid pi --regid pi --init-groups env HOME=/home/pi "$@"; }
as_pi waypost register proof --on significant --exec /home/pi/program || short "cannot register"

ran() { grep -c -- "\"id\":\"$1\"" "$root/home/pi/ran" 2>/dev/null || true; }
has_run() { (($(ran "$1") >= 1)); }
# event: wakes the program with a synthetic event, and prints its id once the tracker has accepted it; nothing when it has not in half a minute.
event() {
    local id
    as_pi timeout 30 waypost register proof --test >/dev/null 2>&1 &
    for _ in {1..3000}; do
        id=$(grep -o '"id":"t-[^"]*"' "$root/var/lib/waypost/kept/state/registrations" | tail -n 1 | cut -d'"' -f4)
        # Those before it may have been acknowledged meanwhile, or wait.
        if [[ -n $id && " ${ids[*]} " != *" $id "* ]]; then
            printf '%s' "$id"
            return
        fi
        sleep 0.01
    done
}

ids=()
first=$(event)
ids+=("$first")
within 30 has_run "$first" || short "the first event was not run"
passed "the path unit starts the program"

# -- Kills.

for ((round = 0; round < rounds; round++)); do
    id=$(event)
    [[ -n $id ]] || continue
    ids+=("$id")
    sleep "0.$((RANDOM % 10))"
    shell 'kill -KILL "$(systemctl show --property MainPID --value waypostd.service)"'
    within 30 up || short "the tracker did not come back"
    within 60 has_run "$id" || short "$id did not run after kill $round"
done
passed "$rounds kills of the tracker: each of the ${#ids[@]} accepted events has run"

# -- A reboot, with an event that nobody has started.

inside systemctl stop waypost-wake.path waypost-wake.service
id=$(event)
ids+=("$id")
sleep 2
! has_run "$id" || short "it ran though nobody starts programs"
stop_container
start_container || short "the container does not start again"
within 60 has_run "$id" || short "$id did not run after the reboot"
passed "a reboot: the event that waited has run"
within 30 up || short "the tracker is gone"

# -- What ran.

repeated=$(grep -o '"id":"[^"]*"' "$root/home/pi/ran" | sort | uniq -d | wc -l)
users=$(cut -d' ' -f1 "$root/home/pi/ran" | sort -u)
groups=$(cut -d' ' -f2 "$root/home/pi/ran" | sort -u)
[[ $users == pi ]] || short "ran as $users"
[[ $groups != *waypostd.service* ]] || short "ran in the tracker's unit: $groups"
passed "always as pi, in $groups; $repeated of ${#ids[@]} events ran again before they were acknowledged"
