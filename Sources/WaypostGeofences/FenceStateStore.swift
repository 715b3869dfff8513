import Waypost
import WaypostSystem

/// What is known of the sides of fences, on disk: two files that are each written whole or not at all.
///
/// `fences-known` has a number for every fence whose side is known; it changes with the set of fences. `fence-state` has the stays, the way so
/// far, and the reports of the last events; it is written at each event, before anybody hears of it, and is small however many fences
/// there are.
struct FenceStateStore {
    /// What a run before has left.
    struct Content {
        var state = GeofenceMonitorState()
        /// The reports of the last events: whether everybody has heard of the newest is not known.
        var reports: [FenceReport] = []
        /// What could not be read, for people.
        var problems: [String] = []
    }

    /// The longest file that is read.
    private static let mostBytes = 256 << 20

    private let knownPath: String
    private let progressPath: String

    init(folder: String) {
        knownPath = folder + "/fences-known"
        progressPath = folder + "/fence-state"
    }

    /// Reads what is there; nothing, or something damaged, is an empty state.
    func load() -> Content {
        var content = Content()
        do throws(GeofenceStateError) {
            if let bytes = contents(of: knownPath, &content.problems) {
                content.state.known = try GeofenceMonitorState.decode(known: bytes)
            }
            guard let bytes = contents(of: progressPath, &content.problems) else { return content }
            let (reports, start) = FenceStateStore.reports(in: bytes)
            content.state.progress = try GeofenceProgress(decoding: Array(bytes[start...]))
            content.reports = reports
        } catch {
            content = Content(problems: ["\(progressPath) or fences-known beside it: damaged; every fence begins anew"])
        }
        return content
    }

    /// Keeps which fences' sides are known; ``save(_:reports:)`` must have been called since they are.
    func save(known: [UInt64]) throws(SystemError) {
        try AtomicFile.write(GeofenceMonitorState.encode(known: known), to: knownPath, mode: 0o600)
    }

    /// Keeps the stays and the way so far, and what is about to be told.
    func save(_ progress: GeofenceProgress, reports: [FenceReport]) throws(SystemError) {
        var bytes: [UInt8] = []
        for report in reports {
            bytes += report.line
            bytes.append(UInt8(ascii: "\n"))
        }
        bytes.append(UInt8(ascii: "\n"))
        try AtomicFile.write(bytes + progress.encoded(), to: progressPath, mode: 0o600)
    }

    private func contents(of path: String, _ problems: inout [String]) -> [UInt8]? {
        do throws(SystemError) {
            return try Syscalls.contents(of: path, limit: FenceStateStore.mostBytes)
        } catch {
            problems.append("\(path): cannot be read: \(error.reason); every fence begins anew")
            return nil
        }
    }

    /// The lines before the empty one, and where the state begins.
    private static func reports(in bytes: [UInt8]) -> ([FenceReport], Int) {
        var reports: [FenceReport] = []
        var start = 0
        while let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) {
            if end == start { return (reports, end + 1) }
            if let report = FenceReport(line: Array(bytes[start..<end])) { reports.append(report) }
            start = end + 1
        }
        return (reports, start)
    }
}
