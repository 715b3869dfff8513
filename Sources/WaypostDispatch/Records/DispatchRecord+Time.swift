import Waypost

extension DispatchRecord {
    /// When it happened: by its own time, by its time of acceptance, or calculated from its age; nil when the time of day is unknown, too.
    func bestTime(at now: UTCTime?) -> UTCTime? {
        if let time = time ?? position?.time ?? takenAt { return time }
        guard let now else { return nil }
        let age = self.age ?? .zero
        return now.advanced(byMilliseconds: -age.milliseconds)
    }
}
