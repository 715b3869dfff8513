extension Configuration {
    /// Every key there is.
    ///
    /// Reading, the suggestions for misspelt keys, and `Config/waypost.toml` come from this table: a new key is one line here and its
    /// property.
    static let sections: [ConfigurationSection] = [
        .list(
            "source", \.sources, initial: Source(url: .gpsd(.init())),
            """
            Where positions come from. Several [[source]] sections: the first is preferred, the next ones stand in for it.
            A file of conf.d that has any replaces the whole list.
            """,
            [
                .init(
                    "url", \.writtenURL, .sourceURL, isRequired: true,
                    """
                    The source: gpsd://HOST:PORT[/DEVICE], serial:auto, serial:///dev/ttyUSB0[?baud=X], nmea:FILE[?speed=X], \
                    nmea-tcp://HOST:PORT, nmea-udp://ADDRESS:PORT, gpx:FILE[?style=S&speed=X], route:FILE[?speed=V], sim:walk \
                    or exec:COMMAND (a program that prints NMEA or JSON lines).
                    """),
                .init(
                    "baud", \.baud, .baud,
                    "The speed of a serial source's line; url may say it instead, with ?baud=X. auto = it is found."),
                .init(
                    "never_write", \.neverWrites, .truth,
                    """
                    Nothing is ever sent to the receiver of a serial source. Else a u-blox that speaks UBX binary, as gpsd leaves it, is told to \
                    speak NMEA.
                    """),
                .init(
                    "gpsd_user", \.gpsdUser, .plainText,
                    """
                    A user, by name or number, whose gpsd on this machine is believed besides that of root, of user gpsd and of the tracker's \
                    own user; "any" = everybody's.
                    """),
            ], fault: \.fault),
        .table(
            "tracking", \.tracking, "How positions are come by.",
            [
                .init(
                    "high_accuracy", \.isHighAccuracy, .truth,
                    """
                    Every fix is followed and logged. false = significant changes alone (500 m and 5 min): the receiver is on for a second \
                    now and then, unless a client needs more.
                    """),
                .init(
                    "distance_filter", \.distanceFilterMetres, .distance(in: 0...1_000_000),
                    "With high_accuracy: fixes nearer to the last one followed are left out. 0 = none."),
                .init(
                    "accuracy", \.accuracy, .accuracyLevel,
                    """
                    With high_accuracy: how exactly the tracker follows on its own account. From withinOneKilometer on the receiver sleeps \
                    between fixes.
                    """),
                .init(
                    "rest_interval", \.restInterval, .duration(in: .zero ... .seconds(300)),
                    """
                    At rest the receiver is looked at only so often (from 20 s), at the price of the first seconds of a drive. \
                    0 = it stays on.
                    """),
                .init(
                    "first_fix_timeout", \.firstFixTimeout, .duration(in: .seconds(1) ... .seconds(3_600)),
                    "So long after its start a source without a fix is kept, although a later one has a fix."),
            ]),
        .table(
            "power", \.power, "What switches the receiver off while nobody needs it.",
            [
                .init(
                    "hook", \.hook, .command,
                    """
                    A shell command that is run with off behind it before a pause of a minute or more, and with on behind it at its end, such as \
                    "uhubctl -l 1-1 -p 2 -a". It has 30 s. Empty = the receiver stays on, and only its line is closed.
                    """)
            ]),
        .table(
            "log", \.log, "The recorded tracks.",
            [
                .init(
                    "directory", \.directory, .path,
                    "The folder of the tracks. Users other than root and waypost: log/ in the state folder."),
                .init(
                    "sync_interval", \.syncInterval, .duration(in: .zero ... .seconds(3_600)), "At most this much is lost in a power cut."),
                .init(
                    "types", \.types, .logTypes,
                    """
                    Which positions are logged: source (everything, as the source gave it), raw (measured fixes), current (the best position there \
                    was), matched (on a road). The first becomes STEM.gpx, the others STEM.TYPE.gpx. [] = nothing is logged, and destinations get \
                    events alone.
                    """),
                .init(
                    "rotate_bytes", \.rotateByteCount, .byteCount,
                    "A journal of that size ends its track, as midnight UTC does. Its GPX file has about five times as much. 0 = any size."),
                .init(
                    "max_age", \.maximumAge, .duration(in: .zero ... .seconds(315_360_000)),
                    """
                    Tracks whose last fix is older are deleted, once several fixes or a time server confirm what day it is. \
                    0 = kept for ever.
                    """),
                .init("max_bytes", \.maximumByteCount, .byteCount, "The oldest tracks are deleted while the log has more. 0 = any size."),
                .init(
                    "min_free", \.minimumFreeByteCount, .byteCount,
                    """
                    The oldest tracks are deleted while the disk has less free; as it stands here, no more than a twentieth of the disk. \
                    0 = logging pauses when the disk is full.
                    """),
                .init(
                    "keep_unpulled", \.keepsUnpulled, .truth,
                    """
                    Deletes nothing that a puller has not acknowledged (waypost log ack CURSOR --puller NAME), and nothing before the \
                    first puller is known; when that fills the disk, logging pauses.
                    """),
                .init(
                    "min_distance", \.minDistanceMetres, .distance(in: 0...10_000),
                    "Fixes nearer to the last one logged are left out; with min_interval: those that are nearer or sooner. 0 = none."),
                .init(
                    "min_interval", \.minInterval, .duration(in: .zero ... .seconds(3_600)),
                    "Fixes sooner after the last one logged are left out. 0 = none."),
                .init(
                    "min_turn", \.minTurnDegrees, .degrees(in: 0...180),
                    "While fixes are left out, one that turned by so much is logged all the same. 0 = turns do not count."),
                .init(
                    "heartbeat", \.heartbeat, .duration(in: .zero ... .seconds(600)),
                    "While fixes are left out, one is logged after so long, although nothing moves. 0 = none."),
            ]),
        .table(
            "geofences", \.geofences, "The areas whose borders are watched. waypost fences add and import add more.",
            [
                .init(
                    "file", \.file, .optionalPath,
                    """
                    The fence file, or a folder of fence files (.geojson, .json, .kml, .otrw): GeoJSON, Tealium, OwnTracks, Traccar or KML. It is \
                    read again when it changes; waypost fences check FILE says what is wrong with it. Empty = none.
                    """),
                .init(
                    "url", \.url, .webURL,
                    """
                    The fence file of a web server (https://, http://), kept on the disk for the time without a network; file goes before it. \
                    Empty = none.
                    """),
                .init(
                    "refresh", \.refresh, .duration(in: .seconds(60) ... .seconds(604_800)),
                    "So often the server is asked whether it has changed."),
                .init(
                    "rule", \.rule, .choice(),
                    "robust: a fix that lies flips nothing, decided from positions and Doppler velocity. exact: every fix is taken as it is."
                ),
                .init(
                    "max_active", \.maxActive, .count(in: 0...10_000_000),
                    "At most so many fences count, the nearest by their borders, and those one is inside of. 0 = all."),
            ]),
        .list(
            "destination", \.destinations, initial: Destination(),
            """
            Where positions and events are sent. Several [[destination]] sections: each at its own pace. What waits is kept under the name: changed
            settings send it on. A file of conf.d that has any replaces the whole list.
            """,
            [
                .init(
                    "name", \.name, .plainName, isUnique: true,
                    "What it is called, in status and waypost dispatch, and under which what waits is kept."),
                .init(
                    "kind", \.kind, .choice(),
                    """
                    What it speaks: http = JSON of our own over HTTP or HTTPS, mqtt = the same over MQTT, owntracks (over either), \
                    traccar = its OsmAnd protocol, tealium = Tealium Collect.
                    """
                ),
                .init(
                    "url", \.url, .serverURL, isRequired: true, example: "\"https://tracks.example.org/in\"",
                    "The server: https://HOST/PATH, http://HOST/PATH, mqtts://HOST[:8883] or mqtt://HOST[:1883]. Empty = none."),
                .init(
                    "format", \.format, .choice(),
                    "How it is written: http: native; traccar: form, or json, which later versions know. auto = the first."),
                .init(
                    "accuracy", \.accuracy, .choice(),
                    "full, or reduced = the middle of a cell of 5 km at most four times an hour, without speed, course, altitude and fences."
                ),
                .init(
                    "interval", \.interval, .duration(in: .zero ... .seconds(86_400)),
                    "Between two dispatches. Each box has its own moment within it. Below 1 s = only on demand (waypost dispatch now)."),
                .init(
                    "health", \.health, .duration(in: .zero ... .seconds(604_800)),
                    """
                    Between two reports of how the tracker is (version, what waits, disk, clock, fences), such as "1 h"; for every kind but \
                    tealium. Below 1 s = none.
                    """),
                .init(
                    "cutoff", \.cutoff, .cutoff,
                    """
                    A time of day by which everything must be gone, such as "04:00 Asia/Tokyo" (without a place: UTC); what misses it is marked \
                    late and counted. Empty = none.
                    """),
                .init(
                    "order", \.order, .choice(),
                    "Which positions go first after an outage: oldest = as they happened, live = the newest, then those that were missed."),
                .init("batch", \.batchCount, .count(in: 1...1_000), "The most records that are sent together."),
                .init(
                    "positions", \.sendsPositions, .truth,
                    "Positions of the log are sent. false = events alone, as tealium always has them."),
                .init("piggyback", \.goesAlong, .truth, "It sends along when another destination was reached, as the radio is on then."),
                .init("dry_run", \.isDryRun, .truth, "Nothing leaves: what would be sent is told in the log of messages, and stays."),
                .init("timeout", \.timeout, .duration(in: .seconds(1) ... .seconds(600)), "The longest an exchange may take."),
                .init("gzip", \.isCompressed, .truth, "Bodies are compressed; the server must know Content-Encoding: gzip."),
                .init("headers", \.headers, .headerLines, "Further lines of each request's head, such as [\"X-Fleet: north\"]."),
                .init(
                    "device", \.device, .plainText,
                    "The device's name there: in JSON and topics, traccar's identifier, owntracks' device. Empty = [dispatch] device."),
                .init(
                    "user", \.user, .plainText, "The user's name: owntracks' user, and that of the password (HTTP Basic). Empty = none."),
                .init(
                    "password_file", \.passwordFile, .optionalPath, "A file with the user's password, as token_file. Empty = none."),
                .init(
                    "token_file", \.tokenFile, .optionalPath,
                    """
                    A file with the token for Authorization: Bearer, which only the tracker's user may read, or "credential:NAME" for \
                    LoadCredential=NAME:... of systemd. Empty = none.
                    """),
                .init(
                    "ca_file", \.caFile, .optionalPath, "Certificates (PEM) that are trusted instead of the system's. Empty = the system's."
                ),
                .init(
                    "client_certificate", \.clientCertificate, .optionalPath, "A certificate (PEM) that says who this box is. Empty = none."
                ),
                .init("client_key", \.clientKey, .optionalPath, "Its key (PEM). Empty = in the same file."),
                .init(
                    "tracker_id", \.trackerID, .plainText, "owntracks: two characters for maps. Empty = the last two of the device's name."),
                .init(
                    "waypoints", \.sendsWaypoints, .truth,
                    "owntracks: whether the circles among the fences are told, too, when they change (up to some 200 of them)."),
                .init(
                    "secret_file", \.secretFile, .optionalPath,
                    "owntracks: a file with the secret that payloads are encrypted with, as token_file. Empty = not encrypted."),
                .init(
                    "topic", \.mqtt.topic, .mqttTopic(isFixed: false),
                    """
                    mqtt: where each record goes. It fills in {device}, {kind} (position, event, track, health), {name} (the fence's, the event's) \
                    and {lane}.
                    """),
                .init(
                    "client_id", \.mqtt.clientID, .plainText,
                    "Broker: what this client calls itself. Empty = follows from the machine's id and name."),
                .init(
                    "receipt", \.mqtt.receipt, .choice(),
                    """
                    mqtt: whose word is the receipt. broker = its acknowledgement, which it may forget; application = the ids that an application \
                    publishes to receipt_topic.
                    """),
                .init(
                    "receipt_topic", \.mqtt.receiptTopic, .mqttTopic(isFixed: true), "mqtt: where an application says which records it has."
                ),
                .init(
                    "receipt_timeout", \.mqtt.receiptTimeout, .duration(in: .seconds(1) ... .seconds(600)),
                    "mqtt: how long an application's receipts are waited for after the last one."),
                .init(
                    "presence", \.mqtt.showsPresence, .truth,
                    "Broker: the connection is held, and the broker says when this box is there and when it is gone."),
                .init("status_topic", \.mqtt.statusTopic, .mqttTopic(isFixed: true), "mqtt: where it says so, retained."),
                .init("retain", \.mqtt.retainsPosition, .truth, "mqtt: the broker keeps the newest position for those who come later."),
                .init("window", \.mqtt.window, .count(in: 1...1_000), "Broker: so many messages are on their way at most."),
                .init("account", \.account, .plainText, "tealium: the account."),
                .init("profile", \.profile, .plainText, "tealium: the profile."),
                .init("data_source", \.dataSource, .plainText, "tealium: the data source's key. Empty = none."),
                .init("visitor_id", \.visitorID, .plainText, "tealium: stands for the device. Empty = its name."),
            ], fault: \.fault),
        .table(
            "dispatch", \.dispatch, "What waits to be sent: events on the disk in the state folder, positions in the log.",
            [
                .init("device", \.device, .plainText, "What this device calls itself. Empty = the machine's name."),
                .init(
                    "opt_out", \.isOptedOut, .truth,
                    "Nothing is sent and nothing waits: what waited is discarded. false again = from then on."),
                .init(
                    "max_bytes", \.maximumByteCount, .byteCount,
                    "The oldest events are dropped, and counted, while those that wait have more."),
                .init(
                    "max_age", \.maximumAge, .duration(in: .zero ... .seconds(315_360_000)),
                    "Events that have waited longer are dropped, and counted, once it is known what day it is. 0 = none."),
                .init(
                    "stop_budget", \.stopBudget, .duration(in: .zero ... .seconds(60)),
                    "When the tracker is stopped, it may take so long to send what waits. 0 = it waits for the next start."),
            ]),
        .table(
            "privacy", \.privacy,
            """
            What nobody is told. A switch for all of it: waypost private on.
            """,
            [
                .init(
                    "zones", \.zones, .privacyZones,
                    """
                    Places around which nothing is logged, sent or shared, such as ["home: 52.51702, 13.38886, 250 m"]; or [[privacy.zones]] \
                    with name, latitude, longitude and radius (50 m to 100 km). More than the radius is hidden, so that its middle does not show.
                    """),
                .init("inside", \.inside, .insideZones, "What is told inside a zone: nothing, or one coarse place for all of it."),
            ]),
        .table(
            "time", \.time, "Who is told the time of the fixes.",
            [
                .init(
                    "chrony_sock", \.chronySocket, .optionalPath,
                    """
                    The socket of a "refclock SOCK PATH" of chrony, such as "/run/chrony.waypost.sock": once a second it is told how far off the \
                    clock is, from receivers alone, once several fixes agree on the date. Empty = nobody.
                    """)
            ]),
        .table(
            "display", \.display,
            "How waypost shows quantities and times to people. Files, JSON and what is sent keep metres, m/s and UTC.",
            [
                .init(
                    "units", \.units, .choice(),
                    "The units of distances, heights and speeds: km and km/h, miles, feet and mph, or nautical miles and knots."),
                .init(
                    "time_zone", \.timeZone, .timeZone,
                    "The time zone of times on the screen, such as \"Europe/Zurich\". Empty = the system's; TZ in the environment goes before it."
                ),
            ]),
        .table(
            "control", \.control, "How other programs talk to the tracker.",
            [
                .init(
                    "socket", \.socket, .socketPath,
                    "The Unix socket. Other users: waypost.sock in $XDG_RUNTIME_DIR. $WAYPOST_SOCKET changes the default.")
            ]),
    ]
}
