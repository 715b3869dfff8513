import Foundation
import Glibc
import Testing
import Waypost

/// A real tracker with a page, and its owner's token.
struct OpenPage {
    static let secret = "0123456789abcdef0123456789abcdef"
    static let bearer = "Authorization: Bearer \(secret)"

    let folder: TestFolder
    let port: Int
    let tracker: TrackerProcess

    /// - Parameter more: lines of the configuration.
    init(_ source: String = "sim:city", in folder: TestFolder, more: String = "", options: [String] = []) async throws {
        self.folder = folder
        let port = try freePort()
        self.port = port
        try folder.write(OpenPage.secret + "\n", to: "token")
        chmod(folder.path("token"), 0o600)
        try folder.write("[map]\nlisten = \"127.0.0.1:\(port)\"\ntoken_file = \"token\"\n" + more, to: "w.toml")
        let tracker = try await TrackerProcess(source: source, in: folder, options: ["--config", "w.toml"] + options)
        self.tracker = tracker
        try #require(
            await eventually { (try? BrowserSocket.get("/healthz", port: port, OpenPage.bearer).isThere) == true },
            "\(tracker.process.errors)")
    }

    func get(_ path: String, _ header: String = OpenPage.bearer) throws -> BrowserSocket.Answer {
        try BrowserSocket.get(path, port: port, header)
    }

    func json(_ path: String, _ header: String = OpenPage.bearer) throws -> JSONValue {
        try JSONParser().parse(Array(try get(path, header).body.utf8))
    }
}
