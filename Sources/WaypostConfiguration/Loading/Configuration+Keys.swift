import Waypost
import WaypostDispatch
import WaypostPositioning

extension Configuration {
    /// All keys.
    ///
    /// Reading, the suggestions for misspelt keys, and `Config/waypost.toml` come from this table: a new key is one line here and its
    /// property. The keys of `[[destination]]` are listed with its kinds (``DestinationConfiguration``).
    static let sections: [ConfigurationSection] = [
        .list(
            "source", \.sources, initial: Source(url: SourceURL(GPSDKind())),
            """
            Where positions come from. With several [[source]] sections the first is preferred; the others are fallbacks, in order.
            A FIFO, a recording or a simulation follows one that sends nothing, not a receiver without a fix.
            A conf.d file that has any [[source]] replaces the whole list.
            """,
            [
                .init(
                    "url", \.writtenURL, .sourceURL, isRequired: true,
                    "The source: \(SourceRegistry.sentence)."),
                .init(
                    "baud", \.baud, .baud,
                    "The speed of a serial source's line; or in url, as ?baud=X. auto = detected automatically."),
                .init(
                    "never_write", \.neverWrites, .truth,
                    """
                    Never sends anything to the receiver of a serial source. Otherwise a u-blox in UBX binary mode, as gpsd leaves it, is \
                    switched back to NMEA.
                    """),
                .init(
                    "gpsd_user", \.gpsdUser, .plainText,
                    """
                    A user, by name or number, whose gpsd on this machine is trusted as well as that of root, user gpsd and the tracker's \
                    own user; "any" = everybody's.
                    """),
            ], fault: \.fault),
        .table(
            "tracking", \.tracking, "How positions are acquired.",
            [
                .init(
                    "high_accuracy", \.isHighAccuracy, .truth,
                    """
                    Follows and logs every fix. false = only significant changes (500 m and 5 min): the receiver is on for a second now \
                    and then, unless a client needs more.
                    """),
                .init(
                    "distance_filter", \.distanceFilterMetres, .distance(in: 0...1_000_000),
                    "With high_accuracy: skips fixes closer than this to the last one followed. 0 = none."),
                .init(
                    "accuracy", \.accuracy, .accuracyLevel,
                    """
                    With high_accuracy: skips fixes closer to the last one followed than the level says: 10 m with nearestTenMeters, none with \
                    best. No fix is skipped for being poor. From withinOneKilometer on the receiver sleeps between fixes.
                    """),
                .init(
                    "compatibility", \.compatibility, .choice(),
                    """
                    tealium = follows as Tealium's Location module does, and says so in its data layer: every fix only with high_accuracy \
                    and with a file or url in [geofences], else significant changes; accuracy is reduced unless it is set.
                    """),
                .init(
                    "rest_interval", \.restInterval, .duration(in: .seconds(20) ... .seconds(300), orZero: true),
                    """
                    At rest, turns the receiver on only this often; the first seconds of a drive are then missing. 0 = it stays on.
                    """),
                .init(
                    "first_fix_timeout", \.firstFixTimeout, .duration(in: .seconds(1) ... .seconds(3_600)),
                    "How long after its start a source without a fix is kept, even if a fallback has one."),
            ]),
        .table(
            "power", \.power, "What turns the receiver off while nobody needs it.",
            [
                .init(
                    "hook", \.hook, .command,
                    """
                    A shell command, called with the argument off before a pause of a minute or more and with on after it, such as \
                    "uhubctl -l 1-1 -p 2 -a". It may take 30 s. Empty = the receiver stays on, and only its port is closed.
                    """)
            ]),
        .table(
            "log", \.log, "The recorded tracks.",
            [
                .init(
                    "directory", \.directory, .path,
                    "The folder of the tracks. For users other than root and waypost: log/ in the state folder."),
                .init(
                    "sync_interval", \.syncInterval, .duration(in: .zero ... .seconds(3_600)), "A power cut loses at most this much."),
                .init(
                    "types", \.types, .logTypes,
                    """
                    Which positions are logged: source (everything, as the source gave it), raw (measured fixes), current (the best position there \
                    was), matched (on a road). The first becomes STEM.gpx, the others STEM.TYPE.gpx. [] = nothing is logged, and destinations get \
                    only events.
                    """),
                .init(
                    "rotate_bytes", \.rotateByteCount, .byteCount,
                    """
                    A track ends when its journal reaches this size, and at midnight UTC. Its GPX file is about five times as large. 0 = \
                    any size.
                    """),
                .init(
                    "max_age", \.maximumAge, .duration(in: .zero ... .seconds(315_360_000)),
                    """
                    Deletes tracks whose last fix is older than this, once several fixes or a time server confirm the date. 0 = kept for \
                    ever.
                    """),
                .init(
                    "max_bytes", \.maximumByteCount, .byteCount,
                    "Deletes the oldest tracks while the log is larger than this. 0 = any size."),
                .init(
                    "min_free", \.minimumFreeByteCount, .byteCount,
                    """
                    Deletes the oldest tracks while the disk has less free space than this; the default is never more than a twentieth of \
                    the disk. 0 = logging pauses when the disk is full.
                    """),
                .init(
                    "keep_unpulled", \.keepsUnpulled, .truth,
                    """
                    Deletes nothing that a puller has not acknowledged (waypost log ack CURSOR --puller NAME), and nothing before the \
                    first puller is known. If that fills the disk, logging pauses.
                    """),
                .init(
                    "min_distance", \.minDistanceMetres, .distance(in: 0...10_000),
                    "Skips fixes closer than this to the last one logged; with min_interval, fixes that are closer or sooner. 0 = none."),
                .init(
                    "min_interval", \.minInterval, .duration(in: .zero ... .seconds(3_600)),
                    "Skips fixes that come sooner than this after the last one logged. 0 = none."),
                .init(
                    "min_turn", \.minTurnDegrees, .degrees(in: 0...180),
                    "While fixes are skipped, logs one after a turn of at least this much. 0 = turns do not count."),
                .init(
                    "heartbeat", \.heartbeat, .duration(in: .zero ... .seconds(600)),
                    "While fixes are skipped, logs one after this time even if nothing moves. 0 = none."),
            ]),
        .table(
            "geofences", \.geofences, "The areas whose borders are watched. waypost fences add and waypost fences import add more.",
            [
                .init(
                    "file", \.file, .file(for: .reading),
                    """
                    A fence file, or a folder of fence files (.geojson, .json, .kml, .otrw): GeoJSON, Tealium, OwnTracks, Traccar or KML. \
                    It is read again when it changes; waypost fences check FILE reports its mistakes. Empty = none.
                    """),
                .init(
                    "url", \.url, .webURL,
                    """
                    A fence file on a web server (https://, http://), cached on the disk for times without a network; file takes \
                    precedence over it. Empty = none.
                    """),
                .init(
                    "refresh", \.refresh, .duration(in: .seconds(60) ... .seconds(604_800)),
                    "How often the server is asked for changes."),
                .init(
                    "rule", \.rule, .choice(),
                    """
                    robust: decides from positions and Doppler velocity, so that a wrong fix does not trigger an event. exact: takes every \
                    fix as it is.
                    """
                ),
                .init(
                    "max_active", \.maxActive, .count(in: 0...10_000_000),
                    "Watches at most this many fences: those whose borders are nearest, and those that the device is in. 0 = all."),
            ]),
        .table(
            "matching", \.matching,
            "The roads on which positions are put: the current position is then the place on the road, if that is more likely than not.",
            [
                .init(
                    "roads", \.roads, .file(for: .reading),
                    """
                    A road file, which waypost roads build makes of an extract of OpenStreetMap, or a folder of such files (*.roads), of which that \
                    with the roads around the device is used. It is opened again when it is replaced. Empty = none.
                    """),
                .init("mode", \.mode, .choice(), "How the device travels: which roads it may use."),
                .init(
                    "enabled", \.isEnabled, .truth,
                    """
                    Whether positions are always matched to roads. false = only while somebody needs it: the map page, waypost watch --roads, or \
                    current or matched in [log] types.
                    """),
            ]),
        .list(
            "destination", \.destinations, initial: DestinationConfiguration(),
            """
            Where positions and events are sent. Each of several [[destination]] sections works at its own pace. The queue is kept under the name: it
            survives a change of the settings. Files of conf.d add to them; a later [[destination]] replaces an earlier one of the same name.
            """,
            DestinationConfiguration.keys, fault: \.fault),
        .table(
            "dispatch", \.dispatch, "The queue of records to send: events on the disk in the state folder, positions in the log.",
            [
                .init("device", \.device, .plainText, "The name of this device. Empty = the host name."),
                .init(
                    "opt_out", \.isOptedOut, .truth,
                    "Sends nothing and queues nothing; what was queued is discarded. Set to false again, it starts from that moment."),
                .init(
                    "max_bytes", \.maximumByteCount, .byteCount,
                    "Drops and counts the oldest events while the queue is larger than this."),
                .init(
                    "max_age", \.maximumAge, .duration(in: .zero ... .seconds(315_360_000)),
                    "Drops and counts events that have waited longer than this, once the date is confirmed. 0 = none."),
                .init(
                    "stop_budget", \.stopBudget, .duration(in: .zero ... .seconds(60)),
                    "How long the tracker may keep sending after it is stopped. 0 = the queue waits for the next start."),
            ]),
        .table(
            "privacy", \.privacy,
            "Where nothing is logged, sent or shared. waypost private on does the same everywhere.",
            [
                .init(
                    "zones", \.zones, .privacyZones, elementName: \.name, adding: PrivacyZone.adding,
                    """
                    Places around which nothing is logged, sent or shared, such as ["home: 52.51702, 13.38886, 250 m"]; or \
                    [[privacy.zones]] with name, latitude, longitude and radius (50 m to 100 km). More than the radius is hidden, so that \
                    the tracks do not show its centre. The zones of all files apply; a later zone replaces an earlier one of the same name.
                    """),
                .init(
                    "inside", \.inside, .insideZones,
                    "What is shared inside a zone: nothing, or one coarse place for the whole zone."),
            ]),
        .table(
            "share", \.share,
            "Other programs that get the positions. Every program that reaches an address may read there; privacy zones and private mode hold.",
            [
                .init(
                    "gpsd", \.gpsd, .listenAddress(example: "127.0.0.1:2947"),
                    """
                    The address and port for clients of gpsd (cgps, gpspipe, Home Assistant, ...), while no gpsd has it, such as \
                    "127.0.0.1:2947". Empty = none.
                    """),
                .init(
                    "nmea", \.nmea, .listenAddress(example: "127.0.0.1:10110"),
                    """
                    The address and port for programs that read NMEA 0183 over TCP (OpenCPN, Signal K, gpsd, ...), such as \
                    "127.0.0.1:10110". Empty = none.
                    """),
                .init(
                    "nmea_udp", \.nmeaUDP, .listenAddress(example: "127.0.0.1:10110"),
                    """
                    Where NMEA 0183 is sent over UDP, a datagram for each fix: an address and a port, or the broadcast address of a network. \
                    It keeps no receiver on. Empty = none.
                    """),
                .init(
                    "nmea_socket", \.nmeaSocket, .optionalSocketPath,
                    """
                    A Unix socket for programs of this machine that read NMEA 0183 (GeoClue, ...), such as "/run/waypost/nmea.sock". \
                    Empty = none.
                    """),
            ]),
        .table(
            "time", \.time, "Who gets the time of the fixes.",
            [
                .init(
                    "chrony_sock", \.chronySocket, .optionalPath,
                    """
                    The socket of a "refclock SOCK PATH" of chrony, such as "/run/chrony.waypost.sock": once a second chrony gets the \
                    offset of the clock, only from receivers, and only once several fixes confirm the date. Empty = none.
                    """)
            ]),
        .table(
            "display", \.display,
            "How waypost shows quantities and times to people. Files, JSON and sent records use metres, m/s and UTC.",
            [
                .init(
                    "units", \.units, .choice(),
                    """
                    The units of distances, heights and speeds: metric (km, km/h), imperial (miles, feet, mph) or nautical (nautical \
                    miles, knots).
                    """),
                .init(
                    "time_zone", \.timeZone, .timeZone,
                    """
                    The time zone of the times on the screen, such as "Europe/Zurich". Empty = the system's; the environment variable TZ \
                    takes precedence.
                    """
                ),
            ]),
        .table(
            "control", \.control, "How other programs talk to the tracker.",
            [
                .init(
                    "socket", \.socket, .socketPath,
                    """
                    The Unix socket. For users other than root and waypost: waypost.sock in $XDG_RUNTIME_DIR. $WAYPOST_SOCKET changes the \
                    default.
                    """),
                .init(
                    "policy", \.policy, .path,
                    """
                    The file that says who may know the position. The default, policy.toml beside the system's or the user's own \
                    configuration, need not exist: then root, the tracker's user, group waypost and those who were granted it may know, and each door gives everything.
                    """),
            ]),
        .table(
            "map", \.map,
            "The map page: the position, the track, fences, events and destinations in a browser. waypost page prints its address.",
            [
                .init(
                    "listen", \.listen, .listenAddress(example: "127.0.0.1:7575"),
                    """
                    The address and port of the page, such as "127.0.0.1:7575"; an address other than this machine's own needs insecure_lan. \
                    Empty = none.
                    """),
                .init(
                    "socket", \.socket, .optionalSocketPath,
                    """
                    A Unix socket for the page, for members of the tracker's group: for ssh -L 7575:/run/waypost/page.sock HOST, or for a \
                    proxy. Empty = none.
                    """),
                .init(
                    "token_file", \.tokenFile, .file(for: .secret),
                    """
                    A file whose first line is the token in the page's address: 16 to 128 letters, digits, . _ ~ -; or "credential:NAME". \
                    Empty = kept/state/page-token in the state folder, which the tracker makes.
                    """),
                .init(
                    "insecure_lan", \.isInsecureInLAN, .truth,
                    """
                    Lets listen be an address in the network, without encryption: everybody on the way can read the token and the position. \
                    A proxy with TLS in front of 127.0.0.1 is better.
                    """),
                .init(
                    "hosts", \.hosts, .hostNames,
                    """
                    The names under which browsers may ask for the page, such as ["tracker.example.org"] behind a proxy. IP addresses and \
                    localhost always may.
                    """),
                .init(
                    "tiles", \.tiles, .tileURL,
                    """
                    Tiles of a server of yours as the base map, such as "https://tiles.example.org/{z}/{x}/{y}.png". Empty = no server is \
                    asked for anything.
                    """),
            ]),
    ]
}
