import Foundation

/// Runs a line as a shell does that finds our programs, in the folder of a tracker whose socket is `socket`.
func shell(_ line: String, in folder: TestFolder, asNobody: Bool = false) async throws -> Finished {
    let programs = URL(filePath: Program.waypost.path).deletingLastPathComponent().path()
    let surroundings = ["env", "PATH=\(programs):/usr/bin:/bin", "WAYPOST_SOCKET=socket", "sh", "-c", line]
    return try await finish((asNobody ? Program.asNobody : []) + surroundings, in: folder)
}
