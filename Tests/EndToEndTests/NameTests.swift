import Testing
import Waypost

extension EndToEnd {
    /// Folders and recordings whose names are no UTF-8.
    struct NameTests {
        private func bash(_ script: String, in folder: TestFolder) async throws -> Finished {
            try await finish(["bash", "-c", script, Program.waypost.path, Program.waypostd.path, Package.drive], in: folder)
        }

        /// A log went to another folder, whose name had U+FFFD for the byte.
        @Test func logsToAFolderWhoseNameIsNoUTF8() async throws {
            let run = try await bash(
                #"""
                set -euo pipefail
                log=$(printf 'log\377') state=$(printf 'st\303ate') socket=$(printf 'so\200cket')
                "$1" --source "nmea:$2?speed=0" --state "$state" --log "$log" --socket "$socket" 2>/dev/null
                [[ -d $log && -d $state && $(ls -d log* | wc -l) == 1 ]] || { echo 'another folder'; exit 1; }
                "$0" log list --log "$log" | wc -l
                rm -f "$log"/*.gpx
                track=$("$0" log recover --log "$log")
                [[ -s $track ]] && echo recovered
                "$0" log verify --log "$log" --json
                """#, in: TestFolder())
            #expect(run.code == 0, "\(run.output) \(run.errors)")
            #expect(run.outputLines == ["1", "recovered"])
        }

        @Test func asksATrackerBehindASocketWhoseNameIsNoUTF8() async throws {
            let run = try await bash(
                #"""
                set -euo pipefail
                log=$(printf 'log\377') socket=$(printf 'so\200cket')
                "$1" --source sim:walk --state state --log "$log" --socket "$socket" 2>/dev/null &
                for i in {1..200}; do [[ -S $socket ]] && break; sleep 0.1; done
                "$0" watch --count 1 --timeout 60 --socket "$socket" >/dev/null
                export WAYPOST_SOCKET=$socket
                "$0" log list >/dev/null && echo listed
                kill %1
                wait %1
                """#, in: TestFolder())
            #expect(run.outputLines == ["listed"], "\(run.errors)")
        }

        @Test func readsAndWritesRecordingsWhoseNamesAreNoUTF8() async throws {
            let run = try await bash(
                #"""
                set -euo pipefail
                in=$(printf 'dr\351ve.nmea') out=$(printf 'dr\351ve.gpx')
                cp "$2" "$in"
                "$0" convert "$in" "$out"
                [[ -s $out ]] && echo converted
                printf '[log]\nsync_interval = "5 s"\n' >"$(printf 'w\377.toml')"
                "$0" run --source "nmea:$in?speed=0" --config "$(printf 'w\377.toml')" --state state --log log --socket socket 2>/dev/null
                "$0" run --source 'nmea:dr%E9ve.nmea?speed=0' --state state --log log --socket socket 2>/dev/null
                ls log/*.gpx | wc -l
                "$0" convert "$(printf 'missing\377.nmea')" - --to jsonl 2>&1 || echo $?
                """#, in: TestFolder())
            #expect(run.outputLines.prefix(2) == ["converted", "2"], "\(run.output) \(run.errors)")
            #expect(run.outputLines.dropFirst(2).first?.contains(#"missing\xff.nmea"#) == true)
        }
    }
}
