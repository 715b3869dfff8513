#!/usr/bin/env bash
# The first minutes of somebody who knows only the README, in six worlds: nothing plugged in, a known receiver, an unknown one, gpsd,
# no permission, a console on the UART. Each is a terminal of 100 columns (tmux) in which the commands of the README are typed; what the
# screen shows then is kept, one file a world, and each must say what to do next, or show a position.
#
# Usage: bash Tests/Scripts/Proofs/first-minutes.sh [FOLDER]     BIN: the folder of waypost (.build/release); needs tmux, python3, and gpsd for its world
set -euo pipefail
cd "$(dirname "$0")/../../.."
bin=$(realpath "${BIN:-.build/release}")
recording=$(realpath Tests/Data/drive.nmea)
pages=$(realpath -m "${1:-$(mktemp -d)}")
mkdir -p "$pages"
work=$(mktemp -d)
chmod 755 "$work"
server=waypost-$$
helpers=()
leave() {
    tmux -L "$server" kill-server 2>/dev/null || true
    for helper in "${helpers[@]}"; do kill "$helper" 2>/dev/null || true; done
    # The trackers finish their tracks first.
    local end=$((SECONDS + 10))
    until rm -rf "$work" 2>/dev/null || ((SECONDS > end)); do sleep 0.2; done
}
trap leave EXIT

# short REASON...: it does not.
short() {
    printf 'first-minutes: %s\n' "$*" >&2
    exit 1
}
# opened WORLD: a terminal for it.
opened() {
    world=$1
    mkdir -p "$work/$world"
    tmux -L "$server" new-session -d -s "$world" -x 100 -y 60 "env PS1='$ ' PATH=$bin:$PATH WAYPOST_SOCKET=$work/$world/socket bash --norc"
    sleep 0.5
}
typed() { tmux -L "$server" send-keys -t "$world" "$1" Enter; }
shown() { tmux -L "$server" capture-pane -p -t "$world" -S -200 >"$pages/$world.txt"; }
# said SECONDS TEXT: the screen shows it in that time.
said() {
    local end=$((SECONDS + $1))
    # The terminal breaks a line anywhere, waypost between two words.
    until shown && { tr -d '\n' <"$pages/$world.txt" && printf '\n' && tr -s ' \n' ' ' <"$pages/$world.txt"; } | grep -F -- "$2" >/dev/null; do
        ((SECONDS < end)) || short "$world: not a word of '$2': $(cat "$pages/$world.txt")"
        sleep 0.5
    done
}
# started [SOURCE]: the tracker, as the README says, with its files here.
started() { typed "waypost run --state $work/$world/state --log $work/$world/log ${1:+--source $1 }& sleep 4; clear"; sleep 5; }
# asked WORDS...: status, watch and doctor each show it.
asked() {
    for command in 'waypost status' 'timeout 4 waypost watch' 'waypost doctor'; do
        # What the command before has shown is gone first; else its words would count as those of this one.
        typed clear
        sleep 1
        tmux -L "$server" clear-history -t "$world"
        typed "$command; echo en''ded"
        said 30 ended
        for words in "$@"; do said 1 "$words"; done
        cp "$pages/$world.txt" "$work/$world.${command//[ \/]/-}"
    done
    cat "$work/$world".waypost-status "$work/$world".timeout-4-waypost-watch "$work/$world".waypost-doctor >"$pages/$world.txt"
    typed 'kill %1'
}
# plugged: a receiver that says the recording; its terminal's name is in the variable port.
plugged() {
    python3 Tests/Scripts/Tools/feed.py "$recording" "$work/line" &
    helpers+=("$!")
    until [[ -e $work/line ]]; do sleep 0.1; done
    port=$(realpath "$work/line")
    rm "$work/line"
    chmod 666 "$port"
}

# 1. Nothing is plugged in: what was tried, and that a receiver is missing.
opened nothing
started gpsd://localhost:1
asked 'no gpsd answers' 'systemctl enable --now gpsd.socket'

# 2. A receiver on a port that is known: its first position.
plugged
opened known
started "serial://$port"
typed 'clear; time waypost watch --count 1 --timeout 60'
said 60 'real'
grep -q '3D' "$pages/known.txt" || short "known: no position: $(cat "$pages/known.txt")"
typed 'kill %1'

# 3. An unknown one, as the configuration's port that is not there: which one there is, and how it is named.
opened unknown
started serial:///dev/ttyUSB7
asked '/dev/ttyUSB7 is not there' 'sudo waypost devices'

# 4. gpsd: first without a receiver, with the line of its configuration; then with one.
if [[ -x /usr/sbin/gpsd ]]; then
    opened gpsd
    plugged
    /usr/sbin/gpsd -N -n -S 29470 -F "$work/gpsd.control" >/dev/null 2>&1 &
    helpers+=("$!")
    sleep 2
    started gpsd://localhost:29470
    asked 'gpsd runs, but has no receiver' '/etc/default/gpsd: DEVICES='
    cp "$pages/gpsd.txt" "$work/gpsd.without"
    python3 - "$work/gpsd.control" "$port" <<'END'
import socket, sys
with socket.socket(socket.AF_UNIX) as control:
    control.connect(sys.argv[1])
    control.sendall(f"+{sys.argv[2]}\r\n".encode())
    control.recv(100)
END
    started gpsd://localhost:29470
    typed 'clear; time waypost watch --count 1 --timeout 60'
    said 60 'real'
    grep -q '3D' "$pages/gpsd.txt" || short "gpsd: no position: $(cat "$pages/gpsd.txt")"
    cat "$work/gpsd.without" >>"$pages/gpsd.txt"
    typed 'kill %1'
fi

# 5. No permission: the group, and the command. Who is root lets somebody else try.
plugged
chgrp dialout "$port" && chmod 660 "$port"
opened permission
chmod 777 "$work/permission"
if [[ $(id -u) == 0 ]]; then typed "exec setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent bash --norc"; sleep 1; fi
started "serial://$port"
asked 'permission denied' 'sudo usermod -aG dialout'

# 6. A console on the receiver's UART, of a card in a reader: the doctor's finding.
tree=$work/card
mkdir -p "$tree/boot/firmware" "$tree/etc/waypost"
printf 'console=serial0,115200 console=tty1 root=/dev/mmcblk0p2\n' >"$tree/boot/firmware/cmdline.txt"
printf 'enable_uart=1\n' >"$tree/boot/firmware/config.txt"
printf '[[source]]\nurl = "serial:///dev/serial0"\n' >"$tree/etc/waypost/waypost.toml"
opened console
typed "clear; waypost doctor --root $tree"
said 10 "a login console is on /dev/serial0, the receiver's port"
said 10 'they change the card at'
grep -q 'not checked: uart' "$pages/console.txt" || short "console: the model is not known"

# Nobody is sent to a port that is not there.
for page in nothing gpsd; do
    for port in $(grep -hoE '/dev/tty(USB|ACM)[0-9]+' "$pages/$page.txt" 2>/dev/null); do
        [[ -e $port ]] || short "$page: names $port, which is not there: $(cat "$pages/$page.txt")"
    done
done

for page in known gpsd; do
    [[ ! -e $pages/$page.txt ]] || printf '%s: first position %s after the question for it\n' "$page" "$(awk '$1 == "real" { print $2; exit }' "$pages/$page.txt")"
done
printf 'first-minutes: six worlds, each with a position or the next step; screens in %s\n' "$pages"
