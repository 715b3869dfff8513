import Waypost
import WaypostDispatch
import WaypostRecording
import WaypostSystem

/// The runs since the outbox could last be opened, in `journal/.unopened` of the log, or where that cannot be written in `unopened-runs` of the
/// state folder.
///
/// ```
/// {"runs":[{"after":131,"destinations":[{"name":"home","takes_positions":true}],"opted_out":false}]}
/// ```
/// Sealed (`SealedText`). A file that cannot be read is like one that is not there.
struct UnopenedRuns {
    /// The first one that can be written is.
    private let places: [String]
    /// All that may exist.
    private let paths: [String]

    private static let byteLimit = 1 << 20
    /// With more, the oldest are forgotten.
    private static let most = 100

    /// - Parameters:
    ///   - log: the log of this run.
    ///   - earlier: the folders of earlier logs.
    init(log: LogFolder, earlier: [String], stateFolder: String) {
        places = [log.unopenedPath, stateFolder + "/unopened-runs"]
        paths = places + earlier.map { LogFolder(path: $0).unopenedPath }
    }

    /// The runs, in their order.
    func read() -> [UnopenedRun] { Set(paths.flatMap(UnopenedRuns.runs(in:))).sorted { $0.after < $1.after } }

    /// Adds a run, unless it is like the one before it.
    func add(_ run: UnopenedRun) {
        let known = read()
        if let last = known.last, last.destinations == run.destinations, last.isOptedOut == run.isOptedOut { return }
        let bytes = UnopenedRuns.bytes((known.filter { $0.after != run.after } + [run]).suffix(UnopenedRuns.most))
        for place in places where UnopenedRuns.isInOwnFolder(place) {
            // Without any place, new destinations begin with the next run.
            if (try? AtomicFile.write(bytes, to: place, adoptsFolderOwner: place != places.last)) != nil { return }  // See above.
        }
    }

    /// Forgets the runs: the outbox has made up for them.
    func clear() {
        for path in paths where Syscalls.exists(path) && UnopenedRuns.isInOwnFolder(path) {
            _ = try? Syscalls.remove(path)  // Whoever has got further since is not set back by it.
        }
    }

    /// A link could lead root to other users' files.
    private static func isInOwnFolder(_ path: String) -> Bool {
        Syscalls.isOwnFolder(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]))
    }

    private static func bytes(_ runs: some Sequence<UnopenedRun>) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.array("runs") { json in
                for run in runs {
                    json.object { json in
                        json.member("after", Int(clamping: run.after))
                        json.array("destinations") { json in
                            for (name, takesPositions) in run.destinations.sorted(by: { $0.key < $1.key }) {
                                json.object { json in
                                    json.member("name", name)
                                    json.member("takes_positions", takesPositions)
                                }
                            }
                        }
                        json.member("opted_out", run.isOptedOut)
                    }
                }
            }
        }
        return SealedText.seal(json.text.bytes + [UInt8(ascii: "\n")])
    }

    private static func runs(in path: String) -> [UnopenedRun] {
        let bytes = try? Syscalls.contents(of: path, limit: byteLimit, as: .own)  // See above.
        guard let text = (bytes ?? nil).flatMap(SealedText.text(of:)) else { return [] }
        let found = (try? JSONParser().parse(Array(text)))?["runs"]?.array ?? []  // See above.
        return found.compactMap { value in
            guard let after = value["after"]?.int, after >= 0, let destinations = value["destinations"]?.array else { return nil }
            let names = destinations.compactMap { entry in
                entry["name"]?.string.map { ($0, entry["takes_positions"]?.bool ?? true) }
            }
            return UnopenedRun(
                after: UInt64(after), destinations: Dictionary(names) { first, _ in first },
                isOptedOut: value["opted_out"]?.bool ?? false)
        }
    }
}
