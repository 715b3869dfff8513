# The row of acceptance.sh about roads: sourced there, with its functions and variables.

# Positions are put on the roads of an extract of OpenStreetMap while somebody needs it, through a receiver's errors, and a watch names the roads.
row_S10() {
    printf '%s\n' 'n1 x8.69 y49.4' 'n2 x8.706 y49.4' 'n3 x8.706 y49.41' 'n4 x8.69 y49.4006' 'n5 x8.704 y49.4006' \
        'w7 Thighway=primary,name=Main%20%Street Nn1,n2' 'w8 Thighway=residential,name=Garden%20%Lane Nn2,n3' \
        'w9 Thighway=service Nn4,n5' >"$work/streets.opl"
    "$bin/waypost" roads build "$work/streets.opl" "$work/streets.roads" >"$work/build.log" 2>&1 || short "$(tail -n 1 "$work/build.log")"
    "$bin/waypost" route "$work/streets.roads" --from 49.4,8.7 --to 49.404,8.706 >"$work/drive.gpx" || short "no route"
    printf '[matching]\nroads = "%s"\n' "$work/streets.roads" >"$work/waypost.toml"
    track "route:$work/drive.gpx?speed=20&interval=0.5&noise=4" --config "$work/waypost.toml"
    "$bin/waypost" status --json --socket "$work/socket" | grep '"matching":false' >/dev/null || short "positions are matched for nobody"
    [[ $("$bin/waypost" roads mode car --socket "$work/socket") == car ]] || short "the mode cannot be changed"
    "$bin/waypost" watch --roads --socket "$work/socket" >"$work/roads" 2>>"$work/watch.log" || true # The drive ends, and the tracker with it.
    sed -n 's/^\(on [^(]*\) (.*/\1/p' "$work/roads" | uniq >"$work/names"
    printf 'on Main Street\non Garden Lane\n' | cmp -s - "$work/names" || short "other roads than those driven: $(tr '\n' ';' <"$work/names")"
}
