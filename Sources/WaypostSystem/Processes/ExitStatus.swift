/// How a program ended, after sysexits.h; scripts rely on the numbers.
public enum ExitStatus: Int32, Sendable, CaseIterable {
    /// It did what was asked.
    case ok = 0
    /// It failed for a reason that has no code.
    case failed = 1
    /// The command line cannot be understood.
    case usage = 64
    /// The input holds nothing usable.
    case badData = 65
    /// The input does not exist or cannot be opened.
    case inputMissing = 66
    /// The daemon or device cannot be reached.
    case unavailable = 69
    /// An output, folder or socket cannot be made.
    case cannotCreate = 73
    /// Reading or writing failed part-way.
    case inputOutput = 74
    /// The time was over, there is no fix yet, or it is not possible now.
    case timedOut = 75
    /// This user is not allowed to do it, or it is not allowed now.
    case notAuthorised = 77
    /// The configuration has mistakes.
    case badConfiguration = 78

    /// The meaning of the status, for help and manual.
    public var meaning: String {
        switch self {
        case .ok: "it did what was asked"
        case .failed: "it failed, for a reason that has no code of its own"
        case .usage: "the command line is wrong: an unknown command or option, or a value of another form or too long"
        case .badData: "the input is of no use: a damaged file, one without a fix or fence, a value that makes no sense"
        case .inputMissing: "what was named is not there, or cannot be read, as a folder: a file, fence, destination or record"
        case .unavailable: "the tracker cannot be reached"
        case .cannotCreate: "it cannot be stored: no room on the disk, no such folder, in use by another program"
        case .inputOutput: "reading or writing failed underway"
        case .timedOut: "time ran out, there is no fix yet, or it is not possible now"
        case .notAuthorised: "not permitted: this user may not, or private mode is on"
        case .badConfiguration: "the configuration has mistakes"
        }
    }

    /// All of them, one per line: the number and its meaning.
    public static var table: String {
        allCases.map { String(repeating: " ", count: $0.rawValue < 10 ? 3 : 2) + "\($0.rawValue)  \($0.meaning)" }.joined(separator: "\n")
    }
}
