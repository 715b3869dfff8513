import Waypost
import WaypostSystem

/// Why a road file cannot be used.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RoadFileFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The file, or the folder of road files, cannot be read.
    case unreadable(path: String, SystemError)
    /// It is damaged, of another version, or no road file.
    case unusable(path: String, RoadFileError)
    /// The folder has no road file.
    case empty(path: String)

    /// For people: `PATH: why`.
    public var description: String {
        switch self {
        case .unreadable(let path, let error): "\(path): cannot be read: \(error.reason)"
        case .unusable(let path, let error): "\(path): \(error)"
        case .empty(let path): "\(path): has no road file (*.\(RoadFileFailure.fileExtension))"
        }
    }

    /// What the names of road files in a folder end with.
    static let fileExtension = "roads"
}

/// A failure, and whether the roads that were read before are still used.
package struct RoadProblem: Sendable, Equatable {
    /// Why the file cannot be used.
    package var failure: RoadFileFailure
    /// Whether positions are still put on the roads that were read before the file was replaced or removed.
    package var goesOn = false
    /// When these were read.
    package var readAt: UTCTime?

    /// For people.
    package var words: String {
        guard goesOn else { return "\(failure); until that is mended, positions in its area may be on no road" }
        let time = readAt.map { " at \(ScreenFormat().moment($0)) UTC" } ?? ""
        return "\(failure); until that is mended, the tracker goes on with the roads that it read\(time), and only until it is restarted"
    }
}

extension Roads {
    /// Opens a road file, and checks that all of it is as it was written.
    ///
    /// - Parameter path: the file, which `waypost roads build` has made.
    /// - Errors: it cannot be read, is damaged, of another version, or no road file.
    /// - Cost: reads the whole file once, about a second for each gigabyte; the memory is given back.
    public convenience init(path: String) throws(RoadFileFailure) {
        let file = try Roads.map(path)
        do throws(RoadFileError) { try self.init(file) } catch { throw .unusable(path: path, error) }
        if let damage = damage(release: { file.release($0) }) { throw .unusable(path: path, damage) }
    }

    /// The box around the roads of a file, of which only the first bytes are read.
    static func box(ofFile path: String) throws(RoadFileFailure) -> BoundingBox {
        let file = try map(path)
        do throws(RoadFileError) { return try Roads(file).summary.box } catch { throw .unusable(path: path, error) }
    }

    private static func map(_ path: String) throws(RoadFileFailure) -> MappedFile {
        do throws(SystemError) { return try MappedFile(path: path) } catch { throw .unreadable(path: path, error) }
    }
}
