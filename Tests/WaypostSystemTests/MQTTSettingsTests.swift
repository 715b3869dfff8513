import Testing
import WaypostSystem

@Suite struct MQTTSettingsTests {
    @Test(arguments: [
        ("mqtt://broker.example", "broker.example", 1_883 as UInt16, false), ("mqtts://broker.example", "broker.example", 8_883, true),
        ("MQTT://10.0.0.7:1884/", "10.0.0.7", 1_884, false), ("mqtts://[2001:db8::7]:8884", "2001:db8::7", 8_884, true),
        ("mqtt://[::1]", "::1", 1_883, false),
    ])
    func readsAURL(url: String, host: String, port: UInt16, isEncrypted: Bool) throws {
        let settings = try MQTTSettings(url: url, clientID: "box")
        #expect(settings.host == host && settings.port == port && settings.isEncrypted == isEncrypted && settings.clientID == "box")
    }

    @Test(arguments: [
        "", "mqtt://", "broker.example", "http://broker.example", "mqtt://jane:secret@broker.example", "mqtt://broker/topic",
        "mqtt://broker:0",
        "mqtt://broker:65536", "mqtt://broker:1883x", "mqtt://2001:db8::7", "mqtt://[::1", "mqtt://[::1]x", "mqtt://bro ker", "mqtt://a?b",
    ])
    func refusesWhatIsNoURLOfABroker(url: String) {
        #expect {
            try MQTTSettings(url: url, clientID: "box")
        } throws: { error in
            guard let error = error as? MQTTError, case .badSettings(let reason) = error else { return false }
            return reason.hasPrefix("the URL") && !reason.contains("secret")
        }
    }

    /// The library would take them up to the zero: another client, another topic.
    @Test func sendsNoTextThatEndsBeforeItsEnd() async throws {
        let changes: [@Sendable (inout MQTTSettings) -> Void] = [
            { $0.clientID = "box\u{0}7" }, { $0.user = "jane\u{0}" }, { $0.password = "a\u{0}b" }, { $0.subscriptions = ["a/\u{0}"] },
            { $0.presence = .init(birth: nil, will: MQTTMessage(topic: "a\nb", payload: [])) },
        ]
        for change in changes {
            var settings = try MQTTSettings(url: "mqtt://127.0.0.1:1", clientID: "box")
            change(&settings)
            await #expect {
                _ = try await MQTTClient(settings).connect()
            } throws: { error in
                guard case .badSettings(let reason)? = error as? MQTTError else { return false }
                return !reason.utf8.contains(0)
            }
        }
    }

    @Test func keepsAMachinesDigitsAndTellsNobodyItsID() throws {
        let digits = MachineIdentity.digits(for: "mqtt home")
        #expect(digits == MachineIdentity.digits(for: "mqtt home") && digits.count == 16)
        #expect(digits.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(digits != MachineIdentity.digits(for: "mqtt office"))
        #expect(MachineIdentity.digits(for: "mqtt home", digitCount: 15) == digits.prefix(15))
        if let id = try Syscalls.contents(of: "/etc/machine-id"), id.count >= 32 {
            #expect(!String(decoding: id, as: UTF8.self).contains(digits))
        }
    }
}
