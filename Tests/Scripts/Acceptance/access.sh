# The rows of acceptance.sh about who may know the position and who is woken: sourced there, with its functions and variables.

# as_root ROW: these rows are about other users, whom only root can be.
as_root() { ((EUID == 0)) || short "needs root, for other users"; }
# proof NAME ARGUMENT...: runs a proof of Tests/Scripts/Proofs/Access.
proof() { python3 "Tests/Scripts/Proofs/Access/$1" "$bin" "${@:2}" >"$work/proof" 2>&1 || short "$(grep -E '^FAILED|failures$' "$work/proof" || tail -n 3 "$work/proof")"; }

# Asking, none, reduced, full, temporary full accuracy with a purpose, at every door: real users, and no coordinate in the bytes of the lower ones.
row_S17() {
    as_root
    proof who_knows.py 6
    proof roughly.py 1500
    proof flood.py 300
    proof folder_times.py
}

# A significant change starts a program that does not run, after kill -9 and a new start too; refused, failing and rehearsed programs.
row_S19() {
    as_root
    proof relaunch.py
}

# A relaunch tested at the desk: `register --test` on a simulated drive, in the way of a real event, with its fields.
row_S25() {
    as_root
    track sim:freeway
    within 10 reached fixes 2 || short "no positions"
    "$bin/waypost" agent --socket "$work/socket" >/dev/null 2>&1 &
    local answer
    answer=$("$bin/waypost" register "desk$$" --on significant --exec /bin/cat --test --socket "$work/socket" 2>&1) || short "$answer"
    "$bin/waypost" unregister "desk$$" --socket "$work/socket" >/dev/null || short "unregister"
    grep -q 'exit code 0' <<<"$answer" || short "$answer"
    grep -q '"event":"significant".*"lat":46\..*"test":true' <<<"$answer" || short "not the fields of a real event: $answer"
    ended_well || short "the tracker did not end with 0"
}

# Wake-ups of programs: SIGKILL between event and launch; every accepted event runs, as its user, and none after its acknowledgement.
row_N14() {
    as_root
    proof wake_kills.py 15
    # Under the system's own starter, where a container with systemd can be started.
    local code=0
    bash Tests/Scripts/Proofs/Access/wake_unit.sh "$bin" 3 >"$work/proof" 2>&1 || code=$?
    ((code == 0 || code == 69)) || short "$(grep -m 1 '^FAILED' "$work/proof" || tail -n 1 "$work/proof")"
}
