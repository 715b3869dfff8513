import Waypost
import WaypostRecording

/// A track for a map: simplified to a tolerance, with gaps only where the log has a loss.
///
/// When it would have too many points, the tolerance is doubled and what is there is simplified again.
struct PageTrack {
    /// A point of a track.
    typealias Point = TrackPoint

    /// A piece without a gap.
    struct Piece {
        /// Why it does not continue the one before; nil for what continues outside of the wanted box.
        var reason: SegmentBreak?
        var points: [Point] = []
    }

    /// How far a point that was left out may be from the line, in metres.
    private(set) var toleranceMetres: Double
    /// The pieces.
    private(set) var pieces: [Piece] = []
    /// How many positions there were.
    private(set) var positionCount = 0
    /// Where the device stood; none for a box, in which a stop may begin and end elsewhere.
    var stops: [StopFinder.Stop] { stopFinder.all }

    private let box: BoundingBox?
    private var simplifier: TrackSimplifier
    private var stopFinder = StopFinder()
    private var pointCount = 0
    /// Why the next point begins a piece; nil when it continues the last one.
    private var beginning: SegmentBreak?? = .some(.start)
    /// The last point outside of the box, from which a line may lead into it.
    private var outside: Point?

    /// The number of points above which the tolerance grows.
    static let maximumCount = 5_000

    /// A track without points.
    ///
    /// - Parameters:
    ///   - toleranceMetres: how far a point that is left out may be from the line.
    ///   - box: the part that is wanted, with the points next to it; nil for all.
    init(toleranceMetres: Double, box: BoundingBox?) {
        self.toleranceMetres = toleranceMetres
        self.box = box
        simplifier = TrackSimplifier(toleranceMetres: toleranceMetres)
    }

    /// Adds the next position.
    mutating func add(_ position: Position) {
        positionCount += 1
        if box == nil { stopFinder.add(position) }
        let position = Point(position)
        guard let box, !box.contains(position.coordinate) else {
            if let outside {
                self.outside = nil
                begin(beginning ?? nil)
                append(outside)
            }
            return append(position)
        }
        // The line that leaves the box ends at the first point outside.
        if outside == nil, beginning == nil, pieces.last?.points.isEmpty == false {
            append(position)
            end()
            beginning = .some(nil)
        }
        outside = position
    }

    /// What follows does not continue what came before.
    mutating func interrupt(_ reason: SegmentBreak) {
        end()
        outside = nil
        beginning = .some(reason)
    }

    /// Ends the last piece; call it once.
    mutating func end() {
        if let last = simplifier.end() { keep(last) }
    }

    private mutating func append(_ position: Point) {
        if let reason = beginning { begin(reason) }
        if let kept = simplifier.add(position) { keep(kept) }
        if pointCount > PageTrack.maximumCount { coarsen() }
    }

    private mutating func begin(_ reason: SegmentBreak?) {
        end()
        beginning = nil
        pieces.append(Piece(reason: reason))
    }

    private mutating func keep(_ position: Point) {
        guard !pieces.isEmpty else { return }
        pieces[pieces.count - 1].points.append(position)
        pointCount += 1
    }

    /// Simplifies what is there to twice the tolerance.
    private mutating func coarsen() {
        if let last = simplifier.end() { keep(last) }
        toleranceMetres = max(1, toleranceMetres) * 2
        pointCount = 0
        for index in pieces.indices {
            var simplifier = TrackSimplifier(toleranceMetres: toleranceMetres)
            var points: [Point] = []
            for point in pieces[index].points {
                if let kept = simplifier.add(point) { points.append(kept) }
            }
            if let last = simplifier.end() { points.append(last) }
            pieces[index].points = points
            pointCount += points.count
        }
        // The last piece continues from its last point, which is kept already.
        simplifier = TrackSimplifier(toleranceMetres: toleranceMetres)
        if let last = pieces.last?.points.last { _ = simplifier.add(last) }
    }
}

extension PageTrack {
    /// The names of the values of a point, in their order.
    static let columns = ["time", "lat", "lon", "speed", "accuracy", "altMSL", "track"]

    /// Writes the members of the track: times in milliseconds since 1970, values that are not known as null.
    ///
    /// - Parameter isPast: whether it ends before now, so that no stop of it lasts.
    func write(to json: inout JSONWriter, isPast: Bool) {
        json.member("positions", positionCount)
        json.member("tolerance", toleranceMetres)
        json.array("columns") { json in for name in PageTrack.columns { json.element(name) } }
        json.array("segments") { json in
            for piece in pieces where !piece.points.isEmpty {
                json.object { json in
                    json.member("break", piece.reason?.word)
                    json.array("points") { json in for point in piece.points { PageTrack.write(point, to: &json) } }
                }
            }
        }
        guard box == nil else { return }
        json.array("stops") { json in
            for stop in stops {
                json.object { json in
                    json.member("since", stop.since)
                    if !stop.isOpen || isPast { json.member("until", stop.until) }
                    json.member("lat", (stop.place.latitudeDegrees * 1e7).rounded() / 1e7)
                    json.member("lon", (stop.place.longitudeDegrees * 1e7).rounded() / 1e7)
                }
            }
        }
    }

    private static func write(_ point: TrackPoint, to json: inout JSONWriter) {
        json.array { json in
            json.element(.integer(point.milliseconds))
            // A ten-millionth of a degree is a centimetre.
            number(point.coordinate.latitudeDegrees, 1e7, &json)
            number(point.coordinate.longitudeDegrees, 1e7, &json)
            number(point.speed, 100, &json)
            number(point.accuracy, 10, &json)
            number(point.altitude, 10, &json)
            number(point.course, 10, &json)
        }
    }

    private static func number(_ value: Float?, _ scale: Double, _ json: inout JSONWriter) {
        number(value.map { Double($0) }, scale, &json)
    }

    private static func number(_ value: Double?, _ scale: Double, _ json: inout JSONWriter) {
        if let value, value.isFinite { json.element((value * scale).rounded() / scale) } else { json.element(.null) }
    }
}

extension SegmentBreak {
    /// Its word in the interface.
    fileprivate var word: String {
        switch self {
        case .start: "start"
        case .loss: "loss"
        case .jump: "jump"
        case .restart: "restart"
        case .gap: "gap"
        }
    }
}
