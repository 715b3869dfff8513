import Waypost
import WaypostSystem

/// NMEA 0183 from a file, a FIFO or standard input, as it is: `nmea:FILE[?speed=X]`, `nmea:-`; with one of the other options of
/// ``RecordedDrive``, it is played like any recording.
package struct NMEAKind: SourceKind {
    package static let scheme = "nmea"
    package static let forms = ["nmea:FILE[?speed=X]"]
    package static let documentation = "an NMEA recording or a FIFO; nmea:- is standard input"
    package static let isPlayed = true

    /// How the sentences are used.
    package enum Use: Hashable, Sendable {
        /// They are read as they are: everything that the receiver sent, at its own times; the path `-` is standard input.
        ///
        /// The speed is how many times as fast as recorded, 0 as fast as possible; nil is the default of the input.
        case followed(path: String, speed: Double?)
        /// Only their positions are played.
        case played(RecordedDrive)
    }

    /// How the sentences are used.
    package var use: Use

    /// Sentences that are read as they are.
    package init(_ path: String, speed: Double? = nil) {
        use = .followed(path: path, speed: speed)
    }

    /// A recording that is played.
    package init(_ drive: RecordedDrive) {
        use = .played(drive)
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        let (fileText, options) = URLFile.split(text)
        if options.contains(where: { ["style", "interval", "times"].contains($0.name) }) {
            self.init(try RecordedDrive(text, scheme: Self.scheme))
        } else {
            let example = "drive.nmea, or - for the standard input"
            let path = fileText == "-" ? "-" : try URLFile(text, scheme: Self.scheme, example: example).path
            var read = SourceOptions(options, known: ["speed"])
            self.init(path, speed: try read.playbackSpeed())
            try read.refuseUnknown()
        }
    }

    package var afterScheme: String {
        switch use {
        case .followed(let path, let speed): URLFile.text(path, options: speed.map { ["speed=\(SourceOptions.numberText($0))"] } ?? [])
        case .played(let drive): drive.text(namesStyle: true)
        }
    }

    package var file: String? {
        switch use {
        case .followed(let path, _): path == "-" ? nil : path
        case .played(let drive): drive.path
        }
    }

    package func tryFile(at path: String) throws(PositionSourceError) {
        switch use {
        case .followed: try NMEAFileReader.tryOut(path: path)
        case .played: try RecordingFeed.tryOut(path: path, format: .nmea)
        }
    }

    package func remark(onFileAt path: String) throws(SystemError) -> String? { try RecordingTrial(path: path, format: .nmea).remark }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource {
        switch use {
        case .followed(let path, let speed): NMEAFileSource(path: path, speed: speed)
        case .played(let drive): ReplaySource(path: drive.path, format: .nmea, options: drive.options)
        }
    }
}
