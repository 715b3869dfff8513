/// Satellites in view, four per sentence.
///
///     $--GSV,x,x,xx,xx,xx,xxx,xx,...[,h]*hh
///       0    1 2 3  4  5  6   7      last
///      1 sentences in this group   2 number of this one   3 satellites in view   then per satellite: number, elevation, azimuth,
///      signal in dB-Hz   last: signal (4.1), present when the fields after the third are one more than a multiple of four
struct GSV {
    var sentenceCount: Int
    var sentenceNumber: Int
    var signal: Int
    /// How many satellites this sentence describes, 0...4.
    var satelliteCount: Int

    /// Nil when the sentence is too short to be a GSV or its numbering makes no sense.
    init?(_ fields: inout NMEAFields, in bytes: Span<UInt8>) {
        guard fields.count >= 4, let sentenceCount = fields.integer(1, in: bytes), let sentenceNumber = fields.integer(2, in: bytes),
            sentenceNumber >= 1, sentenceNumber <= sentenceCount, sentenceCount <= 32
        else { return nil }
        self.sentenceCount = sentenceCount
        self.sentenceNumber = sentenceNumber
        let rest = fields.count - 4
        signal = rest % 4 == 1 ? fields.integer(fields.count - 1, in: bytes) ?? 0 : 0
        satelliteCount = min(4, rest / 4)
    }

    /// The satellite at `index` of this sentence, or nil when its fields are empty.
    func satellite(_ index: Int, _ fields: inout NMEAFields, in bytes: Span<UInt8>, talker: UInt16) -> SatelliteView? {
        let first = 4 + 4 * index
        guard let number = fields.integer(first, in: bytes), number > 0 else { return nil }
        var view = SatelliteView(constellation: Constellation(talker: talker, number: number), number: number)
        view.elevationDegrees = fields.decimal(first + 1, in: bytes, within: -90...90)
        view.azimuthDegrees = fields.decimal(first + 2, in: bytes, within: 0...360)
        view.signalDecibelHertz = fields.magnitude(first + 3, in: bytes)
        return view
    }
}
