import Waypost

/// A line of a watch.
public enum WatchLine: Sendable, Hashable {
    /// A position (TPV).
    case position(WatchedPosition)
    /// Where the last position is on the roads (MATCHED).
    case matched(MatchedLine)
    /// The receiver has no fix (TPV).
    case noFix(NoFix)
    /// The satellites in view (SKY).
    case sky(SkyView)
    /// An event (EVENT).
    case event(TrackerEvent)
    /// The position was lost (LOST).
    case lost(PositionLoss)
    /// The client was too slow for some lines (DROPPED).
    case dropped(DroppedLines)
    /// What the client may know has changed (AUTHORISATION_CHANGE).
    case authorisation(Authorisation)
    /// A line of a later version; its class.
    case other(String)

    /// Reads a line.
    ///
    /// - Parameter line: a line from the tracker, without the line feed.
    /// - Errors: it is not JSON, has no class, or lacks a member.
    public init(line: [UInt8]) throws(ControlAnswerError) {
        let value: JSONValue
        do { value = try JSONParser().parse(line) } catch { throw .notJSON(reason: "\(error)") }
        guard let name = value["class"]?.string else { throw .otherClass(expected: "TPV", found: nil) }
        switch name {
        case PositionLoss.className: self = .lost(try PositionLoss(value))
        case MatchedLine.className: self = .matched(try MatchedLine(value))
        case DroppedLines.className: self = .dropped(try DroppedLines(value))
        case AuthorisationChange.className: self = .authorisation(try AuthorisationChange(value).authorisation)
        case "EVENT":
            guard let event = TrackerEvent(value) else {
                throw .wrongMember(class: name, ControlMemberError(path: "event", expected: TrackerEvent.form))
            }
            self = .event(event)
        case "TPV", "SKY": self = try WatchLine.report(on: line, value, name)
        default: self = .other(name)
        }
    }

    private static func report(on line: [UInt8], _ value: JSONValue, _ name: String) throws(ControlAnswerError) -> WatchLine {
        do throws(TPVError) {
            switch try TPVCodec.decode(line) {
            case .position(let position): return .position(WatchedPosition(position, value))
            case .noFix(let report): return .noFix(report)
            case .sky(let view): return .sky(view)
            case nil: return .other(name)
            }
        } catch {
            throw .wrongMember(class: name, ControlMemberError(path: error.member ?? "", expected: "as the format of positions has it"))
        }
    }
}

/// A position that a watch sends, with its attributes.
public struct WatchedPosition: Sendable, Hashable {
    /// The position.
    public var position: Position
    /// Whether it is a significant change, or the last position before the first one.
    public var isSignificant: Bool
    /// Whether it was known before the watch began.
    public var isCached: Bool
    /// Its age in seconds; nil when that is not known.
    public var ageSeconds: Int?

    fileprivate init(_ position: Position, _ line: JSONValue) {
        self.position = position
        isSignificant = line["significant"]?.bool == true
        isCached = line["cached"]?.bool == true
        ageSeconds = line["age"]?.int
    }

    /// A position.
    ///
    /// - Parameters:
    ///   - position: the position.
    ///   - isSignificant: whether it is a significant change.
    ///   - isCached: whether it was known before the watch began.
    ///   - ageSeconds: its age in seconds; nil when that is not known.
    public init(_ position: Position, isSignificant: Bool = false, isCached: Bool = false, ageSeconds: Int? = nil) {
        self.position = position
        self.isSignificant = isSignificant
        self.isCached = isCached
        self.ageSeconds = ageSeconds
    }

    /// The line, without the line feed.
    public var line: [UInt8] {
        var text = TextBuffer(capacity: 512)
        TPVCodec.append(position, to: &text) { json in
            if isSignificant { json.member("significant", true) }
            if isCached { json.member("cached", true) }
            json.member("age", ageSeconds)
        }
        return text.bytes
    }
}

/// The position was lost: the receiver has no fix any more, or the source cannot be reached.
public struct PositionLoss: ControlAnswer {
    /// `LOST`.
    public static let className = "LOST"
    /// Its description in the guide of the control socket.
    public static let documentation = "The position was lost: the receiver has no fix any more, or the source cannot be reached."

    /// The reason, for programs.
    public var reason = LossCode.noFix
    /// The reason, for people.
    public var detail = ""
    /// The last known position; nil when there was none, or it must not be shown.
    public var lastPosition: Position?
    /// Its age in seconds; nil when it comes from an earlier run.
    public var lastPositionAgeSeconds: Int?

    /// A loss with no values set.
    public init() {}

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("reason", &reason, "The reason, for programs.")
        try codec.member("detail", &detail, "The reason, for people.")
        var last = lastPosition.map(PlainPosition.init)
        try codec.member("last", &last, isLenient: true, "The last known position: a TPV without its class.")
        lastPosition = last?.position
        try codec.member("last_age", &lastPositionAgeSeconds, "Its age in seconds; absent when it comes from an earlier run.")
    }
}

/// The client was too slow for some lines of its watch.
public struct DroppedLines: ControlAnswer {
    /// `DROPPED`.
    public static let className = "DROPPED"
    /// Its description in the guide of the control socket.
    public static let documentation = "The client was too slow, so the oldest lines of its watch were dropped."

    /// How many lines were dropped.
    public var count = 0

    /// An answer with no lines dropped.
    public init() {}

    /// An answer.
    ///
    /// - Parameter count: how many lines were dropped.
    public init(count: Int) {
        self.count = count
    }

    /// Passes its members to the codec.
    public mutating func code<Codec: ControlCodec>(with codec: inout Codec) throws(Codec.Failure) {
        try codec.member("count", &count, "How many lines were dropped.")
    }
}

/// Why there is no position, for programs.
public struct LossCode: ControlWord {
    /// The word on the wire.
    public let text: String

    /// A word from its text.
    public init(_ text: String) {
        self.text = text
    }

    /// The receiver has no fix.
    public static let noFix = LossCode("no_fix")
    /// Nothing comes from the source.
    public static let silent = LossCode("silent")
    /// The source's data is unusable.
    public static let unusable = LossCode("unusable")
    /// The source cannot be reached.
    public static let disconnected = LossCode("disconnected")
    /// The receiver was unplugged.
    public static let deviceGone = LossCode("device_gone")
    /// The source has ended by itself.
    public static let ended = LossCode("ended")
    /// Another source is used now.
    public static let replaced = LossCode("replaced")
    /// The device is inside a privacy zone.
    public static let privacyZone = LossCode("privacy_zone")
    /// Private mode is on.
    public static let privateMode = LossCode("private")

    /// The words of this version.
    public static let known: [LossCode] = [
        .noFix, .silent, .unusable, .disconnected, .deviceGone, .ended, .replaced, .privacyZone, .privateMode,
    ]
}
