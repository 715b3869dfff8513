import WaypostSystem

/// The service that reads the answers.
struct SetupService {
    /// How the restart went.
    enum Outcome: Equatable {
        case restarted
        /// There is no service.
        case absent
        /// It did not start: systemctl's message.
        case failed(String)
    }

    private static let limitMilliseconds: Int64 = 120_000

    /// Restarts the service, where systemd runs and has it.
    static func restart(_ facts: SystemFacts) -> Outcome {
        guard facts.unitPath != nil, facts.tree.exists("/run/systemd/system") else { return .absent }
        return Patience.during("restarting the service") {
            do throws(SystemError) {
                let command = try ShellCommand.start("exec systemctl restart waypostd.service 2>&1")
                let (end, output) = try command.result(withinMilliseconds: limitMilliseconds)
                let words = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
                return end == .exited(0) ? .restarted : .failed(words.isEmpty ? "systemctl \(end)" : words)
            } catch {
                return .failed("systemctl \(error.reason)")
            }
        }
    }
}
