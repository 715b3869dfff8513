import Waypost
import WaypostSystem

/// A recording or a simulated drive whose positions leave this machine like those of a receiver, which must not surprise anybody.
package enum TestDrive {
    /// The sentence, the same in the log, `status` and `dispatch`; nil where the source is a receiver, or nothing is sent.
    ///
    /// - Parameters:
    ///   - source: the source's URL.
    ///   - destinations: the names of the destinations.
    package static func words(source: String, destinations: [String]) -> String? {
        guard !destinations.isEmpty, isPlayed(source) else { return nil }
        return "test drive: the positions of \(source) are sent to \(destinations.joined(separator: ", "))"
    }

    /// Whether a source plays something; what comes through a pipe may come from a receiver.
    private static func isPlayed(_ source: String) -> Bool {
        guard let kind = try? SourceURL(source).kind, type(of: kind).isPlayed else { return false }  // Another name is of no such kind.
        // Standard input.
        if kind.afterScheme == "-" { return false }
        return kind.file.map { Syscalls.kind($0) != .other } ?? true
    }
}
