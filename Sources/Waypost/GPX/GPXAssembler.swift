/// Assembles tracks, routes and waypoints from the tokens of a GPX file.
///
/// A stack of the few elements that are read keeps track of the place; all other elements are skipped by counting. An element counts as
/// GPX when it is in the root's namespace, whatever that is; elements in `extensions` are recognized by name alone.
struct GPXAssembler {
    /// What has been found so far.
    var summary = GPXSummary()
    /// Why the file is not read; everything after a failure is ignored.
    var failure: GPXError?
    /// Whether the file is UTF-16, whatever it declares.
    var isUTF16 = false

    var stack = GPXElementStack()
    /// The number of nested open elements that are not read.
    var skipped = 0
    /// How many of these have the name of the point that they are in.
    private var skippedPoints = 0
    private var hasRoot = false
    var namespaces = GPXNamespaces()
    /// Whether the open `accuracy` element is ours.
    private var isOwnAccuracy = false
    var encoding = XMLText.Encoding.utf8
    /// The element whose start tag is open.
    var opening = GPXElement.document

    var text = XMLText(limit: GPXReader.longestText)
    /// The range of the element's text, when all of it is in the current bytes, as it nearly always is: it then needs no copy.
    var textRange: Range<Int>?
    var draft = GPXPointDraft()
    var path = GPXPath(number: 0)
    var isPathGiven = true
    var isSegmentOpen = false

    /// Whether to keep what does not fit into a ``Position``.
    let keepsOtherElements: Bool
    /// The copier; in use while `copying` is not nil.
    var copy = GPXElementCopy()
    /// The element being copied; usually nil.
    var copying: CopyPlace?
    /// An element whose content will be copied once its start tag ends.
    var copyingNext: CopyPlace?
    var head = GPXHead()
    var isHeadGiven: Bool
    var hasNamespaces = false
    /// The other elements of the open segment, and of the document.
    var segmentElements = GPXOtherElements()
    var endElements = GPXOtherElements()
    var segmentPoints = 0

    var lines = LineCount()
    var pieceHasNUL = false
    /// Whether NULs, or text outside the root, have been counted since the last tag: one stretch may come in several pieces.
    var hasCountedNUL = false
    var hasCountedOutside = false

    init(keepsOtherElements: Bool) {
        self.keepsOtherElements = keepsOtherElements
        isHeadGiven = !keepsOtherElements
    }

    // MARK: - Pieces

    /// Prepares for the tokens of these bytes.
    mutating func beginPiece(_ bytes: Span<UInt8>) {
        pieceHasNUL = bytes.hasNUL
    }

    /// Counts the lines of the bytes that were used.
    mutating func endPiece(_ bytes: Span<UInt8>, used: Int) {
        keepText(of: bytes)
        lines.add(bytes.extracting(0..<used))
    }

    /// Ends the file.
    ///
    /// - Parameter hasRest: whether bytes are left that do not form a whole token.
    mutating func finish(hasRest: Bool) {
        if failure != nil { return }
        if !hasRoot {
            failure = .noRoot
        } else if stack.top != .document {
            summary.add(.cut, line: lines.current)
        } else if hasRest {
            summary.add(.textOutside, line: lines.current)
        }
    }

    mutating func add(_ damage: GPXDamage, at offset: Int, in bytes: Span<UInt8>) {
        let lines = lines
        summary.add(damage, line: lines.line(at: offset, in: bytes))
    }

    /// Closes what is open, because another document begins.
    mutating func reset(at offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        breakPoint(at: offset, in: bytes)
        abandonCopy()
        skipped = 0
        skippedPoints = 0
        while stack.top != .document { close(at: offset, in: bytes, visit) }
    }

    // MARK: - Start tags

    /// Processes a start tag, after ``leaveScopes()`` or ``declare(_:in:)``.
    @inline(__always)
    mutating func startTag(_ name: Range<Int>, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        hasCountedNUL = false
        hasCountedOutside = false
        let local = GPXAssembler.local(name, in: bytes)
        let element = GPXElement(local, in: bytes)
        let prefix = name.lowerBound..<max(name.lowerBound, local.lowerBound - 1)
        if copying != nil { copy.startTag(bytes.extracting(name), in: namespaces) }
        if skipped == 0, element.isChild(of: stack.top), isRead(prefix, in: bytes) {
            open(element)
            if element == .accuracy { isOwnAccuracy = namespaces.isOwn(bytes.extracting(prefix)) }
        } else if skipped == 0, stack.top.isPoint, element.isChild(of: .extensions) {
            startBareExtension(element, prefix, local, in: bytes)
        } else {
            startOddTag(element, prefix, local, in: bytes, visit)
        }
    }

    /// Whether an element in its proper place is GPX or one of the extensions.
    @inline(__always)
    private mutating func isRead(_ prefix: Range<Int>, in bytes: Span<UInt8>) -> Bool {
        switch stack.top {
        case .extensions, .trackPointExtension: true
        default:
            namespaces.isGPX(bytes.extracting(prefix)) || namespaces.forgivesNoNamespace(bytes.extracting(prefix), at: depth + 1)
        }
    }

    @inline(__always)
    private mutating func open(_ element: GPXElement) {
        opening = element
        stack.push(element)
        if element.isText {
            text.removeAll()
            textRange = nil
        } else if element.isPoint {
            draft = GPXPointDraft()
        } else if element == .extensions, keepsOtherElements {
            copyingNext = CopyPlace(part: .extensions, owner: stack.parent, isContent: true)
        }
    }

    /// Handles an extension directly in its point, as in GPX 1.0: it is read as within `extensions`, where its copy goes.
    @inline(never)
    private mutating func startBareExtension(_ element: GPXElement, _ prefix: Range<Int>, _ local: Range<Int>, in bytes: Span<UInt8>) {
        if keepsOtherElements { beginCopy(of: nil, prefix, local, in: bytes) }
        open(element)
        if element == .accuracy { isOwnAccuracy = namespaces.isOwn(bytes.extracting(prefix)) }
    }

    /// Handles a start tag that is not read, out of place, or the root's.
    @inline(never)
    private mutating func startOddTag(
        _ element: GPXElement, _ prefix: Range<Int>, _ local: Range<Int>, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void
    ) {
        opening = .other
        if failure != nil { return }
        if stack.top == .document, skipped == 0 {
            startRoot(element, prefix, local, in: bytes)
            return
        }
        let isOwn = namespaces.isGPX(bytes.extracting(prefix))
        // A frame element where none may be, or anywhere inside a broken point: the tags in between were lost.
        if element.isFrame, isOwn, skipped == 0 && !isInExtensions || isPointOpen && draft.isBroken,
            element == .gpx || stack.hasParent(of: element)
        {
            add(.brokenMarkup, at: local.lowerBound, in: bytes)
            breakPoint(at: local.lowerBound, in: bytes)
            abandonCopy()
            let declared = depth + 1
            skipped = 0
            skippedPoints = 0
            while stack.top != .document, !element.isChild(of: stack.top) { close(at: local.lowerBound, in: bytes, visit) }
            namespaces.move(from: declared, to: depth + 1)
            if stack.top == .document { startRoot(element, prefix, local, in: bytes) } else { open(element) }
            return
        }
        if skipped == 0 {
            // What is in an element whose namespace is forgiven counts as GPX, whether it is copied or not.
            let part = keepsOtherElements || !isOwn ? otherPart(prefix, local, isOwn: isOwn, in: bytes) : nil
            if keepsOtherElements, copying == nil { beginCopy(of: part, prefix, local, in: bytes) }
        }
        skipped += 1
        if element.isPoint, stack.contains(element) { skippedPoints += 1 }
    }

    private var isInExtensions: Bool { stack.contains(.extensions) }
    private var isPointOpen: Bool { stack.contains(.trackPoint) || stack.contains(.waypoint) || stack.contains(.routePoint) }

    private mutating func startRoot(_ element: GPXElement, _ prefix: Range<Int>, _ local: Range<Int>, in bytes: Span<UInt8>) {
        if element == .gpx {
            if hasRoot { add(.secondDocument, at: local.lowerBound, in: bytes) }
            hasRoot = true
            namespaces.beginRoot(prefix: bytes.extracting(prefix))
            open(.gpx)
        } else if hasRoot {
            skipped = 1
        } else {
            let name = bytes.extracting(local.lowerBound..<min(local.upperBound, local.lowerBound + 64))
            failure = .notGPX(
                root: name.withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) },
                line: lines.line(at: local.lowerBound, in: bytes))
        }
    }

    // MARK: - Attributes

    @inline(__always)
    mutating func attribute(_ attribute: XMLAttribute, in bytes: Span<UInt8>) {
        let (name, value) = (attribute.name, attribute.value)
        if opening.isPoint { draft.attribute(name, value, in: bytes) } else if opening == .gpx { rootAttribute(name, value, in: bytes) }
        if keepsOtherElements { copyAttribute(name, value, in: bytes) }
    }

    /// Handles an attribute that came too late to be known when its tag began; what it declares counts inside the element.
    @inline(never)
    mutating func lateAttribute(_ attribute: XMLAttribute, in bytes: Span<UInt8>) {
        if attribute.mayDeclare(in: bytes) { declare(attribute, depth: depth, in: bytes) }
        self.attribute(attribute, in: bytes)
    }

    mutating func overlongAttribute(_ name: Range<Int>, in bytes: Span<UInt8>) {
        if copying != nil { copy.fail() } else if keepsOtherElements { noteUnkeptAttribute(name, in: bytes) }
        // Treated like an unreadable attribute: an empty one.
        if opening.isPoint { draft.attribute(name, 0..<0, in: bytes) }
    }

    @inline(__always)
    mutating func endStartTag(isEmpty: Bool, isBroken: Bool, at offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        if isBroken { add(.brokenMarkup, at: offset, in: bytes) }
        switch opening {
        case .trackPoint, .waypoint, .routePoint:
            if isBroken || !draft.endAttributes() { add(isBroken ? .brokenPoint : .badPlace, at: offset, in: bytes) }
            if isBroken { _ = draft.breakUp() }
        case .segment: beginSegment()
        case .gpx: beginDocument()
        case .track: beginPath(number: summary.tracks)
        case .route: beginPath(number: summary.routes)
        default: if isBroken { breakPoint(at: offset, in: bytes) }
        }
        if keepsOtherElements { endCopiedStartTag(isEmpty: isEmpty, isBroken: isBroken, at: offset, in: bytes) }
        guard isEmpty else { return }
        if opening == .other { endSkipped() } else if stack.top == opening { close(at: offset, in: bytes, visit) }
    }

    private mutating func beginPath(number: Int) {
        path = GPXPath(number: number)
        isPathGiven = false
        if opening == .track { summary.tracks += 1 } else { summary.routes += 1 }
    }

    /// A name without its prefix.
    @inline(__always)
    private static func local(_ name: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
        var start = name.lowerBound
        for index in name where bytes[unchecked: index] == UInt8(ascii: ":") {  // A range of the bytes.
            start = index + 1
        }
        return start..<name.upperBound
    }

    // MARK: - End tags

    @inline(__always)
    mutating func endTag(_ name: Range<Int>, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        hasCountedNUL = false
        hasCountedOutside = false
        let element = GPXElement(GPXAssembler.local(name, in: bytes), in: bytes)
        if skipped == 0, element == stack.top {
            // The figure in the element must be known before its copy ends.
            close(at: name.lowerBound, in: bytes, visit)
            if let copying { endCopiedTag(copying, at: name.lowerBound, in: bytes) }
        } else {
            // A tag that ends nothing must not complete a copy: what was not read would be read from it.
            if skipped > 0, let copying { endCopiedTag(copying, at: name.lowerBound, in: bytes) }
            endOddTag(element, at: name.lowerBound, in: bytes, visit)
        }
    }

    /// Handles the end tag of an element that is not read, or one that does not match.
    @inline(never)
    private mutating func endOddTag(_ element: GPXElement, at offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        if failure != nil { return }
        if skipped > 0 {
            guard element.isPoint, stack.contains(element), skippedPoints == 0 else {
                if element.isPoint, stack.contains(element) { skippedPoints -= 1 }
                endSkipped()
                return
            }
            skipped = 0
        }
        add(.brokenMarkup, at: offset, in: bytes)
        abandonCopy()
        guard element != .other, element != .document, stack.contains(element) else { return }
        breakPoint(at: offset, in: bytes)
        while stack.top != element { close(at: offset, in: bytes, visit) }
        close(at: offset, in: bytes, visit)
    }

    private mutating func endSkipped() {
        if skipped > 0 { skipped -= 1 }
        if skipped == 0 { skippedPoints = 0 }
    }

    mutating func breakPoint(at offset: Int, in bytes: Span<UInt8>) {
        if isPointOpen, draft.breakUp() { add(.brokenPoint, at: offset, in: bytes) }
    }

    /// Closes the innermost element that is read.
    @inline(__always)
    private mutating func close(at offset: Int, in bytes: Span<UInt8>, _ visit: (GPXItem) -> Void) {
        let element = stack.top
        stack.pop()
        switch element {
        case .trackPoint, .waypoint, .routePoint: endPoint(element, visit)
        case .segment: endSegment(visit)
        case .track, .route: givePath(element, visit)
        case .gpx: if keepsOtherElements { endDocument(visit) }
        case .extensions, .trackPointExtension, .document, .other: break
        case .name, .description: endString(element, at: offset, in: bytes)
        default: endValue(element, at: offset, in: bytes)
        }
    }

    @inline(__always)
    private mutating func endValue(_ element: GPXElement, at offset: Int, in bytes: Span<UInt8>) {
        if element == .accuracy, !isOwnAccuracy { return }
        let isReadable: Bool
        if let textRange {
            isReadable = draft.take(element, bytes.extracting(textRange))
        } else {
            let raw = text.raw
            isReadable = !text.isOverlong && draft.take(element, raw.span)
        }
        if !isReadable { add(.badValue, at: offset, in: bytes) } else if copying != nil { noteSaid(element, in: bytes) }
    }

    private mutating func endString(_ element: GPXElement, at offset: Int, in bytes: Span<UInt8>) {
        keepText(of: bytes)
        var faults = XMLText.Faults()
        let string = text.string(encoding, faults: &faults)
        if text.isOverlong { add(.overlongText, at: offset, in: bytes) }
        if faults.isWronglyEncoded { add(.wrongEncoding, at: offset, in: bytes) }
        for _ in 0..<faults.unknownReferences { add(.unknownReference, at: offset, in: bytes) }
        let isSecond =
            if stack.top.isPoint {
                (element == .name ? draft.point.name : draft.point.description) != nil
            } else {
                !isPathGiven && (element == .name ? path.name : path.description) != nil
            }
        if isSecond, keepsOtherElements { add(.unkeptElement, at: offset, in: bytes) }
        if stack.top.isPoint {
            draft.take(element, string: string)
        } else if isPathGiven, string != nil {
            add(.lateElement, at: offset, in: bytes)
        } else if element == .name {
            path.name = string
        } else {
            path.description = string
        }
    }

    // MARK: - What is whole

    @inline(__always)
    private mutating func endPoint(_ element: GPXElement, _ visit: (GPXItem) -> Void) {
        guard draft.isValid else { return }
        draft.finish()
        switch element {
        case .trackPoint:
            // A point directly in its track, or after a lost start tag.
            if !isSegmentOpen { beginSegment() }
            givePath(.track, visit)
            summary.trackPoints += 1
            segmentPoints += 1
            visit(.trackPoint(draft.point, segment: summary.segments - 1))
        case .routePoint:
            givePath(.route, visit)
            summary.routePoints += 1
            visit(.routePoint(draft.point, route: max(summary.routes - 1, 0)))
        default:
            if !isHeadGiven { giveHead(visit) }
            summary.waypoints += 1
            visit(.waypoint(draft.point))
        }
    }

    @inline(__always)
    mutating func givePath(_ element: GPXElement, _ visit: (GPXItem) -> Void) {
        if isPathGiven { return }
        isPathGiven = true
        if !isHeadGiven { giveHead(visit) }
        visit(element == .track ? .track(path) : .route(path))
    }
}
