import Synchronization
import Waypost
import WaypostControl
import WaypostPositioning

/// Sends every update to those who watch on the control socket.
struct Broadcaster: PositioningConsumer {
    let server: ControlServer
    let watchers: WatcherCount

    func consume(_ update: PositioningUpdate) async {
        // Most boxes are watched now and then only: nobody there, nothing to encode.
        guard watchers.isAny else { return }
        var text = TextBuffer(capacity: 512)
        switch update {
        case .position(let position):
            TPVCodec.append(position, to: &text)
            server.broadcast(text.bytes, topic: .position)
        case .noFix(let report):
            TPVCodec.append(report, to: &text)
            server.broadcast(text.bytes, topic: .position)
        case .sky(let view):
            TPVCodec.append(view, to: &text)
            server.broadcast(text.bytes, topic: .sky)
        case .lost(let reason):
            let line = ControlProtocol.object("LOST") { json in
                json.member("reason", reason.code)
                json.member("detail", reason.words)
            }
            server.broadcast(line, topic: .loss)
        case .status, .finished: break
        }
    }
}

/// How many connections watch now, shared by the one who is told and the one who wants to know.
final class WatcherCount: Sendable {
    private let count = Atomic(0)

    /// Whether anybody watches.
    var isAny: Bool { count.load(ordering: .relaxed) > 0 }

    func set(_ count: Int) { self.count.store(count, ordering: .relaxed) }
}

extension LossReason {
    /// The reason's name on the wire.
    var code: String {
        switch self {
        case .noFix: "no_fix"
        case .silent: "silent"
        case .disconnected: "disconnected"
        case .deviceGone: "device_gone"
        case .ended: "ended"
        case .withheld(.zone): "privacy_zone"
        case .withheld(.privateMode): "private"
        }
    }

    /// For people.
    var words: String {
        switch self {
        case .noFix: "the receiver has no fix"
        case .silent: "the source is silent"
        case .disconnected(let detail): "not connected: \(detail)"
        case .deviceGone(let detail): "the receiver is gone: \(detail)"
        case .ended: "the source has ended"
        case .withheld(.zone): "inside a privacy zone"
        case .withheld(.privateMode): "private mode is on"
        }
    }
}
