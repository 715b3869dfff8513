import Waypost

/// A source of positions: a receiver, a recording, a simulation, a type of your own.
///
/// The contract, checked for any source by `PositionSourceContract` of WaypostTestKit:
/// - `run` delivers events through `output`, one at a time and in order, and waits for each call to return: a slow reader slows the
///   source down, it does not lose events. A source that cannot wait (a live receiver) may keep a bounded queue that drops the oldest.
/// - `run` returns after a ``PositionSourceEvent/finished`` event when the source has an end, and promptly (within a second) when its
///   task is cancelled. It delivers nothing after it has returned.
/// - A live source never gives up: what it loses (a daemon, a device, a stalled line) it reports once as
///   ``PositionSourceEvent/lost(_:)`` and tries again with back-off, and it never repeats an old fix as a new one.
/// - `run` throws only errors that no retry can fix: a file that does not exist, an address that cannot be read.
/// - Every position, report without a fix and sky view carries one of ``originNames`` as its `source`.
/// - `run` may be called again after it has returned, and then starts afresh.
public protocol PositionSource: Sendable {
    /// What the source is called in positions, `status` and messages: its URL.
    var name: String { get }

    /// The names that positions may carry as their source: this name, or the names of the members for a source made of others.
    var originNames: [String] { get }

    /// Whether the source can run beside others just to check its state; asked again before each start.
    var sharing: SourceSharing { get }

    /// Whether the source itself reports every loss of positions, so that a long step between two positions is not a loss: a recording,
    /// whose rhythm is not that of a receiver.
    var tellsLosses: Bool { get }

    /// The controls of the recordings and simulated drives that the source plays; empty for receivers.
    var playbackControls: [PlaybackControl] { get }

    /// Delivers events until the source ends or the task is cancelled.
    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError)
}

extension PositionSource {
    /// The name alone.
    public var originNames: [String] { [name] }
    /// Beside any other.
    public var sharing: SourceSharing { .free }
    /// The source does not report losses itself: the position is lost when no fix comes.
    public var tellsLosses: Bool { false }
    /// None.
    public var playbackControls: [PlaybackControl] { [] }
}

/// Whether a source can run beside others.
public enum SourceSharing: Sendable, Hashable {
    /// Beside any other.
    case free
    /// Beside those that do not use the same device: its path, with links resolved.
    case device(String)
    /// Only one after the other, and without pauses: a run consumes the source, like a pipe, or starts it again from its beginning, like a
    /// recording or a simulated drive.
    case alone
}

/// Where a source delivers its events; returns when the event has been processed.
public typealias PositionSourceOutput = @Sendable (PositionSourceEvent) async -> Void

/// What a source reports.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum PositionSourceEvent: Sendable, Equatable {
    /// A new fix.
    case position(Position)
    /// The receiver is alive and says that it has no fix.
    case noFix(NoFix)
    /// The satellites in view.
    case sky(SkyView)
    /// No fixes can be expected for now, for this reason.
    case lost(LossReason)
    /// Information for people who read `status`; never needed to understand the positions.
    case status(SourceStatus)
    /// The source has ended; nothing follows.
    case finished
}

/// Why there is no position.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum LossReason: Sendable, Hashable, CustomStringConvertible {
    /// The receiver delivers data, but no fix.
    case noFix
    /// The source delivers nothing although it is connected.
    case silent
    /// The data is not new, or cannot be read; the detail says which.
    case unusable(LossDetail)
    /// The connection to the source was lost or cannot be made; the detail has the system's message.
    case disconnected(LossDetail)
    /// The receiver was unplugged or deactivated.
    case deviceGone(LossDetail)
    /// The source has ended.
    case ended
    /// Another source has replaced this one.
    case replaced
    /// There are fixes, but they are withheld for now.
    case withheld(PrivacyGate.Reason)

    /// Whether there is no receiver, or nobody to ask for it: then silence is an answer.
    package var isOfTheConnection: Bool {
        switch self {
        case .disconnected, .deviceGone: true
        case .noFix, .silent, .unusable, .ended, .replaced, .withheld: false
        }
    }

    /// A few words for people, without a full stop: `the receiver has no fix`.
    public var description: String {
        switch self {
        case .noFix: "the receiver has no fix"
        case .silent: "the source is silent"
        case .unusable(let detail): "\(detail)"
        case .disconnected(let detail): "not connected: \(detail)"
        case .deviceGone(let detail): "the receiver is gone: \(detail)"
        case .ended: "the source has ended"
        case .replaced: "another source is used now"
        case .withheld(.zone): "inside a privacy zone"
        case .withheld(.privateMode): "private mode is on"
        }
    }
}

/// The state of a source's connection, for people.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum SourceStatus: Sendable, Hashable {
    /// Connected; the text is how the other side describes itself.
    case connected(String)
    /// A problem that does not stop the source, once per kind.
    case warning(String)
    /// Positions stay lost, for a different reason than before.
    ///
    /// Silence after a disconnection is the answer of the other side, which may send in a moment; it comes once more when it does not.
    case stillLost(LossReason)
    /// Positions are no longer withheld, and none has come since; with the reason why there is none, if the source has given one.
    case shownAgain(LossReason?)
    /// A source made of others takes its positions from a different member from now on.
    case switched(SourceSwitch)
    /// The states of all members of a source made of others, in their order, when one has changed.
    case members([SourceMember])
}

/// Why a source cannot run at all.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum PositionSourceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file or device cannot be opened: path and the system's message.
    case cannotOpen(path: String, reason: String)
    /// Reading failed, and no retry helps: path and the system's message.
    case cannotRead(path: String, reason: String)
    /// The input holds nothing that this source can use: path and why.
    case unusable(path: String, reason: String)

    /// One line for people: `drive.gpx: cannot be opened: No such file or directory`.
    public var description: String {
        switch self {
        case .cannotOpen(let path, let reason): "\(path): cannot be opened: \(reason)"
        case .cannotRead(let path, let reason): "\(path): cannot be read: \(reason)"
        case .unusable(let path, let reason): "\(path): \(reason)"
        }
    }
}
