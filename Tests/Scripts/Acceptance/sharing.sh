# The row of acceptance.sh about other programs that get positions: sourced there, with its functions and variables.

# Other programs get the positions at the doors of [share]: libgps from the gpsd door, a real gpsd from the NMEA, and a socket.
row_N16() {
    printf '[share]\ngpsd = "127.0.0.1:%d"\nnmea = "127.0.0.1:%d"\nnmea_socket = "%s"\n' "$port" $((port + 1000)) "$work/nmea" \
        >"$work/share.toml"
    feed 5
    track "serial://$work/tty" --config "$work/share.toml"
    # One that hangs, from the beginning to the end.
    socat -u "TCP:127.0.0.1:$((port + 1000))" - >/dev/null &
    kill -STOP $!
    follow libgps "gpsd://127.0.0.1:$port"
    gpsd -N -n -S $((port + 2000)) "tcp://127.0.0.1:$((port + 1000))" >>"$work/gpsd.log" 2>&1 &
    follow gpsd "gpsd://127.0.0.1:$((port + 2000))"
    socat -u "UNIX-CONNECT:$work/nmea" - >"$work/socket.nmea" &
    # Who closes its side has gone, as with gpsd.
    { printf '?WATCH={"enable":true,"json":true}' && sleep 8; } | socat - "TCP:127.0.0.1:$port" >"$work/door.jsonl" || true
    local side
    for side in libgps gpsd door; do
        same_places "$work/watch.jsonl" "$work/$side.jsonl" || short "other places by way of $side"
    done
    (($(grep -c RMC "$work/socket.nmea") >= 10)) || short "no NMEA on the socket"
    "$bin/waypost" status --socket "$work/socket" >"$work/status" || short "not healthy: $(cat "$work/status")"
    grep -q '^share     gpsd .*: 1 client$' "$work/status" || short "the clients are not counted: $(cat "$work/status")"
    ended_well || short "the tracker did not end with 0"
}
# follow NAME SOURCE: another tracker, and what its `watch` says in ./NAME.jsonl.
follow() {
    "$bin/waypost" run --source "$2" --state "$work/$1-state" --log "$work/$1-log" --socket "$work/$1.sock" </dev/null >>"$work/$1.log" 2>&1 &
    within 15 test -S "$work/$1.sock" || short "the follower $1 does not start"
    "$bin/waypost" watch --json --socket "$work/$1.sock" >>"$work/$1.jsonl" 2>>"$work/watch.log" &
}
# same_places FILE FILE: whether both have at least ten fixes of the same time, and all of these at the same place.
same_places() {
    python3 - "$@" <<'END'
import json, sys

def places(path):
    found = {}
    for line in open(path, encoding="utf-8"):
        if line.startswith('{"class":"TPV"') and line.endswith("}\n") and '"lat"' in line:
            tpv = json.loads(line)
            found[tpv["time"]] = (tpv["lat"], tpv["lon"])
    return found

first, second = map(places, sys.argv[1:])
common = first.keys() & second.keys()
sys.exit(len(common) < 10 or any(abs(a - b) > 2e-7 for at in common for a, b in zip(first[at], second[at])))
END
}
