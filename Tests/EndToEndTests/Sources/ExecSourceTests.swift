import Foundation
import Glibc
import Testing
import Waypost
import WaypostTestKit

extension EndToEnd {
    /// A program of the user's as the tracker's source.
    @Suite struct ExecSourceTests {
        @Test func isTrackedSaidToHaveEndedAndEndsWithAKilledTracker() async throws {
            let folder = try TestFolder()
            let receiver = SimulatedReceiver()
            try folder.write((0..<20).map { receiver.epoch($0).text }.joined(), to: "drive.nmea")
            // The second time it stays, and would stay for ever: nothing that it does fails when its reader is gone.
            let command =
                "echo $$ >> started; cat drive.nmea; test $(wc -l < started) = 1 && exit 3; trap '' TERM; while :; do sleep 1; done"
            let tracker = try await TrackerProcess(source: "exec:\(command)", in: folder)
            #expect(await eventually { tracker.process.errors.contains("the program ended with exit code 3") })
            #expect(await eventually { tracker.started.count == 2 })
            let program = try #require(tracker.started.last)
            #expect(kill(program, 0) == 0)
            tracker.process.send(SIGKILL)
            _ = try await tracker.process.exit()
            let start = ContinuousClock.now
            #expect(await eventually { !isAlive(program) })
            print("the program of a killed tracker was gone after \(ContinuousClock.now - start)")
            #expect(ContinuousClock.now - start < .seconds(5))
        }
    }
}

extension TrackerProcess {
    /// The numbers of the processes that were started.
    fileprivate var started: [Int32] {
        let text = (try? String(contentsOfFile: folder.path("started"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").compactMap { Int32($0) }
    }
}

/// Whether the process runs; one that has ended and is not waited for yet does not.
private func isAlive(_ process: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    return !text.contains(") Z ")
}
