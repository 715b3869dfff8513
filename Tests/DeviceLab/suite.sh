#!/usr/bin/env bash
# Installs the package into a fresh virtual Debian and does to it what happens to a box in a van: plugs, unplugs, power cuts, a full disk, a gpsd that
# dies, reboots; and fetches the log over SSH. Prints a line per step, with seconds.
#
# Usage: bash Tests/DeviceLab/suite.sh PACKAGE.deb [STEP...]
#   STEP   some of: install plugging bridges cost cuts full_disk reboot gpsd fetching waking upgrade, on the device as it is; else all, on a fresh one
#   CUTS   (environment) how many power cuts at random moments, under 10 fixes a second (3)
#   LATER  (environment) a package of a later version, to upgrade to and back; without it, that step is left out
#
# Needs root for the image. Emulated it takes half an hour and one processor for itself; with KVM some minutes. The files are in
# $DEVICELAB_DIR (see devicelab.py). A package for arm64 gets a device of that kind, which takes twice as long. The device stays as it is when a step falls short, for a look: devicelab.py ssh ...
set -euo pipefail
(($# >= 1)) || {
    printf 'usage: bash Tests/DeviceLab/suite.sh PACKAGE.deb [STEP...]\n' >&2
    exit 64
}
package=$(realpath "$1")
shift
cuts=${CUTS:-3}
later=${LATER:+$(realpath "$LATER")}
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh
install_packages qemu-utils mmdebstrap rsync openssh-client e2fsprogs python3 xz-utils
DEVICELAB_ARCH=$(dpkg-deb --field "$package" Architecture)
export DEVICELAB_ARCH
case $DEVICELAB_ARCH in
    amd64) install_packages qemu-system-x86 ;;
    arm64) install_packages qemu-system-arm qemu-efi-aarch64 qemu-user-static ;;
    *) fail 65 "$package: it is for $DEVICELAB_ARCH; amd64 and arm64 can be tried" ;;
esac

lab() { python3 Tests/DeviceLab/devicelab.py "$@"; }
device() { lab ssh --timeout "${limit:-120}" "$@" </dev/null; }
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT

seconds() { printf '%s' "${EPOCHREALTIME/,/.}"; }
since() { awk -v now="$(seconds)" -v then="$1" 'BEGIN { printf "%.1f", now - then }'; }
done_() { printf '%-58s %s\n' "$1" "${2-}"; }
short() {
    printf 'suite: %s\n' "$*" >&2
    device 'waypost status; journalctl -u waypostd -n 15 --no-pager' >&2 || true
    exit 1
}
# fix WHAT [SECONDS]: seconds from now to the next fix, waited for on the device itself.
fix() {
    local began
    began=$(seconds)
    limit=$((${2:-60} + 30)) device "waypost watch --count 1 --timeout ${2:-60} >/dev/null" || short "$1: no fix within ${2:-60} s"
    done_ "$1: first fix" "$(since "$began") s"
}
# lost SECONDS: the tracker notices within that time that the receiver is gone.
lost() {
    device "for i in \$(seq $1); do waypost status --json | grep '\"state\":\"fix\"' >/dev/null || exit 0; sleep 1; done; exit 1" ||
        short "the loss is not noticed within $1 s"
}
# exported FILE: every record of the log; goes_on: whether there are more than in $work/logged.
exported() { device 'waypost log export --log /var/log/waypost 2>/dev/null' >"$1"; }
goes_on() { exported "$work/log" && (($(wc -l <"$work/log") > $(wc -l <"$work/logged"))); }
configure() { printf '%s\n' "$@" | lab ssh 'cat >/etc/waypost/conf.d/lab.toml; systemctl restart waypostd'; }
source_is() { configure '[[source]]' "url = \"$1\""; }

# The device, without gpsd at first.
step_fresh() {
    lab down >/dev/null 2>&1 || true
    lab build --include gpsd adduser libcurl4
    lab up --fresh
    device 'systemctl mask --now gpsd.socket gpsd.service 2>/dev/null; systemctl mask gpsdctl@.service 2>/dev/null'
    done_ "the device" "$(device 'uname -rm' | tr -d '\r')"
}

# Install, and the first fix.
step_install() {
    local began
    began=$(seconds)
    lab install "$package" >"$work/install" 2>&1 || short "it does not install: $(tail -n 3 "$work/install")"
    done_ "installed, with $(device 'systemctl is-active waypostd')" "$(since "$began") s"
    lab plug circling --hz 5
    fix "u-blox (ttyACM0), plugged in after the install"
    device 'test -e /dev/waypost/receiver' || short "no /dev/waypost/receiver"
    began=$(seconds)
    device 'apt-get -qq purge -y waypost </dev/null >/dev/null 2>&1; rm -rf /etc/waypost' || short "it cannot be purged"
    lab install "$package" >"$work/install" 2>&1 || short "it does not install with a receiver: $(tail -n 3 "$work/install")"
    device 'waypost watch --count 1 --timeout 60 >/dev/null' || short "no fix after an install with the receiver plugged in"
    done_ "installed with the receiver plugged in: to the first fix" "$(since "$began") s"
}

# Plugging.
step_plugging() {
    for how in '' --torn; do
        lab unplug $how
        lost 15
        lab plug circling --hz 5
        fix "unplugged${how:+ within a sentence} and plugged in again"
    done
    # A program that holds the old line open, as a hung one would, makes the next one ttyACM1. The line becomes its terminal, whose end
    # would end it.
    device 'systemctl stop waypostd; systemd-run --quiet --unit=holder env --ignore-signal=HUP sh -c "exec 3<>/dev/ttyACM0; exec sleep 600"
        sleep 1; systemctl start waypostd'
    lab unplug
    lab plug circling --hz 5
    fix "plugged in again as another line"
    [[ $(device 'readlink -f /dev/waypost/receiver' | tr -d '\r') == /dev/ttyACM1 ]] || short "the line is not another one"
    device 'systemctl stop holder'
    lab plug circling --slot 2 --hz 1
    sleep 3
    [[ $(device 'ls -d /dev/waypost/at-* | wc -l' | tr -d '\r') == 2 ]] || short "two receivers of a kind are not told apart: $(device 'ls -l /dev/waypost')"
    done_ "two receivers of a kind have names of their own" "$(device 'ls /dev/waypost | tr "\n" " "')"
    lab unplug --slot 2
    lab unplug
}

# Receivers behind bridges, which are opened only when they are named.
step_bridges() {
    for chip in ftdi cp210x; do
        lab plug circling --chip "$chip" --serial WP1 --hz 5
        sleep 3
        ! device "grep -q . /dev/waypost/receiver" 2>/dev/null || short "a bridge is taken for a receiver"
        source_is "serial://$(device 'ls /dev/serial/by-id/* | head -n 1' | tr -d '\r')"
        fix "$chip ($(device 'ls /dev/ttyUSB*' | tr -d '\r')), named in the configuration"
        lab unplug
    done
    device 'rm -f /etc/waypost/conf.d/lab.toml; systemctl restart waypostd'
}

# What it costs, at 1 and 10 fixes a second: time on the processor, how often one of its threads was woken, and memory.
step_cost() {
    lab ssh 'cat >/tmp/cost.sh' <<'COST'
p=$(systemctl show waypostd -p MainPID --value)
# used: the ticks on the processor and the times that a thread went to sleep, so far
used() {
    cut -d' ' -f14,15 "/proc/$p/stat"
    cat "/proc/$p"/task/*/status | sed -n 's/^voluntary_ctxt_switches:[[:space:]]*//p'
}
set -- $(used | tr '\n' ' '); ticks=$(($1 + $2)); shift 2; slept=0; for count; do slept=$((slept + count)); done
sleep 30
set -- $(used | tr '\n' ' '); ticks=$(($1 + $2 - ticks)); shift 2; slept=$((-slept)); for count; do slept=$((slept + count)); done
echo "$ticks ticks of 10 ms and $slept wake-ups in 30 s;" $(grep -E 'VmRSS|RssAnon' "/proc/$p/status" | tr -s '\t ' ' ')
COST
    for rate in 1 10; do
        lab plug circling --hz "$rate"
        fix "$rate Hz" 60 >/dev/null
        limit=60 device 'sh /tmp/cost.sh' >"$work/cost"
        done_ "at $rate Hz" "$(tr -d '\r' <"$work/cost")"
        lab unplug
    done
}

# Power cuts at random moments, under 10 fixes a second.
step_cuts() {
    lab plug circling --hz 10
    fix "before the power cuts"
    local worst=0 at cut loss
    for cut in $(seq "$cuts"); do
        sleep $((15 + RANDOM % 25))
        at=$(date --utc +%s.%N)
        lab power_cut
        lab up
        device 'systemctl is-active waypostd >/dev/null' || short "cut $cut: the service is not up"
        device 'waypost log verify >/dev/null' || short "cut $cut: the log is damaged: $(device 'waypost log verify')"
        device 'for track in /var/log/waypost/*.gpx; do waypost convert "$track" - --to jsonl >/dev/null || exit 1; done' || short "cut $cut: a track is no GPX"
        # The last fix of before the cut; what the dongle said while the device was off is in no log.
        device "waypost log export --until $(date --utc --date="@$at" +%Y-%m-%dT%H:%M:%SZ) 2>/dev/null | tail -n 1" | sed -n 's/.*"time":"\([^"]*\)".*/\1/p' >"$work/last"
        loss=$(awk -v cut="$at" -v last="$(date --date="$(<"$work/last")" +%s.%N)" 'BEGIN { printf "%.1f", cut - last }')
        awk "BEGIN { exit !($loss <= 11) }" || short "cut $cut: $loss s are lost, with a sync interval of 10 s"
        worst=$(awk "BEGIN { print ($loss > $worst) ? $loss : $worst }")
        fix "cut $cut: $loss s lost, all files whole"
    done
    done_ "$cuts power cuts: at most" "$worst s lost"
}

# A full disk: the log goes on in the room that its journal has reserved; a tracker that starts there finds none for a journal.
says() { device "for i in \$(seq 60); do waypost status | grep '$1' >/dev/null && exit 0; sleep 1; done; exit 1"; }
step_full_disk() {
    device 'fallocate -l $(($(df --output=avail -B1 /var/log | tail -n 1) - 65536)) /var/tmp/fill; dd if=/dev/zero of=/var/tmp/fill2 bs=4k 2>/dev/null; sync' || true
    says 'disk of /var/log/waypost is full' || short "a full disk is not noticed within a minute"
    exported "$work/logged"
    ! device 'waypost log rotate >/dev/null 2>&1' || short "a track is ended though there is no room for its file"
    device 'waypost watch --count 3 --timeout 20 >/dev/null' || short "no positions while the disk is full"
    goes_on || short "the log does not go on in the room that is reserved for it"
    device 'systemctl restart waypostd'
    says 'logging has been paused' || short "status does not say within a minute that nothing is logged"
    device 'waypost watch --count 3 --timeout 20 >/dev/null' || short "no positions after a start with a full disk"
    device 'rm -f /var/tmp/fill /var/tmp/fill2'
    device "for i in \$(seq 60); do waypost status | grep 'logging has been paused' >/dev/null || exit 0; sleep 1; done; exit 1" || short "logging does not go on after the disk was full"
    device 'waypost log verify >/dev/null' || short "a full disk has damaged the log: $(device 'waypost log verify')"
    done_ "a full disk: positions went on, so did the log, and after a start once there was room"
}

# A reboot.
reboot() {
    local before after tries=0
    before=$(device 'cat /proc/sys/kernel/random/boot_id')
    device 'systemctl reboot' || true
    # It answers for a while yet.
    until after=$(limit=20 device 'cat /proc/sys/kernel/random/boot_id' 2>/dev/null) && [[ $after != "$before" ]]; do
        ((tries++ < 60)) || short "no reboot"
        sleep 5
    done
}
step_reboot() {
    reboot
    fix "a reboot: after the first login"
}

# With gpsd.
step_gpsd() {
    device 'systemctl unmask gpsd.socket gpsd.service gpsdctl@.service >/dev/null 2>&1; systemctl start gpsd.socket'
    lab unplug
    lab plug circling --hz 5
    fix "with gpsd, which takes the receiver"
    [[ $(device 'waypost status' | head -n 3) == *gpsd* ]] || done_ "  (read from the line, not from gpsd)"
    device 'systemctl kill --signal=KILL gpsd'
    sleep 1
    fix "gpsd killed" 30
}

# The log over SSH: all records by cursor, and the tracks by an account that can do nothing else.
step_fetching() {
    device 'adduser --quiet --system --group --home /home/fetch --shell /usr/sbin/nologin fetch >/dev/null; adduser --quiet fetch waypost
        install -d -o fetch -m 700 /home/fetch/.ssh; install -o fetch -m 600 /root/.ssh/authorized_keys /home/fetch/.ssh/authorized_keys
        printf "Match User fetch\n    ChrootDirectory /srv/fetch\n    ForceCommand internal-sftp -R -d /tracks\n    DisableForwarding yes\n    PermitTTY no\n" \
            >/etc/ssh/sshd_config.d/fetch.conf
        grep -q /srv/fetch/tracks /etc/fstab || echo "/var/log/waypost /srv/fetch/tracks none bind,ro 0 0" >>/etc/fstab
        install -d /srv/fetch /srv/fetch/tracks; mount /srv/fetch/tracks
        systemctl reload ssh; waypost log rotate >/dev/null'
    folder=$(lab status | sed -n 's/^folder: \(.*\), acceleration: .*/\1/p')
    printf 'get *.gpx %s\nget SHA256SUMS %s\n-get /etc/hostname %s/outside\nput /etc/hostname\n' "$work" "$work" "$work" >"$work/batch"
    code=0
    sftp -b "$work/batch" -P "$(<"$folder/port")" -i "$folder/id_ed25519" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null \
        fetch@127.0.0.1 >"$work/sftp" 2>&1 || code=$?
    ((code != 0)) || short "the account that fetches may write, too"
    [[ ! -e $work/outside ]] || short "the account that fetches sees more than the tracks"
    (cd "$work" && sha256sum --check --quiet --ignore-missing SHA256SUMS) || short "tracks do not arrive whole: $(tail -n 3 "$work/sftp")"
    done_ "tracks over sftp, by an account that can do nothing else" "$(compgen -G "$work/*.gpx" | wc -l) files, as SHA256SUMS says"
    device 'waypost log export --puller lab' >"$work/export"
    cursor=$(tail -n 1 "$work/export" | sed -n 's/.*"seq":\([0-9]*\).*/\1/p')
    device "waypost log ack $cursor --puller lab >/dev/null" || short "no acknowledgement"
    done_ "records over ssh, acknowledged" "$(wc -l <"$work/export") up to $cursor"
}

# A program that does not run, woken by the built-in drive, which takes five minutes from one significant change to the next: at the first one, after
# kill -9 of the tracker, and after a reboot by the one before it. Each event once, as its user; the file with what the program got stays for reading.
ran() { device 'cat /home/pi/ran 2>/dev/null' | tr -d '\r'; }
# woken COUNT WHAT: waits until the program has run so often.
woken() {
    local began
    began=$(seconds)
    limit=450 device "for i in \$(seq 420); do [ \"\$(wc -l </home/pi/ran)\" -ge $1 ] && exit 0; sleep 1; done; exit 1" || short "$2: not woken in 7 minutes"
    done_ "$2: woken" "$(since "$began") s"
}
step_waking() {
    device 'id pi >/dev/null 2>&1 || useradd --create-home --shell /bin/sh pi; rm -f /home/pi/ran; su pi -c "touch /home/pi/ran"'
    lab ssh 'cat >/home/pi/program; chmod 755 /home/pi/program; chown pi: /home/pi/program' <<'PROGRAM'
#!/bin/sh
[ "$WAYPOST_LAUNCH" = location ] || exit 9
while read -r line; do printf '%s %s %s\n' "$(id -un)" "$(cat /proc/sys/kernel/random/boot_id)" "$line" >>/home/pi/ran; done
sync /home/pi/ran
PROGRAM
    source_is sim:freeway
    device 'waypost grant pi full --scope always && su pi -c "waypost register proof --on significant --exec /home/pi/program"' >/dev/null 2>&1 ||
        short "the program cannot be registered"
    woken 1 "the first significant change"
    device 'systemctl kill --signal=KILL waypostd'
    woken 2 "kill -9 of the tracker"
    local count
    count=$(ran | wc -l)
    device 'systemctl stop waypost-wake.path waypost-wake.service'
    limit=450 device "for i in \$(seq 420); do waypost register --list --json | grep '\"events\":[1-9]' >/dev/null && exit 0; sleep 1; done; exit 1" ||
        short "no event waits"
    [[ $(ran | wc -l) == "$count" ]] || short "it ran though nobody starts programs"
    reboot
    woken $((count + 1)) "a reboot, by what has happened before"
    device 'waypost unregister proof >/dev/null 2>&1; su pi -c "waypost unregister proof" >/dev/null 2>&1; rm -f /etc/waypost/conf.d/lab.toml; systemctl restart waypostd'
    local log
    log=$(lab status | sed -n 's/^folder: \(.*\), acceleration: .*/\1/p')/waking.log
    ran >"$log"
    [[ $(cut -d' ' -f1 "$log" | sort -u) == pi ]] || short "it ran as another user: $log"
    [[ $(cut -d' ' -f2 "$log" | sort -u | wc -l) == 2 ]] || short "it did not run after the reboot: $log"
    [[ -z $(grep -o '"id":"[^"]*"' "$log" | sort | uniq -d) ]] || short "an event came twice: $log"
    done_ "$(wc -l <"$log") events, each once, as pi; what it got" "$log"
}

# To a later package and back, with events that wait and a journal that a killed tracker left open; then everything arrives, once.
# waits_whole WHAT VERSION: that version runs, the events wait as before, and the log goes on after what it had.
waits_whole() {
    local tries=0
    [[ $(device 'dpkg-query --show --showformat=\${Version} waypost') == "$2" ]] || short "$1: not installed"
    device 'systemctl is-active waypostd >/dev/null' || short "$1: the service does not run"
    until goes_on; do
        ((tries++ < 20)) || short "$1: the log does not go on after $(wc -l <"$work/logged") fixes"
        sleep 2
    done
    head -n "$(wc -l <"$work/logged")" "$work/log" | cmp -s - "$work/logged" || short "$1: the log is another"
    device 'waypost log verify >/dev/null' || short "$1: the log is damaged"
    device 'waypost dispatch status --json' | grep '"events":3\b' >/dev/null || short "$1: not 3 events wait"
    cp "$work/log" "$work/logged"
    done_ "$1 to $2: what waits and $(wc -l <"$work/logged") records are kept"
}
step_upgrade() {
    [[ -n $later ]] || {
        done_ "upgrade and downgrade" "left out, as LATER names no package"
        return
    }
    configure '[log]' 'sync_interval = "1 s"' '[[destination]]' 'name = "depot"' 'url = "http://10.0.2.2:8099/in"' 'interval = 0' 'positions = false'
    lab unplug >/dev/null 2>&1 || true
    lab plug circling --hz 5
    fix "before the upgrade"
    device 'for parcel in 1 2 3; do waypost track delivered parcel=$parcel >/dev/null || exit 1; done' || short "no event"
    sleep 2
    device 'systemctl kill --signal=KILL waypostd; systemctl stop waypostd'
    exported "$work/logged"
    [[ -s $work/logged ]] || short "nothing is logged before the upgrade"
    lab install "$later" >"$work/install" 2>&1 || short "it does not upgrade: $(tail -n 3 "$work/install")"
    waits_whole "the upgrade" "$(dpkg-deb --field "$later" Version)"
    lab install "$package" >"$work/install" 2>&1 || short "there is no way back: $(tail -n 3 "$work/install")"
    waits_whole "the downgrade" "$(dpkg-deb --field "$package" Version)"
    python3 Tests/Scripts/Tools/take_all.py 8099 "$work/taken" &
    server=$!
    [[ $(device 'waypost dispatch now --wait' | tr -d '\r') == good ]] || short "what waited is not sent"
    kill "$server" && server=
    [[ $(grep -o '"parcel" *: *"*[123]' "$work/taken" | sort -u | wc -l) == 3 && $(grep -o '"parcel"' "$work/taken" | wc -l) == 3 ]] ||
        short "not every event arrived once: $(<"$work/taken")"
    done_ "the events that waited through both arrive once"
    device 'rm -f /etc/waypost/conf.d/lab.toml; systemctl restart waypostd'
    lab unplug
}

if (($# > 0)); then
    for step in "$@"; do "step_$step"; done
else
    for step in fresh install plugging bridges cost cuts full_disk reboot gpsd fetching waking upgrade; do "step_$step"; done
    lab down
fi
done_ "all well"
