import Foundation
import Testing
import Waypost
import WaypostTestKit

/// What the fuzzers start from, and every input that ever broke something, replayed without a fuzzer.
@Suite struct FuzzCorpusTests {
    private static func files(_ target: String) throws -> [URL] {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Fuzz/Corpus/\(target)").standardized
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }

    @Test func decodesNMEAAlikeWhereverItIsCut() throws {
        let files = try FuzzCorpusTests.files("nmea")
        #expect(files.count >= 10)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            for seed: UInt64 in 0..<8 {
                #expect(NMEADecoderContract.violations(decoding: input, seed: seed) == [], "\(file.lastPathComponent)")
            }
        }
    }

    @Test func readsTheJSONThatItWrites() throws {
        let files = try FuzzCorpusTests.files("json")
        #expect(files.count >= 6)
        for file in files {
            let violations = JSONContract.violations(parsing: [UInt8](try Data(contentsOf: file)))
            #expect(violations.isEmpty, "\(file.lastPathComponent): \(violations)")
        }
    }

    @Test func readsJournalsAlikeWhereverTheyAreCut() throws {
        let files = try FuzzCorpusTests.files("journal")
        #expect(files.count >= 11)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            for seed: UInt64 in 0..<8 {
                #expect(JournalContract.violations(decoding: input, seed: seed) == [], "\(file.lastPathComponent)")
            }
        }
    }

    @Test func readsGPXAlikeWhereverItIsCut() throws {
        let files = try FuzzCorpusTests.files("gpx")
        #expect(files.count >= 12)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            for seed: UInt64 in 0..<4 {
                #expect(GPXContract.violations(reading: input, seed: seed) == [], "\(file.lastPathComponent)")
            }
        }
    }

    @Test func findsUBXFramesAlikeWhereverTheyAreCut() throws {
        let files = try FuzzCorpusTests.files("ubx")
        #expect(files.count >= 11)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            for seed: UInt64 in 0..<8 {
                #expect(UBXContract.violations(reading: input, seed: seed) == [], "\(file.lastPathComponent)")
            }
        }
    }

    @Test func goesOnFromAnyDamageOfAnOutbox() async throws {
        let files = try FuzzCorpusTests.files("outbox")
        #expect(files.count >= 10)
        for file in files {
            let violations = await OutboxContract.violations(damaging: [UInt8](try Data(contentsOf: file)))
            #expect(violations == [], "\(file.lastPathComponent)")
        }
    }

    @Test func goesOnFromAnyDamageOfALog() async throws {
        let files = try FuzzCorpusTests.files("log")
        #expect(files.count >= 14)
        for file in files {
            let violations = await LogFolderContract.violations(damaging: [UInt8](try Data(contentsOf: file)))
            #expect(violations == [], "\(file.lastPathComponent)")
        }
    }

    @Test func takesNoAnswerForMoreThanItSays() throws {
        let files = try FuzzCorpusTests.files("answers")
        #expect(files.count >= 13)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            let violations = AnswerContract.violations(answering: input) + AnswerContract.violations(confirming: input)
            #expect(violations == [], "\(file.lastPathComponent)")
        }
    }

    @Test func goesOnFromAnyStateOfFences() throws {
        let files = try FuzzCorpusTests.files("state")
        #expect(files.count >= 4)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            #expect(FenceStateContract.violations(decoding: input) == [], "\(file.lastPathComponent)")
            // Every byte once another.
            for index in input.indices {
                var damaged = input
                damaged[index] ^= 0x55
                #expect(FenceStateContract.violations(decoding: damaged) == [], "\(file.lastPathComponent), byte \(index)")
            }
        }
    }

    @Test func sortsLinesAlikeWhereverTheyAreCut() throws {
        let files = try FuzzCorpusTests.files("lines")
        #expect(files.count >= 4)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            for seed: UInt64 in 0..<8 {
                #expect(LineSwitchContract.violations(sorting: input, seed: seed) == [], "\(file.lastPathComponent)")
            }
        }
    }

    @Test(arguments: FenceFormat.allCases) func readsTheFencesThatItWrites(format: FenceFormat) throws {
        let files = try FuzzCorpusTests.files("fences-\(format.rawValue)")
        #expect(files.count >= 3)
        for file in files {
            let violations = FenceFormatContract.violations(reading: [UInt8](try Data(contentsOf: file)))
            #expect(violations.isEmpty, "\(file.lastPathComponent): \(violations)")
        }
    }

    @Test func tellsWhereConfigurationsAreWrong() throws {
        let files = try FuzzCorpusTests.files("configuration")
        #expect(files.count >= 6)
        for file in files {
            let outcome = ConfigurationContract.outcome(ofReading: [UInt8](try Data(contentsOf: file)))
            #expect(outcome.violations == [], "\(file.lastPathComponent)")
            if ["full", "sources"].contains(file.lastPathComponent) { #expect(outcome.isSound, "\(file.lastPathComponent)") }
        }
    }

    @Test func answersRequestsOfAnyKind() throws {
        let files = try FuzzCorpusTests.files("control")
        #expect(files.count >= 8)
        for file in files {
            let bytes = [UInt8](try Data(contentsOf: file))
            #expect(ControlRequestContract.violations(reading: bytes) == [], "\(file.lastPathComponent)")
            #expect(ControlAnswerContract.violations(reading: bytes) == [], "\(file.lastPathComponent)")
        }
    }

    @Test func givesNobodyAnythingForDamagedFiles() throws {
        let files = try FuzzCorpusTests.files("access")
        #expect(files.count >= 10)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            #expect(AccessContract.violations(reading: input) == [], "\(file.lastPathComponent)")
            for index in input.indices {
                var damaged = input
                damaged[index] ^= 0x15
                #expect(AccessContract.violations(reading: damaged) == [], "\(file.lastPathComponent), byte \(index)")
            }
        }
    }

    @Test func answersClientsOfAnyKind() throws {
        let files = try FuzzCorpusTests.files("sharing")
        #expect(files.count >= 13)
        for file in files {
            let input = [UInt8](try Data(contentsOf: file))
            for seed: UInt64 in 0..<8 {
                #expect(GPSDConversationContract.violations(talking: input, seed: seed) == [], "\(file.lastPathComponent)")
            }
        }
    }

    @Test func readsTablesAlikeWhereverTheyAreCut() throws {
        for file in try FuzzCorpusTests.files("csv") {
            let violations = CSVContract.violations(reading: [UInt8](try Data(contentsOf: file)))
            #expect(violations.isEmpty, "\(file.lastPathComponent): \(violations)")
        }
    }

    @Test func readsTracksOfKMLAlikeWhereverTheyAreCut() throws {
        for file in try FuzzCorpusTests.files("kml") {
            let violations = KMLTrackContract.violations(reading: [UInt8](try Data(contentsOf: file)))
            #expect(violations.isEmpty, "\(file.lastPathComponent): \(violations)")
        }
    }

    @Test func unpacksGzipAlikeWhereverItIsCut() throws {
        let files = try FuzzCorpusTests.files("gzip")
        #expect(files.count >= 10)
        for file in files {
            let violations = GzipContract.violations(reading: [UInt8](try Data(contentsOf: file)))
            #expect(violations.isEmpty, "\(file.lastPathComponent): \(violations)")
        }
    }

    @Test func readsRoadFilesOfAnyKind() throws {
        let files = try FuzzCorpusTests.files("roads")
        #expect(files.count >= 8)
        for file in files {
            let violations = RoadFileContract.violations(reading: [UInt8](try Data(contentsOf: file)))
            #expect(violations.isEmpty, "\(file.lastPathComponent): \(violations)")
        }
    }
}
