import Waypost

/// Metrics in the text format of Prometheus, version 0.0.4.
struct PrometheusText {
    /// What a number is.
    enum Kind: String {
        case gauge, counter
    }

    private var text = TextBuffer(capacity: 4_096)

    /// What has been written.
    var bytes: [UInt8] { text.bytes }

    /// The media type.
    static let type = "text/plain; version=0.0.4; charset=utf-8"

    /// Adds a metric with one value; one that is not known is left out.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double?) {
        add(name, kind, help, value.map { [([], $0)] } ?? [])
    }

    /// Adds a metric with a value for each set of labels; without any it is left out.
    mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [(labels: [(name: String, value: String)], value: Double)]) {
        guard !samples.isEmpty else { return }
        text.append(string: "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
        for (labels, value) in samples {
            text.append(string: name)
            if !labels.isEmpty {
                text.append(string: "{" + labels.map { "\($0.name)=\"\(PrometheusText.escaped($0.value))\"" }.joined(separator: ",") + "}")
            }
            text.append(byte: UInt8(ascii: " "))
            if value.isFinite { text.append(shortest: value) } else { text.append("NaN") }
            text.append(byte: UInt8(ascii: "\n"))
        }
    }

    /// A label's value: a backslash, a quote and a line feed are escaped.
    private static func escaped(_ value: String) -> String {
        var escaped = ""
        for character in value.unicodeScalars {
            switch character {
            case "\\": escaped += "\\\\"
            case "\"": escaped += "\\\""
            case "\n": escaped += "\\n"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
