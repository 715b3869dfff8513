import Foundation
import Glibc
import Testing
import Waypost
import WaypostSystem

@testable import WaypostRecording

/// Positions and folders for the tests of this room.
enum Sample {
    /// 2026-05-02T03:25:02Z.
    static let start = UTCTime(millisecondsSince1970: 1_777_692_302_000)

    /// A fix with all that a receiver behind gpsd gives, that many seconds after the start.
    static func position(second: Int, source: String? = "gpsd://localhost:2947") -> Position {
        var position = bare(latitude: 47.100316123 + Double(second) * 0.00001, longitude: 9.524887456)
        position.time = start.advanced(byMilliseconds: Int64(second) * 1_000)
        position.mode = .threeDimensional
        position.status = .gps
        position.altitudeMSLMetres = 512.3
        position.altitudeHAEMetres = 559.6
        position.geoidSeparationMetres = 47.3
        position.speedMetresPerSecond = 13.876
        position.courseDegrees = 96.1234
        position.climbMetresPerSecond = -0.02
        position.accuracy = HorizontalAccuracy(radiusMetres: 3.125, origin: .gpsd)
        position.quality.eph = 5.04
        position.quality.epv = 7.82
        position.quality.eps = 0.81
        position.quality.hdop = 0.8
        position.quality.vdop = 1.25
        position.quality.pdop = 1.48
        position.quality.satellitesUsed = 12
        position.source = source
        return position
    }

    /// A place and nothing else.
    static func bare(latitude: Double = 47, longitude: Double = 9) -> Position {
        guard let coordinate = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude) else { preconditionFailure("a place") }
        return Position(time: nil, coordinate: coordinate)
    }

    /// A journal with the number of another version in its header, and the checksum that belongs to it.
    static func asVersion(_ version: UInt16, _ journal: [UInt8]) -> [UInt8] {
        let headerByteCount = Int(journal[10]) | Int(journal[11]) << 8
        var header = Array(journal[..<(headerByteCount - 4)])
        header[8] = UInt8(truncatingIfNeeded: version)
        header[9] = UInt8(truncatingIfNeeded: version >> 8)
        header.append(littleEndian: CRC32C.checksum(header.span.bytes))
        return header + journal[headerByteCount...]
    }

    /// Calls the body with the empty root of a file system of 256 KiB; skips it, and says so, where that cannot be mounted.
    static func withSmallDisk(in test: String = #function, _ body: (String) async throws -> Void) async throws {
        guard getuid() == 0 else { return print("\(test) skipped: only root can mount a small file system") }
        try await withFolder { folder in
            guard mount("tmpfs", folder, "tmpfs", 0, "size=256k") == 0 else {
                return print("\(test) skipped: cannot mount a small file system here")
            }
            defer { umount2(folder, Int32(MNT_DETACH)) }
            try await body(folder)
        }
    }

    /// Calls the body with an empty folder and removes it afterwards; in memory where the system has that, unless a disk is wanted.
    static func withFolder<Result>(onDisk: Bool = false, _ body: (String) async throws -> Result) async throws -> Result {
        let memory = "/dev/shm/"
        let parent = !onDisk && FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
        let path = parent + "waypost-recording-\(UUID().uuidString)"
        try Syscalls.createFolders(path)
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try await body(path)
    }
}

/// Numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    // SplitMix64 (G. Steele et al., 2014).
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}

/// The official GPX schema, when other people's data is at hand.
enum Schema {
    /// The path of the schema, or nil with a word on what to do.
    static let path: String? = {
        let environment = ProcessInfo.processInfo.environment["WAYPOST_SHARED"]
        let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let shared = environment ?? repository.deletingLastPathComponent().appendingPathComponent("shared").path
        let path = shared + "/data/xsd/master.xsd"
        if FileManager.default.fileExists(atPath: path), FileManager.default.isExecutableFile(atPath: "/usr/bin/xmllint") { return path }
        print("schema tests skipped: set WAYPOST_SHARED to a folder with data/xsd/master.xsd, and install libxml2-utils")
        return nil
    }()

    /// What xmllint says of invalid files; nothing when all are valid.
    static func complaints(about files: [String]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/xmllint")
        process.arguments = ["--noout", "--nonet", "--schema", path ?? ""] + files
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return process.terminationStatus == 0 ? "" : text
    }
}
