import Testing
import Waypost

/// What the fixes of a recording take from the sky views beside them.
struct SkyFiguresTests {
    /// `hdop/satellites` of each fix that comes out, in order; `-` for what is not known, `sky` for a view.
    private func figures(_ lines: [String]) throws -> [String] {
        var skies = SkyFigures()
        var found: [String] = []
        func note(_ item: RecordingItem) {
            switch item {
            case .report(.position(let position)):
                let hdop = position.quality.hdop.map { "\($0)" } ?? "-"
                found.append("\(hdop)/\(position.quality.satellitesUsed.map(String.init) ?? "-")")
            case .report(.sky): found.append("sky")
            case .report(.noFix): found.append("no fix")
            case .item: found.append("item")
            }
        }
        for line in lines { if let item = try TPVCodec.decodeItem(Array(line.utf8).span) { skies.add(item, note) } }
        skies.finish(note)
        return found
    }

    private func fix(_ second: Int, _ more: String = "", device: String = "a") -> String {
        "{\"class\":\"TPV\",\"device\":\"\(device)\",\"mode\":3,\"time\":\"2026-11-22T10:00:0\(second).000Z\",\"lat\":1,\"lon\":2\(more)}"
    }

    private func sky(_ second: Int?, hdop: Double, used: Int, device: String = "a") -> String {
        let time = second.map { "\"time\":\"2026-11-22T10:00:0\($0).000Z\"," } ?? ""
        return
            "{\"class\":\"SKY\",\"device\":\"\(device)\",\(time)\"hdop\":\(hdop),\"uSat\":\(used),\"satellites\":[{\"PRN\":1,\"used\":true}]}"
    }

    @Test func takesTheSkyOfItsTimeBeforeOrBehind() throws {
        #expect(try figures([fix(1), sky(1, hdop: 0.9, used: 8), fix(2), sky(2, hdop: 1.1, used: 7)]) == ["0.9/8", "sky", "1.1/7", "sky"])
        #expect(try figures([sky(1, hdop: 0.9, used: 8), fix(1), sky(2, hdop: 1.1, used: 7), fix(2)]) == ["sky", "0.9/8", "sky", "1.1/7"])
    }

    @Test func takesTheLastSkyWithoutATime() throws {
        #expect(try figures([sky(nil, hdop: 0.9, used: 8), fix(1), fix(2), fix(3), fix(4)]) == ["sky", "0.9/8", "0.9/8", "0.9/8", "-/-"])
        #expect(try figures([fix(1), sky(nil, hdop: 0.9, used: 8), fix(2)]) == ["0.9/8", "sky", "0.9/8"])
    }

    @Test func takesNothingOfAnotherReceiverOrTime() throws {
        #expect(try figures([fix(1), sky(1, hdop: 0.9, used: 8, device: "b"), fix(1, device: "b")]) == ["-/-", "sky", "0.9/8"])
        #expect(try figures([sky(1, hdop: 0.9, used: 8), fix(5)]) == ["sky", "-/-"])
    }

    @Test func leavesWhatAFixSaysItself() throws {
        let own = ",\"hdop\":2.5,\"satellites\":5,\"vdop\":1,\"pdop\":2"
        #expect(try figures([sky(1, hdop: 0.9, used: 8), fix(1, own), fix(1, ",\"hdop\":2.5")]) == ["sky", "2.5/5", "2.5/8"])
    }

    @Test func countsUsedSatellitesAnOldGPSDDoesNot() throws {
        let view = "{\"class\":\"SKY\",\"device\":\"a\",\"hdop\":1.5,\"satellites\":[{\"PRN\":1,\"used\":true},{\"PRN\":2,\"used\":true}]}"
        let dilutions = "{\"class\":\"SKY\",\"device\":\"a\",\"hdop\":1.25}"
        #expect(try figures([view, fix(1), dilutions, fix(2)]) == ["sky", "1.5/2", "sky", "1.25/2"])
    }
}
