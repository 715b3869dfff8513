import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

extension Configuration.Destination {
    /// The destination, with its secrets read.
    ///
    /// - Parameters:
    ///   - device: what this device calls itself.
    ///   - tracking: how it comes by positions, which Tealium is told.
    func open(_ secrets: SecretFiles, device: String, tracking: Configuration.Tracking) throws -> any Destination {
        let destination: any Destination =
            if isBroker {
                try mqttDestination(secrets, device: self.device.isEmpty ? device : self.device)
            } else {
                try HTTPDestination(try httpSettings(secrets), format: try httpFormat(secrets, device: device, tracking))
            }
        switch accuracy {
        case .full: return destination
        case .reduced: return ReducedDestination(destination, sendsPositions: sendsPositionsOfLog)
        }
    }

    func settings(device: String) -> DestinationSettings {
        var settings = DestinationSettings(
            name: name, schedule: .init(interval: interval, phaseOf: "\(device) \(name)", goesAlong: goesAlong))
        if !self.device.isEmpty { settings.device = self.device }
        settings.order = order == .live ? .live : .oldest
        settings.batchCount = batchCount
        settings.cutoff = cutoff?.moment
        settings.isDryRun = isDryRun
        settings.sendsPositions = sendsPositionsOfLog
        return settings
    }

    /// Every event of Tealium is paid for, and its own module sends no positions by themselves.
    private var sendsPositionsOfLog: Bool { sendsPositions && kind != .tealium }

    private func httpSettings(_ secrets: SecretFiles) throws -> HTTPDestination.Settings {
        var settings = HTTPDestination.Settings(url: url)
        if let tokenFile {
            settings.credentials = .bearer(try secrets.read(tokenFile))
        } else if let passwordFile {
            settings.credentials = .basic(user: user, password: try secrets.read(passwordFile))
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
        return settings
    }

    /// What OwnTracks' messages need, over HTTP and over MQTT.
    func ownTracksSettings(_ secrets: SecretFiles, device: String) throws -> OwnTracksFormat.Settings {
        var settings = OwnTracksFormat.Settings(user: user, device: device)
        if !trackerID.isEmpty { settings.trackerID = trackerID }
        settings.sendsWaypoints = sendsWaypoints
        if let secretFile { settings.secret = try secrets.read(secretFile) }
        return settings
    }

    private func httpFormat(_ secrets: SecretFiles, device ownName: String, _ tracking: Configuration.Tracking) throws -> any HTTPFormat {
        let device = device.isEmpty ? ownName : device
        switch kind {
        case .http, .mqtt: return NativeFormat()
        case .owntracks: return OwnTracksHTTPFormat(try ownTracksSettings(secrets, device: device))
        case .traccar: return TraccarFormat(device: device, shape: format == .json ? .json : .form, placesEvents: !sendsPositionsOfLog)
        case .tealium:
            let layer = TealiumDataLayer(isHighAccuracy: tracking.isHighAccuracy, desiredAccuracy: tracking.accuracy)
            var settings = TealiumFormat.Settings(account: account, dataLayer: layer)
            settings.profile = profile
            if !dataSource.isEmpty { settings.dataSource = dataSource }
            settings.visitorID = visitorID.isEmpty ? device : visitorID
            settings.isBulk = url.prefix { $0 != "?" }.hasSuffix("/bulk-event")
            return TealiumFormat(settings)
        }
    }
}
