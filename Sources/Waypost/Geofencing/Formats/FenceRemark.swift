/// Something wrong with one entry of a fence file, or with the file as a whole.
public struct FenceRemark: Sendable, Hashable {
    /// The entry, counted from 0; nil for the whole file.
    public var index: Int?
    /// The entry's name, as far as it has one.
    public var name: String?
    /// What is wrong.
    public var problem: Problem

    init(index: Int? = nil, name: String? = nil, problem: Problem) {
        self.index = index
        self.name = name
        self.problem = problem
    }

    /// What can be wrong.
    public enum Problem: Sendable, Hashable {
        /// The shape cannot be made.
        case shape(FenceShapeError)
        /// A value is missing or of the wrong kind; its path, and what it should be.
        case invalidValue(path: String, expected: String)
        /// A latitude or longitude beyond its range; the numbers as given.
        case coordinateOutOfRange(path: String, latitude: Double, longitude: Double)
        /// A kind of geometry that is no fence.
        case unknownGeometry(String)
        /// An id that an earlier entry has, too: the later one counts.
        case repeatedID(String)
        /// Commas before closing brackets, which JSON does not allow.
        case trailingCommas(count: Int)
        /// A byte order mark.
        case byteOrderMark
    }

    /// Whether the entry gives no fence.
    public var isDropped: Bool {
        switch problem {
        case .repeatedID, .trailingCommas, .byteOrderMark: false
        case .shape, .invalidValue, .coordinateOutOfRange, .unknownGeometry: true
        }
    }
}

extension FenceRemark: CustomStringConvertible {
    /// `entry 3 "Yard": radius must be greater than 0`.
    public var description: String {
        let entry = index.map { "entry \($0)" + (name.map { " \"\($0)\"" } ?? "") + ": " } ?? ""
        return entry + problem.description
    }
}

extension FenceRemark.Problem: CustomStringConvertible {
    /// The problem in words.
    public var description: String {
        switch self {
        case .shape(let error): error.description
        case .invalidValue(let path, let expected): "\(path) must be \(expected)"
        case .coordinateOutOfRange(let path, let latitude, let longitude):
            "\(path): latitude \(latitude), longitude \(longitude) is not on the Earth"
                + (abs(latitude) <= 180 && abs(longitude) <= 90 ? "; they may be swapped" : "")
        case .unknownGeometry(let kind): "geometry \(kind) is no fence"
        case .repeatedID(let id): "the id \"\(id)\" is used again; the last one counts"
        case .trailingCommas(let count): "\(counted(count, "trailing comma")) overlooked"
        case .byteOrderMark: "byte order mark overlooked"
        }
    }
}

extension FenceShapeError: CustomStringConvertible {
    /// The reason in words.
    public var description: String {
        switch self {
        case .radiusOutOfRange(let metres): "a radius of \(metres) m; it must be more than 0 and less than half the Earth's circumference"
        case .widthOutOfRange(let metres): "a width of \(metres) m; it must be more than 0 and less than half the Earth's circumference"
        case .tooFewCorners(let polygon, let ring): "polygon \(polygon), ring \(ring) has fewer than three different corners"
        case .tooFewPoints: "a line of fewer than two different points"
        case .windsMoreThanOnce(let polygon, let ring): "polygon \(polygon), ring \(ring) winds round the globe more than once"
        case .empty: "no ring"
        }
    }
}
