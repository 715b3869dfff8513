import Testing
import Waypost
import WaypostTestKit

@Suite struct EpochAssemblerTests {
    private static func gga(_ time: String, _ latitude: String = "4717.115", quality: Int = 1) -> String {
        "GPGGA,\(time),\(latitude),N,00833.915,E,\(quality),08,0.9,545.4,M,46.9,M,,"
    }

    private static func rmc(_ time: String, _ latitude: String = "4717.115", status: String = "A", date: String = "150624") -> String {
        "GPRMC,\(time),\(status),\(latitude),N,00833.915,E,10.0,90.0,\(date),,,A"
    }

    private static func gll(_ time: String, _ latitude: String = "4717.115", status: String = "A") -> String {
        "GPGLL,\(latitude),N,00833.915,E,\(time),\(status)"
    }

    private static func latitudes(_ decoded: DecodedNMEA) -> [Double] { decoded.positions.map { $0.coordinate.latitudeDegrees } }

    // MARK: - What belongs to one epoch

    @Test func mergesTheSentencesOfOneTimeInAnyOrder() {
        let bodies = [
            EpochAssemblerTests.gga("120000"), EpochAssemblerTests.rmc("120000"), EpochAssemblerTests.gll("120000"),
            "GPGSA,A,3,01,02,03,04,,,,,,,,,1.5,0.8,1.2", "GPVTG,45.0,T,,M,99.0,N,,K",
        ]
        for shift in bodies.indices {
            let order = Array(bodies[shift...] + bodies[..<shift])
            let decoded = DecodedNMEA(bytes: NMEAText.bytes(order))
            let position = decoded.position
            #expect(decoded.times == ["2024-06-15T12:00:00.000Z"], "\(order)")
            #expect(position?.mode == .threeDimensional, "\(order)")
            #expect(position?.altitudeMSLMetres == 545.4, "\(order)")
            #expect(position?.courseDegrees == 90, "RMC stands over VTG: \(order)")
            #expect(position?.quality.pdop == 1.5, "\(order)")
            #expect(position?.quality.hdop == 0.9, "GGA stands over GSA: \(order)")
            #expect(position?.quality.satellitesUsed == 8, "\(order)")
        }
    }

    @Test(arguments: [("120000.520", "120000.525", 1), ("120000.520", "120000.526", 2), ("235959.998", "000000.002", 1)])
    func takesTimesUpToFiveMillisecondsApartAsOne(_ first: String, _ second: String, epochs: Int) {
        #expect(DecodedNMEA(EpochAssemblerTests.gga(first), EpochAssemblerTests.rmc(second)).positions.count == epochs)
    }

    @Test func letsGLLWinThenTheLastPlace() {
        let gga = EpochAssemblerTests.gga("120000", "4700.000")
        let rmc = EpochAssemblerTests.rmc("120000", "4730.000")
        let gll = EpochAssemblerTests.gll("120000", "4745.000")
        #expect(EpochAssemblerTests.latitudes(DecodedNMEA(gll, gga, rmc)) == [47.75])
        #expect(EpochAssemblerTests.latitudes(DecodedNMEA(gga, rmc)) == [47.5])
        #expect(EpochAssemblerTests.latitudes(DecodedNMEA(rmc, gga)) == [47])
    }

    @Test func makesAFixOfOneValidSentence() {
        let silent = "GPGGA,120000,,,,,,,,,M,,M,,"
        for bodies in [[EpochAssemblerTests.rmc("120000"), silent], [silent, EpochAssemblerTests.rmc("120000")]] {
            let decoded = DecodedNMEA(bytes: NMEAText.bytes(bodies))
            #expect(decoded.epochs.count == 1, "\(bodies)")
            #expect(decoded.positions.count == 1, "an empty quality says nothing against the fix: \(bodies)")
        }
    }

    @Test(arguments: [
        "GPRMC,120000,V,4717.115,N,00833.915,E,10.0,90.0,150624,,,A", "GPRMC,120000,A,4717.115,N,00833.915,E,10.0,90.0,150624,,,N",
        "GPGLL,4717.115,N,00833.915,E,120000,V", "GPGNS,120000,,,,,NN,00,99.9,,,,", "GPGGA,120000,4717.115,N,00833.915,E,0,03,,,M,,M,,",
    ])
    func believesAReceiverThatWarnsOfItsOwnFix(_ warning: String) {
        let fix = warning.hasPrefix("GPGGA") ? EpochAssemblerTests.rmc("120000") : EpochAssemblerTests.gga("120000")
        for bodies in [[warning, fix], [fix, warning]] {
            let decoded = DecodedNMEA(bytes: NMEAText.bytes(bodies))
            #expect(decoded.epochs.count == 1, "\(bodies)")
            #expect(decoded.positions.isEmpty, "\(bodies)")
        }
        let next = DecodedNMEA(warning, fix, EpochAssemblerTests.gga("120001"))
        #expect(next.positions.count == 1, "a warning holds for its epoch only")
    }

    @Test func takesAFixAfterAWarningThatBelongsToNoTime() {
        let decoded = DecodedNMEA("GPRMC,,V,,,,,,,,,,N", "GPGLL,,,,,,V,N", EpochAssemblerTests.gga("120000"))
        #expect(decoded.epochs.count == 1)
        #expect(decoded.positions.count == 1)
    }

    @Test func takesAFixBesideAnotherReceiverWithoutOne() {
        let decoded = DecodedNMEA("IIRMC,120000,V,,,,,,,150624,,,N", EpochAssemblerTests.gga("120000"), "IIGLL,,,,,120000,V,N")
        #expect(decoded.epochs.count == 1)
        #expect(decoded.positions.count == 1)
        #expect(decoded.position?.speedMetresPerSecond == nil, "an RMC without fix gives no speed")
    }

    @Test func letsTheQualityOfGGAStandOverModeLetters() {
        let decoded = DecodedNMEA(EpochAssemblerTests.rmc("120000"), EpochAssemblerTests.gga("120000", quality: 4))
        #expect(decoded.position?.status == .rtkFixed)
        let other = DecodedNMEA(EpochAssemblerTests.gga("120000", quality: 4), EpochAssemblerTests.rmc("120000"))
        #expect(other.position?.status == .rtkFixed)
    }

    // MARK: - Satellites and dimensions

    /// GGA counts as that many, GNS and GSA as given.
    private static func counted(gga: String?, gns: String? = nil, gsa: [String]) -> Int? {
        var bodies = gga.map { ["GPGGA,120000,4717.115,N,00833.915,E,1,\($0),0.9,545.4,M,46.9,M,,"] } ?? []
        if let gns { bodies.append("GNGNS,120000,4717.115,N,00833.915,E,AA,\(gns),0.9,545.4,46.9,,") }
        let counts = Set(
            (0..<3).map { shift in
                let order = bodies.indices.map { bodies[($0 + shift) % bodies.count] }
                return DecodedNMEA(bytes: NMEAText.bytes(order + gsa)).position?.quality.satellitesUsed
            })
        return counts.count == 1 ? counts.first.flatMap(\.self) : nil
    }

    @Test func countsTheSatellitesThatAnySentenceSays() {
        let twelve = "GNGSA,A,3,01,02,03,04,05,06,07,08,09,10,11,12,1.5,0.8,1.2,1"
        let five = "GNGSA,A,3,01,02,03,04,05,,,,,,,,1.5,0.8,1.2,1"
        let glonass = "GNGSA,A,3,69,76,78,,,,,,,,,,1.5,0.8,1.2,2"
        #expect(EpochAssemblerTests.counted(gga: "00", gns: "11", gsa: []) == 11)
        #expect(EpochAssemblerTests.counted(gga: "05", gns: "09", gsa: [five]) == 9)
        #expect(EpochAssemblerTests.counted(gga: "00", gsa: [five, glonass]) == 8)
        #expect(EpochAssemblerTests.counted(gga: "", gsa: [five, glonass]) == 8)
        #expect(EpochAssemblerTests.counted(gga: "12", gsa: [twelve, "GNGSA,A,3,13,14,,,,,,,,,,,1.5,0.8,1.2,1", glonass]) == 17)
        #expect(EpochAssemblerTests.counted(gga: "12", gsa: [twelve.replacing("GNGSA", with: "GPGSA"), twelve, glonass]) == 15)
        #expect(EpochAssemblerTests.counted(gga: "07", gsa: [five, glonass]) == 7, "satellites of corrections are listed, too")
        #expect(EpochAssemblerTests.counted(gga: "00", gsa: []) == 0)
        #expect(EpochAssemblerTests.counted(gga: "00", gsa: ["GNGSA,A,1,01,02,,,,,,,,,,,99.9,99.9,99.9"]) == 0, "no fix, none used")
    }

    /// Fixes that GSA calls 2D, one a second, at those altitudes.
    private static func flat(_ altitudes: [Double], satellites: Int = 8, vdop: String = "1.2") -> [Position] {
        DecodedNMEA(
            bytes: NMEAText.bytes(
                altitudes.enumerated().flatMap { second, altitude in
                    [
                        "GPGGA,1200\(second < 10 ? "0" : "")\(second),4717.115,N,00833.915,E,1,0\(satellites),0.9,\(altitude),M,46.9,M,,",
                        "GPGSA,A,2,01,02,03,04,,,,,,,,,1.5,0.8,\(vdop)",
                    ]
                })
        ).positions
    }

    @Test func believesAnAltitudeThatMovesBeforeAModeThatSays2D() {
        let modem = EpochAssemblerTests.flat([545.4, 545.6, 545.6, 545.1])
        #expect(modem.map(\.mode) == [.twoDimensional, .threeDimensional, .threeDimensional, .threeDimensional])
        #expect(modem.map(\.altitudeMSLMetres) == [nil, 545.6, 545.6, 545.1])
        for flat in [
            EpochAssemblerTests.flat([545.4, 545.4, 545.4]), EpochAssemblerTests.flat([545.4, 545.6, 545.1], satellites: 3),
            EpochAssemblerTests.flat([545.4, 545.6, 545.1], vdop: "99.9"), EpochAssemblerTests.flat([545.4, 545.6, 545.1], vdop: ""),
        ] {
            #expect(flat.allSatisfy { $0.mode == .twoDimensional && $0.altitudeMSLMetres == nil })
        }
    }

    @Test func believesTheModeAgainWhenTheAltitudeStands() {
        var bodies: [String] = []
        for second in 0..<100 {
            let (minute, rest) = second.quotientAndRemainder(dividingBy: 60)
            bodies.append(
                "GPGGA,120\(minute)\(rest < 10 ? "0" : "")\(rest),4717.115,N,00833.915,E,1,08,0.9,\(second == 0 ? 500 : 501),M,46.9,M,,")
            bodies.append("GPGSA,A,2,01,02,03,04,,,,,,,,,1.5,0.8,1.2")
        }
        let modes = DecodedNMEA(bytes: NMEAText.bytes(bodies)).positions.map(\.mode)
        #expect(modes == [.twoDimensional] + Array(repeating: .threeDimensional, count: 61) + Array(repeating: .twoDimensional, count: 38))
    }

    // MARK: - Times that stand still or are missing

    @Test func beginsTheNextEpochWhenTheSameSentenceSaysAnotherPlace() {
        let decoded = DecodedNMEA(
            EpochAssemblerTests.gga("120000", "4700.000"), EpochAssemblerTests.rmc("120000", "4700.000"),
            EpochAssemblerTests.gga("120000", "4700.600"), EpochAssemblerTests.rmc("120000", "4700.600"),
            EpochAssemblerTests.gga("120000", "4701.200"), EpochAssemblerTests.rmc("120000", "4701.200"))
        #expect(EpochAssemblerTests.latitudes(decoded) == [47, 47.01, 47.02])
        #expect(decoded.positions.allSatisfy { $0.speedMetresPerSecond != nil })
    }

    @Test func takesTheSamePlaceAgainAsRepetition() {
        let epoch = [EpochAssemblerTests.gga("120000"), EpochAssemblerTests.rmc("120000")]
        #expect(DecodedNMEA(bytes: NMEAText.bytes(epoch + epoch + epoch)).positions.count == 1)
    }

    @Test func takesTheSentencesOfTwoTalkersAsOneEpoch() {
        let other = EpochAssemblerTests.gga("120000", "4700.600").replacing("GPGGA", with: "GNGGA")
        #expect(EpochAssemblerTests.latitudes(DecodedNMEA(EpochAssemblerTests.gga("120000", "4700.000"), other)) == [47.01])
    }

    @Test func deliversAMovingReceiverWithAFrozenClockLive() {
        var decoder = NMEADecoder()
        var events: [NMEAEvent] = []
        for latitude in ["4700.000", "4700.600", "4700.600", "4701.200"] {
            decoder.decode(NMEAText.bytes([EpochAssemblerTests.gga("000000", latitude)]).span, into: &events)
            decoder.endEpoch(into: &events)
        }
        let latitudes = events.compactMap { if case .epoch(let epoch) = $0 { epoch.position?.coordinate.latitudeDegrees } else { nil } }
        #expect(latitudes == [47, 47.01, 47.02], "the repetition is not a new fix")
    }

    @Test func separatesTheLeapSecondFromTheNextOne() {
        let decoded = DecodedNMEA(
            EpochAssemblerTests.rmc("235959", date: "311216"), EpochAssemblerTests.rmc("235960", date: "311216"),
            EpochAssemblerTests.rmc("000000", date: "010117"), EpochAssemblerTests.rmc("000001", date: "010117"))
        // On the Unix time line the leap second is the first second of the next day.
        #expect(
            decoded.times == [
                "2016-12-31T23:59:59.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:00.000Z", "2017-01-01T00:00:01.000Z",
            ])
        #expect(decoded.positions.count == 4)
    }

    @Test func separatesUntimedEpochsByTheSameSentence() {
        let gga = EpochAssemblerTests.gga("", "4700.000")
        let decoded = DecodedNMEA(gga, EpochAssemblerTests.rmc("", "4700.000"), gga, EpochAssemblerTests.rmc("", "4700.600"), gga)
        #expect(EpochAssemblerTests.latitudes(decoded) == [47, 47.01, 47])
        #expect(decoded.times == ["-", "-", "-"])
    }

    @Test func endsTheLastTimedEpochWhenTheReceiverLosesItsClock() {
        let lost = ["GPGGA,,,,,,0,00,99.99,,M,,M,,", "GPRMC,,V,,,,,,,,,,N"]
        let decoded = DecodedNMEA(
            bytes: NMEAText.bytes([EpochAssemblerTests.gga("120000"), EpochAssemblerTests.rmc("120000")] + lost + lost))
        #expect(decoded.epochs.map { $0.position != nil } == [true, false, false])
    }

    @Test func takesAnUntimedSentenceIntoTheOpenEpoch() {
        let decoded = DecodedNMEA(
            EpochAssemblerTests.rmc("120000"), EpochAssemblerTests.gll(""), EpochAssemblerTests.rmc("120001"), EpochAssemblerTests.gll(""))
        #expect(decoded.times == ["2024-06-15T12:00:00.000Z", "2024-06-15T12:00:01.000Z"])
    }

    // MARK: - Dates

    @Test func givesGGABeforeRMCTheRightDayAtMidnight() {
        let decoded = DecodedNMEA(
            EpochAssemblerTests.gga("235959.9"), EpochAssemblerTests.rmc("235959.9", date: "311224"),
            EpochAssemblerTests.gga("000000.0"), EpochAssemblerTests.gga("000000.1"),
            EpochAssemblerTests.rmc("000000.1", date: "010125"), EpochAssemblerTests.gga("000000.2"), EpochAssemblerTests.gga("235959.8"))
        #expect(
            decoded.times == [
                "2024-12-31T23:59:59.900Z", "2025-01-01T00:00:00.000Z", "2025-01-01T00:00:00.100Z", "2025-01-01T00:00:00.200Z",
                "2024-12-31T23:59:59.800Z",
            ])
    }

    @Test func givesPositionsWithoutAnyDate() {
        let decoded = DecodedNMEA(EpochAssemblerTests.gga("120000"), EpochAssemblerTests.gga("120001"))
        #expect(decoded.times == ["-", "-"])
        #expect(decoded.positions.count == 2)
        #expect(decoded.epochs.map(\.millisecondOfDay) == [43_200_000, 43_201_000])
    }

    @Test func doesNotLetADateWithoutFixReplaceOneWith() {
        let decoded = DecodedNMEA(
            EpochAssemblerTests.rmc("115959", status: "V", date: "060180"), EpochAssemblerTests.rmc("120000"),
            EpochAssemblerTests.rmc("120001", status: "V", date: "060180"), EpochAssemblerTests.rmc("120002"))
        #expect(
            decoded.times == [
                "1980-01-06T11:59:59.000Z", "2024-06-15T12:00:00.000Z", "2024-06-15T12:00:01.000Z", "2024-06-15T12:00:02.000Z",
            ])
    }

    @Test func takesTheDateOfZDA() {
        let decoded = DecodedNMEA(
            EpochAssemblerTests.gga("120000"), "GPZDA,120000.4,15,06,2024,00,00", EpochAssemblerTests.gga("120001"))
        #expect(decoded.times == ["2024-06-15T12:00:00.000Z", "2024-06-15T12:00:01.000Z"])
    }

    @Test func reportsTheTimesOfAClockWithoutPositions() {
        let decoded = DecodedNMEA("GPZDA,235959,31,12,2024,00,00", "GPZDA,000000,01,01,2025,00,00")
        #expect(decoded.times == ["2024-12-31T23:59:59.000Z", "2025-01-01T00:00:00.000Z"])
        #expect(decoded.positions.isEmpty)
    }

    @Test func doesNotReportAClockAfterItsEpochAsALostFix() {
        var decoder = NMEADecoder()
        var events: [NMEAEvent] = []
        decoder.decode(NMEAText.bytes([EpochAssemblerTests.rmc("120000")]).span, into: &events)
        decoder.endEpoch(into: &events)
        decoder.decode(NMEAText.bytes(["GPZDA,120000,15,06,2024,00,00"]).span, into: &events)
        decoder.endEpoch(into: &events)
        #expect(events.count == 1)
    }

    @Test(arguments: [
        (true, "311204", "2024-08-16T12:00:00.000Z", true), (false, "311204", "2004-12-31T12:00:00.000Z", false),
        (true, "311219", "2039-08-16T12:00:00.000Z", true), (true, "010120", "2020-01-01T12:00:00.000Z", false),
        // Once more 1024 weeks would still be before 2020: one period does not mend it.
        (true, "060180", "1980-01-06T12:00:00.000Z", false), (true, "170500", "2020-01-01T12:00:00.000Z", true),
        (true, "160500", "2000-05-16T12:00:00.000Z", false),
    ])
    func addsTheLostWeeksOnlyWhenAsked(_ isAsked: Bool, _ date: String, _ time: String, _ isCorrected: Bool) {
        var options = NMEADecoder.Options()
        options.correctsWeekRollover = isAsked
        let decoded = DecodedNMEA(EpochAssemblerTests.rmc("120000", date: date), EpochAssemblerTests.gga("120001"), options: options)
        #expect(decoded.times.first == time)
        #expect(decoded.positions.map(\.isWeekRolloverCorrected) == [isCorrected, isCorrected])
        #expect(decoded.positions.first?.time == decoded.epochs.first?.time)
    }

    // MARK: - GSA

    @Test(
        arguments: [
            ("1", .threeDimensional, 545.4), ("2", .twoDimensional, nil), ("3", .threeDimensional, 545.4),
        ] as [(String, FixMode, Double?)])
    func takesTheModeOfGSA(_ fixType: String, mode: FixMode, altitude: Double?) {
        let position = DecodedNMEA(EpochAssemblerTests.gga("120000"), "GPGSA,A,\(fixType),01,02,03,,,,,,,,,,1.5,0.8,1.2").position
        #expect(position?.mode == mode)
        #expect(position?.altitudeMSLMetres == altitude)
    }

    @Test func doesNotLetAnIdleConstellationUndoTheSolution() {
        let solved = "GNGSA,A,3,01,02,03,04,,,,,,,,,1.5,0.8,1.2,1"
        let idle = "GNGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99,2"
        for order in [[solved, idle], [idle, solved]] {
            let position = DecodedNMEA(EpochAssemblerTests.rmc("120000"), order[0], order[1]).position
            #expect(position?.mode == .threeDimensional, "\(order)")
            #expect(position?.quality.pdop == 1.5, "\(order)")
        }
    }

    @Test func keepsASolutionForTwoSecondsAcrossMidnight() {
        let decoded = DecodedNMEA(
            EpochAssemblerTests.gga("235959.0"), "GPGSA,A,2,01,02,03,,,,,,,,,,1.5,0.8,1.2", EpochAssemblerTests.gga("235959.5"),
            EpochAssemblerTests.gga("000001.0"), EpochAssemblerTests.gga("000001.1"))
        #expect(decoded.positions.map(\.mode) == [.twoDimensional, .twoDimensional, .twoDimensional, .threeDimensional])
        #expect(decoded.positions.map(\.quality.pdop) == [1.5, 1.5, 1.5, nil])
    }

    @Test func keepsNoSolutionWithoutTimes() {
        let decoded = DecodedNMEA(
            EpochAssemblerTests.gga(""), "GPGSA,A,2,01,02,03,,,,,,,,,,1.5,0.8,1.2", EpochAssemblerTests.gga(""))
        #expect(decoded.positions.map(\.mode) == [.twoDimensional, .threeDimensional])
    }
}
