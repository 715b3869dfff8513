import Glibc
import Waypost

/// Runs one benchmark by its name: `waypost-bench nmea-parse FILE`.
@main
enum WaypostBench {
    static func main() async throws {
        let arguments = CommandLine.arguments
        switch (arguments.count, arguments.dropFirst().first) {
        case (3, "nmea-parse"):
            if !NMEAParse.run(input(arguments[2])) { exit(1) }
        case (3, "nmea-to-gpx"): NMEAToGPX.run(input(arguments[2]))
        case (3, "gpx-parse"): if !GPXPasses.run(input(arguments[2]), .nothing) { exit(1) }
        case (3, "gpx-to-jsonl"): if !GPXPasses.run(input(arguments[2]), .jsonLines) { exit(1) }
        case (3, "gpx-to-gpx"): if !GPXPasses.run(input(arguments[2]), .gpx) { exit(1) }
        case (4, "fences"), (5, "fences"):
            guard let rule = BorderRule(rawValue: arguments.count == 5 ? arguments[4] : "exact"),
                FenceReplay.run(fences: arguments[2], positions: arguments[3], rule: rule)
            else { fail("waypost-bench: cannot use \(arguments.dropFirst(2))", status: 65) }
        case (4, "fence-soak"):
            guard let fences = Int(arguments[2]), let positions = Int(arguments[3]), fences > 0, positions > 0 else {
                fail("waypost-bench: cannot use \(arguments.dropFirst(2))", status: 64)
            }
            if !FenceSoak.run(fences: fences, positions: positions) { exit(1) }
        case (3, "log-day"): try await LogDay.run(folder: arguments[2])
        case (3, "outbox"): try await OutboxAccept.run(folder: arguments[2])
        case (5, "mqtt"), (6, "mqtt"):
            let seconds = arguments.count == 6 ? Int(arguments[5]) : 60
            guard let count = Int(arguments[3]), let seconds, let receipt = MQTTSend.Receipt(rawValue: arguments[4]), count > 0 else {
                fail("waypost-bench: cannot use \(arguments.dropFirst(2))", status: 64)
            }
            try await MQTTSend.run(url: arguments[2], count: count, receipt: receipt, republish: .seconds(seconds))
        case (3, "mqtt-lines"):
            guard let count = Int(arguments[2]) else { fail("waypost-bench: cannot use \(arguments[2])", status: 64) }
            MQTTSend.printLines(count)
        default:
            fail(
                "usage: waypost-bench nmea-parse|nmea-to-gpx|gpx-parse|gpx-to-jsonl|gpx-to-gpx FILE, log-day FOLDER, "
                    + "fences FENCES POSITIONS [exact|robust], fence-soak FENCES POSITIONS, "
                    + "outbox FOLDER, mqtt URL COUNT broker|application [SECONDS], or mqtt-lines COUNT", status: 64)
        }
    }

    private static func input(_ path: String) -> [UInt8] {
        guard let bytes = read(path) else { fail("waypost-bench: cannot read \(path)", status: 66) }
        return bytes
    }

    private static func read(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        while true {
            let room = 1 << 20
            let isEnd = withUnsafeTemporaryAllocation(byteCount: room, alignment: 1) { buffer in
                let count = fread(buffer.baseAddress, 1, room, file)
                bytes.append(contentsOf: buffer[..<count])
                return count < room
            }
            if isEnd { return ferror(file) == 0 ? bytes : nil }
        }
    }

    static func fail(_ text: String, status: Int32) -> Never {
        // Not stderr: as a C variable it is not concurrency-safe.
        let line = Array((text + "\n").utf8)
        _ = write(STDERR_FILENO, line, line.count)
        exit(status)
    }
}
