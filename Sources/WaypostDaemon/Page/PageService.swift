import Logging
import Synchronization
import Waypost
import WaypostConfiguration
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// The tracker's map page: opens its doors, and tries again while that fails, because the tracker works without it.
final class PageService: Sendable {
    private struct State {
        var server: PageServer?
        var token: PageToken?
        var problem: String?
        var opening: Task<Void, Never>?
    }

    let settings: Configuration.MapPage
    let live = PageBroadcaster()
    private let secret: PageSecret
    private let doctor: PageDoctor
    private let logger: Logger
    private let state = Mutex(State())

    /// The wait between two attempts.
    private static let pause = Duration.seconds(30)

    /// - Parameters:
    ///   - stateFolder: where its token is, unless the settings name another file.
    ///   - controlSocket: where the doctor reaches the tracker.
    init(_ settings: Configuration.MapPage, stateFolder: String, controlSocket: String, secrets: SecretFiles, logger: Logger) {
        self.settings = settings
        self.logger = logger
        doctor = PageDoctor(besideProgram: SystemProcess.executablePath, socket: controlSocket)
        secret = PageSecret(file: settings.tokenFile, stateFolder: stateFolder, secrets: secrets)
    }

    /// The problem, for people; nil when there is none.
    var problem: String? { state.withLock { $0.problem } }

    /// The token; nil while there is none.
    var token: PageToken? { state.withLock { $0.token } }

    /// Opens the page, now or as soon as possible; does nothing when there is none.
    ///
    /// - Parameters:
    ///   - reporter: tells what the page shows.
    ///   - makeLog: makes what reads the log; nil while the log is off.
    func start(_ reporter: StatusReporter, log: @escaping @Sendable () throws(SystemError) -> PageLog?) async {
        guard settings.isOn else { return }
        if settings.listen?.isLoopback == false {
            logger.warning(
                "the map page is reached from the network without encryption ([map] insecure_lan): the token and the position can be read on the way"
            )
        }
        if await open(reporter, log) { return }
        let task = Task {
            repeat {
                do { try await Task.sleep(for: PageService.pause, tolerance: .seconds(5)) } catch { return }
            } while await !open(reporter, log)
        }
        state.withLock { $0.opening = task }
    }

    private func open(_ reporter: StatusReporter, _ makeLog: () throws(SystemError) -> PageLog?) async -> Bool {
        do {
            let token = try secret.token()
            let disk = try PageDisk()
            let files = PageFiles(folder: PageFiles.folder(ofProgram: SystemProcess.executablePath), disk: disk)
            let router = PageRouter(
                reporter: reporter, settings: settings, files: files, disk: disk, log: try makeLog(), doctor: doctor, live: live,
                zone: TimeZoneFolder.rules(named: reporter.display.timeZone)
                    ?? TimeZoneFolder.local(environment: ProcessIdentity.current().environment))
            let door = PageDoor(token: token, hosts: hosts)
            let protection = PageAnswer.protection(tiles: PageService.origin(ofTiles: settings.tiles))
            let limits = PageLimits()
            let hold = await reporter.manager.hold(nil, reason: "map page")
            let server = try await PageServer.start(at: settings.listen, socket: settings.socket, live: live, hold: hold, limits: limits) {
                [live] loop in
                PageHub(door: door, router: router, live: live, limits: limits, protection: protection, loop: loop)
            }
            let problem = files.folder == nil ? "the files of the map page are not installed: /usr/share/waypost/page" : nil
            state.withLock { ($0.server, $0.token, $0.problem) = (server, token, problem) }
            logger.info("map page at \(places.joined(separator: " and ")); waypost page prints its address")
            if let problem { logger.error("\(problem)") }
            return true
        } catch {
            let problem = "the map page cannot be reached: \(error)"
            let isNew = state.withLock { state in
                defer { state.problem = problem }
                return state.problem != problem
            }
            if isNew { logger.error("\(problem); tried again every \(PageService.pause.components.seconds) s") }
            return false
        }
    }

    /// Closes the page.
    func stop() async {
        let (server, opening) = state.withLock { ($0.server.take(), $0.opening.take()) }
        opening?.cancel()
        await opening?.value
        await server?.stop()
    }

    /// Returns when the page's thread answers; never when it hangs.
    func answer() async { await state.withLock { $0.server }?.answer() }

    /// What `status` says of the page; nil when there is none.
    var report: StatusReport.Page? {
        guard settings.isOn else { return nil }
        var report = StatusReport.Page()
        report.address = address
        report.socket = settings.socket
        report.openCount = live.streamCount
        report.isUnencrypted = settings.listen.map { !$0.isLoopback } ?? false
        report.isReached = state.withLock { $0.server != nil }
        return report
    }

    /// The address for a browser on this machine, or in the network; without the token.
    var address: String? {
        settings.listen.map { listen in
            let host = listen.isEveryAddress ? (settings.hosts.first ?? SystemProcess.hostName) + ":\(listen.port)" : "\(listen)"
            return "http://\(host)/"
        }
    }

    private var places: [String] { [address, settings.socket].compactMap { $0 } }

    /// The names under which the page may be reached: in the network the machine's own, too.
    private var hosts: Set<String> {
        let own = SystemProcess.hostName.lowercased()
        return Set(settings.hosts + (settings.isInsecureInLAN ? [own, own + ".local"] : []))
    }

    /// `https://tiles.example.org` of `https://tiles.example.org/{z}/{x}/{y}.png`; nil for none.
    private static func origin(ofTiles url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return parts.count >= 3 ? "\(parts[0])//\(parts[2])" : nil
    }
}
