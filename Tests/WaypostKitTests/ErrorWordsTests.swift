import Testing
import WaypostKit

/// What goes wrong is told in words: an application prints `"\(error)"`.
@Suite struct ErrorWordsTests {
    private static let missing = SystemError(code: 2, operation: "open", path: "/dev/none")

    @Test(
        arguments: [
            (
                PositionSourceError.cannotOpen(path: "drive.gpx", reason: "No such file or directory"),
                "drive.gpx: cannot be opened: No such file or directory"
            ),
            (
                PositionSourceError.cannotRead(path: "drive.gpx", reason: "Input/output error"),
                "drive.gpx: cannot be read: Input/output error"
            ),
            (PositionSourceError.unusable(path: "drive.gpx", reason: "holds no track point"), "drive.gpx: holds no track point"),
            (
                RecordingError.cannotPrepare(folder: "tracks", cause: missing),
                "tracks: cannot be used for the log: No such file or directory"
            ),
            (missing, "open /dev/none: No such file or directory"),
            (OutboxError.full(path: "outbox.sqlite"), "outbox.sqlite: there is no room on the disk"),
            (MQTTError.badSettings(reason: "the URL must hold no password"), "the URL must hold no password"),
            (FormatError(reason: "has no place"), "has no place"),
            (PositionSupplyError(reason: "the log cannot be read"), "the log cannot be read"),
            (ControlRefusal(.notFound, what: "fence", why: "there is none"), "fence: there is none"),
            // Of a wait for news, too, in which nothing has happened.
            (ControlError.timedOut, "nothing came from the tracker in time"),
            (ControlError.cannotConnect(path: "", reason: "its path is empty"), "control socket: its path is empty"),
            (GeofenceStateError.checksum, "is damaged: its checksum does not match"),
        ] as [(any Error, String)])
    func saysWhatIsWrong(error: any Error, words: String) {
        #expect("\(error)" == words)
    }

    @Test(
        arguments: [
            (LossReason.noFix, "the receiver has no fix"), (.silent, "the source is silent"), (.ended, "the source has ended"),
            (.unusable("the same fix comes again"), "the same fix comes again"),
            (.disconnected(LossDetail("nothing listens there", advice: "start gpsd")), "not connected: nothing listens there; start gpsd"),
            (.deviceGone("unplugged"), "the receiver is gone: unplugged"), (.replaced, "another source is used now"),
            (.withheld(.zone), "inside a privacy zone"), (.withheld(.privateMode), "private mode is on"),
        ] as [(LossReason, String)])
    func saysWhyThereIsNoPosition(reason: LossReason, words: String) {
        #expect("\(reason)" == words)
    }
}
