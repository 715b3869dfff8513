/// What is to happen later, ordered so that as few wake-ups as possible serve it.
///
/// Each element may happen from one moment on and must happen at another. The alarm is the earliest of the moments at which one must;
/// with it comes whatever may already happen, in the same order, up to the first that may not.
///
/// - Units: moments are nanoseconds of one clock, whichever its owner reads.
/// - Cost: a binary heap: O(log n) to insert and to take out, O(1) to look.
struct DelayQueue<Element> {
    private struct Entry {
        var element: Element
        var notBefore: Int64
        var noLaterThan: Int64
    }

    // A heap by `noLaterThan`: no entry is later than its children, which are at 2 n + 1 and 2 n + 2.
    private var entries: [Entry] = []

    /// How many wait.
    var count: Int { entries.count }

    /// The moment at which the first element must happen; nil when nothing waits.
    var alarm: Int64? { entries.first?.noLaterThan }

    /// Whether the first element may happen by now.
    func isDue(at now: Int64) -> Bool { entries.first.map { $0.notBefore <= now } ?? false }

    /// Lets an element wait for its moment; a tolerance below 0 is none.
    mutating func insert(_ element: Element, notBefore: Int64, tolerance: Int64 = 0) {
        let (latest, isTooFar) = notBefore.addingReportingOverflow(max(0, tolerance))
        entries.append(Entry(element: element, notBefore: notBefore, noLaterThan: isTooFar ? .max : latest))
        var place = entries.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place].noLaterThan < entries[parent].noLaterThan else { return }
            entries.swapAt(place, parent)
            place = parent
        }
    }

    /// Takes out the first element if it may happen by now.
    mutating func removeFirst(dueAt now: Int64) -> Element? {
        guard let first = entries.first, first.notBefore <= now else { return nil }
        let last = entries.removeLast()
        if entries.isEmpty {
            // A crowd of sleepers that is gone leaves no room taken.
            if entries.capacity > 1_024 { entries = [] }
        } else {
            entries[0] = last
            sink()
        }
        return first.element
    }

    /// Brings the first entry down to its place.
    private mutating func sink() {
        var place = 0
        while true {
            var earliest = place
            for child in [2 * place + 1, 2 * place + 2] where child < entries.count {
                if entries[child].noLaterThan < entries[earliest].noLaterThan { earliest = child }
            }
            if earliest == place { return }
            entries.swapAt(place, earliest)
            place = earliest
        }
    }
}
