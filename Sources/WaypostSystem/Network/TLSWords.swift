/// What TLS libraries say when they fail, and what we say instead.
enum TLSWords {
    /// What is wrong with a server that ``sayTooOld(_:)`` is about.
    static let tooOld = "speaks no TLS 1.2 or later"

    /// Whether OpenSSL or GnuTLS says that the other side's version of TLS is not one that we accept.
    static func sayTooOld(_ reason: String) -> Bool {
        [["alert", "protocol", "version"], ["unsupported", "protocol"], ["unsupported", "version"]].contains { say($0, reason) }
    }

    /// Whether a reason has these words in a row.
    static func say(_ phrase: [Substring], _ reason: String) -> Bool {
        // Searching the text would link the regular expression engine, a megabyte.
        let words = reason.split { $0 == " " || $0 == ":" || $0 == "." || $0 == "," }
        return words.indices.contains { words[$0...].starts(with: phrase) }
    }
}
