#!/usr/bin/env bash
# Builds the Debian package for the release of this machine, and prints its path.
#
# Usage: bash Config/debian/build.sh OUTDIR
#   BIN       the folder of waypost and waypostd built already (else they are built here, with the static standard library)
#   ARCH      their architecture (amd64 or arm64; that of this machine)
#   NATIVE    the folder of the same programs for this machine, which write manual pages and completions (BIN)
#   REVISION  put behind the version, such as +test1
#   COMPRESSION  of the package (xz, as small as it gets); "xz -z1" and none are quick
#
# The version is the topmost one of Config/debian/changelog with the Debian release behind it: libgps and the C library differ from one
# to the next, so a package is for one. What it depends on is read off the programs.
set -euo pipefail
(($# == 1)) || {
    printf 'usage: bash Config/debian/build.sh OUTDIR\n' >&2
    exit 64
}
# The modes of the caller's files are no part of a package.
umask 022
mkdir -p "$1"
outdir=$(realpath "$1")
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh

install_packages "${package_packages[@]}"
if [[ -z ${BIN-} ]]; then
    find_swift
    install_packages "${build_packages[@]}"
    have_swift
    # What is shipped has these versions and no others.
    cp Config/swift-packages.json Package.resolved
    bash Config/build-release.sh --force-resolved-versions >&2
fi
bin=$(realpath "${BIN:-.build/release}")
native=$(realpath "${NATIVE:-$bin}")
arch=${ARCH:-$(dpkg --print-architecture)}
release=$(. /etc/os-release && printf 'deb%s' "$VERSION_ID")
codename=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")

# Since Debian 13 nothing is shipped to /lib any more.
system=usr/lib
[[ $codename != bookworm ]] || system=lib

history=Config/debian/changelog
version=$(dpkg-parsechangelog -l "$history" -S Version)
[[ $("$native/waypost" --version) == "waypost $version" ]] ||
    fail 65 "$native/waypost is $("$native/waypost" --version), the changelog says $version"
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l "$history" -S Timestamp)
export SOURCE_DATE_EPOCH
day=$(date --utc --date="@$SOURCE_DATE_EPOCH" +%Y-%m-%d)
full=$version${REVISION-}~$release

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A source package in small, as the tools of dpkg want it, with the root of the package below it.
mkdir "$work/debian"
root=$work/debian/waypost
cp Config/debian/control "$work/debian/control"
sed "1s/^waypost (.*) [^;]*;/waypost ($full) $codename;/" "$history" >"$work/debian/changelog"

# install_as MODE FILE PATH: a file at its place in the package.
install_as() { install -D -m "$1" "$2" "$root/$3"; }

for program in waypost waypostd; do
    install_as 755 "$bin/$program" "usr/bin/$program"
    # For another architecture there is another strip.
    "$(dpkg-architecture -a "$arch" -q DEB_HOST_GNU_TYPE 2>/dev/null)-strip" --strip-all --remove-section=.comment --remove-section=.note "$root/usr/bin/$program"
    # Where the compiler keeps its libraries is nowhere to look for any on the box.
    chrpath --delete "$root/usr/bin/$program" >/dev/null
    python3 Config/debian/reproducible.py "$root/usr/bin/$program"
done
# Privacy zones say where people live, headers and passwords open servers: not for everybody. Group waypost gets them in postinst.
install_as 640 Config/waypost.toml etc/waypost/waypost.toml
install -d -m 750 "$root/etc/waypost/conf.d"
install_as 644 Config/systemd/waypostd.service "$system/systemd/system/waypostd.service"
for unit in waypost-wake.path waypost-wake.service waypost-wake@.service; do
    install_as 644 "Config/systemd/$unit" "$system/systemd/system/$unit"
done
install_as 644 Config/systemd/waypost-agent.service usr/lib/systemd/user/waypost-agent.service
install_as 644 Config/sysusers.d/waypost.conf usr/lib/sysusers.d/waypost.conf
install_as 644 Config/tmpfiles.d/waypost.conf usr/lib/tmpfiles.d/waypost.conf
for hook in NetworkManager/dispatcher.d/90-waypost networkd-dispatcher/routable.d/90-waypost; do
    install_as 755 Config/network/waypost-drain "usr/lib/$hook"
done
for file in Config/page/*; do install_as 644 "$file" "usr/share/waypost/page/${file##*/}"; done
install_as 644 udev/60-waypost.rules "$system/udev/rules.d/60-waypost.rules"

doc=usr/share/doc/waypost
install_as 644 Config/debian/copyright "$doc/copyright"
install_as 644 "$work/debian/changelog" "$doc/changelog"
# Links lead to the guides beside it; what is only among the sources is named, and no link.
python3 Config/debian/guides.py "$work/doc"
(cd "$work/doc" && find . -type f -printf '%P\0') | sort -z | while IFS= read -r -d '' page; do
    install_as 644 "$work/doc/$page" "$doc/$page"
done
install_as 644 udev/61-waypost-bridge.rules.example "$doc/examples/61-waypost-bridge.rules"
gzip -9n "$root/$doc/changelog"

mkdir "$work/manual"
python3 Config/debian/manual.py --programs "$native" --configuration Config/waypost.toml --date "$day" "$work/manual"
for page in "$work"/manual/*; do
    install_as 644 "$page" "usr/share/man/man${page##*.}/$(basename "$page")"
    gzip -9n "$root/usr/share/man/man${page##*.}/$(basename "$page")"
done
completion() {
    # What is read by a shell needs no line that names one.
    "$native/waypost" --generate-completion-script "$1" | sed '1{/^#!/d}' >"$work/completion"
    install_as 644 "$work/completion" "$2"
}
completion bash usr/share/bash-completion/completions/waypost
completion zsh usr/share/zsh/vendor-completions/_waypost
completion fish usr/share/fish/vendor_completions.d/waypost.fish
# What the lintian of one Debian only looks at; that of another takes an override of it for a mistake.
cp Config/debian/lintian/waypost "$work/overrides"
if [[ -f Config/debian/lintian/$codename ]]; then cat "Config/debian/lintian/$codename" >>"$work/overrides"; fi
install_as 644 "$work/overrides" usr/share/lintian/overrides/waypost

mkdir "$root/DEBIAN"
for script in postinst prerm postrm; do install -m 755 "Config/debian/$script" "$root/DEBIAN/$script"; done
printf '/etc/waypost/waypost.toml\n' >"$root/DEBIAN/conffiles"
(cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | sort -z | xargs -0 md5sum >DEBIAN/md5sums)

cd "$work"
DEB_HOST_ARCH=$arch dpkg-shlibdeps -Tdebian/substvars -edebian/waypost/usr/bin/waypost -edebian/waypost/usr/bin/waypostd
DEB_HOST_ARCH=$arch dpkg-gencontrol -pwaypost -Pdebian/waypost -Tdebian/substvars -fdebian/files >/dev/null
find "$root" -newermt "@$SOURCE_DATE_EPOCH" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
package=$outdir/waypost_${full}_$arch.deb
# What both programs have in common is packed once where the window reaches from one to the other: 32 MiB, which unpacking takes of memory too.
# Unquoted: a level is an option of its own.
dpkg-deb --root-owner-group -Z${COMPRESSION:-xz -z8 -Sextreme} --build "$root" "$package" >/dev/null
printf '%s\n' "$package"
