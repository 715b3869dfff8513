import Testing
import Waypost
import WaypostTestKit

@Suite struct SimulatedReceiverTests {
    @Test func saysTheSameEveryTime() {
        #expect(SimulatedReceiver().epoch(17) == SimulatedReceiver().epoch(17))
        #expect(SimulatedReceiver().epoch(17) != SimulatedReceiver().epoch(18))
    }

    @Test func writesSentencesAsReceiversDo() {
        let epoch = SimulatedReceiver().epoch(0)
        #expect(epoch.sentences[0] == "$GPGGA,120000.000,4722.68000,N,00832.40000,E,1,08,0.90,408.0,M,47.5,M,,*64\r\n")
        #expect(epoch.sentences[5] == "$GPRMC,120000.000,A,4722.68000,N,00832.40000,E,29.158,45.0,010326,,,A*6D\r\n")
        #expect(epoch.sentences.allSatisfy { $0.utf8.count <= 82 })
    }

    @Test func checksumIsTheExclusiveOrInHexadecimal() {
        #expect(
            SimulatedReceiver().sentence("GLL,5300.97914,N,00259.98174,E,125926,A") == "$GPGLL,5300.97914,N,00259.98174,E,125926,A*28\r\n")
    }

    @Test func drivesAsFastAsItSays() throws {
        let receiver = SimulatedReceiver(periodMilliseconds: 100, speedMetresPerSecond: 20, courseDegrees: 0)
        let (first, last) = (receiver.epoch(0), receiver.epoch(100))
        #expect(last.time.millisecondsSince1970 - first.time.millisecondsSince1970 == 10_000)
        let metres = (last.coordinate.latitudeDegrees - first.coordinate.latitudeDegrees) * 111_195
        #expect(abs(metres - 200) < 0.1)
        #expect(last.coordinate.longitudeDegrees == first.coordinate.longitudeDegrees)
    }

    @Test func goesSouthAndWestToo() throws {
        let origin = try #require(Coordinate(latitudeDegrees: -33.85, longitudeDegrees: -70.5))
        let epoch = SimulatedReceiver(origin: origin).epoch(0)
        #expect(epoch.sentences[0].contains(",3351.00000,S,07030.00000,W,"))
        #expect(epoch.coordinate == origin)
    }
}
