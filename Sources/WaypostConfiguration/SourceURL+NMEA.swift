extension SourceURL.NMEA {
    /// Reads `FILE?speed=X`; the options may be missing.
    init(afterScheme text: Substring) throws(SourceURLError) {
        let (fileText, options) = SourceURL.splitOptions(text)
        guard !fileText.isEmpty else { throw .missingFile(scheme: "nmea") }
        self.init(fileText == "-" ? .standardInput : .file(try PercentCoding.decode(fileText)))
        for option in options {
            guard option.name == "speed" else { throw .unknownOption(option.name, known: ["speed"]) }
            guard speed == nil else { throw .repeatedOption(option.name) }
            guard let number = SourceURL.plainNumber(option.value), number >= 0 else {
                throw .badOption("speed", value: option.value, expected: "a number from 0 (at once) up, such as 1 or 10")
            }
            // Adding 0 makes "-0" the 0 it is.
            speed = number + 0
        }
    }

    var urlText: String {
        let inputText =
            switch input {
            case .standardInput: "-"
            // A file that is called "-" must not become the standard input.
            case .file("-"): "%2D"
            case .file(let path): PercentCoding.encode(path)
            }
        return "nmea:" + inputText + (speed.map { "?speed=\(SourceURL.numberText($0))" } ?? "")
    }
}

extension SourceURL {
    /// Splits at the last `?` if options follow it: `name=value` pairs joined by `&`, the names in small letters and `_`.
    static func splitOptions(_ text: Substring) -> (file: Substring, options: [(name: String, value: String)]) {
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

    /// A finite decimal number; `inf`, `nan` and hexadecimal ones, which `Double` would take, are none.
    static func plainNumber(_ text: String) -> Double? {
        guard text.allSatisfy({ $0.isASCII && $0.isNumber || "+-.eE".contains($0) }), let number = Double(text), number.isFinite else {
            return nil
        }
        return number
    }

    /// The shortest text that reads back as the same number, whole ones without `.0`.
    static func numberText(_ number: Double) -> String {
        let text = number.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
