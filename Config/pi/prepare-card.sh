#!/usr/bin/env bash
# Prepares the card of a Raspberry Pi without screen and keyboard: the UART of the header for a receiver, and the installation of waypost at the first
# start. It changes only the boot partition, as Raspberry Pi Imager wrote it for Raspberry Pi OS 12 (bookworm) or 13 (trixie), 64-bit; what Imager
# entered there (user, network, SSH) keeps working.
#
# Usage: bash prepare-card.sh BOOT OPTION...     BOOT is where the partition is mounted: /media/ana/bootfs
#   --package FILE.deb  installs it at the first start with a network; given again, further packages, such as those it needs where there is no network
#   --config FILE.toml  puts it into /etc/waypost/conf.d, once the package is installed
#   --uart              a receiver on pins 8 and 10: enables the UART, takes the login console off it, switches Bluetooth off where both share a UART
#   --keep-bluetooth    with --uart: Bluetooth gets the small UART instead
#   --pps GPIO          the receiver's pulse is on that GPIO (18 is usual): /dev/pps0
#   --dry-run           says what it would do
#   --undo              takes it all back
#
# A file that is changed is kept once as FILE.waypost.bak. Each file is written whole, or not at all when the power fails; called again, it does the
# rest. first-boot.sh beside this script is what runs on the board. Exit codes: 0 done; 64 usage; 65 the card or a file is of the wrong kind; 66 not a
# boot partition, or a file is missing; 73, 74 it cannot be written.
set -euo pipefail

say() { printf 'prepare-card: %s\n' "$*"; }
fail() {
    local code=$1
    shift
    printf 'prepare-card: %s\n' "$*" >&2
    exit "$code"
}

boot='' configuration='' uart='' keep_bluetooth='' pulse='' dry_run='' undo=''
packages=()
while (($# > 0)); do
    case $1 in
        --package | --config | --pps)
            (($# >= 2)) || fail 64 "$1: nothing behind it; give a ${1#--}"
            case $1 in
                --package) packages+=("$2") ;;
                --config) configuration=$2 ;;
                --pps) pulse=$2 ;;
            esac
            shift ;;
        --uart) uart=yes ;;
        --keep-bluetooth) keep_bluetooth=yes ;;
        --dry-run) dry_run=yes ;;
        --undo) undo=yes ;;
        --help | -h)
            sed -n '2,/^set /{/^#/s/^# \{0,1\}//p}' "$0"
            exit 0 ;;
        -*) fail 64 "$1: not an option; see --help" ;;
        *)
            [[ -z $boot ]] || fail 64 "$1: a second folder; give one boot partition"
            boot=${1%/} ;;
    esac
    shift
done
[[ -n $boot ]] || fail 64 "no folder given; call it as: bash prepare-card.sh /media/boot --uart --package waypost_VERSION~deb13_arm64.deb"
[[ -n $undo || -n $uart || -n $pulse || -n $configuration || ${#packages[@]} -gt 0 ]] ||
    fail 64 "nothing to do; give --package, --config, --uart or --pps, or --undo"
[[ -z $keep_bluetooth || -n $uart ]] || fail 64 "--keep-bluetooth: it belongs to --uart; give both"
[[ -z $pulse || $pulse =~ ^([2-9]|1[0-9]|2[0-7])$ ]] || fail 64 "--pps $pulse: not a GPIO of the header; give one from 2 to 27, such as 18"
[[ -z $uart || ! $pulse =~ ^1[45]$ ]] || fail 64 "--pps $pulse: GPIO 14 and 15 are the UART; give another, such as 18"

# -- What is there.

[[ -d $boot ]] || fail 66 "$boot: no such folder; give the folder where the card's boot partition is mounted"
for name in config.txt cmdline.txt overlays; do
    [[ -e $boot/$name ]] || fail 66 "$boot: not the boot partition of a Raspberry Pi, as it has no $name; give the folder where the partition bootfs is mounted"
done
[[ -n $dry_run || -w $boot ]] || fail 73 "$boot: cannot be written; run it with sudo, or mount the partition for writing"
tools=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
folder=waypost
on_board=/boot/firmware/$folder
# Not "firstboot": the card's initramfs looks for that word on the command line, and would make the root partition larger again.
command_words=" systemd.run=$on_board/first-boot.sh systemd.run_success_action=reboot systemd.unit=kernel-command-line.target"
begin='# waypost: from here on by prepare-card.sh'
end='# waypost: up to here'

# put NAME WHAT: $work/new as that file of the partition, where it differs.
put() {
    local file=$boot/$1
    if [[ -f $file ]] && cmp -s "$work/new" "$file"; then
        say "$1: as it should be, left alone"
        return
    fi
    say "$1: $2"
    [[ -z $dry_run ]] || return 0
    mkdir -p "$(dirname "$file")" || fail 73 "$file: its folder cannot be made; look at the card"
    write "$work/new" "$file"
}
# write FROM FILE: a copy that is there whole or not at all.
write() {
    { cp "$1" "$2.new" && sync "$2.new" && mv -f "$2.new" "$2" && sync -f "$boot"; } 2>"$work/why" || {
        rm -f "$2.new"
        fail 74 "$2: $(tail -n 1 "$work/why"); make room on the card, or try another"
    }
}
# keep NAME: the file as it was before the first change.
keep() {
    [[ -z $dry_run && -f $boot/$1 && ! -e $boot/$1.waypost.bak ]] || return 0
    cmp -s "$work/new" "$boot/$1" || write "$boot/$1" "$boot/$1.waypost.bak"
}
# drop NAME...: files that this script has made.
drop() {
    local name
    for name; do
        [[ -e $boot/$name ]] || continue
        say "$name: removed"
        [[ -n $dry_run ]] || rm -rf "${boot:?}/$name"
    done
    [[ -n $dry_run ]] || sync -f "$boot"
}

# Without what this script adds.
plain_config() {
    [[ $(grep -cxF -e "$begin" "$1" || true) == "$(grep -cxF -e "$end" "$1" || true)" ]] ||
        fail 65 "$1: its part of prepare-card.sh has lost its first or last line; remove the rest of it by hand"
    awk -v begin="$begin" -v end="$end" '$0 == begin { own = 1 } !own { print } $0 == end { own = 0 }' "$1"
}
plain_command_line() {
    local line
    line=$(tr -d '\r\n' <"$1")
    printf '%s\n' "${line/"$command_words"/}"
}
without_consoles() { sed -E 's/(^| )console=(serial0|ttyAMA0|ttyS0)(,[^ ]*)?/ /g; s/  +/ /g; s/^ //; s/ $//'; }
consoles() { tr ' ' '\n' | grep -E '^console=(serial0|ttyAMA0|ttyS0)(,|$)' | tr '\n' ' ' || true; }
with_last_line_end() { awk '{ print }' "$1"; }
plain_script() { grep -vF -e "$on_board/first-boot.sh" "$1" || true; }

has_own_vendor_data() { [[ -f $boot/vendor-data ]] && grep -qF -e "$on_board" "$boot/vendor-data"; }

# The script that Imager has the kernel's command line run, by its name on the partition; empty when there is none.
imagers_script=$(plain_command_line "$boot/cmdline.txt" | sed -nE 's/.*(^| )systemd\.run="?([^ "]*).*/\2/p' | sed -E 's|^/boot/(firmware/)?||')

# -- Back.

if [[ -n $undo ]]; then
    line=$(plain_command_line "$boot/cmdline.txt")
    if [[ -f $boot/cmdline.txt.waypost.bak ]]; then
        if [[ $(without_consoles <<<"$line") == "$(plain_command_line "$boot/cmdline.txt.waypost.bak" | without_consoles)" ]]; then
            cp "$boot/cmdline.txt.waypost.bak" "$work/new"
        else
            # The board has started since, and the partition may have another name: only the console comes back.
            printf '%s%s\n' "$(plain_command_line "$boot/cmdline.txt.waypost.bak" | consoles)" "$(without_consoles <<<"$line")" >"$work/new"
        fi
    else
        printf '%s\n' "$line" >"$work/new"
        [[ $(<"$boot/cmdline.txt") != "$line" ]] || cp "$boot/cmdline.txt" "$work/new"
    fi
    put cmdline.txt 'as it was'
    for name in config.txt "$imagers_script"; do
        [[ -n $name && -f $boot/$name ]] || continue
        if [[ $name == config.txt ]]; then plain=plain_config; else plain=plain_script; fi
        "$plain" "$boot/$name" >"$work/new"
        # To the last byte, unless somebody has changed it since.
        if [[ -f $boot/$name.waypost.bak ]] && cmp -s "$work/new" <(with_last_line_end "$boot/$name.waypost.bak"); then
            cp "$boot/$name.waypost.bak" "$work/new"
        fi
        put "$name" 'as it was'
    done
    if has_own_vendor_data; then drop vendor-data; fi
    drop "$folder" config.txt.waypost.bak cmdline.txt.waypost.bak ${imagers_script:+"$imagers_script.waypost.bak"} firstrun.sh.waypost.bak
    # What a power cut has left of a file that was being written.
    for name in config.txt cmdline.txt vendor-data firstrun.sh ${imagers_script:+"$imagers_script"}; do drop "$name.new" "$name.waypost.bak.new"; done
    exit 0
fi

# -- Whether it fits.

# What an earlier call has asked for stays.
asks_for_pins=$uart$pulse
own=$(awk -v begin="$begin" -v end="$end" '$0 == begin { own = 1 } own { print } $0 == end { own = 0 }' "$boot/config.txt")
if [[ -z $uart && $own == *enable_uart=1* ]]; then
    uart=yes
    [[ $own != *miniuart-bt* ]] || keep_bluetooth=yes
fi
if [[ -z $pulse && $own =~ pps-gpio,gpiopin=([0-9]+) ]]; then pulse=${BASH_REMATCH[1]}; fi

is_new=''
[[ ! $(<"$boot/cmdline.txt") =~ (^| )(resize|init=[^ ]*/firstboot)( |$) ]] || is_new=yes
debian=''
if [[ -f $boot/meta-data && -f $boot/user-data ]]; then debian=13; elif [[ -n $is_new ]]; then debian=12; fi
for file in ${packages[@]+"${packages[@]}"} ${configuration:+"$configuration"}; do
    [[ -f $file && -r $file ]] || fail 66 "$file: no such file, or not readable; give the path of a file"
done
for file in ${packages[@]+"${packages[@]}"}; do
    [[ $file == *.deb ]] || fail 65 "$file: not a package of Debian; give a .deb"
    name=$(basename "$file")
    arch=${name##*_} arch=${arch%.deb}
    ! command -v dpkg-deb >/dev/null || arch=$(dpkg-deb --field "$file" Architecture 2>/dev/null) ||
        fail 65 "$file: not a package of Debian, or damaged; fetch it again"
    [[ $arch =~ ^(arm64|all)$ ]] || fail 65 "$name: it is for $arch; give the package for arm64"
    [[ ! -e $boot/kernel7.img || $arch == all ]] ||
        fail 65 "$boot: the card has the 32-bit system, and there is no package for it; write the 64-bit one to the card"
    [[ ! $name =~ ~deb([0-9]+)_ || -z $debian || ${BASH_REMATCH[1]} == "$debian" ]] ||
        fail 65 "$name: the card has Debian $debian; give the package with ~deb$debian in its name"
done
[[ -z $configuration || $configuration == *.toml ]] || fail 65 "$configuration: the tracker reads only .toml; give the file such a name"
[[ -z $configuration || ${#packages[@]} -gt 0 || -d $boot/$folder ]] || fail 64 "--config: nothing would install it; give --package, too"
[[ -z $imagers_script || -f $boot/$imagers_script ]] ||
    fail 65 "$boot/cmdline.txt: it runs $imagers_script, which is not there; write the card again with Raspberry Pi Imager"
if ((${#packages[@]} > 0)); then
    wanted=$(($(cat "${packages[@]}" | wc -c) / 1024 + 64))
    free=$(df -Pk "$boot" | awk 'NR == 2 { print $4 }')
    ((wanted < free)) || fail 73 "$boot: $((wanted / 1024 + 1)) MB are needed, and $((free / 1024)) MB are free; make room on the partition"
fi

# -- The packages and the configuration, before what calls them.

hook_up() {
    cp "$tools/first-boot.sh" "$work/new"
    put "$folder/first-boot.sh" 'installs the packages on the board'
    local is_called=''
    if [[ -n $imagers_script ]]; then
        # Before it removes itself; raspberrypi-sys-mods cuts it off at that line on some cards.
        plain_script "$boot/$imagers_script" | awk -v hook="[ ! -f $on_board/first-boot.sh ] || sh $on_board/first-boot.sh stage" '
            { line[NR] = $0 }
            !before && /^[ \t]*rm .*firstrun\.sh/ { before = NR }
            /^exit/ { last = NR }
            END {
                if (!before) before = last ? last : NR + 1
                for (i = 1; i <= NR + 1; i++) { if (i == before) print hook; if (i <= NR) print line[i] }
            }' >"$work/new"
        keep "$imagers_script"
        put "$imagers_script" 'calls first-boot.sh, after what Imager has it do'
        is_called=yes
    fi
    # cloud-init runs it once, beside user-data; a card that has started already would not run it again.
    if [[ $debian == 13 && -n $is_new ]] && ! grep -q '^vendor_data:' "$boot/user-data"; then
        if [[ ! -f $boot/vendor-data ]] || has_own_vendor_data; then
            printf '#!/bin/sh\n# Made by prepare-card.sh of waypost.\nexec sh %s/first-boot.sh start\n' "$on_board" >"$work/new"
            put vendor-data 'has cloud-init call first-boot.sh; user-data is left alone'
            is_called=yes
        else
            say "vendor-data: not made by this script, left alone"
        fi
    fi
    if [[ -n $is_called ]]; then needs_command_line=''; else needs_command_line=yes; fi
}

needs_command_line=''
[[ $(<"$boot/cmdline.txt") != *"$command_words"* ]] || needs_command_line=yes
for file in ${packages[@]+"${packages[@]}"}; do
    name=$(basename "$file")
    # An older one would be installed with it.
    for old in "$boot/$folder/${name%%_*}"_*.deb; do
        [[ ! -e $old || $(basename "$old") == "$name" ]] || drop "$folder/$(basename "$old")"
    done
    cp "$file" "$work/new"
    put "$folder/$name" 'copied'
done
if [[ -n $configuration ]]; then
    cp "$configuration" "$work/new"
    put "$folder/conf.d/$(basename "$configuration")" 'copied'
elif [[ -n $uart && ${#packages[@]} -gt 0 ]]; then
    printf '# Made by prepare-card.sh: the receiver on pins 8 and 10 of the header.\n[[source]]\nurl = "serial:///dev/ttyAMA0"\n' >"$work/new"
    put "$folder/conf.d/40-receiver.toml" 'names the receiver'
fi
if [[ -n $uart && -z $keep_bluetooth && ${#packages[@]} -gt 0 ]]; then
    printf 'Bluetooth is off: first-boot.sh ends its service.\n' >"$work/new"
    put "$folder/without-bluetooth" 'no service for Bluetooth'
elif [[ -n $keep_bluetooth ]]; then
    drop "$folder/without-bluetooth"
fi
if ((${#packages[@]} > 0)); then hook_up; fi

# -- config.txt and cmdline.txt.

if [[ -n $asks_for_pins ]]; then
    plain_config "$boot/config.txt" >"$work/plain"
    if [[ -n $keep_bluetooth ]]; then overlay=miniuart-bt; else overlay=disable-bt; fi
    {
        with_last_line_end "$work/plain"
        printf '%s\n' "$begin"
        if [[ -n $uart ]]; then
            # Not on the Pi 5, where enable_uart is about the debug connector.
            for model in pi0 pi1 pi2 pi3 pi4; do printf '[%s]\nenable_uart=1\n' "$model"; done
            # Where Bluetooth has the full UART.
            for model in pi0w pi02 pi3 pi4; do
                has=$(awk -v model="$model" '
                    BEGIN { holds = 1 }
                    { gsub(/[ \t\r]/, "") }
                    /^\[.*\]$/ { holds = $0 == "[all]" || $0 == "[" model "]" || $0 == "[pi0]" && model ~ /^pi0/ }
                    holds && /^dtoverlay=(pi3-)?(disable-bt|miniuart-bt)(,|$)/ { found = $0 }
                    END { print found }' "$work/plain")
                if [[ -z $has ]]; then
                    printf '[%s]\ndtoverlay=%s\n' "$model" "$overlay"
                elif [[ $has != *"$overlay"* ]]; then
                    say "config.txt: $has is there for $model, left alone" >&2
                fi
            done
            printf '[pi5]\ndtparam=uart0=on\n'
        fi
        printf '[all]\n'
        [[ -z $pulse ]] || printf 'dtoverlay=pps-gpio,gpiopin=%s\n' "$pulse"
        printf '%s\n' "$end"
    } >"$work/new"
    keep config.txt
    [[ -z $keep_bluetooth ]] || say 'config.txt: Bluetooth works only with core_freq and core_freq_min set to one value, such as 250; that is left to you'
    put config.txt "${uart:+enables the UART of the header (${overlay})}${uart:+${pulse:+, }}${pulse:+the pulse on GPIO $pulse}"
fi
line=$(plain_command_line "$boot/cmdline.txt")
what=''
if [[ -n $uart ]]; then
    found=$(consoles <<<"$line")
    [[ -z $found ]] || what="takes ${found% } off"
    line=$(without_consoles <<<"$line")
fi
if [[ -n $needs_command_line ]]; then
    line+=$command_words
    what+="${what:+, }calls first-boot.sh at the next start"
fi
if [[ -n $what ]]; then
    printf '%s\n' "$line" >"$work/new"
    keep cmdline.txt
    put cmdline.txt "$what"
elif [[ -n $uart || ${#packages[@]} -gt 0 ]]; then
    say 'cmdline.txt: as it should be, left alone'
fi
[[ -n $dry_run ]] || say 'done: unmount the card, and switch the board on with it'
