import Waypost

/// The track points of a GPX file, played: `gpx:FILE`.
package struct GPXKind: RecordingKind {
    package static let format = RecordingFormat.gpx
    package static let documentation = "a GPX track, played as if it happened now"
    package var drive: RecordedDrive

    package init(_ drive: RecordedDrive) { self.drive = drive }
}
