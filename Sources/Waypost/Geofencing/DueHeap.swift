/// Slots and the reading of the odometer at which each has to be looked at again; the earliest first.
struct DueHeap: Sendable {
    struct Entry: Sendable {
        var due: Double
        var slot: Int32
    }

    private var entries: [Entry] = []

    var first: Entry? { entries.first }
    var count: Int { entries.count }

    mutating func removeAll() {
        entries.removeAll(keepingCapacity: true)
    }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var index = entries.count - 1
        while index > 0 {
            let parent = (index - 1) / 2
            guard entries[parent].due > entry.due else { break }
            entries[index] = entries[parent]
            index = parent
        }
        entries[index] = entry
    }

    /// Gives the first entry a later reading.
    mutating func replaceFirst(due: Double) {
        sink(Entry(due: due, slot: entries[0].slot))
    }

    mutating func removeFirst() {
        let last = entries.removeLast()
        if !entries.isEmpty { sink(last) }
    }

    /// Puts an entry in the first one's place and lets it sink to its own.
    private mutating func sink(_ entry: Entry) {
        entries.withUnsafeMutableBufferPointer { entries in
            var index = 0
            while true {
                var child = 2 * index + 1
                guard child < entries.count else { break }
                if child + 1 < entries.count, entries[child + 1].due < entries[child].due { child += 1 }
                guard entries[child].due < entry.due else { break }
                entries[index] = entries[child]
                index = child
            }
            entries[index] = entry
        }
    }
}
