# Rows of acceptance.sh about sending: sourced there, with its functions and variables.

# serve MODE: flaky_server.py, with what it has taken in ./server/received.
serve() {
    mkdir -p "$work/server"
    printf '%s' "$1" >"$work/server/mode"
    # It ends when its standard input does: with the row.
    mkfifo "$work/server/line"
    python3 Tests/Scripts/Tools/flaky_server.py "$work/server" <"$work/server/line" 2>>"$work/server.log" &
    exec 9>"$work/server/line"
    within 10 test -s "$work/server/port" || short "no server"
    server=http://127.0.0.1:$(<"$work/server/port")/in
}
mode() { printf '%s' "$1" >"$work/server/mode"; }
# taken PATTERN: how many records with it the server has; has PATTERN COUNT: whether it has that many.
taken() { grep -cE "$1" "$work/server/received" 2>/dev/null || true; }
has() { [[ $(taken "$1") == "$2" ]]; }
# send_to LINE...: a tracker on a simulated walk, with these lines of a destination "home".
send_to() {
    printf '%s\n' '[[destination]]' 'name = "home"' "$@" >"$work/waypost.toml"
    "$bin/waypostd" --config "$work/waypost.toml" --source sim:walk --state "$work/state" --log "$work/log" --socket "$work/socket" \
        </dev/null >>"$work/tracker.log" 2>&1 &
    tracker=$!
    within 15 answers || short "the tracker does not answer: $(tail -n 1 "$work/tracker.log")"
}
say() { "$bin/waypost" "$@" --socket "$work/socket"; }

# Store and forward: on demand below 1 s, the completion, no network, kill -9, the rest at the stop.
row_S18() {
    serve 'status 503'
    send_to "url = \"$server\"" 'interval = 0'
    for number in 1 2 3; do say track delivered "n=$number" || short "track failed"; done
    [[ $(say dispatch now --wait 2>>"$work/say.log") == error ]] || short "a server that is busy is no error"
    kill -KILL "$tracker" && wait "$tracker" 2>/dev/null || true
    mode ok
    send_to "url = \"$server\"" 'interval = 0'
    [[ $(say dispatch now --wait) == good ]] || short "not good"
    has '"name": "delivered"' 3 || short "$(taken '"name": "delivered"') of 3 events arrived"
    say track last || short "track failed"
    ended_well || short "the tracker did not end with 0"
    has '"name": "last"' 1 || short "the stop did not send what waited"
    (($(taken '"class": "TPV"') > 0)) || short "no position arrived"
}

# An application's own events: the position on every one, its values as they were.
row_S22() {
    serve ok
    send_to "url = \"$server\"" 'interval = 0'
    within 15 has_fix || short "no fix"
    say track delivered parcel=7 signed_by='A. Smith' || short "track failed"
    [[ $(say dispatch now --wait) == good ]] || short "not good"
    has '"name": "delivered".*"parcel": 7.*"lat": [0-9.]+' 1 || has '"lat": [0-9.]+.*"parcel": 7' 1 ||
        short "without values or position: $(grep delivered "$work/server/received")"
    ended_well || short "the tracker did not end with 0"
}
has_fix() { say status --json | grep '"state":"fix"' >/dev/null; }

# The data layer of a tag manager, all values strings.
row_S15() {
    serve ok
    send_to 'kind = "tealium"' "url = \"$server\"" 'account = "acme"' 'interval = 0'
    within 15 has_fix || short "no fix"
    say track delivered || short "track failed"
    [[ $(say dispatch now --wait) == good ]] || short "not good: $(tail -n 1 "$work/tracker.log")"
    for value in '"latitude": "[0-9.]+"' '"longitude": "[0-9.]+"' '"location_accuracy": "high"' '"location_accuracy_extended": "best"'; do
        has "$value" 1 || short "no $value: $(<"$work/server/received")"
    done
    ended_well || short "the tracker did not end with 0"
}

# The ledger: from the fix to the receipt.
row_N3() {
    serve 'status 503'
    send_to "url = \"$server\"" 'interval = 0'
    say track delivered || short "track failed"
    within 15 has_fix || short "no fix"
    say ledger --since 2000-01-01 | grep '"delivered".*; home: queued$' >/dev/null || short "not queued: $(say ledger --since 2000-01-01 | head -n 1)"
    mode ok
    [[ $(say dispatch now --wait) == good ]] || short "not good"
    say ledger --since 2000-01-01 >"$work/ledger"
    grep -q '"delivered".*; home: receipt' "$work/ledger" || short "no receipt: $(head -n 1 "$work/ledger")"
    grep -q '  position  p-.*logged ([0-9]*); home: receipt' "$work/ledger" || short "no receipt of a position"
    ended_well || short "the tracker did not end with 0"
}

# What waits survives other settings; a record that a server refuses for ever holds up nothing.
row_N8() {
    serve 'status 503'
    send_to "url = \"$server\"" 'interval = 0' 'positions = false'
    for number in 1 2 3 4 5; do say track "event$number" || short "track failed"; done
    ended_well || short "the tracker did not end with 0"
    mode 'poison event3'
    send_to "url = \"$server?new=1\"" 'interval = 0' 'batch = 2' 'positions = false'
    say dispatch now --wait >>"$work/say.log" 2>&1 || true
    has '"name": "event[1245]"' 4 || short "$(taken event) of 4 arrived"
    [[ $(say dispatch list | wc -l) == 1 ]] || short "not one dead letter"
    say dispatch list | grep 'no such parcel' >/dev/null || short "not the server's words: $(say dispatch list)"
    ended_well || short "the tracker did not end with 0"
}
