#!/usr/bin/env bash
# Shows what an acknowledgement of a broker is worth, and that nothing is lost with an application's receipts: a real mosquitto is killed, and
# its queue for a consumer overflows. The consumer is the one of the guide (mqtt_consumer.py). Fails when a record is missing that must not be.
#
# Usage: bash Tests/Scripts/Proofs/mqtt-proof.sh
#   MESSAGES  how many are sent to a consumer that is away (1500)
#   PAUSE     seconds after which a record without a receipt is published again (5; the destination's own default is 60)
set -euo pipefail
cd "$(dirname "$0")/../../.."
source Config/prerequisites.sh

install_packages mosquitto libmosquitto1 python3-paho-mqtt
PATH=$PATH:/usr/sbin
messages=${MESSAGES:-1500}
pause=${PAUSE:-5}
swift build --package-path Tests/Benchmarks -c release --product waypost-bench >/dev/null
bench=$(swift build --package-path Tests/Benchmarks -c release --show-bin-path)/waypost-bench
consumer=$PWD/Tests/Scripts/Tools/mqtt_consumer.py
work=$(mktemp -d)
broker='' reader='' sender=''
end() { if [[ -n $1 ]]; then kill -"$2" "$1" 2>/dev/null && wait "$1" 2>/dev/null || true; fi; }
clean_up() {
    end "$sender" KILL
    end "$reader" KILL
    end "$broker" KILL
    rm -rf "$work"
}
trap clean_up EXIT

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
# Debian's settings, but for the port and the folder.
cat >"$work/mosquitto.conf" <<END
listener $port 127.0.0.1
allow_anonymous true
user $(id -un)
persistence true
persistence_location $work/
max_queued_messages 1000
END

start_broker() {
    mosquitto -c "$work/mosquitto.conf" 2>>"$work/broker" &
    broker=$!
    until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.05; done
}
kill_broker() {
    end "$broker" KILL
    broker=''
}
# Debian's own Python: the package belongs to it, whatever stands before it in PATH.
start_consumer() {
    (cd "$work" && exec /usr/bin/python3 -W ignore "$consumer" 127.0.0.1 "$port") &
    reader=$!
}
stop_consumer() {
    end "$reader" TERM
    reader=''
}
# received: how many different records are there, in one line: different and all.
received() {
    python3 - "$work/records.jsonl" <<'PYTHON'
import json, os, sys
path = sys.argv[1]
ids = [json.loads(line)["id"] for line in open(path)] if os.path.exists(path) else []
print(len(set(ids)), len(ids))
PYTHON
}
# begin: a fresh broker that knows the consumer, which is away.
begin() {
    kill_broker
    rm -f "$work"/*.jsonl "$work"/*.db
    start_broker
    start_consumer
    sleep 1
    stop_consumer
}
# settle: the consumer comes, and takes what there is, until nothing has come for two seconds.
settle() {
    local before now=-
    start_consumer
    sleep 1
    while [[ ${before-} != "$now" ]]; do
        before=$now
        sleep 2
        now=$(received)
    done
}

code=0
report() {
    local what=$1 sent=$2 wanted=$3 distinct all
    read -r distinct all < <(received)
    printf '| %s | %s | %s | %s |\n' "$what" "$sent" "$distinct" "$((all - distinct))"
    if [[ $wanted == all && $distinct -ne $sent ]] || [[ $wanted == fewer && $distinct -ge $sent ]]; then
        printf 'FAILED: %s: %s of %s\n' "$what" "$distinct" "$sent"
        code=1
    fi
}
# with_receipts NAME COUNT DISASTER: sends in the background, lets something happen, and waits for the end.
with_receipts() {
    "$bench" mqtt "mqtt://127.0.0.1:$port" "$2" application "$pause" >/dev/null &
    sender=$!
    sleep 2
    "$3"
    settle
    local deadline=$((SECONDS + 120))
    while kill -0 "$sender" 2>/dev/null && ((SECONDS < deadline)); do sleep 0.2; done
    if kill -0 "$sender" 2>/dev/null; then
        printf 'FAILED: %s: the sender still waits\n' "$1"
        code=1
    fi
    end "$sender" KILL
    sender=''
    stop_consumer
    report "$1" "$2" all
}
restart_broker() {
    kill_broker
    start_broker
}
nothing() { :; }

printf '\n| the consumer is away, and | sent | arrived | twice |\n|---|---|---|---|\n'
begin
"$bench" mqtt "mqtt://127.0.0.1:$port" 300 broker >/dev/null
restart_broker
settle
stop_consumer
report 'the broker is killed; acknowledgements of the broker' 300 fewer

begin
with_receipts 'the broker is killed; receipts of the application' 300 restart_broker

begin
"$bench" mqtt "mqtt://127.0.0.1:$port" "$messages" broker >/dev/null
settle
stop_consumer
report 'its queue overflows; acknowledgements of the broker' "$messages" fewer

begin
with_receipts 'its queue would overflow; receipts of the application' "$messages" nothing

# Somebody else has filled the queue, so that the first batch is dropped without a word.
begin
(
    cd "$work" && /usr/bin/python3 -W ignore - "$port" <<'PYTHON'
import sys, paho.mqtt.client as mqtt
client = mqtt.Client(client_id="another")
client.connect("127.0.0.1", int(sys.argv[1]))
client.loop_start()
for number in range(1200):
    client.publish("waypost/another/position", '{"class":"NOISE"}', qos=1).wait_for_publish()
client.disconnect()
PYTHON
)
with_receipts 'another one has filled its queue; receipts of the application' "$messages" nothing
exit "$code"
