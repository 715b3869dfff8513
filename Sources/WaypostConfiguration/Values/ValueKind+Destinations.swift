import Waypost
import WaypostSystem

extension ValueKind<String> {
    /// A name of letters, digits and a few marks, which fits a command line.
    static var plainName: ValueKind {
        ValueKind(
            unit: "letters, digits, . _ -",
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let name) = node.value else { throw .wrongType(expected: "a name in quotes") }
                guard (1...64).contains(name.utf8.count),
                    name.utf8.allSatisfy({ byte in
                        let scalar = Unicode.Scalar(byte)
                        return scalar.properties.isAlphabetic && scalar.isASCII || ("0"..."9").contains(scalar)
                            || "._-".unicodeScalars.contains(scalar)
                    })
                else { throw .invalid(reason: "must have 1 to 64 letters, digits, '.', '_' or '-'") }
                return name
            },
            write: tomlString)
    }

    /// A short text of printable characters, or nothing.
    static var plainText: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else { throw .wrongType(expected: "a text") }
                guard text.utf8.count <= 128, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
                    throw .invalid(reason: "must have at most 128 bytes of printable text")
                }
                return text
            },
            write: tomlString)
    }

    /// The address of a web server, or nothing.
    static var webURL: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let url) = node.value else { throw .wrongType(expected: "a URL in quotes") }
                if url.isEmpty { return url }
                let lowered = url.lowercased()
                guard let scheme = ["https://", "http://"].first(where: lowered.hasPrefix) else {
                    throw .invalid(reason: "must begin with https:// or http://")
                }
                let host = url.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
                guard !host.isEmpty, url.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                    throw .invalid(reason: "must be \(scheme)HOST/PATH without blanks")
                }
                // It is shown in messages.
                guard !host.contains("@") else { throw .invalid(reason: "must hold no password, which messages would show") }
                return url
            },
            write: tomlString)
    }
}

extension ValueKind<[String]> {
    /// Lines of the head of an HTTP request.
    static var headerLines: ValueKind {
        ValueKind(
            unit: nil,
            schema: .list(.text),
            read: { (node) throws(ValueProblem) in
                let expected = "a list of texts such as [\"X-Fleet: north\"]"
                guard case .array(let elements) = node.value else { throw .wrongType(expected: expected) }
                var lines: [String] = []
                for element in elements {
                    guard case .string(let line) = element.value else { throw .wrongType(expected: expected) }
                    // The name is a token (RFC 9110, section 5.6.2); the value must not end the line.
                    let name = line.utf8.prefix { $0 != UInt8(ascii: ":") }
                    let isToken = name.allSatisfy { byte in
                        ("0"..."9").contains(Unicode.Scalar(byte)) || ("a"..."z").contains(Unicode.Scalar(byte | 0x20))
                            || "!#$%&'*+-.^_`|~".utf8.contains(byte)
                    }
                    guard !name.isEmpty, isToken, name.count < line.utf8.count, line.utf8.count <= 1_024,
                        line.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
                    else { throw .invalid(reason: "has a line that is no \"Name: value\"") }
                    lines.append(line)
                }
                return lines
            },
            write: { "[" + $0.map(tomlString).joined(separator: ", ") + "]" })
    }
}

extension ValueKind where Value: RawRepresentable<String> & CaseIterable {
    /// One of a few words.
    static func choice() -> ValueKind {
        let words = Value.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        return ValueKind(
            unit: words,
            schema: .choice(Value.allCases.map(\.rawValue)),
            read: { (node) throws(ValueProblem) in
                guard case .string(let word) = node.value else { throw .wrongType(expected: words) }
                guard let choice = Value(rawValue: word) else { throw .invalid(reason: "must be \(words)") }
                return choice
            },
            write: { tomlString($0.rawValue) })
    }
}

extension ValueKind<Configuration.Destination.Cutoff?> {
    /// A time of day at a place, or nothing.
    static var cutoff: ValueKind {
        ValueKind(
            unit: "\"HH:MM PLACE\"",
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else { throw .wrongType(expected: "a time of day such as \"04:00 Asia/Tokyo\"") }
                if text.isEmpty { return nil }
                let parts = text.split(separator: " ", omittingEmptySubsequences: false)
                let clock = parts[0].split(separator: ":", omittingEmptySubsequences: false)
                guard parts.count <= 2, clock.count == 2, clock.allSatisfy({ $0.utf8.count == 2 }), let hour = Int(clock[0]),
                    let minute = Int(clock[1]), (0...23).contains(hour), (0...59).contains(minute)
                else { throw .invalid(reason: "must be a time of day such as \"04:00 Asia/Tokyo\"") }
                let place = parts.count == 2 ? String(parts[1]) : "UTC"
                guard let zone = TimeZoneFolder.rules(named: place) else { throw .noTimeZone(place) }
                return .init(text: text, moment: DailyMoment(minuteOfDay: hour * 60 + minute, zone: zone))
            },
            write: { tomlString($0?.text ?? "") })
    }
}

extension ValueKind<String> {
    /// A time zone of the tz database, or nothing.
    static var timeZone: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let name) = node.value else { throw .wrongType(expected: "a time zone such as \"Europe/Zurich\"") }
                guard name.isEmpty || TimeZoneFolder.rules(named: name) != nil else { throw .noTimeZone(name) }
                return name
            },
            write: tomlString)
    }
}

extension ValueProblem {
    fileprivate static func noTimeZone(_ name: String) -> ValueProblem {
        .invalid(reason: "has \(quoted(name)), which is not a time zone of this system (see timedatectl list-timezones)")
    }
}
