/// What keeps a source from delivering: in words, and as a fact where that tells what to do about it.
///
/// A text literal is one, with or without interpolations.
public struct LossDetail: Sendable, Hashable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// What has happened, or what the system or the other side said, for people.
    public var words: String
    /// What a person can do about it; nil where the words say nothing of that.
    public var advice: String?
    /// What stands in the way, where that is known.
    public var obstacle: SourceObstacle?

    /// A detail from its parts.
    public init(_ words: String, advice: String? = nil, obstacle: SourceObstacle? = nil) {
        self.words = words
        self.advice = advice
        self.obstacle = obstacle
    }

    /// Words alone.
    public init(stringLiteral words: String) { self.init(words) }

    /// What has happened, and what to do.
    public var description: String { advice.map { "\(words); \($0)" } ?? words }
}

/// Something that stands between a source and its receiver, and that a person can do something about.
public enum SourceObstacle: Sendable, Hashable {
    /// Nobody answers at gpsd's address.
    case noGPSD(isLocal: Bool)
    /// gpsd answers, and has no receiver; the lines of this machine that one may be on, the likeliest first.
    case gpsdWithoutReceiver(isLocal: Bool, candidates: [Candidate] = [])
    /// Nothing is plugged in that may be opened without being named; what else there is, the likeliest first.
    case noKnownReceiver(candidates: [Candidate])
    /// This user may not open the port; the group that may.
    case notPermitted(path: String, group: String?)
    /// gpsd has the port on its list.
    case heldByGPSD(path: String)
    /// The receiver sends one fix again and again.
    case repeatedFix
    /// Nothing that comes is NMEA or JSON with positions.
    case unreadable

    /// A serial line that a receiver may be on.
    public struct Candidate: Sendable, Hashable {
        /// The path to name it by; one that lasts, where there is one.
        public var path: String
        /// What it is, as far as that is known; nil for a line of the board, which every machine may have.
        public var words: String?

        /// A candidate from its parts.
        public init(path: String, words: String?) {
            self.path = path
            self.words = words
        }
    }
}

extension SourceObstacle.Candidate {
    /// The lines that are not known as receivers, the likeliest first: bridges that receivers come with, other USB lines, the board's own;
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

    /// The lines that gpsd may be given: the known receivers, then the others.
    static func forGPSD(of devices: [SerialDevice]) -> [SourceObstacle.Candidate] {
        let known = devices.filter(\.isKnownGNSS).map { device in
            SourceObstacle.Candidate(path: device.byIDNames.first ?? device.path, words: device.knownReceiver)
        }
        return known + all(of: devices)
    }
}
