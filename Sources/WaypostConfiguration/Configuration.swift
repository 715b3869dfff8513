import Waypost
import WaypostDispatch
import WaypostPositioning
import WaypostSystem

/// The configuration of the tracker.
///
/// `load(path:paths:)` reads it from `waypost.toml` and the files of `conf.d` beside it. Each property is one key of the table in
/// `Configuration+Keys.swift`, which has its name, type, unit and description.
public struct Configuration: Equatable, Sendable {
    /// Where positions come from, best first; never empty after loading.
    public var sources: [Source]
    /// How positions are acquired.
    public var tracking: Tracking
    /// What turns the receiver off while nobody needs it.
    public var power = Power()
    /// The recorded tracks.
    public var log: Log
    /// The fences that are watched.
    public var geofences = Geofences()
    /// Where positions and events are sent; a destination without a server is ignored.
    package var destinations = [DestinationConfiguration()]
    /// The queue of records to send.
    public var dispatch = Dispatch()
    /// Where nothing is logged, sent or shared.
    public var privacy: Privacy
    /// What gets the time of the fixes.
    public var time = Time()
    /// How quantities and times are shown to people.
    public var display = Display()
    /// The control socket.
    public var control: Control

    /// One source of positions: `[[source]]`.
    public struct Source: Equatable, Sendable {
        /// The URL as it is written; ``url`` includes the speed.
        package var writtenURL: SourceURL
        /// The speed of the serial line, from the key `baud`.
        public var givenBaud = BaudSetting.automatic
        /// Whether nothing is ever sent to its receiver.
        public var neverWrites: Bool
        /// Another user whose gpsd on this machine is trusted, besides root and user gpsd; empty for none.
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
        /// Whether every fix is followed and logged, or only significant changes.
        public var isHighAccuracy = true
        /// The least distance between two fixes that are followed, in metres; 0 = any.
        public var distanceFilterMetres = 0.0
        /// The level of accuracy of the tracker's own positions.
        public var accuracy = DesiredAccuracy.best
        /// Another product whose rules decide what is followed.
        public var compatibility = Compatibility.none
        /// How often the receiver is turned on while the device is at rest; 0 = it stays on.
        public var restInterval = Duration.zero
        /// How long a source that delivers data may take until its first fix; after that, a fallback that has a fix is used.
        public var firstFixTimeout: Duration
    }

    /// Another product whose rules decide what is followed.
    public enum Compatibility: String, Sendable, Hashable, CaseIterable {
        /// None: the keys say what is followed.
        case none
        /// Tealium's Location module: `TealiumMode`.
        case tealium
    }

    /// What turns the receiver off: `[power]`.
    public struct Power: Equatable, Sendable {
        /// The command that is run with the argument `on` or `off`; empty = none.
        public var hook = ""
    }

    /// The recorded tracks: `[log]`.
    public struct Log: Equatable, Sendable {
        /// The folder of the tracks.
        public var directory: String
        /// A power cut loses at most this much of the newest track.
        public var syncInterval: Duration
        /// Which positions are logged, the main type first; if empty, the log is off.
        public var types: [LogType] = [.raw]
        /// The size of a journal that ends its track, bytes; 0 = any.
        public var rotateByteCount: Int64 = 16_000_000
        /// How long tracks are kept; 0 = forever.
        public var maximumAge = Duration.zero
        /// The largest size of the log, bytes; 0 = any.
        public var maximumByteCount: Int64 = 0
        /// How much space the log leaves free on the disk, bytes; 0 = none.
        public var minimumFreeByteCount: Int64 = Log.usualFreeByteCount
        /// The default of ``minimumFreeByteCount``, which is also limited to a twentieth of the disk.
        public static let usualFreeByteCount: Int64 = 50_000_000
        /// Whether tracks are kept until every puller has acknowledged them.
        public var keepsUnpulled = false
        /// The least distance between two fixes that are logged, metres; 0 = any.
        public var minDistanceMetres = 0.0
        /// The least time between two fixes that are logged; 0 = any.
        public var minInterval = Duration.zero
        /// A turn of at least this much is logged even if the fix would be skipped, degrees; 0 = turns do not count.
        public var minTurnDegrees = 20.0
        /// The longest time without a logged fix while fixes are skipped; 0 = any.
        public var heartbeat = Duration.seconds(300)
    }

    /// The fences that are watched: `[geofences]`.
    public struct Geofences: Equatable, Sendable {
        /// The fence file, or the folder of fence files; nil for none.
        public var file: String?
        /// The URL of a fence file on a web server; empty for none.
        public var url = ""
        /// How often the server is asked for changes.
        public var refresh = Duration.seconds(3_600)
        /// How it is decided that a border was crossed.
        public var rule = BorderRule.robust
        /// How many fences are watched at most, the nearest ones; 0 = all.
        public var maxActive = 0
    }

    /// The queue of records to send: `[dispatch]`.
    public struct Dispatch: Equatable, Sendable {
        /// The name of this device; empty = the host name.
        public var device = ""
        /// Whether nothing is sent and nothing is queued.
        public var isOptedOut = false
        /// The largest size of the queued events, bytes.
        public var maximumByteCount: Int64 = 64_000_000
        /// How long an event is kept in the queue; 0 = forever.
        public var maximumAge = Duration.zero
        /// How long the tracker may keep sending after it is stopped.
        public var stopBudget = Duration.seconds(5)
    }

    /// Where nothing is logged, sent or shared: `[privacy]`.
    public struct Privacy: Equatable, Sendable {
        /// Places around which no position is logged, sent or shared.
        public var zones: [PrivacyZone] = []
        /// What is shared inside them.
        public var inside = PrivacyGate.Inside.nothing
    }

    /// What gets the time of the fixes: `[time]`.
    public struct Time: Equatable, Sendable {
        /// The socket of chrony's reference clock; nil for none.
        public var chronySocket: String?
    }

    /// How quantities and times are shown to people: `[display]`.
    public struct Display: Equatable, Sendable {
        /// The units of distances, heights and speeds.
        public var units = UnitSystem.metric
        /// The time zone of times, such as `Europe/Zurich`; empty for the system's.
        public var timeZone = ""

        /// Display settings; the default is metric, in the system's time zone.
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
