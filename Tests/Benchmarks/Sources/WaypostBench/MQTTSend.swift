import Waypost
import WaypostDispatch
import WaypostSystem

/// Sends positions to a broker, as fast as it acknowledges them, or until an application has said that it has all of them.
enum MQTTSend {
    /// Whose word counts.
    enum Receipt: String {
        case broker, application
    }

    /// - Parameter republish: after which time without a word what has no receipt is published again.
    static func run(url: String, count: Int, receipt: Receipt, republish: Duration) async throws {
        var settings = MQTTDestination.Settings(client: try MQTTSettings(url: url, clientID: "waypost-bench"), format: try format())
        if receipt == .application {
            settings.receipt = .application(topic: try MQTTTopic(MQTTDestination.usualReceiptTopic, isFixed: true))
            settings.receiptTimeout = .seconds(2)
            settings.republishInterval = republish
        }
        let destination = try MQTTDestination(settings, device: "bench")
        var left = (1...count).map(record)[...]
        let start = ContinuousClock.now
        var attempts = 0
        while !left.isEmpty {
            let batch = Array(left.prefix(destination.maximumBatchCount))
            attempts += 1
            switch await destination.send(DispatchBatch(device: "bench", time: time(0), records: batch)) {
            case .delivered: left.removeFirst(batch.count)
            case .partly(let received, _, _, _): left.removeAll { received.contains($0.id) }
            // The dispatcher's pauses are longer, and tested elsewhere.
            case .temporary, .unreachable, .denied, .refused: try await Task.sleep(for: .milliseconds(200))
            }
        }
        let time = ContinuousClock.now - start
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        print("messages \(count) attempts \(attempts) seconds \(seconds) messages/s \(Int(Double(count) / seconds))")
    }

    /// The same messages as lines, for `mosquitto_pub -l`.
    static func printLines(_ count: Int) {
        guard let format = try? format() else { preconditionFailure("the usual topics") }
        for number in 1...max(1, count) {
            let record = record(number)
            let batch = DispatchBatch(device: "bench", time: time(0), records: [record])
            let messages = (try? format.messages(for: record, of: batch, receiptTopic: nil)) ?? []  // Our own format lacks nothing.
            for message in messages { print(String(decoding: message.payload, as: UTF8.self)) }
        }
    }

    private static func format() throws -> NativeMQTTFormat {
        NativeMQTTFormat(
            topic: try MQTTTopic(MQTTTopic.usual), statusTopic: try MQTTTopic(NativeMQTTFormat.usualStatusTopic, isFixed: true))
    }

    private static func time(_ second: Int) -> UTCTime { UTCTime(millisecondsSince1970: 1_777_680_000_000 + Int64(second) * 1_000) }

    private static func record(_ number: Int) -> DispatchRecord {
        guard let place = Coordinate(latitudeDegrees: 47.1 + Double(number % 10_000) / 100_000, longitudeDegrees: 9.52) else {
            preconditionFailure("a place")
        }
        var position = Position(time: time(number), coordinate: place, mode: .threeDimensional)
        position.altitudeMSLMetres = 512.25
        position.speedMetresPerSecond = 13.5
        position.courseDegrees = 96.25
        position.accuracy = HorizontalAccuracy(radiusMetres: 4.2, origin: .gst)
        return DispatchRecord(
            id: "p-\(number)-0", lane: .live, sequence: UInt64(number), age: .milliseconds(250), content: .position(position))
    }
}
