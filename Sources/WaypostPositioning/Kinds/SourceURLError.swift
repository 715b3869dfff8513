import Waypost

/// Why a text is not a source URL; `description` is one line that says what to write instead.
package enum SourceURLError: Error, Equatable, Sendable {
    /// The text is empty.
    case empty
    /// There is no `scheme:` at the beginning.
    case noScheme(String)
    /// No version knows this scheme.
    case unknownScheme(String)
    /// Something other than `//` follows the scheme of a network URL.
    case needsSlashes(scheme: String, String)
    /// A network URL ends in `?...`; the hint is the kind's own, empty for none.
    case hasNoOptions(scheme: String, String, hint: String = "")
    /// A network URL other than gpsd's ends in `/...`.
    case hasNoPath(scheme: String, String)
    /// The host is neither a name nor an address.
    case badHost(String)
    /// The port is not a number in 1...65535.
    case badPort(String)
    /// The scheme needs a file and there is none; the example is a file of that kind.
    case missingFile(scheme: String, example: String)
    /// What follows the scheme is not what its kind reads; the reason, in one line, is the kind's own.
    case invalid(reason: String)
    /// The text that the percent signs encode is not UTF-8 or holds a NUL byte.
    case notAPath(String)
    /// The scheme has no such option.
    case unknownOption(String, known: [String])
    /// The option is given twice.
    case repeatedOption(String)
    /// The option's value is not allowed.
    case badOption(String, value: String, expected: String)
}

extension SourceURLError: CustomStringConvertible {
    /// The problem, its place and the remedy, in one line.
    package var description: String {
        let supported = SourceRegistry.list
        switch self {
        case .empty:
            return "a source cannot be empty; write for example gpsd://localhost:2947"
        case .noScheme(let text) where text.hasPrefix("/dev/"):
            return "\(quoted(text)) is not a source URL; write serial://\(text)"
        case .noScheme(let text):
            return "\(quoted(text)) is not a source URL; write for example gpsd://localhost:2947 or nmea:FILE"
        case .unknownScheme(let scheme):
            let hint = nearestName(to: scheme, among: SourceRegistry.schemes).map { "; did you mean \($0):?" } ?? ""
            return "unknown kind of source \(quoted(scheme + ":"))\(hint) (this version supports \(supported))"
        case .needsSlashes(let scheme, let text):
            return "\(quoted("\(scheme):\(text)")) needs two slashes: \(scheme)://HOST:PORT"
        case .hasNoOptions(let scheme, let text, let hint):
            return "\(scheme): has no options, but \(quoted(text)) follows" + (hint.isEmpty ? "" : "; \(hint)")
        case .hasNoPath(let scheme, let text):
            return "\(scheme): ends with its port, but \(quoted(text)) follows"
        case .badHost(let host):
            return "\(quoted(host)) is not a host; write a name, an IPv4 address, or an IPv6 address in brackets, as in [::1]"
        case .badPort(let port):
            return "port \(quoted(port)) is not a number from 1 to 65535"
        case .missingFile(let scheme, let example):
            return "\(scheme): needs a file, as in \(scheme):\(example)"
        case .invalid(let reason):
            return reason
        case .notAPath(let text):
            return "\(quoted(text)) is not a path: it must not contain NUL (a plain % is written %25)"
        case .unknownOption(let name, let known):
            let list = known.joined(separator: ", ")
            return "unknown option \(quoted(name)); known: \(list) (a '?' in a file's name is written %3F)"
        case .repeatedOption(let name):
            return "option \(quoted(name)) is given twice"
        case .badOption(let name, let value, let expected):
            return "\(name) must be \(expected), not \(quoted(value))"
        }
    }
}
