import Waypost
import WaypostPositioning
import WaypostSystem

/// The speed of a serial line in a configuration: `[[source]] baud`.
package enum BaudSetting: Equatable, Hashable, Sendable {
    /// The speed is detected.
    case automatic
    /// A fixed number of bits per second, one of those that receivers use.
    case rate(Int)
}

extension Configuration.Source {
    /// The source's URL, with the speed that ``givenBaud`` fixes.
    package var url: SourceURL {
        get {
            guard var serial = writtenURL.kind as? SerialKind, serial.baudRate == nil, case .rate(let rate) = givenBaud else {
                return writtenURL
            }
            serial.baudRate = rate
            return SourceURL(serial)
        }
        set { writtenURL = newValue }
    }

    /// The speed in force: from the key or the URL.
    var baud: BaudSetting {
        get {
            guard let rate = (url.kind as? SerialKind)?.baudRate else { return .automatic }
            return .rate(rate)
        }
        set { givenBaud = newValue }
    }

    /// Whether two sources are read in the same way, wherever their speed is set.
    package static func == (left: Self, right: Self) -> Bool {
        (left.url, left.neverWrites, left.gpsdUser) == (right.url, right.neverWrites, right.gpsdUser)
    }

    /// The problem with keys that do not fit together: the key to change, and why; nil when there is none.
    var fault: (key: String, reason: String)? {
        guard case .rate(let rate) = givenBaud else { return nil }
        guard let serial = writtenURL.kind as? SerialKind else {
            return ("baud", "is for serial sources, and url is \(quoted(writtenURL.description)); remove it")
        }
        guard let other = serial.baudRate, other != rate else { return nil }
        return ("baud", "is \(rate), and url has ?baud=\(other); remove one of them")
    }
}

extension ValueKind<BaudSetting> {
    /// A speed of a serial line.
    static var baud: ValueKind {
        let rates = SerialPort.baudRates.map(String.init).joined(separator: ", ")
        return ValueKind(
            unit: "\"auto\", or bits per second: \(rates)",
            schema: .wordOrNumber("auto", SerialPort.baudRates),
            read: { (node) throws(ValueProblem) in
                switch node.value {
                case .string("auto"): return .automatic
                case .integer(let rate) where SerialPort.baudRates.contains { $0 == rate }: return .rate(Int(rate))
                case .integer(let rate): throw .invalid(reason: "\(rate) is not a supported speed; write \"auto\" or one of \(rates)")
                case .string(let text):
                    throw .invalid(reason: "\(quoted(text)) is not a speed; write \"auto\" or one of \(rates), without quotes")
                default: throw .wrongType(expected: "\"auto\" or a number of bits per second such as 9600")
                }
            },
            write: { setting in
                switch setting {
                case .automatic: tomlString("auto")
                case .rate(let rate): "\(rate)"
                }
            })
    }
}
