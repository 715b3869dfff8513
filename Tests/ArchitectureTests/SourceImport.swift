import Foundation

/// One import declaration of a Swift file.
struct SourceImport: Equatable {
    /// The path as written, without the kind: `["Glibc", "sin"]` for `import func Glibc.sin`.
    var path: [String]
    /// The kind in an import of one declaration, say `func`; nil for a whole module.
    var kind: String?
    /// Counted from 1.
    var line: Int

    /// The module that the file comes to depend on.
    var module: String { path[0] }

    /// Every import of a file, conditional ones included.
    ///
    /// Comments and string literals are passed over, and attributes, access levels and line breaks change nothing. A regex literal
    /// that holds a lone quotation mark would hide what follows it on its line.
    static func all(in source: String) -> [SourceImport] {
        let tokens = Self.tokens(of: source)
        var found: [SourceImport] = []
        for index in tokens.indices where tokens[index].text == "import" {
            // A member or a label may be called import: `.import`, `import:`.
            if index > 0, tokens[index - 1].text == "." { continue }
            var rest = tokens[(index + 1)...]
            var kind: String?
            if let first = rest.first, kinds.contains(first.text) {
                kind = first.text
                rest.removeFirst()
            }
            guard let module = rest.popFirst(), module.isName else { continue }
            var path = [module.text]
            while rest.first?.text == ".", let name = rest.dropFirst().first, name.isName {
                path.append(name.text)
                rest.removeFirst(2)
            }
            found.append(SourceImport(path: path, kind: kind, line: tokens[index].line))
        }
        return found
    }

    private static let kinds: Set<String> = ["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"]

    private struct Token {
        var text: String
        var line: Int
        var isName: Bool { text.utf8.first.map(SourceImport.isPartOfName) == true && text.first?.isNumber == false }
    }

    /// Names and single marks, without white space, comments and string literals.
    private static func tokens(of source: String) -> [Token] {
        // By bytes: the same by characters takes a hundred times as long, and what matters here is ASCII.
        let bytes = Array(source.utf8)
        var tokens: [Token] = []
        var place = 0
        var line = 1
        while place < bytes.count {
            let start = place
            if bytes[place...].starts(with: "//".utf8) {
                while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { place += 1 }
            } else if bytes[place...].starts(with: "/*".utf8) {
                place = endOfComment(bytes, from: place)
            } else if let end = endOfString(bytes, from: place) {
                place = end
            } else if isPartOfName(bytes[place]) {
                while place < bytes.count, isPartOfName(bytes[place]) { place += 1 }
                // An escaped name is a name, never the keyword.
                let isEscaped = start > 0 && bytes[start - 1] == UInt8(ascii: "`")
                let name = String(decoding: bytes[start..<place], as: UTF8.self)
                tokens.append(Token(text: isEscaped && name == "import" ? "`import`" : name, line: line))
            } else {
                if bytes[place] > UInt8(ascii: " "), bytes[place] != UInt8(ascii: "`") {
                    tokens.append(Token(text: String(UnicodeScalar(bytes[place])), line: line))
                }
                place += 1
            }
            line += bytes[start..<place].count { $0 == UInt8(ascii: "\n") }
        }
        return tokens
    }

    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }

    /// Block comments nest.
    private static func endOfComment(_ bytes: [UInt8], from start: Int) -> Int {
        var place = start
        var depth = 0
        repeat {
            if bytes[place...].starts(with: "/*".utf8) {
                depth += 1
                place += 2
            } else if bytes[place...].starts(with: "*/".utf8) {
                depth -= 1
                place += 2
            } else {
                place += 1
            }
        } while depth > 0 && place < bytes.count
        return min(place, bytes.count)
    }

    /// Where the string literal that starts here ends, interpolations included; nil where none starts.
    private static func endOfString(_ bytes: [UInt8], from start: Int) -> Int? {
        let pounds = bytes[start...].prefix { $0 == UInt8(ascii: "#") }
        var place = start + pounds.count
        guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") else { return nil }
        let quotes = Array((bytes[place...].starts(with: "\"\"\"".utf8) ? "\"\"\"" : "\"").utf8)
        place += quotes.count
        let end = quotes + pounds
        let escape = Array("\\".utf8) + pounds
        while place < bytes.count, !bytes[place...].starts(with: end) {
            if quotes.count == 1, bytes[place] == UInt8(ascii: "\n") { return place }
            place += bytes[place...].starts(with: escape) ? escape.count + 1 : 1
        }
        return min(place + end.count, bytes.count)
    }
}
