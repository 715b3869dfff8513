extension GPXAssembler {
    /// What is being copied, and the element that it belongs to.
    struct CopyPlace {
        var part: GPXOtherElements.Part
        /// The point, path, segment or document that owns it.
        var owner: GPXElement
        /// Whether only the element's content is copied.
        var isContent: Bool
        /// The figures that the copy states about its point so far.
        var figures = GPXOtherElements.Figures()
    }

    /// The part that an element which is not read plays in the open one; nil when it is not GPX's own, nor forgiven a missing namespace.
    ///
    /// Elements unknown to GPX are only allowed in its extensions; version 1.0 allowed them anywhere.
    mutating func otherPart(_ prefix: Range<Int>, _ local: Range<Int>, isOwn: Bool, in bytes: Span<UInt8>) -> GPXOtherElements.Part? {
        guard isOwn || prefix.isEmpty, stack.top.isFrame else { return nil }
        let name = bytes.extracting(local).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
        return GPXOtherElements.Part(name, in: stack.top).flatMap {
            isOwn || namespaces.forgivesNoNamespace(bytes.extracting(prefix), at: depth + 1) ? $0 : nil
        }
    }

    /// Starts copying an element that is not read, before the copy knows its name; it goes into the extensions when it is no part.
    mutating func beginCopy(of part: GPXOtherElements.Part?, _ prefix: Range<Int>, _ local: Range<Int>, in bytes: Span<UInt8>) {
        let owner = stack.top
        guard owner.isFrame else {
            // An element within a text has no place, and the copy of what is in `extensions` was given up.
            if owner.isText, failure == nil { add(.unkeptElement, at: local.lowerBound, in: bytes) }
            return
        }
        let whole = bytes.extracting((prefix.isEmpty ? local.lowerBound : prefix.lowerBound)..<local.upperBound)
        if let part, part.isContent {
            copyingNext = CopyPlace(part: part, owner: owner, isContent: true)
        } else {
            copying = CopyPlace(part: part ?? .extensions, owner: owner, isContent: false)
            copy.begin(isOwn: part != nil)
            copy.startTag(whole, in: namespaces)
        }
    }

    /// Processes an attribute of the element being copied.
    @inline(__always)
    mutating func copyAttribute(_ name: Range<Int>, _ value: Range<Int>, in bytes: Span<UInt8>) {
        if copying != nil { copy.attribute(bytes.extracting(name), bytes.extracting(value)) } else { noteUnkeptAttribute(name, in: bytes) }
    }

    /// Counts an attribute that is neither read nor copied.
    @inline(__always)
    mutating func noteUnkeptAttribute(_ name: Range<Int>, in bytes: Span<UInt8>) {
        if opening.isPoint, name.count == 3, bytes[unchecked: name.lowerBound] == UInt8(ascii: "l") {  // Within the bytes, by the count.
            return
        }
        countUnkeptAttribute(name, in: bytes)
    }

    @inline(never)
    private mutating func countUnkeptAttribute(_ name: Range<Int>, in bytes: Span<UInt8>) {
        // What is skipped without a copy has been counted as an element.
        guard failure == nil, skipped == 0 || copyingNext != nil else { return }
        switch GPXElementCopy.split(bytes.extracting(name)) {
        case ("", "xmlns")?, ("xmlns", _)?: return
        case ("", "version")?, ("", "creator")?: if opening == .gpx { return }
        case (let prefix, "schemaLocation")?: if opening == .gpx, namespaces.isSchemaInstance(prefix) { return }
        default: break
        }
        add(.unkeptAttribute, at: name.lowerBound, in: bytes)
    }

    /// How many elements are open.
    var depth: Int { stack.depth + skipped }

    /// Ends the scopes that have ended, before a start tag that declares nothing.
    @inline(__always)
    mutating func leaveScopes() {
        if namespaces.hasScopes || stack.top == .document { namespaces.leave(below: depth) }
    }

    /// Notes what the attributes of the next start tag declare.
    @inline(never)
    mutating func declare(_ attributes: [XMLAttribute], in bytes: Span<UInt8>) {
        namespaces.leave(below: depth)
        for attribute in attributes { declare(attribute, depth: depth + 1, in: bytes) }
    }

    /// Notes an attribute if it declares a namespace for the element of that depth, and what is in it.
    mutating func declare(_ attribute: XMLAttribute, depth: Int, in bytes: Span<UInt8>) {
        guard let (prefix, local) = GPXElementCopy.split(bytes.extracting(attribute.name)), (prefix.isEmpty ? local : prefix) == "xmlns"
        else {
            return
        }
        var faults = XMLText.Faults()
        let uri = XMLText.string(bytes.extracting(attribute.value), encoding, trims: false, faults: &faults) ?? ""
        namespaces.note(prefix: prefix.isEmpty ? "" : local, uri: uri, depth: depth)
    }

    /// Ends a start tag after it was read: of the element being copied, or of the one whose content is copied from here on.
    mutating func endCopiedStartTag(isEmpty: Bool, isBroken: Bool, at offset: Int, in bytes: Span<UInt8>) {
        if let place = copying {
            if isBroken { copy.fail() }
            copy.endStartTag(isEmpty: isEmpty, in: namespaces)
            if isEmpty, copy.depth == 0, !place.isContent { endCopy(place, at: offset, in: bytes) }
        } else if let place = copyingNext {
            copyingNext = nil
            if isEmpty { return }
            copying = place
            let holdsElements = place.part == .metadata || place.part == .extensions
            copy.begin(isOwn: place.part == .metadata, isTextOnly: !holdsElements)
        }
    }

    /// Processes an end tag before it is read; the tag may end the copy.
    mutating func endCopiedTag(_ place: CopyPlace, at offset: Int, in bytes: Span<UInt8>) {
        if place.isContent, copy.depth == 0 { return endCopy(place, at: offset, in: bytes) }
        copy.endTag()
        if !place.isContent, copy.depth == 0 { endCopy(place, at: offset, in: bytes) }
    }

    /// Abandons the current copy because its markup is broken.
    mutating func abandonCopy() {
        copying = nil
        copyingNext = nil
    }

    /// Notes a figure that the copy also states, unless its element is empty.
    mutating func noteSaid(_ element: GPXElement, in bytes: Span<UInt8>) {
        let isBlank =
            if let textRange { bytes.extracting(textRange).trimmingXMLSpace.isEmpty } else { text.raw.span.trimmingXMLSpace.isEmpty }
        if isBlank { return }
        switch element {
        case .speed: copying?.figures.speedMetresPerSecond = draft.point.position.speedMetresPerSecond
        case .course: copying?.figures.courseDegrees = draft.point.position.courseDegrees
        default: copying?.figures.accuracyMetres = draft.point.position.accuracy?.radiusMetres
        }
    }

    private mutating func endCopy(_ place: CopyPlace, at offset: Int, in bytes: Span<UInt8>) {
        copying = nil
        let (xml, hasFailed) = copy.finish()
        if copy.faults.isWronglyEncoded { add(.wrongEncoding, at: offset, in: bytes) }
        for _ in 0..<copy.faults.unknownReferences { add(.unknownReference, at: offset, in: bytes) }
        if hasFailed { add(.unkeptElement, at: offset, in: bytes) }
        guard let xml else { return }
        let hasRoom: Bool
        switch place.owner {
        case .track, .route:
            if isPathGiven { return add(.lateElement, at: offset, in: bytes) }
            if path.other == nil { path.other = GPXOtherElements() }
            noteLosses(of: path.other, adding: place.part, at: offset, in: bytes)
            hasRoom = path.other?.add(place.part, xml) == true
        case .segment: hasRoom = segmentElements.add(place.part, xml)
        case .gpx:
            if place.part == .extensions {
                hasRoom = endElements.add(place.part, xml)
            } else {
                if isHeadGiven { return add(.lateElement, at: offset, in: bytes) }
                noteLosses(of: head.other, adding: place.part, at: offset, in: bytes)
                hasRoom = head.other.add(place.part, xml)
            }
        default:
            noteLosses(of: draft.point.other, adding: place.part, at: offset, in: bytes)
            hasRoom = draft.add(place.part, xml, saying: place.figures)
        }
        if !hasRoom { add(.unkeptElement, at: offset, in: bytes) }
    }

    private mutating func noteLosses(of other: GPXOtherElements?, adding part: GPXOtherElements.Part, at offset: Int, in bytes: Span<UInt8>)
    {
        for _ in 0..<(other?.losses(adding: part) ?? 0) { add(.unkeptElement, at: offset, in: bytes) }
    }

    // MARK: - Segments and the document

    mutating func beginSegment() {
        isSegmentOpen = true
        summary.segments += 1
        segmentPoints = 0
        segmentElements = GPXOtherElements()
    }

    mutating func endSegment(_ visit: (GPXItem) -> Void) {
        isSegmentOpen = false
        guard keepsOtherElements, segmentPoints == 0 || !segmentElements.isEmpty else { return }
        givePath(.track, visit)
        visit(.segmentEnd(segmentElements, segment: summary.segments - 1))
    }

    /// Processes the root's declarations; those of a second document count where they are used.
    mutating func beginDocument() {
        guard !hasNamespaces else { return }
        hasNamespaces = true
        head.namespaces = namespaces.give()
    }

    mutating func rootAttribute(_ name: Range<Int>, _ value: Range<Int>, in bytes: Span<UInt8>) {
        var faults = XMLText.Faults()
        if name.count == 7, bytes.hasLiteral("version", at: name.lowerBound) == true {
            summary.version = XMLText.string(bytes.extracting(value), encoding, faults: &faults)
            if let version = summary.version, version != "1.0", version != "1.1" {
                add(.unknownVersion, at: value.lowerBound, in: bytes)
            }
        } else if name.count == 7, bytes.hasLiteral("creator", at: name.lowerBound) == true {
            summary.creator = XMLText.string(bytes.extracting(value), encoding, faults: &faults)
        }
    }

    /// Emits the head, before anything else.
    mutating func giveHead(_ visit: (GPXItem) -> Void) {
        isHeadGiven = true
        visit(.head(head))
    }

    mutating func endDocument(_ visit: (GPXItem) -> Void) {
        if !isHeadGiven { giveHead(visit) }
        if !endElements.isEmpty { visit(.end(endElements)) }
        endElements = GPXOtherElements()
    }
}
