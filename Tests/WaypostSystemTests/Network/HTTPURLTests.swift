import Testing

@testable import WaypostSystem

/// What is shown of a URL.
struct HTTPURLTests {
    @Test(arguments: [
        ("https://van.example/fences?key=hush", "https://van.example/fences"), ("https://van.example/#hush", "https://van.example/"),
        ("https://van.example", "https://van.example"), ("", ""), ("?key=hush", ""),
    ])
    func leavesOutTheQuery(url: String, shown: String) {
        #expect(HTTPURL.shown(url) == shown)
    }

    @Test func hidesWhatAServerRepeatsOfIt() {
        let url = "https://van.example/in?id=7&key=hush%2Fhush&token=s3cret#x"
        func hidden(_ words: String) -> String { HTTPURL.hiding(HTTPURL.secrets(of: url), in: words) }
        #expect(hidden("no /in?id=7&key=hush%2Fhush&token=s3cret here") == "no /in?... here")
        #expect(hidden("s3cret: unknown; hush%2Fhush: expired; s3cret") == "...: unknown; ...: expired; ...")
        #expect(hidden("7 records for id 7") == "7 records for id 7")
        #expect(HTTPURL.hiding(HTTPURL.secrets(of: "https://van.example/in"), in: "as it is?") == "as it is?")
        #expect(HTTPURL.hiding(HTTPURL.secrets(of: "https://van.example/?key=...."), in: "....") == "...")
    }

    @Test func knowsWhatMayBeSecretInAURL() {
        let url = "https://van:p4ss@van.example/index.php/log/gpslogger/0a1b2c3d4e5f/averylongkeywithoutdigits/van7?lat={lat}#hush"
        #expect(
            HTTPURL.secrets(of: url)
                == ["lat={lat}", "{lat}", "van:p4ss", "0a1b2c3d4e5f", "averylongkeywithoutdigits"])
        #expect(HTTPURL.secrets(of: "") == [""])
        // The longer one first, so that nothing of it is left.
        #expect(HTTPURL.hiding(["abcd", "abcdef"], in: "is abcdef") == "is ...")
    }
}
