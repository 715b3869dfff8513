/// Learns which sentence a receiver sends last in each cycle, so that an epoch can end without waiting for the next one.
///
/// GSV does not count: its number changes with the sky, and a position does not need it.
struct CycleEnd {
    /// How many cycles in a row the same sentence must have ended.
    static let cyclesToLearn = 3

    /// A sentence type and its occurrence within the epoch (a cycle may have several GSA).
    private struct Place: Equatable {
        var type: NMEASentenceType
        var occurrence: UInt8
    }

    private var occurrences = InlineArray<10, UInt8>(repeating: 0)
    private var last: Place?
    private var candidate: Place?
    private var streak = 0

    /// Notes a sentence; true when it is the one that ends the cycle.
    mutating func isEnd(_ type: NMEASentenceType, talker: UInt16) -> Bool {
        guard type != .gsv else { return false }
        occurrences[Int(type.rawValue)] &+= 1
        let place = Place(type: type, occurrence: occurrences[Int(type.rawValue)])
        last = place
        return streak >= CycleEnd.cyclesToLearn && place == candidate
    }

    /// Notes that the epoch has ended, for whatever reason.
    mutating func endEpoch() {
        streak = last == candidate ? streak + 1 : 1
        candidate = last
        last = nil
        occurrences = InlineArray(repeating: 0)
    }

    /// Forgets what was learned, because a sentence came after the learned end.
    mutating func forget() {
        candidate = nil
        streak = 0
    }
}
