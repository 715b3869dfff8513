#!/usr/bin/env bash
# Makes what is put on a web server of packages that are built: a repository for apt, checksums, and the list of what is inside.
#
# Usage: bash Config/debian/repository.sh PACKAGES OUTDIR
#   LINKED    a file with the parts that are linked in, besides the Swift packages, as spdx.py reads it
#   SIGN_KEY  a file with the secret key of OpenPGP that signs the repository (without it, it is not signed)
#
# A package waypost_VERSION~deb12_ARCH.deb belongs to bookworm, one with ~deb13 to trixie.
set -euo pipefail
(($# == 2)) || {
    printf 'usage: bash Config/debian/repository.sh PACKAGES OUTDIR\n' >&2
    exit 64
}
umask 022
mkdir -p "$2"
packages=$(realpath "$1")
outdir=$(realpath "$2")
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh
install_packages apt-utils python3 dpkg-dev
SOURCE_DATE_EPOCH=$(dpkg-parsechangelog -l Config/debian/changelog -S Timestamp)
export SOURCE_DATE_EPOCH

pool=pool/main/w/waypost
rm -rf "$outdir/pool" "$outdir/dists"
mkdir -p "$outdir/$pool"
cp "$packages"/*.deb "$outdir/$pool/"
chmod 644 "$outdir/$pool"/*.deb

keyring=$(mktemp -d)
trap 'gpgconf --homedir "$keyring" --kill all 2>/dev/null || :; rm -rf "$keyring"' EXIT
if [[ -n ${SIGN_KEY-} ]]; then
    install_packages gnupg
    gpg --homedir "$keyring" --quiet --batch --import "$SIGN_KEY" || fail 65 "SIGN_KEY: $SIGN_KEY is not a secret key of OpenPGP"
    gpg --homedir "$keyring" --export >"$outdir/waypost.gpg"
    # The same signature each time: at the time of the version, or of a key that is younger.
    made=$(gpg --homedir "$keyring" --with-colons --list-secret-keys | awk -F: '$1 == "sec" { print $6; exit }')
    signed_at=$((made > SOURCE_DATE_EPOCH ? made : SOURCE_DATE_EPOCH))
fi
sign() { gpg --homedir "$keyring" --quiet --batch --yes --faked-system-time "$signed_at!" "$@" 2> >(grep -v 'faked system time' >&2); }

cd "$outdir"
for release in 12:bookworm 13:trixie; do
    suite=${release#*:}
    compgen -G "$pool/*~deb${release%:*}_*.deb" >/dev/null || continue
    for arch in amd64 arm64; do
        list=dists/$suite/main/binary-$arch
        mkdir -p "$list"
        # Those of one Debian only.
        apt-ftparchive --arch "$arch" packages "$pool" | awk -v RS= -v ORS='\n\n' -v own="~deb${release%:*}" '
            { for (i = 1; i <= NF; i++) if ($i == "Version:" && index($(i + 1), own)) { print; break } }' >"$list/Packages"
        gzip -9nk "$list/Packages"
    done
    apt-ftparchive -o APT::FTPArchive::Release::Origin=waypost -o APT::FTPArchive::Release::Label=waypost \
        -o APT::FTPArchive::Release::Suite="$suite" -o APT::FTPArchive::Release::Codename="$suite" \
        -o APT::FTPArchive::Release::Architectures="amd64 arm64" -o APT::FTPArchive::Release::Components=main \
        release "dists/$suite" | sed "s/^Date: .*/Date: $(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH" | sed 's/+0000/UTC/')/" >"dists/$suite/Release.new"
    mv "dists/$suite/Release.new" "dists/$suite/Release"
    if [[ -n ${SIGN_KEY-} ]]; then
        sign --clearsign --output "dists/$suite/InRelease" "dists/$suite/Release"
        sign --armor --detach-sign --output "dists/$suite/Release.gpg" "dists/$suite/Release"
    fi
done
(cd "$pool" && sha256sum -- *.deb) | sed "s|  |  $pool/|" >SHA256SUMS
cd - >/dev/null
python3 Config/debian/spdx.py --packages "$outdir/$pool" --versions Config/swift-packages.json ${LINKED:+--linked "$LINKED"} >"$outdir/waypost.spdx.json"
