import Waypost
import WaypostSystem

/// A step that helps a source without positions; of several, the one with the lowest rank comes first.
enum NextStep: Equatable {
    /// The receiver sends, and needs a view of the sky.
    case openSky
    /// The user needs permission.
    case permit(path: String, group: String?)
    /// The program that has the port must give it up; what to do about it, where it is known.
    case freePort(path: String, advice: String?)
    /// The receiver must be read through gpsd.
    case readThroughGPSD(path: String)
    /// The source is connected, but nothing comes.
    case checkLine(of: SourceMember)
    /// The data is useless: the receiver has stopped, or sends another format.
    case checkReceiver(of: SourceMember, SourceObstacle)
    /// A gpsd on this machine must be given the receiver's port, which may be one of these lines.
    case tellGPSD([SourceObstacle.Candidate])
    /// The receiver's port must be named to the tracker.
    case nameThePort
    /// A receiver must be plugged in.
    case plugIn
    /// The source's address must name a host that there is.
    case correctHost(String)
    /// gpsd must be started.
    case startGPSD(isLocal: Bool)
    /// A gpsd on this machine must be started with a port of its own.
    case startGPSDWithPort(UInt16)
    /// gpsd must be installed; its package starts it, too.
    case installGPSD
    /// The named port has no device at the moment.
    case plugBack
    /// A user's program prints nothing.
    case runProgram
    /// A server or a sender on the network sends nothing.
    case checkPeer(String)
    /// A recording has no position at this point.
    case playOn
    /// A recording has been played to its end.
    case playAgain
    /// The receiver sends what cannot be used, and these words say what to do.
    case adjustReceiver(String)
    /// The obstacle's own words say what to do.
    case doAsSaid(String)
    /// There is no simple step.
    case askTheDoctor

    /// The kind of a source, as far as it decides what to do.
    enum Kind {
        case receiver, program, network, recording, other

        /// The kind of the source with this name.
        init(_ name: String) {
            switch SourceRegistry.kind(named: name) {
            case let kind? where kind.isPlayed: self = .recording
            case is GPSDKind.Type, is SerialKind.Type: self = .receiver
            case is ExecKind.Type: self = .program
            case is NMEATCPKind.Type, is NMEAUDPKind.Type: self = .network
            default: self = .other
            }
        }
    }

    /// The step that helps this source; nil when nothing has gone wrong yet.
    ///
    /// - Parameter hasCandidates: whether a device is plugged in that may be a receiver.
    init?(_ source: SourceMember, hasCandidates: Bool) {
        switch (Kind(source.name), source.state) {
        case (.recording, .ended), (.recording, .lost(.ended)):
            self = .playAgain
            return
        case (.recording, .searching), (.recording, .lost):
            self = .playOn
            return
        case (.program, .lost(.silent)), (.program, .lost(.disconnected)):
            self = .runProgram
            return
        case (.network, .lost(.silent)), (.network, .lost(.disconnected)):
            self = .checkPeer(source.name)
            return
        default: break
        }
        switch source.state {
        case .standby, .starting, .fix: return nil
        case .searching, .lost(.noFix): self = .openSky
        case .lost(.silent): self = .checkLine(of: source)
        case .lost(.unusable(let detail)):
            self = detail.obstacle.map { .checkReceiver(of: source, $0) } ?? detail.advice.map { .adjustReceiver($0) } ?? .askTheDoctor
        case .lost(.deviceGone(let detail)) where detail.obstacle == nil && source.name.hasPrefix("serial:"): self = .plugBack
        case .lost(.disconnected(let detail)), .lost(.deviceGone(let detail)):
            switch detail.obstacle {
            case .notPermitted(let path, let group): self = .permit(path: path, group: group)
            case .heldByGPSD(let path): self = .readThroughGPSD(path: path)
            case .heldByAnother(let path): self = .freePort(path: path, advice: detail.advice)
            case .gpsdWithoutReceiver(isLocal: true, let candidates): self = .tellGPSD(candidates)
            case .noKnownReceiver: self = hasCandidates ? .nameThePort : .plugIn
            case .noGPSD(isLocal: true):
                let daemon = GPSDKind(ofSource: source.name)
                self = daemon.isUsual ? .startGPSD(isLocal: true) : .startGPSDWithPort(daemon.port)
            case .noGPSD(isLocal: false): self = .startGPSD(isLocal: false)
            case .gpsdNotInstalled: self = .installGPSD
            case .unknownHost(let host): self = .correctHost(host)
            case .gpsdWithoutReceiver(isLocal: false, _): self = .askTheDoctor
            case .repeatedFix?, .unreadable?, nil: self = detail.advice.map { .doAsSaid($0) } ?? .askTheDoctor
            }
        case .lost(.ended), .lost(.replaced), .lost(.withheld), .ended: self = .askTheDoctor
        }
    }

    /// How near the source is to a position: the nearest goes first.
    var rank: Int {
        switch self {
        case .openSky: 0
        case .permit: 1
        case .readThroughGPSD, .freePort: 2
        case .checkReceiver, .adjustReceiver: 3
        case .checkLine: 4
        case .tellGPSD: 5
        case .nameThePort: 6
        case .plugIn: 7
        case .plugBack: 8
        case .startGPSD, .startGPSDWithPort, .installGPSD: 9
        case .runProgram: 10
        case .checkPeer: 11
        case .correctHost: 12
        case .playOn: 13
        case .playAgain: 14
        case .doAsSaid: 15
        case .askTheDoctor: 16
        }
    }

    /// The sentence and the commands.
    func words(_ surroundings: PositionSearch.Surroundings, candidate: SourceObstacle.Candidate?) -> (String, [String]) {
        switch self {
        case .openSky:
            return (PositionSearch.openSkyAdvice, [])
        case .permit(let path, let group): return permission(surroundings, path, group)
        case .readThroughGPSD(let path):
            return ("use gpsd://localhost as the source, or take the port from gpsd", ["sudo gpsdctl remove \(path)"])
        case .freePort(_, let advice?): return (advice, [])
        case .freePort(let path, nil): return ("stop the program that has \(path); this shows which one it is", ["sudo waypost devices"])
        case .checkLine(let source) where source.name.hasPrefix("gpsd:"):
            let command = GPSDKind(ofSource: source.name).showCommand
            return ("check whether gpsd gets data from its receiver (gpspipe is in the package gpsd-clients)", [command])
        case .checkLine(let source): return checkingReceiver(of: source, surroundings)
        case .checkReceiver(let source, .unreadable): return unreadable(source, surroundings)
        case .checkReceiver(let source, _): return (NextStep.restartingReceiver(of: source), [])
        case .tellGPSD(let candidates): return NextStep.tellingGPSD(candidates.first ?? candidate)
        case .nameThePort: return naming(candidate, surroundings, "if that is the receiver, name its port")
        case .plugIn: return naming(candidate, surroundings, "plug in a receiver; if it is plugged in already, name its port")
        case .startGPSD(isLocal: true): return ("start gpsd", ["sudo systemctl enable --now gpsd.socket"])
        case .startGPSDWithPort(let port):
            return ("start a gpsd with the port \(port) (its option -S); the one that Debian starts has \(GPSDKind.usualPort)", [])
        case .installGPSD: return ("install gpsd, or read the receiver without it: url = \"serial:auto\"", ["sudo apt-get install gpsd"])
        case .startGPSD(isLocal: false): return ("check that gpsd runs there, and listens to other machines (its option -G)", [])
        case .correctHost("localhost"):
            return ("give this machine its own name", ["echo '127.0.0.1 localhost' | sudo tee -a /etc/hosts"])
        case .correctHost(let host):
            return ("check that \(host) is the right name, and that the network is up", [])
        case .plugBack: return ("plug in the receiver, or name another port; this lists them", ["sudo waypost devices"])
        case .runProgram: return ("run the program by hand, and see whether it prints positions and keeps running", [])
        case .checkPeer(let name):
            let sender = name.hasPrefix("nmea-udp:") ? "the sender sends to \(name)" : "the server at \(name) runs and sends positions"
            return ("check that \(sender)", [])
        case .playOn: return ("wait", [])
        case .playAgain: return ("the recording has ended; start the tracker again to play it once more", [])
        case .adjustReceiver(let words), .doAsSaid(let words): return (words, [])
        case .askTheDoctor: return ("run the doctor", ["sudo waypost doctor"])
        }
    }

    private func checkingReceiver(of source: SourceMember, _ surroundings: PositionSearch.Surroundings) -> (String, [String]) {
        // serial:///dev/ttyUSB0?baud=9600, or connected to "/dev/ttyUSB0 at 9600 baud".
        let named = source.name.hasPrefix("serial:///") ? source.name.dropFirst("serial://".count).prefix { $0 != "?" } : nil
        let port = named ?? source.peer.flatMap { $0.hasPrefix("/") ? $0.prefix { $0 != " " } : nil }
        let show = "sudo waypost receiver show" + (port.map { " --port \($0)" } ?? "")
        // The tracker holds the port.
        guard surroundings.isService else {
            return ("check the receiver's cable; then stop the tracker, and look at what the receiver sends", [show])
        }
        return (
            "check the receiver's cable and speed",
            ["sudo systemctl stop waypostd.service", show, "sudo systemctl start waypostd.service"]
        )
    }

    /// The advice for a receiver that sends the same fix again and again.
    private static func restartingReceiver(of source: SourceMember) -> String {
        switch Kind(source.name) {
        case .receiver: "unplug the receiver, wait a few seconds, and plug it in again"
        case .program: "run the program by hand, and see why it prints the same fix again and again"
        case .network, .recording, .other: "restart the receiver behind \(source.name)"
        }
    }

    /// The advice for a source whose data holds no positions.
    private func unreadable(_ source: SourceMember, _ surroundings: PositionSearch.Surroundings) -> (String, [String]) {
        switch Kind(source.name) {
        case .receiver:
            let (_, commands) = checkingReceiver(of: source, surroundings)
            let check = "check that the device is a GNSS receiver that sends NMEA"
            let namesSpeed = source.name.split(separator: "?").dropFirst().contains { $0.hasPrefix("baud=") }
            let named = namesSpeed ? "leave ?baud=... out, so that the speed is found; \(check)" : check
            return ("\(named); this looks at what it sends", commands)
        case .program: return ("run the program by hand: it must print NMEA, or JSON lines with positions", [])
        case .network, .recording, .other: return ("check that \(source.name) is the address of NMEA data", [])
        }
    }

    /// Names only a port that exists.
    private static func tellingGPSD(_ candidate: SourceObstacle.Candidate?) -> (String, [String]) {
        let file = "in /etc/default/gpsd: DEVICES="
        guard let candidate else {
            let words = "plug the receiver in; then, if gpsd does not find it, write its port \(file)\"...\"; this lists the ports"
            return (words, ["sudo waypost devices"])
        }
        let wired = candidate.words == nil ? "plug the receiver in; if it is wired to \(candidate.path), " : ""
        return (
            "\(wired)tell gpsd the receiver's port, \(file)\"\(candidate.path)\"",
            [
                #"sudo sed -i 's|^DEVICES=.*|DEVICES="\#(candidate.path)"|' /etc/default/gpsd"#,
                "sudo systemctl restart gpsd.socket gpsd.service",
            ]
        )
    }

    private func naming(
        _ candidate: SourceObstacle.Candidate?, _ surroundings: PositionSearch.Surroundings, _ what: String
    ) -> (String, [String]) {
        guard let port = candidate?.path else {
            return ("plug in a receiver; if it is plugged in already, this shows whether the system sees it", ["sudo waypost devices"])
        }
        guard surroundings.isService else {
            return ("\(what), on the command line or in \(surroundings.configurationFile)", ["waypost run --source serial://\(port)"])
        }
        let isDefault = surroundings.configurationFile == DefaultPaths.service.configurationFile
        let file = isDefault ? "" : " --config \(shellWord(surroundings.configurationFile))"
        return (what, ["sudo waypost setup --receiver \(shellWord(port)) --yes\(file)"])
    }

    private func permission(_ surroundings: PositionSearch.Surroundings, _ path: String, _ group: String?) -> (String, [String]) {
        let user = surroundings.userName
        guard let group, group != "root" else {
            let isIn = surroundings.isInDialout
            let membership = isIn ? "which \(user) is in" : "which \(user) must be in"
            return (
                "let the group dialout, \(membership), read and write \(path); if that does not last, find the udev rule that sets it",
                ["sudo chgrp dialout \(path)", "sudo chmod 660 \(path)"] + (isIn ? [] : ["sudo usermod -aG dialout \(user)"])
                    + (surroundings.isService ? ["sudo systemctl restart waypostd.service"] : [])
            )
        }
        let join = "sudo usermod -aG \(group) \(user)"
        if surroundings.isService { return ("add \(user) to the group \(group)", [join, "sudo systemctl restart waypostd.service"]) }
        return ("add \(user) to the group \(group), then log in again", [join])
    }
}
