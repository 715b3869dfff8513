/// A sentence that queries or sets something in a MediaTek receiver, or answers: `$PMTK220,200*2C`.
///
/// - Source: PMTK command packet (Quectel L80 protocol specification 1.2, GlobalTop PMTK A11).
package struct PMTKSentence: Sendable, Hashable {
    /// The sentence's number: 220 sets the period, 001 answers.
    package var number: Int
    /// The fields after the number.
    package var fields: [String]

    /// Creates a sentence.
    package init(_ number: Int, _ fields: [String] = []) {
        self.number = number
        self.fields = fields
    }

    /// Parses a line; nil for any other sentence, or a wrong checksum.
    package init?(line: some Collection<UInt8>) {
        let text = String(decoding: line.filter { $0 != 0x0d && $0 != 0x0a }, as: UTF8.self)
        guard text.hasPrefix("$PMTK"), let star = text.lastIndex(of: "*"), let sum = UInt8(text[text.index(after: star)...], radix: 16)
        else {
            return nil
        }
        let body = text[text.index(after: text.startIndex)..<star]
        guard body.utf8.reduce(0, ^) == sum else { return nil }
        let parts = body.dropFirst("PMTK".count).split(separator: ",", omittingEmptySubsequences: false)
        guard let number = parts.first.flatMap({ Int($0) }) else { return nil }
        self.init(number, parts.dropFirst().map(String.init))
    }

    /// The line, with its end.
    package var line: String {
        let digits = String(number)
        let body = "PMTK" + String(repeating: "0", count: max(0, 3 - digits.count)) + ([digits] + fields).joined(separator: ",")
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }

    /// Asks for the firmware release; 705 answers.
    package static let askRelease = PMTKSentence(605)
    /// Asks for the period of fixes; 500 answers.
    package static let askPeriod = PMTKSentence(400)
    /// Asks which sentences are sent; 514 answers.
    package static let askSentences = PMTKSentence(414)

    /// Sets the time between fixes.
    package static func setPeriod(milliseconds: Int) -> PMTKSentence { PMTKSentence(220, ["\(milliseconds)"]) }

    /// Sets the speed of the line; there is no answer.
    package static func setBaudRate(_ baudRate: Int) -> PMTKSentence { PMTKSentence(251, ["\(baudRate)"]) }

    /// Switches GST on or off in the list of sentences from 514.
    package static func setGST(_ isOn: Bool, in fields: [String]) -> PMTKSentence? {
        guard fields.indices.contains(gstField) else { return nil }
        var fields = fields
        fields[gstField] = isOn ? "1" : "0"
        return PMTKSentence(314, fields)
    }

    /// Whether GST is sent, according to the fields of 514.
    package static func sendsGST(in fields: [String]) -> Bool? { fields.indices.contains(gstField) ? fields[gstField] != "0" : nil }

    // GLL, RMC, VTG, GGA, GSA, GSV, GRS, GST.
    private static let gstField = 7

    /// The outcome of a command in an answer (001); nil when the answer is about another command.
    package func outcome(of command: Int) -> Outcome? {
        guard number == 1, fields.count >= 2, Int(fields[0]) == command, let code = Int(fields[1]) else { return nil }
        return Outcome(rawValue: code)
    }

    /// The outcome of a command.
    package enum Outcome: Int, Sendable {
        /// The command does not exist, or not with these values.
        case invalid = 0
        /// This receiver does not support it.
        case unsupported = 1
        /// It failed.
        case failed = 2
        /// It succeeded.
        case done = 3
    }
}
