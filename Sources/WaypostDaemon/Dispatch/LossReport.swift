import Waypost
import WaypostKit
import WaypostRecording

/// What damaged journals took before it was sent; reported like other drops, for each damaged place.
struct LossReport {
    private struct Place: Hashable {
        var path: String
        var offset: Int64
        var kind: LostRecords
        /// The last number, where the log has only a note of it and nothing else tells the places apart.
        var through: UInt64
        /// Whether limits deleted them, track by track.
        var wasDeleted: Bool

        init(_ loss: LogLoss, _ kind: LostRecords) {
            (path, offset, self.kind) = (loss.path, loss.offset, kind)
            through = loss.note == nil ? 0 : loss.through
            wasDeleted = loss.note == .deleted
        }

        /// The place under which it is reported: what limits deleted becomes one sentence.
        var reported: Place {
            var place = self
            if wasDeleted { place.through = 0 }
            return place
        }

        func isBefore(_ other: Place) -> Bool { (path, offset, through) < (other.path, other.offset, other.through) }

        /// What was lost there of the other kind.
        func of(_ kind: LostRecords) -> Place {
            var place = self
            place.kind = kind
            return place
        }
    }

    private var reports: [Place: DropReport] = [:]
    /// How many were lost at each place, for the destination that misses most.
    private var counts: [Place: Int] = [:]

    /// How many places are listed; the log of messages has all of them.
    private static let listedCount = 8

    /// The problems, in words for people.
    var problems: [String] {
        let all = reports.filter { !isToldOf($0.key) }.sorted { $0.key.isBefore($1.key) }
            .compactMap(\.value.problem)
        guard all.count > LossReport.listedCount else { return all }
        return all.prefix(LossReport.listedCount) + [
            "the log has lost records at \(counted(all.count - LossReport.listedCount, "other place"))"
        ]
    }

    /// Whether the positions that are lost there say enough.
    private func isToldOf(_ place: Place) -> Bool {
        place.kind == .events && !place.wasDeleted && reports[place.of(.positions)] != nil
    }

    /// Notes a loss that a reader met, as each reader does; returns the line to log, if there is a new one.
    mutating func note(_ loss: LogLoss, _ kind: LostRecords) -> String? {
        let place = Place(loss, kind)
        let more = loss.count - counts[place, default: 0]
        guard more > 0, !isToldOf(place) else { return nil }
        counts[place] = loss.count
        return reports[place.reported, default: .lost(kind, by: loss)].add(more)
    }
}
