import Testing
import WaypostSystem

@testable import WaypostConfiguration

/// Doors of one configuration that want the same place.
@Suite struct DoorRulesTests {
    @Test func refusesTwoDoorsOnOnePort() {
        #expect(
            mistakes(in: "[share]\ngpsd = \"127.0.0.1:2950\"\nnmea = \"0.0.0.0:2950\"\n[map]\nlisten = \"127.0.0.1:2950\"\n") == [
                """
                waypost.toml:3:1: [share] nmea: only one of 0.0.0.0:2950 and [share] gpsd (127.0.0.1:2950) can be opened; \
                choose another port
                """,
                """
                waypost.toml:5:1: [map] listen: only one of 127.0.0.1:2950 and [share] gpsd (127.0.0.1:2950) can be opened; \
                choose another port
                """,
            ])
    }

    @Test func refusesTwoDoorsOnOnePath() {
        #expect(
            mistakes(in: "[map]\nsocket = \"/run/waypost/a.sock\"\n[share]\nnmea_socket = \"/run//waypost/a.sock\"\n") == [
                """
                waypost.toml:2:1: [map] socket: only one of /run/waypost/a.sock and [share] nmea_socket (/run//waypost/a.sock) can be \
                opened; choose another path
                """
            ])
        // The control socket has a default path.
        let own = DefaultPaths.service.socket
        #expect(
            mistakes(in: "[share]\nnmea_socket = \"\(own)\"\n") == [
                "waypost.toml:2:1: [share] nmea_socket: only one of \(own) and [control] socket (\(own)) can be opened; choose another path"
            ])
    }

    @Test(arguments: [
        ("/tmp/../tmp/x.sock", "/tmp/x.sock"), ("/../tmp/./x.sock", "//tmp//x.sock"), ("/a/b/../../tmp/x.sock", "/tmp/x.sock"),
        ("../x.sock", "./../x.sock"), ("a/../x.sock", "x.sock"), ("../../x.sock", ".././../x.sock"),
    ]) func knowsAPathThatIsWrittenInAnotherWay(one: String, other: String) {
        #expect(mistakes(in: "[map]\nsocket = \"\(one)\"\n[share]\nnmea_socket = \"\(other)\"\n").count == 1)
    }

    @Test(arguments: [("../x.sock", "x.sock"), ("../../x.sock", "../x.sock"), ("/tmp/x.sock/..", "/tmp/x.sock"), ("a/../../x", "a/x")])
    func knowsPathsThatDiffer(one: String, other: String) {
        #expect(mistakes(in: "[map]\nsocket = \"\(one)\"\n[share]\nnmea_socket = \"\(other)\"\n").isEmpty)
    }

    @Test(arguments: [
        // Datagrams are sent to a port, which nobody has.
        "[share]\nnmea = \"127.0.0.1:10110\"\nnmea_udp = \"127.0.0.1:10110\"\n",
        "[share]\nnmea = \"127.0.0.1:10110\"\ngpsd = \"127.0.0.2:10110\"\n",
        "[share]\nnmea = \"127.0.0.1:10110\"\ngpsd = \"127.0.0.1:10111\"\n[map]\nlisten = \"[::1]:10110\"\n",
        "[share]\nnmea_socket = \"/run/waypost/a.sock\"\n[map]\nsocket = \"/run/waypost/b.sock\"\n",
    ]) func acceptsDoorsThatAllOpen(text: String) { #expect(mistakes(in: text).isEmpty) }

    @Test func refusesASourceThatIsTheTrackersOwnDoor() {
        #expect(
            mistakes(in: "[[source]]\nurl = \"nmea-tcp://127.0.0.1:23902\"\n[share]\nnmea = \"127.0.0.1:23902\"\n") == [
                """
                waypost.toml:2:1: [[source]] url: nmea-tcp://127.0.0.1:23902 is this tracker's own [share] nmea (127.0.0.1:23902), and its \
                positions would come back to it; name the receiver, or the gpsd that has it
                """
            ])
    }

    @Test(arguments: [
        ("gpsd://localhost:2950", "gpsd", "127.0.0.1:2950"), ("gpsd://", "gpsd", "0.0.0.0:2947"),
        ("gpsd://[::1]:2950", "gpsd", "[::]:2950"),
        ("nmea-tcp://127.0.0.1:2950", "gpsd", "0.0.0.0:2950"), ("nmea-tcp://192.168.1.20:10110", "nmea", "192.168.1.20:10110"),
        ("nmea-tcp://localhost:10110", "nmea", "[::1]:10110"), ("nmea-udp://127.0.0.1:10110", "nmea_udp", "127.0.0.1:10110"),
        ("nmea-udp://0.0.0.0:10110", "nmea_udp", "127.0.0.1:10110"), ("nmea-udp://0.0.0.0:10110", "nmea_udp", "255.255.255.255:10110"),
    ]) func knowsItsOwnDoors(url: String, key: String, address: String) {
        let found = mistakes(in: "[[source]]\nurl = \"serial:auto\"\n[[source]]\nurl = \"\(url)\"\n[share]\n\(key) = \"\(address)\"\n")
        #expect(found.count == 1 && found.first?.hasPrefix("waypost.toml:4:1: [[source]] url: ") == true, "\(found)")
    }

    @Test(arguments: [
        ("gpsd://localhost:2947", "gpsd", "127.0.0.1:2950"), ("nmea-tcp://zero.local:10110", "nmea", "0.0.0.0:10110"),
        ("nmea-tcp://localhost:10110", "nmea", "192.168.1.20:10110"), ("nmea-tcp://127.0.0.1:10110", "nmea_udp", "127.0.0.1:10110"),
        // Datagrams to another machine, while those of anybody are read.
        ("nmea-udp://0.0.0.0:10110", "nmea_udp", "192.168.1.50:10110"), ("nmea-udp://127.0.0.1:10110", "nmea", "127.0.0.1:10110"),
    ]) func knowsDoorsOfOthers(url: String, key: String, address: String) {
        #expect(mistakes(in: "[[source]]\nurl = \"\(url)\"\n[share]\n\(key) = \"\(address)\"\n").isEmpty)
    }

    /// Nobody has written the sources that are tried where none is named: the tracker leaves its own door alone.
    @Test func acceptsADoorOnThePortOfGPSD() { #expect(mistakes(in: "[share]\ngpsd = \"127.0.0.1:2947\"\n").isEmpty) }
}
