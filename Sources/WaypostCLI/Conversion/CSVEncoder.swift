import Waypost

/// Comma-separated values: a header, then one row per fix; the columns are the members of the TPV line, empty where not known.
///
/// Where the track is interrupted, one row without a place stands between two fixes.
/// RFC 4180, except for its line ends, which are LF as Unix tools expect.
struct CSVEncoder: ReportEncoder {
    private static let columnCount = 21
    /// Whether a fix is the last row: only between fixes can a track be interrupted.
    private var isAtFix = false

    func begin(_ text: inout TextBuffer) {
        text.append(
            """
            time,mode,lat,lon,altMSL,altHAE,geoidSep,speed,track,climb,accuracy,accuracy_from,eph,epv,eps,hdop,vdop,pdop,satellites,\
            status,source\n
            """)
    }

    mutating func add(_ position: Position, after isBreak: Bool, to text: inout TextBuffer) {
        if isBreak { addLoss(at: nil, to: &text) }
        isAtFix = true
        if let time = position.time { text.append(time) }
        add(integer: position.mode.rawValue, to: &text)
        text.append(",")
        text.append(shortest: position.coordinate.latitudeDegrees)
        text.append(",")
        text.append(shortest: position.coordinate.longitudeDegrees)
        add(position.altitudeMSLMetres, to: &text)
        add(position.altitudeHAEMetres, to: &text)
        add(position.geoidSeparationMetres, to: &text)
        add(position.speedMetresPerSecond, to: &text)
        add(position.writtenCourseDegrees, to: &text)
        add(position.climbMetresPerSecond, to: &text)
        add(position.accuracy?.radiusMetres, to: &text)
        add(text: position.accuracy?.origin.rawValue, to: &text)
        add(position.quality.eph, to: &text)
        add(position.quality.epv, to: &text)
        add(position.quality.eps, to: &text)
        add(position.quality.hdop, to: &text)
        add(position.quality.vdop, to: &text)
        add(position.quality.pdop, to: &text)
        add(integer: position.quality.satellitesUsed, to: &text)
        add(integer: position.status == .unknown ? nil : position.status.rawValue, to: &text)
        add(text: position.source, to: &text)
        text.append("\n")
    }

    mutating func add(_ report: NoFix, to text: inout TextBuffer) { addLoss(at: report.time, to: &text) }

    /// Appends the row of a loss; of several reports without a fix, the first has one.
    private mutating func addLoss(at time: UTCTime?, to text: inout TextBuffer) {
        guard isAtFix else { return }
        isAtFix = false
        if let time { text.append(time) }
        // The mode of a TPV line without a fix.
        add(integer: 1, to: &text)
        for _ in 2..<CSVEncoder.columnCount { text.append(byte: UInt8(ascii: ",")) }
        text.append("\n")
    }

    func end(_ text: inout TextBuffer) {}

    private func add(_ value: Double?, to text: inout TextBuffer) {
        text.append(byte: UInt8(ascii: ","))
        if let value { text.append(measured: value) }
    }

    private func add(integer value: Int?, to text: inout TextBuffer) {
        text.append(byte: UInt8(ascii: ","))
        if let value { text.append(integer: value) }
    }

    /// Quotes text with a comma, quote or line end, and doubles its quotes; puts `'` before text that a spreadsheet would take for a formula,
    /// and before text that begins with `'` itself.
    ///
    /// - Source: OWASP, CSV Injection, https://owasp.org/www-community/attacks/CSV_Injection
    private func add(text value: String?, to text: inout TextBuffer) {
        text.append(byte: UInt8(ascii: ","))
        guard let value else { return }
        let isFormula = value.utf8.first.map { "=+-@\t\r\n'".utf8.contains($0) } ?? false
        let needsQuotes = isFormula || value.utf8.contains { [0x2C, 0x22, 0x0D, 0x0A].contains($0) }
        guard needsQuotes else { return text.append(string: value) }
        text.append(byte: 0x22)
        if isFormula { text.append(byte: UInt8(ascii: "'")) }
        for byte in value.utf8 {
            if byte == 0x22 { text.append(byte: 0x22) }
            text.append(byte: byte)
        }
        text.append(byte: 0x22)
    }
}
