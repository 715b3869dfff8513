import Waypost

/// Decides when a track ends although fixes go on.
///
/// - A fix of another UTC day than the track's first one belongs into another track, whether the day before ended or the clock jumped.
/// - A journal of that many bytes is long enough.
/// - A receiver whose date flickers must not fill the folder with files: after ten tracks of less than ten fixes the day does not end one
///   until it has ten; a track of a hundred fixes ends the suspicion.
public struct RotationRule: Sendable, Hashable {
    private let maximumByteCount: Int64
    private var day: Int64?
    private var positionCount = 0
    private var shortTrackCount = 0

    private static let fewPositions = 10
    private static let manyPositions = 100
    private static let manyShortTracks = 10

    /// A rule for journals of at most about that many bytes; 0 for any.
    public init(maximumByteCount: Int64) {
        self.maximumByteCount = maximumByteCount
    }

    /// Whether the track, whose journal has that many bytes, ends before a fix of that time.
    public func isDue(before time: UTCTime, byteCount: Int64) -> Bool {
        if maximumByteCount > 0, byteCount >= maximumByteCount { return true }
        guard let day, day != time.day else { return false }
        return positionCount >= RotationRule.fewPositions || shortTrackCount < RotationRule.manyShortTracks
    }

    /// Takes that a track began, with a fix or event of that time.
    public mutating func begin(at time: UTCTime) {
        if positionCount >= RotationRule.manyPositions {
            shortTrackCount = 0
        } else if day != nil, positionCount < RotationRule.fewPositions {
            shortTrackCount += 1
        }
        day = time.day
        positionCount = 0
    }

    /// Takes that a fix went into the track.
    public mutating func count() {
        positionCount += 1
    }
}
