import Testing
import Waypost
import WaypostPositioning

@testable import WaypostCLI

/// How a receiver's settings are shown.
@Suite struct ReceiverLinesTests {
    private var state: ReceiverState {
        var state = ReceiverState(path: "/dev/ttyACM0", maker: .ublox)
        (state.model, state.firmware, state.protocolVersion) = ("NEO-M8N", "ROM CORE 3.01", 18)
        (state.periodMilliseconds, state.movement, state.sendsGST, state.sendsNMEA) = (200, "automotive", true, true)
        state.antenna = .open
        return state
    }

    @Test func showsAllOrOneSetting() {
        #expect(
            ReceiverLines(state: state).text(only: nil) == [
                "/dev/ttyACM0: u-blox NEO-M8N, ROM CORE 3.01, protocol 18.0", "rate     5 Hz, a fix every 200 ms", "baud     USB, no speed",
                "model    automotive", "gst      on", "nmea     on", "antenna  not connected, or its cable is broken",
            ])
        #expect(ReceiverLines(state: state).text(only: .gst) == ["gst      on"])
    }

    @Test func leavesOutWhatIsNotKnown() {
        #expect(
            ReceiverLines(state: ReceiverState(path: "/dev/a", maker: .mediaTek)).json
                == #"{"class":"RECEIVER","path":"/dev/a","maker":"MediaTek"}"#)
    }
}
