import Waypost
import WaypostSystem

/// A simulated drive along the route, or else the track, of a GPX file: `route:FILE[?speed=V&interval=I&noise=M]`.
package struct RouteKind: SourceKind {
    package static let scheme = "route"
    package static let forms = ["route:FILE[?speed=V&noise=M]"]
    package static let documentation = "a simulated drive along the route of a GPX file, V in m/s, with a receiver's errors of M metres"
    package static let isPlayed = true

    /// The file.
    package var path: String
    /// The speed in metres per second.
    package var speedMetresPerSecond: Double
    /// The time between positions in seconds.
    package var intervalSeconds: Double

    /// The deviation of a receiver's error in metres, north and east; 0 for none.
    package var noiseMetres: Double

    /// A drive at 20 m/s with a position every second, without errors.
    package init(_ path: String, speedMetresPerSecond: Double = 20, intervalSeconds: Double = 1, noiseMetres: Double = 0) {
        (self.path, self.speedMetresPerSecond, self.intervalSeconds) = (path, speedMetresPerSecond, intervalSeconds)
        self.noiseMetres = noiseMetres
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        let file = try URLFile(text, scheme: Self.scheme, example: "drive.gpx")
        self.init(file.path)
        var read = SourceOptions(file.options, known: ["speed", "interval", "noise"])
        speedMetresPerSecond = try read.drivingSpeed() ?? speedMetresPerSecond
        intervalSeconds = try read.interval() ?? intervalSeconds
        noiseMetres = try read.noise() ?? noiseMetres
        try read.refuseUnknown()
    }

    package var afterScheme: String {
        var words: [String] = []
        if speedMetresPerSecond != 20 { words.append("speed=\(SourceOptions.numberText(speedMetresPerSecond))") }
        if intervalSeconds != 1 { words.append("interval=\(SourceOptions.numberText(intervalSeconds))") }
        if noiseMetres != 0 { words.append("noise=\(SourceOptions.numberText(noiseMetres))") }
        return URLFile.text(path, options: words)
    }

    package var file: String? { path }

    package func tryFile(at path: String) throws(PositionSourceError) { _ = try RouteFile.corners(path: path) }

    package func remark(onFileAt path: String) throws(SystemError) -> String? {
        try RecordingTrial(path: path, format: .gpx, countsRoutes: true).remark
    }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource {
        var options = RouteSimulator.Options()
        options.speedMetresPerSecond = speedMetresPerSecond
        options.interval = .milliseconds(Int64((intervalSeconds * 1_000).rounded()))
        if noiseMetres > 0 { options.noise = NoiseModel(sigmaMetres: noiseMetres) }
        return SimulatedRouteSource(path: path, options: options)
    }
}
