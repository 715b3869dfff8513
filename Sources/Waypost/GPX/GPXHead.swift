/// The parts of a GPX file before its first waypoint, route or track.
public struct GPXHead: Sendable, Hashable {
    /// A namespace prefix.
    struct Namespace: Hashable {
        var prefix: String
        var uri: String
    }

    /// The prefixes that the root declares.
    var namespaces: [Namespace] = []
    /// The metadata.
    public var other = GPXOtherElements()

    /// Creates an empty head.
    public init() {}
}
