/// What the sentences of the open epoch have reported so far.
struct EpochDraft {
    /// Whose place wins when the sentences of an epoch differ.
    enum PlaceRank: Int {
        case none, other, gll
    }

    /// Whose status wins: GGA's quality is more detailed than a mode letter.
    enum StatusRank: Int {
        case none, letter, quality
    }

    var millisecondOfDay: Int?
    /// A date with the time of day of its sentence.
    private(set) var date: (date: NMEADate, millisecondOfDay: Int, hasFix: Bool)?
    /// The place of the fix; nil until a sentence reports it as valid, and when the same talker also reports that it is not.
    var coordinate: Coordinate? { isWarned ? nil : place }
    private(set) var status = FixStatus.unknown
    private(set) var altitudeMSLMetres: Double?
    private(set) var geoidSeparationMetres: Double?
    private(set) var speedMetresPerSecond: Double?
    private(set) var courseDegrees: Double?
    private(set) var satellitesUsed: Int?
    private(set) var hdop: Double?
    var accuracy: HorizontalAccuracy?
    /// Whether a GSA came.
    var hasSolution = false
    /// Whether a sentence about a fix came, with or without one.
    private(set) var hasPositionSentence = false
    /// Whether the time came from ZDA alone.
    private(set) var isClock = false

    private var place: Coordinate?
    /// The talker that reported the place.
    private var placeTalker: UInt16 = 0
    /// The first talker that reported no fix.
    private var warningTalker: UInt16?
    private var placeRank = PlaceRank.none
    private var statusRank = StatusRank.none
    private var hasRecommendedMotion = false
    private var types: UInt16 = 0

    /// Whether the talker of the place reports in another sentence that it has no fix.
    ///
    /// A talker without a fix (a second receiver on the same line) does not contradict another one's fix.
    private var isWarned: Bool { warningTalker == placeTalker }

    /// Whether there is anything to report: a position sentence, or a clock's time.
    var isReportable: Bool { hasPositionSentence || isClock }

    /// Whether a sentence of that type came, among those that carry a time.
    func has(_ type: NMEASentenceType) -> Bool { types & 1 << type.rawValue != 0 }

    mutating func note(_ type: NMEASentenceType) { types |= 1 << type.rawValue }

    /// Opens the epoch with a time from a clock alone.
    mutating func beginClock(_ millisecondOfDay: Int) {
        self.millisecondOfDay = millisecondOfDay
        isClock = true
    }

    mutating func note(_ date: NMEADate, millisecondOfDay: Int, hasFix: Bool) {
        if self.date == nil || hasFix { self.date = (date, millisecondOfDay, hasFix) }
    }

    /// Notes a position sentence of that talker, and whether it reports no fix at its time.
    mutating func note(positionOf talker: UInt16, isWarning: Bool) {
        hasPositionSentence = true
        if isWarning, warningTalker == nil { warningTalker = talker }
    }

    mutating func add(fix: Coordinate?, of talker: UInt16, rank: PlaceRank, status: FixStatus, statusRank: StatusRank) {
        guard let fix else { return }
        if rank.rawValue >= placeRank.rawValue {
            place = fix
            placeTalker = talker
            placeRank = rank
        }
        if statusRank.rawValue > self.statusRank.rawValue, status != .unknown {
            self.status = status
            self.statusRank = statusRank
        }
    }

    mutating func add(altitude: Double?, separation: Double?, satellites: Int?, hdop: Double?) {
        altitudeMSLMetres = altitude ?? altitudeMSLMetres
        geoidSeparationMetres = separation ?? geoidSeparationMetres
        // From GGA and GNS: one may count a single constellation, or none although it has a fix.
        if let satellites { satellitesUsed = max(satellites, satellitesUsed ?? 0) }
        self.hdop = hdop ?? self.hdop
    }

    /// Speed and course of an RMC.
    mutating func add(speed: Double?, course: Double?) {
        guard speed != nil || course != nil else { return }
        speedMetresPerSecond = speed
        courseDegrees = course
        hasRecommendedMotion = true
    }

    mutating func add(_ vtg: VTG) {
        guard !hasRecommendedMotion else { return }
        speedMetresPerSecond = vtg.speedMetresPerSecond
        courseDegrees = vtg.courseDegrees
    }
}
