import Waypost

/// Where the track of one log type is interrupted.
struct TypeSegmenter {
    let type: LogType
    var rule: TrackSegmenter

    init(type: LogType, beginning: SegmentBreak) {
        self.type = type
        rule = TrackSegmenter(includesNotMeasured: type == .source, beginning: beginning)
    }
}

/// What happens to a position in the tracks of all types.
struct TypeDecision {
    /// The types whose tracks it belongs to.
    private(set) var accepted: LogTypes = []
    /// Why it belongs to none.
    private(set) var reason: TrackSegmenter.Reason?
    /// The breaks before the position.
    private(set) var breaks: [(JournalRecord.Content, LogTypes)] = []
    private var segmenters: [TypeSegmenter]

    /// Decides about a position of these types.
    init(_ position: Position, as types: LogTypes, _ segmenters: [TypeSegmenter]) {
        self.segmenters = segmenters
        var reasons: [(SegmentBreak, LogTypes)] = []
        for index in segmenters.indices where types.contains(LogTypes(segmenters[index].type)) {
            let type = LogTypes(segmenters[index].type)
            switch self.segmenters[index].rule.process(position) {
            case .leaveOut(let reason): self.reason = reason
            case .log(let segmentBreak):
                accepted.insert(type)
                guard let segmentBreak else { continue }
                if let known = reasons.firstIndex(where: { $0.0 == segmentBreak }) {
                    reasons[known].1.insert(type)
                } else {
                    reasons.append((segmentBreak, type))
                }
            }
        }
        breaks = reasons.map { (.segmentBreak($0.0), $0.1) }
    }

    /// The rules after that position.
    mutating func segmentersAfter() -> [TypeSegmenter] { segmenters }
}
