import Foundation
import Glibc
import Testing
import WaypostTestKit

extension EndToEnd {
    /// A server that speaks TLS 1.1 at best gets nothing, also where the system's TLS library would speak it.
    @Suite struct OldTLSTests {
        /// A configuration of OpenSSL that allows what is old.
        private static let lax = """
            openssl_conf = all
            [all]
            ssl_conf = ssl
            [ssl]
            system_default = old
            [old]
            MinProtocol = TLSv1
            CipherString = ALL:@SECLEVEL=0

            """

        @Test(arguments: ["https", "mqtts"]) func getsNothing(scheme: String) async throws {
            let folder = try TestFolder()
            try folder.write(Self.lax, to: "openssl.cnf")
            let openssl = """
                openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=old \
                -addext subjectAltName=IP:127.0.0.1 -keyout key.pem -out certificate.pem
                """
            guard try await shell(openssl, in: folder).code == 0 else { return print("getsNothing skipped: no openssl here") }
            let script = Package.script("Tools/old_tls_server.py")
            // It ends with the FIFO that it reads.
            let life = try ReceiverFIFO("life", in: folder)
            defer { life.close() }
            let server = try ProgramProcess(["python3", script, ".", "certificate.pem", "key.pem"], in: folder, input: .file(life.path))
            #expect(await eventually { server.ended != nil || FileManager.default.fileExists(atPath: folder.path("port")) })
            guard server.ended == nil else { return print("getsNothing skipped: no TLS 1.1 here: \(server.errors)") }
            let port = try folder.text("port")
            func handshakes() -> [Substring] { ((try? folder.text("handshakes")) ?? "").split(separator: "\n") }

            // One that may speak it does, so that what follows shows something.
            let lax = ["OPENSSL_CONF": folder.path("openssl.cnf")]
            let client = ["timeout", "20", "openssl", "s_client", "-tls1_1", "-connect", "127.0.0.1:\(port)"]
            _ = try await finish(client, in: folder, environment: lax)
            #expect(await eventually { !handshakes().isEmpty })
            guard handshakes() == ["TLSv1.1"] else { return print("getsNothing skipped: no TLS 1.1 here: \(handshakes())") }

            try folder.write(
                """
                [[destination]]
                name = "home"
                url = "\(scheme)://127.0.0.1:\(port)\(scheme == "https" ? "/in" : "")"
                \(scheme == "https" ? "" : "kind = \"mqtt\"")
                interval = 0
                timeout = "10 s"
                ca_file = "\(folder.path("certificate.pem"))"

                """, to: "w.toml")
            let receiver = try ReceiverFIFO("receiver", in: folder)
            let options = ["--config", "w.toml", "--source", "nmea:receiver"] + TrackerProcess.options
            let tracker = try ProgramProcess([Program.waypostd.path] + options, in: folder, environment: lax)
            #expect(try await eventually { try await shell("waypost track x", in: folder).code == 0 })
            let now = try await shell("waypost dispatch now --wait --timeout 30", in: folder)
            let words = "TLS: the \(scheme == "https" ? "server" : "broker") speaks no TLS 1.2 or later"
            #expect(now.code == 1 && now.errors.contains(words), "\(now)")
            #expect(try await shell("waypost status", in: folder).output.contains("destination home: \(words)"))
            #expect(handshakes().count > 1 && handshakes().dropFirst().allSatisfy { $0.hasPrefix("none: ") }, "\(handshakes())")
            tracker.send(SIGTERM)
            #expect(try await tracker.exit() == ProgramExit(code: 0))
            receiver.close()
        }

        /// A library that does not know what holds TLS back must not go on without it.
        @Test(arguments: [0, 32]) func isNotAskedWithoutTheVersion(refusedOption: Int) async throws {
            let folder = try TestFolder()
            let library = """
                real=$(ls /usr/lib/*/libcurl.so.4 | head -n 1) && [ -n "$real" ] && cc -shared -fPIC -DREAL="\\"$real\\"" -DREFUSED=\(refusedOption) \
                -o libcurl.so.4 \(Package.script("Tools/refusing_curl.c"))
                """
            guard try await shell(library, in: folder).code == 0 else {
                return print("isNotAskedWithoutTheVersion skipped: no libcurl or no compiler of C here")
            }
            let server = try await FlakyServer()
            try folder.write("[[destination]]\nname = \"home\"\nurl = \"\(server.url)\"\ninterval = 0\n", to: "w.toml")
            let receiver = try ReceiverFIFO("receiver", in: folder)
            let options = ["--config", "w.toml", "--source", "nmea:receiver"] + TrackerProcess.options
            let tracker = try ProgramProcess(
                [Program.waypostd.path] + options, in: folder, environment: ["LD_LIBRARY_PATH": folder.path])
            #expect(try await eventually { try await shell("waypost track x", in: folder).code == 0 })
            let now = try await shell("waypost dispatch now --wait --timeout 30", in: folder)
            // With no option refused it is the same library, and the server is asked.
            #expect(now.code == (refusedOption == 0 ? 0 : 1), "\(now)")
            #expect(try server.requestCount == (refusedOption == 0 ? 1 : 0), "\(now)")
            if refusedOption > 0 { #expect(now.errors.contains("libcurl refuses an option (OPT_SSLVERSION)"), "\(now)") }
            tracker.send(SIGTERM)
            #expect(try await tracker.exit() == ProgramExit(code: 0))
            receiver.close()
        }
    }
}
