import Foundation
import Glibc
import Testing
import WaypostSystem

@testable import WaypostPositioning

/// What lies in the place of the file of speeds is not read, and only its name goes with the next speed.
@Suite struct BaudMemoryTests {
    @Test(arguments: ["link", "device", "FIFO"]) func readsNothingElse(trap: String) throws {
        let folder = NSTemporaryDirectory() + "waypost-baud-\(UUID().uuidString)"
        try Syscalls.createFolders(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, other) = (folder + "/baud-rates", folder + "/other")
        try Data("9600 /dev/ttyUSB0\n".utf8).write(to: URL(filePath: other))
        switch trap {
        case "link": symlink(other, path)
        case "device": symlink("/dev/zero", path)
        default: mkfifo(path, 0o666)
        }
        let memory = BaudMemory(path: path)
        #expect(memory.baudRate(of: "/dev/ttyUSB0") == nil)
        memory.remember(38_400, for: "/dev/ttyUSB1")
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "9600 /dev/ttyUSB0\n")
        #expect(BaudMemory(path: path).baudRate(of: "/dev/ttyUSB1") == 38_400)
    }
}
