import ArgumentParser
import Waypost
import WaypostRecording
import WaypostSystem

/// `waypost log verify`: whether the log is as it was written.
struct LogVerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Check the log against its checksums.",
        discussion: """
            Checks every journal against its checksums, and every GPX file against its journal and SHA256SUMS, and the list of pullers. A missing file is a fault unless a \
            puller has acknowledged it. Exit code 65 when something is damaged; the output names file and place. Changes nothing.

            Example: waypost log verify
            """)

    @Flag(help: "Print one JSON object per fault.")
    var json = false

    @OptionGroup var location: LogLocation

    func run() throws {
        let folder = try location.folder()
        let verifier = LogVerifier(folder: folder)
        var inspection = LogInspection(of: folder)
        let journals = try attempt { () throws(RecordingError) in try folder.journals() }
        let output = try OutputStream(path: "-")
        var progress = Progress(name: logPath(folder.path), totalBytes: journals.reduce(0) { $0 + (Syscalls.byteCount(of: $1.path) ?? 0) })
        var faultCount = 0
        var failures: [RecordingError] = []
        for journal in journals {
            let faults: [LogFault]
            do throws(RecordingError) {
                faults = try inspection.look(at: journal)
            } catch {
                guard Syscalls.oddFile(journal.path) != nil else { throw CommandFailure(error) }
                failures.append(error)
                continue
            }
            faultCount += faults.count
            if !faults.isEmpty { progress.clear() }
            for fault in faults { try output.write(line: json ? line(fault) : "\(logPath(fault.path)): \(fault.words)") }
            progress.add(bytes: Int(Syscalls.byteCount(of: journal.path) ?? 0))
        }
        let trackFaults = try attempt { () throws(RecordingError) in
            try Patience.during("looking again at what may be missing for a moment only") { () throws(RecordingError) in
                try inspection.lookAgain()
            }
        }
        faultCount += trackFaults.count
        if !trackFaults.isEmpty { progress.clear() }
        for fault in trackFaults { try output.write(line: json ? line(fault) : "\(logPath(fault.path)): \(fault.words)") }
        // Fetched without its journals, the log is compared with the digests only.
        let isFetched = journals.isEmpty && !folder.hasJournals && hasTracks(folder)
        let digestFaults = try lastingFaults {
            try attempt { () throws(RecordingError) in
                try (isFetched ? [] : verifier.journalFaults() + verifier.pullerFaults()) + verifier.digestFaults()
            }
        }
        faultCount += digestFaults.count
        for fault in digestFaults { try output.write(line: json ? line(fault) : "\(logPath(fault.path)): \(fault.words)") }
        progress.add(bytes: 0)
        try CommandFailure.end(with: failures)
        guard faultCount == 0 else {
            throw CommandFailure(
                .badData, what: logPath(folder.path), why: "\(counted(faultCount, "fault")) in \(counted(journals.count, "track"))")
        }
        if json { return }
        try output.write(
            line: isFetched
                ? "\(logPath(folder.path)): no journals; the tracks are as in SHA256SUMS"
                : "\(logPath(folder.path)): \(counted(journals.count, "track")), all as written")
    }

    /// The faults that are still there after a moment: a track that is being finished has its file before its line in `SHA256SUMS`.
    private func lastingFaults(_ look: () throws -> [LogFault]) throws -> [LogFault] {
        var faults = try look()
        for _ in 0..<4 where !faults.isEmpty {
            MonotonicClock.wait(milliseconds: 500)
            let later = Set(try look())
            faults.removeAll { !later.contains($0) }
        }
        return faults
    }

    private func hasTracks(_ folder: LogFolder) -> Bool {
        // A folder that cannot be listed has been reported.
        ((try? Syscalls.names(inFolder: folder.path)) ?? []).contains { $0.hasSuffix(".gpx") }  // See above.
    }

    private func line(_ fault: LogFault) -> String {
        jsonObject { json in
            json.member("class", "FAULT")
            json.member("path", logPath(fault.path))
            json.member("fault", fault.words)
        }
    }
}
