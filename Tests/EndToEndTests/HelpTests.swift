import Testing

extension EndToEnd {
    /// What the programs say about themselves.
    struct HelpTests {
        @Test(arguments: [
            "", "run", "status", "watch", "convert", "devices", "doctor", "receiver", "receiver show", "receiver rate", "receiver gst",
            "private", "log", "log list", "log export", "log ack", "log recover", "log rotate", "log verify", "log erase", "config",
            "config check", "fences", "fences check", "fences replay", "dispatch", "dispatch now", "dispatch status", "dispatch pause",
            "dispatch resume", "dispatch drain", "dispatch list", "dispatch retry", "dispatch drop", "track", "ledger",
        ])
        func showsAnExampleOfEveryCommand(command: String) async throws {
            let words = command.split(separator: " ").map(String.init)
            let run = try await finish([Program.waypost.path] + words + ["--help"], in: TestFolder())
            #expect(run.code == 0)
            #expect(run.errors == "")
            #expect(["", "sudo "].contains { run.output.contains("Example: \($0)waypost \(command)") })
        }

        @Test func showsHelpOfTheDaemon() async throws {
            let run = try await finish([Program.waypostd.path, "--help"], in: TestFolder())
            #expect(run.code == 0)
            #expect(run.output.contains("Example: waypostd --source"))
        }

        @Test func tellsOneVersionForBothPrograms() async throws {
            let folder = try TestFolder()
            let versions = [
                try await finish([Program.waypost.path, "--version"], in: folder),
                try await finish([Program.waypostd.path, "--version"], in: folder),
            ]
            #expect(versions.allSatisfy { $0.code == 0 })
            #expect(versions[0].output == versions[1].output)
            #expect(versions[0].output.split(separator: ".").count == 3)
        }

        @Test(arguments: ["bash", "zsh", "fish"]) func writesCompletionScripts(shell: String) async throws {
            let run = try await waypost("--generate-completion-script", shell, in: TestFolder())
            #expect(run.code == 0)
            #expect(run.output.contains("convert") && run.output.contains("fix-rollover"))
        }

        @Test func saysInOneLineThatACommandIsUnknown() async throws {
            let run = try await waypost("wacth", in: TestFolder())
            #expect(run.code == 64)
            #expect(run.complaints.count == 1)
            #expect(run.output == "")
        }
    }
}
