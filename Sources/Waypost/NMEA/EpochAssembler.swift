/// Merges the sentences of one navigation epoch into one position.
///
/// The rules, each learned from recordings of real receivers:
/// - An epoch ends when a position sentence (or GST, GBS) with another time of day comes. Times up to 5 ms apart are one epoch: some
///   receivers stamp the sentences of one cycle a few milliseconds apart.
/// - The same sentence again with the same time but another place begins the next epoch, so that no fix is lost to whole seconds at 5 Hz or
///   a stopped clock; with the same place it is a repetition and belongs to the epoch.
/// - A sentence without a time belongs to the open epoch, unless one of its type came there already: then it begins the next one.
/// - ZDA provides the date and never ends an epoch that has a position: some receivers stamp it with the current time instead.
/// - Where the places of one epoch differ, GLL wins, then the last of GGA, GNS and RMC.
/// - One sentence with a valid fix makes the epoch a fix, unless the same talker reports in another sentence of the epoch that it has none
///   (RMC or GLL `V`, mode `N`, GGA quality 0): a receiver that warns about its own fix is believed. A warning without a time is not: it may
///   be left over from a cycle before the first fix.
/// - Values without a time (GSA, VTG) belong to the open epoch; RMC's speed and course take precedence over VTG's.
struct EpochAssembler: NMEASentenceReader, Sendable {
    /// Sentences whose times differ by no more belong to one epoch; the fastest receivers seen report 25 epochs a second.
    static let sameEpochMilliseconds = 5

    /// Finished events, collected by the decoder.
    var events: [NMEAEvent] = []

    private let options: NMEADecoder.Options
    private var epoch = EpochDraft()
    private var solution = SolutionDraft()
    private var altitudes = AltitudeWitness()
    private var dates: EpochDates
    private var sky = SkyDraft()
    private var cycle = CycleEnd()
    private var places = PlacesOfOneTime()
    /// The time of an epoch that was ended early: its late sentences are not a new epoch.
    private var closedMillisecondOfDay: Int?
    /// How many sentences came too late for their epoch.
    private(set) var lateSentenceCount = 0

    init(options: NMEADecoder.Options) {
        self.options = options
        dates = EpochDates(correctsWeekRollover: options.correctsWeekRollover)
    }

    mutating func read(_ type: NMEASentenceType, talker: UInt16, _ fields: inout NMEAFields, in bytes: Span<UInt8>) -> Bool {
        switch type {
        case .rmc:
            guard let rmc = RMC(&fields, in: bytes) else { return false }
            add(rmc, talker: talker)
        case .gga:
            guard let gga = GGA.read(&fields, in: bytes) else { return false }
            add(gga, .gga, talker: talker, statusRank: .quality)
        case .gll:
            guard let gll = GLL(&fields, in: bytes) else { return false }
            add(gll, talker: talker)
        case .gns:
            guard let gns = GNS.read(&fields, in: bytes) else { return false }
            add(gns, .gns, talker: talker, statusRank: .letter)
        case .vtg:
            guard let vtg = VTG(&fields, in: bytes) else { return false }
            epoch.add(vtg)
        case .gst:
            guard let gst = GST(&fields, in: bytes) else { return false }
            add(gst)
        case .gbs:
            guard let gbs = GBS(&fields, in: bytes) else { return false }
            add(gbs)
        case .zda:
            guard let zda = ZDA(&fields, in: bytes) else { return false }
            add(zda)
        case .gsa:
            guard let gsa = GSA(&fields, in: bytes, talker: talker) else { return false }
            solution.add(gsa, isFirst: !epoch.hasSolution)
            if options.deliversSky { sky.add(gsa, isFirst: !epoch.hasSolution) }
            epoch.hasSolution = true
        case .gsv:
            guard let gsv = GSV(&fields, in: bytes) else { return false }
            if options.deliversSky { sky.add(gsv, &fields, in: bytes, talker: talker) }
        }
        if options.endsEpochAtLearnedSentence, cycle.isEnd(type, talker: talker) { endEpoch(isEarly: true) }
        return true
    }
}

extension EpochAssembler {
    /// Whether an epoch has begun that ``endEpoch(isEarly:)`` would deliver.
    var isEpochOpen: Bool { epoch.isReportable }

    /// Ends the open epoch, because the next one has begun, the receiver has fallen silent or the input has ended.
    ///
    /// - Parameter isEarly: whether more sentences of this epoch may follow; they are left out.
    mutating func endEpoch(isEarly: Bool = true) {
        if epoch.isReportable {
            closedMillisecondOfDay = isEarly && epoch.coordinate != nil ? epoch.millisecondOfDay : nil
            let moment = settledMoment()
            // Built in place: a position is large, and copying it costs as much as a sentence's fields.
            events.append(.epoch(finishedEpoch(time: moment?.time, isCorrected: moment?.isCorrected == true)))
            cycle.endEpoch()
            epoch = EpochDraft()
            if options.deliversSky, let view = sky.take(time: moment?.time, quality: solution.quality) { events.append(.sky(view)) }
        }
    }

    /// Opens an epoch for a sentence with that time of day; false when the sentence comes too late for its epoch.
    private mutating func begin(
        _ millisecondOfDay: Int?, _ type: NMEASentenceType, talker: UInt16 = 0, place: Coordinate? = nil
    ) -> Bool {
        guard let moment = millisecondOfDay else {
            if epoch.has(type) { endEpoch(isEarly: false) }
            epoch.note(type)
            return true
        }
        let isNewPlace = place.map { places.isNext(type, talker: talker, at: moment, $0) } ?? false
        if let open = epoch.millisecondOfDay {
            if !EpochAssembler.isSame(open, moment), !epoch.hasPositionSentence {
                epoch.millisecondOfDay = moment
            } else if isNewPlace || !EpochAssembler.isSame(open, moment) {
                endEpoch(isEarly: false)
            }
        } else if epoch.has(type) {
            endEpoch(isEarly: false)
        } else if isClosed(moment), !isNewPlace {
            cycle.forget()
            lateSentenceCount += 1
            return false
        }
        if epoch.millisecondOfDay == nil { epoch.millisecondOfDay = moment }
        epoch.note(type)
        return true
    }

    /// Whether the epoch of that time was ended early and nothing else has come since.
    private func isClosed(_ moment: Int) -> Bool {
        closedMillisecondOfDay.map { EpochAssembler.isSame($0, moment) } ?? false
    }

    private static func isSame(_ first: Int, _ second: Int) -> Bool {
        TimeOfDay.distance(first, second) <= sameEpochMilliseconds
    }

    private mutating func add(_ rmc: RMC, talker: UInt16) {
        guard begin(rmc.millisecondOfDay, .rmc, talker: talker, place: rmc.coordinate) else { return }
        epoch.note(positionOf: talker, isWarning: rmc.saysNoFix && rmc.millisecondOfDay != nil)
        if let date = rmc.date, let moment = rmc.millisecondOfDay {
            epoch.note(date, millisecondOfDay: moment, hasFix: rmc.coordinate != nil)
        }
        epoch.add(fix: rmc.coordinate, of: talker, rank: .other, status: rmc.status, statusRank: .letter)
        if rmc.coordinate != nil { epoch.add(speed: rmc.speedMetresPerSecond, course: rmc.courseDegrees) }
    }

    private mutating func add(_ fix: FixData, _ type: NMEASentenceType, talker: UInt16, statusRank: EpochDraft.StatusRank) {
        guard begin(fix.millisecondOfDay, type, talker: talker, place: fix.coordinate) else { return }
        epoch.note(positionOf: talker, isWarning: fix.saysNoFix && fix.millisecondOfDay != nil)
        epoch.add(fix: fix.coordinate, of: talker, rank: .other, status: fix.status, statusRank: statusRank)
        guard fix.coordinate != nil else { return }
        epoch.add(
            altitude: fix.altitudeMSLMetres, separation: fix.geoidSeparationMetres, satellites: fix.satellitesUsed, hdop: fix.hdop)
    }

    private mutating func add(_ gll: GLL, talker: UInt16) {
        guard begin(gll.millisecondOfDay, .gll, talker: talker, place: gll.coordinate) else { return }
        epoch.note(positionOf: talker, isWarning: gll.saysNoFix && gll.millisecondOfDay != nil)
        epoch.add(fix: gll.coordinate, of: talker, rank: .gll, status: gll.status, statusRank: .letter)
    }

    private mutating func add(_ gst: GST) {
        guard begin(gst.millisecondOfDay, .gst), let sigmas = gst.horizontalSigmasMetres else { return }
        epoch.accuracy = HorizontalAccuracy(
            radiusMetres: RangeErrorModel.radius68(sigmasMetres: sigmas.0, sigmas.1).roundedToMillimetres, origin: .gst)
    }

    private mutating func add(_ gbs: GBS) {
        guard begin(gbs.millisecondOfDay, .gbs), epoch.accuracy?.origin != .gst, let sigmas = gbs.horizontalSigmasMetres else { return }
        epoch.accuracy = HorizontalAccuracy(
            radiusMetres: RangeErrorModel.radius68(sigmasMetres: sigmas.0, sigmas.1).roundedToMillimetres, origin: .gbs)
    }

    private mutating func add(_ zda: ZDA) {
        guard let moment = zda.millisecondOfDay else { return }
        // After the end of its epoch a clock's time adds nothing, and must not look like an epoch without a fix.
        if !epoch.hasPositionSentence, !isClosed(moment) {
            if epoch.isClock, let open = epoch.millisecondOfDay, !EpochAssembler.isSame(open, moment) { endEpoch(isEarly: false) }
            if epoch.millisecondOfDay == nil { epoch.beginClock(moment) }
        }
        if let date = zda.date { epoch.note(date, millisecondOfDay: moment, hasFix: false) }
    }

    /// The moment of the open epoch, after noting its date.
    private mutating func settledMoment() -> (time: UTCTime, isCorrected: Bool)? {
        if let date = epoch.date {
            dates.note(date.date, millisecondOfDay: date.millisecondOfDay, hasFix: date.hasFix || epoch.coordinate != nil)
        }
        return epoch.millisecondOfDay.flatMap { dates.moment(millisecondOfDay: $0) }
    }

    @inline(__always)
    private mutating func finishedEpoch(time: UTCTime?, isCorrected: Bool) -> NMEAEpoch {
        solution.keep(atMillisecondOfDay: epoch.millisecondOfDay, isFresh: epoch.hasSolution)
        guard let coordinate = epoch.coordinate else { return NMEAEpoch(millisecondOfDay: epoch.millisecondOfDay, time: time) }
        return NMEAEpoch(
            millisecondOfDay: epoch.millisecondOfDay, time: time,
            position: position(at: coordinate, time: time, isCorrected: isCorrected))
    }

    @inline(__always)
    private mutating func position(at coordinate: Coordinate, time: UTCTime?, isCorrected: Bool) -> Position {
        let satellites = solution.satellitesUsed(stated: epoch.satellitesUsed)
        let isSolvedFor = altitudes.speaksFor(
            solution.mode, altitude: epoch.altitudeMSLMetres, vdop: solution.quality.vdop, satellites: satellites,
            atMillisecondOfDay: epoch.millisecondOfDay)
        let hasAltitude =
            epoch.altitudeMSLMetres != nil && satellites.map { $0 == 0 || $0 >= AltitudeWitness.fewestSatellites } != false
        let mode = isSolvedFor ? .threeDimensional : solution.mode ?? (hasAltitude ? .threeDimensional : .twoDimensional)
        var position = Position(time: time, coordinate: coordinate, mode: mode, status: epoch.status)
        if mode == .threeDimensional {
            position.altitudeMSLMetres = epoch.altitudeMSLMetres
            position.geoidSeparationMetres = epoch.geoidSeparationMetres
            if let altitude = epoch.altitudeMSLMetres, let separation = epoch.geoidSeparationMetres {
                position.altitudeHAEMetres = (altitude + separation).roundedToMillimetres
            }
        }
        position.speedMetresPerSecond = epoch.speedMetresPerSecond
        position.courseDegrees = epoch.courseDegrees
        position.quality = solution.quality
        if let hdop = epoch.hdop { position.quality.hdop = hdop }
        position.quality.satellitesUsed = satellites
        if let accuracy = epoch.accuracy {
            position.accuracy = accuracy
        } else if let hdop = position.quality.hdop {
            let radius = RangeErrorModel.radius68(hdop: hdop, status: epoch.status).roundedToMillimetres
            position.accuracy = HorizontalAccuracy(radiusMetres: radius, origin: .hdop)
        }
        position.isWeekRolloverCorrected = isCorrected
        return position
    }
}

extension Double {
    /// A value computed from numbers with few decimals, without the digits that the arithmetic added.
    var roundedToMillimetres: Double { (self * 1_000).rounded() / 1_000 }

    /// A speed in metres per second computed from another unit: receivers report 0.001 knots, half a millimetre per second, at best.
    var roundedSpeed: Double { (self * 10_000).rounded() / 10_000 }
}
