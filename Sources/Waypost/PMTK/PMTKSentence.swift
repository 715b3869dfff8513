/// A sentence of MediaTek's receivers that asks or sets something, or that answers: `$PMTK220,200*2C`.
///
/// - Source: PMTK command packet (Quectel L80 protocol specification 1.2, GlobalTop PMTK A11).
public struct PMTKSentence: Sendable, Hashable {
    /// What it is: 220 sets the period, 001 answers.
    public var number: Int
    /// What follows.
    public var fields: [String]

    /// A sentence.
    public init(_ number: Int, _ fields: [String] = []) {
        self.number = number
        self.fields = fields
    }

    /// The sentence of a line; nil for any other, or a wrong checksum.
    public init?(line: some Collection<UInt8>) {
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
    public var line: String {
        let digits = String(number)
        let body = "PMTK" + String(repeating: "0", count: max(0, 3 - digits.count)) + ([digits] + fields).joined(separator: ",")
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(sum.count < 2 ? "0" : "")\(sum)\r\n"
    }

    /// The release of the firmware is asked for; 705 answers.
    public static let askRelease = PMTKSentence(605)
    /// The period of fixes is asked for; 500 answers.
    public static let askPeriod = PMTKSentence(400)
    /// The sentences that are sent are asked for; 514 answers.
    public static let askSentences = PMTKSentence(414)

    /// A fix each so many milliseconds.
    public static func setPeriod(milliseconds: Int) -> PMTKSentence { PMTKSentence(220, ["\(milliseconds)"]) }

    /// Another speed; nothing answers.
    public static func setBaudRate(_ baudRate: Int) -> PMTKSentence { PMTKSentence(251, ["\(baudRate)"]) }

    /// GST on or off, in the list of sentences as 514 gave it.
    public static func setGST(_ isOn: Bool, in fields: [String]) -> PMTKSentence? {
        guard fields.indices.contains(gstField) else { return nil }
        var fields = fields
        fields[gstField] = isOn ? "1" : "0"
        return PMTKSentence(314, fields)
    }

    /// Whether GST is sent, by the fields of 514.
    public static func sendsGST(in fields: [String]) -> Bool? { fields.indices.contains(gstField) ? fields[gstField] != "0" : nil }

    // GLL, RMC, VTG, GGA, GSA, GSV, GRS, GST.
    private static let gstField = 7

    /// What an answer (001) says of a command; nil when it is about another one.
    public func outcome(of command: Int) -> Outcome? {
        guard number == 1, fields.count >= 2, Int(fields[0]) == command, let code = Int(fields[1]) else { return nil }
        return Outcome(rawValue: code)
    }

    /// What became of a command.
    public enum Outcome: Int, Sendable {
        /// There is no such command, or not with such values.
        case invalid = 0
        /// This receiver does not know it.
        case unsupported = 1
        /// It could not be done.
        case failed = 2
        /// It is done.
        case done = 3
    }
}
