import HeapModule

/// What is to happen later, ordered so that as few wake-ups as possible serve it.
///
/// Each element may happen from one moment on and must happen at another. The alarm is the earliest of the moments at which one must;
/// with it comes whatever may already happen, in the same order, up to the first that may not.
///
/// - Units: moments are nanoseconds of one clock, whichever its owner reads.
/// - Cost: O(log n) to insert and to take out, O(1) to look.
struct DelayQueue<Element> {
    /// Ordered by when it must happen.
    private struct Entry: Comparable {
        var element: Element
        var notBefore: Int64
        var noLaterThan: Int64

        static func < (left: Entry, right: Entry) -> Bool { left.noLaterThan < right.noLaterThan }
        static func == (left: Entry, right: Entry) -> Bool { left.noLaterThan == right.noLaterThan }
    }

    private var entries = Heap<Entry>()
    /// Whether there was a crowd since it was empty.
    private var wasCrowded = false

    /// How many wait.
    var count: Int { entries.count }

    /// The moment at which the first element must happen; nil when nothing waits.
    var alarm: Int64? { entries.min?.noLaterThan }

    /// Whether the first element may happen by now.
    func isDue(at now: Int64) -> Bool { entries.min.map { $0.notBefore <= now } ?? false }

    /// Lets an element wait for its moment; a tolerance below 0 is none.
    mutating func insert(_ element: Element, notBefore: Int64, tolerance: Int64 = 0) {
        let (latest, isTooFar) = notBefore.addingReportingOverflow(max(0, tolerance))
        entries.insert(Entry(element: element, notBefore: notBefore, noLaterThan: isTooFar ? .max : latest))
        if entries.count > 1_024 { wasCrowded = true }
    }

    /// Takes out the first element if it may happen by now.
    mutating func removeFirst(dueAt now: Int64) -> Element? {
        guard isDue(at: now), let first = entries.popMin() else { return nil }
        // A crowd of sleepers that is gone leaves no room taken.
        if wasCrowded, entries.isEmpty { (entries, wasCrowded) = (Heap(), false) }
        return first.element
    }
}
