import Waypost

/// The tracks of a KML file, played: `kml:FILE`.
package struct KMLKind: RecordingKind {
    package static let format = RecordingFormat.kml
    package static let documentation = "the tracks of a KML file, played likewise"
    package var drive: RecordedDrive

    package init(_ drive: RecordedDrive) { self.drive = drive }
}
