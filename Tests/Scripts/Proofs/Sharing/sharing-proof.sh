#!/usr/bin/env bash
# What programs get from the tracker's doors beside a real gpsd: the same receiver, said twice, on one side a gpsd, on the other the tracker
# with [share]. cgps, gpspipe, gpxlogger, Python's gps, gps3 and gpsd-py3, libgps in another tracker, and a gpsd that reads our NMEA must
# find the same positions; clients that hang must delay nobody.
#
# Usage: bash Tests/Scripts/Proofs/Sharing/sharing-proof.sh [PART...]     all parts by default; exits with 1 when one falls short
#   BIN        the folder of waypost and waypostd (.build/release)
#   RECORDING  what the receiver says (Tests/Data/drive.nmea)
# Needs the packages gpsd, gpsd-clients, python3-gps, tmux, and gps3 and gpsd-py3 from PyPI; a part whose program is missing says so.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

PATH=$PATH:/usr/sbin
command -v gpsd >/dev/null || { echo 'sharing-proof: needs gpsd' >&2; exit 69; }
[[ -x ${BIN:=.build/release}/waypostd ]] || { echo "sharing-proof: no waypostd in $BIN" >&2; exit 66; }
exec python3 Tests/Scripts/Proofs/Sharing/sharing_proof.py "$(realpath "$BIN")" "$(realpath "${RECORDING:-Tests/Data/drive.nmea}")" "$@"
