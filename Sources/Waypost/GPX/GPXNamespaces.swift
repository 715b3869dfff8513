/// The prefixes that a GPX file declares, as far as they matter to the elements copied from it.
///
/// A declaration counts from its place to the end of the file, except for one inside a copied element.
struct GPXNamespaces {
    /// What must be done so that a prefix means the same in the copy.
    enum Binding: Equatable {
        /// Nothing: the document that receives the copy declares the prefix.
        case given
        /// The copy declares the prefix.
        case local(String)
    }

    /// More declarations than any sensible file has.
    private static let most = 100
    /// The prefixes that a ``GPXWriter`` always declares.
    private static let writersOwn: Set<String> = ["gpxtpx", "waypost", "xsi", "xml"]

    /// The namespaces of GPX itself.
    static let gpx: Set<String> = ["http://www.topografix.com/GPX/1/1", "http://www.topografix.com/GPX/1/0"]

    private struct Declaration {
        var prefix: String
        var uri: String
        var isGiven: Bool
    }

    private var declarations: [Declaration] = []

    /// Notes a declaration outside a copied element; `prefix` is empty for the default namespace.
    mutating func note(prefix: String, uri: String) {
        guard declarations.count < GPXNamespaces.most, declaration(of: prefix)?.uri != uri else { return }
        declarations.append(Declaration(prefix: prefix, uri: uri, isGiven: false))
    }

    /// Returns all known declarations for the head of the document.
    mutating func give() -> [GPXHead.Namespace] {
        var given: [GPXHead.Namespace] = []
        for index in declarations.indices where !["", "xsi", "xml", "xmlns"].contains(declarations[index].prefix) {
            declarations[index].isGiven = true
            given.append(GPXHead.Namespace(prefix: declarations[index].prefix, uri: declarations[index].uri))
        }
        return given
    }

    /// What the prefix means; an undeclared prefix gets a namespace made from its name, because XML requires one.
    func binding(of prefix: String) -> Binding {
        if prefix == "xsi" || prefix == "xml" { return .given }
        if let declaration = declaration(of: prefix) { return declaration.isGiven ? .given : .local(declaration.uri) }
        return GPXNamespaces.writersOwn.contains(prefix) ? .given : .local("urn:undeclared:\(prefix)")
    }

    /// Whether the copy's prefix stands for the namespace of the writer's own elements.
    func isWriters(_ prefix: String) -> Bool {
        declaration(of: prefix).map { AccuracyNamespace.isNamed($0.uri) } ?? (prefix == AccuracyNamespace.writersPrefix)
    }

    /// Whether a prefix was declared for GPX itself, as in a second document whose prefix differs from the first one's.
    func isGPX(_ prefix: String) -> Bool {
        declaration(of: prefix).map { GPXNamespaces.gpx.contains($0.uri) } == true
    }

    /// The default namespace, empty when there is none.
    var defaultURI: String { declaration(of: "")?.uri ?? "" }

    private func declaration(of prefix: String) -> Declaration? { declarations.last { $0.prefix.isSameName(as: prefix) } }
}

extension String {
    /// Whether both names have the same bytes: one letter that can be written in two ways makes two names in XML.
    func isSameName(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
