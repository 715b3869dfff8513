import Waypost

/// The topic that a record goes to: a template with names that each record fills in.
///
/// | name | is replaced by |
/// |---|---|
/// | `{device}` | the name of this device |
/// | `{kind}` | `position`, `event`, `track` or `health` |
/// | `{name}` | the fence's name, or what the application calls its event; otherwise as `{kind}` |
/// | `{lane}` | `events`, `live` or `history` |
///
/// A filled-in value stays within one level and is never a wildcard: `/`, `+`, `#` and control characters in it become `_`. So does an empty
/// value, and a leading `$`.
public struct MQTTTopic: Sendable, Hashable {
    /// The template as it was written.
    public let template: String
    private let parts: [Part]

    private enum Part: Sendable, Hashable {
        case text(String)
        case device, kind, name, lane
    }

    /// The problem with a topic, in a few words that follow its name.
    public struct Problem: Error, Equatable, Sendable, CustomStringConvertible {
        /// The problem.
        public let description: String
    }

    /// The default template: `waypost/{device}/{kind}`.
    public static let usual = "waypost/{device}/{kind}"

    /// The longest template, and the longest value that is filled in, bytes; a broker accepts 65 535 in all.
    private static let (longestTemplate, longestWord) = (1_024, 256)

    /// A topic from its template.
    ///
    /// - Parameters:
    ///   - template: the topic with names in braces.
    ///   - isFixed: whether it is the same for every record, so that it may name nothing but the device.
    /// - Errors: it is empty or too long, holds a wildcard, a control character or an unknown name, or begins with `$`, which brokers keep to
    ///   themselves.
    public init(_ template: String, isFixed: Bool = false) throws(Problem) {
        guard !template.isEmpty else { throw Problem(description: "must not be empty") }
        guard template.utf8.count <= MQTTTopic.longestTemplate else {
            throw Problem(description: "must have at most \(MQTTTopic.longestTemplate) bytes")
        }
        guard template.first != "$" else { throw Problem(description: "must not begin with $: such topics belong to the broker") }
        for scalar in template.unicodeScalars {
            if scalar == "+" || scalar == "#" { throw Problem(description: "must not hold the wildcard \(scalar)") }
            if MQTTTopic.isControl(scalar) { throw Problem(description: "must not hold control characters") }
        }
        let names: [String: Part] = isFixed ? ["device": .device] : ["device": .device, "kind": .kind, "name": .name, "lane": .lane]
        var parts: [Part] = []
        var rest = template[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}") else {
                throw Problem(description: "has a { or } without its partner")
            }
            let name = rest[rest.index(after: open)..<close]
            guard let part = names[String(name)] else {
                let known = names.keys.sorted().map { "{\($0)}" }.joined(separator: ", ")
                throw Problem(description: "has {\(oneLine(String(name)))}; there is \(known)")
            }
            if open > rest.startIndex { parts.append(.text(String(rest[..<open]))) }
            parts.append(part)
            rest = rest[rest.index(after: close)...]
        }
        if !rest.isEmpty { parts.append(.text(String(rest))) }
        self.template = template
        self.parts = parts
    }

    /// The topic with every name filled in.
    public func topic(device: String, kind: String, name: String, lane: String) -> String {
        topic { part in
            switch part {
            case .device, .text: device
            case .kind: kind
            case .name: name
            case .lane: lane
            }
        }
    }

    /// The topic for messages that are not records.
    public func topic(device: String) -> String { topic { _ in device } }

    private func topic(_ word: (Part) -> String) -> String {
        var topic = ""
        for part in parts {
            if case .text(let text) = part { topic += text } else { topic += MQTTTopic.level(word(part)) }
        }
        return topic.first == "$" ? "_" + topic.dropFirst() : topic
    }

    /// A text as one level of a topic.
    static func level(_ text: String) -> String {
        var level = String.UnicodeScalarView()
        var byteCount = 0
        for scalar in text.unicodeScalars {
            byteCount += UTF8.width(scalar)
            if byteCount > longestWord { break }
            level.append("/+#".unicodeScalars.contains(scalar) || isControl(scalar) ? "_" : scalar)
        }
        return level.isEmpty ? "_" : String(level)
    }

    /// Whether a text holds a character for which a broker may end the connection.
    static func hasControl(_ text: String) -> Bool { text.unicodeScalars.contains(where: isControl) }

    /// MQTT 3.1.1, 1.5.3: characters for which a broker may end the connection.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || (0xFDD0...0xFDEF).contains(scalar.value)
            || scalar.value & 0xFFFE == 0xFFFE
    }
}
