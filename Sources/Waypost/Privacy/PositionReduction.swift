import func Glibc.cos

/// Makes positions coarse, for those who may know roughly where the device is.
///
/// - *One place per cell*: a grid of cells 5 km high and wide, fixed to the earth. Only the cell's middle is shared, so that repeating and
///   averaging reveal nothing finer.
/// - *No flicker at an edge*: a cell is left only half a kilometre beyond its edge; a box parked on an edge stays in the cell that was shared.
///   So does a walk along an edge: who goes on into the next column stays in the band, whatever side of its edge he is on just then.
/// - *Four times an hour*: time is cut into quarters of an hour, and only the first position of each counts. The time shared is the start
///   of the quarter; the moment at which an edge was crossed is never shown.
/// - *A date that was wrong*: after one that goes back, the next quarter of an hour counts; a quarter that was told is not told again.
/// - *Nothing else*: no speed, course, altitude, quality figures or source.
///
/// - Concurrency: a value; one for each ordered sequence of positions.
public struct PositionReduction: Sendable, Hashable {
    /// A position as it may be shared.
    public struct Told: Sendable, Hashable {
        /// The coarse position.
        public var position: Position
        /// The number of the quarter of an hour, counted from 1970: it grows from one to the next.
        public var quarter: Int64
        /// Whether it is shared for the first time.
        public var isNew: Bool
    }

    /// The height of a cell in degrees: 5.0 km, 4 000 cells from pole to pole.
    static let cellDegrees = 180.0 / 4_000
    /// How far beyond its edge a cell is left, as a fraction of its size.
    static let margin = 0.1
    /// How long a shared position remains, in milliseconds.
    static let quarterMilliseconds: Int64 = 900_000
    /// How many quarters are remembered: a day.
    private static let mostShared = 96
    /// A radius around a cell's middle that holds the cell and its margin, metres: half the diagonal of 6 km is 4.3.
    static let accuracyMetres = 5_000.0

    private struct Last: Sendable, Hashable {
        var cell: Cell
        var quarter: Int64
    }
    private var last: Last?
    /// The quarter of the last position, whether it was shared or not.
    private var mark = Int64.min
    /// The quarters that were shared last.
    private var shared: [Int64] = []
    /// Whether what was shared before a restart counts as shared in the quarter of the first position, too.
    private var isResumed = false

    /// Starts with nothing shared.
    public init() {}

    /// Starts with what was shared before a restart.
    ///
    /// The device stays in that cell until it has left it, and what is new is shared in the quarter of an hour after that of the first position at
    /// the earliest: a restart, too, reveals nothing finer than a cell.
    ///
    /// - Parameter position: a position that was shared; one without a time counts as none.
    public init(resuming position: Position) { self.init(resuming: position, waits: true) }

    /// - Parameter waits: false for an owner who shares nothing but what was in an earlier quarter of an hour.
    init(resuming position: Position, waits: Bool) {
        guard let time = position.time else { return }
        let quarter = PositionReduction.quarter(of: time)
        last = Last(cell: Cell(around: position.coordinate), quarter: quarter)
        (mark, shared, isResumed) = (quarter, [quarter], waits)
    }

    /// What was shared last; nil when nothing was.
    public var lastTold: Told? { last.map { told($0.cell, $0.quarter, isNew: false) } }

    /// Processes the next position and returns what is shared of it; nil while nothing may be shared.
    ///
    /// A position without a time, or in no later quarter than the last, shares nothing new.
    public mutating func process(_ position: Position) -> Told? {
        guard let time = position.time else { return last.map { told($0.cell, $0.quarter, isNew: false) } }
        let quarter = PositionReduction.quarter(of: time)
        if isResumed, let last {
            isResumed = false
            let answer = told(last.cell, last.quarter, isNew: false)
            self.last = Last(cell: last.cell, quarter: max(quarter, last.quarter))
            mark = quarter
            return answer
        }
        let isLater = quarter > mark
        mark = quarter
        if let last, !isLater || shared.contains(quarter) { return told(last.cell, last.quarter, isNew: false) }
        let cell = Cell(around: position.coordinate, after: last?.cell)
        last = Last(cell: cell, quarter: quarter)
        if shared.count == PositionReduction.mostShared { shared.removeFirst() }
        shared.append(quarter)
        return told(cell, quarter, isNew: true)
    }

    /// Notes that the date has gone back to that quarter of an hour, of which a position may be shared.
    mutating func goBack(to quarter: Int64) { mark = min(mark, quarter - 1) }

    /// The quarter of an hour that a moment is in.
    public static func quarter(of time: UTCTime) -> Int64 {
        let (quarter, rest) = time.millisecondsSince1970.quotientAndRemainder(dividingBy: quarterMilliseconds)
        return rest < 0 ? quarter - 1 : quarter
    }

    /// When a quarter of an hour began.
    public static func start(ofQuarter quarter: Int64) -> UTCTime { UTCTime(millisecondsSince1970: quarter * quarterMilliseconds) }

    /// The quarter of an hour that a moment is in.
    package static func span(ofQuarterAt time: UTCTime) -> Range<UTCTime> {
        let quarter = quarter(of: time)
        return start(ofQuarter: quarter)..<start(ofQuarter: quarter + 1)
    }

    private func told(_ cell: Cell, _ quarter: Int64, isNew: Bool) -> Told {
        var position = Position(time: PositionReduction.start(ofQuarter: quarter), coordinate: cell.middle)
        position.accuracy = HorizontalAccuracy(radiusMetres: PositionReduction.accuracyMetres, origin: .reduced)
        return Told(position: position, quarter: quarter, isNew: isNew)
    }
}

/// One cell of the grid: a band of latitude is cut into as many columns as make each about as wide as it is high.
private struct Cell: Sendable, Hashable {
    private let band: Int
    private let column: Int

    /// The cell in which a place is.
    ///
    /// - Parameter last: the cell before it. Its band and then its column are left beyond their margins only, each for itself: the two sides of an
    ///   edge would alternate in what is shared else, whenever a walk along it comes to the next column.
    init(around place: Coordinate, after last: Cell? = nil) {
        let reach = 0.5 + PositionReduction.margin
        if let last, abs(place.latitudeDegrees - last.latitude) <= reach * PositionReduction.cellDegrees {
            band = last.band
        } else {
            band = min(Int((place.latitudeDegrees + 90) / PositionReduction.cellDegrees), 3_999)
        }
        let columns = Cell.columns(ofBand: band)
        if let last, last.band == band {
            let away = abs(place.longitudeDegrees - last.longitude)
            if min(away, 360 - away) <= reach * 360 / Double(columns) {
                column = last.column
                return
            }
        }
        column = Int((place.longitudeDegrees + 180) / 360 * Double(columns)) % columns
    }

    /// Its middle, to a ten-thousandth of a degree.
    var middle: Coordinate {
        func rounded(_ degrees: Double) -> Double { (degrees * 10_000).rounded() / 10_000 }
        guard let place = Coordinate(latitudeDegrees: rounded(latitude), longitudeDegrees: rounded(longitude)) else {
            preconditionFailure("the middle of a cell lies within the limits")
        }
        return place
    }

    private var latitude: Double { Cell.latitude(ofBand: band) }
    private var longitude: Double { (Double(column) + 0.5) * 360 / Double(Cell.columns(ofBand: band)) - 180 }

    private static func latitude(ofBand band: Int) -> Double { (Double(band) + 0.5) * PositionReduction.cellDegrees - 90 }

    private static func columns(ofBand band: Int) -> Int {
        max(1, Int(360 / PositionReduction.cellDegrees * cos(latitude(ofBand: band) * .pi / 180)))
    }
}
