import Waypost

/// Overland's batches of GeoJSON: ``OverlandFormat``.
package struct OverlandKind: DestinationKind {
    package static let name = "overland"
    package static let documentation = "overland = Overland's GeoJSON, which Dawarich accepts too"
    package static let takesHealth = false

    package init() {}

    package func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)? {
        destination.sendsPositions ? nil : ("positions", "must be true with kind \"overland\", which is sent positions alone")
    }

    package func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination {
        try destination.webDestination(OverlandFormat(device: box.device), on: box)
    }
}
