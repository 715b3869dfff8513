/// The prefixes that a GPX file declares, as far as they matter to what is copied out of it.
///
/// A declaration counts from where it stands to the end of the file, except for one inside of what is copied.
struct GPXNamespaces {
    /// What must be done so that a prefix means the same in the copy.
    enum Binding: Equatable {
        /// Nothing: the document that the copy goes to declares it.
        case given
        /// The copy declares it.
        case local(String)
    }

    /// More than any file has that somebody means.
    private static let most = 100
    /// What a ``GPXWriter`` declares in any case.
    private static let writersOwn: Set<String> = ["gpxtpx", "waypost", "xsi", "xml"]

    /// GPX itself.
    static let gpx: Set<String> = ["http://www.topografix.com/GPX/1/1", "http://www.topografix.com/GPX/1/0"]

    private struct Declaration {
        var prefix: String
        var uri: String
        var isGiven: Bool
    }

    private var declarations: [Declaration] = []

    /// Notes a declaration outside of what is copied; `prefix` is empty for the default namespace.
    mutating func note(prefix: String, uri: String) {
        guard declarations.count < GPXNamespaces.most, declaration(of: prefix)?.uri != uri else { return }
        declarations.append(Declaration(prefix: prefix, uri: uri, isGiven: false))
    }

    /// Gives all that are known to the head of the document.
    mutating func give() -> [GPXHead.Namespace] {
        var given: [GPXHead.Namespace] = []
        for index in declarations.indices where !["", "xsi", "xml", "xmlns"].contains(declarations[index].prefix) {
            declarations[index].isGiven = true
            given.append(GPXHead.Namespace(prefix: declarations[index].prefix, uri: declarations[index].uri))
        }
        return given
    }

    /// What the prefix means; one that nobody declares gets a namespace made of it, since XML wants one.
    func binding(of prefix: String) -> Binding {
        if prefix == "xsi" || prefix == "xml" { return .given }
        if let declaration = declaration(of: prefix) { return declaration.isGiven ? .given : .local(declaration.uri) }
        return GPXNamespaces.writersOwn.contains(prefix) ? .given : .local("urn:undeclared:\(prefix)")
    }

    /// Whether a prefix was declared to stand for GPX itself, as in a second document that has another prefix than the first.
    func isGPX(_ prefix: String) -> Bool {
        declaration(of: prefix).map { GPXNamespaces.gpx.contains($0.uri) } == true
    }

    /// The default namespace, empty when there is none.
    var defaultURI: String { declaration(of: "")?.uri ?? "" }

    private func declaration(of prefix: String) -> Declaration? { declarations.last { $0.prefix == prefix } }
}
