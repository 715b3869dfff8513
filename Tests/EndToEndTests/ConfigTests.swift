import Testing

extension EndToEnd {
    /// `waypost config` beside the tracker.
    struct ConfigTests {
        private func folder() throws -> TestFolder {
            let folder = try TestFolder()
            try folder.write("[log]\n  sync_interval = \"5 s\"\n[[source]]\nurl = \"sim:walk\"\n", to: "waypost.toml")
            return folder
        }

        @Test func showsWhatIsInForceAndWhereItComesFrom() async throws {
            let run = try await waypost("config", "show", "waypost.toml", in: folder())
            #expect(run.code == 0)
            #expect(
                run.output == """
                    [[source]]
                    url = "sim:walk"  # waypost.toml:4

                    [log]
                    sync_interval = "5 s"  # waypost.toml:2

                    """)
        }

        @Test func showsEveryDefaultAndCanBeReadAgain() async throws {
            let folder = try folder()
            let shown = try await waypost("config", "show", "waypost.toml", "--all", in: folder)
            #expect(shown.code == 0)
            try folder.write(shown.output, to: "again.toml")
            #expect(try await waypost("config", "check", "again.toml", in: folder).code == 0)
            let again = try await waypost("config", "show", "again.toml", "--all", "--json", in: folder)
            let first = try await waypost("config", "show", "waypost.toml", "--all", "--json", in: folder)
            #expect(again.output.split(separator: "\n").count == first.output.split(separator: "\n").count)
        }

        @Test func explainsAKey() async throws {
            let run = try await waypost("config", "explain", "log.sync_interval", "--config", "waypost.toml", in: folder())
            #expect(run.code == 0)
            #expect(run.output.contains("Default: \"10 s\"\nIn force: \"5 s\" (waypost.toml:2:3)\n"))
            let wrong = try await waypost("config", "explain", "sync_intervall", in: folder())
            #expect(wrong.code == 64)
            #expect(wrong.complaints.first?.hasSuffix("did you mean sync_interval?") == true)
        }

        @Test func printsASchema() async throws {
            let run = try await waypost("config", "schema", in: TestFolder())
            #expect(run.code == 0)
            #expect(run.output.contains("\"$schema\":\"https://json-schema.org/draft/2020-12/schema\""))
        }
    }
}
