import Foundation
import Glibc
import Synchronization
import Testing
import Waypost
import WaypostControl
import WaypostKit
import WaypostTestKit

extension EndToEnd {
    /// The library's client of a tracker, with the real one.
    @Suite(.timeLimit(.minutes(5))) struct TrackerClientTests {
        private let receiver = SimulatedReceiver()

        @Test func asksForWhatThereIs() async throws {
            let folder = try TestFolder()
            let daemon = try await TrackerProcess(source: "sim:city", in: folder)
            let tracker = Tracker(socket: folder.path("socket"))
            #expect(try await tracker.status().processID == Int(daemon.process.processID))
            #expect(try await tracker.capabilities().isPlayback)
            // Nothing is to be sent: it says so in words.
            let refusal = try #require(await #expect(throws: ControlError.self) { try await tracker.track("lunch") })
            #expect("\(refusal)" == "destination: there is none; name one in the configuration: [[destination]]")

            let place = try #require(Coordinate(latitudeDegrees: 52.5, longitudeDegrees: 13.4))
            let fences = try (0..<500).map { number in
                Geofence(id: "f\(number)", name: "Fence \(number)", shape: try .circle(centre: place, radiusMetres: Double(100 + number)))
            }
            #expect(try await tracker.add(fences).count == 500)
            #expect(try await tracker.fences().map(\.id).sorted() == fences.map(\.id).sorted())
            #expect(Set(try await tracker.fenceShapes()) == Set(fences))
            try await tracker.removeFence(id: "f7")
            #expect(try await tracker.fences().count == 499)
            await #expect(throws: ControlError.self) { try await tracker.removeFence(id: "f7") }

            let hold = try await tracker.hold(reason: "photo walk")
            #expect(try await tracker.status().following?.clients.contains { $0.reason == "photo walk" } == true)
            hold.release()
            #expect(
                try await eventually { try await tracker.status().following?.clients.contains { $0.reason == "photo walk" } == false })
            #expect(try await daemon.stop().code == 0)
        }

        @Test func sendsAndSaysHowThatEnded() async throws {
            let folder = try TestFolder()
            let server = try await FlakyServer()
            try folder.writeGate(sendingTo: server.url)
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let daemon = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            let tracker = Tracker(socket: folder.path("socket"))
            let id = try await tracker.track("delivered", ["parcel": .string("47")]).id
            #expect(try await tracker.dispatchNow().completion == .good)
            #expect(try server.received().contains { $0["id"]?.string == id })
            #expect(try await tracker.dispatchNow(to: "home").completion == .noData)
            try server.setMode("status 503")
            try await tracker.track("delivered")
            #expect(try await tracker.dispatchNow().completion == .error)
            #expect(try await tracker.dispatchStatus().destinations.first?.name == "home")
            await #expect(throws: ControlError.self) { try await tracker.dispatchNow(to: "nobody") }
            #expect(try await daemon.stop().code == 0)
            fifo.close()
        }

        /// A tracker that was killed repeats its last events: a loop tells each once, and every position that came.
        @Test func goesOnWithTheNextTracker() async throws {
            let folder = try TestFolder()
            try folder.writeGate(sendingTo: "http://127.0.0.1:9/")
            let tracker = Tracker(socket: folder.path("socket"))
            let (positions, events, disconnections) = (Box<UTCTime?>(), Box<TrackerEvent>(), Box<ControlError>())
            let loop = Task {
                for try await update in tracker.updates() {
                    switch update {
                    case .position(let watched): positions.append(watched.position.time)
                    case .event(let event): events.append(event)
                    case .disconnected(let error): disconnections.append(error)
                    default: break
                    }
                }
            }
            let other = Task {
                var ids: [String] = []
                for try await event in tracker.events {
                    ids.append(event.id)
                    if ids.count == 2 { break }
                }
                return ids
            }
            var next = 0
            func drive(_ count: Int, with signal: Int32?) async throws {
                let fifo = try ReceiverFIFO("receiver", in: folder)
                let daemon = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
                #expect(try await eventually { try await tracker.status().following?.clients.contains { $0.reason == "watch" } == true })
                // The other loop, too.
                if next == 0 { try await Task.sleep(for: .seconds(1)) }
                try fifo.write((next..<(next + count)).map { receiver.epoch($0).text }.joined())
                next += count
                #expect(await eventually { positions.all.last == receiver.epoch(next - 1).time })
                if let signal { #expect(try await daemon.stop(with: signal).signal == signal) }
                fifo.close()
                try FileManager.default.removeItem(atPath: folder.path("receiver"))
                if signal == nil { #expect(try await daemon.process.exit().code == 0) }
            }
            // The gate is entered and left in the first stretch; each of the next trackers tells that again.
            try await drive(40, with: SIGKILL)
            try await drive(10, with: SIGKILL)
            try await drive(10, with: nil)
            #expect(events.all.map(\.kind) == ["enter", "exit"])
            #expect(try await other.value == events.all.map(\.id))
            #expect(positions.all == (0..<next).map { receiver.epoch($0).time })
            #expect(disconnections.all.contains(.notRunning(path: folder.path("socket"))))
            loop.cancel()
            try await loop.value
        }

        @Test func givesTwoClientsWhatEachAskedFor() async throws {
            let folder = try TestFolder()
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let daemon = try await TrackerProcess(source: "nmea:receiver", in: folder)
            let count = 200
            func times(_ options: PositionSelection.Options) -> Task<[UTCTime], any Error> {
                Task {
                    var times: [UTCTime] = []
                    for try await update in Tracker(socket: folder.path("socket")).updates(options) {
                        if case .position(let watched) = update, let time = watched.position.time { times.append(time) }
                        if case .lost = update { break }
                    }
                    return times
                }
            }
            let all = (times(.everyFix), times(.everyFix), times(.init(distanceFilterMetres: 100)))
            let tracker = Tracker(socket: folder.path("socket"))
            #expect(
                try await eventually { try await tracker.status().following?.clients.contains { $0.reason == "watch" } == true })
            // All three, for sure.
            try await Task.sleep(for: .milliseconds(500))
            try fifo.write((0..<count).map { receiver.epoch($0).text }.joined())
            fifo.close()
            let expected = (0..<count).map { receiver.epoch($0).time }
            #expect(try await all.0.value == expected)
            #expect(try await all.1.value == expected)
            // 15 m in a second: every seventh.
            #expect(try await all.2.value == stride(from: 0, to: count, by: 7).map { receiver.epoch($0).time })
            #expect(try await daemon.process.exit().code == 0)
        }

        /// A tracker that is stopped in its tracks: who asks waits no longer than it must, and who listens goes on with it.
        @Test func waitsForATrackerThatHangs() async throws {
            let folder = try TestFolder()
            let daemon = try await TrackerProcess(source: "sim:city", in: folder)
            let tracker = Tracker(socket: folder.path("socket"))
            var positions = tracker.positions().makeAsyncIterator()
            _ = try await positions.next()
            daemon.process.send(SIGSTOP)
            await #expect(throws: ControlError.timedOut) { try await tracker.status() }
            daemon.process.send(SIGCONT)
            #expect(try await positions.next() != nil)
            #expect(try await tracker.status().processID == Int(daemon.process.processID))
            #expect(try await daemon.stop().code == 0)
        }

        @Test func findsTheSocketByTheEnvironment() async throws {
            // In this process nothing may be set while others read it: what a name gives is the same.
            #expect(Tracker(socket: "/x/y").socket == "/x/y")
            #expect(Tracker().socket.hasSuffix("waypost.sock"))
        }
    }
}

/// What has come, for several tasks.
private final class Box<Element: Sendable>: Sendable {
    private let content = Mutex<[Element]>([])

    var all: [Element] { content.withLock { $0 } }

    func append(_ element: Element) { content.withLock { $0.append(element) } }
}
