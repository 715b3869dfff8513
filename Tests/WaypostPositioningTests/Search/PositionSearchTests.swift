import Testing
import Waypost

@testable import WaypostPositioning

/// What people are told of a search: what was tried, found, and is to be done.
@Suite struct PositionSearchTests {
    private let service = PositionSearch.Surroundings(
        isService: true, configurationFile: "/etc/waypost/waypost.toml", userName: "waypost")
    private let byHand = PositionSearch.Surroundings(
        isService: false, configurationFile: "/home/mia/.config/waypost/waypost.toml", userName: "mia")

    private func gpsd(_ state: SourceMember.State, peer: String? = nil) -> SourceMember {
        SourceMember(name: "gpsd://localhost:2947", state: state, isActive: true, peer: peer)
    }
    private func serial(_ obstacle: SourceObstacle) -> SourceMember {
        SourceMember(name: "serial:auto", state: .lost(.deviceGone(LossDetail("x", obstacle: obstacle))))
    }
    private let noGPSD = SourceMember.State.lost(.disconnected(LossDetail("x", obstacle: .noGPSD(isLocal: true))))
    private let bridge = SourceObstacle.Candidate(path: "/dev/serial/by-id/usb-CP2102", words: "CP210x bridge")

    @Test func saysThatNothingIsPluggedIn() {
        let search = PositionSearch([gpsd(noGPSD), serial(.noKnownReceiver(candidates: []))], in: service)
        #expect(search.why == "gpsd://localhost:2947: not connected: no gpsd answers; serial:auto: no receiver is plugged in")
        #expect(search.advice == "plug in a receiver; if it is plugged in already, this shows whether the system sees it")
        #expect(search.commands == ["sudo waypost devices"])
    }

    @Test func namesTheCommandThatWorksWhereThereIsNoGPSD() {
        let missing = SourceMember.State.lost(.disconnected(LossDetail("x", obstacle: .gpsdNotInstalled)))
        let search = PositionSearch([gpsd(missing)], in: service)
        #expect(search.why == "gpsd://localhost:2947: not connected: gpsd is not installed")
        #expect(search.advice == "install gpsd, or read the receiver without it: url = \"serial:auto\"")
        #expect(search.commands == ["sudo apt-get install gpsd"])
        let nameless = SourceMember.State.lost(.disconnected(LossDetail("x", obstacle: .unknownHost("localhost"))))
        #expect(PositionSearch([gpsd(nameless)], in: service).commands == ["echo '127.0.0.1 localhost' | sudo tee -a /etc/hosts"])
    }

    @Test func namesALineOfTheBoardOnlyForAReceiverThatIsThere() {
        let line = SourceObstacle.Candidate(path: "/dev/ttyS0", words: nil)
        let search = PositionSearch([gpsd(noGPSD), serial(.noKnownReceiver(candidates: [line]))], in: byHand)
        #expect(search.why.hasSuffix("no receiver is plugged in; /dev/ttyS0, a line of the board, may have one"))
        #expect(search.advice.hasPrefix("plug in a receiver; if it is plugged in already, name its port"))
        #expect(search.commands == ["waypost run --source serial:///dev/ttyS0"])
    }

    /// In the first second gpsd has been found absent, and the receiver is being opened.
    @Test func waitsForTheReceiverBeforeItNamesGPSD() {
        for obstacle in [SourceObstacle.noGPSD(isLocal: true), .gpsdWithoutReceiver(isLocal: true), .gpsdNotInstalled] {
            let lost = gpsd(.lost(.disconnected(LossDetail("x", obstacle: obstacle))))
            let search = PositionSearch([lost, SourceMember(name: "serial:auto", state: .starting)], in: service)
            #expect(search.advice == "wait: serial:auto is being tried" && search.commands.isEmpty)
        }
    }

    @Test func namesTheLineOfTheConfigurationForAPortThatIsNotKnown() {
        let search = PositionSearch([gpsd(noGPSD), serial(.noKnownReceiver(candidates: [bridge]))], in: service)
        #expect(search.why.contains("/dev/serial/by-id/usb-CP2102 may be one (CP210x bridge)"))
        #expect(search.advice == "if that is the receiver, name its port")
        // The command that people answer the same question with later.
        #expect(search.commands == ["sudo waypost setup --receiver /dev/serial/by-id/usb-CP2102 --yes"])
        let elsewhere = PositionSearch.Surroundings(isService: true, configurationFile: "/srv/waypost.toml", userName: "waypost")
        let other = PositionSearch([gpsd(noGPSD), serial(.noKnownReceiver(candidates: [bridge]))], in: elsewhere)
        #expect(other.commands == ["sudo waypost setup --receiver /dev/serial/by-id/usb-CP2102 --yes --config /srv/waypost.toml"])
        let own = PositionSearch([gpsd(noGPSD), serial(.noKnownReceiver(candidates: [bridge]))], in: byHand)
        #expect(own.commands == ["waypost run --source serial:///dev/serial/by-id/usb-CP2102"])
    }

    /// Nobody is sent to the doctor for what stands one line above.
    @Test func repeatsTheAdviceThatComesWithALoss() {
        let detail = LossDetail("gpsd://localhost:2947: user 4444 listens there", advice: "to trust that user, set gpsd_user = \"4444\"")
        #expect("\(detail)" == "gpsd://localhost:2947: user 4444 listens there; to trust that user, set gpsd_user = \"4444\"")
        let search = PositionSearch([gpsd(.lost(.disconnected(detail)))], in: service)
        #expect(search.attempts.map(\.found) == ["not connected: user 4444 listens there"])
        #expect(search.advice == "to trust that user, set gpsd_user = \"4444\"" && search.commands.isEmpty)
        #expect(PositionSearch([gpsd(.lost(.disconnected(LossDetail("x: y"))))], in: service).advice == "run the doctor")
        // What a program or a server says is not advice, whatever stands in it.
        let words: LossDetail = "gpsd://localhost:2947: rm: cannot; run rm -rf /"
        #expect(PositionSearch([gpsd(.lost(.disconnected(words)))], in: service).advice == "run the doctor")
    }

    /// The tracker has the port: it lets go of it first.
    @Test(arguments: [
        ("serial:///dev/ttyUSB0?baud=9600", nil, " --port /dev/ttyUSB0"),
        ("serial:auto", "/dev/ttyACM0 at 9600 baud", " --port /dev/ttyACM0"),
        ("serial:auto", nil, ""),
    ]) func looksAtTheReceiverOfASilentLine(name: String, peer: String?, option: String) {
        let silent = SourceMember(name: name, state: .lost(.silent), isActive: true, peer: peer)
        let show = "sudo waypost receiver show\(option)"
        #expect(
            PositionSearch([silent], in: service).commands == [
                "sudo systemctl stop waypostd.service", show, "sudo systemctl start waypostd.service",
            ])
        #expect(PositionSearch([silent], in: byHand).commands == [show])
        #expect(PositionSearch([silent], in: byHand).advice.contains("stop the tracker"))
    }

    @Test func namesTheGroupAndTheCommandForAPortWithoutPermission() {
        let denied = serial(.notPermitted(path: "/dev/ttyACM0", group: "dialout"))
        let search = PositionSearch([gpsd(noGPSD), denied], in: service)
        #expect(search.why.hasSuffix("permission denied: only the group dialout may open /dev/ttyACM0, and waypost is not in it"))
        #expect(search.commands == ["sudo usermod -aG dialout waypost", "sudo systemctl restart waypostd.service"])
        #expect(PositionSearch([denied], in: byHand).commands == ["sudo usermod -aG dialout mia"])
    }

    /// A port that only root may open, or that the group may only read: joining the group again would not help.
    @Test(arguments: ["root", nil]) func givesAPortToAGroup(group: String?) {
        let search = PositionSearch([serial(.notPermitted(path: "/dev/ttyACM0", group: group))], in: service)
        #expect(
            search.commands == [
                "sudo chgrp dialout /dev/ttyACM0", "sudo chmod 660 /dev/ttyACM0", "sudo usermod -aG dialout waypost",
                "sudo systemctl restart waypostd.service",
            ])
    }

    /// A user in the group already, as the service by its unit, is not told to join it.
    @Test func sendsNobodyIntoAGroupTwice() {
        var member = service
        member.isInDialout = true
        let commands = PositionSearch([serial(.notPermitted(path: "/dev/ttyACM0", group: "root"))], in: member).commands
        #expect(
            commands == ["sudo chgrp dialout /dev/ttyACM0", "sudo chmod 660 /dev/ttyACM0", "sudo systemctl restart waypostd.service"])
    }

    /// A port that another program has is nearer to a position than a gpsd that is not installed.
    @Test func namesThePortThatIsInUseBeforeAGPSDThatIsMissing() {
        let missing = SourceMember.State.lost(.disconnected(LossDetail("x", obstacle: .gpsdNotInstalled)))
        let words = "/dev/ttyACM0: in use by another program (try: sudo waypost devices)"
        let held = SourceMember.State.lost(.disconnected(LossDetail("\(words)", obstacle: .heldByAnother(path: "/dev/ttyACM0"))))
        let search = PositionSearch([gpsd(missing), SourceMember(name: "serial:auto", state: held, isActive: true)], in: service)
        #expect(search.why.hasSuffix("serial:auto: not connected: \(words)"))
        #expect(search.commands == ["sudo waypost devices"] && search.advice.hasPrefix("stop the program that has /dev/ttyACM0"))
    }

    @Test func waitsForTheOtherSourcesBeforeItAsksForGPSD() {
        let missing = SourceMember.State.lost(.disconnected(LossDetail("x", obstacle: .gpsdNotInstalled)))
        let search = PositionSearch([gpsd(missing), SourceMember(name: "serial:auto", state: .starting, isActive: true)], in: service)
        #expect(search.advice == "wait: serial:auto is being tried" && search.commands.isEmpty)
    }

    @Test func namesTheLineForAGPSDWithoutAReceiver() {
        let none = SourceMember.State.lost(.deviceGone(LossDetail("x", obstacle: .gpsdWithoutReceiver(isLocal: true))))
        let search = PositionSearch([gpsd(none, peer: "gpsd 3.22"), serial(.noKnownReceiver(candidates: [bridge]))], in: service)
        #expect(search.why.hasPrefix("gpsd://localhost:2947: gpsd runs, but has no receiver"))
        #expect(search.advice.hasSuffix(#"in /etc/default/gpsd: DEVICES="/dev/serial/by-id/usb-CP2102""#))
        #expect(search.commands.count == 2)
    }

    /// A port that is not there helps nobody.
    @Test func namesOnlyPortsThatAreThereToGPSD() {
        func search(_ candidates: [SourceObstacle.Candidate]) -> PositionSearch {
            let obstacle = SourceObstacle.gpsdWithoutReceiver(isLocal: true, candidates: candidates)
            return PositionSearch([gpsd(.lost(.deviceGone(LossDetail("x", obstacle: obstacle))))], in: service)
        }
        #expect(
            search([bridge]).advice.hasPrefix(
                #"tell gpsd the receiver's port, in /etc/default/gpsd: DEVICES="/dev/serial/by-id/usb-CP2102""#))
        let none = search([])
        #expect(none.advice.hasPrefix("plug the receiver in; then, ") && none.advice.contains("/etc/default/gpsd: DEVICES="))
        #expect(none.commands == ["sudo waypost devices"])
        let wired = search([.init(path: "/dev/ttyAMA0", words: nil)])
        #expect(wired.advice.hasPrefix("plug the receiver in; if it is wired to /dev/ttyAMA0, tell gpsd"))
        #expect(wired.commands.count == 2)
    }

    @Test(arguments: [
        ("serial:///dev/ttyUSB0?baud=9600", LossReason.unreadable, "leave ?baud=... out", "sudo waypost receiver show --port /dev/ttyUSB0"),
        ("serial:auto", .unreadable, "check that the device is a GNSS receiver", "sudo waypost receiver show"),
        ("gpsd://localhost:2947", .repeatedFix(of: UTCTime(millisecondsSince1970: 0)), "unplug the receiver", ""),
        ("nmea-tcp://boat:10110", .unreadable, "check that nmea-tcp://boat:10110 is the address of NMEA data", ""),
        ("exec:reader", .unreadable, "run the program by hand: it must print NMEA", ""),
    ]) func saysWhatComesAndWhatToDo(name: String, loss: LossReason, advice: String, command: String) {
        let search = PositionSearch([SourceMember(name: name, state: .lost(loss), isActive: true)], in: byHand)
        #expect(search.advice.hasPrefix(advice), "\(search.advice)")
        #expect(search.commands == (command.isEmpty ? [] : [command]))
        #expect(search.why.contains(" comes"), "\(search.why)")
    }

    @Test func doesNotCallAConnectedSourceDisconnected() {
        let search = PositionSearch([gpsd(.lost(.silent), peer: "gpsd 3.22")], in: service)
        #expect(search.why == "gpsd://localhost:2947: connected (gpsd 3.22), but nothing comes from a receiver")
        #expect(search.commands == ["gpspipe -r -n 5"])
    }

    /// The advice is for the gpsd that is read, which need not be the one that Debian starts.
    @Test(arguments: [("gpsd://localhost:22005", "localhost:22005"), ("gpsd://boat.local", "boat.local:2947")])
    func asksTheGPSDThatIsRead(name: String, address: String) {
        let silent = PositionSearch([SourceMember(name: name, state: .lost(.silent), isActive: true, peer: "gpsd 3.22")], in: service)
        #expect(silent.commands == ["gpspipe -r -n 5 \(address)"])
        let none = PositionSearch([SourceMember(name: "gpsd://127.0.0.2:22005", state: noGPSD)], in: service)
        #expect(none.advice.contains("port 22005") && none.commands.isEmpty, "\(none.advice)")
    }

    @Test func sendsAReceiverWithoutAFixUnderTheSkyWhateverElseIsWrong() {
        let search = PositionSearch([gpsd(noGPSD), SourceMember(name: "serial:auto", state: .searching)], in: service)
        #expect(search.advice.contains("clear view of the sky"))
        #expect(search.commands.isEmpty)
    }

    @Test func asksForTheNameOfAHostThatCannotBeResolved() {
        let detail = LossDetail("x", obstacle: .unknownHost("boat.invalid"))
        let search = PositionSearch([SourceMember(name: "gpsd://boat.invalid:2947", state: .lost(.disconnected(detail)))], in: service)
        #expect(search.why == "gpsd://boat.invalid:2947: not connected: the name boat.invalid cannot be resolved")
        #expect(search.advice == "check that boat.invalid is the right name, and that the network is up" && search.commands.isEmpty)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (nil, 0, "no satellite in view"), (0, 4, "0 of 4 satellites used"), (7, 12, "7 of 12 satellites used"),
        ] as [(Int?, Int?, String?)]) func saysHowMuchOfTheSkyIsSeen(used: Int?, seen: Int?, words: String?)
    {
        #expect(PositionSearch.satelliteWords(used: used, seen: seen) == words)
    }

    @Test func listsThePortsWhenTheNamedOneIsNotThere() {
        let gone = SourceMember(name: "serial:///dev/ttyUSB7", state: .lost(.deviceGone("/dev/ttyUSB7 is not there; waiting for it")))
        #expect(PositionSearch([gone], in: service).commands == ["sudo waypost devices"])
    }

    /// Advice about cables, antennas and dongles is for receivers.
    @Test(arguments: [
        ("exec:reader", SourceMember.State.lost(.silent), "run the program by hand"),
        ("exec:reader", .lost(.disconnected("it ended with exit code 1")), "run the program by hand"),
        (
            "nmea-tcp://10.0.0.7:10110", .lost(.disconnected("connection refused")),
            "check that the server at nmea-tcp://10.0.0.7:10110 runs"
        ),
        ("nmea-udp://127.0.0.1:10110", .lost(.silent), "check that the sender sends to nmea-udp://127.0.0.1:10110"),
        ("gpx:drive.gpx", .searching, "wait"),
        ("nmea:drive.nmea", .lost(.noFix), "wait"),
        ("csv:drive.csv", .lost(.noFix), "wait"),
        ("kml:drive.kml", .searching, "wait"),
        ("jsonl:drive.jsonl", .searching, "wait"),
        ("route:route.gpx", .lost(.noFix), "wait"),
        ("sim:walk", .lost(.silent), "wait"),
        ("nmea:drive.nmea", .ended, "the recording has ended; start the tracker again to play it once more"),
    ])
    func advisesWhatFitsTheSource(name: String, state: SourceMember.State, advice: String) {
        let search = PositionSearch([SourceMember(name: name, state: state)], in: service)
        #expect(search.advice.hasPrefix(advice), "\(search.advice)")
        #expect(search.commands.isEmpty)
    }

    @Test func advisesNothingWhenAnotherSourceHasAFix() {
        let search = PositionSearch([gpsd(noGPSD), SourceMember(name: "serial:auto", state: .fix)], in: service)
        #expect(search.advice == "wait: serial:auto is about to take over")
        #expect(search.commands == [])
    }

    @Test func waitsForWhatIsBeingTried() {
        let search = PositionSearch([gpsd(.starting)], in: service)
        #expect(search.why == "gpsd://localhost:2947: being tried")
        #expect(search.advice == "wait: gpsd://localhost:2947 is being tried")
    }

    @Test func showsTheLikeliestLineFirst() {
        var board = SerialDevice(name: "ttyAMA0")
        board.driver = "uart-pl011"
        var known = SerialDevice(name: "ttyACM0")
        (known.vendorID, known.productID) = (0x1546, 0x01a8)
        var usb = SerialDevice(name: "ttyACM1")
        (usb.vendorID, usb.productID, usb.productName) = (0x2341, 0x0043, "Arduino Uno")
        var bridge = SerialDevice(name: "ttyUSB0")
        (bridge.vendorID, bridge.productID) = (0x10c4, 0xea60)
        let paths = SourceObstacle.Candidate.all(of: [board, known, usb, bridge]).map(\.path)
        #expect(paths == ["/dev/ttyUSB0", "/dev/ttyACM1", "/dev/ttyAMA0"])
    }

    @Test func advisesNoPortThatIsAConsole() {
        var console = SerialDevice(name: "ttyS0")
        console.isConsole = true
        #expect(SourceObstacle.Candidate.all(of: [console]).isEmpty)
    }
}
