import Testing
import Waypost

@testable import WaypostCLI

/// What `waypost devices` says of a made-up system.
@Suite struct DevicesTests {
    private func lines(_ system: FakeSystem, json: Bool = false) -> [String] {
        DevicesCommand.lines(DevicesCommand.devices(root: system.path), json: json)
    }

    @Test func namesTheReceiverItsLinksAndWhoHasIt() throws {
        let system = try FakeSystem()
        try system.link("/dev/serial/by-id/usb-u-blox_AG-if00", to: "../../ttyACM0")
        try system.link("/dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0", to: "../../ttyACM0")
        #expect(
            lines(system) == [
                "/dev/ttyACM0: receiver, u-blox 8, USB 1546:01a8", "    /dev/serial/by-id/usb-u-blox_AG-if00",
                "    /dev/serial/by-path/pci-0000:00:14.0-usb-0:1:1.0", "    in use by waypostd (process 700)",
            ])
        let json = try JSONParser().parse(Array(try #require(lines(system, json: true).first).utf8))
        #expect(json["receiver"]?.string == "u-blox 8" && json["vendor_id"]?.string == "1546")
        #expect(json["by_id"]?.array?.first?.string == "/dev/serial/by-id/usb-u-blox_AG-if00")
        #expect(json["holders"]?.array?.first?["pid"]?.int == 700 && json["holders"]?.array?.first?["program"]?.string == "waypostd")
    }

    @Test func saysWhatABridgeMayBe() throws {
        let system = try FakeSystem()
        try system.addUSBLine("ttyUSB3", number: "188:3", vendor: "10c4", product: "ea60")
        #expect(lines(system).last == "/dev/ttyUSB3: perhaps one: CP210x bridge, as in some receivers and many boards, USB 10c4:ea60")
    }

    @Test func showsWhatADeviceSaysOfItselfWithoutItsControlCharacters() throws {
        let system = try FakeSystem()
        try system.write("u-blox\u{1b}]0;owned\u{7}\n", to: "/sys/devices/pci0000:00/usb1/1-0/manufacturer")
        try system.write("\u{202e}GNSS\n", to: "/sys/devices/pci0000:00/usb1/1-0/product")
        let text = try #require(lines(system).first)
        #expect(text.contains(#"u-blox\u001b]0;owned\u0007 \u202eGNSS"#))
        #expect(!text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0.value == 0x202e })
        #expect(lines(system, json: true).allSatisfy { !$0.unicodeScalars.contains { $0.value < 0x20 } })
    }
}
