/// Traccar's OsmAnd protocol: ``TraccarFormat``.
package struct TraccarKind: DestinationKind {
    package static let name = "traccar"
    package static let documentation = "traccar = Traccar's OsmAnd protocol"
    package static let formats = ["form", "json"]
    package static let formatDocumentation: String? = "traccar: form, or json for newer versions"
    package static let userRole = DestinationUserRole.unknown
    package static let registrationWord: String? = "identifier"

    package init() {}

    package func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination {
        let format = TraccarFormat(
            device: box.device, shape: destination.format == "json" ? .json : .form, placesEvents: !destination.isSentPositions)
        return try destination.webDestination(format, on: box)
    }
}
