#!/usr/bin/env bash
# A real Home Assistant finds the tracker by itself: the device with tracker, sensors and a fence, their values, what becomes of them when the
# tracker goes, and that `discovery = false` leaves nothing behind.
#
# Usage: bash Tests/Scripts/Proofs/Sharing/homeassistant-proof.sh
#   BIN     the folder of waypost and waypostd (.build/release)
#   PYTHON  a Python of a virtual environment with homeassistant and paho-mqtt from PyPI (python3); shown with 2025.4.4 on Python 3.13
set -euo pipefail
cd "$(dirname "$0")/../../../.."
source Config/prerequisites.sh

install_packages mosquitto libmosquitto1
PATH=$PATH:/usr/sbin
[[ -x ${BIN:=.build/release}/waypostd ]] || { echo "homeassistant-proof: no waypostd in $BIN" >&2; exit 66; }
${PYTHON:=python3} -c 'import homeassistant' 2>/dev/null || { echo "homeassistant-proof: no homeassistant in $PYTHON" >&2; exit 69; }
exec "$PYTHON" Tests/Scripts/Proofs/Sharing/homeassistant_proof.py "$(realpath "$BIN")" "$PWD/Tests/Data/drive.nmea"
