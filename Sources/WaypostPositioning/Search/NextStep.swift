/// What can be done about a source without positions; of several the one with the lowest rank comes first.
enum NextStep: Equatable {
    /// The receiver sends, and needs the sky.
    case openSky
    /// The user must be let in.
    case permit(path: String, group: String?)
    /// gpsd must be asked for what it has.
    case readThroughGPSD(path: String)
    /// Connected, and nothing comes.
    case checkLine(isGPSD: Bool)
    /// A gpsd of this machine must be told where the receiver is.
    case tellGPSD
    /// The tracker must be told where the receiver is.
    case nameThePort
    /// A receiver must be plugged in.
    case plugIn
    /// gpsd must be started.
    case startGPSD(isLocal: Bool)
    /// The port that was named has nothing on it now.
    case plugBack
    /// Nothing simple.
    case askTheDoctor

    /// What helps there; nil when nothing has gone wrong yet.
    ///
    /// - Parameter hasCandidates: whether something is plugged in that may be a receiver.
    init?(_ source: SourceMember, hasCandidates: Bool) {
        switch source.state {
        case .standby, .starting, .fix: return nil
        case .searching, .lost(.noFix): self = .openSky
        case .lost(.silent): self = .checkLine(isGPSD: source.name.hasPrefix("gpsd:"))
        case .lost(.deviceGone(let detail)) where detail.obstacle == nil && source.name.hasPrefix("serial:"): self = .plugBack
        case .lost(.disconnected(let detail)), .lost(.deviceGone(let detail)):
            switch detail.obstacle {
            case .notPermitted(let path, let group): self = .permit(path: path, group: group)
            case .heldByGPSD(let path): self = .readThroughGPSD(path: path)
            case .gpsdWithoutReceiver(isLocal: true): self = .tellGPSD
            case .noKnownReceiver: self = hasCandidates ? .nameThePort : .plugIn
            case .noGPSD(let isLocal): self = .startGPSD(isLocal: isLocal)
            case .gpsdWithoutReceiver(isLocal: false), nil: self = .askTheDoctor
            }
        case .lost(.ended), .lost(.replaced), .lost(.withheld), .ended: self = .askTheDoctor
        }
    }

    /// How near to a position it is: the nearest goes first.
    var rank: Int {
        switch self {
        case .openSky: 0
        case .permit: 1
        case .readThroughGPSD: 2
        case .checkLine: 3
        case .tellGPSD: 4
        case .nameThePort: 5
        case .plugIn: 6
        case .plugBack: 7
        case .startGPSD: 8
        case .askTheDoctor: 9
        }
    }

    /// The sentence, and the commands.
    func words(_ surroundings: PositionSearch.Surroundings, candidate: SourceObstacle.Candidate?) -> (String, [String]) {
        let port = candidate?.path ?? "/dev/ttyUSB0"
        switch self {
        case .openSky:
            return ("give the antenna a clear view of the sky; from cold a first fix takes up to 12 minutes", [])
        case .permit(let path, let group): return permission(surroundings, path, group)
        case .readThroughGPSD(let path):
            return ("read it through gpsd, with the source gpsd://localhost, or take it from gpsd", ["sudo gpsdctl remove \(path)"])
        case .checkLine(isGPSD: true): return ("see whether gpsd gets anything from its receiver", ["gpspipe -r -n 5"])
        case .checkLine(isGPSD: false): return ("check the receiver's cable and speed", ["sudo waypost receiver show"])
        case .tellGPSD:
            return (
                #"tell gpsd the receiver's port, in /etc/default/gpsd: DEVICES="\#(port)""#,
                [#"sudo sed -i 's|^DEVICES=.*|DEVICES="\#(port)"|' /etc/default/gpsd"#, "sudo systemctl restart gpsd.socket gpsd.service"]
            )
        case .nameThePort: return naming(port, surroundings, "if that is the receiver, name its port")
        case .plugIn: return naming(port, surroundings, "plug a receiver in; if it is, name its port")
        case .startGPSD(isLocal: true): return ("start gpsd", ["sudo systemctl enable --now gpsd.socket"])
        case .startGPSD(isLocal: false): return ("see whether gpsd runs there, and listens to other machines (its option -G)", [])
        case .plugBack: return ("plug the receiver in, or name another port; this lists them", ["sudo waypost devices"])
        case .askTheDoctor: return ("let the doctor look", ["sudo waypost doctor"])
        }
    }

    private func naming(_ port: String, _ surroundings: PositionSearch.Surroundings, _ what: String) -> (String, [String]) {
        guard surroundings.isService else {
            return ("\(what), on the command line or in \(surroundings.configurationFile)", ["waypost run --source serial://\(port)"])
        }
        let folder = surroundings.configurationFile.split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/conf.d"
        return (
            #"\#(what), under [[source]] in \#(surroundings.configurationFile): url = "serial://\#(port)""#,
            [
                #"printf '[[source]]\nurl = "serial://\#(port)"\n' | sudo tee \#(folder)/receiver.toml"#,
                "sudo systemctl restart waypostd.service",
            ]
        )
    }

    private func permission(_ surroundings: PositionSearch.Surroundings, _ path: String, _ group: String?) -> (String, [String]) {
        let user = surroundings.userName
        guard let group, group != "root" else {
            return ("give \(path) to a group, and let \(user) into it; see who may open it", ["ls -l \(path)"])
        }
        let join = "sudo usermod -aG \(group) \(user)"
        if surroundings.isService { return ("let \(user) into the group \(group)", [join, "sudo systemctl restart waypostd.service"]) }
        return ("let \(user) into the group \(group), then log in again", [join])
    }
}
