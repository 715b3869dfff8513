import Waypost
import WaypostConfiguration
import WaypostDispatch
import WaypostSystem

/// The five questions of `waypost setup`: it asks them, reads the answers, and repeats a question after a wrong answer.
struct SetupDialogue<Screen: SetupScreen> {
    /// Where the questions are shown.
    let screen: Screen
    /// What was found on this device.
    let findings: SetupFindings
    /// The answers from the command line, which are not asked for.
    let given: SetupOptions
    /// What this device is called at servers.
    let device: String
    /// The problems with the ports of a receiver; throws for a path that cannot be a port.
    let lookAtPorts: ([Configuration.Source]) throws(SetupProblem) -> [String]
    /// Tries a server, and returns how it went.
    let tryServer: (DestinationConfiguration, String?) -> SetupTrial
    /// How many fences a file has; throws when it is not a fence file.
    let countFences: (String) throws(SetupProblem) -> Int

    /// The answers, and the secrets that were typed, by the names of their destinations.
    typealias Answered = (answers: SetupAnswers, secrets: [String: String])

    /// Asks what the command line does not answer; nothing is written.
    ///
    /// - Parameter former: what Enter keeps: the answers of the previous run, or what was found.
    /// - Errors: the input ended.
    func run(_ former: SetupAnswers) throws(CommandFailure) -> Answered {
        screen.say(
            "Five questions. Press Enter to accept the value in [ ]; type none to skip a question. Nothing is written until the end; Ctrl-C quits."
        )
        var answers = former
        answers.sources = try receiver(former.sources)
        var secrets: [String: String] = [:]
        answers.destinations = try destinations(former.destinations, &secrets)
        answers.units = try units(former.units)
        answers.zones = try zones(former.zones)
        answers.fences = try fences(former.fences)
        return (answers, secrets)
    }

    // MARK: - The questions

    private func receiver(_ former: [Configuration.Source]) throws(CommandFailure) -> [Configuration.Source] {
        if let sources = given.sources { return sources }
        let usual = former.isEmpty ? findings.sources : former
        title("1. The receiver. \(findings.receiverWords)", SetupAnswerText.receiverForms)
        while true {
            var problems: [String] = []
            let sources = try ask("Receiver", usual, SetupAnswerText.text(usual)) { (text) throws(SetupProblem) in
                let sources = try SetupAnswerText.sources(text)
                problems = try lookAtPorts(sources)
                return sources
            }
            for problem in problems { screen.say("   \(problem)") }
            if problems.isEmpty { return sources }
            guard let isTaken = try screen.agrees("   Use it anyway? [no]: ") else { throw SetupDialogue.ended }
            if isTaken { return sources }
        }
    }

    private func destinations(
        _ former: [DestinationConfiguration], _ secrets: inout [String: String]
    ) throws(CommandFailure) -> [DestinationConfiguration] {
        if let destinations = given.destinations { return destinations }
        title("2. Where positions and events are sent; separate several servers with spaces.", SetupAnswerText.sendForms)
        var isKept = true
        var destinations = try ask("Send to", former, SetupAnswerText.text(former)) { (text) throws(SetupProblem) in
            isKept = false
            return try SetupAnswerText.destinations(text.split(separator: " ").map(String.init), former: former)
        }
        for index in destinations.indices {
            if !isKept {
                let before = former.first { $0.name == destinations[index].name }
                try identify(&destinations[index], before: before, isOneOfSeveral: destinations.count > 1, &secrets)
            }
            let hasSecret =
                secrets[destinations[index].name] != nil || destinations[index].tokenFile != nil || destinations[index].passwordFile != nil
            if hasSecret, let words = OpenSecrets.words(for: destinations[index]) { screen.say("   \(destinations[index].url): \(words)") }
            var isDifferent = true
            while isDifferent {
                let trial = tryServer(destinations[index], secrets[destinations[index].name])
                screen.say("   \(trial.words)")
                isDifferent = trial.isRefused ? try identifyAnew(&destinations[index], &secrets) : false
            }
            if let words = SetupAnswerText.registration(at: destinations[index], device: device) { screen.say("   \(words)") }
        }
        return destinations
    }

    /// Asks how this device identifies itself to a server; of several, the question names it.
    private func identify(
        _ destination: inout DestinationConfiguration, before: DestinationConfiguration?, isOneOfSeveral: Bool,
        _ secrets: inout [String: String]
    ) throws(CommandFailure) {
        let (kind, role) = (destination.kindName, destination.kindType.userRole)
        if role == .unknown { return }
        let isNeeded = role == .isInTopics
        let place = isOneOfSeveral ? " at \(destination.url)" : ""
        if destination.user.isEmpty, isNeeded || destination.isBroker {
            let usual = before?.user ?? ""
            let label = !usual.isEmpty ? usual : isNeeded ? findings.userName : SetupAnswerText.none
            destination.user = try ask("   User\(place)", label == SetupAnswerText.none ? "" : label, label) {
                (text) throws(SetupProblem) in
                if text.contains("://") { throw SetupProblem("that is a server; write the user's name alone") }
                if text == SetupAnswerText.none, isNeeded { throw SetupProblem("\(kind) needs a user: it is part of its topics") }
                return text == SetupAnswerText.none ? "" : text
            }
        }
        let isToken = destination.user.isEmpty
        // A broker without a user needs no password.
        if isToken, destination.isBroker { return }
        let former = isToken ? before?.tokenFile : before?.passwordFile
        let prompt = "   \(isToken ? "Token" : "Password")\(place), not shown [\(former == nil ? SetupAnswerText.none : "as before")]: "
        guard let secret = try screen.askSecret(prompt) else { throw SetupDialogue.ended }
        switch secret {
        case "":
            if isToken { destination.tokenFile = former } else { destination.passwordFile = former }
        case SetupAnswerText.none: break
        default: secrets[destination.name] = secret
        }
    }

    /// Asks for another user and secret, as the server refuses these; returns whether anything is different.
    private func identifyAnew(
        _ destination: inout DestinationConfiguration, _ secrets: inout [String: String]
    ) throws(CommandFailure) -> Bool {
        let before = (user: destination.user, secret: secrets[destination.name])
        if destination.kindType.userRole == .unknown { return false }
        if !destination.user.isEmpty {
            destination.user = try ask("   User", destination.user, destination.user) { (text) throws(SetupProblem) in text }
        }
        let hasSecret = before.secret != nil || destination.tokenFile != nil || destination.passwordFile != nil
        let prompt =
            "   \(destination.user.isEmpty ? "Token" : "Password"), not shown; Enter goes on \(hasSecret ? "with the one given" : "without"): "
        guard let secret = try screen.askSecret(prompt) else { throw SetupDialogue.ended }
        if !secret.isEmpty { secrets[destination.name] = secret }
        return destination.user != before.user || secrets[destination.name] != before.secret
    }

    private func units(_ former: UnitSystem) throws(CommandFailure) -> UnitSystem {
        if let units = given.units { return units }
        title("3. Units on the screen.", SetupAnswerText.unitForms)
        return try ask("Units", former, former.rawValue) { (text) throws(SetupProblem) in try SetupAnswerText.units(text) }
    }

    private func zones(_ former: [PrivacyZone]) throws(CommandFailure) -> [PrivacyZone] {
        if let zones = given.zones { return zones }
        title("4. Home: around it nothing is logged, sent or shared.", SetupAnswerText.homeForms)
        return try ask("Home", former, SetupAnswerText.text(former)) { (text) throws(SetupProblem) in try SetupAnswerText.zones(text) }
    }

    private func fences(_ former: String?) throws(CommandFailure) -> String? {
        if let fences = given.fences { return fences.path }
        title("5. Fences: areas whose borders are watched.", "a file: GeoJSON, KML, OwnTracks, Traccar or Tealium")
        return try ask("Fence file", former, former ?? SetupAnswerText.none) { (text) throws(SetupProblem) -> String? in
            if text == SetupAnswerText.none { return nil }
            let path = try SetupOptions.fencePath(text)
            screen.say("   \(counted(try countFences(path), "fence"))")
            return path
        }
    }

    // MARK: - Asking

    private func title(_ words: String, _ forms: String) {
        for line in ["", words, "   \(forms)"] { screen.say(line) }
    }

    /// Asks until the answer is valid.
    private func ask<Value>(
        _ name: String, _ usual: Value, _ label: String, _ read: (String) throws(SetupProblem) -> Value
    ) throws(CommandFailure) -> Value {
        while true {
            guard let line = try screen.ask("\(name) [\(label)]: ") else { throw SetupDialogue.ended }
            let text = String(line.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            if text.isEmpty { return usual }
            do throws(SetupProblem) { return try read(text) } catch { screen.say("   \(error)") }
        }
    }

    private static var ended: CommandFailure {
        CommandFailure(.failed, what: "setup", why: "the input ended, and nothing was written")
    }
}
