import Waypost
import WaypostSystem

/// The question before an irreversible action.
enum Confirmation {
    /// Asks, and returns after "yes" or "y".
    ///
    /// - Parameters:
    ///   - question: the action in question.
    ///   - command: the command that asks, for messages.
    ///   - refusal: what to say after any other answer.
    static func ask(_ question: String, command: String, refusal: String) throws(CommandFailure) {
        guard Syscalls.isTerminal(Syscalls.standardInput), Terminal.isErrorInteractive else {
            throw CommandFailure(.usage, what: command, why: "there is no terminal to ask on", next: "use --yes")
        }
        SystemProcess.printError("\(question) [yes/no]:")
        guard let answer = readLine()?.lowercased(), ["yes", "y"].contains(answer) else {
            throw CommandFailure(.failed, what: command, why: refusal)
        }
    }
}
