import Foundation
import Testing
import Waypost
import WaypostControl
import WaypostTestKit

extension EndToEnd {
    /// Programs that are woken, as those see it who start them.
    @Suite(.timeLimit(.minutes(5))) struct WakingTests {
        private let receiver = SimulatedReceiver()

        private func connect(_ folder: TestFolder) throws -> ControlClient {
            try ControlClient.connect(to: folder.path("socket"), timeout: .seconds(30))
        }

        private func ask<Verb: ControlVerb>(_ verb: Verb, in folder: TestFolder) throws -> Verb.Answer {
            var client = try connect(folder)
            return try client.ask(verb, timeout: .seconds(30))
        }

        private func register(_ name: String, on kinds: [WakeKind], in folder: TestFolder) throws {
            var request = RegisterRequest()
            (request.registration, request.kinds, request.program) = (name, kinds, "/bin/true")
            _ = try ask(request, in: folder)
        }

        /// The next order to start a program; nil when none comes in time.
        private func order(_ client: inout ControlClient, within limit: Duration = .seconds(30)) throws -> LaunchOrder? {
            do throws(ControlError) {
                while true {
                    let line = try client.nextLine(timeout: limit)
                    if let order = try? LaunchOrder(line: line) { return order }  // Or another line.
                }
            } catch {
                if case .timedOut = error { return nil }
                throw error
            }
        }

        private func ran(_ order: LaunchOrder) -> RanRequest {
            var request = RanRequest()
            (request.registration, request.ids, request.exitCode) = (order.registration, order.ids, 0)
            return request
        }

        /// An event, as its program gets it.
        private func kinds(_ order: LaunchOrder) throws -> [String] {
            try order.events.compactMap { try JSONParser().parse($0.bytes)["event"]?.string }
        }

        /// Its answer is on the way when a client is gone: what it was given goes, too.
        @Test func aConnectionThatEndsWhileItIsAnsweredKeepsNothing() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            for name in ["photo", "other"] { try register(name, on: [.significant], in: folder) }
            // Others keep it busy meanwhile.
            var busy = try connect(folder)
            for number in 0..<300 {
                if number % 3 == 0 { try busy.send(RehearseRequest(registration: "other")) }
                var program = try connect(folder)
                var agent = try connect(folder)
                try program.send(AttachRequest(registration: "photo"))
                try agent.send(AgentRequest())
            }
            for _ in 0..<100 { _ = try busy.nextLine(timeout: .seconds(30)) }
            #expect(
                try await eventually(within: .seconds(10)) {
                    try ask(ListRegistrationsRequest(), in: folder).registrations.first { $0.name == "photo" }?.state == .idle
                })
            _ = try ask(UnregisterRequest(registration: "other"), in: folder)
            #expect(try !ask(RehearseRequest(registration: "photo"), in: folder).hasAgent)
            var agent = try connect(folder)
            _ = try agent.ask(AgentRequest())
            #expect(try order(&agent)?.registration == "photo")
            #expect(try await tracker.stop().code == 0)
        }

        /// The agent starts one after the other: what was acknowledged while the first ran is not handed out for the second.
        @Test func anAgentIsToldOneProgramAfterTheOther() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            for name in ["a", "b", "c"] { try register(name, on: [.significant], in: folder) }
            let ids = try ["a", "b", "c"].map { try #require(try ask(RehearseRequest(registration: $0), in: folder).id) }
            var agent = try connect(folder)
            #expect(try agent.ask(AgentRequest()).dueCount == 3)
            let first = try #require(try order(&agent))
            #expect(first.registration == "a" && first.ids == [ids[0]])
            #expect(try ask(AcknowledgeEventRequest(registration: "b", id: ids[1]), in: folder).wasWaiting)
            #expect(try order(&agent, within: .seconds(1)) == nil)
            _ = try agent.ask(ran(first))
            let last = try #require(try order(&agent))
            #expect(last.registration == "c" && last.ids == [ids[2]])
            #expect(try agent.ask(ran(last)).dueCount == 0)
            #expect(try await tracker.stop().code == 0)
        }

        /// A second one who starts programs, as with another folder of programs, is told so until the first is gone; what is registered anew is not
        /// run beside itself.
        @Test func aSecondAgentIsRefused() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            for name in ["a", "b"] { try register(name, on: [.significant], in: folder) }
            var first = try agent(folder)
            var second = try connect(folder)
            #expect(refusal { () throws(ControlError) in _ = try second.ask(AgentRequest()) }.contains("another agent of this user"))
            let before = try #require(try ask(RehearseRequest(registration: "a"), in: folder).id)
            _ = try ask(RehearseRequest(registration: "b"), in: folder)
            let running = try #require(try order(&first, within: .seconds(5)))
            #expect(running.registration == "a")
            _ = try ask(UnregisterRequest(registration: "a"), in: folder)
            try register("a", on: [.significant], in: folder)
            #expect(try ask(RehearseRequest(registration: "a"), in: folder).id != before)
            #expect(try order(&first, within: .seconds(1)) == nil)
            _ = try first.ask(ran(running))
            let next = try #require(try order(&first, within: .seconds(5)))
            #expect(next.registration == "a" && next.ids != [before])
            _ = try first.ask(ran(next))
            #expect(try order(&first, within: .seconds(5))?.registration == "b")
            // Its connection ends.
            first = try connect(folder)
            _ = try second.ask(AgentRequest())
            #expect(try await tracker.stop().code == 0)
        }

        /// What a refused request is told.
        private func refusal(_ body: () throws(ControlError) -> Void) -> String {
            do throws(ControlError) { try body() } catch {
                if case .refused(_, let message) = error { return message }
                return "\(error)"
            }
            return "not refused"
        }

        /// The next event that an attached program is told; nil when none comes in time.
        private func event(_ client: inout ControlClient, within limit: Duration = .seconds(1)) throws -> String? {
            do throws(ControlError) {
                while true {
                    let line = try client.nextLine(timeout: limit)
                    if let event = try? WakeLine(line: line) { return event.id }  // Or another line.
                }
            } catch {
                if case .timedOut = error { return nil }
                throw error
            }
        }

        /// One program of a registration is attached: another one is told who it is, and gets the events when that has ended.
        @Test func aSecondProgramThatAttachesIsRefused() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            try register("a", on: [.significant], in: folder)
            var first = try connect(folder)
            _ = try first.ask(AttachRequest(registration: "a"))
            // Again on the same connection is no second one.
            _ = try first.ask(AttachRequest(registration: "a"))
            var second = try connect(folder)
            let words = refusal { () throws(ControlError) in _ = try second.ask(AttachRequest(registration: "a")) }
            #expect(words == "registration \"a\": process \(getpid()) is attached already, and gets the events; end that one first")
            let command = try await waypost("attach", "a", "--socket", "socket", in: folder)
            #expect(command.code == 75 && command.errors.contains("is attached already"), "\(command)")
            let id = try #require(try ask(RehearseRequest(registration: "a"), in: folder).id)
            #expect(try event(&first) == id)
            #expect(try event(&second) == nil)
            first = try connect(folder)
            #expect(try second.ask(AttachRequest(registration: "a")).eventCount == 1)
            #expect(try event(&second) == id)
            #expect(try ask(ListRegistrationsRequest(), in: folder).registrations.first?.state == .attached)
            #expect(try await tracker.stop().code == 0)
        }

        /// What a program has that runs, nobody else gets meanwhile; when it fails, whoever is attached then gets it.
        @Test(arguments: [0, 3]) func whatARunningProgramHasIsToldToNobodyElse(code: Int) async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            try register("a", on: [.significant], in: folder)
            var agent = try agent(folder)
            let given = try #require(try ask(RehearseRequest(registration: "a"), in: folder).id)
            let running = try #require(try order(&agent, within: .seconds(5)))
            #expect(running.ids == [given])
            var program = try connect(folder)
            _ = try program.ask(AttachRequest(registration: "a"))
            #expect(try event(&program) == nil)
            let later = try #require(try ask(RehearseRequest(registration: "a"), in: folder).id)
            #expect(try event(&program) == later)
            var end = ran(running)
            end.exitCode = code
            _ = try agent.ask(end)
            #expect(try event(&program) == (code == 0 ? nil : given))
            #expect(try await tracker.stop().code == 0)
        }

        /// In private mode nobody is woken, not for a rehearsal either.
        @Test func inPrivateModeARehearsalIsRefused() async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            try register("a", on: [.significant], in: folder)
            _ = try ask(PrivateModeRequest(isOn: true), in: folder)
            var client = try connect(folder)
            #expect(
                refusal { () throws(ControlError) in _ = try client.ask(RehearseRequest(registration: "a")) }
                    == "registration \"a\": private mode is on, in which nobody is woken; end it with waypost private off")
            _ = try ask(PrivateModeRequest(isOn: false), in: folder)
            #expect(try ask(RehearseRequest(registration: "a"), in: folder).id != nil)
            let state = try #require(try ask(ListRegistrationsRequest(), in: folder).registrations.first)
            #expect(state.state == .due && state.eventCount == 1)
            #expect(try await tracker.stop().code == 0)
        }

        /// The largest number of a user stands for no user at all.
        @Test(arguments: ["4294967295", "@4294967295", "4294967296"]) func nobodysNumberIsGrantedNothing(who: String) async throws {
            let folder = try TestFolder()
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            let answer = try await waypost("grant", who, "full", "--socket", "socket", in: folder)
            #expect(answer.code == 65 && answer.errors.contains("is a number that no "), "\(answer)")
            #expect(try await tracker.stop().code == 0)
        }

        private func agent(_ folder: TestFolder) throws -> ControlClient {
            var client = try connect(folder)
            _ = try client.ask(AgentRequest())
            return client
        }

        /// What cannot be stored is told to nobody, and to the program when there is room again.
        @Test func tellsWhatCouldNotBeStoredLater() async throws {
            let folder = try TestFolder()
            try folder.writeGate(sendingTo: "http://127.0.0.1:9/")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try register("gate", on: [.enter, .exit], in: folder)
            var agent = try connect(folder)
            _ = try agent.ask(AgentRequest())
            try block(folder)
            try fifo.write((0..<10).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try await waypost("status", "--socket", "socket", in: folder).output.contains("enter Gate") })
            #expect(try order(&agent, within: .seconds(1)) == nil)
            #expect(try await waypost("status", "--socket", "socket", in: folder).output.contains("registrations: cannot be written"))
            try unblock(folder)
            let first = try #require(try order(&agent))
            #expect(try kinds(first) == ["enter"])

            // It ran, which cannot be stored: the answer says so, and it is not run again.
            try block(folder)
            #expect(throws: ControlError.self) { try agent.ask(ran(first)) }
            try unblock(folder)
            try fifo.write((10..<40).map { receiver.epoch($0).text }.joined())
            #expect(try order(&agent).map(kinds) == ["exit"])
            fifo.close()
            #expect(try await tracker.process.exit().code == 0)
        }

        /// The tracker is killed after events, one after the other, that could not be stored for their program.
        @Test func losesNoEventOfAFenceWithAFullDisk() async throws {
            let folder = try TestFolder()
            try folder.writeGate(sendingTo: "http://127.0.0.1:9/")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try register("gate", on: [.enter, .exit], in: folder)
            try block(folder)
            for (epochs, words) in [(0..<10, "enter Gate"), (10..<40, "exit Gate")] {
                try fifo.write(epochs.map { receiver.epoch($0).text }.joined())
                #expect(try await eventually { try await waypost("status", "--socket", "socket", in: folder).output.contains(words) })
            }
            // Longer than events are told again for other reasons.
            try await Task.sleep(for: .seconds(3))
            #expect(try await tracker.stop(with: SIGKILL).signal == SIGKILL)
            fifo.close()
            try FileManager.default.removeItem(atPath: folder.path("receiver"))
            try unblock(folder)

            let next = try ReceiverFIFO("receiver", in: folder)
            let second = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            var agent = try connect(folder)
            _ = try agent.ask(AgentRequest())
            try next.write((40..<44).map { receiver.epoch($0).text }.joined())
            let order = try #require(try order(&agent))
            #expect(try kinds(order) == ["enter", "exit"])
            next.close()
            #expect(try await second.process.exit().code == 0)
        }

        @Test func setsAsideWhatItCannotRead() async throws {
            let folder = try TestFolder()
            try FileManager.default.createDirectory(atPath: folder.path("state/kept/state"), withIntermediateDirectories: true)
            let good = #"{"user":\#(getuid()),"name":"good","on":["enter"],"program":"/bin/true","events":[],"known":[]}"#
            try folder.write(good + "\n{\"user\":1,\n", to: "state/kept/state/registrations")
            let text = try folder.text("state/kept/state/registrations")
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try ask(ListRegistrationsRequest(), in: folder).registrations.map(\.name) == ["good"])
            #expect(try folder.text("state/kept/state/registrations.damaged-1") == text)
            try register("new", on: [.enter], in: folder)
            #expect(try await waypost("status", "--socket", "socket", in: folder).output.contains("1 line damaged"))
            #expect(try await tracker.stop().code == 0)

            let second = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try ask(ListRegistrationsRequest(), in: folder).registrations.map(\.name) == ["good", "new"])
            #expect(try await !waypost("status", "--socket", "socket", in: folder).output.contains("damaged"))
            #expect(try await second.stop().code == 0)
        }

        /// What was erased is in no file of the state.
        @Test func forgetsWhatIsErased() async throws {
            let folder = try TestFolder()
            try folder.writeGate(sendingTo: "http://127.0.0.1:9/")
            let fifo = try ReceiverFIFO("receiver", in: folder)
            let tracker = try await TrackerProcess(source: "nmea:receiver", in: folder, options: ["--config", "w.toml"])
            try register("gate", on: [.enter, .significant], in: folder)
            try fifo.write((0..<20).map { receiver.epoch($0).text }.joined())
            #expect(try await eventually { try folder.text("state/kept/state/registrations").contains("\"events\":[{") })
            #expect(try folder.text("state/kept/state/registrations").contains("\"lat\""))
            #expect(try folder.text("state/kept/state/reduced-position").contains("\"lat\""))
            let erased = try await waypost(
                "log", "erase", "--from", "2026-03-01", "--to", "2026-03-02", "--yes", "--socket", "socket", in: folder)
            #expect(erased.code == 0, "\(erased.errors)")
            #expect(try !folder.text("state/kept/state/registrations").contains("\"lat\""))
            #expect(!FileManager.default.fileExists(atPath: folder.path("state/kept/state/reduced-position")))
            #expect(try ask(ListRegistrationsRequest(), in: folder).registrations.first?.eventCount == 0)
            fifo.close()
            #expect(try await tracker.process.exit().code == 0)
        }

        /// The markers of an earlier run call for nobody, and an end leaves none.
        @Test func leavesNoMarkerBehind() async throws {
            let folder = try TestFolder()
            try FileManager.default.createDirectory(atPath: folder.path("state/kept/state/wake"), withIntermediateDirectories: true)
            try folder.write("", to: "state/kept/state/wake/4711")
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            #expect(try await eventually { try folder.names(in: "state/kept/state/wake") == [] })
            try register("photo", on: [.significant], in: folder)
            _ = try ask(RehearseRequest(registration: "photo"), in: folder)
            #expect(try await eventually { try folder.names(in: "state/kept/state/wake") == ["\(getuid())"] })
            #expect(try await tracker.stop().code == 0)
            #expect(try folder.names(in: "state/kept/state/wake") == [])
        }

        // MARK: - A disk that takes nothing

        /// Keeps the registrations from being written, as a full disk does.
        private func block(_ folder: TestFolder) throws {
            let files = FileManager.default
            try files.moveItem(atPath: folder.path("state/kept/state/registrations"), toPath: folder.path("kept"))
            try files.createDirectory(atPath: folder.path("state/kept/state/registrations/x"), withIntermediateDirectories: true)
        }

        private func unblock(_ folder: TestFolder) throws {
            let files = FileManager.default
            try files.removeItem(atPath: folder.path("state/kept/state/registrations"))
            // The tracker may have written it anew by now, and then knows better.
            try? files.moveItem(atPath: folder.path("kept"), toPath: folder.path("state/kept/state/registrations"))
            try? files.removeItem(atPath: folder.path("kept"))  // As said.
        }
    }
}
