import Waypost

extension DestinationConfiguration {
    /// The host of the URL in lower case, without the brackets of an IPv6 address; empty where there is none.
    package var host: Substring {
        let authority = url.lowercased().split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        return authority.first == "[" ? authority.dropFirst().prefix { $0 != "]" } : authority.prefix { $0 != ":" && $0 != "?" }
    }

    /// A contradiction between keys: the key to change, and why; nil when there is none.
    package var fault: (key: String, reason: String)? {
        let kind = kindType
        if format != "auto", !kind.formats.contains(format) {
            let words = kind.formats.map { "\"\($0)\"" }.joined(separator: " or ")
            if words.isEmpty { return ("format", "is not for kind \"\(kind.name)\", which has one alone") }
            return ("format", "must be \(words) with kind \"\(kind.name)\"")
        }
        if let fault = self.kind.fault(in: self) { return fault }
        if !kind.takesHealth, health >= .seconds(1) { return ("health", "is not possible with kind \"\(kind.name)\"") }
        if let (key, owner) = keyOfAnother { return (key, "is for kind \"\(owner)\" alone") }
        return passwordFault ?? transportFault
    }

    /// A key that is set but belongs to another kind, and that kind.
    private var keyOfAnother: (key: String, owner: String)? {
        for other in DestinationRegistry.all where other.name != kindName {
            let key = other.keys.first { key in
                other.keysOfItAlone.contains(key.name) && key.written(self) != key.written(DestinationConfiguration())
            }
            if let key { return (key.name, other.name) }
        }
        return nil
    }

    private var passwordFault: (key: String, reason: String)? {
        guard passwordFile != nil else { return nil }
        if tokenFile != nil { return ("password_file", "and token_file are both given; a server takes one of them") }
        if user.isEmpty { return ("user", "is needed with password_file") }
        return user.contains(":") && !isBroker ? ("user", "must hold no ':' with password_file") : nil
    }

    private var transportFault: (key: String, reason: String)? {
        let kind = kindType
        if isBroker, !kind.transports.contains(.broker) {
            let others = DestinationRegistry.all.filter { $0.transports.contains(.broker) }.map { "\"\($0.name)\"" }
            return ("url", "is a broker's: kind must be \(others.joined(separator: " or "))")
        }
        if isInUse, !isBroker, !kind.transports.contains(.web) {
            return ("url", "must begin with mqtt:// or mqtts:// with kind \"\(kind.name)\"")
        }
        return isBroker && tokenFile != nil ? ("token_file", "is for web servers; a broker takes user and password_file") : nil
    }

    /// Why a key that the section sets is not used; nil when it is used.
    package func reasonNotToUse(_ key: String) -> String? {
        let kind = kindType
        switch key {
        case "url": return isInUse ? nil : "is empty, so nothing is sent to \"\(name)\""
        case "gzip", "headers":
            return isBroker ? "is for web servers; a broker does not use it" : nil
        case "positions":
            return sendsPositions && !kind.takesPositions ? "kind \"\(kind.name)\" is sent events only" : nil
        case "user":
            let isNamed = kind.userRole == .isInTopics || !kind.transports.contains(.web) || passwordFile != nil
            return isNamed ? nil : "is not used without password_file"
        case "client_key": return clientCertificate == nil ? "is not used without client_certificate" : nil
        case _ where DestinationConfiguration.commonKeys.contains { $0.name == key }: return nil
        default: break
        }
        let isOfBrokers = BrokerConnection.keys.contains { $0.name == key }
        if kind.keys.contains(where: { $0.name == key }), isBroker || !isOfBrokers { return nil }
        let isEither = kind.transports == [.web, .broker]
        return "kind \"\(kind.name)\"\(isEither && !isBroker ? " on a web server" : "") does not use it"
    }
}
