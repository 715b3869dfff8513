import Testing

/// The checker itself: a check that cannot fail keeps nothing in its place.
struct SourceImportTests {
    @Test(
        arguments: [
            ("import Glibc", "Glibc"),
            ("@testable import Waypost", "Waypost"),
            ("@_exported public import NIOCore", "NIOCore"),
            ("@_spi(Testing) @preconcurrency\nimport Logging", "Logging"),
            ("package import Waypost", "Waypost"),
            ("import Foundation.NSDate", "Foundation.NSDate"),
            ("import struct Waypost.Position", "Waypost.Position"),
            ("import func Glibc.sin // why", "Glibc.sin"),
            ("import /* from */ Glibc", "Glibc"),
            ("import `Glibc`", "Glibc"),
            ("#if canImport(Glibc)\nimport Glibc\n#endif", "Glibc"),
            ("let a = \"// \"; import Glibc", "Glibc"),
            ("let a = \"a \\\" b\"\nimport Glibc", "Glibc"),
            ("/* a /* b */ c */ import Glibc", "Glibc"),
        ])
    func seesTheImport(source: String, expected: String) {
        #expect(SourceImport.all(in: source).map { $0.path.joined(separator: ".") } == [expected])
    }

    @Test(
        arguments: [
            "// import Glibc", "/* import Glibc */", "/* /* */ import Glibc */", "let a = \"import Glibc\"",
            "let a = #\"\"\"\nimport Glibc\n\"\"\"#", "let a = \"\"\"\nimport Glibc\n\"\"\"", "run(.import, Glibc)", "run(import: Glibc)",
            "func `import`() {}", "let important = 1",
        ])
    func passesOverWhatIsNoImport(source: String) {
        #expect(SourceImport.all(in: source) == [])
    }

    @Test func countsLinesAndSeesSeveral() {
        let source = "// a\nimport Waypost; import Glibc\n\nlet a = \"\"\"\n\n\"\"\"\nimport class Foundation.Process\n"
        #expect(
            SourceImport.all(in: source) == [
                SourceImport(path: ["Waypost"], line: 2), SourceImport(path: ["Glibc"], line: 2),
                SourceImport(path: ["Foundation", "Process"], kind: "class", line: 7),
            ])
    }

    @Test(
        arguments: [
            ("WaypostRecording", "import WaypostPositioning"), ("WaypostControl", "@testable import WaypostRecording"),
            ("WaypostPositioning", "import struct WaypostConfiguration.SourceURL"), ("WaypostPositioning", "import Glibc"),
            ("WaypostDaemon", "import FoundationEssentials"), ("WaypostDaemon", "import ArgumentParser"),
            ("WaypostSystem", "import WaypostPositioning"), ("WaypostSystem", "public import Foundation"),
            ("Waypost", "import WaypostSystem"), ("Waypost", "import Synchronization"), ("Waypost", "import Glibc"),
            ("Waypost", "import func Glibc.open"), ("Waypost", "import struct Glibc.timespec"),
        ])
    func objectsToAWrongArrow(room: String, source: String) throws {
        let room = try #require(Room.all.first { $0.name == room })
        let found = try #require(SourceImport.all(in: source).first)
        #expect(
            room.objection(to: found, in: "A.swift")
                == "\(room.name)/A.swift:1: \(room.name) may not import \(found.path.joined(separator: "."))")
    }

    @Test(
        arguments: [
            ("Waypost", "import func Glibc.atan2"), ("Waypost", "import Swift"), ("WaypostSystem", "import Glibc"),
            ("WaypostCLI", "import Foundation"), ("WaypostControl", "import NIOCore"), ("WaypostDaemon", "import WaypostRecording"),
        ])
    func allowsTheDrawnArrows(room: String, source: String) throws {
        let room = try #require(Room.all.first { $0.name == room })
        let found = try #require(SourceImport.all(in: source).first)
        #expect(room.objection(to: found, in: "A.swift") == nil)
    }
}
