import NIOCore
import WaypostSystem

/// The common part of the network sources: open a channel, wait for its end, and open it again after ``ReconnectPauses``, for ever.
struct NMEAReconnection: Sendable {
    /// The source's URL.
    let name: String
    /// How the end of the channel is described when silence was not the reason.
    let endWords: String
    /// Opens the channel; its pipeline feeds the session.
    let open: @Sendable (NMEASession) async throws -> any Channel

    /// Delivers events until the task is cancelled.
    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        let heartbeat = SourceHeartbeat(name: name, patience: SourceHeartbeat.networkPatience)
        try await EventQueue.run(heartbeat: heartbeat, output: output) { (queue) async throws(PositionSourceError) in
            let session = NMEASession(name: name, queue: queue)
            var pauses = ReconnectPauses()
            while !Task.isCancelled {
                let heldMilliseconds = await readOnce(session)
                let pause = Duration.milliseconds(pauses.next(afterConnectionOf: heldMilliseconds))
                try? await Task.sleep(for: pause)  // Cancelled: the loop ends.
            }
        }
    }

    /// One channel from beginning to end; returns how long it lasted, 0 when it could not be opened.
    private func readOnce(_ session: NMEASession) async -> Int64 {
        let channel: any Channel
        do {
            channel = try await open(session)
        } catch {
            if !Task.isCancelled { session.lose(.disconnected("\(name): \(NetworkFailure.words(for: error))")) }
            return 0
        }
        let start = MonotonicClock.milliseconds
        await channel.waitUntilClosed()
        if !Task.isCancelled, !session.checkSilence() { session.lose(.disconnected("\(name): \(endWords)")) }
        return MonotonicClock.milliseconds - start
    }
}
