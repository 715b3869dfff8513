import Waypost

/// Decides when a track ends although fixes continue.
///
/// - A fix of a UTC day other than that of the track's first fix belongs to another track, whether the day ended or the clock jumped.
/// - A journal that has reached the maximum size ends its track.
/// - A receiver with a flickering date must not fill the folder with files: after ten tracks of fewer than ten fixes, a new day does not end a
///   track until it has ten; a track of a hundred fixes ends the suspicion.
package struct RotationRule: Sendable, Hashable {
    private let maximumByteCount: Int64
    private var day: Int64?
    private var positionCount = 0
    private var shortTrackCount = 0

    private static let fewPositions = 10
    private static let manyPositions = 100
    private static let manyShortTracks = 10

    /// Creates a rule for journals of at most about that many bytes; 0 for any.
    package init(maximumByteCount: Int64) {
        self.maximumByteCount = maximumByteCount
    }

    /// Whether the track, whose journal has that many bytes, ends before a fix at that time.
    package func isDue(before time: UTCTime, byteCount: Int64) -> Bool {
        if maximumByteCount > 0, byteCount >= maximumByteCount { return true }
        guard let day, day != time.day else { return false }
        return positionCount >= RotationRule.fewPositions || shortTrackCount < RotationRule.manyShortTracks
    }

    /// Notes that a track began, with a fix or event at that time.
    package mutating func begin(at time: UTCTime) {
        if positionCount >= RotationRule.manyPositions {
            shortTrackCount = 0
        } else if day != nil, positionCount < RotationRule.fewPositions {
            shortTrackCount += 1
        }
        day = time.day
        positionCount = 0
    }

    /// Notes that a fix was added to the track.
    package mutating func count() {
        positionCount += 1
    }
}
