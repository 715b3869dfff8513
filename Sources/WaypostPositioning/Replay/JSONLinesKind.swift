import Waypost

/// Lines of JSON in gpsd's names, played: `jsonl:FILE`.
package struct JSONLinesKind: RecordingKind {
    package static let format = RecordingFormat.jsonl
    package static let documentation = "lines of JSON, played likewise"
    package var drive: RecordedDrive

    package init(_ drive: RecordedDrive) { self.drive = drive }
}
