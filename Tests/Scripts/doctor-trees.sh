#!/usr/bin/env bash
# One made-up system per fault: the doctor finds exactly that fault, names the command that mends it, and ends with 1; in the same
# system without the fault it finds nothing and ends with 0.
#
# Usage: bash Tests/Scripts/doctor-trees.sh        BIN: the folder of waypost (.build/release)
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$(realpath "${BIN:-.build/release}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree

# short REASON...: it does not.
short() {
    printf 'doctor-trees: %s\n' "$*" >&2
    exit 1
}
# file NAME FORMAT [ARGUMENT...]: a file of the system.
file() {
    mkdir -p "$(dirname "$tree$1")"
    # The format is the caller's.
    # shellcheck disable=SC2059
    printf "${@:2}" >"$tree$1"
}
# link NAME TARGET: a link of the system.
link() {
    mkdir -p "$(dirname "$tree$1")"
    ln -sfn "$2" "$tree$1"
}
# program NUMBER NAME DEVICE: a process with the line open.
program() {
    file "/proc/$1/comm" '%s\n' "$2"
    link "/proc/$1/fd/5" "$3"
}

# A Raspberry Pi 4 with a receiver on its pins, and all well.
well() {
    rm -rf "$tree"
    file /proc/device-tree/model 'Raspberry Pi 4 Model B Rev 1.4\0'
    file /boot/firmware/cmdline.txt 'console=tty1 root=/dev/mmcblk0p2 rootwait\n'
    file /boot/firmware/config.txt '[all]\nenable_uart=1\ndtoverlay=disable-bt\n'
    file /proc/mounts '/dev/mmcblk0p2 / ext4 rw,noatime 0 0\n'
    file /proc/stat 'btime 1795262400\n'
    file /etc/passwd 'waypost:x:990:990::/nonexistent:/usr/sbin/nologin\n'
    file /etc/group 'dialout:x:20:waypost\n'
    file /etc/waypost/waypost.toml '[[source]]\nurl = "serial:///dev/ttyAMA0?baud=9600"\n'
    file /var/lib/waypost/kept/state/baud-rates '9600 /dev/ttyAMA0\n'
    file /commands/df 'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/root 29000000 1 28000000 1%% /\n'
    status '"state":"fix"'
    link /etc/systemd/system/sysinit.target.wants/systemd-timesyncd.service /lib/systemd/system/systemd-timesyncd.service
    file /lib/systemd/system/waypostd.service '[Service]\nUser=waypost\n'
    link /etc/systemd/system/multi-user.target.wants/waypostd.service /lib/systemd/system/waypostd.service
    file /proc/1/comm 'systemd\n'
    program 700 waypostd /dev/ttyAMA0
}
# status MEMBERS: a whole status of the tracker, with what it says of its source.
status() {
    file /commands/status.json '{"class":"STATUS","version":"0.1.0","pid":700,"uptime":900,"health":"degraded","problems":[],'
    printf '"source":{"url":"serial:///dev/ttyAMA0",%s},"following":{"pace":"following","for":[],"stationary":false}}\n' "$1" \
        >>"$tree/commands/status.json"
}

# diagnosed CHECK COMMAND: whether that check alone finds a fault, and names such a command.
diagnosed() {
    local code=0
    "$bin/waypost" doctor --root "$tree" >"$work/said" || code=$?
    ((code == 1)) || short "$1: exit code $code: $(cat "$work/said")"
    [[ $(grep -c '^fault: ' "$work/said") == 1 ]] || short "$1: not one fault: $(grep '^fault: ' "$work/said")"
    grep -q "^fault: $1: " "$work/said" || short "$1: another fault: $(grep '^fault: ' "$work/said")"
    grep -q -- "$2" "$work/said" || short "$1: no command like $2: $(cat "$work/said")"
    grep '^fault: ' "$work/said"
}

well
"$bin/waypost" doctor --root "$tree" >"$work/said" || short "a fault where there is none: $(grep '^fault: ' "$work/said")"
rm -r "$tree/proc/700" "$tree/commands/status.json"
diagnosed service 'sudo systemctl enable --now waypostd.service'
well
file /boot/firmware/cmdline.txt 'console=serial0,115200 console=ttyAMA0,115200 root=/dev/mmcblk0p2\n'
diagnosed console "sudo sed -i 's|console=ttyAMA0,115200 \*||' /boot/firmware/cmdline.txt"
well && file /boot/firmware/config.txt '[all]\nenable_uart=1\n' && diagnosed uart 'dtoverlay=disable-bt'
well && program 650 ModemManager /dev/ttyAMA0 && diagnosed modemmanager 'sudo systemctl disable --now ModemManager.service'
well && program 900 minicom /dev/ttyAMA0 && diagnosed readers 'sudo kill 900'
well && file /var/lib/waypost/kept/state/baud-rates '38400 /dev/ttyAMA0\n' && diagnosed baud "sudo sed -i 's|?baud=9600||'"
well && file /etc/default/gpsd 'DEVICES="/dev/ttyAMA0"\n'
link /etc/systemd/system/sockets.target.wants/gpsd.socket /lib/systemd/system/gpsd.socket
diagnosed gpsd 'sudo systemctl disable --now gpsd.socket'
well && file /etc/group 'dialout:x:20:\n' && diagnosed permission 'sudo usermod -aG dialout waypost'
well && file /proc/mounts '/dev/mmcblk0p2 / ext4 rw 0 0\ntmpfs /var/log tmpfs rw 0 0\n' && diagnosed log 'directory = '
well && file /proc/mounts '/dev/mmcblk0p2 / ext4 ro 0 0\n' && diagnosed log 'sudo mount -o remount,rw /'
well && file /commands/df 'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/root 29000000 28999000 1000 100%% /\n'
diagnosed disk 'min_free'
well && file /proc/stat 'btime 12\n' && diagnosed clock 'timesyncd'
well && status '"state":"lost","reason":"no_fix","satellites_seen":4' && diagnosed position 'waypost watch'
well && status '"state":"searching"' && diagnosed antenna 'waypost receiver show'
well && file /etc/waypost/conf.d/share.toml '[share]\ngpsd = "127.0.0.1:2947"\n'
link /etc/systemd/system/sockets.target.wants/gpsd.socket /lib/systemd/system/gpsd.socket
diagnosed sharing 'sudo systemctl disable --now gpsd.socket'
well && file /etc/waypost/waypost.toml 'bawd = 9600\n' && diagnosed configuration 'waypost config check'
# A card in a reader: no /dev, no /proc, no /sys; what changes it is said with its place here.
well && rm -r "$tree/proc" "$tree/commands"
file /boot/firmware/cmdline.txt 'console=serial0,115200 console=tty1 root=/dev/mmcblk0p2\n'
diagnosed console "sudo sed -i 's|console=serial0,115200 \*||' $tree/boot/firmware/cmdline.txt"
grep -q '^not checked: uart: ' "$work/said" || short "a card shows no model: $(cat "$work/said")"
# Whether the tracker of a card will start.
well && rm -r "$tree/proc" "$tree/commands" "$tree/etc/systemd/system/multi-user.target.wants"
diagnosed service "sudo systemctl --root=$tree enable waypostd.service"
printf 'doctor-trees: 18 systems with a fault each, found alone, and none where all is well\n'
