import Testing
import WaypostTestKit

extension EndToEnd {
    /// `waypost fences check`.
    struct FenceCheckTests {
        private static let yard =
            #"{"name": "Yard", "latitude": 35.1, "longitude": 136.8, "radius": 100, "trigger_on_enter": true, "trigger_on_exit": true}"#

        @Test func endsWithZeroForWarningsAndWith65ForErrorsWhereItIsStrict() async throws {
            let folder = try TestFolder()
            try folder.write("[\(Self.yard), {\"name\": \"Bad\", \"latitude\": 91, \"longitude\": 1}, \(Self.yard)]", to: "fences.json")
            let run = try await waypost("fences", "check", "fences.json", in: folder)
            #expect(run.code == 0)
            #expect(run.output == "fences.json: 1 fence of 3 in the file (tealium); 1 error, 1 warning, 0 notes\n")
            #expect(run.complaints.count == 2)
            #expect(
                run.complaints.first?.hasPrefix("waypost: fences.json: error: entry 1 \"Bad\", [1]: latitude 91.0, longitude 1.0") == true)
            let strict = try await waypost("fences", "check", "fences.json", "--strict", in: folder)
            #expect(strict.code == 65 && strict.complaints.last?.contains("--strict") == true)
            try folder.write("[\(Self.yard), \(Self.yard)]", to: "warned.json")
            #expect(try await waypost("fences", "check", "warned.json", "--strict", in: folder).code == 0)
        }

        @Test func saysWhyNothingIsUsable() async throws {
            let folder = try TestFolder()
            try folder.write("<html><body>log in</body></html>", to: "portal.json")
            try folder.write("[7]", to: "seven.json")
            for name in ["portal.json", "seven.json"] {
                let run = try await waypost("fences", "check", name, in: folder)
                #expect(run.code == 65)
                #expect(run.complaints.last?.hasPrefix("waypost: \(name): ") == true)
            }
            #expect(try await waypost("fences", "check", "missing.json", in: folder).code == 66)
            #expect(try await waypost("fences", "check", ".", in: folder).code == 66)
            let device = try await waypost("fences", "check", "/dev/zero", in: folder)
            #expect(
                device.code == 66 && device.complaints == ["waypost: /dev/zero: is not a file; name a fence file, or - for standard input"])
            // A shell's <(command) is a pipe.
            try folder.write("[\(Self.yard)]", to: "fences.json")
            let piped = try await finish(["/bin/bash", "-c", "\(Program.waypost.path) fences check <(cat fences.json)"], in: folder)
            #expect(piped.code == 0)
        }

        @Test func printsAnObjectForEachRemarkAndOneForTheFile() async throws {
            let folder = try TestFolder()
            try folder.write("<Placemark><name>Pin</name><Point><coordinates>1,2</coordinates></Point></Placemark>", to: "pin.kml")
            let run = try await waypost("fences", "check", "pin.kml", "--json", in: folder)
            #expect(run.code == 65)
            #expect(
                run.output == """
                    {"file":"pin.kml","severity":"error","entry":0,"name":"Pin","place":"line 1, ExtendedData radius","problem":"invalid_value",\
                    "message":"must be the radius in metres, which a point needs"}
                    {"file":"pin.kml","format":"kml","entries":1,"fences":0,"errors":1,"warnings":0,"notes":0}

                    """)
        }
    }
}
