import Waypost
import WaypostDispatch
import WaypostPositioning

/// What the tracker is told to do: the one configuration type.
///
/// It is read from `waypost.toml` and the files of `conf.d` beside it by `load(path:paths:)`. Each property is one key of the table
/// in `Configuration+Keys.swift`, where its name, type, unit and description stand.
public struct Configuration: Equatable, Sendable {
    /// Where positions come from, best first; never empty after loading.
    public var sources: [Source]
    /// How positions are acquired.
    public var tracking: Tracking
    /// What switches the receiver off.
    public var power = Power()
    /// The recorded tracks.
    public var log: Log
    /// The fences that are watched.
    public var geofences = Geofences()
    /// Where positions and events are sent; those without a server are none.
    package var destinations = [DestinationConfiguration()]
    /// What waits to be sent.
    public var dispatch = Dispatch()
    /// What nobody is told.
    public var privacy: Privacy
    /// Who is told the time.
    public var time = Time()
    /// How people see quantities and times.
    public var display = Display()
    /// The control socket.
    public var control: Control

    /// One source of positions: `[[source]]`.
    public struct Source: Equatable, Sendable {
        /// What it is and where, as the configuration has it; ``url`` has the speed as well.
        package var writtenURL: SourceURL
        /// The speed of its line, as a key of its own says it.
        public var givenBaud = BaudSetting.automatic
        /// Whether nothing is ever sent to its receiver.
        public var neverWrites: Bool
        /// Whose gpsd of this machine is believed besides root's and gpsd's own; empty for nobody's.
        public var gpsdUser: String

        /// A source.
        package init(url: SourceURL, neverWrites: Bool = false, gpsdUser: String = "") {
            writtenURL = url
            self.neverWrites = neverWrites
            self.gpsdUser = gpsdUser
        }
    }

    /// How positions are acquired: `[tracking]`.
    public struct Tracking: Equatable, Sendable {
        /// Whether every fix is followed and logged; else significant changes alone.
        public var isHighAccuracy = true
        /// The distance between two fixes that are followed, at least, in metres; 0 = any.
        public var distanceFilterMetres = 0.0
        /// How exactly the tracker follows on its own account.
        public var accuracy = DesiredAccuracy.best
        /// So often the receiver is looked at while the device is at rest; 0 = it stays on.
        public var restInterval = Duration.zero
        /// How long a source that delivers data may take to its first fix before another one that has a fix is used.
        public var firstFixTimeout: Duration
    }

    /// What switches the receiver off: `[power]`.
    public struct Power: Equatable, Sendable {
        /// The command that is run with `on` or `off` behind it; empty = none.
        public var hook = ""
    }

    /// The recorded tracks: `[log]`.
    public struct Log: Equatable, Sendable {
        /// The folder of the tracks.
        public var directory: String
        /// How much of the newest track a power cut may take.
        public var syncInterval: Duration
        /// Which positions are logged, the main type first; without any the log is off.
        public var types: [LogType] = [.raw]
        /// The size of a journal that ends its track, bytes; 0 = any.
        public var rotateByteCount: Int64 = 16_000_000
        /// The longest time that a track is kept; 0 = for ever.
        public var maximumAge = Duration.zero
        /// The most that the log may have, bytes; 0 = any.
        public var maximumByteCount: Int64 = 0
        /// The least that the log leaves free on the disk, bytes; 0 = none.
        public var minimumFreeByteCount: Int64 = Log.usualFreeByteCount
        /// What is left free where nobody says anything else, but no more than a twentieth of the disk.
        public static let usualFreeByteCount: Int64 = 50_000_000
        /// Whether tracks are kept until every puller has acknowledged them.
        public var keepsUnpulled = false
        /// The shortest way between two fixes that are logged, metres; 0 = any.
        public var minDistanceMetres = 0.0
        /// The shortest time between two fixes that are logged; 0 = any.
        public var minInterval = Duration.zero
        /// A turn by so much is logged all the same, degrees; 0 = turns do not count.
        public var minTurnDegrees = 20.0
        /// The longest time without a logged fix while others are left out; 0 = any.
        public var heartbeat = Duration.seconds(300)
    }

    /// The fences that are watched: `[geofences]`.
    public struct Geofences: Equatable, Sendable {
        /// The fence file, or the folder of fence files; nil for none.
        public var file: String?
        /// The fence file of a web server; empty for none.
        public var url = ""
        /// How often the server is asked.
        public var refresh = Duration.seconds(3_600)
        /// How a change of side is decided.
        public var rule = BorderRule.robust
        /// How many fences count at most, the nearest; 0 = all.
        public var maxActive = 0
    }

    /// What waits to be sent: `[dispatch]`.
    public struct Dispatch: Equatable, Sendable {
        /// What this device calls itself; empty = the machine's name.
        public var device = ""
        /// Whether nothing is to be sent, and nothing waits.
        public var isOptedOut = false
        /// The most that waiting events may have, bytes.
        public var maximumByteCount: Int64 = 64_000_000
        /// The longest that an event waits; 0 = for ever.
        public var maximumAge = Duration.zero
        /// What may be sent for so long when the tracker is stopped.
        public var stopBudget = Duration.seconds(5)
    }

    /// What nobody is told: `[privacy]`.
    public struct Privacy: Equatable, Sendable {
        /// Places around which no position is logged, sent, shared or told.
        public var zones: [PrivacyZone] = []
        /// What is told inside of them.
        public var inside = PrivacyGate.Inside.nothing
    }

    /// Who is told the time: `[time]`.
    public struct Time: Equatable, Sendable {
        /// The socket of chrony's reference clock; nil for none.
        public var chronySocket: String?
    }

    /// How people see quantities and times: `[display]`.
    public struct Display: Equatable, Sendable {
        /// The units of distances, heights and speeds.
        public var units = UnitSystem.metric
        /// The time zone of times, such as `Europe/Zurich`; empty for the system's.
        public var timeZone = ""

        /// Metres, and the system's time zone, unless something else is said.
        public init(units: UnitSystem = .metric, timeZone: String = "") {
            self.units = units
            self.timeZone = timeZone
        }
    }

    /// The control socket: `[control]`.
    public struct Control: Equatable, Sendable {
        /// The socket's path.
        public var socket: String
    }

    /// The built-in defaults, with a user's default paths.
    public init(paths: DefaultPaths) {
        sources = [Source(url: SourceURL(GPSDKind())), Source(url: SourceURL(SerialKind(.automatic)))]
        tracking = Tracking(firstFixTimeout: .seconds(60))
        log = Log(directory: paths.logDirectory, syncInterval: .seconds(10))
        privacy = Privacy()
        control = Control(socket: paths.socket)
    }
}
