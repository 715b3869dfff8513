extension GPXWriter {
    // MARK: - What another GPX file says besides

    /// The namespaces of our own elements, and those declared in the head of another file.
    mutating func append(_ foreign: [GPXHead.Namespace], into text: inout TextBuffer) {
        func isForeign(_ own: GPXHead.Namespace) -> Bool { foreign.contains { $0.prefix == own.prefix && $0.uri != own.uri } }
        hasForeignGarminPrefix = isForeign(GPXWriter.garmin)
        hasForeignOwnPrefix = isForeign(GPXWriter.own)
        let own = [GPXWriter.garmin, GPXWriter.own].filter { own in !foreign.contains { $0.prefix == own.prefix } }
        for namespace in own + foreign {
            text.append(" xmlns:")
            text.append(string: namespace.prefix)
            text.append("=\"")
            text.append(xmlEscaped: namespace.uri)
            text.append("\"")
        }
    }

    /// Garmin's TrackPointExtension.
    private static let garmin = GPXHead.Namespace(prefix: "gpxtpx", uri: "http://www.garmin.com/xmlschemas/TrackPointExtension/v2")
    /// waypost's own elements.
    static let own = GPXHead.Namespace(prefix: "waypost", uri: "urn:waypost:gpx:1")
    /// The namespace of `schemaLocation`.
    static let schemaInstance = GPXHead.Namespace(prefix: "xsi", uri: "http://www.w3.org/2001/XMLSchema-instance")
    /// All that a document declares, unless its head gives one of the first two prefixes another meaning.
    static let namespaces = [garmin, own, schemaInstance]

    /// An element, unchanged from its file.
    @inline(__always)
    func append(_ other: GPXOtherElements?, _ part: GPXOtherElements.Part, into text: inout TextBuffer) {
        guard let other, let xml = other[part] else { return }
        text.append(string: xml)
    }

    /// Links, and their equivalents in GPX 1.0; one that leads nowhere keeps its text.
    func append(linksOf other: GPXOtherElements, into text: inout TextBuffer) {
        append(other, .link, into: &text)
        guard other[.url] != nil || other[.urlName] != nil else { return }
        text.append("<link href=\"")
        text.append(string: other[.url] ?? "")
        text.append("\">")
        append(content: other[.urlName], "<text>", "</text>", into: &text)
        text.append("</link>")
    }

    /// All extensions.
    func append(extensions other: GPXOtherElements, into text: inout TextBuffer) {
        append(content: other[.extensions], "<extensions>", "</extensions>\n", into: &text)
    }

    /// The metadata of GPX 1.1, or their equivalents in 1.0.
    func append(metadata other: GPXOtherElements, into text: inout TextBuffer) {
        text.append("<metadata>")
        if let metadata = other[.metadata] {
            text.append(string: metadata)
        } else {
            append(other, .name, into: &text)
            append(other, .description, into: &text)
            append(authorOf: other, into: &text)
            append(linksOf: other, into: &text)
            append(other, .time, into: &text)
            append(other, .keywords, into: &text)
            append(other, .bounds, into: &text)
        }
        text.append("</metadata>\n")
    }

    private func append(authorOf other: GPXOtherElements, into text: inout TextBuffer) {
        guard other[.authorName] != nil || other[.email] != nil else { return }
        text.append("<author>")
        append(content: other[.authorName], "<name>", "</name>", into: &text)
        if let email = other[.email] {
            // GPX 1.1 has addresses in two parts; what is not one has one.
            let parts = email.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
            text.append("<email id=\"")
            text.append(string: String(parts[0]))
            text.append("\" domain=\"")
            text.append(string: parts.count == 2 ? String(parts[1]) : "")
            text.append("\"/>")
        }
        text.append("</author>")
    }

    private func append(content xml: String?, _ open: StaticString, _ close: StaticString, into text: inout TextBuffer) {
        guard let xml else { return }
        text.append(open)
        text.append(string: xml)
        text.append(close)
    }
}
