import Waypost

/// Where positions come from, as one text: `gpsd://localhost:2947`, `nmea:drive.nmea?speed=0`.
///
/// ``init(_:)`` reads the text, `description` writes it; what is written reads back as the same value.
public enum SourceURL: Equatable, Hashable, Sendable {
    /// A gpsd daemon: `gpsd://HOST:PORT[/DEVICE]`.
    case gpsd(GPSD)
    /// NMEA 0183 from a file, a FIFO or the standard input: `nmea:FILE[?speed=X]`.
    case nmea(NMEA)
    /// NMEA 0183 from a TCP server: `nmea-tcp://HOST:PORT`.
    case nmeaTCP(Endpoint)
    /// NMEA 0183 in datagrams that arrive at an address of this machine: `nmea-udp://ADDRESS:PORT`.
    case nmeaUDP(Endpoint)
    /// A receiver on a serial line: `serial:///dev/ttyUSB0[?baud=9600]`, `serial:auto`.
    case serial(Serial)
    /// A recording played as if it happened now: `gpx:FILE[?style=S&interval=I&speed=X&times=T]`, and `nmea:FILE` with such options.
    case replay(Replay)
    /// A simulated drive: `route:FILE[?speed=V&interval=I]`, `sim:walk`.
    case route(Route)
    /// A program that prints NMEA 0183 or lines of JSON: `exec:COMMAND`.
    case exec(Exec)

    /// A gpsd daemon, and one of its devices if only that one is wanted.
    public struct GPSD: Equatable, Hashable, Sendable {
        /// Name or address of the host; IPv6 addresses without brackets.
        public var host: String
        /// The TCP port, 1...65535.
        public var port: Int
        /// The device as gpsd knows it (`/dev/ttyACM0`); nil takes whatever gpsd has.
        public var device: String?

        /// A daemon; by default the one on this machine.
        public init(host: String = "localhost", port: Int = 2947, device: String? = nil) {
            self.host = host
            self.port = port
            self.device = device
        }
    }

    /// An end of a network connection.
    public struct Endpoint: Equatable, Hashable, Sendable {
        /// The port that is registered for NMEA 0183 (IANA, nmea-0183).
        public static let registeredPort = 10_110

        /// Name or address of the host; IPv6 addresses without brackets.
        public var host: String
        /// The port, 1...65535.
        public var port: Int

        /// A host and a port.
        public init(host: String, port: Int = Endpoint.registeredPort) {
            self.host = host
            self.port = port
        }
    }

    /// NMEA 0183 sentences that are read from a file.
    public struct NMEA: Equatable, Hashable, Sendable {
        /// What is read.
        public enum Input: Equatable, Hashable, Sendable {
            /// The standard input: `nmea:-`.
            case standardInput
            /// A file or FIFO.
            case file(String)
        }

        /// What is read.
        public var input: Input
        /// How many times faster than its own times the input is played, finite and not negative; 0: at once.
        ///
        /// Nil when the URL does not say: a file is then paced at 1; the standard input and FIFOs are read as they come.
        public var speed: Double?

        /// An input at a speed.
        public init(_ input: Input, speed: Double? = nil) {
            self.input = input
            self.speed = speed
        }
    }
}

extension SourceURL {
    /// A serial line.
    public struct Serial: Equatable, Hashable, Sendable {
        /// Which line.
        public enum Port: Equatable, Hashable, Sendable {
            /// Whatever receiver is plugged in that is known as one: `serial:auto`.
            case automatic
            /// A device or a link to it, an absolute path.
            case path(String)
        }

        /// Which line.
        public var port: Port
        /// The speed in bits per second, one of those that receivers have; nil finds it.
        public var baudRate: Int?

        /// A line at a speed.
        public init(_ port: Port, baudRate: Int? = nil) {
            self.port = port
            self.baudRate = baudRate
        }
    }
}

extension SourceURL {
    /// The schemes that work.
    static let supportedSchemes = ["exec", "gpsd", "gpx", "nmea", "nmea-tcp", "nmea-udp", "route", "serial", "sim"]

    /// The schemes that work, for people: `gpsd:, nmea: and serial:`.
    static var supportedList: String {
        let names = supportedSchemes.map { "\($0):" }
        return names.dropLast().joined(separator: ", ") + " and " + (names.last ?? "")
    }

    /// Reads a source URL.
    ///
    /// - `gpsd://HOST:PORT/DEVICE`: every part may be left out; `gpsd:` is `gpsd://localhost:2947`. IPv6 addresses stand in brackets.
    /// - `nmea:FILE?speed=X`: FILE is everything up to the options, slashes and spaces included; `-` is the standard input.
    ///   The last `?` starts the options if only `name=value` pairs joined by `&` follow it; any other `?` belongs to the name.
    /// - `nmea-tcp://HOST:PORT` and `nmea-udp://ADDRESS:PORT`: every part may be left out; the port is then 10110, the host `localhost`, the
    ///   address `127.0.0.1`.
    /// - `gpx:FILE?style=S&interval=I&speed=X&times=T`: S is `actual`, `interpolated` or `fixed`, I seconds, T `rebased` or `original`; the
    ///   same options make an `nmea:FILE` such a replay. `route:FILE?speed=V&interval=I`: V in metres per second. `sim:walk`, `sim:city`,
    ///   `sim:freeway`, `sim:none`.
    /// - `serial://PATH?baud=X`: PATH is absolute (`serial:///dev/ttyUSB0`); `serial:auto` finds a receiver. X is a speed or `auto`.
    /// - `exec:COMMAND`: COMMAND is everything, one line that a shell understands.
    /// - `%` and two hexadecimal digits stand for that byte in FILE, PATH and DEVICE: `%3F` is a `?` that never starts options, `%25` a `%`.
    ///   Any other `%` stands for itself.
    /// - The scheme may be in capitals.
    public init(_ text: String) throws(SourceURLError) {
        guard !text.isEmpty else { throw .empty }
        guard let colon = text.firstIndex(of: ":"), SourceURL.isScheme(text[..<colon]) else { throw .noScheme(text) }
        let scheme = text[..<colon].lowercased()
        let rest = text[text.index(after: colon)...]
        switch scheme {
        case "exec": self = .exec(try Exec(afterScheme: rest))
        case "gpsd": self = .gpsd(try GPSD(afterScheme: rest))
        case "gpx": self = .replay(try Replay(afterScheme: rest, format: .gpx))
        case "nmea":
            let isReplay = SourceURL.splitOptions(rest).options.contains { ["style", "interval", "times"].contains($0.name) }
            self = isReplay ? .replay(try Replay(afterScheme: rest, format: .nmea)) : .nmea(try NMEA(afterScheme: rest))
        case "nmea-tcp": self = .nmeaTCP(try Endpoint(afterScheme: rest, scheme: scheme, defaultHost: "localhost"))
        case "nmea-udp": self = .nmeaUDP(try Endpoint(afterScheme: rest, scheme: scheme, defaultHost: "127.0.0.1"))
        case "route": self = .route(try Route(afterScheme: rest))
        case "serial": self = .serial(try Serial(afterScheme: rest))
        case "sim": self = .route(try Route(builtInName: rest))
        default: throw .unknownScheme(scheme)
        }
    }

    /// Letters, digits, `+`, `-` and `.`, a letter first (RFC 3986, 3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.first, first.isASCII, first.isLetter else { return false }
        return text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "+" || $0 == "-" || $0 == "." }
    }
}

extension SourceURL: CustomStringConvertible {
    /// The URL in full: `gpsd://localhost:2947`.
    public var description: String {
        switch self {
        case .gpsd(let gpsd): gpsd.urlText
        case .nmea(let nmea): nmea.urlText
        case .nmeaTCP(let server): "nmea-tcp://" + server.authorityText
        case .nmeaUDP(let socket): "nmea-udp://" + socket.authorityText
        case .serial(let serial): serial.urlText
        case .replay(let replay): replay.urlText
        case .route(let route): route.urlText
        case .exec(let program): program.urlText
        }
    }
}
