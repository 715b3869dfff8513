import Waypost
import WaypostDispatch
import WaypostPositioning
import WaypostSystem

/// The configuration of the tracker.
///
/// `load(path:paths:)` reads it from `waypost.toml` and the files of `conf.d` beside it. Each property is one key of the table in
/// `Configuration+Keys.swift`, which has its name, type, unit and description.
package struct Configuration: Equatable, Sendable {
    /// Where positions come from, best first; never empty after loading.
    package var sources: [Source]
    /// How positions are acquired.
    package var tracking: Tracking
    /// What turns the receiver off while nobody needs it.
    package var power = Power()
    /// The recorded tracks.
    package var log: Log
    /// The fences that are watched.
    package var geofences = Geofences()
    /// On which roads positions are put.
    package var matching = Matching()
    /// Where positions and events are sent; a destination without a server is ignored.
    package var destinations = [DestinationConfiguration()]
    /// The queue of records to send.
    package var dispatch = Dispatch()
    /// Where nothing is logged, sent or shared.
    package var privacy: Privacy
    /// Which other programs get the positions.
    package var share = Share()
    /// The map page.
    package var map = MapPage()
    /// What gets the time of the fixes.
    package var time = Time()
    /// How quantities and times are shown to people.
    package var display = Display()
    /// The control socket.
    package var control: Control

    /// One source of positions: `[[source]]`.
    package struct Source: Equatable, Sendable {
        /// The URL as it is written; ``url`` includes the speed.
        package var writtenURL: SourceURL
        /// The speed of the serial line, from the key `baud`.
        package var givenBaud = BaudSetting.automatic
        /// Whether nothing is ever sent to its receiver.
        package var neverWrites: Bool
        /// Another user whose gpsd on this machine is trusted, besides root and user gpsd; empty for none.
        package var gpsdUser: String

        /// A source.
        package init(url: SourceURL, neverWrites: Bool = false, gpsdUser: String = "") {
            writtenURL = url
            self.neverWrites = neverWrites
            self.gpsdUser = gpsdUser
        }
    }

    /// How positions are acquired: `[tracking]`.
    package struct Tracking: Equatable, Sendable {
        /// Whether every fix is followed and logged, or only significant changes.
        package var isHighAccuracy = true
        /// The least distance between two fixes that are followed, in metres; 0 = any.
        package var distanceFilterMetres = 0.0
        /// The level of accuracy of the tracker's own positions.
        package var accuracy = DesiredAccuracy.best
        /// Another product whose rules decide what is followed.
        package var compatibility = Compatibility.none
        /// How often the receiver is turned on while the device is at rest; 0 = it stays on.
        package var restInterval = Duration.zero
        /// How long a source that delivers data may take until its first fix; after that, a fallback that has a fix is used.
        package var firstFixTimeout: Duration
    }

    /// Another product whose rules decide what is followed.
    package enum Compatibility: String, Sendable, Hashable, CaseIterable {
        /// None: the keys say what is followed.
        case none
        /// Tealium's Location module: `TealiumMode`.
        case tealium
    }

    /// What turns the receiver off: `[power]`.
    package struct Power: Equatable, Sendable {
        /// The command that is run with the argument `on` or `off`; empty = none.
        package var hook = ""
    }

    /// The recorded tracks: `[log]`.
    package struct Log: Equatable, Sendable {
        /// The folder of the tracks.
        package var directory: String
        /// A power cut loses at most this much of the newest track.
        package var syncInterval: Duration
        /// Which positions are logged, the main type first; if empty, the log is off.
        package var types: [LogType] = [.raw]
        /// The size of a journal that ends its track, bytes; 0 = any.
        package var rotateByteCount: Int64 = 16_000_000
        /// How long tracks are kept; 0 = forever.
        package var maximumAge = Duration.zero
        /// The largest size of the log, bytes; 0 = any.
        package var maximumByteCount: Int64 = 0
        /// How much space the log leaves free on the disk, bytes; 0 = none.
        package var minimumFreeByteCount: Int64 = Log.usualFreeByteCount
        /// The default of ``minimumFreeByteCount``, which is also limited to a twentieth of the disk.
        package static let usualFreeByteCount: Int64 = 50_000_000
        /// Whether tracks are kept until every puller has acknowledged them.
        package var keepsUnpulled = false
        /// The least distance between two fixes that are logged, metres; 0 = any.
        package var minDistanceMetres = 0.0
        /// The least time between two fixes that are logged; 0 = any.
        package var minInterval = Duration.zero
        /// A turn of at least this much is logged even if the fix would be skipped, degrees; 0 = turns do not count.
        package var minTurnDegrees = 20.0
        /// The longest time without a logged fix while fixes are skipped; 0 = any.
        package var heartbeat = Duration.seconds(300)
    }

    /// The fences that are watched: `[geofences]`.
    package struct Geofences: Equatable, Sendable {
        /// The fence file, or the folder of fence files; nil for none.
        package var file: String?
        /// The URL of a fence file on a web server; empty for none.
        package var url = ""
        /// How often the server is asked for changes.
        package var refresh = Duration.seconds(3_600)
        /// How it is decided that a border was crossed.
        package var rule = BorderRule.robust
        /// How many fences are watched at most, the nearest ones; 0 = all.
        package var maxActive = 0
    }

    /// On which roads positions are put: `[matching]`.
    package struct Matching: Equatable, Sendable {
        /// The road file; nil for none.
        package var roads: String?
        /// How the device travels.
        package var mode = TravelMode.car
        /// Whether positions are matched.
        package var isEnabled = false
    }

    /// The queue of records to send: `[dispatch]`.
    package struct Dispatch: Equatable, Sendable {
        /// The name of this device; empty = the host name.
        package var device = ""
        /// Whether nothing is sent and nothing is queued.
        package var isOptedOut = false
        /// The largest size of the queued events, bytes.
        package var maximumByteCount: Int64 = 64_000_000
        /// How long an event is kept in the queue; 0 = forever.
        package var maximumAge = Duration.zero
        /// How long the tracker may keep sending after it is stopped.
        package var stopBudget = Duration.seconds(5)
    }

    /// Where nothing is logged, sent or shared: `[privacy]`.
    package struct Privacy: Equatable, Sendable {
        /// Places around which no position is logged, sent or shared.
        package var zones: [PrivacyZone] = []
        /// What is shared inside them.
        package var inside = PrivacyGate.Inside.nothing
    }

    /// Which other programs get the positions: `[share]`.
    package struct Share: Equatable, Sendable {
        /// Where clients of gpsd connect; nil for nowhere.
        package var gpsd: ListenAddress?
        /// Where programs connect that read NMEA 0183; nil for nowhere.
        package var nmea: ListenAddress?
        /// Where NMEA 0183 is sent in datagrams; nil for nowhere.
        package var nmeaUDP: ListenAddress?
        /// The Unix socket on which NMEA 0183 is read; nil for none.
        package var nmeaSocket: String?

        /// Whether anything is shared.
        package var isOn: Bool { !addresses.isEmpty || nmeaSocket != nil }

        /// The addresses that are set, with their keys.
        package var addresses: [(key: String, address: ListenAddress)] {
            [("gpsd", gpsd), ("nmea", nmea), ("nmea_udp", nmeaUDP)].compactMap { key, address in address.map { (key, $0) } }
        }
    }

    /// The map page: `[map]`.
    package struct MapPage: Equatable, Sendable {
        /// The address and port on which browsers reach it; nil when there is none.
        package var listen: ListenAddress?
        /// The Unix socket on which it is reached; nil when there is none.
        package var socket: String?
        /// The file with its token; nil for one in the state folder, made by the tracker.
        package var tokenFile: String?
        /// Whether it may be reached over the network without encryption.
        package var isInsecureInLAN = false
        /// Further names under which browsers reach it, behind a TLS proxy for example.
        package var hosts: [String] = []
        /// The address of the map's tiles, with `{z}`, `{x}` and `{y}`; empty for none.
        package var tiles = ""

        /// Whether there is a page at all.
        package var isOn: Bool { listen != nil || socket != nil }
    }

    /// What gets the time of the fixes: `[time]`.
    package struct Time: Equatable, Sendable {
        /// The socket of chrony's reference clock; nil for none.
        package var chronySocket: String?
    }

    /// How quantities and times are shown to people: `[display]`.
    package struct Display: Equatable, Sendable {
        /// The units of distances, heights and speeds.
        package var units = UnitSystem.metric
        /// The time zone of times, such as `Europe/Zurich`; empty for the system's.
        package var timeZone = ""

        /// Display settings; the default is metric, in the system's time zone.
        package init(units: UnitSystem = .metric, timeZone: String = "") {
            self.units = units
            self.timeZone = timeZone
        }
    }

    /// The control socket: `[control]`.
    package struct Control: Equatable, Sendable {
        /// The socket's path.
        package var socket: String
        /// The file that says who may know the position; the default one need not exist.
        package var policy: String
    }

    /// The built-in defaults, with a user's default paths.
    package init(paths: DefaultPaths) {
        sources = [Source(url: SourceURL(GPSDKind())), Source(url: SourceURL(SerialKind(.automatic)))]
        tracking = Tracking(firstFixTimeout: .seconds(60))
        log = Log(directory: paths.logDirectory, syncInterval: .seconds(10))
        privacy = Privacy()
        control = Control(socket: paths.socket, policy: paths.policyFile)
    }
}
