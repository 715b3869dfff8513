import Waypost
import WaypostSystem

/// A road file that the user named.
enum RoadFileInput {
    /// Opens it, and checks that all of it is as it was written.
    static func open(_ path: String) throws(CommandFailure) -> Roads {
        let file: MappedFile
        do throws(SystemError) { file = try MappedFile(path: path) } catch {
            throw CommandFailure(reading: path, error)
        }
        do throws(RoadFileError) {
            let roads = try Roads(file)
            let damage = Patience.during("checking \(path)") { roads.damage { file.release($0) } }
            if let damage { throw damage }
            return roads
        } catch {
            throw CommandFailure(
                .badData, what: path, why: "\(error)", next: "make it with `waypost roads build` of an extract of OpenStreetMap")
        }
    }
}
