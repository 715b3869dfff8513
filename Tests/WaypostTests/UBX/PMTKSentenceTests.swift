import Testing
import Waypost

/// What MediaTek's receivers are told and answer.
@Suite struct PMTKSentenceTests {
    /// The checksums that MediaTek's command list gives.
    @Test func writesTheSentencesOfTheCommandList() {
        #expect(PMTKSentence.setPeriod(milliseconds: 200).line == "$PMTK220,200*2C\r\n")
        #expect(PMTKSentence.setBaudRate(38_400).line == "$PMTK251,38400*27\r\n")
        #expect(PMTKSentence.askRelease.line == "$PMTK605*31\r\n")
        #expect(PMTKSentence.askSentences.line == "$PMTK414*33\r\n")
    }

    @Test func readsAnswers() throws {
        let answer = try #require(PMTKSentence(line: Array("$PMTK001,220,3*30\r\n".utf8)))
        #expect(answer.outcome(of: 220) == .done)
        #expect(answer.outcome(of: 314) == nil)
        #expect(PMTKSentence(line: Array("$PMTK001,220,3*31".utf8)) == nil, "a wrong checksum")
        #expect(PMTKSentence(line: Array("$GPGLL,1*00".utf8)) == nil)
        #expect(PMTKSentence(line: Array("$PMTK".utf8)) == nil && PMTKSentence(line: Array("$PMTKx*33".utf8)) == nil)
    }

    @Test func switchesGSTInTheListThatTheReceiverGave() {
        let fields = "0,1,1,1,5,5,0,0,0,0,0,0,0,0,0,0,0,1,0".split(separator: ",").map(String.init)
        #expect(PMTKSentence.sendsGST(in: fields) == false)
        let sentence = PMTKSentence.setGST(true, in: fields)
        #expect(sentence?.number == 314 && sentence?.fields.joined(separator: ",") == "0,1,1,1,5,5,0,1,0,0,0,0,0,0,0,0,0,1,0")
        #expect(PMTKSentence.setGST(true, in: ["1"]) == nil)
        #expect(PMTKNavigationMode(name: "fitness")?.sentence.line.hasPrefix("$PMTK886,1*") == true)
    }
}
