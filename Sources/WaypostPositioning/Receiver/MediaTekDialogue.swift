import Waypost
import WaypostSystem

/// Talks to a MediaTek receiver: PMTK sentences, each acknowledged by `$PMTK001`.
struct MediaTekDialogue: ReceiverDialogue {
    private let line: ReceiverLine
    private let release: PMTKSentence

    /// The answer to ``PMTKSentence/askRelease``.
    static let releaseNumber = 705

    /// A dialogue with a receiver that has answered.
    ///
    /// - Parameter release: its answer.
    init(_ line: ReceiverLine, release: PMTKSentence) {
        self.line = line
        self.release = release
    }

    private static func ask(_ question: PMTKSentence, answer: Int, _ line: ReceiverLine) throws(ReceiverError) -> PMTKSentence? {
        // A receiver may lose a sentence that comes while it is sending its own.
        for _ in 0..<2 {
            try line.send(Array(question.line.utf8))
            if let sentence = try line.sentence(where: { $0.number == answer }) { return sentence }
        }
        return nil
    }

    func state() throws(ReceiverError) -> ReceiverState {
        var state = ReceiverState(path: line.path, maker: .mediaTek)
        state.firmware = release.fields.first
        state.model = release.fields.count > 2 && !release.fields[2].isEmpty ? release.fields[2] : nil
        state.baudRate = line.baudRate
        state.sendsNMEA = true
        state.periodMilliseconds = try MediaTekDialogue.ask(.askPeriod, answer: 500, line)?.fields.first.flatMap { Int($0) }
        state.sendsGST = try MediaTekDialogue.ask(.askSentences, answer: 514, line).flatMap { PMTKSentence.sendsGST(in: $0.fields) }
        return state
    }

    func apply(_ change: ReceiverChange, keeps: Bool) throws(ReceiverError) {
        if keeps { throw .impossible("\(line.path): MediaTek receivers keep no settings without power; leave --keep out") }
        switch change {
        case .period(let milliseconds): try command(.setPeriod(milliseconds: milliseconds))
        case .gst(let isOn):
            let sentences = try MediaTekDialogue.ask(.askSentences, answer: 514, line)
            guard let sentence = sentences.flatMap({ PMTKSentence.setGST(isOn, in: $0.fields) }) else {
                throw .refused("\(line.path): the receiver does not say which sentences it sends")
            }
            try command(sentence)
        case .movement(let name):
            guard let mode = PMTKNavigationMode(name: name) else {
                let known = PMTKNavigationMode.allCases.map(\.name).joined(separator: ", ")
                throw .impossible("\(line.path): a MediaTek receiver knows no model \(name); it knows \(known)")
            }
            try command(mode.sentence)
        case .baudRate(let baudRate): try changeSpeed(to: baudRate)
        }
    }

    private func command(_ sentence: PMTKSentence) throws(ReceiverError) {
        try line.send(Array(sentence.line.utf8))
        let answer = try line.sentence { $0.outcome(of: sentence.number) != nil }
        switch answer?.outcome(of: sentence.number) {
        case .done: return
        case .invalid: throw .refused("\(line.path): the receiver calls PMTK\(sentence.number) invalid")
        case .unsupported: throw .refused("\(line.path): the receiver does not know PMTK\(sentence.number)")
        case .failed: throw .refused("\(line.path): the receiver could not do PMTK\(sentence.number)")
        case nil: throw .refused("\(line.path): the receiver does not answer PMTK\(sentence.number)")
        }
    }

    /// There is no acknowledgement: a receiver that answers at the new speed has changed.
    private func changeSpeed(to baudRate: Int) throws(ReceiverError) {
        let old = line.baudRate
        try line.send(Array(PMTKSentence.setBaudRate(baudRate).line.utf8))
        try line.pause(for: .milliseconds(300))
        try line.setBaudRate(baudRate)
        if try MediaTekDialogue.ask(.askRelease, answer: MediaTekDialogue.releaseNumber, line) != nil { return }
        try line.setBaudRate(old)
        throw .refused("\(line.path): the receiver does not answer at \(baudRate) baud")
    }
}
