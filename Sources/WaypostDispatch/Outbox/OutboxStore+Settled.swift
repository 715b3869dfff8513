import WaypostSystem

/// The two rows of numbers in which a destination may have some that are behind others which it has not.
enum SettledKind: String {
    case events, positions

    init(_ lane: DispatchLane) { self = lane == .events ? .events : .positions }
}

// What destinations have behind the first record that they have not.
extension OutboxStore {
    /// What each destination has.
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

    /// Keeps what a destination has; inside a transaction.
    func keep(_ settled: SettledAhead, of kind: SettledKind, for name: String) throws(SQLiteError) {
        try database.run("DELETE FROM settled WHERE destination = ? AND lane = ?", [.text(name), .text(kind.rawValue)])
        for stretch in settled.stretches {
            try database.run(
                "INSERT INTO settled(destination, lane, after, through) VALUES(?,?,?,?)",
                [.text(name), .text(kind.rawValue), SQLiteValue(stretch.after), SQLiteValue(stretch.through)])
        }
    }

    /// Forgets it: another row begins.
    func forgetSettledAhead(of name: String) throws(SQLiteError) {
        try database.run("DELETE FROM settled WHERE destination = ?", [.text(name)])
    }

    /// Forgets what it has of positions behind a number: a log that begins anew gives these numbers to others.
    func forgetPositionsSettled(behind number: UInt64, for name: String) throws(SQLiteError) {
        try database.run(
            "DELETE FROM settled WHERE destination = ? AND lane = ? AND through > ?",
            [.text(name), .text(SettledKind.positions.rawValue), SQLiteValue(number)])
    }
}
