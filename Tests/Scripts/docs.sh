#!/usr/bin/env bash
# Builds the documentation of every library, guides included, and takes no warning: a link that leads nowhere, a parameter without a word.
# Compares the public API with what is written down in Tests/Data/golden/api.
#
# Usage: bash Tests/Scripts/docs.sh [OUTDIR]     the pages are kept in OUTDIR, one folder for each module
#   WAYPOST_WRITE_GOLDEN=1  writes the public API down anew
set -euo pipefail
cd "$(dirname "$0")/../.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
outdir=${1:-$work/pages}
docc=$(dirname "$(realpath "$(command -v swift)")")/docc
modules=(Waypost WaypostSystem WaypostPositioning WaypostRecording WaypostGeofences WaypostDispatch WaypostControl WaypostKit
    WaypostConfiguration WaypostTestKit)

graphs=$(swift build --show-bin-path)/../symbolgraph
rm -rf "$graphs"
# It says that it failed, as it cannot read the modules of C (Swift 6.3 hands them the flags of C++); ours are there all the same.
swift package dump-symbol-graph --minimum-access-level public >"$work/log" 2>&1 || true
for module in "${modules[@]}"; do
    [[ -s $graphs/$module.symbols.json ]] || {
        tail -20 "$work/log" >&2
        exit 1
    }
done
# The API of the products.
action=check
[[ -z ${WAYPOST_WRITE_GOLDEN:-} ]] || action=write
python3 Tests/Scripts/api_listing.py "$action" "$graphs" Tests/Data/golden/api \
    Waypost WaypostPositioning WaypostRecording WaypostDispatch WaypostControl WaypostKit

failures=0
for module in "${modules[@]}"; do
    mkdir -p "$work/$module" "$outdir/$module"
    # What a module says of another one's types is in a file of its own, MODULE@OTHER; only that of the standard library can be linked to.
    cp "$graphs/$module.symbols.json" "$work/$module/"
    # Guides are found by their names where nothing else has the module's.
    catalogue=() name=$module
    [[ ! -d Sources/$module/$module.docc ]] || catalogue=("Sources/$module/$module.docc") name=waypost
    "$docc" convert "${catalogue[@]}" --additional-symbol-graph-dir "$work/$module" --output-dir "$outdir/$module" --warnings-as-errors \
        --fallback-bundle-identifier "$name" --fallback-display-name "$name" >"$work/log" 2>&1 || {
        grep -E -A1 '^(warning|error)' "$work/log" >&2 || tail -20 "$work/log" >&2
        failures=$((failures + 1))
    }
done
((failures == 0)) || {
    printf 'docs: %d of %d modules have warnings\n' "$failures" "${#modules[@]}" >&2
    exit 1
}
printf 'docs: %d modules, no warnings\n' "${#modules[@]}"
