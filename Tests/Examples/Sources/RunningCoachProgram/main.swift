import RunningCoach
import WaypostKit

// running-coach [FILE.gpx]: a recorded run at full speed, or the receiver.
let source: any PositionSource =
    CommandLine.arguments.count > 1
    ? ReplaySource(path: CommandLine.arguments[1], format: .gpx, options: .init(speed: 0)) : GPSDSource()
let track = try await RunningCoach(source, folder: "runs").run { word in
    switch word {
    case .kilometre(let number, let took): print("kilometre \(number):", took.formatted)
    case .paused: print("paused")
    case .resumed: print("goes on")
    case .lost(let reason): print("no position:", reason)
    case .ended(let metres, let moving): print("\(Int(metres)) m in", moving.formatted)
    }
}
print("track:", track ?? "none")

extension Duration {
    /// Minutes and seconds: `5:07`.
    fileprivate var formatted: String {
        let seconds = components.seconds % 60
        return "\(components.seconds / 60):\(seconds < 10 ? "0" : "")\(seconds)"
    }
}
