import Synchronization
import Waypost
import WaypostSystem

/// An application on the other side of a broker: reads what is published, and acknowledges it if it is set to.
public final class MQTTConsumer: Sendable {
    /// Fewer messages arrived than expected.
    public struct TooFew: Error {
        /// How many arrived.
        public let count: Int
    }

    private struct State {
        var messages: [MQTTMessage] = []
    }

    /// Its connection.
    public let client: MQTTClient
    private let state: Box
    private let answering: Task<Void, Never>

    private final class Box: Sendable {
        let state = Mutex(State())
    }

    /// A consumer of that topic; it is not connected yet.
    ///
    /// - Parameters:
    ///   - url: the broker.
    ///   - topic: the topic filter.
    ///   - id: the client id.
    ///   - answer: the acknowledgement of a record with that id; nil sends none.
    public init(
        _ url: String, topic: String = "waypost/#", id: String = "consumer", answer: @escaping @Sendable (String) -> String? = { _ in nil }
    ) throws {
        var settings = try MQTTSettings(url: url, clientID: id)
        settings.subscriptions = [topic]
        settings.idleLimit = .seconds(600)
        let box = Box()
        let (answers, continuation) = AsyncStream.makeStream(of: MQTTMessage.self)
        let client = MQTTClient(settings) { message in
            // Decided when it arrives: whoever has seen a message may change what is answered to the next ones.
            if let record = try? JSONParser().parse(message.payload), let topic = record["receipt_to"]?.string,
                let id = record["id"]?.string, let words = answer(id)
            {
                continuation.yield(MQTTMessage(topic: topic, payload: Array(words.utf8)))
            }
            box.state.withLock { $0.messages.append(message) }
        }
        (self.client, state) = (client, box)
        answering = Task {
            for await message in answers {
                // The broker may be gone: then the record comes again.
                _ = try? await client.publish([message])
            }
        }
    }

    deinit { answering.cancel() }

    /// The messages received, in order.
    public var messages: [MQTTMessage] { state.state.withLock { $0.messages } }

    /// The messages as JSON; those that are not JSON are left out.
    public var records: [JSONValue] { messages.compactMap { try? JSONParser().parse($0.payload) } }

    /// The ids of the records, repeats included.
    public var ids: [String] { records.compactMap { $0["id"]?.string } }

    /// Waits until that many messages have arrived.
    public func wait(for count: Int, patience: Duration = .seconds(10)) async throws {
        let end = ContinuousClock.now + patience
        while messages.count < count {
            guard ContinuousClock.now < end else { throw TooFew(count: messages.count) }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
