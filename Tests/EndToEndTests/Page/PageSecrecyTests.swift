import Foundation
import Glibc
import Testing
import Waypost

extension EndToEnd {
    /// Where the page's token could be read by others, and what comes to the page from others.
    struct PageSecrecyTests {
        private static let canChangeUser = geteuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

        /// What every process may read of another: its command line, its environment, its descriptors' names.
        private func shown(_ process: Int32) -> String {
            let folder = "/proc/\(process)/"
            var text = ["cmdline", "environ", "status", "maps"].compactMap { FileManager.default.contents(atPath: folder + $0) }
                .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n")
            let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: folder + "fd")) ?? []
            for name in descriptors { text += (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "fd/" + name)) ?? "" }
            return text
        }

        @Test func showsTheTokenToNobodyInProc() async throws {
            let folder = try TestFolder()
            let page = try await OpenPage(in: folder)
            #expect(try page.get("/?token=\(OpenPage.secret)").status == 200)
            // While the doctor runs, too: it is told nothing.
            async let doctor = page.json("/api/v1/doctor")
            for _ in 0..<20 {
                let processes = ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int32($0) }
                for process in processes where process != getpid() { #expect(!shown(process).contains(OpenPage.secret), "\(process)") }
                try await Task.sleep(for: .milliseconds(20))
            }
            _ = try await doctor
            #expect(shown(page.tracker.process.processID).contains("waypostd"))
            let address = try ProgramProcess(.waypost, ["page", "--socket", "socket"], in: folder)
            while address.ended == nil { #expect(!shown(address.processID).contains(OpenPage.secret)) }
            #expect(address.output.contains(OpenPage.secret))
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
            for folderName in ["state", "state/kept/state", "log"] {
                for name in try folder.names(in: folderName) where name != "page-token" {
                    let bytes = FileManager.default.contents(atPath: folder.path("\(folderName)/\(name)")) ?? Data()
                    #expect(bytes.range(of: Data(OpenPage.secret.utf8)) == nil, "\(folderName)/\(name)")
                }
            }
        }

        /// Another user of the machine can connect, and gets nothing: neither from the page, nor its token from a file or the control socket.
        @Test(.enabled(if: canChangeUser, "needs root and setpriv")) func givesAnotherUserNothing() async throws {
            let folder = try TestFolder()
            chmod(folder.path("."), 0o755)
            let page = try await OpenPage(in: folder, more: "socket = \"page.sock\"\n")
            let user = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--"]
            for command in [
                ["cat", "token"], ["cat", "state/kept/state/page-token"], ["curl", "-sf", "http://127.0.0.1:\(page.port)/api/v1/state"],
                ["curl", "-sf", "--unix-socket", "page.sock", "http://localhost/api/v1/state"],
                [Program.waypost.path, "page", "--socket", "socket"], [Program.waypost.path, "page", "share", "--socket", "socket"],
            ] {
                let result = try await finish(user + command, in: folder)
                #expect(result.code != 0 && !result.output.contains(OpenPage.secret) && !result.output.contains("\"lat\""), "\(command)")
                #expect(!result.output.contains("token="), "\(command)")
            }
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        /// As those of `[share]` say it.
        @Test func statusSaysWhatThePolicyGivesThePageAndGuests() async throws {
            let folder = try TestFolder()
            func write(_ doors: String) throws {
                try folder.write("[door]\n\(doors)\n", to: "policy.toml")
                chmod(folder.path("policy.toml"), 0o600)
            }
            try write("page = \"full\"\nguest = \"none\"")
            let page = try await OpenPage(in: folder, more: "[control]\npolicy = \"policy.toml\"\n")
            func levels() async throws -> [String?] {
                let text = try await waypost("status", "--json", "--socket", "socket", in: folder).output
                let said = try JSONParser().parse(Array(text.utf8))["page"]
                return [said?["level"]?.string, said?["guest_level"]?.string]
            }
            func lines() async throws -> String { try await waypost("status", "--socket", "socket", in: folder).output }
            let (place, nothing) = ("page      http://127.0.0.1:\(page.port)/", "; gives nothing ([door] in the policy)\n")
            #expect(try await levels() == ["full", "none"])
            #expect(try await lines().contains(place + "\n          for guests" + nothing))
            try write("page = \"full\"\nguest = \"full\"")
            #expect(await eventually { (try? await levels()) == ["full", "full"] })
            let open = try await lines()
            #expect(open.contains(place + "\n") && !open.contains("for guests"), "\(open)")
            // By its line, without one, and by a policy that is none.
            for doors in ["page = \"none\"\nguest = \"none\"", "", "page = nonsense"] {
                try write(doors)
                #expect(await eventually { (try? await levels()) == ["none", "none"] }, "\(doors)")
                let shut = try await lines()
                #expect(shut.contains(place + nothing + "          for guests" + nothing), "\(shut)")
                try write("page = \"full\"\nguest = \"full\"")
                #expect(await eventually { (try? await levels()) == ["full", "full"] })
            }
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }

        /// Names of devices, destinations, fences and events are texts: none of them reaches the page as HTML, a header or a line of its own.
        @Test func takesNoNameForMore() async throws {
            let folder = try TestFolder()
            let hostile = "</script><img src=x onerror=alert(1)>\\r\\nX-Evil: 1"
            try folder.write(
                """
                {"type":"FeatureCollection","features":[{"type":"Feature","id":"a","properties":{"name":"\(hostile)","radius":5000},
                "geometry":{"type":"Point","coordinates":[10.26,51.71]}}]}
                """, to: "fences.geojson")
            let more = """
                [geofences]
                file = "fences.geojson"
                rule = "exact"
                [[destination]]
                name = "x"
                kind = "http"
                url = "http://127.0.0.1:9/?<img/src=x/onerror=alert(1)>"
                """
            let fix =
                "{\"class\":\"TPV\",\"device\":\"<img src=x>\",\"mode\":3,\"time\":\"2026-11-25T12:00:00.000Z\",\"lat\":51.71,\"lon\":10.26}"
            try folder.write(fix + "\n", to: "fix")
            let page = try await OpenPage("exec:while cat fix; do sleep 1; done", in: folder, more: more)
            try #require(
                await eventually { (try? page.json("/api/v1/state")["status"]?["position"]) != nil }, "\(page.tracker.process.errors)")
            let tracked = try await waypost(
                "track", "</script><img>x", "k=<img src=x>", "--socket", "socket", in: folder)
            #expect(tracked.code == 0, "\(tracked.errors)")
            for path in ["/", "/healthz", "/metrics"] {
                let answer = try page.get(path)
                #expect(!answer.body.contains("<img") && answer.headers["x-evil"] == nil, "\(path)")
            }
            for path in ["/api/v1/state", "/api/v1/events", "/api/v1/fences", "/api/v1/destinations"] {
                let answer = try page.get(path)
                #expect(
                    answer.headers["content-type"] == "application/json" && answer.headers["x-content-type-options"] == "nosniff", "\(path)"
                )
                #expect(answer.headers["x-evil"] == nil)
                _ = try JSONParser().parse(Array(answer.body.utf8))
            }
            // What is not there is not repeated either.
            #expect(try !page.get("/<img%20src=x>").body.contains("<img"))
            #expect(try await page.tracker.stop() == ProgramExit(code: 0))
        }
    }
}
