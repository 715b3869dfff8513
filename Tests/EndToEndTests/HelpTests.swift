import Testing

extension EndToEnd {
    /// What the programs say about themselves.
    struct HelpTests {
        @Test(arguments: [
            "", "run", "status", "watch", "convert", "devices", "doctor", "receiver", "receiver show", "receiver rate", "receiver gst",
            "private", "log", "log list", "log export", "log ack", "log recover", "log rotate", "log verify", "log erase", "config",
            "config check", "config show", "config explain", "config schema", "setup", "fences", "fences check", "fences replay",
            "dispatch",
            "dispatch now", "dispatch status", "dispatch pause",
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
            let words = versions.map { $0.output.split(whereSeparator: \.isWhitespace) }
            #expect(words.map(\.first) == ["waypost", "waypostd"])
            #expect(words[0].last == words[1].last)
            #expect(words[0].last?.split(separator: ".").count == 3)
        }

        @Test(arguments: ["bash", "zsh", "fish"]) func writesCompletionScripts(shell: String) async throws {
            let run = try await waypost("--generate-completion-script", shell, in: TestFolder())
            #expect(run.code == 0)
            #expect(run.output.contains("convert") && run.output.contains("fix-rollover"))
        }

        /// Addresses are offered whole, with their colons and slashes, and files as files.
        @Test(arguments: [
            ("--source", "gps", "gpsd://"), ("--source", "nmea-t", "nmea-tcp://"), ("--source", "gpsd:", "gpsd://"),
            ("--config", "dri", "drive.toml"),
        ]) func completesAddressesInBash(option: String, typed: String, offered: String) async throws {
            let folder = try TestFolder()
            try folder.write("", to: "drive.toml")
            let run = try await shell(
                """
                waypost --generate-completion-script bash >script; exec bash -c 'shopt -s extglob; . ./script
                COMP_WORDS=(waypost run \(option) "\(typed)"); COMP_CWORD=3; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                _waypost waypost "\(typed)" \(option); printf "%s\n" "${COMPREPLY[@]}"; complete -p waypost; printf "%s" "$COMP_WORDBREAKS"'
                """, in: folder)
            #expect(run.outputLines.first == offered, "\(run.output) \(run.errors)")
            #expect(run.output.contains("complete -F _waypost waypost") && run.outputLines.last?.contains(":") == false)
        }

        /// Names of the tracker are offered whole, quoted as the shell needs them where they stand, and nothing in them is run.
        @Test(arguments: [
            ("My", "My\\ Yard\\ \\(old\\)"), ("\"My", "My Yard (old)"), ("'My", "My Yard (old)"), ("My\\ Y", "My\\ Yard\\ \\(old\\)"),
            ("it", "it\\'s\\ \\$x"), ("\"it", "it's \\$x"), ("'it", "it'\\''s $x"), ("gate:", "gate:1"), ("\\$", "\\$\\(touch\\ pwned\\)"),
            ("\"sa", "say \\\"hi\\\"\""),
        ]) func quotesNamesInBash(typed: String, offered: String) async throws {
            let folder = try TestFolder()
            try folder.write("My Yard (old)\nit's $x\ngate:1\n$(touch pwned)\nsay \"hi\"\n", to: "names")
            try folder.write(typed, to: "typed")
            try folder.write(
                #"""
                shopt -s extglob
                . ./script
                typed="$(<typed)"
                COMP_WORDS=(./program fences remove "$typed")
                COMP_CWORD=3 COMP_LINE="waypost fences remove $typed"
                COMP_POINT=${#COMP_LINE}
                _waypost waypost "${typed#[\"\']}" remove
                printf '%s\n' "${COMPREPLY[@]}"
                [[ ! -e pwned ]] || echo pwned
                """#, to: "complete")
            let run = try await shell(
                """
                waypost --generate-completion-script bash >script; printf '#!/bin/sh\\ncat names\\n' >program; chmod +x program
                exec bash complete
                """, in: folder)
            #expect(run.outputLines == [offered], "\(run.output) \(run.errors)")
        }

        /// What follows a colon is no description there.
        @Test func offersWholeNamesInZsh() async throws {
            let run = try await waypost("--generate-completion-script", "zsh", in: TestFolder())
            let function = try #require(run.output.split(separator: "\n\n").first { $0.hasPrefix("__waypost_complete() {") })
            #expect(!function.contains("_describe") && function.contains("compadd"))
        }

        /// A wrong value's error names the forms that are taken; a long list of them is whole.
        @Test(arguments: [
            (["fences", "add", "Opera", "--at", "33.8;151.2", "--radius", "50"], "such as -33.8568,151.2153"),
            (["fences", "add", "Opera", "--at", "-93.8,151.2", "--radius", "50"], "the latitude is from -90 to 90"),
            (["log", "export", "--since", "lately"], "-1h"), (["watch", "--timeout", "5 parsecs"], "5s"),
            (["convert", "a.gpx", "b.gpx", "--by-time"], "--output FILE"), (["convert", "a.nmea", "b.gpx", "--too", "kml"], "'--too'"),
            (["watch", "--distance", "-5"], "1.5km"), (["watch", "--accuracy", "bogus"], "withinThreeKilometers"),
            (["ledger", "--since", "15.25"], "15:25"),
        ]) func namesTheFormsOfAValue(arguments: [String], form: String) async throws {
            let run = try await finish([Program.waypost.path] + arguments, in: TestFolder())
            #expect(run.code == 64)
            #expect(run.complaints.count == 1)
            #expect(run.complaints.first?.contains(form) == true, "\(run.errors)")
        }

        @Test(arguments: [
            ["fences", "add", "Opera", "--at", "-33.8568,151.2153", "--radius", "50m", "--dwell", "10 min"],
            ["ledger", "--since", "-1h"], ["watch", "--timeout", "5s", "--distance", "1.5 km"],
        ]) func takesValuesAsPeopleWriteThem(arguments: [String]) async throws {
            let run = try await finish([Program.waypost.path] + arguments + ["--socket", "nobody"], in: TestFolder())
            #expect(run.code == 69, "\(run.errors)")
        }

        /// Who asks for the help of a command that does not exist is told so, and which one may be meant.
        @Test(arguments: [
            (["help", "staus"], "usage: there is no command 'staus'; did you mean status?"),
            (["staus", "--help"], "usage: there is no command 'staus'; did you mean status?"),
            (["xyzzy", "-h"], "usage: there is no command 'xyzzy'; see waypost --help"),
            (["help", "log", "exprot"], "log: there is no command 'exprot'; did you mean log export?"),
            (["log", "exprot", "--since", "-1h", "--help"], "log: there is no command 'exprot'; did you mean log export?"),
        ]) func knowsNoHelpOfAnUnknownCommand(arguments: [String], words: String) async throws {
            let run = try await finish([Program.waypost.path] + arguments, in: TestFolder())
            #expect(run.code == 64 && run.output == "")
            #expect(run.complaints == ["waypost: \(words)"])
        }

        @Test(arguments: [
            ["help"], ["help", "log"], ["help", "log", "export"], ["dispatch", "--socket", "nobody", "--help"], ["log", "-h"],
            ["setup", "--help"], ["convert", "--help"],
        ])
        func showsTheHelpOfKnownCommands(arguments: [String]) async throws {
            let run = try await finish([Program.waypost.path] + arguments, in: TestFolder())
            #expect(run.code == 0 && run.errors == "" && run.output.contains("USAGE: waypost"), "\(run.errors)")
            #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(run.output)")
        }

        @Test func saysInOneLineThatACommandIsUnknown() async throws {
            let run = try await waypost("wacth", in: TestFolder())
            #expect(run.code == 64)
            #expect(run.complaints.count == 1)
            #expect(run.output == "")
        }
    }
}
