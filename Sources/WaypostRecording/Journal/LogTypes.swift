import Waypost

/// A set of `LogType`s, as stored in a journal.
public struct LogTypes: OptionSet, Sendable, Hashable {
    /// One bit per type.
    public let rawValue: UInt8

    /// Creates a set from its bits.
    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Creates the set of one type.
    public init(_ type: LogType) {
        switch type {
        case .source: self = .source
        case .raw: self = .raw
        case .current: self = .current
        case .matched: self = .matched
        }
    }

    /// See `LogType/source`.
    public static let source = LogTypes(rawValue: 1)
    /// See `LogType/raw`.
    public static let raw = LogTypes(rawValue: 2)
    /// See `LogType/current`.
    public static let current = LogTypes(rawValue: 4)
    /// See `LogType/matched`.
    public static let matched = LogTypes(rawValue: 8)
    /// Every type.
    public static let all: LogTypes = [.source, .raw, .current, .matched]
}
