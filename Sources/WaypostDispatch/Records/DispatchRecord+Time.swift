import Waypost

extension DispatchRecord {
    /// When it happened: as it says, when it was taken, or counted from its age; nil when nobody knows what time it is either.
    func bestTime(at now: UTCTime?) -> UTCTime? {
        if let time = time ?? position?.time ?? takenAt { return time }
        guard let now else { return nil }
        let age = self.age ?? .zero
        return now.advanced(byMilliseconds: -age.milliseconds)
    }
}
