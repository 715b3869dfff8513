import Waypost

/// What a statement about a system rests on.
public struct Evidence: Equatable, Sendable {
    /// The file, as the system names it; for a command's output the command's name.
    public var file: String
    /// The line, counted from 1; nil for a file's mere presence, a link, or a measurement.
    public var line: Int?
    /// What the file says there.
    public var text: String

    /// Evidence from its parts.
    public init(file: String, line: Int? = nil, text: String) {
        self.file = file
        self.line = line
        self.text = text
    }

    /// `/boot/firmware/cmdline.txt:1: console=serial0,115200`.
    public var words: String {
        let place = oneLine(file, limit: 200) + (line.map { ":\($0)" } ?? "")
        return text.isEmpty ? place : "\(place): \(oneLine(text, limit: 160))"
    }
}
