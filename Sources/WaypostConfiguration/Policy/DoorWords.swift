import Waypost

extension AccessPolicy.Door {
    /// The door for people: `[share] gpsd`, `the map page`.
    package var words: String {
        switch self {
        case .gpsd, .nmea, .nmeaUDP, .nmeaSocket: "[share] \(rawValue)"
        case .page: "the map page"
        case .guest: "the map page for guests"
        }
    }

    /// The doors of a configuration.
    package static func all(of configuration: Configuration) -> [AccessPolicy.Door] {
        var doors: [AccessPolicy.Door] = []
        if configuration.share.gpsd != nil { doors.append(.gpsd) }
        if configuration.share.nmea != nil { doors.append(.nmea) }
        if configuration.share.nmeaUDP != nil { doors.append(.nmeaUDP) }
        if configuration.share.nmeaSocket != nil { doors.append(.nmeaSocket) }
        if configuration.map.isOn { doors += [.page, .guest] }
        return doors
    }
}

extension LoadedConfiguration {
    /// What the policy says about a configuration: why it is broken, what is odd, and what each door gives.
    package var policyReport: (problem: String?, notices: [String], doors: [String]) {
        let (source, notices) = PolicyFile(configuration, paths: paths).read()
        var book = AccessBook(ownUserID: 0, trustedGroupID: nil)
        book.source = source
        let doors = AccessPolicy.Door.all(of: configuration).map { door in
            let level = book.level(of: door)
            let hint = level == .none && book.isSilent(about: door) ? ": the policy does not name it" : ""
            return
                "\(door.words) gives \(level == .none ? "nothing\(hint)" : level == .full ? "the position" : "roughly where the device is")"
        }
        return (book.problem, notices, doors)
    }
}
