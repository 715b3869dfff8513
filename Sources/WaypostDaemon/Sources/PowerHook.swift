import Logging
import WaypostPositioning
import WaypostSystem

/// Runs the user's command that switches the receiver: `COMMAND on` and `COMMAND off`.
///
/// A command that fails is reported, and positioning continues as if it had worked; one that hangs is ended.
struct PowerHook: ReceiverPower {
    /// How long the command may take, in milliseconds.
    static let limitMilliseconds: Int64 = 30_000

    let command: String
    let logger: Logger

    func setReceiver(isOn: Bool) async {
        let line = "\(command) \(isOn ? "on" : "off")"
        let problem = await withCheckedContinuation { (continuation: CheckedContinuation<String?, Never>) in
            do throws(SystemError) {
                _ = try DedicatedThread.start(name: "power hook") { stop in
                    continuation.resume(returning: PowerHook.run(line, stop))
                }
            } catch {
                continuation.resume(returning: error.description)
            }
        }
        if let problem { logger.warning("the power hook \"\(line)\" \(problem)") }
    }

    /// Runs it to its end; returns what went wrong, as the end of a sentence.
    private static func run(_ line: String, _ stop: WakeSignal) -> String? {
        do throws(SystemError) {
            var program = try ShellCommand.start(line)
            let deadline = MonotonicClock.milliseconds + limitMilliseconds
            while !program.hasEnded {
                guard MonotonicClock.milliseconds < deadline else {
                    _ = program.stop()
                    return "has not ended within \(limitMilliseconds / 1_000) s"
                }
                _ = stop.sleep(milliseconds: 20)
            }
            let end = program.stop()
            return end == .exited(0) ? nil : end.description
        } catch {
            return "cannot be started: \(error.description)"
        }
    }
}
