import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// How much of the log is read for a short time of it.
    struct LedgerPagesTests {
        /// The answer to a line of a request.
        private func answer(to request: String, in folder: TestFolder) throws -> JSONValue {
            let descriptor = try UnixSocket.connect(folder.path("socket"))
            defer { Syscalls.close(descriptor) }
            try UnixSocket.sendAll(descriptor, Array(request.utf8) + [0x0A])
            var (line, chunk) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
            // The greeting, then the answer.
            while line.count(where: { $0 == 0x0A }) < 2, try UnixSocket.waitReadable(descriptor, timeoutMilliseconds: 15_000) {
                let count = try chunk.withUnsafeMutableBytes { try Syscalls.read(descriptor, into: $0) }
                guard count > 0 else { break }
                line += chunk[..<count]
            }
            return try JSONParser().parse(Array(line.split(separator: 0x0A)[1]))
        }

        @Test func readsNothingBehindTheRequestedTime() async throws {
            let folder = try TestFolder()
            let receiver = SimulatedReceiver()
            try folder.write((0..<700).map { receiver.epoch($0).text }.joined(), to: "drive.nmea")
            let tracker = try await TrackerProcess(source: "nmea:drive.nmea?speed=0", in: folder, options: ["--stay"])
            func count() async throws -> Int {
                let lines = try await waypost("log", "list", "--json", "--socket", "socket", in: folder).outputLines
                return try lines.reduce(0) { try $0 + (JSONParser().parse(Array($1.utf8))["positions"]?.int ?? 0) }
            }
            #expect(try await eventually { try await count() == 700 })
            // The log's first page, which has 500 records at most, is also the last.
            let period = #""since":"2026-03-01T12:00:00Z","until":"2026-03-01T12:00:05Z""#
            let page = try answer(to: #"{"request":"ledger",\#(period),"page":"log:0"}"#, in: folder)
            #expect(page["records"]?.array?.count == 5 && page["next"] == nil, "\(page)")
            let whole = try answer(to: #"{"request":"ledger","since":"2026-03-01T12:00:00Z","page":"log:0"}"#, in: folder)
            #expect(whole["records"]?.array?.count == 500 && whole["next"] != nil)
            let run = try await waypost(
                "ledger", "--since", "2026-03-01T12:00:00Z", "--until", "2026-03-01T12:00:05Z", "--socket", "socket", in: folder)
            #expect(run.outputLines.count == 5, "\(run)")
            _ = try await tracker.stop()
        }

        /// Fence events of a log that is off are in the outbox alone.
        @Test(arguments: ["[]", "[\"raw\"]"]) func hasEachFenceEventOnce(types: String) async throws {
            let folder = try TestFolder()
            try folder.write(
                #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":"#
                    + #"[10.262429,51.714533]},"properties":{"name":"Client","radius":200}}]}"#, to: "fences.geojson")
            try folder.write(
                """
                [log]
                types = \(types)
                [geofences]
                file = "fences.geojson"
                [[destination]]
                name = "home"
                url = "http://127.0.0.1:9/"
                positions = false
                """, to: "w.toml")
            let tracker = try await TrackerProcess(
                source: "nmea:\(Package.drive)?speed=0", in: folder, options: ["--stay", "--config", "w.toml"])
            func events() async throws -> [String] {
                let run = try await waypost("ledger", "--since", "2000-01-01", "--json", "--socket", "socket", in: folder)
                return try run.outputLines.map { try JSONParser().parse(Array($0.utf8)) }
                    .compactMap { $0["id"]?.string }.filter { $0.hasPrefix("f-") }
            }
            #expect(try await eventually { try await events().count >= 2 })
            let found = try await events()
            #expect(found.count == 2 && Set(found).count == 2 && found.last?.hasSuffix("-exit") == true, "\(found)")
            _ = try await tracker.stop()
        }
    }
}
