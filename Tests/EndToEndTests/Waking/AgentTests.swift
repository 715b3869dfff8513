import Foundation
import Testing
import Waypost
import WaypostControl
import WaypostTestKit

extension EndToEnd {
    /// Two agents of one user, and a tracker that is killed.
    @Suite(.timeLimit(.minutes(5))) struct AgentTests {
        /// A program that notes what it gets, takes a while and is below no folder that everybody can write.
        private final class Sleeper {
            let folder = TrustedFolder.path(for: "agent")
            var path: String { folder + "/program" }

            /// - Parameter text: what it does instead of sleeping for so long.
            init(seconds: Int, instead text: String? = nil) throws {
                try FileManager.default.createDirectory(
                    atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
                let work = text ?? "sleep \(seconds)"
                let text = "#!/bin/sh\ncd \(folder)\necho begin >>ran\ncat >>got\n\(work)\necho end >>ran\n"
                try #require(
                    FileManager.default.createFile(atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o755]))
            }

            deinit {
                // What is left behind does no harm.
                try? FileManager.default.removeItem(atPath: folder)
            }

            /// What has begun and ended so far.
            var runs: [String] { lines("ran") }
            /// The ids of what it got.
            var ids: [String] { lines("got").compactMap { try? JSONParser().parse(Array($0.utf8))["id"]?.string } }  // Whole lines only.

            func lines(_ name: String) -> [String] {
                let text = (try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)) ?? ""  // Nothing has run yet.
                return text.split(separator: "\n").map(String.init)
            }
        }

        private func environment(_ folder: TestFolder) -> [String: String] { ["XDG_CONFIG_HOME": folder.path("config")] }

        private func agent(_ folder: TestFolder) throws -> ProgramProcess {
            try ProgramProcess(.waypost, ["agent", "--socket", "socket"], in: folder, environment: environment(folder))
        }

        private func register(_ name: String, _ program: String, in folder: TestFolder) async throws {
            let answer = try await waypost(
                "register", name, "--on", "significant", "--exec", program, "--socket", "socket", in: folder,
                environment: environment(folder))
            #expect(answer.code == 0, "\(answer.errors)")
        }

        private func rehearse(_ name: String, in folder: TestFolder) throws -> String {
            var client = try ControlClient.connect(to: folder.path("socket"), timeout: .seconds(30))
            return try #require(try client.ask(RehearseRequest(registration: name), timeout: .seconds(30)).id)
        }

        private func ask(_ words: String..., in folder: TestFolder) async throws -> Finished {
            try await finish([Program.waypost.path] + words + ["--socket", "socket"], in: folder, environment: environment(folder))
        }

        /// A program that is not there did not run, one that runs goes on, and a unit that is not there is told at once.
        @Test func saysWhatBecomesOfAProgram() async throws {
            let folder = try TestFolder()
            let sleeper = try Sleeper(seconds: 3)
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            try await register("a", sleeper.path, in: folder)
            let agent = try agent(folder)
            _ = try rehearse("a", in: folder)
            #expect(await eventually(within: .seconds(10)) { sleeper.runs == ["begin"] })
            let running = try await ask("unregister", "a", in: folder)
            #expect(running.output == "a: not registered any more\na: its program runs now, and goes on to its end\n", "\(running)")
            #expect(await eventually(within: .seconds(10)) { sleeper.runs == ["begin", "end"] })

            try await register("a", sleeper.path, in: folder)
            try FileManager.default.removeItem(atPath: sleeper.path)
            let test = try await ask("register", "a", "--test", in: folder)
            #expect(test.code == 1 && test.output == "a: could not be started\n    \(sleeper.path) does not exist\n", "\(test)")
            #expect(test.errors == "waypost: register: the program could not be started\n")
            let list = try await ask("register", "--list", in: folder)
            #expect(list.output.contains(": could not be started: \(sleeper.path) does not exist"), "\(list)")
            // It waits for its next try: it does not run.
            #expect(try await ask("unregister", "a", in: folder).output == "a: not registered any more\n")

            let unit = try await ask("register", "u", "--on", "significant", "--unit", "waypost-none.service", in: folder)
            #expect(unit.code == 0 && unit.output.contains("u: there is no unit waypost-none.service yet: write "), "\(unit)")
            let unitTest = try await ask("register", "u", "--test", in: folder)
            #expect(
                unitTest.code == 1 && unitTest.errors.contains("the program failed; there is no unit waypost-none.service yet"),
                "\(unitTest)")
            agent.send(SIGTERM)
            _ = try await agent.exit()
            #expect(try await tracker.stop().code == 0)
        }

        /// The second agent starts nothing while the first lives, and takes over when it is killed.
        @Test func twoAgentsStartOneProgramAfterTheOther() async throws {
            let folder = try TestFolder()
            let sleeper = try Sleeper(seconds: 1)
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            for name in ["a", "b", "c"] { try await register(name, sleeper.path, in: folder) }
            let (first, second) = (try agent(folder), try agent(folder))
            var ids = try ["a", "b", "c"].map { try rehearse($0, in: folder) }
            #expect(await eventually(within: .seconds(20)) { sleeper.runs.count == 6 })
            #expect(sleeper.runs == ["begin", "end", "begin", "end", "begin", "end"])
            #expect(sleeper.ids == ids)

            first.send(SIGKILL)
            _ = try await first.exit()
            ids.append(try rehearse("a", in: folder))
            #expect(await eventually(within: .seconds(20)) { sleeper.ids == ids })
            second.send(SIGTERM)
            _ = try await second.exit()
            #expect(try await tracker.stop().code == 0)
        }

        /// The tracker is killed while the program runs: nobody starts it a second time, and what it has acknowledged meanwhile is told.
        @Test func whatRunsWhileTheTrackerIsKilledRunsOnce() async throws {
            let folder = try TestFolder()
            let sleeper = try Sleeper(seconds: 5)
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            try await register("a", sleeper.path, in: folder)
            let (first, second) = (try agent(folder), try agent(folder))
            let id = try rehearse("a", in: folder)
            #expect(await eventually(within: .seconds(10)) { sleeper.runs == ["begin"] })
            #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
            let next = try await TrackerProcess(source: "sim:walk", in: folder)
            // As the system's unit does.
            let call = try await waypost("agent", "--once", "--socket", "socket", in: folder, environment: environment(folder))
            #expect(call.code == 0 || sleeper.runs == ["begin", "end"], "\(call.errors)")
            #expect(
                try await eventually(within: .seconds(20)) {
                    var client = try ControlClient.connect(to: folder.path("socket"), timeout: .seconds(30))
                    return try client.ask(ListRegistrationsRequest()).registrations.first?.eventCount == 0
                })
            try await Task.sleep(for: .seconds(2))
            #expect(sleeper.runs == ["begin", "end"] && sleeper.ids == [id])
            for agent in [first, second] {
                agent.send(SIGTERM)
                _ = try await agent.exit()
            }
            #expect(try await next.stop().code == 0)
        }

        /// The tracker is restarted while the program runs: its next run knows that, and calls for nobody to start what runs.
        @Test func aRestartedTrackerKnowsWhatRuns() async throws {
            try await sideBySide([SIGTERM, SIGKILL]) { signal in
                let folder = try TestFolder()
                let sleeper = try Sleeper(seconds: 15)
                let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
                for name in ["a", "b"] { try await register(name, sleeper.path, in: folder) }
                // As the system's unit starts it.
                let agent = try ProgramProcess(
                    .waypost, ["agent", "--socket", "socket", "--once"], in: folder, environment: environment(folder))
                for name in ["a", "b"] { _ = try rehearse(name, in: folder) }
                #expect(await eventually(within: .seconds(10)) { sleeper.runs == ["begin"] })
                _ = try await tracker.stop(with: signal)
                let next = try await TrackerProcess(source: "sim:walk", in: folder)
                var states: [String: RegistrationEntry.State] = [:]
                #expect(
                    try await eventually(within: .seconds(8)) {
                        var client = try ControlClient.connect(to: folder.path("socket"), timeout: .seconds(30))
                        let all = try client.ask(ListRegistrationsRequest()).registrations
                        states = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0.state) })
                        return states["a"] == .running
                    }, "\(states)")
                #expect(sleeper.runs == ["begin"] && states["b"] == .due)
                // Nobody is called: the agent is there.
                let markers = (try? FileManager.default.contentsOfDirectory(atPath: folder.path("state/kept/state/wake"))) ?? []
                #expect(markers.isEmpty, "\(markers)")
                #expect(await eventually(within: .seconds(60)) { sleeper.runs == ["begin", "end", "begin", "end"] })
                #expect(try await agent.exit().code == 0)
                #expect(sleeper.ids.count == 2)
                #expect(try await next.stop().code == 0)
            }
        }

        /// Whether a process runs; one that has ended and was not waited for does not.
        private func runs(_ process: String) -> Bool {
            let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""  // It has ended.
            return !text.isEmpty && !text.contains(") Z ")
        }

        /// What a program leaves behind, in a session of its own: in the foreground's child, as a daemon does, without a parent.
        private static let strays = """
            setsid sh -c 'echo $$ >>strays; exec sleep 301' &
            (setsid sh -c '(trap "" TERM; sh -c "echo \\$PPID >>strays"; while :; do sleep 1; done) &' &)
            while [ "$(cat strays | wc -l)" -lt 2 ]; do sleep 0.1; done
            """

        /// What a program starts ends with it, also where it has left the program's group and its parent has gone.
        @Test func whatAProgramStartedEndsWithIt() async throws {
            let folder = try TestFolder()
            let sleeper = try Sleeper(seconds: 0, instead: Self.strays)
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            try await register("a", sleeper.path, in: folder)
            let agent = try agent(folder)
            _ = try rehearse("a", in: folder)
            #expect(await eventually(within: .seconds(20)) { sleeper.runs == ["begin", "end"] })
            let strays = sleeper.lines("strays")
            #expect(strays.count == 2)
            #expect(await eventually(within: .seconds(10)) { !strays.contains(where: runs) }, "\(strays)")
            #expect(
                try await eventually(within: .seconds(10)) {
                    var client = try ControlClient.connect(to: folder.path("socket"), timeout: .seconds(30))
                    return try client.ask(ListRegistrationsRequest()).registrations.first?.lastExitCode == 0
                })
            #expect(agent.ended == nil)
            agent.send(SIGTERM)
            _ = try await agent.exit()
            #expect(try await tracker.stop().code == 0)
        }

        /// The agent is killed while such a program runs: what it has started has ended before the next agent starts it again.
        @Test func whatAKilledAgentLeftEndsBeforeTheNextRun() async throws {
            let folder = try TestFolder()
            // Every run says each 20 ms that it runs, in a session of its own.
            let work = "setsid sh -c 'while :; do echo $0 $(date +%s%N) >>beats; sleep 0.02; done' $$ & wait"
            let sleeper = try Sleeper(seconds: 0, instead: work)
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            try await register("a", sleeper.path, in: folder)
            let first = try agent(folder)
            _ = try rehearse("a", in: folder)
            #expect(await eventually(within: .seconds(20)) { sleeper.lines("beats").count > 5 })
            first.send(SIGKILL)
            _ = try await first.exit()
            let second = try agent(folder)
            #expect(
                await eventually(within: .seconds(40)) {
                    Set(sleeper.lines("beats").compactMap { $0.split(separator: " ").first }).count == 2
                })
            try await Task.sleep(for: .seconds(1))
            let beats = sleeper.lines("beats").map { $0.split(separator: " ") }.filter { $0.count == 2 }
            let runs = beats.map(\.[0])
            // None of the first run after one of the second.
            #expect(zip(runs, runs.dropFirst()).count { $0 != $1 } == 1, "\(runs)")
            second.send(SIGTERM)
            _ = try await second.exit()
            #expect(try await tracker.stop().code == 0)
        }
    }
}
