import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// Several `waypost setup` at once, and such that are killed: an address and its password belong together.
    struct SetupsAtOnceTests {
        private func folder() throws -> TestFolder {
            let folder = try TestFolder()
            try folder.write("", to: "waypost.toml")
            for number in 1...4 { try folder.write("secret\(number)\n", to: "pw\(number)") }
            return folder
        }

        private func setup(_ number: Int, in folder: TestFolder) throws -> ProgramProcess {
            try ProgramProcess(
                [
                    Program.waypost.path, "setup", "--config", "waypost.toml", "--yes", "--receiver", "gpsd", "--send",
                    "mqtt://u\(number)@127.0.0.1:\(number)", "--password-file", "pw\(number)", "--units", "metric", "--home", "none",
                    "--fences", "none",
                ], in: folder)
        }

        /// The numbers of the address, the user and the password in force.
        private func numbers(in folder: TestFolder) throws -> [String] {
            let lines = try folder.text("conf.d/50-setup.toml").split(separator: "\n")
            func value(_ key: String) throws -> String {
                try #require(lines.last { $0.hasPrefix("\(key) = ") }).split(separator: "\"").dropFirst().first.map(String.init) ?? ""
            }
            let secret = try String(contentsOfFile: try value("password_file"), encoding: .utf8)
            return [try value("url"), try value("user"), secret].map { String($0.filter(\.isNumber).suffix(1)) }
        }

        @Test func mixNothing() async throws {
            let folder = try folder()
            for _ in 0..<8 {
                let runs = try (1...4).map { try setup($0, in: folder) }
                var codes: [Int32?] = []
                for run in runs {
                    let code = try await run.exit().code
                    codes.append(code)
                    if code != 0 {
                        #expect(code == 73 && run.errors.hasSuffix(": another waypost setup writes there; try again when it has ended\n"))
                        #expect(run.output.isEmpty)
                    }
                }
                #expect(codes.contains(0), "\(codes)")
                let numbers = try numbers(in: folder)
                #expect(Set(numbers).count == 1, "\(numbers)")
            }
        }

        @Test func leavesAPairThatFitsWhenItIsKilled() async throws {
            let folder = try folder()
            #expect(try await setup(1, in: folder).exit().code == 0)
            var killed = 0
            for round in 0..<30 {
                let before = try numbers(in: folder)
                let run = try setup(round % 4 + 1, in: folder)
                // From before the writing to after it.
                try await Task.sleep(for: .milliseconds(40 + round * 8))
                run.send(SIGKILL)
                if try await run.exit().signal == SIGKILL { killed += 1 }
                let after = try numbers(in: folder)
                #expect(Set(after).count == 1, "\(before) \(after)")
            }
            #expect(killed > 0)
        }
    }
}
