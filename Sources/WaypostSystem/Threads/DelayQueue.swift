import HeapModule

/// Elements that are due later, ordered so that as few wake-ups as possible serve them.
///
/// Each element may happen from one moment on and must happen by another. The alarm is the earliest moment at which one must;
/// the alarm also releases all others that may already happen, in order, up to the first that may not.
///
/// - Units: moments are nanoseconds of one clock, which the owner chooses.
/// - Cost: O(log n) to insert and to remove, O(1) to peek.
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
    /// Whether many elements have waited since it was last empty.
    private var wasCrowded = false

    /// How many elements wait.
    var count: Int { entries.count }

    /// The moment at which the first element must happen; nil when nothing waits.
    var alarm: Int64? { entries.min?.noLaterThan }

    /// Whether the first element may happen now.
    func isDue(at now: Int64) -> Bool { entries.min.map { $0.notBefore <= now } ?? false }

    /// Adds an element that waits for its moment; a tolerance below 0 counts as none.
    mutating func insert(_ element: Element, notBefore: Int64, tolerance: Int64 = 0) {
        let (latest, isTooFar) = notBefore.addingReportingOverflow(max(0, tolerance))
        entries.insert(Entry(element: element, notBefore: notBefore, noLaterThan: isTooFar ? .max : latest))
        if entries.count > 1_024 { wasCrowded = true }
    }

    /// Removes and returns the first element if it may happen now.
    mutating func removeFirst(dueAt now: Int64) -> Element? {
        guard isDue(at: now), let first = entries.popMin() else { return nil }
        // After a crowd of sleepers the storage is released.
        if wasCrowded, entries.isEmpty { (entries, wasCrowded) = (Heap(), false) }
        return first.element
    }
}
