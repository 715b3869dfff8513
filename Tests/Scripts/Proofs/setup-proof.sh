#!/usr/bin/env bash
# Shows what it takes from `apt install` to the first event at a broker and at a web server: the package on a bare Debian with systemd, in a container,
# a receiver on a line, a real mosquitto, and somebody who types in a terminal. Prints keystrokes and seconds.
#
# Usage: bash Tests/Scripts/Proofs/setup-proof.sh          as root; nothing of this machine is changed but for packages that are missing
#   BIN   the folder of waypost and waypostd built already (.build/release, built when it is not there)
#   PACE  seconds between two keys (0.15)
set -euo pipefail
cd "$(dirname "$0")/../../.."
source Config/prerequisites.sh
source Config/debian/roots.sh

((EUID == 0)) || fail 77 "setup-proof.sh makes a root file system and starts it: run it as root"
install_packages "${package_packages[@]}" mmdebstrap systemd systemd-container tmux util-linux
release=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-setup.XXXXXX")
root=$work/root
pace=${PACE:-0.15}
source Tests/Scripts/bare-debian.sh
screen() { tmux -S "$work/tmux" "$@"; }
finish() {
    local code=$?
    trap - EXIT
    screen kill-server 2>/dev/null || true
    stop_container
    rm -rf --one-file-system "$work"
    exit "$code"
}
trap finish EXIT
short() {
    printf 'setup-proof: %s\n' "$*" >&2
    screen capture-pane -p >&2 2>/dev/null || true
    if [[ -n $container ]]; then
        inside waypost status >&2 || true
    fi
    exit 1
}

# -- The package, and the Debian: what apt would fetch is there already, as the container has no network.

if [[ -z ${BIN-} && ! -x .build/release/waypostd ]]; then
    find_swift
    install_packages "${build_packages[@]}"
    bash Config/build-release.sh
fi
export BIN=${BIN:-.build/release}
package=$(COMPRESSION=none bash Config/debian/build.sh "$work")
depends=$(dpkg-deb -f "$package" Depends | sed 's/ *([^)]*)//g; s/ *|[^,]*//g; s/ //g')
unpack_debian "systemd,systemd-sysv,udev,dbus,mosquitto,mosquitto-clients,python3,libcurl4,libmosquitto1,ca-certificates,libsodium23,$depends" \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*'
cp "$package" "$root/srv/waypost.deb"
cp Tests/Data/drive.nmea Tests/Scripts/Tools/feed.py Tests/Scripts/Tools/flaky_server.py "$root/root/"
cp Config/try-fences.geojson "$root/srv/fences.geojson"
start_container || fail 69 "no container with systemd can be started here: $(tail -n 1 "$work/console")"

within 20 inside systemctl is-active mosquitto || short "mosquitto does not run"
shell 'mkdir /root/http; sleep infinity | setsid python3 /root/flaky_server.py /root/http --port 8080 >/dev/null 2>&1 &'
shell 'setsid mosquitto_sub -t "waypost/#" -v >/root/mqtt 2>/dev/null &'
# The pseudo terminal gets the group that udev gives serial lines. Two fixes a second: the drive lasts five minutes.
shell 'setsid python3 /root/feed.py --rate 2 --skip 24 /root/drive.nmea /dev/ttyGPS0 >/dev/null 2>&1 &'
within 5 inside test -e /dev/ttyGPS0 || short "no pseudo terminal"
shell 'line=$(readlink /dev/ttyGPS0); chgrp dialout "$line"; chmod 660 "$line"'

# -- Somebody at a terminal.

way_inside
screen -f /dev/null new-session -d -x 130 -y 50 "${way[@]}" TERM=screen HOME=/root PS1='box# ' bash --norc
keys=0
now() { date +%s.%N; }
since() { awk -v from="$1" -v to="${2:-$(now)}" 'BEGIN { printf "%.0f", to - from }'; }
shows() { screen capture-pane -p | grep -F -- "$1" >/dev/null; }
# answer PROMPT KEYS: waits for the prompt, types the keys, and Enter.
answer() {
    within 60 shows "$1" || short "never asked: $1"
    local index
    for ((index = 0; index < ${#2}; index++)); do
        screen send-keys -l -- "${2:index:1}"
        sleep "$pace"
    done
    screen send-keys Enter
    keys=$((keys + ${#2} + 1))
}
rows=()
row() { rows+=("$(printf '%-52s %5s %6s' "$@")"); }

began=$(now)
answer 'box#' 'apt install /srv/waypost.deb'
# The shell asks again when apt is done.
is_done() { screen capture-pane -p | grep -v '^ *$' | tail -n 1 | grep '^box# *$' >/dev/null; }
within 120 is_done || short "it does not install"
inside systemctl is-active waypostd >/dev/null || short "the service does not run after the installation"
row 'apt install' "$keys" "$(since "$began")"

installed=$(now)
before=$keys
answer 'box#' 'waypost setup'
answer 'Receiver [' '/dev/ttyGPS0'
answer 'Send to [' 'mqtt://localhost http://localhost:8080/in'
answer 'User at mqtt://localhost [none]' ''
answer 'Token at http://localhost:8080/in, not shown [none]' ''
answer 'Units [' ''
answer 'Home [' ''
answer 'Fence file [' '/srv/fences.geojson'
answer '[yes]' ''
within 60 shows 'see it work' || short "setup does not end"
screen capture-pane -p >"$work/said"
row 'waypost setup: a port, two servers, a fence file' "$((keys - before))" "$(since "$installed")"
grep -q 'restarted waypostd.service' "$work/said" || short "the service is not restarted"
(($(grep -c ': reachable$' "$work/said") == 2)) || short "a server is not called reachable"
inside waypost config check >/dev/null || short "config check finds a mistake"
[[ $(inside stat -c '%a %U:%G' /etc/waypost/conf.d/50-setup.toml) == '640 root:waypost' ]] || short "the file's rights are wrong"
answered=$(now)

# A fence file in a home, which the service may not look into, is refused; nothing changes.
cp Config/try-fences.geojson "$root/root/home.geojson"
said=$(inside waypost setup --fences /root/home.geojson 2>&1) && short "fences that the tracker may not read are taken"
[[ $said == *"the tracker's user may not read it; sudo install"* ]] || short "fences that the tracker may not read: $said"
grep -q /srv/fences.geojson "$root/etc/waypost/conf.d/50-setup.toml" || short "a refused answer changed the file"

row 'everything typed, the tracker is restarted' "$keys" "$(since "$began" "$answered")"

# What arrives, in the order in which it does.
arrivals=(
    'first position at mosquitto|/root/mqtt|^waypost/[^/]*/position '
    'first position at the web server|/root/http/received|"lat"'
    'first fence event at mosquitto|/root/mqtt|^waypost/[^/]*/event '
    'first fence event at the web server|/root/http/received|"fence"'
)
deadline=$((SECONDS + 300))
while ((${#arrivals[@]} > 0)); do
    ((SECONDS < deadline)) || short "nothing within five minutes: ${arrivals[0]%%|*}"
    for index in "${!arrivals[@]}"; do
        IFS='|' read -r what file pattern <<<"${arrivals[index]}"
        if grep -q -- "$pattern" "$root$file" 2>/dev/null; then
            row "$what" '' "$(since "$began")"
            unset "arrivals[$index]"
        fi
    done
    sleep 0.2
done

printf '%-52s %5s %6s\n' 'Debian '"$release"', '"$(basename "$package")" keys seconds
printf '%s\n' "${rows[@]}"
printf '\nWhat was asked and answered:\n'
sed -n '/^Five questions/,$p' "$work/said" | sed '/^box#/d; s/ *$//' | cat -s
