import WaypostKit

/// A run so far: a value, so that its rules are tested without a source.
public struct Run: Sendable {
    /// Slower than this is standing, in metres per second: a walker is twice as fast.
    static let standing = 0.7
    /// A runner who stands for this long has paused.
    static let patience: Int64 = 5_000

    /// The way so far, in metres.
    public private(set) var metres = 0.0
    /// The time so far, pauses left out.
    public var moving: Duration { .milliseconds(milliseconds) }

    private var milliseconds: Int64 = 0
    private var last: Position?
    /// How long the runner has been standing.
    private var standing: Int64 = 0
    private var isPaused = false
    /// The complete kilometres, and when the last one was complete.
    private var kilometres = (count: 0, at: Int64(0))

    /// A run that has not begun.
    public init() {}

    /// The way from here to the next position is unknown.
    public mutating func lose() { last = nil }

    /// Processes a position; returns what there is to tell.
    public mutating func process(_ position: Position) -> [RunningWord] {
        guard let time = position.time else { return [] }
        defer { last = position }
        guard let last, let before = last.time, time > before else { return [] }
        let step = time.millisecondsSince1970 - before.millisecondsSince1970
        let way = Geodesic.distanceMetres(from: last.coordinate, to: position.coordinate)
        guard position.speedMetresPerSecond ?? (way / (Double(step) / 1_000)) >= Run.standing else { return stand(step) }
        let words: [RunningWord] = isPaused ? [.resumed] : []
        // A short stop was none.
        if !isPaused { milliseconds += standing }
        (isPaused, standing) = (false, 0)
        milliseconds += step
        metres += way
        return words + completed()
    }

    private mutating func stand(_ step: Int64) -> [RunningWord] {
        standing += step
        guard !isPaused, standing >= Run.patience else { return [] }
        isPaused = true
        return [.paused]
    }

    private mutating func completed() -> [RunningWord] {
        guard metres >= Double(kilometres.count + 1) * 1_000 else { return [] }
        let took = milliseconds - kilometres.at
        kilometres = (kilometres.count + 1, milliseconds)
        return [.kilometre(kilometres.count, took: .milliseconds(took))]
    }
}
