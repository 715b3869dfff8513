/// Why a source does not deliver: in words, and as a fact where the fact decides what to do about it.
///
/// A text literal can stand for a detail, with or without interpolations.
public struct LossDetail: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// What has happened, or the message of the system or of the other side, for people.
    public var words: String
    /// What a person can do about it; nil where no remedy is known.
    public var advice: String?
    /// The obstacle, where it is known.
    public var obstacle: SourceObstacle?

    /// A detail from its parts.
    public init(_ words: String, advice: String? = nil, obstacle: SourceObstacle? = nil) {
        self.words = words
        self.advice = advice
        self.obstacle = obstacle
    }

    /// A detail from words alone.
    public init(stringLiteral words: String) { self.init(words) }

    /// What has happened, and what to do.
    public var description: String { advice.map { "\(words); \($0)" } ?? words }
}

/// An obstacle between a source and its receiver that a person can remove.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SourceObstacle: Sendable, Hashable {
    /// Nothing answers at gpsd's address.
    case noGPSD(isLocal: Bool)
    /// Nothing answers at an address of this machine, which has no gpsd.
    case gpsdNotInstalled
    /// The name of the source's host has no address.
    case unknownHost(String)
    /// gpsd answers, but has no receiver; the lines of this machine that one may be on, the likeliest first.
    case gpsdWithoutReceiver(isLocal: Bool, candidates: [Candidate] = [])
    /// No device is plugged in that may be opened without being named; the other lines, the likeliest first.
    case noKnownReceiver(candidates: [Candidate])
    /// This user may not open the port; the group whose members may, if there is one.
    case notPermitted(path: String, group: String?)
    /// gpsd has the port on its list.
    case heldByGPSD(path: String)
    /// Another program has the port open.
    case heldByAnother(path: String)
    /// The receiver sends the same fix again and again.
    case repeatedFix
    /// The data is neither NMEA nor JSON with positions.
    case unreadable

    /// A serial line that may have a receiver.
    public struct Candidate: Sendable, Hashable {
        /// The path to name it by; a permanent one, where there is one.
        public var path: String
        /// A description, as far as it is known; nil for a line of the board, which every machine may have.
        public var words: String?

        /// A candidate from its parts.
        public init(path: String, words: String?) {
            self.path = path
            self.words = words
        }
    }
}

extension SourceObstacle.Candidate {
    /// The lines that are not known as receivers, the likeliest first: bridges that are common with receivers, other USB lines, the board's own;
    /// never a console.
    static func all(of devices: [SerialDevice]) -> [SourceObstacle.Candidate] {
        let rank = { (device: SerialDevice) in device.possibleReceiver != nil ? 0 : device.vendorID != nil ? 1 : 2 }
        return devices.filter { !$0.isKnownGNSS && !$0.isConsole }.enumerated()
            .sorted { (rank($0.element), $0.offset) < (rank($1.element), $1.offset) }
            .map { _, device in
                let words = device.possibleReceiver ?? device.productName ?? (device.vendorID == nil ? nil : "USB")
                return SourceObstacle.Candidate(path: device.byIDNames.first ?? device.path, words: words)
            }
    }

    /// The lines that can be given to gpsd: the known receivers, then the others.
    static func forGPSD(of devices: [SerialDevice]) -> [SourceObstacle.Candidate] {
        let known = devices.filter(\.isKnownGNSS).map { device in
            SourceObstacle.Candidate(path: device.byIDNames.first ?? device.path, words: device.knownReceiver)
        }
        return known + all(of: devices)
    }
}
