#!/bin/sh
# Installs what prepare-card.sh has put beside it. It lies on the boot partition of a Raspberry Pi, and is called by what the card's system runs at
# its first start; there may be no network then, so it leaves a service that installs the packages as soon as it can.
#
# Usage: sh first-boot.sh stage     from the script of Raspberry Pi Imager, which restarts the board: leaves the service
#        sh first-boot.sh start     from cloud-init: leaves the service, and starts it
#        sh first-boot.sh           from the kernel's command line (systemd.run=): takes itself off that line, and leaves the service
#        sh first-boot.sh install   from the service: installs, and ends the service; exit 75 when it must be tried again
#
#   ROOT_FOR_TESTS  the root of the card's system, when that is not the running one
set -u
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd) || exit 74
root=${ROOT_FOR_TESTS-}
unit=$root/etc/systemd/system/waypost-card.service
wish=$root/etc/systemd/system/multi-user.target.wants/waypost-card.service

# note TEXT: one more line of what happened, where somebody who puts the card into a reader finds it; said again and again, it is one line.
note() {
    printf 'waypost-card: %s\n' "$1"
    case $(tail -n 1 "$here/first-boot.log" 2>/dev/null) in
        *"Z $1") ;;
        *) printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$1" >>"$here/first-boot.log" ;;
    esac
}

# leave_command_line: otherwise every start would end here.
leave_command_line() {
    line=$here/../cmdline.txt
    sed 's| systemd\.run=[^ ]*/waypost/first-boot\.sh||; s| systemd\.run_success_action=reboot||; s| systemd\.unit=kernel-command-line\.target||' \
        "$line" >"$line.new" && sync "$line.new" && mv -f "$line.new" "$line" && sync
}

stage() {
    mkdir -p "$(dirname "$wish")" || return
    cat >"$unit.new" <<END || return
[Unit]
Description=Installation of waypost from the boot partition
Wants=network-online.target
After=network-online.target
RequiresMountsFor=$here
ConditionPathExists=$here/first-boot.sh
StartLimitIntervalSec=0

[Service]
Type=oneshot
ExecStart=/bin/sh $here/first-boot.sh install
Restart=on-failure
RestartSec=60

[Install]
WantedBy=multi-user.target
END
    mv -f "$unit.new" "$unit" && ln -sfn ../waypost-card.service "$wish" || return
    # Where Bluetooth is off, its service would wait for a modem on the receiver's line.
    if [ -e "$here/without-bluetooth" ]; then rm -f "$root/etc/systemd/system/multi-user.target.wants/hciuart.service"; fi
    sync
    note 'the packages are installed at the next start with a network'
}

# install_packages: with what apt recommends when there is a network, else only what is on the card; the last way is for a network where one of the
# package sources is out of reach.
install_packages() {
    export DEBIAN_FRONTEND=noninteractive
    set -- -y -q -o DPkg::Lock::Timeout=600 -o Dpkg::Options::=--force-confold
    if apt-get "$@" -o APT::Update::Error-Mode=any update; then
        apt-get "$@" install "$here"/*.deb
    else
        apt-get "$@" --no-download --no-install-recommends install "$here"/*.deb || apt-get "$@" install "$here"/*.deb
    fi
}

# install_configuration: the user's files, which may have passwords and leave the boot partition, where everybody could read them; one that the
# tracker refuses is put aside, so that the tracker runs without it.
install_configuration() {
    [ -d "$here/conf.d" ] || return 0
    changed=
    for file in "$here"/conf.d/*.toml; do
        [ -f "$file" ] || continue
        place=$root/etc/waypost/conf.d/$(basename "$file")
        # What is there already may have been edited since.
        [ ! -e "$place" ] || continue
        install -D -m 640 "$file" "$place.new" || return
        chgrp waypost "$place.new" && mv "$place.new" "$place" || return
        if said=$(waypost config check 2>&1); then
            note "$place: in use"
            changed=yes
        else
            mv "$place" "$place.refused"
            note "$place.refused: not in use: $said"
        fi
        rm -f "$file"
    done
    [ -z "$changed" ] || systemctl --no-block restart waypostd.service || :
}

case ${1-} in
    stage) stage || note 'the service for the installation cannot be written' ;;
    start)
        if ! { stage && systemctl daemon-reload && systemctl --no-block start waypost-card.service; }; then
            note 'the service for the installation cannot be started'
        fi ;;
    '')
        leave_command_line || note 'cmdline.txt cannot be written: take the words with systemd. off it'
        stage || note 'the service for the installation cannot be written' ;;
    install)
        if said=$(install_packages 2>&1); then
            printf '%s\n' "$said"
        else
            printf '%s\n' "$said"
            note "not installed yet, tried again in a minute: $(printf '%s\n' "$said" | sed -n '/^E: /p' | tail -n 1)"
            exit 75
        fi
        install_configuration || note 'the configuration cannot be written'
        rm -f "$wish" "$unit"
        systemctl daemon-reload || :
        note 'installed'
        sync ;;
    *)
        printf 'first-boot: %s: not known; stage, start and install are\n' "$1" >&2
        exit 64 ;;
esac
exit 0
