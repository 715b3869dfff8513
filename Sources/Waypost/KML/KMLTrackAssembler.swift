/// Assembles track points and waypoints from the tokens of a KML file.
struct KMLTrackAssembler: Sendable {
    /// The deepest nesting in which elements are distinguished; real files have a dozen levels.
    private static let maximumDepth = 64

    /// A placemark being read.
    private struct Draft {
        var name: String?
        var description: String?
        var time: UTCTime?
        var places: [KMLPlaces.Place] = []
    }

    /// Why the file is not read.
    private(set) var failure: KMLError?
    private(set) var pointCount = 0

    private var stack: [(element: KMLTrackElement, name: [UInt8])] = []
    /// How many open elements are nested too deeply to be distinguished.
    private var skipped = 0
    private var hasRoot = false
    private var encoding = XMLText.Encoding.utf8
    private var tallies = [DamageTally](repeating: DamageTally(), count: KMLDamage.allCases.count)
    private var lines = LineCount()

    private var draft = Draft()
    private var text = XMLText(limit: KMLTrackReader.longestText)
    private var places = KMLPlaces()
    /// The line on which the `coordinates` begin: their text comes in pieces of any size.
    private var placesLine = 1
    private var track = KMLTrackLists()
    private var array: KMLTrackLists.Array?
    private var isAbsolute = false
    private var isInterpolated = false
    private var hasTrackBefore = false
    /// Whether a tag was broken in the open track: the elements that are open in it may have ended.
    private var isTorn = false
    /// Whether text between the elements of a track was noted since the last tag.
    private var hasNotedText = false
    private var segment = -1

    /// One line for people per kind of damage found.
    var remarks: [String] {
        KMLDamage.allCases.compactMap { kind in
            let tally = tallies[kind.rawValue]
            if tally.count == 0 { return nil }
            return kind == .cut ? "\(kind.words) (line \(tally.firstLine))" : "\(kind.words): \(tally.count), first line \(tally.firstLine)"
        }
    }

    private var element: KMLTrackElement { skipped > 0 ? .other : stack.last?.element ?? .other }

    /// Processes a token.
    mutating func take(_ token: XMLTokenizer.Token, endingAt offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        switch token {
        case .startTag(let name): startTag(name, in: bytes, visit)
        case .attribute(let name, let value):
            if element == .arrayData, bytes.extracting(name).isWord("name") {
                array = string(bytes.extracting(value)).flatMap(KMLTrackLists.Array.init(name:))
            }
        case .overlongAttribute, .incomplete: break
        case .startTagEnd(let isEmpty, let isBroken):
            if isBroken { note(.brokenMarkup, at: offset, in: bytes) }
            if isEmpty { endElement(at: offset, in: bytes, visit) }
        case .endTag(let name): endTag(name, at: offset, in: bytes, visit)
        case .text(let range):
            addText(bytes.extracting(range), hasReferences: true, visit)
            if element == .track { lookForText(range, in: bytes) }
        case .characterData(let range): addText(bytes.extracting(range), hasReferences: false, visit)
        case .declaration(let range):
            if let name = XMLText.Encoding.name(in: bytes.extracting(range)), let known = XMLText.Encoding(name: name) { encoding = known }
        case .documentTypeDeclarations: failure = .documentTypeDeclarations(line: line(at: offset, in: bytes))
        case .stray: note(.brokenMarkup, at: offset, in: bytes)
        }
    }

    /// Notes that the file is not XML at all.
    mutating func refuse(_ error: KMLError) { failure = failure ?? error }

    /// Counts the lines of the bytes that were used.
    mutating func endPiece(_ bytes: Span<UInt8>, used: Int) { lines.add(bytes.extracting(0..<used)) }

    /// Ends the file; the part of a track before a cut is passed on.
    mutating func finish(isCut: Bool, _ visit: (GPXItem) -> Void) {
        if failure != nil { return }
        guard hasRoot else {
            failure = .noRoot
            return
        }
        guard isCut || !stack.isEmpty else { return }
        tallies[KMLDamage.cut.rawValue].note(line: lines.current)
        let end: [UInt8] = []
        // The last number may be incomplete.
        if element == .coordinates { places = KMLPlaces() }
        if stack.contains(where: { $0.element == .track }) { endTrack(at: 0, in: end.span, isCut: true, visit) }
    }

    // MARK: - Elements

    private mutating func startTag(_ name: Range<Int>, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        hasNotedText = false
        var local = name.lowerBound
        for index in name where bytes[index] == UInt8(ascii: ":") { local = index + 1 }
        let word = bytes.extracting(local..<name.upperBound).withUnsafeBufferPointer { String(decoding: $0.prefix(64), as: UTF8.self) }
        var element = KMLTrackElement(rawValue: word) ?? .other
        if element.isPartOfTrack, isInTrack, skipped > 0 || !element.isChild(of: self.element) {
            // In a text nothing can begin: its end tag is lost.
            if !isTorn, self.element.isText { note(.brokenMarkup, at: name.lowerBound, in: bytes) }
            if isTorn { leaveTorn(for: element, at: name.lowerBound, in: bytes, visit) }
        }
        if stack.isEmpty, skipped == 0 {
            guard element.isRoot else {
                if !hasRoot { failure = .notKML(root: word, line: line(at: name.lowerBound, in: bytes)) }
                return
            }
            hasRoot = true
        } else if skipped > 0 || !element.isChild(of: self.element) {
            if word == "Model", self.element == .placemark || self.element == .multiGeometry {
                note(.figure, at: name.lowerBound, in: bytes)
            }
            element = .other
        }
        guard stack.count < KMLTrackAssembler.maximumDepth, skipped == 0 else {
            skipped += 1
            return
        }
        stack.append((element, bytes.extracting(name).withUnsafeBufferPointer { Array($0) }))
        begin(element, at: name.lowerBound, in: bytes)
    }

    private mutating func begin(_ element: KMLTrackElement, at offset: Int, in bytes: Span<UInt8>) {
        switch element {
        case .placemark: draft = Draft()
        case .polygon, .linearRing: note(.figure, at: offset, in: bytes)
        case .multiTrack: (isInterpolated, hasTrackBefore, isAbsolute) = (false, false, false)
        case .track:
            (track, isTorn) = (KMLTrackLists(), false)
            if !isInMultiTrack { isAbsolute = false }
        case .lineString:
            segment += 1
            isAbsolute = false
        case .point: isAbsolute = false
        case .coordinates: (places, placesLine) = (KMLPlaces(), line(at: offset, in: bytes))
        case .arrayData: array = nil
        default: break
        }
        if element.isText { text.removeAll() }
    }

    private var isInMultiTrack: Bool { stack.contains { $0.element == .multiTrack } }
    private var isInTrack: Bool { stack.contains { $0.element == .track } }

    /// Leaves the elements whose end tags are lost, because one begins that cannot be in them.
    private mutating func leaveTorn(
        for element: KMLTrackElement, at offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void
    ) {
        guard let parent = stack.lastIndex(where: { element.isChild(of: $0.element) }) else { return }
        skipped = 0
        leave(to: parent, at: offset, in: bytes, visit)
        isTorn = false
    }

    /// Leaves the elements within that one; texts among them may be incomplete.
    private mutating func leave(to index: Int, at offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        while stack.count > index + 1 {
            if self.element.isText { stack.removeLast() } else { endElement(at: offset, in: bytes, visit) }
        }
    }

    private mutating func endTag(_ name: Range<Int>, at offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        hasNotedText = false
        if skipped > 0 {
            skipped -= 1
            return
        }
        let word = bytes.extracting(name).withUnsafeBufferPointer { Array($0) }
        if stack.last?.name == word { return endElement(at: offset, in: bytes, visit) }
        note(.brokenMarkup, at: offset, in: bytes)
        guard let index = stack.lastIndex(where: { $0.name == word }) else { return }
        leave(to: index, at: offset, in: bytes, visit)
        endElement(at: offset, in: bytes, visit)
    }

    /// Ends the innermost element.
    private mutating func endElement(at offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        if skipped > 0 {
            skipped -= 1
            return
        }
        // An element after the document was not opened.
        if stack.isEmpty { return }
        let element = element
        if text.isOverlong, element.isText { note(.overlongText, at: offset, in: bytes) }
        switch element {
        case .name: draft.name = textString()
        case .description: draft.description = textString()
        case .altitudeMode: isAbsolute = textString() == "absolute"
        case .interpolate: isInterpolated = textString().map { $0 == "1" || $0 == "true" } ?? false
        case .when, .begin: endWhen(at: offset, in: bytes)
        case .coord: endCoord(at: offset, in: bytes)
        case .value: endValue(at: offset, in: bytes)
        case .coordinates: finishPlaces(visit)
        case .track: endTrack(at: offset, in: bytes, isCut: false, visit)
        case .placemark: endPlacemark(visit)
        default: break
        }
        stack.removeLast()
        if self.element == .track { isTorn = false }
    }

    // MARK: - Texts

    /// Notes text between the elements of a track, which has none: something was there.
    private mutating func lookForText(_ range: Range<Int>, in bytes: Span<UInt8>) {
        guard !hasNotedText, let offset = range.first(where: { !bytes[$0].isXMLSpace }) else { return }
        hasNotedText = true
        note(.brokenMarkup, at: offset, in: bytes)
    }

    /// Whether a text of a track is more than a bad value: what was in between may be gone, and it stands for several.
    private mutating func isTornText(_ raw: [UInt8]) -> Bool {
        guard isInTrack, raw.contains(where: { $0 < 0x20 && !$0.isXMLSpace }) else { return false }
        track.noteDamage()
        return true
    }

    private mutating func addText(_ piece: Span<UInt8>, hasReferences: Bool, _ visit: (GPXItem) -> Void) {
        let element = element
        if element == .coordinates {
            addPlaces(piece, visit)
        } else if element.isText {
            if hasReferences { text.append(piece) } else { text.append(characterData: piece) }
        }
    }

    private mutating func textString() -> String? {
        let text = text
        return string(text.raw.span, isCut: text.isOverlong)
    }

    private func string(_ bytes: Span<UInt8>, isCut: Bool = false) -> String? {
        var faults = XMLText.Faults()
        return XMLText.string(bytes, encoding, isCut: isCut, faults: &faults)
    }

    private mutating func endWhen(at offset: Int, in bytes: Span<UInt8>) {
        let raw = text.raw
        let time = UTCTime(xmlDateTime: raw.span)
        if isTornText(raw) { return note(.badValue, at: offset, in: bytes) }
        if time == nil, !raw.isEmpty { note(.badValue, at: offset, in: bytes) }
        if stack.count > 1, stack[stack.count - 2].element == .track { track.add(time: time) } else { draft.time = time }
    }

    private mutating func endCoord(at offset: Int, in bytes: Span<UInt8>) {
        let raw = text.raw.map { $0.isXMLSpace ? UInt8(ascii: " ") : $0 }
        let isGap = raw.allSatisfy { $0 == UInt8(ascii: " ") }
        let place = isGap ? nil : KMLPlaces.place(raw.span, separator: UInt8(ascii: " "))
        if isTornText(raw) { return note(.badPlace, at: offset, in: bytes) }
        if place == nil, !isGap { note(.badPlace, at: offset, in: bytes) }
        track.add(place: place)
    }

    private mutating func endValue(at offset: Int, in bytes: Span<UInt8>) {
        guard let array else { return }
        let raw = text.raw
        let isBlank = raw.allSatisfy(\.isXMLSpace)
        let value = isBlank ? .nan : Double(xmlDecimal: raw.span)
        if isTornText(raw) { return note(.badValue, at: offset, in: bytes) }
        if !track.add(value ?? .nan, to: array) || value == nil { note(.badValue, at: offset, in: bytes) }
    }

    // MARK: - Points

    /// Processes text with the places of a line or point.
    private mutating func addPlaces(_ piece: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        var reading = KMLPlaces()
        swap(&reading, &places)
        reading.add(piece) { addPlace($0, visit) }
        swap(&reading, &places)
    }

    private mutating func finishPlaces(_ visit: (GPXItem) -> Void) {
        var reading = KMLPlaces()
        swap(&reading, &places)
        reading.finish { addPlace($0, visit) }
        swap(&reading, &places)
    }

    private mutating func addPlace(_ place: KMLPlaces.Place?, _ visit: (GPXItem) -> Void) {
        guard let place else { return note(.badPlace, line: placesLine) }
        // No program knows that a place on the ground is exactly 0.000 m high.
        let known: KMLPlaces.Place = (place.coordinate, isAbsolute || place.altitudeMetres != 0 ? place.altitudeMetres : nil)
        guard stack.count > 1, stack[stack.count - 2].element == .lineString else {
            if draft.places.count < KMLTrackAssembler.maximumDepth { draft.places.append(known) }
            return
        }
        note(.untimed, line: placesLine)
        var lists = KMLTrackLists()
        lists.add(place: known)
        give(lists.point(0), visit)
    }

    private mutating func endTrack(at offset: Int, in bytes: Span<UInt8>, isCut: Bool, _ visit: (GPXItem) -> Void) {
        if !hasTrackBefore || !isInterpolated || !isInMultiTrack { segment += 1 }
        hasTrackBefore = true
        track.finish()
        track.isCut = isCut
        let unpairedCount = isCut ? 0 : track.unpairedCount
        if unpairedCount > 0 { note(.unpaired, line: line(at: offset, in: bytes), count: unpairedCount) }
        if track.overlongCount > 0 { note(.overlongTrack, line: line(at: offset, in: bytes), count: track.overlongCount) }
        var isGap = false
        for index in track.places.indices {
            let point = track.point(index)
            if point != nil, isGap { segment += 1 }
            isGap = point == nil && (isGap || index > 0)
            give(point, visit)
        }
        track = KMLTrackLists()
    }

    private mutating func endPlacemark(_ visit: (GPXItem) -> Void) {
        for place in draft.places {
            var lists = KMLTrackLists()
            lists.add(place: place)
            guard var point = lists.point(0) else { continue }
            point.position.time = draft.time
            point.name = draft.name
            point.description = draft.description
            pointCount += 1
            visit(.waypoint(point))
        }
    }

    private mutating func give(_ point: GPXPoint?, _ visit: (GPXItem) -> Void) {
        guard let point else { return }
        pointCount += 1
        visit(.trackPoint(point, segment: max(0, segment)))
    }

    // MARK: - Damage

    private func line(at offset: Int, in bytes: Span<UInt8>) -> Int { lines.line(at: min(offset, bytes.count), in: bytes) }

    private mutating func note(_ kind: KMLDamage, at offset: Int, in bytes: Span<UInt8>) {
        if kind == .brokenMarkup, isInTrack {
            isTorn = true
            track.noteDamage()
        }
        // The line is only determined the first time.
        note(kind, line: tallies[kind.rawValue].count == 0 ? line(at: offset, in: bytes) : 0)
    }

    private mutating func note(_ kind: KMLDamage, line: Int, count: Int = 1) {
        tallies[kind.rawValue].note(line: line, count: count)
    }
}

extension Span<UInt8> {
    fileprivate func isWord(_ word: StaticString) -> Bool { count == word.utf8CodeUnitCount && hasLiteral(word, at: 0) == true }
}
