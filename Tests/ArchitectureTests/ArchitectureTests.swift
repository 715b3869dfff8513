import Foundation
import Testing

/// The rooms and arrows of the architecture, held against the files as they are.
struct ArchitectureTests {
    private static let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let sources = package.appending(path: "Sources", directoryHint: .isDirectory)

    @Test(arguments: Room.all)
    func importsOnlyWhatItsRoomMayStandOn(room: Room) throws {
        let folder = Self.sources.appending(path: room.name, directoryHint: .isDirectory)
        var objections: [String] = []
        for file in try Self.swiftFiles(below: folder) {
            let source = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            objections += SourceImport.all(in: source).compactMap { room.objection(to: $0, in: file) }
        }
        #expect(objections == [])
    }

    @Test func hasOneRoomPerFolderOfSources() throws {
        let folders = try FileManager.default.contentsOfDirectory(atPath: Self.sources.path())
        #expect(Set(folders) == Set(Room.all.map(\.name)))
    }

    @Test func declaresInTheManifestExactlyWhatTheRoomsMayStandOn() throws {
        let shipped = try Manifest.read(package: Self.package).targets.filter(\.isShipped)
        #expect(Set(shipped.map(\.name)) == Set(Room.all.map(\.name)))
        for room in Room.all {
            let target = try #require(shipped.first { $0.name == room.name })
            #expect(Set(target.dependencies.compactMap(\.target)) == room.targets, "targets under \(room.name)")
            #expect(Set(target.dependencies.compactMap(\.product)) == room.products, "products under \(room.name)")
        }
    }

    @Test func leadsEveryArrowDown() {
        for room in Room.all {
            for target in room.targets {
                let below = Room.all.first { $0.name == target }
                #expect(below != nil, "\(room.name) stands on \(target), which is no room")
                if let below { #expect(below.floor < room.floor, "\(room.name) to \(target)") }
            }
        }
    }

    @Test func keepsFoundationAndLibcInTheirPlaces() {
        for room in Room.all {
            #expect(room.toolchain.contains("Foundation") == (room.name == "WaypostCLI"), "\(room.name)")
            #expect(room.toolchain.contains("Glibc") == (room.name == "WaypostSystem"), "\(room.name)")
        }
        let domain = Room.all.first { $0.name == "Waypost" }
        #expect(domain?.targets == [] && domain?.products == [] && domain?.toolchain == [])
    }

    /// People choose units and a time zone: a sentence of a command has neither metres nor UTC of its own.
    @Test func writesNoUnitsIntoSentences() throws {
        let folder = Self.sources.appending(path: "WaypostCLI", directoryHint: .isDirectory)
        // A name in a GPX file, and an option that is in kilometres.
        let data = ["RouteCommand.swift: metres < 1_000", "RoadBuild.swift: \"within "]
        var objections: [String] = []
        for file in try Self.swiftFiles(below: folder) {
            for line in try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n") {
                guard line.firstMatch(of: /\)\ (m|km|km\/h|metres|kilometres)\b|ScreenFormat\(\)\.(moment|day|timeOfDay)/) != nil else {
                    continue
                }
                let place = String(file.split(separator: "/").last ?? "") + ": " + String(line.drop { $0 == " " })
                if !data.contains(where: { place.hasPrefix($0) }) { objections.append(place) }
            }
        }
        #expect(objections == [])
    }

    @Test func keepsFoldersOfSourceFilesSmall() throws {
        var counts: [String: Int] = [:]
        for top in ["Sources", "Tests"] {
            let files = try FileManager.default.subpathsOfDirectory(atPath: Self.package.appending(path: top).path())
            for file in files where !file.contains(".build/") {
                guard let name = file.split(separator: "/").last,
                    [".swift", ".sh", ".py", ".c", ".cpp", ".h"].contains(where: name.hasSuffix)
                else { continue }
                counts["\(top)/\(file.dropLast(name.count + 1))", default: 0] += 1
            }
        }
        #expect(counts.count > 50)
        #expect(counts.filter { $0.value > 20 } == [:], "more than 20 files are too many to see at once: make folders by subject")
    }

    /// The second engine of `exact` has one way in: the window, and the borders that it is filled from.
    @Test func knowsOfTheFenceWindowOnlyWhatIsForOthers() throws {
        let geofencing = Self.sources.appending(path: "Waypost/Geofencing")
        let files = try Self.swiftFiles(below: geofencing)
        let window = files.filter { $0.hasPrefix("Window/") }.compactMap { $0.split(separator: "/").last?.dropLast(".swift".count) }
        let inner = Set(window.map { String($0.prefix { $0 != "+" }) }).subtracting(["BorderWindow", "FenceBorders"])
        #expect(inner.contains("BorderNode") && inner.count >= 5)
        for file in files where !file.hasPrefix("Window/") {
            let words = try String(contentsOf: geofencing.appending(path: file), encoding: .utf8)
                .split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init)
            #expect(inner.intersection(words) == [], "\(file)")
        }
    }

    /// Paths relative to the folder.
    private static func swiftFiles(below folder: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: folder.path()).filter { $0.hasSuffix(".swift") }.sorted()
    }
}
