import Waypost

/// What is started for a registration, in a file of the user's own: the tracker does not know it, so that it can start nothing of its choice.
public struct WakeProgram: Sendable, Hashable {
    /// What is started.
    public enum Kind: Sendable, Hashable {
        /// A program, by its whole path.
        case program(String)
        /// A unit of systemd: of the system for root, else of the user.
        case unit(String)
    }

    /// What is started.
    public var kind: Kind

    /// A program or a unit.
    public init(_ kind: Kind) {
        self.kind = kind
    }

    /// Why it must not be started for this process's user; nil when it may be.
    public var obstacle: String? {
        do throws(ProgramTrust.Obstacle) { _ = try trusted() } catch { return error.reason }
        return nil
    }

    /// What to start, without links, once it is known that it may be started.
    private func trusted() throws(ProgramTrust.Obstacle) -> Kind {
        switch kind {
        case .program(let path): return .program(try ProgramTrust.trusted(path))
        case .unit(let name):
            guard WakeProgram.isUnit(name) else { throw ProgramTrust.Obstacle("is not the name of a unit, such as photo.service") }
            return kind
        }
    }

    /// The shell's command for it; events come on its standard input.
    ///
    /// - Parameters:
    ///   - registration: the name of its registration.
    ///   - mark: by which what it starts is found (``StrayProcesses/mark``).
    /// - Errors: it must not be started.
    package func command(_ registration: String, mark: String) throws(SystemError) -> String {
        let trusted: Kind
        do throws(ProgramTrust.Obstacle) { trusted = try self.trusted() } catch {
            throw SystemError.oddFile(words, error.reason)
        }
        switch trusted {
        case .program(let path):
            let environment = "WAYPOST_LAUNCH=location WAYPOST_REGISTRATION=\(shellWord(registration))"
            return "export \(environment) \(StrayProcesses.mark)=\(shellWord(mark))\nexec \(shellWord(path)) 2>&1"
        case .unit(let unit):
            let user = ProcessIdentity.current().userID
            if user == 0 { return "exec systemctl start \(shellWord(unit)) 2>&1" }
            // Whoever is started by the system has no session.
            return "export XDG_RUNTIME_DIR=\"${XDG_RUNTIME_DIR:-/run/user/\(user)}\"\nexec systemctl --user start \(shellWord(unit)) 2>&1"
        }
    }

    /// The program for people.
    public var words: String {
        switch kind {
        case .program(let path): path
        case .unit(let name): name
        }
    }

    /// The types of units; systemd.unit(5).
    private static let unitTypes = [
        "service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer", "slice", "scope",
    ]

    private static func isUnit(_ name: String) -> Bool {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex, unitTypes.contains(String(name[dot...].dropFirst())) else {
            return false
        }
        return name.utf8.count <= 255 && name.first != "-"
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: ":-_.@\\".utf8.contains(byte)
                }
            }
    }

    // MARK: - Files

    /// The folder of a user's programs for the registrations at a tracker.
    ///
    /// It is `wake` beside the configuration, and a folder in it for every tracker but the service's: otherwise two trackers with registrations
    /// of one name would start each other's programs.
    ///
    /// - Parameters:
    ///   - paths: the user's paths.
    ///   - socket: the tracker's control socket.
    public static func folder(_ paths: DefaultPaths, socket: String) -> String {
        let folder = (paths.configurationFile.lastIndex(of: "/").map { String(paths.configurationFile[..<$0]) } ?? ".") + "/wake"
        let whole = wholeSocket(socket)
        // No registration has a name that begins with a dot.
        return whole == DefaultPaths.service.socket ? folder : "\(folder)/.tracker\(flat(whole))"  // `flat` begins with a dash.
    }

    /// The path of a socket from the root on.
    package static func wholeSocket(_ socket: String) -> String {
        socket.hasPrefix("/") ? socket : "\(Syscalls.resolvingLinks("."))/\(socket)"
    }

    /// A path as the name of a file.
    package static func flat(_ path: String) -> String { String(path.map { $0 == "/" ? "-" : $0 }) }

    /// The program of a registration; nil when there is none.
    ///
    /// - Errors: the file cannot be read, may be written by others, or says nothing that is known.
    public static func load(_ name: String, in folder: String) throws(SystemError) -> WakeProgram? {
        let path = folder + "/" + name
        guard let text = try Syscalls.contents(of: path, as: .own) else { return nil }
        if let obstacle = ProgramTrust.obstacle(toFile: path, allowsSharedFolders: true) { throw SystemError.oddFile(path, obstacle) }
        let line = String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
        if line.hasPrefix("exec /") { return WakeProgram(.program(String(line.dropFirst(5)))) }
        if line.hasPrefix("unit ") { return WakeProgram(.unit(String(line.dropFirst(5)))) }
        throw SystemError.oddFile(path, "says neither exec PATH nor unit NAME")
    }

    /// Stores the program of a registration; it is on the disk when this returns.
    public func save(_ name: String, in folder: String) throws(SystemError) {
        try Syscalls.createFolders(folder, mode: 0o700)
        let line =
            switch kind {
            case .program(let path): "exec \(path)\n"
            case .unit(let unit): "unit \(unit)\n"
            }
        try AtomicFile.write(Array(line.utf8), to: folder + "/" + name, mode: 0o600)
    }

    /// Puts back the program that a registration had before, or none: a tracker has refused the new one.
    package static func restore(_ program: WakeProgram?, as name: String, in folder: String) throws(SystemError) {
        if let program { try program.save(name, in: folder) } else { try remove(name, in: folder) }
    }

    /// Forgets the program of a registration; the folder of a tracker at a desk goes with the last one.
    public static func remove(_ name: String, in folder: String) throws(SystemError) {
        try Syscalls.remove(folder + "/" + name)
        if folder.split(separator: "/").last?.hasPrefix(trackerFolder) ?? false { Syscalls.removeEmptyFolder(folder) }
    }

    /// How the folders of trackers other than the service's begin.
    private static let trackerFolder = ".tracker-"
}
