import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

extension EndToEnd {
    /// Each line of the control socket as it stands: programs of others read them.
    ///
    /// `Tests/Data/golden/control-lines.txt` has the requests behind `>` and what the tracker said behind `<`, word by word; compared is everything
    /// but numbers, times and ids. `% epochs N` lets the receiver send, `% watch` collects the first line of each class that a watch gets,
    /// `% significant` that of a watch of significant changes. To write it anew from what is said now:
    /// `WAYPOST_WRITE_GOLDEN=1 swift test --filter ControlLinesTests`, and read the difference.
    @Suite struct ControlLinesTests {
        private static let path = Package.file("Tests/Data/golden/control-lines.txt")

        @Test func saysWhatOtherProgramsRead() async throws {
            let expected = try String(contentsOfFile: ControlLinesTests.path, encoding: .utf8)
            var text = ""
            for world in expected.components(separatedBy: "== ").dropFirst() {
                let lines = world.split(separator: "\n").map(String.init)
                text += "== \(lines[0])\n" + (try await said(in: lines[0], lines.dropFirst().filter { !$0.hasPrefix("< ") }))
            }
            if ProcessInfo.processInfo.environment["WAYPOST_WRITE_GOLDEN"] != nil {
                return try text.write(toFile: ControlLinesTests.path, atomically: true, encoding: .utf8)
            }
            let difference = comparable(text).difference(from: comparable(expected))
            #expect(difference.isEmpty, "\(difference.map { "\($0)" }.joined(separator: "\n"))")
        }

        private func comparable(_ text: String) -> [Substring] {
            text.replacing(#/guest\.[0-9]+\.[0-9a-f]+/#, with: "guest.TOKEN")
                .replacing(#/"[a-z]-[0-9a-f][0-9a-f-]{7,}(?:-[a-z]+)?"/#, with: "\"ID\"")
                .replacing(#/[0-9]{8}T[0-9]{6}Z-[0-9a-z-]+/#, with: "TRACK")
                .replacing(#/"version":"[^"]*"/#, with: "\"version\":\"V\"")
                .replacing(#/-?[0-9]+(\.[0-9]+)?/#, with: "N").split(separator: "\n")
        }

        private func said(in world: String, _ lines: [String]) async throws -> String {
            let folder = try TestFolder()
            let isWalk = world == "walk"
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let server = try await FlakyServer("poison \"poison\":true")
            try folder.write(ControlLinesTests.fences, to: "fences.geojson")
            let destinations = ["home", "work"].map { "[[destination]]\nname = \"\($0)\"\nurl = \"\(server.url)\"\ninterval = 0\n" }
            try folder.write("0123456789abcdef0123456789abcdef\n", to: "token")
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.path("token"))
            let page = "[map]\nsocket = \"page.sock\"\ntoken_file = \"token\"\n"
            // Not looked for, as nobody needs it.
            let roads = isWalk ? "[matching]\nroads = \"home.roads\"\n" : ""
            try folder.write("[geofences]\nfile = \"fences.geojson\"\n" + destinations.joined() + page + roads, to: "w.toml")
            let tracker = try await TrackerProcess(
                source: isWalk ? "sim:walk" : "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            let connection = try SocketLines(folder.path("socket"))
            var text = try await connection.next(in: folder)
            let watch = try SocketLines(folder.path("socket"))
            if lines.contains("% watch") { try watch.send(#"{"request":"watch","sky":true}"#) }
            // It has no answer; status shows it.
            try await Task.sleep(for: .milliseconds(300))
            let receiver = SimulatedReceiver()
            var epoch = 0
            for line in lines {
                text += line + "\n"
                let words = line.split(separator: " ", maxSplits: 1)
                switch words[0] {
                case ">":
                    try connection.send(String(words[1]))
                    text += try await connection.next(in: folder)
                case "%" where words[1] == "significant":
                    let significant = try SocketLines(folder.path("socket"))
                    _ = try await significant.next(in: folder)
                    try significant.send(#"{"request":"watch","significant":true}"#)
                    text += try await significant.next(in: folder)
                case "%" where words[1] == "watch":
                    try fifo.write(receiver.epochWithoutFix(epoch))
                    try await Task.sleep(for: .milliseconds(500))
                    fifo.close()
                    text += try await watch.firstOfEachClass(in: folder)
                case "%":
                    for _ in 0..<(try #require(Int(words[1].split(separator: " ")[1]))) {
                        try fifo.write(receiver.epoch(epoch).text)
                        epoch += 1
                    }
                    try await Task.sleep(for: .milliseconds(1_000))
                default: Issue.record("\(line)")
                }
            }
            if tracker.process.ended == nil { _ = try await tracker.stop() }
            if !lines.contains("% watch") { fifo.close() }
            return text
        }

        /// One fence of each shape; the receiver begins inside of the first.
        private static let fences =
            #"{"type":"FeatureCollection","features":["#
            + #"{"type":"Feature","geometry":{"type":"Point","coordinates":[8.54,47.378]},"properties":{"name":"Yard","radius":2000,"#
            + #""dwell_seconds":60,"expires":"2099-01-01T00:00:00Z"}},"#
            + #"{"type":"Feature","geometry":{"type":"Polygon","coordinates":[[[9,48],[9.1,48],[9.1,48.1],[9,48]]]},"#
            + #""properties":{"name":"Field","id":"field-1"}},"#
            + #"{"type":"Feature","geometry":{"type":"LineString","coordinates":[[10,48],[10.1,48]]},"properties":{"name":"Road","width":40}}]}"#
    }
}

/// Lines over a Unix socket, as a program of somebody else sends and reads them.
private final class SocketLines {
    private let descriptor: Int32
    private var received: [UInt8] = []

    init(_ path: String) throws { descriptor = try UnixSocket.connect(path) }

    deinit { Syscalls.close(descriptor) }

    func send(_ line: String) throws { try UnixSocket.sendAll(descriptor, Array((line + "\n").utf8)) }

    /// The next line as the file has it.
    func next(in folder: TestFolder) async throws -> String {
        let line = try #require(try await line(within: .seconds(20)), "no answer")
        return "< \(line.replacing(folder.path, with: "FOLDER"))\n"
    }

    /// Of all lines until the connection ends, the first of each class, in the order of their names; of TPV also the first without a fix, of LOST one of each reason.
    func firstOfEachClass(in folder: TestFolder) async throws -> String {
        var first: [Substring: String] = [:]
        while let line = try await line(within: .seconds(20)) {
            // {"class":"TPV",...
            let words = line.split(separator: "\"")
            try #require(words.count > 7, "\(line)")
            let key: Substring = words[3] + (words[3] == "LOST" ? words[7] : line.contains("\"mode\":1,") ? "-" : "")
            if first[key] == nil { first[key] = line }
        }
        return first.keys.sorted().map { "< \(first[$0]?.replacing(folder.path, with: "FOLDER") ?? "")\n" }.joined()
    }

    private func line(within patience: Duration) async throws -> String? {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            if let lineFeed = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeFirst(lineFeed + 1) }
                return String(decoding: received[..<lineFeed], as: UTF8.self)
            }
            guard try UnixSocket.waitReadable(descriptor, timeoutMilliseconds: 0) else {
                try await Task.sleep(for: .milliseconds(20))
                continue
            }
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = try chunk.withUnsafeMutableBytes { try Syscalls.read(descriptor, into: $0) }
            if count == 0 { return nil }
            received += chunk[..<count]
        }
        return nil
    }
}
