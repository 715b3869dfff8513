import Waypost
import WaypostSystem

/// A recording that is played as if it happened now, as a URL describes it: `FILE?style=S&interval=I&speed=X&times=T`.
package struct RecordedDrive: Hashable, Sendable {
    /// The file.
    package var path: String
    /// How it is played.
    package var options: ReplaySource.Options

    /// A recording, by default played like the drive itself.
    package init(_ path: String, options: ReplaySource.Options = .init()) {
        (self.path, self.options) = (path, options)
    }

    /// Reads what follows the scheme, which is the name of the recording's format; the options may be missing.
    init(_ text: Substring, scheme: String) throws(SourceURLError) {
        let file = try URLFile(text, scheme: scheme, example: "drive.\(scheme)")
        self.init(file.path)
        var read = SourceOptions(file.options, known: ["style", "interval", "speed", "times"])
        options.style = try read.word("style", among: ReplaySchedule.Style.allCases.map { ($0.rawValue, $0) }) ?? options.style
        options.interval = try read.interval().map { .seconds($0) } ?? options.interval
        options.speed = try read.playbackSpeed() ?? options.speed
        options.rebasesTimes = try read.word("times", among: [("rebased", true), ("original", false)]) ?? options.rebasesTimes
        try read.refuseUnknown()
    }

    /// The inverse: the text after the scheme.
    ///
    /// - Parameter namesStyle: whether the style is written even if it is the default.
    func text(namesStyle: Bool = false) -> String {
        var words: [String] = []
        if namesStyle || options.style != .actual { words.append("style=\(options.style.rawValue)") }
        if options.interval != .seconds(1) { words.append("interval=\(SourceOptions.numberText(options.interval / .seconds(1)))") }
        if options.speed != 1 { words.append("speed=\(SourceOptions.numberText(options.speed))") }
        if !options.rebasesTimes { words.append("times=original") }
        return URLFile.text(path, options: words)
    }
}

/// A kind of source that plays recordings of one format: `FORMAT:FILE[?style=S&interval=I&speed=X&times=T]`.
package protocol RecordingKind: SourceKind {
    /// The format; its name is the scheme.
    static var format: RecordingFormat { get }
    /// The content of one URL.
    var drive: RecordedDrive { get }
    /// A recording.
    init(_ drive: RecordedDrive)
}

extension RecordingKind {
    package static var scheme: String { format.rawValue }
    package static var forms: [String] { ["\(scheme):FILE[?style=S&speed=X]"] }
    package static var isPlayed: Bool { true }

    package init(afterScheme text: Substring) throws(SourceURLError) { self.init(try RecordedDrive(text, scheme: Self.scheme)) }
    package var afterScheme: String { drive.text() }
    package var file: String? { drive.path }

    package func tryFile(at path: String) throws(PositionSourceError) { try RecordingFeed.tryOut(path: path, format: Self.format) }

    package func remark(onFileAt path: String) throws(SystemError) -> String? {
        try RecordingTrial(path: path, format: Self.format).remark
    }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource {
        ReplaySource(path: drive.path, format: Self.format, options: drive.options)
    }
}
