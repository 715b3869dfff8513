import Waypost
import WaypostSystem

/// Why a serial line is not open.
enum SerialRefusal: Error, Sendable, Equatable {
    /// There is no such device now.
    case missing(path: String)
    /// No receiver is plugged in that may be opened without being named.
    case noKnownReceiver(candidates: [SourceObstacle.Candidate])
    /// gpsd has it on its list.
    case heldByGPSD(path: String)
    /// Another program has it: which one, as far as this user may see.
    case held(path: String, by: [SerialDeviceHolder], isOwn: Bool)
    /// This user may not open it; the group whose members may, if there is one.
    case denied(path: String, group: String?)
    /// The system uses it as a console, so that this user may not open it, or a login program has it.
    case console(path: String)
    /// It disappeared while it was being opened.
    case vanished(path: String)
    /// The device cannot do that speed.
    case noSuchSpeed(path: String, baudRate: Int)
    /// It is a file or folder, and will never be a line.
    case notALine(path: String)
    /// Anything else, in the system's words.
    case failed(path: String, reason: String)

    /// The loss of positions that it causes.
    var loss: LossReason {
        switch self {
        case .missing, .noKnownReceiver, .vanished: .deviceGone(detail)
        default: .disconnected(detail)
        }
    }

    private var detail: LossDetail { LossDetail(fact, advice: advice, obstacle: obstacle) }

    /// The obstacle, where it decides what to do.
    private var obstacle: SourceObstacle? {
        switch self {
        case .noKnownReceiver(let candidates): .noKnownReceiver(candidates: candidates)
        case .denied(let path, let group): .notPermitted(path: path, group: group)
        case .heldByGPSD(let path): .heldByGPSD(path: path)
        case .held(let path, _, isOwn: false), .console(let path): .heldByAnother(path: path)
        case .missing, .held, .vanished, .noSuchSpeed, .notALine, .failed: nil
        }
    }

    /// One line for people: the problem, the reason and the remedy.
    var words: String { detail.description }

    /// The same, or that the line is a console: nobody is to be advised to open that to others.
    ///
    /// - Parameter tree: where the files are that name the consoles.
    func orConsole(in tree: SystemTree = SystemTree(root: "")) -> SerialRefusal {
        switch self {
        case .denied(let path, _), .held(let path, _, isOwn: false):
            let device = tree.resolved(path)
            return SerialConsole.all(in: tree).contains { tree.resolved($0.path) == device } ? .console(path: path) : self
        default: return self
        }
    }

    /// What to do; nil where no simple step helps.
    private var advice: String? {
        switch self {
        case .noKnownReceiver: "name the port of another one (waypost devices lists them)"
        case .heldByGPSD(let path): "use gpsd://localhost, or take it from gpsd: sudo gpsdctl remove \(path)"
        case .denied(_, let group?) where group != "root": "its group may: sudo usermod -aG \(group) $USER, then log in again"
        case .console: "this shows how to free it: sudo waypost doctor"
        case .held(_, let holders, isOwn: false)
        where holders.contains(where: \.isTracker) || holders.isEmpty && DeviceHolder.hasHiddenTracker:
            "\(SerialRefusal.watchAdvice(holders)); to use it here: \(SerialRefusal.stopCommand(holders))"
        case .missing, .held, .denied, .vanished, .noSuchSpeed, .notALine, .failed: nil
        }
    }

    /// Where its positions can be seen: the socket of another tracker must be named beside one that runs here.
    private static func watchAdvice(_ holders: [SerialDeviceHolder]) -> String {
        guard otherThanService(holders) == nil else { return "another tracker has it" }
        let watch = "the tracker has it: waypost watch --socket \(DefaultPaths.serviceSocket) shows its positions"
        guard SystemAccounts.ownUserID != 0, !SystemAccounts.hasOwnGroup(named: DefaultPaths.serviceUser) else { return watch }
        let user = shellWord(SystemAccounts.name(ofUser: SystemAccounts.ownUserID))
        return "\(watch), once root lets you: sudo waypost grant \(user) full"
    }

    /// The command that stops a tracker: the service, or one that a person has started.
    private static func stopCommand(_ holders: [SerialDeviceHolder]) -> String {
        otherThanService(holders).map { "kill \($0)" } ?? "sudo systemctl stop waypostd"
    }

    /// The process of the tracker that has it, if it is not the service's.
    private static func otherThanService(_ holders: [SerialDeviceHolder]) -> Int32? {
        for case .process(let holder) in holders where holder.name == DeviceHolder.trackerName {
            let owner = FileIdentity.owner(of: "/proc/\(holder.processID)")
            if owner != UserAccount(named: DefaultPaths.serviceUser)?.userID { return holder.processID }
        }
        return nil
    }

    /// The problem.
    private var fact: String {
        switch self {
        case .missing(let path): return "\(path) is not there; waiting for it"
        case .noKnownReceiver: return "no known receiver is plugged in"
        case .heldByGPSD(let path): return "\(path): gpsd has it"
        case .held(let path, _, true): return "\(path): another source of this waypost has it"
        case .held(let path, let holders, false):
            guard case .process(let holder)? = holders.first else {
                return "\(path): in use by another program (try: sudo waypost devices)"
            }
            return "\(path): in use by \(holder.name) (process \(holder.processID))"
        case .denied(let path, _): return "\(path): permission denied"
        case .console(let path): return "\(path): the system uses it as a console"
        case .vanished(let path): return "\(path) was unplugged while it was being opened"
        case .noSuchSpeed(let path, let baudRate): return "\(path): cannot do \(baudRate) baud"
        case .notALine(let path): return "\(path) is not a serial port"
        case .failed(let path, let reason): return "\(path): \(reason)"
        }
    }
}
