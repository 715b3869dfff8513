/// A way in which something breaks its contract, in words for the person who fixes it.
public struct Violation: Sendable, Equatable, CustomStringConvertible {
    /// What was expected and what happened instead.
    public var description: String

    /// A violation in those words.
    public init(_ description: String) {
        self.description = description
    }
}
