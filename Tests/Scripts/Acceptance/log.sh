# Rows of acceptance.sh about the log: sourced there, with its functions and variables.

# The GPX log is crash-safe: after kill -9, the next start leaves a valid track with every fix older than the sync interval.
row_S3() {
    local sync_interval=10
    track "nmea:$recording?speed=10"
    within 30 reached fixes 30 || short "no positions from the recording"
    fix_times >"$work/must"
    sleep $((sync_interval + 1))
    kill -KILL "$tracker"
    wait "$tracker" 2>/dev/null || true

    # The next start, on something short; it ends by itself.
    head -n 400 "$recording" >"$work/short.nmea"
    timeout 60 "$bin/waypost" run --source "nmea:$work/short.nmea?speed=0" --state "$work/state" --log "$work/log" --socket "$work/socket" \
        </dev/null >>"$work/tracker.log" 2>&1 || short "the next start failed: $(tail -n 1 "$work/tracker.log")"
    compgen -G "$work/log/*.gpx" >/dev/null || short "the next start left no GPX file"
    valid "$work"/log/*.gpx || short "not valid: $(tail -n 1 "$work/xmllint.log")"
    sed -n 's/.*<time>\([^<]*\)<.*/\1/p' "$work"/log/*.gpx | sed 's/\.0*Z$/Z/' | sort -u >"$work/kept"
    local lost
    lost=$(sort -u "$work/must" | comm -23 - "$work/kept" | wc -l)
    ((lost == 0)) || short "$lost of $(wc -l <"$work/must") fixes older than ${sync_interval} s are gone"
}

# Three types of log are written, told apart by their names, exported each by itself, as their checksums say, and played again.
row_S11() {
    printf '[log]\ntypes = ["raw", "source", "current"]\n' >"$work/waypost.toml"
    "$bin/waypost" run --config "$work/waypost.toml" --source "nmea:$recording?speed=0" --state "$work/state" --log "$work/log" \
        --socket "$work/socket" </dev/null >"$work/tracker.log" 2>&1 || short "$(tail -n 1 "$work/tracker.log")"
    local main type file
    main=$(find "$work/log" -name '*-[0-9]*.gpx' ! -name '*.source.gpx' ! -name '*.current.gpx')
    for type in raw source current; do
        file=$main
        [[ $type == raw ]] || file=${main%.gpx}.$type.gpx
        [[ -f $file ]] || short "no track of type $type"
        "$bin/waypost" log export --log "$work/log" --type "$type" >"$work/$type.jsonl" || short "$type is not exported"
        "$bin/waypost" convert "$file" "$work/$type.gpx.jsonl" || short "$type is not read"
        [[ -s $work/$type.jsonl && $(wc -l <"$work/$type.jsonl") == $(wc -l <"$work/$type.gpx.jsonl") ]] ||
            short "$type: $(wc -l <"$work/$type.jsonl") exported, $(wc -l <"$work/$type.gpx.jsonl") in the file"
    done
    (cd "$work/log" && sha256sum --check --quiet SHA256SUMS) || short "SHA256SUMS does not hold"
    "$bin/waypost" log verify --log "$work/log" >"$work/verify" || short "$(head -n 1 "$work/verify")"
    mkdir "$work/again"
    "$bin/waypost" run --source "gpx:$main?speed=0&times=original" --state "$work/state" --log "$work/again" --socket "$work/socket" \
        </dev/null >>"$work/tracker.log" 2>&1 || short "the replay: $(tail -n 1 "$work/tracker.log")"
    "$bin/waypost" log export --log "$work/again" | places >"$work/replayed"
    "$bin/waypost" convert "$main" - --to jsonl | places >"$work/recorded"
    cmp -s "$work/recorded" "$work/replayed" || short "the replay has other times and places than the recording"
}
# places: time, latitude and longitude of each line.
places() { python3 -c 'import json, sys
for line in sys.stdin: fix = json.loads(line); print(fix["time"], fix["lat"], fix["lon"])'; }

# Inside a privacy zone nothing reaches the disk, and what was logged elsewhere can be erased for good.
row_N9() {
    local place='51.714533, 10.262429' radius=200
    printf '[privacy]\nzones = ["client: %s, %s m"]\n' "$place" "$radius" >"$work/waypost.toml"
    timeout 60 "$bin/waypost" run --config "$work/waypost.toml" --source "nmea:$recording?speed=0" --state "$work/state" --log "$work/log" \
        --socket "$work/socket" </dev/null >>"$work/tracker.log" 2>&1 || short "the tracker failed: $(tail -n 1 "$work/tracker.log")"
    # The times of the fixes within the radius; on two hundred metres the earth is flat.
    "$bin/waypost" convert "$recording" - --to jsonl | sed -n 's/.*"time":"\([^"]*\)".*"lat":\([-0-9.]*\),"lon":\([-0-9.]*\).*/\1 \2 \3/p' |
        awk -v place="$place" -v radius="$radius" 'BEGIN { split(place, home, ", ") } {
            north = ($2 - home[1]) * 111250; east = ($3 - home[2]) * 69000
            if (north * north + east * east < radius * radius) print $1 }' >"$work/inside"
    (($(wc -l <"$work/inside") > 10)) || short "the recording does not pass through the zone"
    "$bin/waypost" log export --log "$work/log" >"$work/export"
    (($(wc -l <"$work/export") > 300)) || short "the rest was not logged"
    ! grep -qF -f "$work/inside" "$work/export" || short "a fix from inside the zone was logged"
    sed 's/\.000Z/Z/' "$work/inside" >"$work/inside.gpx"
    ! grep -qF -f "$work/inside.gpx" "$work"/log/*.gpx || short "a fix from inside the zone is in a track"

    "$bin/waypost" log erase --log "$work/log" --from 2026-05-09T07:16:00Z --to 2026-05-09T07:17:00Z --yes >>"$work/erase.log" ||
        short "erase failed"
    ! "$bin/waypost" log export --log "$work/log" | grep T07:16: >/dev/null || short "erased fixes are exported"
    ! grep -q T07:16: "$work"/log/*.gpx || short "erased fixes are in a track"
    valid "$work"/log/*.gpx || short "not valid: $(tail -n 1 "$work/xmllint.log")"
    "$bin/waypost" log verify --log "$work/log" >>"$work/verify.log" || short "the log is damaged: $(tail -n 1 "$work/verify.log")"
}

# The log is pulled in pieces over connections that break, acknowledged, and equal byte for byte.
row_N10() {
    BIN=$bin bash Tests/Scripts/Proofs/pull-log.sh 15 >"$work/pull.log" 2>&1 || short "$(tail -n 1 "$work/pull.log")"
}
