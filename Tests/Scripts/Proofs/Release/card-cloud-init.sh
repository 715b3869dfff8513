#!/usr/bin/env bash
# A card of Raspberry Pi OS 13 that prepare-card.sh has prepared, started by Debian's own cloud-init, set up as Raspberry Pi OS has it: what Imager wrote
# to user-data is done (host name, user, its commands), and what vendor-data calls is done beside it, once.
#
# Usage: bash Tests/Scripts/Proofs/Release/card-cloud-init.sh      as root; a minute, and more the first time, for a Debian with cloud-init
set -euo pipefail
cd "$(dirname "$0")/../../../.."
source Config/prerequisites.sh
source Config/debian/roots.sh
((EUID == 0)) || fail 77 "card-cloud-init.sh starts a container: run it as root"
install_packages mmdebstrap systemd systemd-container util-linux
release=trixie
work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-card.XXXXXX")
root=$work/root
source Tests/Scripts/bare-debian.sh
short() {
    printf 'card-cloud-init: %s\n' "$*" >&2
    exit 1
}
unpack_debian systemd,systemd-sysv,udev,dbus,cloud-init,iproute2

# Only the part of the package that is of interest here: that it is installed.
mkdir -p "$work/pack/DEBIAN" "$work/pack/usr/bin"
printf '%s\n' 'Package: waypost' 'Version: 0.1.0~deb13' 'Architecture: all' 'Maintainer: A <a@example.org>' 'Description: stands for waypost' \
    >"$work/pack/DEBIAN/control"
printf '#!/bin/sh\ngetent group waypost >/dev/null || groupadd --system waypost\n' >"$work/pack/DEBIAN/postinst"
printf '#!/bin/sh\nexit 0\n' >"$work/pack/usr/bin/waypost"
chmod 755 "$work/pack/DEBIAN/postinst" "$work/pack/usr/bin/waypost"
dpkg-deb --root-owner-group --build "$work/pack" "$work/waypost_0.1.0~deb13_all.deb" >/dev/null

# As pi-gen makes the image, and Imager 2 the card.
printf '%s\n' 'datasource_list: [ NoCloud, None ]' 'datasource:' '  NoCloud:' '    seedfrom: file:///boot/firmware' 'ssh_deletekeys: false' 'ssh_genkeytypes: []' \
    >"$root/etc/cloud/cloud.cfg.d/99_raspberry-pi.cfg"
card=$root/boot/firmware
mkdir -p "$card/overlays"
printf 'dtparam=audio=on\n' >"$card/config.txt"
printf 'console=serial0,115200 console=tty1 root=PARTUUID=57c84f67-02 rootfstype=ext4 rootwait resize ds=nocloud;i=rpi-imager-1790623015181\n' \
    >"$card/cmdline.txt"
printf 'dsmode: local\ninstance_id: rpios-image\n' >"$card/meta-data"
printf '%s\n' '#cloud-config' 'hostname: van' 'manage_etc_hosts: true' 'timezone: Europe/Berlin' 'users:' '- name: ana' '  groups: users,adm,sudo' \
    '  shell: /bin/bash' '  lock_passwd: true' 'runcmd:' '  - [ sh, -c, "echo imager >> /root/ran" ]' >"$card/user-data"
cp "$card/user-data" "$work/user-data"
bash Config/pi/prepare-card.sh "$card" --uart --package "$work/waypost_0.1.0~deb13_all.deb"
cmp "$work/user-data" "$card/user-data"

installed() { inside dpkg-query --show waypost; }
is_done() { [[ $(inside cloud-init status || true) == 'status: done' ]]; }
start_container 'ds=nocloud;i=rpi-imager-1790623015181' || short "it does not start: $(tail -n 5 "$work/console")"
within 120 is_done || short "cloud-init does not end: $(inside cloud-init status --long)"
within 60 installed || short "not installed: $(inside journalctl --unit waypost-card --lines 20 --no-pager)"
[[ $(<"$root/root/ran") == imager && $(inside id -nG ana) == *sudo* && $(<"$root/etc/hostname") == van ]] || short 'what Imager wrote is not done'
within 20 grep -q ' installed$' "$card/waypost/first-boot.log" || short "$(cat "$card/waypost/first-boot.log")"
grep -q 'serial:///dev/ttyAMA0' "$root/etc/waypost/conf.d/40-receiver.toml" || short 'no configuration'
stop_container
start_container 'ds=nocloud;i=rpi-imager-1790623015181' || short 'it does not start again'
within 120 is_done || short 'cloud-init does not end the second time'
[[ $(grep -c ' installed$' "$card/waypost/first-boot.log") == 1 && $(wc -l <"$root/root/ran") == 1 ]] || short 'done again at the second start'
printf 'card-cloud-init: user-data and vendor-data are done, each once (%s)\n' "$(inside cloud-init --version)"
