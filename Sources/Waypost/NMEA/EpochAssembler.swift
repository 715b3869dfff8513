/// Merges the sentences of one navigation epoch into one position.
///
/// The rules, each learned from recordings of real receivers:
/// - An epoch ends when a position sentence (or GST, GBS) with another time of day comes. Times up to 5 ms apart are one epoch: some
///   receivers stamp the sentences of one cycle a few milliseconds apart.
/// - ZDA gives the date and never ends an epoch that has a position: some receivers stamp it with the current time instead.
/// - Where the places of one epoch differ, GLL wins, then the last of GGA, GNS and RMC.
/// - One sentence with a valid fix makes the epoch a fix.
/// - Values that come without a time (GSA, VTG) belong to the epoch that is open; RMC's speed and course stand over VTG's.
struct EpochAssembler: NMEASentenceReader, Sendable {
    /// Sentences whose times differ by no more are one epoch; the fastest receivers seen give 25 epochs a second.
    static let sameEpochMilliseconds = 5

    /// Finished events, taken by the decoder.
    var events: [NMEAEvent] = []

    private let options: NMEADecoder.Options
    private var epoch = EpochDraft()
    private var solution = SolutionDraft()
    private var dates: EpochDates
    private var sky = SkyDraft()
    private var cycle = CycleEnd()
    /// The time of an epoch that was ended before the next one began: its late sentences are not a new epoch.
    private var closedMillisecondOfDay: Int?

    init(options: NMEADecoder.Options) {
        self.options = options
        dates = EpochDates(correctsWeekRollover: options.correctsWeekRollover)
    }

    mutating func read(_ type: NMEASentenceType, talker: UInt16, _ fields: inout NMEAFields, in bytes: Span<UInt8>) -> Bool {
        switch type {
        case .rmc:
            guard let rmc = RMC(&fields, in: bytes) else { return false }
            add(rmc)
        case .gga:
            guard let gga = GGA(&fields, in: bytes) else { return false }
            add(gga)
        case .gll:
            guard let gll = GLL(&fields, in: bytes) else { return false }
            add(gll)
        case .gns:
            guard let gns = GNS(&fields, in: bytes) else { return false }
            add(gns)
        case .vtg: if let vtg = VTG(&fields, in: bytes) { epoch.add(vtg) }
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
            solution.add(gsa)
            epoch.hasSolution = true
            if options.deliversSky { sky.add(gsa) }
        case .gsv:
            guard let gsv = GSV(&fields, in: bytes) else { return false }
            if options.deliversSky { sky.add(gsv, &fields, in: bytes, talker: talker) }
        }
        if options.endsEpochAtLearnedSentence, cycle.isEnd(type, talker: talker) { endEpoch(isEarly: true) }
        return true
    }
}

extension EpochAssembler {
    /// Ends the open epoch, because the next one has begun, the receiver has fallen quiet or the input has ended.
    ///
    /// - Parameter isEarly: more sentences of this epoch may follow; they are left out.
    mutating func endEpoch(isEarly: Bool = true) {
        if epoch.isReportable {
            let finished = finishedEpoch()
            closedMillisecondOfDay = isEarly && finished.position != nil ? finished.millisecondOfDay : nil
            events.append(.epoch(finished))
            cycle.endEpoch()
            epoch = EpochDraft()
            if options.deliversSky, let view = sky.take(time: finished.time, quality: solution.quality) { events.append(.sky(view)) }
        }
    }

    /// Opens an epoch for a sentence with that time of day; false when the sentence comes too late for its epoch.
    private mutating func begin(_ millisecondOfDay: Int?, _ type: NMEASentenceType) -> Bool {
        guard let moment = millisecondOfDay else {
            // Without times the same sentence again is the next epoch.
            if epoch.millisecondOfDay == nil, epoch.hasUntimed(type) { endEpoch(isEarly: false) }
            epoch.addUntimed(type)
            return true
        }
        if let open = epoch.millisecondOfDay {
            if !EpochAssembler.isSame(open, moment) {
                if epoch.hasPositionSentence { endEpoch(isEarly: false) } else { epoch.millisecondOfDay = moment }
            }
        } else if let closed = closedMillisecondOfDay, EpochAssembler.isSame(closed, moment) {
            cycle.forget()
            return false
        }
        if epoch.millisecondOfDay == nil { epoch.millisecondOfDay = moment }
        return true
    }

    private static func isSame(_ first: Int, _ second: Int) -> Bool {
        let difference = abs(first - second)
        return min(difference, 86_400_000 - difference) <= sameEpochMilliseconds
    }

    private mutating func add(_ rmc: RMC) {
        guard begin(rmc.millisecondOfDay, .rmc) else { return }
        if let date = rmc.date, let moment = rmc.millisecondOfDay {
            epoch.note(date, millisecondOfDay: moment, hasFix: rmc.coordinate != nil)
        }
        epoch.add(fix: rmc.coordinate, rank: .other, status: rmc.status, statusRank: .letter)
        if rmc.coordinate != nil { epoch.add(speed: rmc.speedMetresPerSecond, course: rmc.courseDegrees) }
    }

    private mutating func add(_ gga: GGA) {
        guard begin(gga.millisecondOfDay, .gga) else { return }
        epoch.add(fix: gga.coordinate, rank: .other, status: gga.status, statusRank: .quality)
        guard gga.coordinate != nil else { return }
        epoch.add(
            altitude: gga.altitudeMSLMetres, separation: gga.geoidSeparationMetres, satellites: gga.satellitesUsed, hdop: gga.hdop)
    }

    private mutating func add(_ gns: GNS) {
        guard begin(gns.millisecondOfDay, .gns) else { return }
        epoch.add(fix: gns.coordinate, rank: .other, status: gns.status, statusRank: .letter)
        guard gns.coordinate != nil else { return }
        epoch.add(
            altitude: gns.altitudeMSLMetres, separation: gns.geoidSeparationMetres, satellites: gns.satellitesUsed, hdop: gns.hdop)
    }

    private mutating func add(_ gll: GLL) {
        guard begin(gll.millisecondOfDay, .gll) else { return }
        epoch.add(fix: gll.coordinate, rank: .gll, status: gll.status, statusRank: .letter)
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
        if !epoch.hasPositionSentence {
            if epoch.isClock, let open = epoch.millisecondOfDay, !EpochAssembler.isSame(open, moment) { endEpoch(isEarly: false) }
            if epoch.millisecondOfDay == nil { epoch.beginClock(moment) }
        }
        if let date = zda.date { epoch.note(date, millisecondOfDay: moment, hasFix: false) }
    }

    private mutating func finishedEpoch() -> NMEAEpoch {
        if let date = epoch.date {
            dates.note(date.date, millisecondOfDay: date.millisecondOfDay, hasFix: date.hasFix || epoch.coordinate != nil)
        }
        var finished = NMEAEpoch(millisecondOfDay: epoch.millisecondOfDay)
        var isCorrected = false
        if let moment = epoch.millisecondOfDay.flatMap({ dates.moment(millisecondOfDay: $0) }) {
            finished.time = moment.time
            isCorrected = moment.isCorrected
        }
        solution.keep(atMillisecondOfDay: epoch.millisecondOfDay, isFresh: epoch.hasSolution)
        if let coordinate = epoch.coordinate {
            finished.position = position(at: coordinate, time: finished.time, isCorrected: isCorrected)
        }
        return finished
    }

    private func position(at coordinate: Coordinate, time: UTCTime?, isCorrected: Bool) -> Position {
        let hasAltitude = epoch.altitudeMSLMetres != nil && epoch.satellitesUsed.map { $0 == 0 || $0 >= 4 } != false
        let mode = solution.mode ?? (hasAltitude ? .threeDimensional : .twoDimensional)
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
        position.quality.satellitesUsed = epoch.satellitesUsed
        if let accuracy = epoch.accuracy {
            position.accuracy = accuracy
        } else if let hdop = position.quality.hdop, hdop > 0, hdop < 50 {
            // Receivers say 99.99 for "no solution".
            let radius = RangeErrorModel.radius68(hdop: hdop, status: epoch.status).roundedToMillimetres
            position.accuracy = HorizontalAccuracy(radiusMetres: radius, origin: .hdop)
        }
        position.isWeekRolloverCorrected = isCorrected
        return position
    }
}

extension Double {
    /// What was computed from values with few decimals, without the digits that the arithmetic added.
    fileprivate var roundedToMillimetres: Double { (self * 1_000).rounded() / 1_000 }
}
