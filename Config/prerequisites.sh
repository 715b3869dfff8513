# Sourced by the scripts: what the machine needs, said once, and how it gets there.
#
# Swift is the one thing a person has to bring. Everything else is a Debian package and is installed when it is missing.

readonly swift_wanted_major=6 swift_wanted_minor=2
readonly swift_download="https://www.swift.org/install/"

# What `swift build` needs, on a system with nothing but apt on it.
build_packages=(
    # The compiler and the package manager themselves are linked to these.
    libcurl4 libncurses6 libsqlite3-0 libuuid1 libxml2 zlib1g
    # C and C++ headers, start files, the linker.
    g++ binutils
    # The package manager fetches with git, over https.
    git ca-certificates
    # The libraries that waypost stands on.
    pkg-config libgps-dev libtomlplusplus-dev libosmium2-dev libprotozero-dev zlib1g-dev
)

# What the tests call besides: the real parts on the other side, and the judges of what we write.
# Not gpsd-clients: what it adds is not used, and it brings 160 packages of desktop and plotting.
test_packages=(gpsd curl mount socat libxml2-utils python3 libsodium23 mosquitto tzdata libncursesw6 tmux procps)

# What makes a Debian package of the programs.
package_packages=(dpkg-dev binutils chrpath python3)

# Ends the script with one line on stderr: fail EXIT_CODE MESSAGE...
fail() {
    local code=$1
    shift
    printf 'waypost: %s\n' "$*" >&2
    exit "$code"
}

# The installed Swift as MAJOR.MINOR; empty when there is none or it does not start.
swift_version() {
    local said
    said=$(swift --version 2>/dev/null </dev/null) || return 0
    sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' <<<"$said" | head -n 1
}

# Ends with 69 unless `swift` is on the PATH and new enough. One that does not start yet, for want of a library, passes: see have_swift.
find_swift() {
    command -v swift >/dev/null ||
        fail 69 "Swift $swift_wanted_major.$swift_wanted_minor or later is needed and \`swift\` is not on the PATH: get it from $swift_download"
    local version
    version=$(swift_version)
    [[ -z $version ]] || check_swift_version "$version"
}

# Ends with 69 unless Swift starts and is new enough; for after the packages.
have_swift() {
    local version
    version=$(swift_version)
    if [[ -z $version ]]; then
        swift --version </dev/null >&2 || true
        fail 69 "$(command -v swift) does not start: get Swift for this system from $swift_download"
    fi
    check_swift_version "$version"
}

check_swift_version() {
    local major=${1%%.*} minor=${1#*.}
    ((major > swift_wanted_major || (major == swift_wanted_major && minor >= swift_wanted_minor))) ||
        fail 69 "Swift $swift_wanted_major.$swift_wanted_minor or later is needed, $(command -v swift) is $1: get it from $swift_download"
}

# The versions of the Swift packages that waypost is built and tested with, where the package manager looks for them.
#
# They are kept in Config, as the top level is fixed. Versions that somebody tries out (swift package update) stay: check.sh says that they differ.
pin_swift_packages() {
    [[ -e Package.resolved ]] || cp Config/swift-packages.json Package.resolved
}

# Installs those of the packages that are missing; says so before, and does nothing when none is.
install_packages() {
    if ! command -v apt-get >/dev/null; then
        printf 'waypost: no apt-get here; going on without a check for what Debian calls: %s\n' "$*" >&2
        return
    fi
    packages_missing "$@" || return 0

    local -a as_root=()
    if ((EUID != 0)); then
        if ! command -v sudo >/dev/null; then
            fail 77 "packages are missing and only root may install them; run: apt-get install --no-install-recommends $*"
        fi
        as_root=(sudo)
        # Without a terminal nobody can answer the question for a password.
        [[ -t 0 && -t 2 ]] || as_root=(sudo -n)
    fi
    printf 'waypost: installing what is missing of: %s\n' "$*"
    # Recommended packages stay out: with gpsd they would bring and start services.
    local -a apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0)
    "${apt[@]}" update || fail 69 "apt-get update failed; needed: $*"
    "${apt[@]}" install --yes --no-install-recommends --no-upgrade "$@" >/dev/null ||
        fail 69 "apt-get could not install what is missing of: $*"
}

# Whether one of the packages, or what provides it, is not installed. Names that apt does not know count as missing.
packages_missing() {
    local plan
    plan=$(apt-get -qq --simulate --no-install-recommends --no-upgrade install "$@" 2>/dev/null) || return 0
    [[ $plan == *"Inst "* ]]
}
