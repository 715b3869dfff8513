import Waypost
import WaypostPositioning

/// `replay-trace FILE [SPEED]`: everything that an application is told while a recording is played, one line each, in a form that can be
/// compared with `diff`.
///
/// The speed is 1 for real time and 0, the default, for as fast as possible. Times are the recording's own: the lines are the same at any
/// speed.
@main struct ReplayTrace {
    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let path = arguments.first, let speed = Double(arguments.dropFirst().first ?? "0"), speed >= 0, speed.isFinite else {
            fatalError("usage: replay-trace FILE [SPEED]")
        }
        let format = RecordingFormat(nameOf: path) ?? .nmea
        let source = ReplaySource(path: path, format: format, options: .init(speed: speed, rebasesTimes: false))
        let manager = PositioningManager(source: source)
        let trace = Trace()
        await manager.attach(trace)
        await manager.start()
        try await manager.waitUntilFinished()
    }
}

/// Prints updates, and what the rules make of them.
private actor Trace: PositioningConsumer {
    private var filter = UpdateFilter(distanceMetres: 25)
    private var tenMetres = UpdateFilter(accuracy: .nearestTenMeters)
    private var significant = SignificantChangeRule()
    private var stationary = StationaryRule()
    private var average = AverageSpeed()

    func consume(_ update: PositioningUpdate) {
        switch update {
        case .position(let position): consume(position)
        case .lost(let reason):
            filter.lose()
            tenMetres.lose()
            average.lose()
            print("lost \(reason)")
        case .noFix(let report): print("no fix \(report.time.map(text) ?? "")")
        case .finished: print("finished")
        case .status(let status): print("status \(status)")
        // Views of the sky, and what a later version tells besides.
        default: print("\(update)")
        }
    }

    private func consume(_ position: Position) {
        var line = TextBuffer()
        // A file may lie anywhere.
        var nameless = position
        nameless.source = nil
        TPVCodec.append(nameless, to: &line)
        print(line.string)
        if filter.passes(position) { print("  25 m from the last") }
        if tenMetres.passes(position) { print("  10 m from the last") }
        if let report = significant.process(position) { print("  significant \(report.position.time.map(text) ?? "")") }
        if stationary.process(position) { print("  stationary \(stationary.isStationary)") }
        average.process(position)
        if let speed = average.metresPerSecond {
            var text = TextBuffer()
            text.append(speed, decimals: 3)
            print("  average \(text.string) m/s")
        }
    }

    private func text(_ time: UTCTime) -> String {
        var text = TextBuffer()
        text.append(time)
        return text.string
    }
}
