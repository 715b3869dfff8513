import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

extension Configuration.Destination {
    /// The destination, with its secrets read.
    func open(_ secrets: SecretFiles) throws -> any Destination {
        var settings = HTTPDestination.Settings(url: url)
        if let tokenFile { settings.credentials = .bearer(try secrets.read(tokenFile)) }
        settings.client.caFile = caFile
        settings.client.clientCertificate = clientCertificate
        settings.client.clientKey = clientKey
        settings.client.timeout = timeout
        return try HTTPDestination(settings)
    }

    func settings(device: String) -> DestinationSettings {
        var settings = DestinationSettings(
            name: name, schedule: .init(interval: interval, phaseOf: "\(device) \(name)", goesAlong: goesAlong))
        settings.order = order == .live ? .live : .oldest
        settings.batchCount = batchCount
        settings.isDryRun = isDryRun
        settings.sendsPositions = sendsPositions
        return settings
    }
}
