/// Something wrong with one entry of a fence file, or with the file as a whole.
public struct FenceRemark: Sendable, Hashable {
    /// The entry, counted from 0; nil for the whole file.
    public var index: Int?
    /// The entry's name, if it has one.
    public var name: String?
    /// The place in the file: `features[3].geometry.coordinates[0][17]`, `line 12`; nil for the whole file.
    public var place: String?
    /// The problem.
    public var problem: Problem

    init(index: Int? = nil, name: String? = nil, place: String? = nil, problem: Problem) {
        self.index = index
        self.name = name
        self.place = place
        self.problem = problem
    }

    /// How bad a remark is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The entry yields no fence, or is not written.
        case error
        /// Most likely not what was meant.
        case warning
        /// Worth knowing; often right.
        case note
    }

    /// The possible problems.
    public enum Problem: Sendable, Hashable {
        // Problems that cost the fence.

        /// The shape cannot be made.
        case shape(FenceShapeError)
        /// A value is missing or of the wrong kind; what it should be.
        case invalidValue(expected: String)
        /// A latitude or longitude out of range; the numbers as written.
        case coordinateOutOfRange(latitude: Double, longitude: Double)
        /// A kind of geometry that cannot be a fence.
        case unknownGeometry(String)
        /// A fence of more corners than allowed.
        case tooManyCorners(limit: Int)
        /// When writing: the format cannot express this; what it has instead.
        case notExpressible(String)

        // Problems that are tolerated with a remark.

        /// An id that an earlier entry also has: the later entry counts.
        case repeatedID(String)
        /// Commas before closing brackets, which JSON does not allow.
        case trailingCommas(count: Int)
        /// A byte order mark.
        case byteOrderMark
        /// UTF-16, where UTF-8 is usual.
        case utf16
        /// Bytes that do not fit the encoding that the file declares.
        case wrongEncoding
        /// Geometry besides the one that makes the fence, such as a label's place; its kind.
        case overlookedGeometry(String)
        /// A coordinate reference system other than that of GNSS positions; its name.
        case foreignReferenceSystem(String)
        /// When writing: something that the format does not keep; what, and what becomes of it.
        case notKept(String)

        // Findings of the linter.

        /// Several entries have a latitude out of range that would do as a longitude.
        case fileSeemsSwapped(count: Int)
        /// Far from all other fences, but among them with latitude and longitude swapped.
        case seemsSwapped(latitude: Double, longitude: Double)
        /// A corner far from its ring, but near it with latitude and longitude swapped.
        case cornerSeemsSwapped(latitude: Double, longitude: Double)
        /// A ring whose last corner is not its first.
        case unclosedRing
        /// The same corner several times in a row; how many are superfluous.
        case repeatedCorners(count: Int)
        /// An edge that crosses another one of its ring: the corner where the edge begins, and the place.
        case crossesItself(corner: Int, latitude: Double, longitude: Double)
        /// A corner lies on another edge of its ring, or on another corner of it.
        case touchesItself(corner: Int, latitude: Double, longitude: Double)
        /// An edge that crosses one of another ring of its polygon; rings are counted from 0, the outer one.
        case ringsCross(ring: Int, latitude: Double, longitude: Double)
        /// A hole outside its polygon.
        case holeOutside
        /// A hole within another hole.
        case holeInHole(ring: Int)
        /// A ring without area: all its corners are on one line.
        case noArea
        /// A ring round the globe, which contains a pole.
        case holdsPole(isNorth: Bool)
        /// An edge of more than half a turn, which is taken the short way round.
        case longEdge(degrees: Double)
        /// So small that the receiver's errors lead out of it; metres from the middle to the border.
        case smallerThanAccuracy(metres: Double, accuracyMetres: Double)
        /// So large that the units may be wrong; its width in metres.
        case huge(metres: Double)
        /// At latitude 0, longitude 0, where no real fence is.
        case nullIsland
        /// The fence has expired.
        case expired(UTCTime)
        /// A dwell time that may have been meant as milliseconds.
        case longDwell(seconds: Double)
        /// No event is raised.
        case tellsNothing
        /// A dwell time is set, but no dwell is raised.
        case dwellIsNotTold
        /// White space at an end of the name, or invisible characters in it.
        case oddName
        /// Another fence has the same name; its entry.
        case sameName(entry: Int)
        /// Another fence has the same area; its entry and name.
        case sameArea(entry: Int, name: String)
        /// The areas overlap; the other entry and its name.
        case overlaps(entry: Int, name: String)
        /// Overlaps that are not listed; whether there may be more than were counted.
        case moreOverlaps(count: Int, isAtLeast: Bool)
    }

    /// How bad it is.
    public var severity: Severity { problem.severity }

    /// Whether the entry yields no fence, or is not written.
    public var isDropped: Bool { severity == .error }

    /// Whether it is only about how the file is written: all its fences are as they were meant.
    public var isHarmless: Bool {
        switch problem {
        case .trailingCommas, .byteOrderMark, .utf16: true
        default: false
        }
    }
}

extension FenceRemark.Problem {
    /// How bad it is.
    var severity: FenceRemark.Severity {
        switch self {
        case .shape, .invalidValue, .coordinateOutOfRange, .unknownGeometry, .tooManyCorners, .notExpressible: .error
        case .repeatedCorners, .touchesItself, .holdsPole, .longEdge, .overlaps, .moreOverlaps, .overlookedGeometry: .note
        default: .warning
        }
    }
}
