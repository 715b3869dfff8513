/// Which salts are of the same log of a database.
///
/// Frames whose checksums follow each other are of one log, whatever became of their salts: those that occur in one run, and in another one that
/// has any of them, are names of the same log.
struct SQLiteLogSalts {
    /// A log: its salts, and how many frames its runs have.
    struct Log {
        /// The salt of its first frame.
        let firstSalt: ArraySlice<UInt8>
        var salts: [ArraySlice<UInt8>] = []
        var frameCount = 0
    }

    /// Each salt's place in `parents`.
    private var places: [ArraySlice<UInt8>: Int] = [:]
    /// The place of another salt of the same log, for all but one of its salts: a disjoint-set forest.
    private var parents: [Int] = []
    private let runs: [[ArraySlice<UInt8>]]

    /// - Parameter runs: the salts of the frames of each run, in the order of the file.
    init(_ runs: [[ArraySlice<UInt8>]]) {
        self.runs = runs
        for run in runs {
            for salt in run where places[salt] == nil {
                places[salt] = parents.count
                parents.append(parents.count)
            }
            guard let first = run.first.flatMap({ log(of: $0) }) else { continue }
            for salt in run {
                if let other = log(of: salt), other != first { parents[other] = first }
            }
        }
    }

    /// A number that salts of one log have in common; nil for a salt of no run.
    mutating func log(of salt: ArraySlice<UInt8>) -> Int? {
        guard var place = places[salt] else { return nil }
        while parents[place] != place {
            parents[place] = parents[parents[place]]
            place = parents[place]
        }
        return place
    }

    /// The logs, in the order in which they begin in the file.
    var all: [Log] {
        mutating get {
            var logs: [Log] = []
            var indices: [Int: Int] = [:]
            for run in runs {
                guard let first = run.first, let number = log(of: first) else { continue }
                let index = indices[number] ?? logs.count
                if index == logs.count {
                    indices[number] = index
                    logs.append(Log(firstSalt: first))
                }
                logs[index].frameCount += run.count
                logs[index].salts += Set(run)
            }
            return logs
        }
    }
}
