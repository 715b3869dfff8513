#!/usr/bin/env bash
# What repository.sh makes, on a web server: apt of a bare Debian installs from it, takes a later version with `apt upgrade`, and refuses what was changed
# on the server and what the key did not sign.
#
# Usage: bash Tests/Scripts/Proofs/Release/apt-repository.sh      as root
#   BIN  the folder of waypost and waypostd built already (.build/release)
set -euo pipefail
cd "$(dirname "$0")/../../../.."
source Config/prerequisites.sh
source Config/debian/roots.sh
((EUID == 0)) || fail 77 "apt-repository.sh makes a root file system: run it as root"
install_packages "${package_packages[@]}" mmdebstrap util-linux git gnupg apt-utils python3
arch=$(dpkg --print-architecture)
release=$(. /etc/os-release && printf '%s' "$VERSION_CODENAME")
git_settings=()
work=$(mktemp -d "${TMPDIR:-/tmp}/waypost-apt.XXXXXX")
root=$work/root
finish() {
    local code=$?
    trap - EXIT
    [[ -z ${server-} ]] || kill "$server" 2>/dev/null || true
    gpgconf --homedir "$work/gpg" --kill all 2>/dev/null || true
    rm -rf --one-file-system "$work"
    exit "$code"
}
trap finish EXIT
passed() { printf 'ok     %3d s  %s\n' "$SECONDS" "$*"; }
short() {
    printf 'apt-repository: %s\n' "$*" >&2
    exit 1
}

export BIN=${BIN:-.build/release} COMPRESSION="xz -z1"
mkdir -m 700 "$work/gpg"
mkdir "$work/first" "$work/both" "$work/web"
gpg --homedir "$work/gpg" --quiet --batch --passphrase '' --quick-generate-key 'Somebody <somebody@example.org>' ed25519 sign never 2>/dev/null
gpg --homedir "$work/gpg" --armor --export-secret-keys >"$work/key.asc"
export SIGN_KEY=$work/key.asc
cp "$(bash Config/debian/build.sh "$work/first")" "$work/both/"
REVISION=+later bash Config/debian/build.sh "$work/both" >/dev/null
# publish FOLDER: these packages, in place of what the server has.
publish() { bash Config/debian/repository.sh "$1" "$work/web"; }
publish "$work/first"
passed "signed: $(cd "$work/web" && find . -name InRelease)"

python3 -u -m http.server --bind 127.0.0.1 --directory "$work/web" 0 >"$work/server" 2>&1 &
server=$!
until port=$(sed -n 's/.* port \([0-9]*\) .*/\1/p' "$work/server") && [[ -n $port ]]; do sleep 0.1; done

mkdir "$root"
tar -C "$root" --numeric-owner -xf "$(debian_image "$release" --variant=apt --include=systemd)"
connect_root "$root"
mkdir "$root/root/waypost"
printf 'Acquire::http::Proxy::127.0.0.1 "DIRECT";\n' >"$root/etc/apt/apt.conf.d/91own"
root_environment=(DEBIAN_FRONTEND=noninteractive)
apt() { enter_root "$root" "apt-get -qq -y -o Dpkg::Use-Pty=0 $*" >"$work/said" 2>&1; }
installed() { enter_root "$root" 'dpkg-query --show --showformat="\${Version}" waypost'; }
source_is() { printf 'deb [%s] http://127.0.0.1:%s %s main\n' "$1" "$port" "$release" >"$root/etc/apt/sources.list.d/waypost.list"; }

install -D -m 644 "$work/web/waypost.gpg" "$root/etc/apt/keyrings/waypost.gpg"
source_is signed-by=/etc/apt/keyrings/waypost.gpg
apt update || short "no lists: $(<"$work/said")"
apt install --no-install-recommends waypost || short "it does not install: $(tail -n 3 "$work/said")"
first=$(installed)
passed "installed: $first"
publish "$work/both"
apt update && apt upgrade || short "no upgrade: $(tail -n 3 "$work/said")"
[[ $(installed) == *+later* && $(installed) != "$first" ]] || short "not upgraded: $(installed)"
passed "upgraded: $(installed)"

# refused WORDS: apt takes no list from there, and says so; a package source that it cannot trust is an error here.
refused() { ! apt -o APT::Update::Error-Mode=any update && grep -q "$1" "$work/said" || short "not refused: $(<"$work/said")"; }
rm -rf "$root"/var/lib/apt/lists/127*
sed -i 's/^Version: .*/&.9/' "$work/web/dists/$release/main/binary-$arch/Packages"
gzip -9nkf "$work/web/dists/$release/main/binary-$arch/Packages"
refused 'Hash Sum mismatch\|unexpected size'
publish "$work/both"
sed -i 's/^Suite: .*/Suite: other/' "$work/web/dists/$release/InRelease"
rm "$work/web/dists/$release/Release.gpg"
refused 'BADSIG\|not signed\|invalid'
publish "$work/both"
source_is signed-by=/usr/share/keyrings/debian-archive-keyring.gpg
refused 'NO_PUBKEY'
passed "refused: a list that was changed, a signature that is not of it, a key that is not ours"
printf 'apt-repository: all well after %d s\n' "$SECONDS"
