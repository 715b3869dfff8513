import WaypostKit

let manager = PositioningManager(source: GPSDSource())
for await update in manager.liveUpdates() {
    switch update {
    case .position(let position): print(position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees)
    case .lost(let reason): print("lost:", reason)
    case .failed(let error): print(error)
    default: break
    }
}
