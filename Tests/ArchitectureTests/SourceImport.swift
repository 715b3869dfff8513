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
        var isName: Bool { text.first.map { $0.isLetter || $0 == "_" } ?? false }
    }

    /// Names and single marks, without white space, comments and string literals.
    private static func tokens(of source: String) -> [Token] {
        var tokens: [Token] = []
        var rest = Substring(source)
        var line = 1
        func skip(_ count: Int) {
            line += rest.prefix(count).count { $0.isNewline }
            rest = rest.dropFirst(count)
        }
        while let character = rest.first {
            if rest.hasPrefix("//") {
                skip(rest.prefix { !$0.isNewline }.count)
            } else if rest.hasPrefix("/*") {
                skip(lengthOfComment(rest))
            } else if let length = lengthOfString(rest) {
                skip(length)
            } else if character.isLetter || character == "_" || character.isNumber {
                let name = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
                tokens.append(Token(text: String(name), line: line))
                rest = rest.dropFirst(name.count)
            } else if character == "`" {
                // An escaped name is a name, never the keyword.
                let name = rest.dropFirst().prefix { $0 != "`" && !$0.isNewline }
                tokens.append(Token(text: name == "import" ? "`import`" : String(name), line: line))
                rest = rest.dropFirst(name.count + 2)
            } else {
                if !character.isWhitespace { tokens.append(Token(text: String(character), line: line)) }
                skip(1)
            }
        }
        return tokens
    }

    /// Block comments nest.
    private static func lengthOfComment(_ text: Substring) -> Int {
        var rest = text
        var depth = 0
        repeat {
            if rest.hasPrefix("/*") {
                depth += 1
                rest = rest.dropFirst(2)
            } else if rest.hasPrefix("*/") {
                depth -= 1
                rest = rest.dropFirst(2)
            } else {
                rest = rest.dropFirst()
            }
        } while depth > 0 && !rest.isEmpty
        return text.count - rest.count
    }

    /// The length of the string literal that starts here, interpolations included; nil where none starts.
    private static func lengthOfString(_ text: Substring) -> Int? {
        let pounds = text.prefix { $0 == "#" }
        var rest = text.dropFirst(pounds.count)
        guard rest.first == "\"" else { return nil }
        let quotes = rest.hasPrefix("\"\"\"") ? "\"\"\"" : "\""
        rest = rest.dropFirst(quotes.count)
        while !rest.isEmpty, !rest.hasPrefix(quotes + pounds) {
            if quotes.count == 1, rest.first?.isNewline == true { break }
            rest = rest.dropFirst(rest.hasPrefix("\\" + pounds) ? 2 + pounds.count : 1)
        }
        return text.count - rest.dropFirst(quotes.count + pounds.count).count
    }
}
