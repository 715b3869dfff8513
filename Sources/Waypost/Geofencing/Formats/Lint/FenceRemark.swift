/// Something wrong with one entry of a fence file, or with the file as a whole.
public struct FenceRemark: Sendable, Hashable {
    /// The entry, counted from 0; nil for the whole file.
    public var index: Int?
    /// The entry's name, as far as it has one.
    public var name: String?
    /// Where in the file: `features[3].geometry.coordinates[0][17]`, `line 12`; nil for the whole file.
    public var place: String?
    /// What is wrong.
    public var problem: Problem

    init(index: Int? = nil, name: String? = nil, place: String? = nil, problem: Problem) {
        self.index = index
        self.name = name
        self.place = place
        self.problem = problem
    }

    /// How bad a remark is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
        /// The entry gives no fence, or is not written.
        case error
        /// Most likely not what was meant.
        case warning
        /// Worth knowing; often right.
        case note
    }

    /// What can be wrong.
    public enum Problem: Sendable, Hashable {
        // What gives no fence.

        /// The shape cannot be made.
        case shape(FenceShapeError)
        /// A value is missing or of the wrong kind; what it should be.
        case invalidValue(expected: String)
        /// A latitude or longitude beyond its range; the numbers as given.
        case coordinateOutOfRange(latitude: Double, longitude: Double)
        /// A kind of geometry that cannot be a fence.
        case unknownGeometry(String)
        /// A fence of more corners than allowed.
        case tooManyCorners(limit: Int)
        /// When writing: the format has no such thing; what it has.
        case notExpressible(String)

        // What is overlooked, and said.

        /// An id that an earlier entry has, too: the later one counts.
        case repeatedID(String)
        /// Commas before closing brackets, which JSON does not allow.
        case trailingCommas(count: Int)
        /// A byte order mark.
        case byteOrderMark
        /// UTF-16, where UTF-8 is usual.
        case utf16
        /// Bytes that are not of the encoding that the file says it has.
        case wrongEncoding
        /// Geometry beside the one that makes the fence, such as a label's place; what.
        case overlookedGeometry(String)
        /// A coordinate reference system other than that of GNSS positions; its name.
        case foreignReferenceSystem(String)
        /// When writing: something of the fence that the format does not keep; what, and what becomes of it.
        case notKept(String)

        // What the linter finds.

        /// Several entries have a latitude out of range that would do as a longitude.
        case fileSeemsSwapped(count: Int)
        /// Far away from all other fences, but among them with latitude and longitude the other way round.
        case seemsSwapped(latitude: Double, longitude: Double)
        /// A corner far away from its ring, but near with latitude and longitude the other way round.
        case cornerSeemsSwapped(latitude: Double, longitude: Double)
        /// A ring whose last corner is not its first.
        case unclosedRing
        /// The same corner several times in a row; how many too many.
        case repeatedCorners(count: Int)
        /// An edge crosses another one of its ring: the corner where that begins, and the place.
        case crossesItself(corner: Int, latitude: Double, longitude: Double)
        /// A corner lies on another edge of its ring, or on another corner of it.
        case touchesItself(corner: Int, latitude: Double, longitude: Double)
        /// An edge crosses one of another ring of its polygon; rings are counted from 0, the outer one.
        case ringsCross(ring: Int, latitude: Double, longitude: Double)
        /// A hole that lies outside of its polygon.
        case holeOutside
        /// A hole within another hole.
        case holeInHole(ring: Int)
        /// A ring that encloses nothing: all of its corners are on one line.
        case noArea
        /// A ring round the globe holds a pole.
        case holdsPole(isNorth: Bool)
        /// An edge of more than half a turn, which is taken the short way round.
        case longEdge(degrees: Double)
        /// So small that the receiver's errors lead out of it; metres from the middle to the border.
        case smallerThanAccuracy(metres: Double, accuracyMetres: Double)
        /// So large that the units may be wrong; metres across.
        case huge(metres: Double)
        /// At latitude 0, longitude 0, where nobody has a fence.
        case nullIsland
        /// Its time is over.
        case expired(UTCTime)
        /// A stay of a length that may have been meant as milliseconds.
        case longDwell(seconds: Double)
        /// No event is told.
        case tellsNothing
        /// A stay is to be timed, but not told.
        case dwellIsNotTold
        /// White space at an end of the name, or characters in it that cannot be seen.
        case oddName
        /// Another fence has the same name; that entry.
        case sameName(entry: Int)
        /// Another fence has the same area; that entry, and its name.
        case sameArea(entry: Int, name: String)
        /// The areas have places in common; the other entry, and its name.
        case overlaps(entry: Int, name: String)
        /// Overlaps that are not listed; whether there may be more than were counted.
        case moreOverlaps(count: Int, isAtLeast: Bool)
    }

    /// How bad it is.
    public var severity: Severity { problem.severity }

    /// Whether the entry gives no fence, or is not written.
    public var isDropped: Bool { severity == .error }
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
