import Glibc
import Synchronization
import Testing
import Waypost
import WaypostControl
import WaypostSystem

/// What open connections get when somebody changes what they may know.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ControlAccessTests {
    /// An authority that gives everybody the same.
    private final class Switch: PeerAuthority {
        private let level: Mutex<PeerAccess>
        init(_ access: PeerAccess) { level = Mutex(access) }
        func access(of peer: PeerCredentials) -> PeerAccess { level.withLock { $0 } }
        func set(_ access: PeerAccess, _ server: ControlServer) {
            level.withLock { $0 = access }
            server.reassess()
        }
    }

    private static let full = PeerAccess(Authorisation(.full))
    private static let reduced = PeerAccess(Authorisation(.reduced))

    private func lines(_ client: inout ControlClient, _ count: Int) throws -> [String] {
        try (0..<count).map { _ in try client.nextLine(timeout: .seconds(5)).text }
    }

    @Test func deliversNoLineThatTheClientMayNotKnow() async throws {
        let fixture = try ControlFixture()
        let authority = Switch(ControlAccessTests.full)
        let server = try await fixture.start(policy: authority)
        defer { withExtendedLifetime(server) {} }
        try await onThread {
            var client = try fixture.watcher()
            let ids = Array(fixture.watchers)
            server.broadcast(Array(#"{"class":"TPV","lat":1}"#.utf8), topic: .position)
            #expect(try lines(&client, 1) == [#"{"class":"TPV","lat":1}"#])
            authority.set(ControlAccessTests.reduced, server)
            server.broadcast(Array(#"{"class":"TPV","lat":2}"#.utf8), topic: .position)
            server.broadcast(Array(#"{"class":"EVENT","event":"enter"}"#.utf8), topic: .event)
            server.send(Array(#"{"class":"TPV","lat":3}"#.utf8), to: ids)
            server.send(Array(#"{"class":"TPV","lat":4}"#.utf8), to: ids, needing: .reduced)
            #expect(
                try lines(&client, 2) == [
                    #"{"class":"AUTHORISATION_CHANGE","level":"reduced","scope":"attached"}"#, #"{"class":"TPV","lat":4}"#,
                ])
            authority.set(.none, server)
            server.send(Array(#"{"class":"TPV","lat":5}"#.utf8), to: ids, needing: .reduced)
            #expect(try lines(&client, 1) == [#"{"class":"AUTHORISATION_CHANGE","level":"not_determined","scope":"attached"}"#])
            authority.set(ControlAccessTests.full, server)
            server.broadcast(Array(#"{"class":"TPV","lat":6}"#.utf8), topic: .position)
            #expect(
                try lines(&client, 2) == [
                    #"{"class":"AUTHORISATION_CHANGE","level":"full","scope":"attached"}"#, #"{"class":"TPV","lat":6}"#,
                ])
        }
        await server.stop()
    }

    @Test func endsTheHoldsOfAClientThatMayKnowLess() async throws {
        let fixture = try ControlFixture()
        let authority = Switch(ControlAccessTests.full)
        let server = try await fixture.start(policy: authority)
        try await onThread {
            var holder = try ControlClient.connect(to: fixture.path)
            _ = try holder.ask(HoldRequest(reason: "photo walk"))
            var watcher = try fixture.watcher()
            _ = try watcher.ask(HoldRequest(reason: "map"))
            #expect(fixture.holdCount == 2)
            authority.set(ControlAccessTests.full, server)
            authority.set(ControlAccessTests.reduced, server)
            #expect(eventually { fixture.holdCount == 0 })
            #expect {
                try holder.nextLine(timeout: .seconds(5))
            } throws: { error in
                if case .notAuthorised? = error as? ControlError { true } else { false }
            }
            #expect(throws: ControlError.closed(byService: false)) { try holder.nextLine(timeout: .seconds(5)) }
            // It still watches what it may.
            #expect(try lines(&watcher, 1) == [#"{"class":"AUTHORISATION_CHANGE","level":"reduced","scope":"attached"}"#])
            #expect(try watcher.ask(StatusRequest()).problems == nil)
        }
        await server.stop()
    }

    @Test func dropsTheWaitingLinesOfAClientThatMayKnowLess() async throws {
        let fixture = try ControlFixture()
        let authority = Switch(ControlAccessTests.full)
        let server = try await fixture.start(limits: .init(unsentBytes: 1_024), policy: authority)
        try await onThread {
            let descriptor = try fixture.rawConnection()
            defer { Syscalls.close(descriptor) }
            try UnixSocket.sendAll(descriptor, Array("{\"request\":\"watch\"}\n".utf8))
            #expect(eventually { fixture.watcherCount == 1 })
            // Much more than the system holds for a client that does not read.
            let line = Array(#"{"class":"TPV","lat":47.123456,"filler":"\#(String(repeating: "x", count: 8_000))"}"#.utf8)
            for _ in 0..<200 { server.broadcast(line, topic: .position) }
            usleep(200_000)
            authority.set(.none, server)
            usleep(200_000)
            let lines = try fixture.lines(from: descriptor)
            let change = try #require(lines.firstIndex { $0.contains("AUTHORISATION_CHANGE") })
            #expect(!lines[change...].contains { $0.contains("47.123456") })
            #expect(lines.count < 150, "most were waiting")
        }
        await server.stop()
    }

    @Test(
        arguments: [
            ("status", PeerAccess.none, true), ("capabilities", .none, true), ("authorisation", .none, true), ("watch", .none, false),
            ("watch", reduced, true), ("fences_list", reduced, false), ("fences_list", full, true), ("ledger", reduced, false),
            ("page", full, false), ("page", .full, true), ("grants", .none, true), ("grant", .full, false),
            ("grant", .administrator, true), ("log_erase", full, false), ("dispatch_export", full, false),
        ] as [(String, PeerAccess, Bool)])
    func allowsRequestsByWhatTheClientMayKnow(name: String, access: PeerAccess, isAllowed: Bool) throws {
        let types = ControlRequests.all.filter { "\($0.name)\($0.action.map { "_" + $0 } ?? "")" == name || $0.name == name }
        try #require(!types.isEmpty || name.contains("_"))
        for type in types { #expect(type.permission.allows(access) == isAllowed, "\(type)") }
    }

    /// What is not said to be for others is for those who operate the tracker.
    @Test func keepsRequestsForOperatorsUnlessTheySayOtherwise() {
        let others = ControlRequests.all.filter { $0.permission != .operators && $0.permission != .administrators }
        #expect(
            Set(others.map { $0.name + ($0.action.map { " " + $0 } ?? "") }) == [
                "status", "watch", "hold", "capabilities", "fences_list", "fences_active", "track", "dispatch now", "dispatch status",
                "ledger",
                "authorisation", "grants", "register", "unregister", "registrations", "rehearse", "attach", "ack", "agent", "ran",
            ])
    }
}
