import WaypostSystem

/// The two sequences of numbers in which a destination may have records after others that it lacks.
enum SettledKind: String {
    case events, positions

    init(_ lane: DispatchLane) { self = lane == .events ? .events : .positions }
}

// The records that destinations have after the first one that they lack.
extension OutboxStore {
    /// The records that each destination has.
    func settledAhead() throws(SQLiteError) -> [String: [SettledKind: SettledAhead]] {
        var settled: [String: [SettledKind: SettledAhead]] = [:]
        try database.each("SELECT destination, lane, after, through FROM settled") { row in
            if let kind = SettledKind(rawValue: row.text(1)) {
                settled[row.text(0), default: [:]][kind, default: SettledAhead()].insert(
                    .init(after: row.number(2), through: row.number(3)))
            }
            return true
        }
        return settled
    }

    /// Stores the records that a destination has; inside a transaction.
    func keep(_ settled: SettledAhead, of kind: SettledKind, for name: String) throws(SQLiteError) {
        try database.run("DELETE FROM settled WHERE destination = ? AND lane = ?", [.text(name), .text(kind.rawValue)])
        for stretch in settled.stretches {
            try database.run(
                "INSERT INTO settled(destination, lane, after, through) VALUES(?,?,?,?)",
                [.text(name), .text(kind.rawValue), SQLiteValue(stretch.after), SQLiteValue(stretch.through)])
        }
    }

    /// Forgets them, because a new sequence begins.
    func forgetSettledAhead(of name: String) throws(SQLiteError) {
        try database.run("DELETE FROM settled WHERE destination = ?", [.text(name)])
    }

    /// Forgets its positions after a number: a log that begins anew gives these numbers to others.
    func forgetPositionsSettled(behind number: UInt64, for name: String) throws(SQLiteError) {
        try database.run(
            "DELETE FROM settled WHERE destination = ? AND lane = ? AND through > ?",
            [.text(name), .text(SettledKind.positions.rawValue), SQLiteValue(number)])
    }
}
