import Waypost

/// Tealium Collect: ``TealiumFormat``.
///
/// Every event costs money, and Tealium's own module sends no positions on its own.
package struct TealiumKind: DestinationKind {
    /// The account.
    package var account = ""
    /// The profile.
    package var profile = "main"
    /// The data source's key; empty = none.
    package var dataSource = ""
    /// The visitor id of the device; empty = the device's name.
    package var visitorID = ""

    package static let name = "tealium"
    package static let documentation = "tealium = Tealium Collect"
    package static let takesHealth = false
    package static let takesPositions = false
    package static let needsBesides: String? = "an account"
    package static let keys: [ConfigurationKey<DestinationConfiguration>] = [
        key("account", \.account, .plainText, "tealium: the account."),
        key("profile", \.profile, .plainText, "tealium: the profile."),
        key("data_source", \.dataSource, .plainText, "tealium: the data source's key. Empty = none."),
        key("visitor_id", \.visitorID, .plainText, "tealium: the visitor id of the device. Empty = its name."),
    ]

    package init() {}

    package func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)? {
        account.isEmpty ? ("account", "is needed with kind \"tealium\"") : nil
    }

    package func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination {
        let layer = TealiumDataLayer(isHighAccuracy: box.isHighAccuracy, desiredAccuracy: box.desiredAccuracy)
        var settings = TealiumFormat.Settings(account: account, dataLayer: layer)
        settings.profile = profile
        if !dataSource.isEmpty { settings.dataSource = dataSource }
        settings.visitorID = visitorID.isEmpty ? box.device : visitorID
        settings.isBulk = destination.url.prefix { $0 != "?" }.hasSuffix("/bulk-event")
        return try destination.webDestination(TealiumFormat(settings), on: box)
    }
}
