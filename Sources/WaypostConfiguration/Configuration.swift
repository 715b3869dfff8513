/// What the tracker is told to do: the one configuration type.
///
/// It is read from `waypost.toml` and the files of `conf.d` beside it by ``load(path:paths:)``. Each property is one key of the table
/// in `Configuration+Keys.swift`, where its name, type, unit and description stand.
public struct Configuration: Equatable, Sendable {
    /// Where positions come from, best first; never empty after loading.
    public var sources: [Source]
    /// How positions are come by.
    public var tracking: Tracking
    /// The recorded tracks.
    public var log: Log
    /// The control socket.
    public var control: Control

    /// One source of positions: `[[source]]`.
    public struct Source: Equatable, Sendable {
        /// What it is and where.
        public var url: SourceURL

        /// A source.
        public init(url: SourceURL) {
            self.url = url
        }
    }

    /// How positions are come by: `[tracking]`.
    public struct Tracking: Equatable, Sendable {
        /// How long a source that delivers data may take to its first fix before another one that has a fix is used.
        public var firstFixTimeout: Duration
    }

    /// The recorded tracks: `[log]`.
    public struct Log: Equatable, Sendable {
        /// The folder of the tracks.
        public var directory: String
        /// How much of the newest track a power cut may take.
        public var syncInterval: Duration
    }

    /// The control socket: `[control]`.
    public struct Control: Equatable, Sendable {
        /// The socket's path.
        public var socket: String
    }

    /// The built-in defaults, with a user's default paths.
    public init(paths: DefaultPaths) {
        sources = [Source(url: .gpsd(.init())), Source(url: .serial(.init(.automatic)))]
        tracking = Tracking(firstFixTimeout: .seconds(60))
        log = Log(directory: paths.logDirectory, syncInterval: .seconds(10))
        control = Control(socket: paths.socket)
    }
}
