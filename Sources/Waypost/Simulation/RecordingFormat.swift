/// The formats that are replayed.
public enum RecordingFormat: String, Sendable, Hashable, CaseIterable {
    /// GPX 1.0 and 1.1: the track points.
    case gpx
    /// NMEA 0183.
    case nmea
}
