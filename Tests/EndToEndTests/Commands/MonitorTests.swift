import Foundation
import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// `waypost monitor` in a real terminal emulator.
    @Suite struct MonitorTests {
        /// A terminal of tmux with a shell in it, in the folder of a tracker.
        private struct Screen {
            let folder: TestFolder

            init(in folder: TestFolder, columns: Int, rows: Int) async throws {
                self.folder = folder
                let shell = "PATH=\(URL(filePath: Program.waypost.path).deletingLastPathComponent().path()):$PATH exec bash --norc"
                try await tmux("new-session", "-d", "-x", "\(columns)", "-y", "\(rows)", shell)
                try await type("PS1='$ '; stty -g >before; clear; waypost monitor --socket socket; echo code $?; stty -g >after", "Enter")
            }

            @discardableResult func tmux(_ arguments: String...) async throws -> String {
                try await finish(["env", "LANG=C.UTF-8", "tmux", "-S", "tmux", "-f", "/dev/null"] + arguments, in: folder).output
            }

            func type(_ keys: String...) async throws {
                for key in keys { try await tmux("send-keys", key) }
            }

            /// Whether the screen shows all of these words within a few seconds.
            func shows(_ words: String...) async throws -> Bool {
                for _ in 0..<100 {
                    let picture = try await tmux("capture-pane", "-p")
                    if words.allSatisfy(picture.contains) { return true }
                    try await Task.sleep(for: .milliseconds(100))
                }
                return false
            }

            /// Whether the monitor has ended with that code and left the terminal as it was: its modes, and what stood on it.
            func isCleanAfter(code: Int) async throws -> Bool {
                guard try await shows("code \(code)") else { return false }
                guard await eventually({ text("after")?.isEmpty == false }), text("before") == text("after") else {
                    return false
                }
                return try await !tmux("capture-pane", "-p").contains("SENDING")
            }

            private func text(_ name: String) -> String? { try? folder.text(name) }

            func close() async throws { try await tmux("kill-server") }
        }

        private static var drive: String { "nmea:\(Package.drive)?speed=10" }

        @Test func followsTheSizeOfTheTerminalAndKeys() async throws {
            let tracker = try await TrackerProcess(source: MonitorTests.drive, in: TestFolder(), options: ["--stay"])
            let screen = try await Screen(in: tracker.folder, columns: 80, rows: 24)
            #expect(try await screen.shows("FIX", "SKY", "FENCES", "EVENTS", "SENDING", "LOG", "used of", "km/h", "recording"))
            #expect(try await screen.tmux("capture-pane", "-p").split(separator: "\n").allSatisfy { $0.count <= 80 })
            try await screen.type("u")
            #expect(try await screen.shows("mph", "ft"))
            try await screen.tmux("resize-window", "-x", "40", "-y", "8")
            #expect(try await screen.shows("FIX", "… and"))
            try await screen.tmux("resize-window", "-x", "200", "-y", "50")
            #expect(try await screen.shows("FIX", "SKY", "EVENTS", "LOG"))
            try await screen.type("q")
            #expect(try await screen.isCleanAfter(code: 0))
            try await screen.close()
        }

        @Test(arguments: [("Ctrl-C", 0), ("Ctrl-\\", 131), ("SIGTERM", 143), ("the tracker's end", 69)])
        func leavesTheTerminalCleanAfter(what: String, code: Int) async throws {
            let tracker = try await TrackerProcess(source: MonitorTests.drive, in: TestFolder(), options: ["--stay"])
            let screen = try await Screen(in: tracker.folder, columns: 80, rows: 24)
            #expect(try await screen.shows("FIX", "km/h"))
            switch what {
            case "Ctrl-C": try await screen.type("C-c")
            case "Ctrl-\\": try await screen.type("C-\\")
            case "SIGTERM":
                // The one of this folder: tests run beside each other.
                _ = try await shell(
                    "kill -TERM $(pgrep -P $(tmux -S tmux display-message -p '#{pane_pid}') -x waypost)", in: tracker.folder)
            default: _ = try await tracker.stop(with: SIGKILL)
            }
            #expect(try await screen.isCleanAfter(code: code))
            try await screen.close()
        }

        @Test func saysWhatATerminalIsNeededFor() async throws {
            let folder = try TestFolder()
            let run = try await finish([Program.waypost.path, "monitor", "--socket", "socket"], in: folder)
            #expect(
                run.code == 64 && run.complaints.first?.hasPrefix("waypost: monitor: standard input or output is not a terminal; ") == true)
            let screen = try await Screen(in: folder, columns: 80, rows: 24)
            #expect(try await screen.shows("code 69", "not running"))
            let tracker = try await TrackerProcess(source: "sim:walk", in: folder)
            try await screen.type("clear; TERM=dumb waypost monitor --socket socket; echo code $?", "Enter")
            #expect(try await screen.shows("no cursor can be moved on a terminal of type 'dumb'", "code 64"))
            try await screen.close()
            withExtendedLifetime(tracker) {}
        }
    }
}
