import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostRecording
import WaypostSystem

// The values that a shell offers: names from the running tracker. None when no tracker runs, or when it takes too long.
extension CompletionKind {
    /// Names that are there when somebody asks.
    ///
    /// Without those that a shell cannot complete: scripts and shells take one on each line, and one that begins with a dash is an option unless
    /// `--` stands before it.
    private static func names(_ find: @escaping @Sendable () -> [String]) -> CompletionKind {
        .custom { words, index, _ in
            let isPastOptions = words.prefix(max(0, index)).contains("--")
            return find().filter { name in
                !name.isEmpty && !name.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F }
                    && (isPastOptions || !name.hasPrefix("-"))
            }
        }
    }

    /// The ids of the running tracker's fences.
    static var fence: CompletionKind {
        names { RunningTracker.ask(ListFencesRequest())?.fences?.map(\.id) ?? [] }
    }

    /// The names of the running tracker's destinations.
    static var destination: CompletionKind {
        names { RunningTracker.ask(DispatchStatusRequest())?.destinations.map(\.name) ?? [] }
    }

    /// The names of the pullers of the running tracker's log.
    static var puller: CompletionKind {
        names {
            guard let folder = RunningTracker.ask(StatusRequest())?.log?.directory else { return [] }
            // A log that cannot be read has no names to offer.
            return (try? Pullers(folder: LogFolder(path: folder)).all())?.map(\.name) ?? []  // See above.
        }
    }

    /// The names of this user's registrations.
    static var registration: CompletionKind {
        names { RunningTracker.ask(ListRegistrationsRequest())?.registrations.map(\.name) ?? [] }
    }

    /// The users and groups of this system.
    static var account: CompletionKind {
        names {
            let names = { (file: String) in
                (SystemTree(root: "").lines(of: file) ?? []).map { String($0.text.prefix { $0 != ":" }) }
            }
            return names("/etc/passwd") + names("/etc/group").map { "@" + $0 }
        }
    }

    /// The users and groups to whom something is granted.
    static var grantee: CompletionKind {
        names {
            (RunningTracker.ask(ListGrantsRequest())?.grants ?? []).filter { $0.origin == .grant }.map(\.who)
        }
    }

    /// The purposes that the policy file explains.
    static var purpose: CompletionKind {
        names { RunningTracker.ask(ListGrantsRequest())?.purposes.keys.sorted() ?? [] }
    }

    /// Schemes of sources.
    static var source: CompletionKind {
        .list(SourceRegistry.beginnings)
    }

    /// Receivers in the forms of setup.
    static var receiver: CompletionKind { .list(["auto", "gpsd", "none", "/dev/ttyUSB0", "/dev/ttyACM0", "/dev/serial0", "nmea-tcp://"]) }

    /// Servers in the forms of setup.
    static var server: CompletionKind {
        .list(["https://", "http://", "mqtt://", "mqtts://", "traccar:http://", "owntracks:https://", "owntracks:mqtts://", "none"])
    }

    /// Keys of the configuration.
    static var configurationKey: CompletionKind { .list(Configuration.keyNames + Configuration.sectionNames) }
}

/// The tracker that runs with the default socket.
private enum RunningTracker {
    /// A user waits for it between two keys.
    private static let timeout: Duration = .seconds(1)

    static func ask<Verb: ControlVerb>(_ verb: Verb) -> Verb.Answer? {
        do {
            var client = try DaemonConnection.connectIfRunning(socket: nil)
            return try client.ask(verb, timeout: timeout)
        } catch {
            return nil
        }
    }
}
