import Foundation
import Testing

extension EndToEnd {
    /// Exit codes when nobody reads the output, or it cannot be written.
    struct ClosedOutputTests {
        /// Runs a command whose standard output is a pipe that nobody reads any more.
        private func unread(_ command: [String], in folder: TestFolder) async throws -> Finished {
            let script = """
                import os, subprocess, sys
                reading, writing = os.pipe()
                os.close(reading)
                sys.exit(subprocess.call(sys.argv[1:], stdout=writing))
                """
            return try await finish(["python3", "-c", script] + command, in: folder)
        }

        private func unread(_ arguments: String..., in folder: TestFolder) async throws -> Finished {
            try await unread([Program.waypost.path] + arguments, in: folder)
        }

        @Test func keepsTheCodeOfWhatWasFound() async throws {
            let folder = try TestFolder()
            let run = try await finish(
                [Program.waypostd.path, "--source", "nmea:\(Package.drive)?speed=0"] + TrackerProcess.options, in: folder)
            #expect(run.code == 0)
            #expect(try await unread("log", "verify", "--log", "log", in: folder).code == 0)
            let name = try #require(try folder.names(in: "log/journal").first { $0.hasSuffix(".journal") })
            let path = folder.path("log/journal/\(name)")
            chmod(path, 0o600)
            var bytes = try Data(contentsOf: URL(filePath: path))
            bytes[600] ^= 4
            try bytes.write(to: URL(filePath: path))
            let damaged = try await unread("log", "verify", "--log", "log", in: folder)
            #expect(damaged.code == 65 && damaged.complaints.count == 1, "\(damaged)")

            try folder.write(
                #"{"type":"Feature","properties":{"name":"a"},"geometry":{"type":"Point","coordinates":[8,47]}}"#, to: "bad.geojson")
            for options in [[], ["--json"]] {
                #expect(try await unread([Program.waypost.path, "fences", "check", "bad.geojson"] + options, in: folder).code == 65)
            }
            // What has nothing to say but its output ends when there is nobody to read it.
            #expect(try await unread("log", "export", "--log", "log", in: folder).code == 0)
            #expect(try await unread("convert", Package.drive, "-", "--to", "gpx", in: folder).code == 0)

            let tracker = try await TrackerProcess(source: "sim:none", in: folder)
            for options in [[], ["--json"]] {
                let status = try await unread([Program.waypost.path, "status", "--socket", "socket"] + options, in: folder)
                let read = try await finish([Program.waypost.path, "status", "--socket", "socket"] + options, in: folder)
                #expect(status.code == read.code, "\(read)")
            }
            _ = try await tracker.stop()
        }

        /// A queue without an end, at a tracker that is none.
        @Test func readsNothingOnWithoutAReader() async throws {
            let folder = try TestFolder()
            let script = #"""
                import socket, threading
                door = socket.socket(socket.AF_UNIX)
                door.bind("queue")
                door.listen(8)
                print("listens", flush=True)
                def serve(line):
                    line.sendall(b'{"class":"HELLO","protocol":1,"version":"0.1.0"}\n')
                    for request in line.makefile():
                        if '"status"' in request:
                            line.sendall(b'{"class":"STATUS","version":"0.1.0","pid":1,"uptime":1,"health":"healthy"}\n')
                        else:
                            line.sendall(b'{"class":"WAITING","records":[{"class":"TRACK"}],"next":"1:1"}\n')
                while True:
                    threading.Thread(target=serve, args=(door.accept()[0],), daemon=True).start()
                """#
            let tracker = try ProgramProcess(["python3", "-c", script], in: folder)
            #expect(await eventually { tracker.output == "listens\n" })
            let run = try await unread("dispatch", "export", "home", "--socket", "queue", in: folder)
            #expect(run.code == 0 && run.errors.isEmpty, "\(run)")
            #expect(tracker.ended == nil)
        }

        @Test func saysThatHelpCannotBeWritten() async throws {
            let folder = try TestFolder()
            let commands = [
                "waypost --help", "waypost --version", "waypost help", "waypost help log", "waypost watch --help", "waypost log list -h",
                "waypost --generate-completion-script bash", "waypostd --help", "waypostd --version",
            ]
            for command in commands {
                for output in [">/dev/full", ">&-"] {
                    let run = try await shell("\(command) \(output)", in: folder)
                    #expect(
                        run.code == 74 && run.errors.hasPrefix("waypost: standard output: cannot be written: "),
                        "\(command) \(output): \(run)")
                    #expect(run.complaints.count == 1)
                }
                let words = command.split(separator: " ").map(String.init)
                let program = words[0] == "waypost" ? Program.waypost.path : Program.waypostd.path
                let run = try await unread([program] + words.dropFirst(), in: folder)
                #expect(run.code == 0 && run.errors.isEmpty, "\(command): \(run)")
            }
        }
    }
}
