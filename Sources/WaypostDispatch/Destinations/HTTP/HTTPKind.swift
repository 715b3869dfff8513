/// Our own JSON over HTTP: ``NativeFormat``.
package struct HTTPKind: DestinationKind {
    package static let name = "http"
    package static let documentation = "http = waypost's own JSON over HTTP or HTTPS"
    package static let formats = ["native"]
    package static let formatDocumentation: String? = "http: native"

    package init() {}

    package func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination {
        try destination.webDestination(NativeFormat(), on: box)
    }
}
