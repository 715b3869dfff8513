import Logging
import Waypost
import WaypostSystem

/// Log lines on standard error, for people or for journald.
///
/// Under systemd each line starts with its priority (`<4>`, sd-daemon(3)); journald adds time and name itself. Elsewhere the line
/// starts with the program's name, and with the level when it is a warning or worse.
struct StandardErrorLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .info
    let isJournal: Bool

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        SystemProcess.printError(line(event.level, "\(event.message)"))
    }

    /// The line for a message; text from others in it (names, messages of servers and receivers) stays within the line, and within a page.
    func line(_ level: Logger.Level, _ words: String) -> String {
        let message = oneLine(words, limit: 2_000)
        if isJournal { return "<\(level.priority)>\(message)" }
        return level >= .warning ? "waypostd: \(level): \(message)" : "waypostd: \(message)"
    }
}

extension Logger.Level {
    /// The priority of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
