import Waypost
import WaypostSystem

/// The question before something is gone for good.
enum Confirmation {
    /// Goes on after "yes".
    ///
    /// - Parameters:
    ///   - question: what is about to be done.
    ///   - command: the command that asks, for messages.
    ///   - refusal: what to say after any other answer.
    static func ask(_ question: String, command: String, refusal: String) throws(CommandFailure) {
        guard Syscalls.isTerminal(Syscalls.standardInput), Terminal.isErrorInteractive else {
            throw CommandFailure(.usage, what: command, why: "there is no terminal to ask on", next: "use --yes")
        }
        SystemProcess.printError("\(question) Type yes:")
        guard readLine()?.lowercased() == "yes" else { throw CommandFailure(.failed, what: command, why: refusal) }
    }
}
