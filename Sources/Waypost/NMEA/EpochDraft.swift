/// What has been said about the open epoch so far.
struct EpochDraft {
    /// Whose place stands when the sentences of an epoch differ.
    enum PlaceRank: Int {
        case none, other, gll
    }

    /// Whose status stands: GGA's quality tells more than a mode letter.
    enum StatusRank: Int {
        case none, letter, quality
    }

    var millisecondOfDay: Int?
    /// A date with the time of day it was said at.
    private(set) var date: (date: NMEADate, millisecondOfDay: Int, hasFix: Bool)?
    /// The place of the fix; nil while no sentence said that it is valid, and when the one who said so also said that it is not.
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
    /// Whether a sentence that tells about a fix came, with one or without.
    private(set) var hasPositionSentence = false
    /// Whether only ZDA gave the time.
    private(set) var isClock = false

    private var place: Coordinate?
    /// Who gave the place.
    private var placeTalker: UInt16 = 0
    /// Who said first that there is no fix.
    private var warningTalker: UInt16?
    private var placeRank = PlaceRank.none
    private var statusRank = StatusRank.none
    private var hasRecommendedMotion = false
    private var types: UInt16 = 0

    /// Whether the talker that gave the place says in another sentence that it has no fix.
    ///
    /// One without a fix beside one that has it (a second receiver on the same line) says nothing against that one's fix.
    private var isWarned: Bool { warningTalker == placeTalker }

    /// Whether there is anything to report: a position sentence, or a clock's time.
    var isReportable: Bool { hasPositionSentence || isClock }

    /// Whether a sentence of that type came, of those that tell a time.
    func has(_ type: NMEASentenceType) -> Bool { types & 1 << type.rawValue != 0 }

    mutating func note(_ type: NMEASentenceType) { types |= 1 << type.rawValue }

    /// Opens the epoch with a time that only a clock gave.
    mutating func beginClock(_ millisecondOfDay: Int) {
        self.millisecondOfDay = millisecondOfDay
        isClock = true
    }

    mutating func note(_ date: NMEADate, millisecondOfDay: Int, hasFix: Bool) {
        if self.date == nil || hasFix { self.date = (date, millisecondOfDay, hasFix) }
    }

    /// Notes that a position sentence of that talker came, and whether it says that there is no fix at its time.
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
        // Of GGA and GNS: one may count a single constellation, or none though it has a fix.
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
