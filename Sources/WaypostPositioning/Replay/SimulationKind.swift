import Waypost

/// A built-in drive, which needs no file: `sim:walk`, `sim:city`, `sim:freeway`; `sim:none` never has a fix.
package struct SimulationKind: SourceKind {
    package static let scheme = "sim"
    package static let forms = BuiltInRoute.allCases.map { "sim:\($0.rawValue)" }
    package static let documentation = "a built-in drive"
    package static let isPlayed = true

    /// Which drive.
    package var route: BuiltInRoute

    /// A drive.
    package init(_ route: BuiltInRoute) {
        self.route = route
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        guard let route = BuiltInRoute(rawValue: String(text)) else {
            throw .invalid(reason: "\(quoted("sim:\(text)")) is not a built-in drive; there are \(Self.forms.joined(separator: ", "))")
        }
        self.init(route)
    }

    package var afterScheme: String { route.rawValue }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource { SimulatedRouteSource(route) }
}
