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
