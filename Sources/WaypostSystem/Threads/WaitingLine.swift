/// First come, first served.
///
/// - Cost: O(1) at both ends, on average; the room is kept for the next crowd unless it was a large one.
struct WaitingLine<Element> {
    private var elements: [Element] = []
    // Those before it were served.
    private var first = 0

    /// How many wait.
    var count: Int { elements.count - first }

    /// Whether nobody waits.
    var isEmpty: Bool { first == elements.count }

    /// Queues at the end.
    mutating func append(_ element: Element) {
        // A line that never empties must not keep all that it ever served.
        if first >= 1_024, first * 2 >= elements.count {
            elements.removeFirst(first)
            first = 0
        }
        elements.append(element)
    }

    /// The next one; nil when nobody waits.
    mutating func removeFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first]
        first += 1
        if first == elements.count {
            elements.removeAll(keepingCapacity: elements.capacity <= 1_024)
            first = 0
        }
        return element
    }
}
