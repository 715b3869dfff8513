// Garmin's TrackPointExtension, versions 1 and 2, and what else occurs in a point's `extensions`.
//
// ```
// <extensions>
//   <gpxtpx:TrackPointExtension>         any prefix, declared or not
//     <gpxtpx:atemp> ... <gpxtpx:cad>    version 1: passed over
//     <gpxtpx:speed>3.2</gpxtpx:speed>   version 2: m/s
//     <gpxtpx:course>271.5</...>         degrees true
//     <gpxtpx:bearing>                   passed over: where to, not where from
//   </gpxtpx:TrackPointExtension>
//   <waypost:accuracy>4.2</...>          namespace urn:waypost:gpx:1, or declared nowhere: radius in m that holds 68 %
//   <speed>, <osmand:speed>, <course>    by the same names and units
// </extensions>
// ```
//
// - Source: https://www8.garmin.com/xmlschemas/TrackPointExtensionv1.xsd and TrackPointExtensionv2.xsd.

/// The prefixes that stand for our own namespace.
///
/// Declarations count from their place to the end of the file, because no file uses one prefix for two namespaces, except for those in a
/// scope. Where `waypost` is not declared, it stands for our namespace: such a file is one of ours that has lost its head.
struct AccuracyNamespace {
    /// The namespace of `waypost:accuracy`.
    static let name: StaticString = "urn:waypost:gpx:1"
    /// The prefix that a ``GPXWriter`` declares for it.
    static let writersPrefix = "waypost"
    /// More prefixes than any sensible file has.
    private static let most = 100

    /// The prefixes for the namespace, each by its last declaration; an empty one for the default namespace.
    private var prefixes: [[UInt8]] = [Array(AccuracyNamespace.writersPrefix.utf8)]
    /// What the prefixes were outside of the elements whose declarations end with them, by the depth of these.
    private var outer: [(depth: Int, prefixes: [[UInt8]])] = []

    /// Whether there are declarations that end with their elements.
    @inline(__always)
    var hasScopes: Bool { !outer.isEmpty }

    /// Ends the declarations of elements that have ended.
    ///
    /// - Parameter depth: how many elements are open.
    mutating func leaveScopes(below depth: Int) {
        while let last = outer.last, last.depth > depth {
            prefixes = last.prefixes
            outer.removeLast()
        }
    }

    /// Processes an attribute, which may declare the namespace.
    ///
    /// - Parameter scope: the depth of the element with which the declaration ends; nil for one that counts to the end of the file.
    mutating func take(attribute name: Range<Int>, value: Range<Int>, in bytes: Span<UInt8>, scope: Int? = nil) {
        let before = prefixes
        declare(name, value, in: bytes)
        guard let scope, prefixes != before, outer.last?.depth != scope else { return }
        outer.append((scope, before))
    }

    private mutating func declare(_ name: Range<Int>, _ value: Range<Int>, in bytes: Span<UInt8>) {
        guard bytes.hasLiteral("xmlns", at: name.lowerBound) == true else { return }
        guard name.count == 5 || bytes[name.lowerBound + 5] == UInt8(ascii: ":") else { return }
        let isOurs =
            value.count == AccuracyNamespace.name.utf8CodeUnitCount
            && bytes.hasLiteral(AccuracyNamespace.name, at: value.lowerBound) == true
        // A declaration for another namespace matters only to prefixes that stand for ours.
        guard isOurs || !prefixes.isEmpty else { return }
        let prefix = name.count == 5 ? 0..<0 : name.lowerBound + 6..<name.upperBound
        let declared = bytes.extracting(prefix).withUnsafeBufferPointer { Array($0) }
        if !isOurs {
            if let index = prefixes.firstIndex(of: declared) { prefixes.remove(at: index) }
        } else if prefixes.count < AccuracyNamespace.most, !prefixes.contains(declared) {
            prefixes.append(declared)
        }
    }

    /// Whether an element with that prefix is in the namespace.
    func contains(prefix candidate: [UInt8]) -> Bool {
        prefixes.contains(candidate)
    }

    /// Whether a namespace is this one.
    static func isNamed(_ uri: String) -> Bool {
        name.withUTF8Buffer { $0.elementsEqual(uri.utf8) }
    }
}
