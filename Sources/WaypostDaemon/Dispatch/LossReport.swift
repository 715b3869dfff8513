import Waypost
import WaypostKit
import WaypostRecording

/// What damaged journals took before it was sent; reported like other drops, for each damaged place.
struct LossReport {
    private struct Place: Hashable {
        var path: String
        var offset: Int64
        var kind: LostRecords
    }

    private var reports: [Place: DropReport] = [:]
    /// How many were lost at each place, for the destination that misses most.
    private var counts: [Place: Int] = [:]

    /// How many places are listed; the log of messages has all of them.
    private static let listedCount = 8

    /// The problems, in words for people.
    var problems: [String] {
        let all = reports.filter { !isToldOf($0.key) }.sorted { ($0.key.path, $0.key.offset) < ($1.key.path, $1.key.offset) }
            .compactMap(\.value.problem)
        guard all.count > LossReport.listedCount else { return all }
        return all.prefix(LossReport.listedCount) + ["the log is damaged at \(counted(all.count - LossReport.listedCount, "other place"))"]
    }

    /// Whether the positions that are lost there say enough.
    private func isToldOf(_ place: Place) -> Bool {
        place.kind == .events && counts[Place(path: place.path, offset: place.offset, kind: .positions)] != nil
    }

    /// Notes a loss that a reader met, as each reader does; returns the line to log, if there is a new one.
    mutating func note(_ loss: LogLoss, _ kind: LostRecords) -> String? {
        let place = Place(path: loss.path, offset: loss.offset, kind: kind)
        let more = loss.count - counts[place, default: 0]
        guard more > 0, !isToldOf(place) else { return nil }
        counts[place] = loss.count
        return reports[place, default: .lost(kind, by: loss)].add(more)
    }
}
