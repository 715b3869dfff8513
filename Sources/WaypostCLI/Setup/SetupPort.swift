import Waypost
import WaypostConfiguration
import WaypostPositioning
import WaypostSystem

/// What keeps the receiver's port from working; reported before anything is written.
struct SetupPort {
    /// This system.
    let facts: SystemFacts

    /// Refuses paths that can never be a serial port.
    func refuse(_ sources: [Configuration.Source]) throws(SetupProblem) {
        for path in SetupPort.paths(sources) {
            switch Syscalls.kind(path) {
            case .regular: throw SetupProblem("\(path) is a file, not a serial port; nmea:\(path) plays a recording")
            case .folder: throw SetupProblem("\(path) is a folder, not a serial port; waypost devices lists the ports")
            case .missing, .other: break
            }
        }
    }

    /// The current problems with the ports, with their fix: each a sentence, or a command that belongs to the sentence before it.
    func problems(_ sources: [Configuration.Source]) -> [String] {
        SetupPort.paths(sources).flatMap { path in
            if !facts.tree.exists(path) {
                return ["\(path): there is no such port now; plug the receiver in, or see which ports there are: waypost devices"]
            }
            var named = facts
            let evidence = Evidence(file: SetupAnswers.fileName, text: path)
            named.ports = [ReceiverPort(path: path, device: facts.tree.resolved(path), isOfGPSD: false, evidence: evidence)]
            return ConsoleCheck.examine(named).findings.filter { $0.level == .fault }.flatMap { finding in
                ["\(path): \(finding.what); these commands end it:"] + finding.commands.map { "   \($0)" }
            }
        }
    }

    private static func paths(_ sources: [Configuration.Source]) -> [String] {
        sources.compactMap { source in
            guard let serial = source.url.kind as? SerialKind, case .path(let path) = serial.port else { return nil }
            return path
        }
    }
}
