// What the examples of doc comments take from their surroundings.
import Waypost
import WaypostControl
import WaypostDispatch
import WaypostKit
import WaypostPositioning
import WaypostRecording

private func missing<Value>() -> Value { fatalError("examples are compiled, not run") }

var home: Coordinate { missing() }
var office: Coordinate { missing() }
var corners: [Coordinate] { missing() }
var position: Position { missing() }
var first: Position { missing() }
var second: Position { missing() }
var recording: [Position] { missing() }
var track: [Position] { missing() }
var roads: Roads { missing() }
var ways: [(road: RoadWay, nodes: [Int64])] { missing() }
var nodes: [(number: Int64, place: Coordinate)] { missing() }
var storage: any RoadStorage { missing() }
var now: UTCTime { missing() }
var bytes: [UInt8] { missing() }
var path: String { missing() }
var outbox: Outbox { missing() }
var log: any PositionSupply { missing() }
var call: TrackCall { missing() }
var manager: PositioningManager { missing() }
var tracker: Tracker { missing() }
var destination: any Destination { missing() }
var text: TextBuffer {
    get { missing() }
    set {}
}
func next() -> [UInt8]? { missing() }
func nextPiece() throws -> [UInt8]? { missing() }
func use(_ values: Any...) {}
func tell(_ value: Any) {}
func play(_ value: Any) {}
func store(_ value: Any) {}
