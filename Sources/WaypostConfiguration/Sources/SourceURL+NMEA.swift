extension SourceURL.NMEA {
    /// Reads `FILE?speed=X`; the options may be missing.
    init(afterScheme text: Substring) throws(SourceURLError) {
        let (fileText, options) = SourceURL.splitOptions(text)
        guard !fileText.isEmpty else { throw .missingFile(scheme: "nmea") }
        self.init(fileText == "-" ? .standardInput : .file(try PercentCoding.decode(fileText)))
        var read = SourceOptions(options, known: ["speed"])
        speed = try read.playbackSpeed()
        try read.refuseUnknown()
    }

    var urlText: String {
        let inputText =
            switch input {
            case .standardInput: "-"
            // A file that is called "-" must not become the standard input.
            case .file("-"): "%2D"
            case .file(let path): PercentCoding.encode(path)
            }
        return "nmea:" + inputText + (speed.map { "?speed=\(SourceURL.numberText($0))" } ?? "")
    }
}
