import Testing
import Waypost

/// One sentence alone: what it gives, what it may leave out, and what is refused.
@Suite struct NMEASentenceTests {
    // MARK: - Which sentences are a fix

    @Test(arguments: [
        "GPRMC,120000,A,4717.115,N,00833.915,E,,,150624",
        "GPRMC,120000.00,A,4717.115,N,00833.915,E,10.0,90.0,150624,,,A",
        "GNRMC,120000,A,4717.115,N,00833.915,E,10.0,90.0,150624,,,D,V",
        "IIRMC,120000,A,4717.115,N,00833.915,E,10.0,90.0,2208-1,,,A",
        "GPGGA,120000,4717.115,N,00833.915,E,1,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,120000,4717.115,N,00833.915,E,8,,,,",
        "GPGLL,4717.115,N,00833.915,E",
        "GPGLL,4717.115,N,00833.915,E,120000,A",
        "GPGLL,4717.115,N,00833.915,E,120000,A,D",
        "GNGNS,120000,4717.115,N,00833.915,E,AN,08,0.9",
        "GNGNS,120000,4717.115,N,00833.915,E,NNNA,08,0.9,545.4,46.9,,,V",
        "GPGLL,4717.1150,N,833.915,E,120000,A",
        "GPGLL,4717.115000000000000000000000,N,00833.91500000000000000000001,E,120000,A",
    ])
    func givesAFix(_ body: String) {
        let decoded = DecodedNMEA(body)
        #expect(decoded.position?.coordinate == Coordinate(latitudeDegrees: 47.285_25, longitudeDegrees: 8.565_25), "\(body)")
        #expect(!decoded.counters.hasDamage, "\(body)")
    }

    @Test(arguments: [
        "GPRMC,120000,V,4717.115,N,00833.915,E,10.0,90.0,150624,,,A",
        "GPRMC,120000,A,4717.115,N,00833.915,E,10.0,90.0,150624,,,N",
        "GPRMC,120000,,4717.115,N,00833.915,E,10.0,90.0,150624",
        "GPRMC,120000,V,8960.0000,N,00000.0000,E,,,150624,,,N",
        "GPRMC,120000,A,,,,,,,150624",
        "GPRMC,,V,,,,,,,,,,N",
        "GPGGA,120000,4717.115,N,00833.915,E,0,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,120000,4717.115,N,00833.915,E,,08,0.9,545.4,M,46.9,M,,",
        "GPGGA,120000,,,,,0,00,99.99,,M,,M,,",
        "GPGLL,4717.115,N,00833.915,E,120000,V",
        "GPGLL,4717.115,N,00833.915,E,120000,A,N",
        "GPGLL,,,,,120000,V",
        "GNGNS,120000,4717.115,N,00833.915,E,NN,08,0.9",
        "GNGNS,120000,4717.115,N,00833.915,E,,08,0.9",
    ])
    func givesAnEpochWithoutFix(_ body: String) {
        let decoded = DecodedNMEA(body)
        #expect(decoded.epochs.count == 1, "\(body)")
        #expect(decoded.positions.isEmpty, "\(body)")
        #expect(!decoded.counters.hasDamage, "\(body)")
    }

    /// A place that cannot be read is no fix, and is counted.
    @Test(arguments: [
        "4717.115,N,18000.001,E", "9000.001,N,00833.915,E", "4760.000,N,00833.915,E", "4717.115,X,00833.915,E", "4717.115,,00833.915,E",
        "4717.115,NN,00833.915,E", "4717.115,N,00833.915,", "4717.115,E,00833.915,N", "-4717.115,N,00833.915,E", "4717.115,N,,E",
        "nan,N,00833.915,E", "inf,N,00833.915,E", "47x17.115,N,00833.915,E", "4717.1.15,N,00833.915,E", ".,N,00833.915,E",
        "4.717115e3,N,00833.915,E", "4717115000000000000000000,N,00833.915,E", "99999999.9,N,00833.915,E", "4717.115, N,00833.915,E",
        "99999999999999999999999999999999.9,N,00833.915,E", "4717,115,N,00833,915,E",
    ])
    func refusesThePlace(_ place: String) {
        let decoded = DecodedNMEA("GPGLL,\(place),120000,A")
        #expect(decoded.positions.isEmpty, "\(place)")
        #expect(decoded.counters[.unreadableValue].count == 1, "\(place)")
    }

    @Test(arguments: [
        ("9000.000,N,18000.000,E", 90.0, 180.0),
        ("9000.000,S,18000.000,W", -90, -180),
        ("0000.000,S,00000.000,W", 0, 0),
        ("0,N,0,E", 0, 0),
        ("0030.0,S,00030.0,W", -0.5, -0.5),
        ("3352.59994,S,15112.61230,E", -33.876_665_666_7, 151.210_205),
        // To 1e-10 degrees: 33.7654321 minutes are 0.5627572016666... degrees.
        ("4717.1234567,N,00833.7654321,E", 47.285_390_945, 8.562_757_201_7),
    ])
    func readsThePlace(_ place: String, latitude: Double, longitude: Double) {
        let coordinate = DecodedNMEA("GPGLL,\(place),120000,A").position?.coordinate
        #expect(coordinate == Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude), "\(place)")
        #expect(coordinate?.latitudeDegrees.sign == (latitude < 0 ? .minus : .plus), "\(place)")
    }

    @Test(arguments: [
        "GPRMC,120000,A,4717.115,N,00833.915,E,10.0,90.0", "GPGGA,120000,4717.115,N,00833.915,E,1,08,0.9", "GPGLL,4717.115,N,00833.915",
        "GNGNS,120000,4717.115,N,00833.915,E,AN,08", "GPVTG,90.0,T,", "GPGSA,A,3,01,02,03,04,05,06,07,08,09,10,11,12,1.5,0.9",
        "GPGSV,1,1", "GPGST,120000,,1.0,1.0,0,1.0,1.0", "GPGBS,120000,1.0,1.0", "GPZDA,120000,15,06", "GPGSV,1,2,04", "GPGSV,x,1,04",
    ])
    func countsAShortSentenceAsCut(_ body: String) {
        let decoded = DecodedNMEA(body)
        #expect(decoded.events.isEmpty, "\(body)")
        #expect(decoded.counters[.cut].count == 1, "\(body)")
    }

    // MARK: - Time and date

    @Test(arguments: [
        ("000000", 0), ("235959", 86_399_000), ("235960", 86_400_000), ("120000.", 43_200_000), ("120000.5", 43_200_500),
        ("120000.05", 43_200_050), ("120000.123", 43_200_123), ("120000.9999999999999999999999", 43_200_999),
    ])
    func readsTheTime(_ text: String, milliseconds: Int) {
        #expect(DecodedNMEA("GPGLL,4717.115,N,00833.915,E,\(text),A").epochs.map(\.millisecondOfDay) == [milliseconds], "\(text)")
    }

    @Test(arguments: ["240000", "126000", "120061", "12000", "12000a", "120000:5", "-10000", "120000.5x", "nan"])
    func givesAFixWithoutTimeWhenTheTimeCannotBeRead(_ text: String) {
        let decoded = DecodedNMEA("GPGLL,4717.115,N,00833.915,E,\(text),A")
        #expect(decoded.epochs.map(\.millisecondOfDay) == [nil], "\(text)")
        #expect(decoded.positions.count == 1, "\(text)")
        #expect(decoded.counters[.unreadableValue].count == 1, "\(text)")
    }

    @Test(arguments: [
        ("150624", "2024-06-15T12:00:00.000Z"), ("290200", "2000-02-29T12:00:00.000Z"), ("010170", "1970-01-01T12:00:00.000Z"),
        ("311299", "1999-12-31T12:00:00.000Z"), ("311268", "2068-12-31T12:00:00.000Z"), ("290223", "-"), ("320124", "-"), ("011324", "-"),
        ("000000", "-"), ("", "-"), ("2208-1", "-"), ("15062024", "-"), ("010169", "-"),
    ])
    func readsTheDate(_ text: String, time: String) {
        #expect(DecodedNMEA("GPRMC,120000,A,4717.115,N,00833.915,E,,,\(text)").times == [time], "\(text)")
    }

    @Test(arguments: [
        ("15,06,2024", "2024-06-15T12:00:00.000Z"), ("5,6,2024", "2024-06-05T12:00:00.000Z"), ("15,06,24", "-"), (",,", "-"),
        ("31,06,2024", "-"), ("15,06,99999", "-"), ("15,06,9999", "-"), ("x,06,2024", "-"),
    ])
    func readsTheDateOfZDA(_ date: String, time: String) {
        #expect(DecodedNMEA("GPZDA,120000,\(date),00,00").times == [time], "\(date)")
    }

    // MARK: - Speed, course, altitude, quality

    @Test(
        arguments: [
            ("GPRMC,120000,A,4717.115,N,00833.915,E,10.0,90.5,150624", 5.144_4, 90.5),
            ("GPRMC,120000,A,4717.115,N,00833.915,E,0.0,,150624", 0, nil),
            ("GPRMC,120000,A,4717.115,N,00833.915,E,,360.0,150624", nil, 0),
            ("GPRMC,120000,A,4717.115,N,00833.915,E,-1.0,360.1,150624", nil, nil),
            ("GPRMC,120000,A,4717.115,N,00833.915,E,nan,inf,150624", nil, nil),
            ("GPRMC,120000,A,4717.115,N,00833.915,E,-,+,150624", nil, nil),
            ("GPRMC,120000,A,4717.115,N,00833.915,E,.,-.,150624", nil, nil),
            ("GPRMC,120000,A,4717.115,N,00833.915,E,+10.0,-0.0,150624", 5.144_4, 0),
            ("GPRMC,120000,A,4717.115,N,00833.915,E,.5,5.,150624", 0.257_2, 5),
        ] as [(String, Double?, Double?)])
    func readsTheMotion(_ body: String, speed: Double?, course: Double?) {
        let position = DecodedNMEA(body).position
        #expect(position?.speedMetresPerSecond == speed, "\(body)")
        #expect(position?.courseDegrees == course, "\(body)")
        #expect(position?.courseDegrees?.sign != .minus, "\(body)")
    }

    @Test(
        arguments: [
            ("GPVTG,90.5,T,88.0,M,10.0,N,18.5,K,A", 5.144_4, 90.5),
            ("GPVTG,90.5,T,,M,,N,36.0,K", 10, 90.5),
            ("GPVTG,90.5,88.0,10.0,18.5", 5.144_4, 90.5),
            ("GPVTG,90.5,88.0,,36.0", 10, 90.5),
            ("GPVTG,,T,,M,0.0,N,0.0,K,A", 0, nil),
            ("GPVTG,90.5,T,88.0,M,10.0,N,18.5,K,N", nil, nil),
        ] as [(String, Double?, Double?)])
    func readsTheMotionOfVTG(_ body: String, speed: Double?, course: Double?) {
        let position = DecodedNMEA("GPGLL,4717.115,N,00833.915,E,120000,A", body).position
        #expect(position?.speedMetresPerSecond == speed, "\(body)")
        #expect(position?.courseDegrees == course, "\(body)")
    }

    @Test(
        arguments: [
            // Four satellites or an unknown number make a 3D fix when there is an altitude.
            ("1,08,0.9,545.4,M,46.9,M,,", FixMode.threeDimensional, 545.4, 592.3),
            ("1,00,0.9,-12.5,M,46.9,M,,", .threeDimensional, -12.5, 34.4),
            ("1,,0.9,545.4,M,,M,,", .threeDimensional, 545.4, nil),
            ("1,03,0.9,545.4,M,46.9,M,,", .twoDimensional, nil, nil),
            ("1,08,0.9,,M,46.9,M,,", .twoDimensional, nil, nil),
        ] as [(String, FixMode, Double?, Double?)])
    func readsTheAltitude(_ rest: String, mode: FixMode, msl: Double?, hae: Double?) {
        let position = DecodedNMEA("GPGGA,120000,4717.115,N,00833.915,E,\(rest)").position
        #expect(position?.mode == mode, "\(rest)")
        #expect(position?.altitudeMSLMetres == msl, "\(rest)")
        #expect(position?.altitudeHAEMetres.map { ($0 * 1_000).rounded() / 1_000 } == hae, "\(rest)")
    }

    @Test(arguments: [
        ("1", FixStatus.gps), ("2", .differential), ("3", .precise), ("4", .rtkFixed), ("5", .rtkFloat), ("6", .deadReckoning),
        ("7", .simulated), ("8", .simulated), ("9", .unknown),
    ])
    func readsTheStatusOfGGA(_ quality: String, status: FixStatus) {
        #expect(DecodedNMEA("GPGGA,120000,4717.115,N,00833.915,E,\(quality),08,0.9,545.4,M").position?.status == status, "\(quality)")
    }

    @Test(arguments: [
        ("A", FixStatus.gps), ("D", .differential), ("P", .precise), ("R", .rtkFixed), ("F", .rtkFloat), ("E", .deadReckoning),
        ("M", .simulated), ("S", .simulated), ("", .unknown), ("AA", .unknown),
    ])
    func readsTheStatusOfRMC(_ mode: String, status: FixStatus) {
        #expect(DecodedNMEA("GPRMC,120000,A,4717.115,N,00833.915,E,,,150624,,,\(mode)").position?.status == status, "\(mode)")
    }

    @Test(arguments: [
        ("AN", FixStatus.gps), ("NA", .gps), ("AD", .differential), ("FR", .rtkFixed), ("EE", .deadReckoning), ("X", .unknown),
    ])
    func takesTheBestStatusOfGNS(_ modes: String, status: FixStatus) {
        #expect(DecodedNMEA("GNGNS,120000,4717.115,N,00833.915,E,\(modes),08,0.9").position?.status == status, "\(modes)")
    }

    @Test func marksWhatIsNotMeasured() {
        #expect(DecodedNMEA("GPGGA,120000,4717.115,N,00833.915,E,8,08,0.9,545.4,M").position?.status.isMeasured == false)
        #expect(DecodedNMEA("GPGGA,120000,4717.115,N,00833.915,E,6,08,0.9,545.4,M").position?.status.isMeasured == false)
        #expect(DecodedNMEA("GPGGA,120000,4717.115,N,00833.915,E,4,08,0.9,545.4,M").position?.status.isMeasured == true)
    }

    @Test func refusesNegativeDilutionAndDeviation() {
        let decoded = DecodedNMEA(
            "GPGGA,120000,4717.115,N,00833.915,E,1,08,-0.9,545.4,M", "GPGST,120000,,-3.0,4.0,,,,", "GPGBS,120000,-3.0,4.0,5.0,,,,")
        #expect(decoded.position?.quality.hdop == nil)
        #expect(decoded.position?.accuracy == nil)
        #expect(decoded.counters[.unreadableValue].count == 3)
    }

    @Test(arguments: ["GP", "GN", "GL", "GA", "GB", "BD", "GQ", "QZ", "PQ", "GI", "II", "IN", "EC", "SD"])
    func readsAnyTalker(_ talker: String) {
        #expect(DecodedNMEA("\(talker)GLL,4717.115,N,00833.915,E,120000,A").positions.count == 1, "\(talker)")
    }
}
