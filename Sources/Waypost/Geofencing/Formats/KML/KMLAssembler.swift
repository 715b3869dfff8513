/// Assembles fences from the tokens of a KML file.
struct KMLAssembler {
    /// The deepest nesting of elements; real files have a dozen levels.
    private static let maximumDepth = 64
    /// The most bytes kept of a name or a value.
    private static let longestText = 16_384

    private struct OpenElement {
        var element: KMLElement
        /// The name with its prefix.
        var name: Range<Int>
    }

    private var collector: FenceCollector
    private var stack: [OpenElement] = []
    private var hasRoot = false
    private var rootPrefix: [UInt8] = []
    private var encoding = XMLText.Encoding.utf8
    private var isWronglyEncoded = false

    private var lines = LineCount()
    private var offset = 0

    private var placemark = KMLPlacemark(line: 0)
    private var dataName = ""
    private var text = XMLText(limit: KMLAssembler.longestText)
    /// The places of the open `coordinates` element, which a comment may split.
    private var places = KMLCoordinates(limit: 0, line: 0)

    init(_ reading: FenceReading) {
        collector = FenceCollector(format: .kml, list: nil, reading)
    }

    /// Counts the lines up to a place.
    mutating func reach(_ place: Int, in bytes: Span<UInt8>) {
        lines.add(bytes.extracting(offset..<place))
        offset = place
    }

    func failure(_ words: String) -> FenceFileError { .xml(line: lines.current, words) }

    /// The file's fences; throws when elements are open at the end, because fences are missing.
    mutating func finished(isCut: Bool) throws(FenceFileError) -> FenceFile {
        guard hasRoot else { throw .notFences("begins like HTML or XML, but has no element") }
        guard stack.isEmpty, !isCut else { throw failure("the file ends within an element") }
        if isWronglyEncoded { collector.remark(.wrongEncoding) }
        return collector.finished()
    }

    mutating func declaration(_ bytes: Span<UInt8>) {
        if let name = XMLText.Encoding.name(in: bytes), let declared = XMLText.Encoding(name: name) { encoding = declared }
    }

    // MARK: Elements

    mutating func startTag(_ name: Range<Int>, in bytes: Span<UInt8>) throws(FenceFileError) {
        var local = name.lowerBound
        for index in name where bytes[index] == UInt8(ascii: ":") { local = index + 1 }
        let prefix = bytes.extracting(name.lowerBound..<max(name.lowerBound, local - 1)).withUnsafeBufferPointer { Array($0) }
        let word = bytes.extracting(local..<name.upperBound).withUnsafeBufferPointer { String(decoding: $0.prefix(64), as: UTF8.self) }
        var element = KMLElement(rawValue: word) ?? .other
        if stack.isEmpty {
            guard !hasRoot else { throw failure("a second document") }
            try checkRoot(element, word)
            hasRoot = true
            rootPrefix = prefix
        } else if prefix != rootPrefix || !element.isChild(of: stack[stack.count - 1].element) {
            let parent = stack[stack.count - 1].element
            if parent == .placemark || parent == .multiGeometry, ["Track", "MultiTrack", "Model"].contains(word) {
                placemark.geometry.others.append(word)
            }
            element = .other
        }
        guard stack.count < KMLAssembler.maximumDepth else {
            throw failure("more than \(KMLAssembler.maximumDepth) elements inside each other")
        }
        stack.append(OpenElement(element: element, name: name))
        begin(element)
    }

    private func checkRoot(_ element: KMLElement, _ word: String) throws(FenceFileError) {
        guard !element.isRoot else { return }
        switch word.lowercased() {
        case "html", "head", "body": throw .notFences("is a web page (HTML); was the address wrong, or a login page in the way?")
        case "gpx": throw .notFences("is GPX; that is tracks, not fences")
        default: throw .notFences("is XML of the kind \(quoted(word, mark: "\"")), not KML")
        }
    }

    private mutating func begin(_ element: KMLElement) {
        switch element {
        case .placemark: placemark = KMLPlacemark(line: lines.current)
        case .data, .simpleData: dataName = ""
        case .coordinates: places = KMLCoordinates(limit: collector.reading.limits.corners, line: lines.current)
        case .polygon: placemark.beginPolygon()
        default: break
        }
        if element.isText { text.removeAll() }
    }

    mutating func attribute(_ name: Range<Int>, _ value: Range<Int>, in bytes: Span<UInt8>) {
        guard let element = stack.last?.element else { return }
        if element == .placemark, bytes.extracting(name).isLiteral("id") {
            placemark.id = string(bytes.extracting(value))
        } else if element == .data || element == .simpleData, bytes.extracting(name).isLiteral("name") {
            dataName = string(bytes.extracting(value)) ?? ""
        }
    }

    mutating func text(_ range: Range<Int>, in bytes: Span<UInt8>, hasReferences: Bool) {
        guard let element = stack.last?.element, element.isText else { return }
        let piece = bytes.extracting(range)
        if element == .coordinates {
            places.add(piece)
        } else if hasReferences {
            text.append(piece)
        } else {
            text.append(characterData: piece)
        }
    }

    mutating func endTag(_ name: Range<Int>, in bytes: Span<UInt8>) throws(FenceFileError) {
        guard let open = stack.last, bytes.extracting(open.name).isSame(as: bytes.extracting(name)) else {
            throw failure("an end tag that does not match the start tag")
        }
        try endElement(in: bytes)
    }

    /// Ends the innermost element.
    mutating func endElement(in bytes: Span<UInt8>) throws(FenceFileError) {
        guard let element = stack.popLast()?.element else { throw failure("an end tag without a start tag") }
        let parent = stack.last?.element ?? .other
        switch element {
        case .name: placemark.name = textString()
        case .value, .simpleData: placemark.data[dataName] = textString() ?? ""
        case .coordinates:
            let boundary = stack.count > 1 ? stack[stack.count - 2].element : .other
            placemark.take(places.finished(), of: parent, in: boundary)
        case .polygon: placemark.endPolygon()
        case .placemark: try give()
        default: break
        }
    }

    private mutating func give() throws(FenceFileError) {
        let placemark = placemark
        let index = collector.file.entryCount
        try collector.add(line: placemark.line, name: placemark.name) { () throws(FenceEntryError) in try placemark.draft(index: index) }
    }

    /// The text of the element that is ending.
    private mutating func textString() -> String? {
        let text = text
        return string(text.raw.span, isCut: text.isOverlong)
    }

    private mutating func string(_ bytes: Span<UInt8>, isCut: Bool = false) -> String? {
        var faults = XMLText.Faults()
        let string = XMLText.string(bytes, encoding, isCut: isCut, faults: &faults)
        if faults.isWronglyEncoded { isWronglyEncoded = true }
        return string
    }
}

extension Span<UInt8> {
    fileprivate func isLiteral(_ literal: StaticString) -> Bool {
        count == literal.utf8CodeUnitCount && hasLiteral(literal, at: 0) == true
    }

    fileprivate func isSame(as other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
    }
}
