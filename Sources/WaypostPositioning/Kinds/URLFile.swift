import Waypost

/// The file of a URL, with its options: `FILE?speed=2`.
struct URLFile {
    /// The file's path; never `-`, which is a name for standard input.
    let path: String
    /// The options as written in the URL.
    let options: [(name: String, value: String)]

    /// Reads `FILE?name=value&name=value`; the options may be missing.
    ///
    /// - Parameter example: a file of that kind, for a user who names none.
    init(_ text: Substring, scheme: String, example: String) throws(SourceURLError) {
        let (fileText, options) = URLFile.split(text)
        guard !fileText.isEmpty, fileText != "-" else { throw .missingFile(scheme: scheme, example: example) }
        let path = try PercentCoding.decode(fileText)
        self.path = path == "-" ? "./-" : path
        self.options = options
    }

    /// Writes a file with options.
    static func text(_ path: String, options: [String]) -> String {
        PercentCoding.encode(path) + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
    }

    /// Splits at the last `?` if options follow it: `name=value` pairs joined by `&`, the names in small letters and `_`.
    static func split(_ text: Substring) -> (file: Substring, options: [(name: String, value: String)]) {
        guard let mark = text.lastIndex(of: "?") else { return (text, []) }
        var options: [(name: String, value: String)] = []
        for pair in text[text.index(after: mark)...].split(separator: "&", omittingEmptySubsequences: false) {
            guard let equals = pair.firstIndex(of: "=") else { return (text, []) }
            let name = pair[..<equals]
            guard !name.isEmpty, name.allSatisfy({ $0 == "_" || $0.isASCII && $0.isLowercase }) else { return (text, []) }
            options.append((String(name), String(pair[pair.index(after: equals)...])))
        }
        return (text[..<mark], options)
    }
}
