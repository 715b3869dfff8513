#!/usr/bin/env bash
# Builds the Debian package and shows that it does what it should on a small Debian with systemd, in a container: lintian, unit, udev rules; install,
# track, watchdog, a bad configuration, upgrade and downgrade with events that wait and an open journal, remove, purge.
#
# Usage: bash Tests/Scripts/package.sh          as root; nothing of this machine is changed but for packages that are missing
#   BIN  the folder of waypost and waypostd built already (.build/release, built when it is not there)
#
# The bare Debian is kept in ${XDG_CACHE_HOME:-~/.cache}/waypost, by the hash of its recipe. Where no container with systemd can be started, a chroot
# serves, and what could not be shown is listed at the end.
set -euo pipefail
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh
source Config/debian/roots.sh

((EUID == 0)) || fail 77 "package.sh makes a root file system and starts it: run it as root"
install_packages "${package_packages[@]}" lintian mmdebstrap systemd systemd-container util-linux
release=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
most_exposed=20 # what systemd-analyze security may find, in tenths

work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-package.XXXXXX")
root=$work/root
not_run=()
source Tests/Scripts/bare-debian.sh

# short WHY: the first thing that does not hold, which ends it.
short() {
    printf 'package: %s\n' "$*" >&2
    if [[ -n $container ]]; then
        inside journalctl --unit waypostd --lines 20 --no-pager >&2 || true
    fi
    exit 1
}

# -- The packages: the one to ship, and a later one to upgrade to.

if [[ -z ${BIN-} && ! -x .build/release/waypostd ]]; then
    printf 'package: building the programs first\n'
    find_swift
    install_packages "${build_packages[@]}"
    bash Config/build-release.sh
fi
export BIN=${BIN:-.build/release}
SECONDS=0
package=$(COMPRESSION="xz -z1" bash Config/debian/build.sh "$work")
later=$(REVISION=+later COMPRESSION=none bash Config/debian/build.sh "$work")
passed "$(basename "$package"), $(($(stat -c %s "$package") / 1000)) kB, $(dpkg-deb -f "$package" Installed-Size) kB installed"

findings=$(lintian --allow-root --display-info --pedantic --fail-on error,warning,info,pedantic "$package" 2>&1) ||
    short "lintian:"$'\n'"$findings"
passed "lintian finds nothing, informal and pedantic remarks included"

exposure=$(systemd-analyze security --offline=true --threshold="$most_exposed" Config/systemd/waypostd.service) ||
    short "systemd-analyze security: ${exposure##*→ }"
passed "systemd-analyze security: $(sed -n 's/.*Overall exposure level for //p' <<<"$exposure")"

# -- A bare Debian, and what it takes to start it.

# What the package depends on comes from the network here, as the container has none; of alternatives the first.
depends=$(dpkg-deb -f "$package" Depends | sed 's/ *([^)]*)//g; s/ *|[^,]*//g; s/ //g')
unpack_debian "systemd,systemd-sysv,udev,dbus,gpsd,umockdev,python3-minimal,libcurl4,adduser,openssh-server,$depends" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*'
cp "$package" "$later" Tests/Data/drive.nmea Tests/Scripts/Tools/feed.py Tests/Scripts/Tools/take_all.py "$root/root/"
passed "a bare Debian $release"

show() { inside systemctl show waypostd --property "$1" --value; }
active() { inside systemctl is-active waypostd; }
# configure LINE...: the test's own part of the configuration, and the service with it.
configure() {
    printf '%s\n' "$@" >"$root/etc/waypost/conf.d/10-test.toml"
    shell "systemctl reset-failed waypostd; systemctl restart waypostd" 2>/dev/null
}
# feed: a receiver on a line, again and again; the pseudo terminal gets the group that udev gives serial lines.
feed() {
    shell 'mkdir -p /run/receiver; cd /run/receiver; [ ! -e pid ] || kill "$(cat pid)"; rm -f tty pid
        setsid sh -c "echo \$\$ >pid; exec python3 /root/feed.py --rate 5 --skip 24 /root/drive.nmea /run/receiver/tty" >/dev/null 2>&1 &'
    within 5 inside test -e /run/receiver/tty || short "no pseudo terminal"
    shell 'line=$(readlink /run/receiver/tty); chgrp dialout "$line"; chmod 660 "$line"'
}
watches() { inside waypost watch --count "$1" --timeout "$2"; }

if start_container; then
    passed "it runs, with $(inside systemctl --version | head -n 1)"
else
    printf 'package: no container with systemd here (%s); a chroot serves\n' "$(tail -n 1 "$work/console")" >&2
    [[ -z ${nspawn-} ]] || kill -KILL "$nspawn" 2>/dev/null || true
    container=
    not_run+=("the service at work" "the account that only fetches" "watchdog" "a bad configuration" "udev rules")
fi

# -- Install.

inside dpkg --install "/root/$(basename "$package")" >"$work/install" 2>&1 || short "it does not install: $(tail -n 3 "$work/install")"
[[ $(inside stat -c '%a %U:%G' /var/log/waypost) == '750 waypost:waypost' ]] || short "the log is $(inside stat -c '%a %U:%G' /var/log/waypost)"
[[ $(inside stat -c '%a %U:%G' /var/lib/waypost) == '750 waypost:waypost' ]] || short "the state is not the tracker's alone"
for path in waypost.toml conf.d; do
    [[ $(inside stat -c '%a %U:%G' "/etc/waypost/$path") =~ ^(640|750)\ root:waypost$ ]] ||
        short "/etc/waypost/$path is $(inside stat -c '%a %U:%G' "/etc/waypost/$path")"
done
for program in waypost waypostd; do
    ! readelf -d "$root/usr/bin/$program" | grep -E 'RPATH|RUNPATH' || short "$program looks for libraries where none should be"
done
# A hostile broker or a huge file ends the tracker, and not the box.
limit=$(sed -n 's/^MemoryMax=//p' "$(inside find /lib/systemd/system /usr/lib/systemd/system -name waypostd.service | head -n 1 | sed "s|^|$root|")")
[[ $limit =~ ^[1-9][0-9]?%$ ]] || short "the service may take all memory (MemoryMax=$limit)"
inside waypost config check >/dev/null || short "its own configuration does not pass"
[[ $(inside dpkg-query --show --showformat='${Conffiles}' waypost) == *' /etc/waypost/waypost.toml '* ]] || short "no conffile"
inside bash -n /usr/share/bash-completion/completions/waypost || short "the completions of bash do not parse"
passed "installed: user, folders, configuration, completions"

# usb_serial VENDOR PRODUCT TTY SOCKET: a device that hangs on that USB socket, as umockdev reads it.
usb_serial() {
    local usb=/devices/pci0000:00/0000:00:14.0/usb1/$4
    printf '%s\n' \
        "P: /devices/pci0000:00/0000:00:14.0" "E: SUBSYSTEM=pci" "A: vendor=0x8086\n" "" \
        "P: $usb" "N: bus/usb/001/00${4##*-}" "E: DEVTYPE=usb_device" "E: SUBSYSTEM=usb" "E: DEVNAME=/dev/bus/usb/001/00${4##*-}" \
        "A: idVendor=$1\n" "A: idProduct=$2\n" "A: manufacturer=Some maker\n" "A: product=Some product\n" "A: bDeviceClass=02\n" "" \
        "P: $usb/$4:1.0" "E: DEVTYPE=usb_interface" "E: SUBSYSTEM=usb" "A: bInterfaceNumber=00\n" "A: bInterfaceClass=02\n" "" \
        "P: $usb/$4:1.0/tty/$3" "N: $3" "E: SUBSYSTEM=tty" "E: DEVNAME=/dev/$3" "E: MAJOR=166" "E: MINOR=0" "A: dev=166:0\n" ""
}
# properties VENDOR PRODUCT TTY SOCKET: what the rules make of its line.
properties() {
    usb_serial "$@" >"$root/root/device.umockdev"
    inside umockdev-run --device /root/device.umockdev -- \
        udevadm test --action=add "/sys/devices/pci0000:00/0000:00:14.0/usb1/$4/$4:1.0/tty/$3" 2>/dev/null
}

if [[ -n $container ]]; then
    inside systemd-analyze verify --man=no waypostd.service >"$work/verify" 2>&1 || short "systemd-analyze verify: $(<"$work/verify")"
    ! grep -q waypost "$work/verify" || short "systemd-analyze verify: $(<"$work/verify")"
    passed "systemd-analyze verify"

    # Every product that serial:auto opens, and no other.
    products=$(sed -n 's/.*idVendor}=="\(....\)", ATTRS{idProduct}=="\(....\)".*/\1 \2/p' udev/60-waypost.rules)
    while read -r vendor product; do
        properties "$vendor" "$product" ttyACM0 1-2 >"$work/known"
        grep -q '^DEVLINKS=.*/dev/waypost/receiver' "$work/known" || short "$vendor:$product gets no name: $(grep DEVLINKS "$work/known")"
        grep -q '^ID_MM_DEVICE_IGNORE=1' "$work/known" && grep -q '^ID_MM_PORT_IGNORE=1' "$work/known" || short "ModemManager may have $vendor:$product"
    done <<<"$products"
    properties 1546 01a8 ttyACM0 1-2 >"$work/first"
    grep -q 'gpsdctl@ttyACM0' "$work/first" || short "gpsd is not told of its receiver any more"
    properties 1546 01a8 ttyACM1 1-3 >"$work/second"
    places=$(grep -ho '/dev/waypost/at-[^ ]*' "$work/first" "$work/second" | sort -u)
    [[ $(wc -l <<<"$places") == 2 ]] || short "two receivers of a kind are not told apart: $places"
    for bridge in '0403 6001' '10c4 ea60' '067b 2303' '1a86 7523' '1546 1102'; do
        properties $bridge ttyUSB0 1-2 >"$work/bridge"
        ! grep -qi waypost "$work/bridge" || short "$bridge may be anything, and is taken for a receiver"
    done
    shell 'gzip --decompress --stdout --force /usr/share/doc/waypost/examples/61-waypost-bridge.rules | sed "s/^#\(.*0403\)/\1/; s/ATTRS{serial}==[^,]*, //" \
        >/etc/udev/rules.d/61-waypost-bridge.rules'
    properties 0403 6001 ttyUSB0 1-2 | grep '^DEVLINKS=.*/dev/waypost/receiver' >/dev/null || short "the example for bridges does not work"
    passed "udev: $(wc -l <<<"$products") receivers are named and kept from ModemManager, gpsd keeps its own, bridges only when asked"

    # -- The service.

    within 20 active || short "the service does not run: $(inside systemctl status waypostd || true)"
    [[ $(show NRestarts) == 0 ]] || short "it did not start at once"
    [[ $(inside stat -c %U "/proc/$(show MainPID)") == waypost ]] || short "it does not run as its own user"
    code=0
    inside waypost status >"$work/status" || code=$?
    ((code <= 1)) || short "status does not answer: $(<"$work/status")"
    passed "the service runs before there is a receiver; status: $(head -n 1 "$work/status")"

    # A receiver on a line, fixes on the screen.
    feed
    configure '[[source]]' 'url = "serial:///run/receiver/tty"'
    watches 5 30 >"$work/watch" || short "no fixes from the line"
    passed "fixes from a serial line: $(tail -n 1 "$work/watch")"
    shell 'waypost fences add Depot --at 52.5,10.2 --radius 50 && waypost log rotate' >/dev/null || short "no fence or no track"
    found=$(shell 'stat -c "%a %U:%G" /var/log/waypost/*.gpx | sort -u')
    [[ $found == '440 waypost:waypost' ]] || short "tracks are $found, and group waypost may not fetch them"

    [[ $(show MemoryMax) =~ ^[0-9]+$ ]] || short "systemd does not limit its memory: MemoryMax=$(show MemoryMax)"

    # The account that only fetches, as the guide makes it: it sees the tracks, and nothing else of the box, and is no way into its network.
    guide=Sources/Waypost/Waypost.docc/Operating/OperatingATracker.md
    # block START: the lines of the guide from the one that begins so to the end of its block.
    block() { sed -n "\\|^    $1|,/^\$/s/^    //p" "$guide"; }
    for start in 'sudo adduser' 'Match User fetch' '/var/log/waypost /srv' 'sudo install -d /srv'; do
        [[ -n $(block "$start") ]] || short "the guide has no block \"$start\""
    done
    block 'sudo adduser' | sed 's/sudo //g' >"$root/root/account.sh"
    block 'Match User fetch' >"$root/etc/ssh/sshd_config.d/fetch.conf"
    block '/var/log/waypost /srv' >>"$root/etc/fstab"
    block 'sudo install -d /srv' | sed 's/sudo //g' >"$root/root/mount.sh"
    shell 'ssh-keygen -A >/dev/null; systemctl start ssh && sh -e /root/account.sh >/dev/null && sh -e /root/mount.sh &&
        ssh-keygen -q -t ed25519 -N "" -f /root/key && install -d -m 700 /root/.ssh && install -m 600 /root/key.pub /root/.ssh/authorized_keys &&
        install -d -o fetch -m 700 /home/fetch/.ssh && install -o fetch -m 600 /root/key.pub /home/fetch/.ssh/authorized_keys &&
        printf "Host *\n    IdentityFile /root/key\n    BatchMode yes\n    StrictHostKeyChecking no\n    LogLevel ERROR\n" >/root/.ssh/config' \
        >"$work/fetching" 2>&1 || short "the guide's account that only fetches cannot be made: $(tail -n 3 "$work/fetching")"
    printf '%s\n' 'lcd /root' 'get *.gpx' 'get SHA256SUMS' '-get /etc/hostname outside' '-ls /var/log' '-ls ..' >"$root/root/batch"
    within 20 inside ssh root@127.0.0.1 true || short "no way to log in: $(inside ssh root@127.0.0.1 true 2>&1 || true)"
    inside sftp -b /root/batch fetch@127.0.0.1 >"$work/fetching" 2>&1 || short "the account that only fetches does not: $(tail -n 3 "$work/fetching")"
    shell 'cd /root && ls *.gpx >/dev/null && sha256sum --check --quiet --ignore-missing SHA256SUMS' || short "tracks do not arrive whole"
    [[ ! -e $root/root/outside ]] || short "the account that only fetches sees /etc"
    for words in 'put /root/batch' 'mkdir new' 'rm SHA256SUMS' 'rename SHA256SUMS sums'; do
        printf '%s\n' "$words" >"$root/root/batch"
        ! inside sftp -b /root/batch fetch@127.0.0.1 >"$work/fetching" 2>&1 || short "the account that only fetches may \"$words\""
    done
    # forwards USER: what this user's ssh lets through to sshd itself, to the tracker's socket, and from a port of the box.
    forwards() {
        local way=() code=0
        ! [[ $(inside timeout 10 ssh -W 127.0.0.1:22 "$1@127.0.0.1" 2>/dev/null | head -c 3) == SSH ]] || way+=(port)
        shell "rm -f /root/socket; timeout 5 ssh -N -L /root/socket:/run/waypost/waypost.sock $1@127.0.0.1 >/dev/null 2>&1 & sleep 2
            WAYPOST_SOCKET=/root/socket timeout 2 waypost status >/root/asked 2>/dev/null; [ -s /root/asked ]" && way+=(socket)
        shell "timeout 3 ssh -N -o ExitOnForwardFailure=yes -R 7022:127.0.0.1:22 $1@127.0.0.1" >/dev/null 2>&1 || code=$?
        ((code != 124)) || way+=(back)
        printf '%s' "${way[*]}"
    }
    [[ $(forwards root) == 'port socket back' ]] || short "root forwards only: $(forwards root)"
    [[ -z $(forwards fetch) ]] || short "the account that only fetches is a way in: $(forwards fetch)"
    [[ $(inside timeout 10 ssh fetch@127.0.0.1 id 2>&1 || true) != *uid=* ]] || short "the account that only fetches runs commands"
    passed "an account that only fetches, by the guide: $(shell 'ls /root/*.gpx | wc -l') tracks as SHA256SUMS says; no writing, no other file, no command, no forwarding"
    shell 'systemctl stop ssh; umount /srv/fetch/tracks; deluser --quiet fetch >/dev/null' || short "the account that only fetches does not go"

    # A program of the user's, and the power hook, within the sandbox.
    printf '#!/bin/sh\ntail -n +300 /usr/local/share/drive.nmea | while read -r line; do echo "$line"; sleep 0.1; done\n' \
        >"$root/usr/local/bin/receiver"
    printf '#!/bin/sh\necho "$1" >>/var/lib/waypost/hook\n' >"$root/usr/local/bin/switch"
    chmod 755 "$root/usr/local/bin/receiver" "$root/usr/local/bin/switch"
    install -m 644 Tests/Data/drive.nmea "$root/usr/local/share/drive.nmea"
    configure '[[source]]' 'url = "exec:/usr/local/bin/receiver"' '[tracking]' 'high_accuracy = false' '[power]' 'hook = "/usr/local/bin/switch"'
    within 30 inside grep -q off /var/lib/waypost/hook ||
        short "an exec: source or the power hook does not work in the sandbox: $(inside waypost status || true)"
    passed "an exec: source and the power hook work in the sandbox"

    # A tracker that hangs is ended and started again; one that has no receiver is left alone for twice as long.
    mkdir -p "$root/etc/systemd/system/waypostd.service.d"
    printf '[Service]\nWatchdogSec=4\nTimeoutAbortSec=2\n' >"$root/etc/systemd/system/waypostd.service.d/quick.conf"
    inside systemctl daemon-reload
    configure '[[source]]' 'url = "serial:///dev/ttyUSB7"' '[[source]]' 'url = "gpsd://localhost:2999"'
    sleep 9
    [[ $(show NRestarts) == 0 ]] || short "the watchdog ends a tracker whose receiver is absent"
    stopped=$(show MainPID)
    began=$SECONDS
    shell "kill -STOP $stopped"
    restarted() { [[ $(show MainPID) != "$stopped" && $(show MainPID) != 0 ]] && active; }
    within 30 restarted || short "a tracker that hangs is not started again"
    inside journalctl --unit waypostd --no-pager | grep 'Watchdog timeout' >/dev/null || short "not by the watchdog"
    passed "watchdog: well without a receiver; stopped, it was running again after $((SECONDS - began)) s (WatchdogSec=4)"

    # A mistake in the configuration is seen, and not tried for ever.
    configure '[tracking]' 'high_acuracy = true' || true
    within 10 inside systemctl is-failed waypostd || short "the service is $(active) with a bad configuration"
    [[ $(show ExecMainStatus) == 78 ]] || short "exit code $(show ExecMainStatus) instead of 78"
    inside systemctl status waypostd --no-pager >"$work/status" || true
    grep -q '10-test.toml:2:1.*high_accuracy' "$work/status" || short "status does not say what is wrong: $(<"$work/status")"
    passed "a bad configuration: $(grep -o '10-test.toml.*' "$work/status" | tail -n 1)"
    configure '[[source]]' 'url = "serial:///run/receiver/tty"'
    within 10 active || short "it does not start with the mended configuration"
fi

# -- Upgrade, downgrade, remove, install again, purge.

# waits_whole WHAT: the events wait as before, and the log goes on after what it had.
waits_whole() {
    inside waypost dispatch status --json >"$work/waiting"
    grep -q '"events":3\b' "$work/waiting" || short "$1: not 3 events wait: $(<"$work/waiting")"
    within 20 goes_on || short "$1: the log does not go on after $(wc -l <"$work/logged") fixes"
    head -n "$(wc -l <"$work/logged")" "$work/log" | cmp -s - "$work/logged" || short "$1: the log is another: $(diff "$work/logged" "$work/log" | head -n 3)"
    inside waypost log verify >"$work/verify" 2>&1 || short "$1: the log is damaged: $(<"$work/verify")"
    cp "$work/log" "$work/logged"
}
goes_on() {
    inside waypost log export >"$work/log" 2>/dev/null
    (($(wc -l <"$work/log") > $(wc -l <"$work/logged")))
}
if [[ -n $container ]]; then
    configure '[[source]]' 'url = "serial:///run/receiver/tty"' '[log]' 'sync_interval = "1 s"' \
        '[[destination]]' 'name = "depot"' 'url = "http://127.0.0.1:8099/in"' 'interval = 0' 'positions = false'
    within 10 active || short "it does not start with a destination"
    watches 3 30 >/dev/null || short "no fixes before the upgrade"
    for number in 1 2 3; do inside waypost track delivered "parcel=$number" || short "no event"; done
    sleep 2
    # Its journal is left open, as by a power cut.
    shell 'systemctl kill --signal=KILL waypostd; systemctl stop waypostd' 2>/dev/null
    # A pseudo terminal of a killed program stays its own, as its other end is open.
    feed
    inside waypost log export --log /var/log/waypost >"$work/logged" 2>/dev/null
    [[ -s $work/logged ]] || short "nothing is logged before the upgrade"
fi

printf '\n# an edit of the owner\n' >>"$root/etc/waypost/waypost.toml"
tracks() { shell 'ls /var/log/waypost/*.gpx 2>/dev/null | wc -l'; }
before=$(tracks)
inside dpkg --install "/root/$(basename "$later")" >"$work/upgrade" 2>&1 || short "it does not upgrade: $(tail -n 3 "$work/upgrade")"
grep -q 'an edit of the owner' "$root/etc/waypost/waypost.toml" || short "an upgrade loses edits of the configuration"
if [[ -n $container ]]; then
    within 20 active || short "the service does not run after an upgrade"
    waits_whole "upgrade"
    inside waypost fences list | grep Depot >/dev/null || short "an upgrade loses state"
    (($(tracks) >= before && before > 0)) || short "an upgrade loses tracks"
fi
passed "upgraded: edits, state, tracks and what waits are kept; the journal left open is whole"

# Back to the version before, from a tracker at work; then everything arrives, once.
[[ -z $container ]] || old=$(show MainPID)
inside dpkg --install "/root/$(basename "$package")" >"$work/downgrade" 2>&1 || short "there is no way back: $(tail -n 3 "$work/downgrade")"
if [[ -n $container ]]; then
    within 20 active || short "the service does not run after a downgrade"
    [[ $(show MainPID) != "$old" ]] || short "the later tracker runs after a downgrade"
    waits_whole "downgrade"
    shell 'setsid python3 /root/take_all.py 8099 /root/taken >/dev/null 2>&1 &'
    within 20 inside python3 -c 'import socket; socket.create_connection(("127.0.0.1", 8099)).close()' || short "the test's server does not start"
    [[ $(inside waypost dispatch now --wait) == good ]] || short "what waited is not sent: $(inside waypost dispatch status || true)"
    [[ $(grep -o '"parcel" *: *[123]' "$root/root/taken" | sort -u | wc -l) == 3 && $(grep -o '"parcel"' "$root/root/taken" | wc -l) == 3 ]] ||
        short "not every event arrived once: $(<"$root/root/taken")"
fi
passed "downgraded: nothing is lost, and the events that waited through both arrive once"

inside dpkg --remove waypost >"$work/remove" 2>&1 || short "it cannot be removed: $(tail -n 3 "$work/remove")"
[[ -d $root/var/log/waypost && -f $root/etc/waypost/waypost.toml && ! -e $root/usr/bin/waypostd ]] || short "remove takes what it should keep"
[[ -z $container ]] || ! active >/dev/null || short "the service runs after it was removed"
inside dpkg --install "/root/$(basename "$later")" >"$work/again" 2>&1 || short "it does not install again: $(tail -n 3 "$work/again")"
[[ -z $container ]] || within 20 active || short "the service does not run after it was installed again"
passed "removed and installed again: tracks and configuration are kept"

# What setup makes goes with the package; what the owner has made stays, and is told.
rm -f "$root/etc/waypost/conf.d/10-test.toml"
shell 'echo s3cret >/root/token; waypost setup --receiver none --send http://127.0.0.1:9/in --token-file /root/token --units metric --home 52.5,10.2 --yes' \
    >"$work/setup" 2>&1 || short "setup fails: $(<"$work/setup")"
compgen -G "$root/etc/waypost/*.token" >/dev/null && [[ -f $root/etc/waypost/conf.d/50-setup.toml ]] || short "setup has made no files: $(<"$work/setup")"
printf '[log]\ndirectory = "/srv/tracks"\n' >"$root/etc/waypost/conf.d/90-own.toml"
printf "\n[log]\ndirectory = '/mnt/tracks'\n" >>"$root/etc/waypost/waypost.toml"
shell 'install -m 600 -o waypost /dev/null /etc/waypost/own.password; install -m 600 -o waypost /dev/null /etc/waypost/own.token'
mkdir -p "$root/srv/tracks" && touch "$root/srv/tracks/old.gpx"
inside dpkg --purge waypost >"$work/purge" 2>&1 || short "it cannot be purged: $(tail -n 3 "$work/purge")"
[[ $(cd "$root/etc/waypost" && find . -type f | sort) == $'./conf.d/90-own.toml\n./own.password\n./own.token' ]] || short "of the configuration purge leaves $(find "$root/etc/waypost" -type f)"
for kept in /etc/waypost/conf.d/90-own.toml /etc/waypost/own.password /etc/waypost/own.token /srv/tracks /mnt/tracks; do
    grep -qx "$kept" "$work/purge" || short "purge does not say that it keeps $kept: $(<"$work/purge")"
done
[[ -f $root/srv/tracks/old.gpx ]] || short "purge deletes tracks that were kept elsewhere"
rm -r "$root/etc/waypost" "$root/srv/tracks"
left=$(cd "$root" && find etc lib usr var -path '*waypost*' ! -path 'usr/local/*' ! -path 'etc/systemd/system/waypostd.service.d*' \
    ! -path 'etc/udev/rules.d/61-waypost-bridge.rules' ! -path 'var/log/journal/*' -prune -print)
[[ -z $left ]] || short "purge leaves: $left"
passed "purged: nothing is left but what the owner has made, which is told"

for what in ${not_run[@]+"${not_run[@]}"}; do printf 'NOT RUN       %s: no container with systemd\n' "$what"; done
printf 'package: all well after %d s\n' "$SECONDS"
