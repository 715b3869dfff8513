import Waypost
import WaypostPositioning

let manager = PositioningManager(source: GPSDSource())
await manager.start()
for await update in await manager.updates() {
    switch update {
    case .position(let position): print(position.coordinate.latitudeDegrees, position.coordinate.longitudeDegrees)
    case .lost(let reason): print("lost:", reason)
    case .failed(let error): print(error)
    default: break
    }
}
