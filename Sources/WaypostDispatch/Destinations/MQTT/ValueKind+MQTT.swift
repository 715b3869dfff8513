import Waypost
import WaypostSystem

extension ValueKind<String> {
    /// The address of a web server or of a broker, or an empty text.
    package static var serverURL: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let url) = node.value, !url.isEmpty else { return try webURL.read(node) }
                let lowered = url.lowercased()
                if ["https://", "http://"].contains(where: lowered.hasPrefix) { return try webURL.read(node) }
                guard lowered.hasPrefix("mqtt") else {
                    throw .invalid(reason: "must begin with https:// or http://, or with mqtt:// or mqtts:// for a broker")
                }
                do throws(MQTTError) { _ = try MQTTSettings(url: url, clientID: "") } catch {
                    throw .invalid(reason: "must be mqtt://HOST or mqtts://HOST, with :PORT if need be, without a path or a password")
                }
                return url
            },
            write: tomlString)
    }

    /// A topic of a broker.
    ///
    /// - Parameter isFixed: whether it is the same for every record.
    static func mqttTopic(isFixed: Bool) -> ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else { throw .wrongType(expected: "a topic in quotes") }
                do throws(MQTTTopic.Problem) { _ = try MQTTTopic(text, isFixed: isFixed) } catch {
                    throw .invalid(reason: error.description)
                }
                return text
            },
            write: tomlString)
    }
}
