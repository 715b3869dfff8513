import Waypost

/// A text with fields that each record fills in: `lat={lat}&lon={lon}&t={timestamp}`.
///
/// A field is a name in braces; braces around anything else are text. Values are escaped for their context:
/// - in a path: percent-encoded; an unknown value is empty.
/// - in a query or a form: percent-encoded; an item (`speed={speed}`) with an unknown value is left out completely, with its `&`.
/// - in JSON between quotes: escaped, empty when unknown; outside of quotes: a number, a text in quotes, or `null`.
struct RecordTemplate: Sendable, Hashable {
    /// The fields.
    enum Field: String, Sendable, CaseIterable {
        case lat, lon, time, timestamp
        case timestampMilliseconds = "timestamp_ms"
        case altitude, accuracy, speed
        case speedKilometresPerHour = "speed_kmh"
        case course, hdop, device, id, kind, name, token
    }

    /// A piece of a template.
    enum Part: Sendable, Hashable {
        case text(String)
        case field(Field)
    }

    /// A name in braces that is not a field.
    struct UnknownField: Error, Equatable {
        var name: String

        /// The names of the fields in other programs.
        private static let foreignNames: [String: Field] = [
            "latitude": .lat, "longitude": .lon, "lng": .lon, "long": .lon, "alt": .altitude, "ele": .altitude, "acc": .accuracy,
            "tst": .timestamp, "epoch": .timestamp, "heading": .course, "bearing": .course, "direction": .course, "velocity": .speed,
            "event": .kind, "type": .kind, "user": .device, "username": .device, "key": .token, "apikey": .token,
        ]

        /// The reason, for people.
        var reason: String {
            let known = Field.allCases.map(\.rawValue)
            // Another program's name, a prefix, or a misspelling.
            let names = UnknownField.foreignNames
            let near =
                known.first { name.utf8.count > 2 && $0.hasPrefix(name) }
                ?? nearestName(to: name, among: known + names.keys.sorted()).map { names[$0]?.rawValue ?? $0 }
            let hint = near.map { "did you mean {\($0)}?" }
            return "has {\(oneLine(name))}, which nothing fills in; "
                + (hint ?? "known: \(known.map { "{\($0)}" }.joined(separator: ", "))")
        }
    }

    let parts: [Part]

    init(_ text: some StringProtocol) throws(UnknownField) {
        var parts: [Part] = []
        var rest = Substring(text)
        var plain = ""
        while let character = rest.first {
            let name = rest.dropFirst().prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
            if character == "{", name.first?.isLetter == true, rest[name.endIndex...].first == "}" {
                guard let field = Field(rawValue: String(name)) else { throw UnknownField(name: String(name)) }
                if !plain.isEmpty { parts.append(.text(plain)) }
                plain = ""
                parts.append(.field(field))
                rest = rest[name.endIndex...].dropFirst()
            } else {
                plain.append(character)
                rest = rest.dropFirst()
            }
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        self.parts = parts
    }

    private init(parts: [Part]) {
        self.parts = parts
    }

    /// Whether the field occurs.
    func has(_ field: Field) -> Bool { parts.contains(.field(field)) }

    /// The pieces between the given signs, which are never inside a field.
    func split(by sign: Character) -> [RecordTemplate] {
        var pieces: [[Part]] = [[]]
        for part in parts {
            guard case .text(let text) = part else {
                pieces[pieces.count - 1].append(part)
                continue
            }
            for (index, piece) in text.split(separator: sign, omittingEmptySubsequences: false).enumerated() {
                if index > 0 { pieces.append([]) }
                if !piece.isEmpty { pieces[pieces.count - 1].append(.text(String(piece))) }
            }
        }
        return pieces.map(RecordTemplate.init(parts:))
    }
}

// MARK: - Filling in fields

extension RecordTemplate {
    /// The value of a field: a number as it is written, or a text.
    enum Value: Sendable, Hashable {
        case number(String)
        case text(String)

        /// Without quotes.
        var plain: String {
            switch self {
            case .number(let text), .text(let text): text
            }
        }
    }

    typealias Values = (Field) -> Value?

    /// The template filled in for the path of a URL.
    func path(_ values: Values) -> String { encoded(values) }

    /// The template filled in for the query of a URL, or as a form.
    func form(_ values: Values) -> String {
        split(by: "&").compactMap { item in
            item.parts.contains { if case .field(let field) = $0 { values(field) == nil } else { false } } ? nil : item.encoded(values)
        }.joined(separator: "&")
    }

    /// The template filled in as JSON.
    func json(_ values: Values) -> String {
        var (result, isInText, isEscaped) = ("", false, false)
        for part in parts {
            switch part {
            case .text(let text):
                for character in text {
                    if character == "\"", !isEscaped { isInText.toggle() }
                    isEscaped = isInText && character == "\\" && !isEscaped
                }
                result += text
            case .field(let field):
                let value = values(field)
                if isInText {
                    result += RecordTemplate.json(value?.plain ?? "").dropFirst().dropLast()
                } else {
                    switch value {
                    case .number(let number)?: result += number
                    case .text(let text)?: result += RecordTemplate.json(text)
                    case nil: result += "null"
                    }
                }
            }
        }
        return result
    }

    private func encoded(_ values: Values) -> String {
        var text = TextBuffer(capacity: 128)
        for part in parts {
            switch part {
            case .text(let plain): text.append(string: plain)
            case .field(let field): text.append(percentEncoded: values(field)?.plain ?? "")
            }
        }
        return text.string
    }

    private static func json(_ text: String) -> String {
        var buffer = TextBuffer(capacity: 64)
        buffer.appendJSON { $0.element(text) }
        return buffer.string
    }
}
