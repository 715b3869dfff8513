import Waypost

/// Finds the breaks of a recording that does not mark them: where the position was lost.
///
/// Whether a long pause between two fixes is a loss depends on the rhythm of the fixes on both sides of it. So the fix behind one, and
/// everything after it, waits for 32 more fixes, or for the end of the input. That a break is found does not depend on how the input comes.
struct TrackBreaks {
    /// What waits for the fixes after it.
    private enum Waiting {
        /// A fix, its number, and whether it comes after a long pause.
        case fix(Position, number: Int, isDoubtful: Bool)
        case item(RecordingItem)
    }

    /// What can be written.
    enum Output {
        case fix(Position, isBreak: Bool)
        case item(RecordingItem)
    }

    /// How many fixes after a long pause are known before it is judged.
    static let fixesAhead = 32
    /// The most that waits: reports without a fix can come for hours.
    static let mostWaiting = 4_096

    /// Whether a report without place and time is the mark of a break, as in our tables.
    private let marksBreaks: Bool
    private var losses = RecordingLosses()
    private var hasFix = false
    private var lastForeseen: UTCTime?
    private var fixCount = 0
    private var waiting: [Waiting] = []
    private var nextWaiting = 0

    init(marksBreaks: Bool = false) { self.marksBreaks = marksBreaks }

    /// Whether everything that came before has been given.
    var isEmpty: Bool { nextWaiting == waiting.count }

    /// Takes the next fix; true when it must wait.
    mutating func waits(_ position: Position) -> Bool {
        let isDoubtful = isDoubtful(position.time)
        losses.foresee(position.time)
        lastForeseen = position.time ?? lastForeseen
        fixCount += 1
        if !isDoubtful, isEmpty { return false }
        waiting.append(.fix(position, number: fixCount, isDoubtful: isDoubtful))
        return true
    }

    /// Takes something else; true when it must wait.
    mutating func waits(_ item: RecordingItem) -> Bool {
        if isEmpty { return false }
        waiting.append(.item(item))
        return true
    }

    /// The next that was waiting and can be written now.
    ///
    /// - Parameter isEnd: whether nothing follows.
    mutating func next(isEnd: Bool = false) -> Output? {
        if isEmpty { return nil }
        let first = waiting[nextWaiting]
        if case .fix(_, let number, true) = first, !isEnd, fixCount - number < TrackBreaks.fixesAhead,
            waiting.count - nextWaiting < TrackBreaks.mostWaiting
        {
            return nil
        }
        nextWaiting += 1
        if isEmpty || nextWaiting >= TrackBreaks.mostWaiting {
            waiting.removeFirst(nextWaiting)
            nextWaiting = 0
        }
        switch first {
        case .fix(let position, _, _): return .fix(position, isBreak: isBreak(beforeFixAt: position.time))
        case .item(let item): return .item(item)
        }
    }

    /// Whether the pause before a fix is so long that it may be a loss; one that is a loss by any rhythm needs no wait.
    private func isDoubtful(_ time: UTCTime?) -> Bool {
        guard let time = time?.millisecondsSince1970, let last = lastForeseen?.millisecondsSince1970 else { return false }
        let (step, isOverflow) = time.subtractingReportingOverflow(last)
        return !isOverflow && step > 5_000 && step <= ReplaySchedule.longestStep.milliseconds
    }

    /// Processes the next fix that is written; returns true when it begins a new stretch.
    mutating func isBreak(beforeFixAt time: UTCTime?) -> Bool {
        let isAfterLoss = losses.isLost
        let isBreak = (losses.addFix(at: time) || isAfterLoss) && hasFix
        hasFix = true
        return isBreak
    }

    /// Processes a point of a segment that is written: whoever states one ends the stretch of fixes before it.
    mutating func isBreakBeforeSegment() -> Bool {
        defer { hasFix = false }
        return hasFix
    }

    /// Processes a report without a fix that is written; true when the position has just been lost.
    @discardableResult
    mutating func addNoFix(at time: UTCTime?) -> Bool {
        guard time == nil, marksBreaks else { return losses.addNoFix(at: time) }
        defer { losses.lose() }
        return !losses.isLost
    }
}
