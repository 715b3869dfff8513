import Foundation
import Testing
import Waypost
import WaypostSystem
import WaypostTestKit

@testable import WaypostGeofences

/// Fences from a web server, which is a real one that behaves as it is told.
@Suite struct FenceDownloadTests {
    private let set =
        #"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[10.26,51.71]},"#
        + #""properties":{"name":"Client","radius":200}}]}"#

    private func download(_ server: FlakyServer, in folder: String, path: String = "fences") throws -> FenceDownload {
        var settings = FenceDownload.Settings(url: server.url.replacingOccurrences(of: "/in", with: "/\(path)"), folder: folder)
        settings.pause = .milliseconds(5)
        return try FenceDownload(settings)
    }

    private func temporaryFolder() throws -> String {
        let folder = NSTemporaryDirectory() + "waypost-download-\(UInt32.random(in: 0...(.max)))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    @Test func fetchesOnceAndAsksOnlyForChangesThen() async throws {
        let folder = try temporaryFolder()
        let server = try await FlakyServer()
        try server.setFile(set)
        let first = try download(server, in: folder)
        #expect(await first.look() == .changed)
        #expect(await first.look() == .unchanged)
        // A later run knows what the one before has.
        #expect(try await download(server, in: folder).look() == .unchanged)
        let keeper = try GeofenceKeeper(.init(path: FenceDownload.path(in: folder), stateFolder: folder))
        _ = await keeper.start()
        #expect(await keeper.fences.map(\.name) == ["Client"])

        try server.setFile(set.replacingOccurrences(of: "Client", with: "Yard"))
        #expect(await first.look() == .changed)
        _ = await keeper.reload()
        #expect(await keeper.fences.map(\.name) == ["Yard"])
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// A copy from before whose ETag no request can carry.
    @Test(arguments: ["\"a\u{1B}b\"", "\"a\u{7F}b\""])
    func asksOnAfterAnETagThatNoRequestCanCarry(tag: String) async throws {
        let folder = try temporaryFolder()
        let server = try await FlakyServer()
        try server.setFile(set)
        let download = try download(server, in: folder)
        #expect(await download.look() == .changed)
        let label = FenceDownload.path(in: folder) + ".label"
        let url = try #require(try String(contentsOfFile: label, encoding: .utf8).split(separator: "\n").first)
        try "\(url)\n\(tag)".write(toFile: label, atomically: true, encoding: .utf8)
        #expect(await download.look() == .changed)
        #expect(await download.look() == .unchanged)
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test(arguments: ["status 503", "status 404", "early", "html", "half"])
    func keepsTheLastGoodSet(mode: String) async throws {
        let folder = try temporaryFolder()
        let server = try await FlakyServer()
        try server.setFile(set)
        let download = try download(server, in: folder)
        #expect(await download.look() == .changed)
        try server.setFile(set.replacingOccurrences(of: "Client", with: "Yard"))
        try server.setMode(mode)
        let before = try server.requestCount
        guard case .failed(let reason) = await download.look() else { throw Unexpected("no failure of \(mode)") }
        #expect(reason.hasPrefix("http://127.0.0.1:") && reason.hasSuffix("; the fences read before stay"), "\(reason)")
        // libcurl asks once more by itself when a kept connection is dead.
        let requestCount = try server.requestCount - before
        #expect(["status 404", "html"].contains(mode) ? requestCount == 1 : (6...7).contains(requestCount), "\(mode): \(requestCount)")
        let text = try String(contentsOfFile: FenceDownload.path(in: folder), encoding: .utf8)
        #expect(text == set)
        try server.setMode("ok")
        #expect(await download.look() == .changed)
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test func endsARedirectLoopAndRefusesWhatIsTooLong() async throws {
        let folder = try temporaryFolder()
        let server = try await FlakyServer("loop")
        let download = try download(server, in: folder)
        guard case .failed(let loop) = await download.look() else { throw Unexpected("no failure of a loop") }
        #expect(loop.contains("redirect") && !loop.contains("kept"), "\(loop)")
        try server.setMode("large 70000000")
        guard case .failed(let large) = await download.look() else { throw Unexpected("no failure of 70 MB") }
        #expect(large.contains("long"), "\(large)")
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test func followsAMoveAsBrowsersDo() async throws {
        let folder = try temporaryFolder()
        let server = try await FlakyServer("redirect 302")
        try server.setFile(set)
        #expect(try await download(server, in: folder).look() == .changed)
        try? FileManager.default.removeItem(atPath: folder)
    }

    @Test func takesNothingOfAnotherServersCopy() async throws {
        let folder = try temporaryFolder()
        let server = try await FlakyServer()
        try server.setFile(set)
        #expect(try await download(server, in: folder).look() == .changed)
        _ = try download(server, in: folder, path: "other")
        #expect(!FileManager.default.fileExists(atPath: FenceDownload.path(in: folder)))
        try? FileManager.default.removeItem(atPath: folder)
    }

    private struct Unexpected: Error {
        let what: String

        init(_ what: String) { self.what = what }
    }
}
