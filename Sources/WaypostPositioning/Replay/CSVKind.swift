import Waypost

/// A table of positions, played: `csv:FILE`.
package struct CSVKind: RecordingKind {
    package static let format = RecordingFormat.csv
    package static let documentation = "a table of positions, played likewise"
    package var drive: RecordedDrive

    package init(_ drive: RecordedDrive) { self.drive = drive }
}
