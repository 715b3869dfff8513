#!/usr/bin/env bash
# Measures what waypost costs, beside the tools that do the same, and prints the tables of Measurements.md.
#
# Usage: bash Tests/Scripts/measure.sh [convert|gpx|instructions|fences|fence_soak|noise|live|exec|size|fence_files|mqtt|outbox]...
#   BIN             the folder of the release build, made with Config/build-release.sh (.build/release)
#   WAYPOST_SHARED  the folder with tools/bench/gen_nmea.py and gen_gpx.py (../shared), for `convert` and `gpx`; with data/fences and
#                   tools/bench/gf_geos.c, for `fences`
#   FENCES          the numbers of fences to watch (20 1000 10000), with those for which FENCE_DATA has files
#   FENCE_DATA      the folder with fences_N.tsv and positions.tsv, plain or .gz ($WAYPOST_SHARED/data/fences)
#   SOAK            the numbers of fences that come and go (100000 1000000), for `fence_soak`
#   MB              megabytes to convert (100)
#   POINTS          points of GPX to convert (1000000)
#   ENTRIES         entries of a fence file (1000000)
#   SECONDS_LIVE    length of the live measurement (60)
#   MESSAGES        messages to a broker (50000), for `mqtt`, and ROUNDS of both in turn (5)
#
# gpsbabel, gpsdecode, gpsd and gpxlogger are measured when they are there.
set -euo pipefail
cd "$(dirname "$0")/../.."

bin=$(realpath "${BIN:-.build/release}")
shared=${WAYPOST_SHARED:-$PWD/../shared}
megabytes=${MB:-100}
live=${SECONDS_LIVE:-60}
PATH=$PATH:/usr/sbin
work=$(mktemp -d)
running=()
clean_up() {
    ((${#running[@]} == 0)) || kill -KILL "${running[@]}" 2>/dev/null || true
    rm -rf "$work"
}
trap clean_up EXIT

# cost NAME COMMAND...: CPU seconds and peak memory of a command, as a line of a table. The kernel counts the memory of a process that
# starts another one as the other's, too: a small Python is the floor (10 MB), so the peak is read while it runs.
cost() {
    python3 - "$@" <<'PYTHON'
import os, subprocess, sys, time
name, command = sys.argv[1], sys.argv[2:]
process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
peak = 0
while True:
    try:
        with open(f"/proc/{process.pid}/status") as status:
            peak = max([peak] + [int(line.split()[1]) for line in status if line.startswith("VmHWM")])
    except OSError:
        pass
    ended, status, usage = os.wait4(process.pid, os.WNOHANG)
    if ended:
        break
    time.sleep(0.002)
print(f"| {name} | {usage.ru_utime + usage.ru_stime:.2f} | {peak / 1024:.1f} | {os.waitstatus_to_exitcode(status)} |")
PYTHON
}

measure_convert() {
    local input=$work/big.nmea
    python3 "$shared/tools/bench/gen_nmea.py" --mb "$megabytes" -o "$input" --stats "$work/stats.json"
    printf '\n| %s MB of NMEA | CPU s | peak RSS MB | exit |\n|---|---|---|---|\n' "$megabytes"
    cost 'waypost convert to gpx' "$bin/waypost" convert "$input" "$work/big.gpx"
    cost 'waypost convert to jsonl' "$bin/waypost" convert "$input" "$work/big.jsonl"
    ! command -v gpsbabel >/dev/null || cost 'gpsbabel to gpx' gpsbabel -i nmea -f "$input" -o gpx -F "$work/babel.gpx"
    ! command -v gpsdecode >/dev/null || cost 'gpsdecode to JSON' sh -c "exec gpsdecode -j <'$input' >'$work/decode.json'"
    printf '\npoints: waypost %s' "$(grep -c '<trkpt' "$work/big.gpx")"
    [[ ! -s $work/babel.gpx ]] || printf ', gpsbabel %s' "$(grep -c '<trkpt' "$work/babel.gpx")"
    [[ ! -s $work/decode.json ]] || printf ', gpsdecode %s' "$(grep '"class":"TPV"' "$work/decode.json" | grep -c '"lat"')"
    printf '; generated %s\n' "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["fix_epochs"])' "$work/stats.json")"
    python3 Tests/Scripts/Tools/nmea_epochs.py "$input" "$work/big.jsonl"
}

measure_gpx() {
    local input=$work/big-track.gpx points=${POINTS:-1000000}
    python3 "$shared/tools/bench/gen_gpx.py" "$points" 1 "$input"
    printf '\n| %s points of GPX | CPU s | peak RSS MB | exit |\n|---|---|---|---|\n' "$points"
    cost 'waypost convert to jsonl' "$bin/waypost" convert "$input" - --to jsonl
    cost 'waypost convert to gpx' "$bin/waypost" convert "$input" "$work/track.gpx"
    if command -v xml2-config >/dev/null; then
        local -a flags
        read -ra flags <<<"$(xml2-config --cflags --libs)"
        cc -O2 -o "$work/gpx_libxml2" "$shared/tools/bench/gpx_libxml2.c" "${flags[@]}"
        cost 'libxml2, SAX in C, no output' "$work/gpx_libxml2" "$input"
    fi
    ! command -v gpsbabel >/dev/null || cost 'gpsbabel to gpx' gpsbabel -i gpx -f "$input" -o gpx -F "$work/babel-track.gpx"
    # Debian's own Python: the package belongs to it, whatever stands before it in PATH.
    ! /usr/bin/python3 -c 'import gpxpy' 2>/dev/null ||
        cost 'gpxpy, parse only' /usr/bin/python3 -c 'import gpxpy, sys; gpxpy.parse(open(sys.argv[1]))' "$input"
    printf '\npoints: waypost %s\n' "$(grep -c '<trkpt' "$work/track.gpx")"
}

# count_instructions COMMAND...: how many instructions it takes, whatever else the machine does.
count_instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected/ { print $4 }'
}

# instructions NAME UNITS_SMALL UNITS_LARGE COMMAND...: a line of a table: for all of the large input, for each unit of it without the start. SIZE
# in the command stands for small and large.
instructions() {
    local name=$1 units_small=$2 units_large=$3 small large
    shift 3
    small=$(count_instructions "${@//SIZE/small}")
    large=$(count_instructions "${@//SIZE/large}")
    awk -v name="$name" -v small="$small" -v large="$large" -v units=$((units_large - units_small)) \
        'BEGIN { printf "| %s | %d | %d |\n", name, large / 1e6, (large - small) / units }'
}

# The whole commands beside their peers; the difference between two sizes leaves out the start.
measure_instructions() {
    local -a lines points=(10000 40000) flags
    # As it is installed: valgrind cannot read all debug information.
    strip -o "$work/waypost" "$bin/waypost"
    python3 "$shared/tools/bench/gen_nmea.py" --mb 2 -o "$work/small.nmea" --stats "$work/stats.json"
    python3 "$shared/tools/bench/gen_nmea.py" --mb 8 -o "$work/large.nmea" --stats "$work/stats.json"
    lines=("$(wc -l <"$work/small.nmea")" "$(wc -l <"$work/large.nmea")")
    printf '\n| NMEA, %s lines | millions of instructions | for a line, without the start |\n|---|---|---|\n' "${lines[1]}"
    instructions 'waypost convert to gpx' "${lines[@]}" "$work/waypost" convert "$work/SIZE.nmea" "$work/SIZE-nmea.gpx" --force
    ! command -v gpsbabel >/dev/null || instructions 'gpsbabel to gpx' "${lines[@]}" gpsbabel -i nmea -f "$work/SIZE.nmea" -o gpx -F "$work/babel.gpx"
    python3 "$shared/tools/bench/gen_gpx.py" "${points[0]}" 1 "$work/small.gpx" >/dev/null
    python3 "$shared/tools/bench/gen_gpx.py" "${points[1]}" 1 "$work/large.gpx" >/dev/null
    printf '\n| GPX, %s points | millions of instructions | for a point, without the start |\n|---|---|---|\n' "${points[1]}"
    instructions 'waypost convert to jsonl' "${points[@]}" "$work/waypost" convert "$work/SIZE.gpx" "$work/SIZE.jsonl" --force
    instructions 'waypost convert to gpx' "${points[@]}" "$work/waypost" convert "$work/SIZE.gpx" "$work/SIZE-out.gpx" --force
    if command -v xml2-config >/dev/null; then
        read -ra flags <<<"$(xml2-config --cflags --libs)"
        cc -O2 -o "$work/gpx_libxml2" "$shared/tools/bench/gpx_libxml2.c" "${flags[@]}"
        instructions 'libxml2, SAX in C, no output' "${points[@]}" "$work/gpx_libxml2" "$work/SIZE.gpx"
    fi
}

# plain NAME: a data file of the fences, unpacked.
plain() {
    if [[ -e $fence_data/$1 ]]; then
        ln -sf "$(realpath "$fence_data/$1")" "$work/$1"
    else
        gzip -dc "$fence_data/$1.gz" >"$work/$1"
    fi
}

measure_fences() {
    local fence_data=${FENCE_DATA:-$shared/data/fences} bench peer='' count
    swift build --package-path Tests/Benchmarks -c release --product waypost-bench >/dev/null
    bench=$(swift build --package-path Tests/Benchmarks -c release --show-bin-path)/waypost-bench
    if command -v geos-config >/dev/null && [[ -e $shared/tools/bench/gf_geos.c ]]; then
        peer=$work/gf_geos
        cc -O2 -DVINC -o "$peer" "$shared/tools/bench/gf_geos.c" -lgeos_c -lm
    fi
    plain positions.tsv
    printf '\n| fences | exact, positions/s | robust, positions/s | GEOS, positions/s | exact over GEOS | peak MB | GEOS, MB |\n|---|---|---|---|---|---|---|\n'
    for count in ${FENCES:-20 1000 10000}; do
        plain "fences_$count.tsv"
        {
            "$bench" fences "$work/fences_$count.tsv" "$work/positions.tsv" exact
            "$bench" fences "$work/fences_$count.tsv" "$work/positions.tsv" robust
            [[ -z $peer ]] || "$peer" "$work/fences_$count.tsv" "$work/positions.tsv"
        } | awk -v count="$count" '
            { for (i = 1; i < NF; i++) if ($i == "pos/s") rate[NR] = $(i + 1); else if ($i == "rss") memory[NR] = $(i + 1) + 0 }
            END {
                printf "| %d | %d | %d | ", count, rate[1], rate[2]
                if (rate[3]) printf "%d | %.1f | %d | %d |\n", rate[3], rate[1] / rate[3], memory[1], memory[3]
                else printf "- | - | %d | - |\n", memory[1]
            }'
    done
}

# Fences that come and go under a monitor, against every one of them; fails when an answer is wrong or a million fixes cost memory.
measure_fence_soak() {
    local bench count
    swift build --package-path Tests/Benchmarks -c release --product waypost-bench >/dev/null
    bench=$(swift build --package-path Tests/Benchmarks -c release --show-bin-path)/waypost-bench
    printf '\n| fences | index made in | added, replaced or removed | each, with a fix | held against all | wrong | fixes | memory grown by |\n'
    printf '|---|---|---|---|---|---|---|---|\n'
    for count in ${SOAK:-100000 1000000}; do "$bench" fence-soak "$count" 1000000; done
}

measure_noise() {
    printf '\n| random bytes | CPU s | peak RSS MB | exit |\n|---|---|---|---|\n'
    local size
    for size in 10 100; do
        head -c "${size}M" /dev/urandom >"$work/noise.nmea"
        cost "$size MB, convert" "$bin/waypost" convert "$work/noise.nmea" "$work/noise.gpx"
        cost "$size MB, waypostd" "$bin/waypostd" --source "nmea:$work/noise.nmea?speed=0" --state "$work/noise" --log "$work/noise/log" \
            --socket "$work/noise.sock"
    done
}

# wakeups PID: voluntary context switches of all threads so far.
wakeups() { cat "/proc/$1"/task/*/status | awk '/^voluntary/ { sum += $2 } END { print sum }'; }
# cpu PID: CPU ticks so far.
cpu() { sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'; }
# watch_process NAME PID...: what processes cost over the same time.
watch_processes() {
    local -a names=() pids=() wakes=() ticks=()
    while (($# > 0)); do
        names+=("$1") pids+=("$2") wakes+=("$(wakeups "$2")") ticks+=("$(cpu "$2")")
        shift 2
    done
    sleep "$live"
    local i
    for i in "${!pids[@]}"; do
        awk -v name="${names[i]}" -v seconds="$live" -v hertz="$(getconf CLK_TCK)" \
            -v wakes=$(($(wakeups "${pids[i]}") - wakes[i])) -v ticks=$(($(cpu "${pids[i]}") - ticks[i])) '
            /^VmRSS/ { rss = $2 } /^RssAnon/ { private = $2 }
            END { printf "| %s | %.1f | %.1f | %.2f | %.1f |\n", name, rss / 1024, private / 1024, ticks / hertz, wakes / seconds }
            ' "/proc/${pids[i]}/status"
    done
}

measure_live() {
    local port=$((20000 + $$ % 20000))
    python3 Tests/Scripts/Tools/feed.py --rate 10 --skip 24 Tests/Data/drive.nmea "$work/tty" &
    running+=($!)
    until [[ -e $work/tty ]]; do sleep 0.1; done
    gpsd -N -n -b -S "$port" "$work/tty" >/dev/null 2>&1 &
    running+=($!)
    sleep 2
    "$bin/waypostd" --source "gpsd://localhost:$port" --state "$work/a" --log "$work/a/log" --socket "$work/a.sock" 2>/dev/null &
    local tracker=$!
    # A port on which nobody listens.
    "$bin/waypostd" --source "gpsd://localhost:$((port + 1))" --state "$work/b" --log "$work/b/log" --socket "$work/b.sock" 2>/dev/null &
    local idle=$!
    running+=("$tracker" "$idle")
    local -a processes=("waypostd, 10 Hz from gpsd" "$tracker" "waypostd, no gpsd" "$idle")
    if command -v gpxlogger >/dev/null; then
        gpxlogger -i 300 "localhost:$port" >"$work/gpxlogger.gpx" 2>/dev/null &
        running+=($!)
        processes+=("gpxlogger, 10 Hz from gpsd" $!)
    fi
    sleep 10
    printf '\n| over %s s | RSS MB | RssAnon MB | CPU s | wake-ups/s |\n|---|---|---|---|---|\n' "$live"
    watch_processes "${processes[@]}"
    kill -TERM "$tracker" "$idle"
    wait "$tracker" "$idle"
}

measure_exec() {
    local fix='{"class":"TPV","mode":2,"lat":51.7,"lon":10.2,"speed":1.5}'
    # Without a time each of these is a new fix.
    local -a programs=("one fix a second" "while echo '$fix'; do sleep 1; done" "fixes without pause" "yes '$fix'"
        "lines without pause" "yes" "one endless line" "tr '\\0' '{' </dev/zero" "errors without pause" "yes >&2")
    local -a processes=()
    local i
    for ((i = 0; i < ${#programs[@]}; i += 2)); do
        "$bin/waypostd" --source "exec:${programs[i + 1]}" --state "$work/e$i" --log "$work/e$i/log" --socket "$work/e$i.sock" \
            2>/dev/null &
        running+=($!)
        processes+=("${programs[i]}" $!)
    done
    sleep 10
    printf '\n| a program that prints, over %s s | RSS MB | RssAnon MB | CPU s | wake-ups/s |\n|---|---|---|---|---|\n' "$live"
    watch_processes "${processes[@]}"
    for ((i = 1; i < ${#processes[@]}; i += 2)); do kill -TERM "${processes[i]}"; done
    for ((i = 1; i < ${#processes[@]}; i += 2)); do wait "${processes[i]}"; done
}

measure_size() {
    local program
    printf '\n| program | stripped MB |\n|---|---|\n'
    for program in waypostd waypost; do
        strip -o "$work/stripped" "$bin/$program"
        printf '| %s | %s |\n' "$program" "$(stat -c %s "$work/stripped" | awk '{ printf "%.1f", $1 / 1e6 }')"
    done
}

measure_fence_files() {
    local kind count=${ENTRIES:-1000000}
    printf '\n| waypost fences check | CPU s | peak RSS MB | exit |\n|---|---|---|---|\n'
    for kind in geojson tealium owntracks traccar kml; do
        python3 Tests/Scripts/Tools/make_fences.py "$kind" "$count" >"$work/fences"
        cost "$count circles, $kind, $(stat -c %s "$work/fences" | awk '{ printf "%.0f", $1 / 1e6 }') MB" "$bin/waypost" fences check "$work/fences"
    done
    python3 Tests/Scripts/Tools/make_fences.py tealium "$((count + 1))" >"$work/fences"
    cost "$((count + 1)) circles, tealium" "$bin/waypost" fences check "$work/fences"
    python3 Tests/Scripts/Tools/make_fences.py ring 50000 >"$work/fences"
    cost 'a ring of 50 000 corners' "$bin/waypost" fences check "$work/fences"
    python3 Tests/Scripts/Tools/make_fences.py deep 100000000 >"$work/fences"
    cost '100 MB of opening brackets' "$bin/waypost" fences check "$work/fences"
}

# The same messages at QoS 1 to one mosquitto, by mosquitto_pub and by the destination, in turn: the machine is not equally quick all the time.
measure_mqtt() {
    command -v mosquitto >/dev/null && command -v mosquitto_pub >/dev/null || {
        printf '\nmqtt: not measured, mosquitto or mosquitto-clients is not installed\n'
        return
    }
    local bench port count=${MESSAGES:-50000} round start peer own
    swift build --package-path Tests/Benchmarks -c release --product waypost-bench >/dev/null
    bench=$(swift build --package-path Tests/Benchmarks -c release --show-bin-path)/waypost-bench
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    printf 'listener %s 127.0.0.1\nallow_anonymous true\n' "$port" >"$work/mosquitto.conf"
    mosquitto -c "$work/mosquitto.conf" 2>/dev/null &
    running+=($!)
    "$bench" mqtt-lines "$count" >"$work/lines"
    sleep 1
    printf '\n| %s messages of %s bytes at QoS 1 | mosquitto_pub -l, messages/s | waypost, messages/s | ratio |\n|---|---|---|---|\n' \
        "$count" "$(($(stat -c %s "$work/lines") / count))"
    for ((round = 1; round <= ${ROUNDS:-5}; round++)); do
        start=$(date +%s%N)
        mosquitto_pub -h 127.0.0.1 -p "$port" -i peer -q 1 -t waypost/bench/position -l <"$work/lines"
        peer=$(($(date +%s%N) - start))
        start=$(date +%s%N)
        "$bench" mqtt "mqtt://127.0.0.1:$port" "$count" broker >/dev/null
        own=$(($(date +%s%N) - start))
        awk -v round="$round" -v count="$count" -v peer="$peer" -v own="$own" \
            'BEGIN { printf "| round %d | %d | %d | %.2f |\n", round, count / peer * 1e9, count / own * 1e9, peer / own }'
    done
    kill "${running[-1]}"
    wait "${running[-1]}" 2>/dev/null || true
    unset 'running[-1]'
}

# Events that are safe on the disk, beside plain fdatasync; and what a tracker with nothing to send does in half a minute.
measure_outbox() {
    local bench calls
    swift build --package-path Tests/Benchmarks -c release --product waypost-bench >/dev/null
    bench=$(swift build --package-path Tests/Benchmarks -c release --show-bin-path)/waypost-bench
    mkdir "$work/outbox"
    printf '\n'
    "$bench" outbox "$work/outbox"
    command -v strace >/dev/null || {
        printf '\nwake-ups: not measured, strace is not installed\n'
        return
    }
    printf '[[destination]]\nurl = "http://127.0.0.1:9/"\n' >"$work/outbox/destination.toml"
    : >"$work/outbox/none.toml"
    printf '\n| no receiver, 30 s | system calls |\n|---|---|\n'
    for kind in none destination; do
        "$bin/waypostd" --config "$work/outbox/$kind.toml" --source serial:///dev/no-such-receiver --state "$work/outbox/$kind" \
            --log "$work/outbox/$kind.log" --socket "$work/outbox/$kind.socket" 2>/dev/null &
        running+=($!)
        sleep 5
        timeout 30 strace -f -qq -e signal=none -o "$work/outbox/$kind.calls" -p $! 2>/dev/null || true
        kill $!
        calls=$(grep -vc -e 'unfinished \.\.\.>$' -e '+++' "$work/outbox/$kind.calls" || true)
        printf '| %s | %s |\n' "$([[ $kind == none ]] && echo 'without a destination' || echo 'with a destination, nothing to send')" "$calls"
    done
}

parts=(convert gpx instructions fences fence_soak noise live exec size fence_files mqtt outbox)
(($# == 0)) || parts=("$@")
for part in "${parts[@]}"; do "measure_$part"; done
