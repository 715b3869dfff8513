import Waypost

/// The text of `waypost doctor --bench`: what a board does, for somebody who has none of its kind to read.
///
/// It has no position, no name of a person, network or server, and ends with a checksum of all lines before it, so that a paste that was cut is noticed:
/// `head -n -1 FILE | sha256sum`.
struct BenchReport {
    /// A name and its values, one line.
    struct Line: Equatable {
        var name: String
        var value: String
    }

    /// The lines.
    var lines: [Line]

    /// The first line, with the number of this form.
    static let title = "waypost bench 1"
    private static let nameWidth = 11

    /// The text, with line feeds.
    var text: String {
        let body = ([BenchReport.title] + lines.map { BenchReport.padded($0.name) + oneLine($0.value, limit: 300) }).map { $0 + "\n" }
            .joined()
        var hash = SHA256()
        hash.update(Array(body.utf8).span.bytes)
        return body + BenchReport.padded("checksum") + SHA256.hexadecimal(hash.finish()) + "\n"
    }

    private static func padded(_ name: String) -> String { name + String(repeating: " ", count: max(1, nameWidth - name.count)) }
}

extension Double {
    /// A figure in so many decimals, for people.
    func text(decimals: Int) -> String {
        var text = TextBuffer(capacity: 32)
        text.append(self, decimals: decimals)
        return text.string
    }
}
