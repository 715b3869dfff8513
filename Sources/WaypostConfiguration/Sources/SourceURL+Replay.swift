import Waypost

extension SourceURL {
    /// A recording that is played as if it happened now.
    public struct Replay: Equatable, Hashable, Sendable {
        /// What the file holds.
        public var format: RecordingFormat
        /// The file.
        public var path: String
        /// How its points become positions.
        public var style: ReplaySchedule.Style
        /// The time between positions in the styles that have one, in seconds.
        public var intervalSeconds: Double
        /// How many times faster than its own times; 0 is at once.
        public var speed: Double
        /// Whether its times are moved so that it begins now.
        public var rebasesTimes: Bool

        /// A replay like the drive itself, begun now.
        public init(
            _ path: String, format: RecordingFormat, style: ReplaySchedule.Style = .actual, intervalSeconds: Double = 1, speed: Double = 1,
            rebasesTimes: Bool = true
        ) {
            self.path = path
            self.format = format
            self.style = style
            self.intervalSeconds = intervalSeconds
            self.speed = speed
            self.rebasesTimes = rebasesTimes
        }
    }

    /// A simulated drive.
    public struct Route: Equatable, Hashable, Sendable {
        /// Along what.
        public enum Course: Equatable, Hashable, Sendable {
            /// The route, or else the track, of a GPX file.
            case file(String)
            /// One that needs no file.
            case builtIn(BuiltInRoute)
        }

        /// Along what.
        public var course: Course
        /// The speed in metres per second; a built-in drive has its own.
        public var speedMetresPerSecond: Double
        /// The time between positions in seconds.
        public var intervalSeconds: Double

        /// A drive at 20 m/s with a position every second.
        public init(_ course: Course, speedMetresPerSecond: Double = 20, intervalSeconds: Double = 1) {
            self.course = course
            self.speedMetresPerSecond = speedMetresPerSecond
            self.intervalSeconds = intervalSeconds
        }
    }
}

extension SourceURL.Replay {
    /// Reads `FILE?style=S&interval=I&speed=X&times=T`; the options may be missing.
    init(afterScheme text: Substring, format: RecordingFormat) throws(SourceURLError) {
        let (fileText, options) = SourceURL.splitOptions(text)
        guard !fileText.isEmpty, fileText != "-" else { throw .missingFile(scheme: format.rawValue) }
        self.init(try PercentCoding.decode(fileText), format: format)
        var read = SourceOptions(options, known: ["style", "interval", "speed", "times"])
        style = try read.word("style", among: ReplaySchedule.Style.allCases.map { ($0.rawValue, $0) }) ?? style
        intervalSeconds = try read.interval() ?? intervalSeconds
        speed = try read.playbackSpeed() ?? speed
        rebasesTimes = try read.word("times", among: [("rebased", true), ("original", false)]) ?? rebasesTimes
        try read.refuseUnknown()
    }

    var urlText: String {
        var options: [String] = []
        // An nmea: without any of its options would be no replay.
        if style != .actual || format == .nmea { options.append("style=\(style.rawValue)") }
        if intervalSeconds != 1 { options.append("interval=\(SourceURL.numberText(intervalSeconds))") }
        if speed != 1 { options.append("speed=\(SourceURL.numberText(speed))") }
        if !rebasesTimes { options.append("times=original") }
        let file = path == "-" ? "%2D" : PercentCoding.encode(path)
        return "\(format.rawValue):\(file)" + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
    }
}

extension SourceURL.Route {
    /// Reads `FILE?speed=V&interval=I`; the options may be missing.
    init(afterScheme text: Substring) throws(SourceURLError) {
        let (fileText, options) = SourceURL.splitOptions(text)
        guard !fileText.isEmpty, fileText != "-" else { throw .missingFile(scheme: "route") }
        self.init(.file(try PercentCoding.decode(fileText)))
        var read = SourceOptions(options, known: ["speed", "interval"])
        speedMetresPerSecond = try read.drivingSpeed() ?? speedMetresPerSecond
        intervalSeconds = try read.interval() ?? intervalSeconds
        try read.refuseUnknown()
    }

    /// Reads `walk`, `city`, `freeway` or `none`.
    init(builtInName text: Substring) throws(SourceURLError) {
        guard let builtIn = BuiltInRoute(rawValue: String(text)) else { throw .unknownDrive(String(text)) }
        self.init(.builtIn(builtIn))
    }

    var urlText: String {
        switch course {
        case .builtIn(let builtIn): return "sim:\(builtIn.rawValue)"
        case .file(let path):
            var options: [String] = []
            if speedMetresPerSecond != 20 { options.append("speed=\(SourceURL.numberText(speedMetresPerSecond))") }
            if intervalSeconds != 1 { options.append("interval=\(SourceURL.numberText(intervalSeconds))") }
            let file = path == "-" ? "%2D" : PercentCoding.encode(path)
            return "route:\(file)" + (options.isEmpty ? "" : "?" + options.joined(separator: "&"))
        }
    }
}
