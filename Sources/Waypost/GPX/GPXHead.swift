/// What a GPX file says before its first waypoint, route or track.
public struct GPXHead: Sendable, Hashable {
    /// A prefix of a namespace.
    struct Namespace: Hashable {
        var prefix: String
        var uri: String
    }

    /// The prefixes that its root declares.
    var namespaces: [Namespace] = []
    /// Its metadata.
    public var other = GPXOtherElements()

    /// An empty head.
    public init() {}
}
