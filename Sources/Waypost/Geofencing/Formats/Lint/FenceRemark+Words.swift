extension FenceRemark: CustomStringConvertible {
    /// `entry 3 "Yard", features[3].properties.radius: must be the radius in metres, which a point needs`.
    public var description: String { words(ScreenFormat()) }

    /// The remark in the units and by the clocks of a person.
    package func words(_ format: ScreenFormat) -> String {
        let problem = problem.words(format)
        let entry = index.map { "entry \($0)" + (name.map { " \(quoted($0, mark: "\""))" } ?? "") }
        let head = [entry, place].compactMap { $0 }.joined(separator: ", ")
        return head.isEmpty ? problem : "\(head): \(problem)"
    }
}

extension FenceRemark.Problem: CustomStringConvertible {
    /// The problem in words.
    public var description: String { words(ScreenFormat()) }

    /// The problem in the units and by the clocks of a person; what a file must have is in metres.
    func words(_ format: ScreenFormat) -> String {
        switch self {
        case .shape(let error): error.description
        case .invalidValue(let expected): "must be \(expected)"
        case .coordinateOutOfRange(let latitude, let longitude):
            "latitude \(latitude), longitude \(longitude) is not on the Earth"
                + (abs(latitude) <= 180 && abs(longitude) <= 90 ? "; they may be swapped" : "")
        case .unknownGeometry(let kind): "geometry \(kind) is not a fence"
        case .tooManyCorners(let limit): "has more than \(limit) corners"
        case .notExpressible(let words): "is left out: \(words)"
        case .repeatedID(let id): "the id \(quoted(id, mark: "\"")) is used again; the last one counts"
        case .trailingCommas(let count): "\(counted(count, "trailing comma")) overlooked"
        case .byteOrderMark: "byte order mark overlooked"
        case .utf16: "is UTF-16; read all the same"
        case .wrongEncoding: "characters that are not of the file's encoding"
        case .overlookedGeometry(let words): "\(words) overlooked"
        case .foreignReferenceSystem(let name):
            "says its coordinates are of \(quoted(name, mark: "\"")); they are taken for WGS 84, longitude first"
        case .notKept(let words): words
        default: lintWords(format)
        }
    }

    /// The linter's findings in words.
    private func lintWords(_ format: ScreenFormat) -> String {
        switch self {
        case .fileSeemsSwapped(let count):
            "latitude and longitude seem to be swapped in the whole file: \(count) entries have a latitude out of range"
        case .seemsSwapped(let latitude, let longitude):
            "\(FenceRemark.Problem.place(latitude, longitude)) is far from all other fences, but swapped it is among them"
        case .cornerSeemsSwapped(let latitude, let longitude):
            "the corner \(FenceRemark.Problem.place(latitude, longitude)) is far from the others, but swapped it is near them"
        case .unclosedRing: "the ring is not closed; its first corner is taken for its last"
        case .repeatedCorners(let count): "\(counted(count, "corner")) repeated in a row"
        case .crossesItself(let corner, let latitude, let longitude):
            "the edge from here crosses the one from corner \(corner), at \(FenceRemark.Problem.place(latitude, longitude))"
        case .touchesItself(let corner, let latitude, let longitude):
            "the edge from here touches the one from corner \(corner), at \(FenceRemark.Problem.place(latitude, longitude))"
        case .ringsCross(let ring, let latitude, let longitude):
            "the edge from here crosses ring \(ring) of its polygon, at \(FenceRemark.Problem.place(latitude, longitude))"
        case .holeOutside: "the hole lies outside of its polygon"
        case .holeInHole(let ring): "the hole lies within the hole that is ring \(ring)"
        case .noArea: "the ring encloses nothing"
        case .holdsPole(let isNorth): "the ring goes round the globe; it holds the \(isNorth ? "north" : "south") pole"
        case .longEdge(let degrees):
            "the edge from here is \(Int(degrees)) degrees long as written; it is taken the short way round the globe"
        case .smallerThanAccuracy(let metres, let accuracy):
            "its radius of \(format.units.distance(metres)) is less than a receiver's error (\(format.units.distance(accuracy)))"
        case .huge(let metres): "is \(format.units.distance(metres)) across; are the units right?"
        case .nullIsland: "is at latitude 0, longitude 0; was the place not known?"
        case .expired(let time): "has expired at \(format.moment(time)) (\(format.zoneName(at: time)))"
        case .longDwell(let seconds): "a stay of \(Int(seconds)) s; were milliseconds meant?"
        case .tellsNothing: "reports no events"
        case .dwellIsNotTold: "a stay is timed, but dwell is not among what it tells"
        case .oddName: "the name has characters that cannot be seen, or white space at an end"
        case .sameName(let entry): "has the name of entry \(entry)"
        case .sameArea(let entry, let name): "has the area of entry \(entry) \(quoted(name, mark: "\""))"
        case .overlaps(let entry, let name): "overlaps entry \(entry) \(quoted(name, mark: "\""))"
        case .moreOverlaps(let count, let isAtLeast):
            "\(counted(count, "more overlap"))\(isAtLeast ? ", perhaps others: there are too many to look at all" : "")"
        default: ""
        }
    }

    private static func place(_ latitude: Double, _ longitude: Double) -> String {
        var text = TextBuffer(capacity: 40)
        text.append(latitude, decimals: 7, trimsZeros: true)
        text.append(", ")
        text.append(longitude, decimals: 7, trimsZeros: true)
        return text.string
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
