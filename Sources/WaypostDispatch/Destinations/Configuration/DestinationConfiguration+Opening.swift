import Waypost
import WaypostSystem

extension DestinationConfiguration {
    /// Makes the destination, opened if possible now, and opened again whenever one of its secrets has changed.
    package func makeDestination(on box: DestinationBox) -> ReopeningDestination {
        let places = [tokenFile, passwordFile].compactMap { $0 } + kind.secretFiles
        // A broker has no tokens, and where there is a token a web server gets no password.
        let needed = [isBroker ? passwordFile : tokenFile ?? passwordFile].compactMap { $0 } + kind.secretFiles
        let files = places.compactMap { try? box.secrets.path(of: $0) }  // A problem with a file is reported when it is read.
        return ReopeningDestination(files: files + tlsFiles) {
            try box.secrets.check(needed)
            try TLSFiles.check(tlsFiles)
            return try open(on: box)
        }
    }

    /// The files that are read for TLS; none where the connection is not encrypted.
    private var tlsFiles: [String] {
        let url = url.lowercased()
        guard url.hasPrefix("https:") || url.hasPrefix("mqtts:") else { return [] }
        return [caFile, clientCertificate, clientKey].compactMap { $0 }
    }

    /// Makes the destination, with its secrets read.
    package func open(on box: DestinationBox) throws -> any Destination {
        var box = box
        if !device.isEmpty { box.device = device }
        let destination = try kind.open(self, on: box)
        switch accuracy {
        case .full: return destination
        case .reduced: return ReducedDestination(destination, sendsPositions: isSentPositions)
        }
    }

    /// How it is served.
    ///
    /// - Parameter device: the name of this device.
    package func settings(device ownName: String) -> DestinationSettings {
        var settings = DestinationSettings(
            name: name, schedule: .init(interval: interval, phaseOf: "\(ownName) \(name)", goesAlong: goesAlong))
        if !device.isEmpty { settings.device = device }
        settings.order = order
        settings.batchCount = batchCount
        settings.cutoff = cutoff?.moment
        settings.isDryRun = isDryRun
        settings.sendsPositions = isSentPositions
        // A broker's client measures its own time.
        if !isBroker { settings.attemptLimit = max(.seconds(60), timeout * (HTTPClient.maximumRedirectCount + 2)) }
        return settings
    }

    /// A web server with the given format.
    func webDestination(_ format: any HTTPFormat, on box: DestinationBox) throws -> HTTPDestination {
        var settings = HTTPDestination.Settings(url: url)
        if let tokenFile {
            settings.credentials = .bearer(try box.secrets.read(tokenFile))
        } else if let passwordFile {
            settings.credentials = .basic(user: user, password: try box.secrets.read(passwordFile))
        }
        settings.headers = headers.map { line in
            let name = line.prefix { $0 != ":" }
            return .init(String(name), String(line.dropFirst(name.count + 1).drop { $0 == " " }))
        }
        settings.isCompressed = isCompressed
        settings.client.caFile = caFile
        settings.client.clientCertificate = clientCertificate
        settings.client.clientKey = clientKey
        settings.client.timeout = timeout
        return try HTTPDestination(settings, format: format)
    }

    /// A broker with the given format.
    ///
    /// - Parameter adjust: sets the kind's own options for receipts.
    func brokerDestination(
        _ format: any MQTTFormat, on box: DestinationBox, adjust: (inout MQTTDestination.Settings) throws -> Void = { _ in }
    ) throws -> MQTTDestination {
        let clientID = broker.clientID.isEmpty ? MQTTDestination.clientID(for: name) : broker.clientID
        var client = try MQTTSettings(url: url, clientID: clientID)
        // A user that is only part of the topics need not exist at a broker that asks for no password.
        if !user.isEmpty, kindType.userRole == .signsIn || passwordFile != nil { client.user = user }
        if let passwordFile { client.password = try box.secrets.read(passwordFile) }
        client.caFile = caFile
        client.clientCertificate = clientCertificate
        client.clientKey = clientKey
        client.timeout = timeout
        client.connectTimeout = min(client.connectTimeout, timeout)
        client.window = broker.window
        var settings = MQTTDestination.Settings(client: client, format: format)
        settings.showsPresence = broker.showsPresence
        try adjust(&settings)
        return try MQTTDestination(settings, device: box.device)
    }
}
