import Synchronization
import Waypost
import WaypostSystem

/// Several sources as one: positions from the best that has any, by ``FallbackRule``.
///
/// Every position carries the name of its member. The fixes of two members never lie within a second of each other, and their times go on
/// across a switch, unless the clock of the new one is permanently behind, which causes a warning. Changes are reported as
/// ``SourceStatus/switched(_:)`` and ``SourceStatus/members(_:)``.
///
/// A loss of the active member is a loss; the next position, from any member, ends it. It ends when every member has ended: with
/// ``PositionSourceEvent/finished``, or with the first failure if all have failed.
/// - Concurrency: each member that runs has a task of its own; a slow reader slows all of them down.
public struct FallbackSource: PositionSource {
    /// The names of its members, in their order.
    public let name: String
    /// The members, the best first; their names must differ.
    public let members: [any PositionSource]
    private let times: FallbackRule.Times
    private let lastUsed: LastUsed

    /// The member that was in use when the last run was cancelled, such as for a planned sleep: the next one begins with it.
    private final class LastUsed: Sendable {
        let member: Atomic<Int>

        init(_ member: Int) { self.member = Atomic(member) }
    }

    /// A source of these members.
    ///
    /// - Parameters:
    ///   - members: the members, the best first; without any the source fails when it runs.
    ///   - times: the times of the rule.
    ///   - first: the name of the member that the first run begins with, such as the one that had the last position of the previous run; those
    ///     before it are tried beside it. Nil, or a name that no member has: the best.
    public init(
        _ members: [any PositionSource], times: FallbackRule.Times = FallbackRule.Times(), startingWith first: String? = nil
    ) {
        self.members = members
        self.times = times
        lastUsed = LastUsed(members.firstIndex { $0.name == first } ?? 0)
        name = members.map(\.name).joined(separator: ", then ")
    }

    /// The names of all members.
    public var originNames: [String] { members.flatMap(\.originNames) }
    /// Alone when one of its members must run alone.
    public var sharing: SourceSharing { members.contains { $0.sharing == .alone } ? .alone : .free }
    /// Whether all members do.
    public var tellsLosses: Bool { members.allSatisfy(\.tellsLosses) }
    /// The controls of all members.
    public var playbackControls: [PlaybackControl] { members.flatMap(\.playbackControls) }

    /// Delivers events until every member has ended or the task is cancelled.
    public func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        if members.isEmpty { throw .unusable(path: "fallback", reason: "it has no source to fall back to") }
        let mailbox = FallbackMailbox()
        let first = lastUsed.member.exchange(0, ordering: .relaxed)
        var run = FallbackRun(members: members, times: times, startingWith: first, mailbox: mailbox, output: output)
        let alarm = FallbackAlarm(mailbox: mailbox)
        await withTaskCancellationHandler {
            await run.begin()
            while !run.hasEnded, !Task.isCancelled {
                alarm.set(to: run.deadline)
                guard let letters = await mailbox.next() else { break }
                await run.handle(letters)
            }
        } onCancel: {
            mailbox.close()
        }
        mailbox.close()
        await alarm.stop()
        await run.stopAll()
        guard run.hasEnded, !Task.isCancelled else {
            lastUsed.member.store(run.active, ordering: .relaxed)
            return
        }
        if let failure = run.failure { throw failure }
        await output(.finished)
    }
}
