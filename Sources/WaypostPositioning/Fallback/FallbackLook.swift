/// Whether a fallback first looks at what has come before it decides.
///
/// After this process was stopped or held up, its own pause would count as the silence of its sources. The look also lets the source in use say
/// first what is wrong.
/// - Concurrency: a value; milliseconds of one monotonic clock, given by the caller.
struct FallbackLook {
    /// How long it looks; a source needs 100 ms to judge its line.
    static let milliseconds: Int64 = 200
    /// The same after a real pause: there may be much, on a machine that is busy.
    static let longestMilliseconds: Int64 = 1_000

    /// When the look ends; nil when it may decide.
    private(set) var end: Int64?
    private var lastAt: Int64

    init(at now: Int64) { lastAt = now }

    /// Whether it may decide now.
    ///
    /// - Parameter deadline: the next moment, after the last call, at which something is decided without news.
    mutating func isOver(at now: Int64, deadline: Int64?) -> Bool {
        let isLate = now - lastAt > 2 * FallbackLook.milliseconds
        lastAt = now
        if let end {
            self.end = now < end ? end : nil
        } else if isLate, let deadline, deadline <= now {
            end = now + (now - deadline < FallbackLook.milliseconds ? FallbackLook.milliseconds : FallbackLook.longestMilliseconds)
        }
        return end == nil
    }
}
