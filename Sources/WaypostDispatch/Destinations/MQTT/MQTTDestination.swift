import Synchronization
import Waypost
import WaypostSystem

/// A broker that receives each record as a separate message, at QoS 1.
///
/// A batch is delivered when the broker has acknowledged all of its messages; or, with ``Receipt/application(topic:)``, each record when an
/// application has confirmed it. Records of a failed attempt are sent again, under the same ids.
public final class MQTTDestination: Destination {
    /// Who confirms the records.
    public enum Receipt: Sendable, Hashable {
        /// The broker's acknowledgement (PUBACK). It does not prove that any consumer has the record: mosquitto loses what it acknowledged when
        /// it is killed, drops it when a consumer's queue is full (1 000 by default), and acknowledges messages that its access list discards.
        case broker
        /// The ids of received records, which an application publishes to that topic. Each message names the topic, in `receipt_to`.
        case application(topic: MQTTTopic)
    }

    /// The settings of an MQTT destination.
    public struct Settings: Sendable {
        /// The broker and our identity; the subscriptions and the presence are derived from the other settings.
        public var client: MQTTSettings
        /// How records are published, and to which topics.
        public var format: any MQTTFormat
        /// Who confirms the records.
        public var receipt = Receipt.broker
        /// How long to wait for an application's receipts after the last one.
        public var receiptTimeout = Duration.seconds(30)
        /// How long until a record without a receipt is published again when no receipts come at all; it doubles up to an hour.
        public var republishInterval = Duration.seconds(60)
        /// Whether the connection is kept open, and the broker announces when this device comes and goes.
        public var showsPresence = false

        /// Settings for a broker.
        public init(client: MQTTSettings, format: any MQTTFormat) {
            self.client = client
            self.format = format
        }
    }

    /// A batch that waits for an application fits twice into mosquitto's queue for an absent consumer (1 000).
    public var maximumBatchCount: Int { receiptTopic == nil ? 1_000 : 500 }
    private let settings: Settings
    private let client: MQTTClient
    private let receipts: SharedReceipts
    private let receiptTopic: String?
    /// The connection on which the format's announcements were made.
    private let announcedNumber = Atomic(-1)

    /// The default topic for an application's receipts; not below `waypost/`, so that a consumer of everything does not get its own messages.
    public static let usualReceiptTopic = "waypost-receipts/{device}"
    /// While nothing is published, messages that the broker kept for us come with the connection, or later.
    private static let shortPatience = Duration.seconds(5)
    /// After the broker has closed this many connections in a row, a person has to fix something.
    private static let endsToMend = 3

    /// A destination for a device; nothing is opened yet.
    ///
    /// - Errors: an application cannot send receipts for messages of that format.
    public init(_ settings: Settings, device: String) throws(MQTTError) {
        self.settings = settings
        var client = settings.client
        client.presence = settings.showsPresence ? settings.format.presence(of: device) : nil
        if case .application(let topic) = settings.receipt {
            guard settings.format.carriesIDs else { throw .badSettings(reason: "applications give no receipts in this format") }
            receiptTopic = topic.topic(device: device)
        } else {
            receiptTopic = nil
        }
        client.subscriptions = receiptTopic.map { [$0] } ?? []
        let receipts = SharedReceipts(pause: settings.republishInterval, quiet: settings.receiptTimeout)
        self.receipts = receipts
        self.client = MQTTClient(client) { receipts.process($0.payload) }
    }

    /// The client id of a destination on this machine: permanent, different for each name, and not the machine's own id; 23 bytes, as many as
    /// every broker accepts.
    public static func clientID(for name: String) -> String { "waypost-" + MachineIdentity.digits(for: "mqtt \(name)", digitCount: 15) }

    /// Why the format cannot express a record; nil when it can.
    public func obstacle(to record: DispatchRecord) -> String? { settings.format.verdict(on: record, at: nil).obstacle }

    /// Publishes records again that an application has not confirmed.
    public func hurry() {
        guard receiptTopic != nil else { return }
        receipts.hurry()
        client.wake()
    }

    /// Publishes the batch, and waits for its receipts.
    public func send(_ batch: DispatchBatch) async -> DeliveryOutcome { await settings.format.sending(batch, publish) }

    private func publish(_ batch: DispatchBatch) async -> DeliveryOutcome {
        if client.settings.isEncrypted, WallClock.milliseconds < HTTPDestination.earliestSaneTime {
            return .temporary(reason: "the clock of this box is not set yet, and TLS needs it", retryAfter: nil)
        }
        var messages: [(id: String, messages: [MQTTMessage])] = []
        do throws(FormatError) {
            for record in batch.records {
                messages.append((record.id, try settings.format.messages(for: record, of: batch, receiptTopic: receiptTopic)))
            }
        } catch {
            return .denied(reason: error.reason)
        }
        // Of Home Assistant's fences there are many, and one batch of a connection needs them.
        lazy var announcements = settings.format.announcements(of: batch.device)
        let isSilent = messages.allSatisfy(\.messages.isEmpty)
        let nothingToSay = DeliveryOutcome.delivered(refused: [:], answer: "nothing to say")
        if isSilent, announcements.isEmpty { return nothingToSay }
        do throws(MQTTError) {
            let connection = try await client.connect()
            if announcedNumber.load(ordering: .relaxed) != connection.number, !announcements.isEmpty {
                _ = try await client.publish(announcements)
                announcedNumber.store(connection.number, ordering: .relaxed)
            }
            if isSilent { return nothingToSay }
            if receiptTopic != nil { return await publishForReceipts(messages, connection) }
        } catch {
            return MQTTDestination.outcome(of: error)
        }
        return await publishForAcknowledgements(messages)
    }

    /// Two windows at a time, and twice as many after fast ones, so that little is sent again after an interruption or a crash.
    private func publishForAcknowledgements(_ records: [(id: String, messages: [MQTTMessage])]) async -> DeliveryOutcome {
        let start = ContinuousClock.now
        var (settled, step) = (0, 2 * client.settings.window)
        func partly(then rest: DeliveryOutcome?) -> DeliveryOutcome {
            .partly(received: Set(records.prefix(settled).map(\.id)), answer: "PUBACK", then: rest)
        }
        while settled < records.count {
            let next = records[settled..<min(settled + step, records.count)]
            let begin = ContinuousClock.now
            do throws(MQTTError) { _ = try await client.publish(next.flatMap(\.messages)) } catch {
                let failure = MQTTDestination.outcome(of: error)
                return settled > 0 ? partly(then: failure) : failure
            }
            settled = next.endIndex
            if ContinuousClock.now - begin < .milliseconds(500) { step *= 2 }
            if settled < records.count, ContinuousClock.now - start >= DispatchBatch.longestUnsettled { return partly(then: nil) }
        }
        return .delivered(refused: [:], answer: "PUBACK")
    }

    private func publishForReceipts(
        _ records: [(id: String, messages: [MQTTMessage])], _ connection: MQTTClient.Connection
    ) async -> DeliveryOutcome {
        let due = receipts.begin(records.map(\.id), connection)
        let messages = records.filter { due.contains($0.id) }.flatMap(\.messages)
        let patience = messages.isEmpty ? min(settings.receiptTimeout, MQTTDestination.shortPatience) : settings.receiptTimeout
        var failure: DeliveryOutcome?
        var isSilence = false
        do throws(MQTTError) {
            if try await !client.publish(messages, until: receipts.isEnough, patience: patience) {
                isSilence = true
                failure = .temporary(
                    reason: """
                        the broker has them, but no application has said on \(receiptTopic ?? "") that it has \(receipts.missingCount) of \
                        \(records.count) records
                        """, retryAfter: nil)
            }
        } catch {
            receipts.noteLost(due)
            failure = MQTTDestination.outcome(of: error)
        }
        let (received, refused) = receipts.finish()
        // Receipts that came at the last moment are no silence; each batch waits for its first ones no longer than its patience, so that the
        // records behind it get their turn however slowly receipts come.
        if isSilence, !received.isEmpty || !refused.isEmpty { failure = nil }
        let answer = "receipt of the application"
        if received.count + refused.count == records.count { return .delivered(refused: refused, answer: answer) }
        if !received.isEmpty || !refused.isEmpty { return .partly(received: received, refused: refused, answer: answer, then: failure) }
        // It ended for the receipts of others, which are taken before it goes on.
        if failure == nil, receipts.hasLate { return .partly(received: [], answer: answer, then: nil) }
        return failure ?? .temporary(reason: "somebody wants them sent again", retryAfter: nil)
    }

    static func outcome(of error: MQTTError) -> DeliveryOutcome {
        switch error {
        case .unreachable: .unreachable(reason: "\(error)")
        case .endedByBroker(_, let count) where count >= endsToMend: .denied(reason: "\(error)")
        case .noConnection, .busy, .timedOut, .tooLong, .lost, .endedByBroker, .cancelled: .temporary(reason: "\(error)", retryAfter: nil)
        case .noLibrary, .badSettings, .refused, .tls: .denied(reason: "\(error)")
        }
    }
}

extension MQTTDestination: LateReceiptKeeper {
    package var hasLateReceipts: Bool { receipts.hasLate }

    package func takeLateReceipts(of ids: Set<String>) -> (received: Set<String>, refused: [String: String]) {
        receipts.takeLate(of: ids)
    }
}

/// The ledger of receipts, between the connection's thread and the task that sends.
private final class SharedReceipts: Sendable {
    private struct State {
        var ledger: ReceiptLedger
        var connection = 0
    }

    private let state: Mutex<State>

    init(pause: Duration, quiet: Duration) {
        state = Mutex(
            State(ledger: ReceiptLedger(pauseMilliseconds: pause.milliseconds, quietMilliseconds: quiet.milliseconds)))
    }

    /// The ids to publish; they count as published from here on.
    func begin(_ ids: [String], _ connection: MQTTClient.Connection) -> Set<String> {
        let now = BootClock.milliseconds
        return state.withLock { state in
            let isForgotten = connection.number != state.connection && !connection.isSessionPresent
            state.connection = connection.number
            let due = state.ledger.begin(ids, hasForgotten: isForgotten, now: now)
            state.ledger.notePublished(due, now: now)
            return Set(due)
        }
    }

    func process(_ message: [UInt8]) { state.withLock { $0.ledger.process(message, now: BootClock.milliseconds) } }

    func noteLost(_ ids: Set<String>) { state.withLock { $0.ledger.noteLost(ids) } }

    func hurry() { state.withLock { $0.ledger.hurry(now: BootClock.milliseconds) } }

    func finish() -> (received: Set<String>, refused: [String: String]) { state.withLock { $0.ledger.finish() } }

    var missingCount: Int { state.withLock { $0.ledger.missingCount } }

    var hasLate: Bool { state.withLock { $0.ledger.hasLate } }

    func takeLate(of ids: Set<String>) -> (received: Set<String>, refused: [String: String]) {
        state.withLock { $0.ledger.takeLate(of: ids) }
    }

    /// Whether all of the batch have a receipt, or some have had one for a while; called on the connection's thread.
    var isEnough: @Sendable (_ isAcknowledged: Bool) -> Bool {
        { [self] isAcknowledged in
            let now = BootClock.milliseconds
            return state.withLock { $0.ledger.isComplete || isAcknowledged && $0.ledger.shouldEnd(now: now) }
        }
    }
}
