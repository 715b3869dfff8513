#!/usr/bin/env bash
# What significant mode saves beside frequent mode: the same hour of one drive, two real gpsds, two trackers, side by side.
#
# Usage: bash Tests/Scripts/Proofs/duty-proof.sh [--short]       exits with 1 when a goal is missed; --short is five minutes
#   BIN       the folder of the release build, made with Config/build-release.sh (.build/release)
#   DURATION  seconds that are measured (3600)
set -euo pipefail
cd "$(dirname "$0")/../../.."

PATH=$PATH:/usr/sbin
command -v gpsd >/dev/null || { echo 'duty-proof: needs gpsd' >&2; exit 69; }
[[ -x ${BIN:=.build/release}/waypostd ]] || { echo "duty-proof: no waypostd in $BIN" >&2; exit 66; }
if [[ ${1-} == --short ]]; then : "${DURATION:=300}"; fi
exec python3 Tests/Scripts/Proofs/duty_proof.py "$BIN/waypostd" "${DURATION:-3600}"
