/// The exit codes of both programs: those of sysexits.h, and 1 for everything else that failed.
public enum ExitStatus: Int32, Sendable {
    /// It did what was asked.
    case ok = 0
    /// It failed for a reason that has no code of its own.
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
    /// Reading or writing failed underway.
    case inputOutput = 74
    /// The time was over, or there is no fix yet.
    case timedOut = 75
    /// This user may not.
    case notAuthorised = 77
    /// The configuration has mistakes.
    case badConfiguration = 78
}
