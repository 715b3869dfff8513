#!/usr/bin/env bash
# Prepares cards as Raspberry Pi Imager writes them, and shows that config.txt and cmdline.txt say what they should for each board, that what Imager
# wrote still works, that a second call changes nothing, and that --undo brings back every byte; as root also the first starts of such a card, in a
# container with a small Debian.
#
# Usage: bash Tests/Scripts/card.sh      BIN: the folder of waypost (.build/release), whose doctor then finds no fault on the cards
set -euo pipefail
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh
source Config/debian/roots.sh
bin=${BIN:-.build/release}
release=bookworm
work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-card.XXXXXX")
# The Debian in it has this path.
root=$work/root
source Tests/Scripts/bare-debian.sh
is_mounted=
finish() {
    local code=$?
    trap - EXIT
    stop_container
    [[ -z $is_mounted ]] || umount "$card"
    rm -rf --one-file-system "$work"
    exit "$code"
}
trap finish EXIT
short() {
    printf 'card: %s\n' "$*" >&2
    exit 1
}
card=$work/card
prepare() { bash Config/pi/prepare-card.sh "$card" "$@"; }

# A file system as on a card, where the kernel has one; else a folder, whose files are copied to such a file system at the end of each layout.
install_packages dosfstools mtools
mkdir "$card"
truncate --size 48M "$work/card.img"
mkfs.vfat -n BOOTFS "$work/card.img" >/dev/null
if ((EUID == 0)) && mount -o loop "$work/card.img" "$card" 2>/dev/null; then is_mounted=yes; fi

# lines NAME LINE...: a file of the partition.
lines() { printf '%s\n' "${@:2}" >"$card/$1"; }
# layout KIND: the boot partition of Raspberry Pi OS Lite (64-bit), as far as anything of it is read.
layout() {
    find "$card" -mindepth 1 -delete
    mkdir "$card/overlays"
    touch "$card/kernel8.img" "$card/kernel_2712.img" "$card/overlays/disable-bt.dtbo"
    lines config.txt '# For more options and information see' '# http://rptl.io/configtxt' '#dtparam=i2c_arm=on' 'dtparam=audio=on' \
        'camera_auto_detect=1' 'auto_initramfs=1' 'dtoverlay=vc4-kms-v3d' 'arm_64bit=1' '' '[cm4]' 'otg_mode=1' '' '[cm5]' \
        'dtoverlay=dwc2,dr_mode=host' '' '[all]'
    local line='console=serial0,115200 console=tty1 root=PARTUUID=57c84f67-02 rootfstype=ext4 fsck.repair=yes rootwait'
    case $1 in
        bookworm*) line+=' quiet init=/usr/lib/raspberrypi-sys-mods/firstboot' ;;
        trixie-started) ;;
        trixie*) line+=' resize' ;;
    esac
    case $1 in
        bookworm-imager)
            line+=' cfg80211.ieee80211_regdom=DE systemd.run=/boot/firstrun.sh systemd.run_success_action=reboot systemd.unit=kernel-command-line.target'
            lines firstrun.sh '#!/bin/bash' '' 'set +e' '' 'CURRENT_HOSTNAME=$(cat /etc/hostname | tr -d " \t\n\r")' \
                'if [ -f /usr/lib/raspberrypi-sys-mods/imager_custom ]; then' '   /usr/lib/raspberrypi-sys-mods/imager_custom set_hostname van' \
                'else' '   echo van >/etc/hostname' 'fi' 'rm -f /boot/firstrun.sh' "sed -i 's| systemd.run.*||g' /boot/cmdline.txt" 'exit 0' ;;
        trixie*)
            lines meta-data 'dsmode: local' 'instance_id: rpios-image'
            lines user-data '#cloud-config' '#hostname: raspberrypi'
            lines network-config '#network:' ;;&
        trixie-imager)
            line+=' cfg80211.ieee80211_regdom=DE ds=nocloud;i=rpi-imager-1790623015181'
            lines user-data '#cloud-config' 'hostname: van' 'manage_etc_hosts: true' 'enable_ssh: true' 'users:' '- name: ana' \
                '  shell: /bin/bash' 'runcmd:' '  - [ rfkill, unblock, wifi ]' ;;
    esac
    printf '%s\n' "$line" >"$card/cmdline.txt"
    rm -rf "$work/before"
    cp -r "$card" "$work/before"
}
# same_as FOLDER: whether the card is that, to the byte.
same_as() { diff -r "$1" "$card" >"$work/diff" || short "$(cat "$work/diff")"; }

# A package that stands for ours: it installs in a moment.
pack() {
    local tree=$work/pack name=waypost_0.1.0~deb$1_all.deb
    rm -rf "$tree"
    mkdir -p "$tree/DEBIAN" "$tree/usr/bin" "$tree/etc/waypost/conf.d" "$tree/usr/lib/systemd/system"
    printf '%s\n' 'Package: waypost' "Version: 0.1.0~deb$1" 'Architecture: all' 'Maintainer: A <a@example.org>' 'Description: stands for waypost' \
        >"$tree/DEBIAN/control"
    printf '#!/bin/sh\ngetent group waypost >/dev/null || echo waypost:x:4242: >>/etc/group\n' >"$tree/DEBIAN/postinst"
    printf '#!/bin/sh\n! grep -h bawd /etc/waypost/conf.d/*.toml\n' >"$tree/usr/bin/waypost"
    chmod 755 "$tree/DEBIAN/postinst" "$tree/usr/bin/waypost"
    dpkg-deb --root-owner-group --build "$tree" "$work/$name" >/dev/null
    package=$work/$name
}

# What the firmware makes of config.txt, by the documentation of its filters; for each board, what a receiver on the header needs.
cat >"$work/boards.py" <<'END'
import sys

FILTERS = {"Zero": {"pi0"}, "Zero W": {"pi0", "pi0w"}, "Zero 2 W": {"pi0", "pi02"}, "1": {"pi1"}, "2": {"pi2"}, "3": {"pi3"}, "4": {"pi4"},
           "400": {"pi4", "pi400"}, "5": {"pi5"}, "500": {"pi5", "pi500"}}
overlay, pulse, path = sys.argv[1:]
for board, filters in FILTERS.items():
    holds, found = True, []
    for line in open(path, encoding="utf-8").read().splitlines():
        line = line.strip()
        if line.startswith("["):
            holds = line[1:-1] == "all" or line[1:-1] in filters
        elif line and not line.startswith("#") and holds:
            found.append(line)
    wanted = ["dtparam=uart0=on"] if board in ("5", "500") else ["enable_uart=1"]
    wanted += [f"dtoverlay={overlay}"] if board in ("Zero W", "Zero 2 W", "3", "4", "400") else []
    wanted += [f"dtoverlay=pps-gpio,gpiopin={pulse}"] if pulse else []
    lines = sorted(line for line in found if "-bt" in line or "uart" in line or "pps" in line)
    if lines != sorted(wanted):
        sys.exit(f"Raspberry Pi {board}: {lines} instead of {sorted(wanted)}")
END

# has_fault FOLDER MODEL: whether the doctor finds one in that boot partition, with a receiver on the header of that board.
has_fault() {
    local tree=$work/tree
    rm -rf "$tree"
    mkdir -p "$tree/proc/device-tree" "$tree/boot" "$tree/etc/waypost"
    printf 'Raspberry Pi %s\0' "$2" >"$tree/proc/device-tree/model"
    cp -r "$1" "$tree/boot/firmware"
    printf '[[source]]\nurl = "serial:///dev/ttyAMA0"\n' >"$tree/etc/waypost/waypost.toml"
    "$bin/waypost" doctor --root "$tree" >"$work/doctor" || true
    grep -E '^fault: (console|uart): ' "$work/doctor" >"$work/fault"
}

# -- Each layout: prepared twice, and undone.

for kind in bookworm bookworm-imager trixie trixie-imager trixie-started; do
    debian=12
    [[ $kind != trixie* ]] || debian=13
    pack "$debian"
    layout "$kind"
    prepare --uart --pps 18 --package "$package" --dry-run >/dev/null
    same_as "$work/before"
    prepare --uart --pps 18 --package "$package" >"$work/said"
    python3 "$work/boards.py" disable-bt 18 "$card/config.txt" || short "$kind: config.txt"
    [[ $(wc -l <"$card/cmdline.txt") == 1 ]] || short "$kind: cmdline.txt has $(wc -l <"$card/cmdline.txt") lines"
    read -ra words <"$card/cmdline.txt"
    read -ra old <"$work/before/cmdline.txt"
    added=$(printf '%s\n' "${words[@]}" | grep -vxF -f <(printf '%s\n' "${old[@]}") || true)
    removed=$(printf '%s\n' "${old[@]}" | grep -vxF -f <(printf '%s\n' "${words[@]}") || true)
    [[ $removed == console=serial0,115200 ]] || short "$kind: cmdline.txt has lost $removed"
    case $kind in
        bookworm | trixie-started) [[ $added == *systemd.run=/boot/firmware/waypost/first-boot.sh* ]] ;;
        *) [[ -z $added ]] ;;
    esac || short "$kind: cmdline.txt has got $added"
    [[ $kind != bookworm-imager || $(diff "$work/before/firstrun.sh" "$card/firstrun.sh" || true) == 10a11$'\n> '*'first-boot.sh stage' ]] ||
        short "$kind: firstrun.sh does not call it before it removes itself"
    [[ $kind != trixie && $kind != trixie-imager ]] || head -n 1 "$card/vendor-data" | grep '^#!' >/dev/null || short "$kind: no vendor-data"
    [[ $kind != trixie* ]] || cmp "$work/before/user-data" "$card/user-data"
    cmp "$package" "$card/waypost/$(basename "$package")"
    cp -r "$card" "$work/prepared"
    if [[ -z $is_mounted ]]; then
        mkfs.vfat -n BOOTFS "$work/card.img" >/dev/null
        mcopy -s -i "$work/card.img" "$card"/* :: && mkdir "$work/copy" && mcopy -s -i "$work/card.img" '::*' "$work/copy"
        same_as "$work/copy"
        rm -r "$work/copy"
    fi
    prepare --uart --pps 18 --package "$package" >"$work/said"
    ! grep -v 'left alone$\|: done: ' "$work/said" || short "$kind: the second call does something"
    prepare --pps 18 >/dev/null
    same_as "$work/prepared"
    if [[ -x $bin/waypost ]]; then
        for model in 'Zero 2 W Rev 1.0' '3 Model B Plus Rev 1.3' '4 Model B Rev 1.4' '5 Model B Rev 1.0'; do
            has_fault "$work/before" "$model" || short "$kind: the doctor finds nothing to do on a Raspberry Pi $model"
            ! has_fault "$card" "$model" || short "$kind: on a Raspberry Pi $model the doctor finds: $(<"$work/fault")"
        done
    fi
    prepare --undo >/dev/null
    same_as "$work/before"
    rm -r "$work/prepared"
    passed "$kind: right for each board, the same when called again, undone to the byte"
done

# After the first start, cmdline.txt is another: undo keeps what has changed.
layout trixie-imager
prepare --uart >/dev/null
sed -i 's/57c84f67/0badcafe/; s/ resize//' "$card/cmdline.txt"
printf 'dtparam=spi=on\n' >>"$card/config.txt"
prepare --undo >/dev/null
grep '^console=serial0,115200 console=tty1 root=PARTUUID=0badcafe-02 .* rootwait cfg' "$card/cmdline.txt" >/dev/null || short "undo: $(cat "$card/cmdline.txt")"
[[ $(tail -n 1 "$card/config.txt") == dtparam=spi=on && $(grep -c waypost "$card/config.txt") == 0 ]] || short 'undo: config.txt'
# Overlays of the user's stay; no line end at the end of the file, and those of Windows.
layout bookworm
printf '[pi4]\r\ndtoverlay=miniuart-bt' >>"$card/config.txt"
prepare --uart --keep-bluetooth >/dev/null
python3 "$work/boards.py" miniuart-bt '' "$card/config.txt" || short 'an overlay twice'
passed 'undone after the first start; the settings of the user stay'

# Cut off at any moment: each file is the old or the new one, and another call does the rest; also on the way back.
pack 12
layout bookworm-imager
prepare --uart --pps 18 --package "$package" >/dev/null
cp -r "$card" "$work/prepared"
# cut_off FOLDER OPTION...: cuts it off 12 times, later each time, on the way from that state.
cut_off() {
    local from=$1 twentieth name
    for twentieth in 1 2 3 4 5 6 7 8 9 10 12 15; do
        find "$card" -mindepth 1 -delete
        cp -r "$from"/. "$card"
        # The shell says that it was killed.
        { timeout --signal=KILL "$(awk "BEGIN { print $twentieth / 20 }")" bash Config/pi/prepare-card.sh "$card" "${@:2}"; } >/dev/null 2>&1 || true
        for name in config.txt cmdline.txt firstrun.sh; do
            cmp -s "$card/$name" "$work/before/$name" || cmp -s "$card/$name" "$work/prepared/$name" || short "$name is half written after $twentieth twentieths of a second"
        done
        prepare "${@:2}" >/dev/null
    done
}
cut_off "$work/before" --uart --pps 18 --package "$package"
same_as "$work/prepared"
cut_off "$work/prepared" --undo
same_as "$work/before"
rm -r "$work/prepared"
passed 'cut off 24 times: every file whole, and the next call does the rest'

# refused CODE WORDS OPTION...: with that code and one line which says why.
refused() {
    local code=0
    bash Config/pi/prepare-card.sh "${@:3}" 2>"$work/why" >/dev/null || code=$?
    ((code == $1)) && [[ $(wc -l <"$work/why") == 1 && $(<"$work/why") == "prepare-card: "*": "*"; "* && $(<"$work/why") == *"$2"* ]] ||
        short "exit code $code: $(<"$work/why")"
}
layout bookworm
pack 13
refused 66 'not the boot partition' "$work/before/overlays" --uart
refused 66 'no such folder' "$work/nothing" --uart
refused 65 '~deb12' "$card" --package "$package"
refused 66 'no such file' "$card" --package "$work/nothing.deb"
refused 64 'GPIO' "$card" --pps 40
refused 64 'not an option' "$card" --usart
touch "$card/kernel7.img"
cp "$package" "$work/waypost_0.1.0~deb12_arm64.deb"
sed -i 's/Architecture: all/Architecture: arm64/; s/deb13/deb12/' "$work/pack/DEBIAN/control"
dpkg-deb --build "$work/pack" "$work/waypost_0.1.0~deb12_arm64.deb" >/dev/null
refused 65 '32-bit' "$card" --package "$work/waypost_0.1.0~deb12_arm64.deb"
rm "$card/kernel7.img"
same_as "$work/before"
passed 'what is no card, or does not fit, is refused with a line, and nothing is changed'

((EUID == 0)) || {
    printf 'NOT RUN       the first starts: they need root\ncard: all well after %d s\n' "$SECONDS"
    exit 0
}

# -- The first starts.

install_packages mmdebstrap systemd systemd-container util-linux
unpack_debian 'systemd,systemd-sysv,dbus' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*'
pack 12
printf '[log]\nmax_age = "30 d"\n' >"$work/60-own.toml"
printf 'bawd = 1\n' >"$work/70-slip.toml"

# starts_once WORD...: the card's system with these words on its command line, until it restarts.
starts_once() {
    # Every file of a FAT is executable.
    find "$card" -type f -exec chmod a+x {} +
    timeout 120 systemd-nspawn --quiet --register=no --keep-unit --private-network --directory="$root" --bind="$card:/boot/firmware" --boot \
        --console=pipe "${@/%reboot/poweroff}" </dev/null >"$work/console" 2>&1 ||
        short "the first start ends with $?: $(tail -n 5 "$work/console")"
}
installed() { inside dpkg-query --show --showformat='${Status}' waypost | grep 'ok installed'; }
log_says() { grep -q "$1" "$card/waypost/first-boot.log"; }

for kind in bookworm-imager trixie-started; do
    pack 12
    [[ $kind != trixie* ]] || pack 13
    layout "$kind"
    prepare --uart --package "$package" --config "$work/60-own.toml" >/dev/null
    prepare --package "$package" --config "$work/70-slip.toml" >/dev/null
    if [[ $kind == bookworm-imager ]]; then
        # What the initramfs of bookworm does to a card whose folder is another.
        sed -i 's|/boot/|/boot/firmware/|g' "$card/cmdline.txt"
        sed -n -i '/rm.*firstrun\.sh$/q;p' "$card/firstrun.sh"
        printf '%s\n' 'rm -f /boot/firmware/firstrun.sh' "sed -i 's| systemd\.[^ ]*||g' /boot/firmware/cmdline.txt" 'exit 0' >>"$card/firstrun.sh"
    fi
    read -ra words <"$card/cmdline.txt"
    mapfile -t words < <(printf '%s\n' "${words[@]}" | grep '^systemd\.')
    starts_once "${words[@]}"
    ! grep systemd "$card/cmdline.txt" || short "$kind: it would be called at every start"
    [[ $kind != bookworm-imager || ($(<"$root/etc/hostname") == van && ! -e $card/firstrun.sh) ]] || short "$kind: what Imager wanted is not done"
    mkdir -p "$root/boot/firmware"
    rm -rf "$root/boot/firmware"
    cp -r "$card" "$root/boot/firmware"
    start_container || short "no second start: $(tail -n 5 "$work/console")"
    within 60 installed || short "$kind: not installed: $(inside journalctl --unit waypost-card --lines 20 --no-pager)"
    within 20 grep -q ' installed$' "$root/boot/firmware/waypost/first-boot.log" || short "$kind: $(cat "$root/boot/firmware/waypost/first-boot.log")"
    [[ $(inside stat -c '%a %U:%G' /etc/waypost/conf.d/60-own.toml) == '640 root:waypost' ]] || short "$kind: the configuration is not the tracker's"
    [[ -e $root/etc/waypost/conf.d/70-slip.toml.refused && ! -e $root/etc/waypost/conf.d/70-slip.toml ]] || short "$kind: a slip stops the tracker"
    ! compgen -G "$root/boot/firmware/waypost/conf.d/*.toml" || short "$kind: passwords may be left on the boot partition"
    [[ ! -e $root/etc/systemd/system/waypost-card.service ]] || short "$kind: the service is left"
    inside apt-get -qq -y purge waypost >/dev/null 2>&1
    stop_container
    rm -rf "$root/boot/firmware" "$root/etc/waypost"
    passed "$kind: started twice, and the package and its configuration are there"
done
printf 'card: all well after %d s\n' "$SECONDS"
