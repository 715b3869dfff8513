/// Why bytes are not a road file that this version can use.
public enum RoadFileError: Error, Sendable, Equatable {
    /// They do not begin like one.
    case foreign
    /// They have another version of the format.
    case version(UInt32)
    /// The file ends before it should.
    case truncated(bytes: Int, of: UInt64)
    /// It is being written.
    case changing
    /// A part of it has changed since it was written.
    case damaged(part: String)
}

extension RoadFileError: CustomStringConvertible {
    /// For people.
    public var description: String {
        switch self {
        case .foreign: "is not a road file"
        case .version(let version): "has version \(version) of the road file, and \(RoadFileLayout.version) is needed"
        case .truncated(let bytes, let whole): "is incomplete: \(bytes) bytes of \(whole)"
        case .changing: "is being written"
        case .damaged(let part): "is damaged: \(part)"
        }
    }
}
