extension Configuration.Destination {
    /// What is wrong with keys that do not fit together: the one to be changed, and why; nil when all is well.
    var fault: (key: String, reason: String)? {
        switch (kind, format) {
        case (_, .auto), (.http, .native), (.mqtt, .native), (.traccar, .form), (.traccar, .json): break
        case (.traccar, .native): return ("format", "must be \"form\" or \"json\" with kind \"traccar\"")
        case (.http, _), (.mqtt, _): return ("format", "must be \"native\" with kind \"\(kind.rawValue)\"")
        case (.owntracks, _), (.tealium, _): return ("format", "is not for kind \"\(kind.rawValue)\", which has one alone")
        }
        if kind == .tealium, account.isEmpty { return ("account", "is needed with kind \"tealium\"") }
        if kind == .owntracks {
            if user.isEmpty { return ("user", "is needed with kind \"owntracks\": it is part of its topics") }
            if let (key, _) = [("user", user), ("device", device)].first(where: { $0.1.contains { "/+#".contains($0) } }) {
                return (key, "is part of topics and must not contain '/', '+' or '#'")
            }
        }
        if kind == .tealium, health >= .seconds(1) { return ("health", "is not possible with kind \"tealium\"") }
        if sendsWaypoints {
            if kind != .owntracks { return ("waypoints", "is for kind \"owntracks\" alone") }
            if accuracy == .reduced { return ("waypoints", "tells places, which accuracy = \"reduced\" does not") }
        }
        if passwordFile != nil {
            if tokenFile != nil { return ("password_file", "and token_file are both given; a server takes one of them") }
            if user.isEmpty { return ("user", "is needed with password_file") }
            if user.contains(":"), !isBroker { return ("user", "must hold no ':' with password_file") }
        }
        return brokerFault
    }
}
