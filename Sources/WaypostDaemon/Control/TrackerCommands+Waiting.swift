import Logging
import Waypost
import WaypostControl
import WaypostDispatch
import WaypostSystem

// What waits for a destination, told or taken elsewhere.
extension TrackerCommands {
    /// So many records are in one answer: some 400 kB.
    private static let waitingShown = 1_000

    func waiting(_ question: ControlRequest.WaitingQuestion, for peer: PeerCredentials) async throws(ControlRefusal) -> [UInt8] {
        let dispatcher = try openDispatcher()
        if case .move(let name, let target) = question, name == target {
            throw ControlRefusal(.badRequest, what: "destination \"\(name)\"", why: "is named twice", next: "name two")
        }
        do throws(OutboxError) {
            switch question {
            case .export(let name, let after):
                let place = after.map { WaitingPlace(event: $0.event, position: $0.position) }
                return TrackerCommands.answer(try await dispatcher.waiting(for: name, after: place, limit: TrackerCommands.waitingShown))
            case .move(let name, let target):
                try await dispatcher.move(name, to: target)
                logger.notice("what waits for \(name) waits for \(target) now (user \(peer.userID))")
                return TrackerCommands.changedQueue(1)
            case .discard(let name):
                let count = try await dispatcher.discard(name)
                logger.notice("\(counted(count, "event")) and all positions that waited for \(name) are dropped (user \(peer.userID))")
                return TrackerCommands.changedQueue(count)
            }
        } catch {
            throw ControlRefusal(error)
        }
    }

    private static func answer(_ page: WaitingPage) -> [UInt8] {
        ControlProtocol.object("WAITING") { json in
            json.array("records") { json in for record in page.records { json.element(json: NativeFormat.line(of: record)) } }
            json.member("next", page.next.map { ControlRequest.WaitingPage(event: $0.event, position: $0.position).text })
        }
    }
}
