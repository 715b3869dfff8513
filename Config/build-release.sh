#!/usr/bin/env bash
# Builds the programs as they ship: small, and with the standard library inside.
#
# Usage: bash Config/build-release.sh [SWIFT BUILD OPTION...]        into .build/release
#
# Each function is in a section of its own, and public ones, which an executable has no other users for, need not be kept: the linker leaves out what
# nothing calls (3 MB of waypostd, 1.6 MB of waypost), and puts what a running tracker calls side by side (Config/function-order.txt).
# Without information for debuggers, which the package would strip: that takes an eighth of the compiler's work.
set -euo pipefail
cd "$(dirname "$0")/.."
source Config/prerequisites.sh
pin_swift_packages
exec swift build -c release --static-swift-stdlib -Xswiftc -Xfrontend -Xswiftc -function-sections \
    -Xswiftc -Xfrontend -Xswiftc -internalize-at-link -Xswiftc -gnone "$@" </dev/null
