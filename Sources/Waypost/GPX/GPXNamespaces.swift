/// The namespaces that a GPX file declares; each declaration counts as long as its element is open.
///
/// It knows which elements are GPX's own, which are waypost's, and how a copied element keeps what its prefixes mean.
struct GPXNamespaces {
    /// What must be done so that a prefix means the same in a copied element.
    enum Binding: Equatable {
        /// Nothing: the document that receives the copy declares the prefix.
        case given
        /// The copy declares the prefix.
        case local(String)
        /// The meaning is lost, because more was declared at once than is kept.
        case unknown
    }

    private struct Declaration {
        /// The name after `xmlns:`; empty for the default namespace.
        var prefix: [UInt8]
        var uri: String
        /// How many elements are open within the element that declares it, itself among them.
        var depth: Int
    }

    /// More declarations at once than any sensible file has.
    private static let most = 1_024
    /// How many of them the receiver's root repeats; it has others of its own, and the rest is declared where it is used.
    private static let mostGiven = 128
    /// The longest namespace in bytes: with all of them escaped, still an attribute that can be read again.
    private static let longestURI = 2_048
    /// The namespaces of GPX itself.
    private static let gpx = ["http://www.topografix.com/GPX/1/1", "http://www.topografix.com/GPX/1/0"]

    private var declarations: [Declaration] = []
    /// The depth of the outermost element with a declaration that was not kept.
    private var lostDepth = Int.max
    /// The depth of the innermost element with a declaration.
    private var deepest = 0
    private var rootPrefix: [UInt8] = []
    /// What the root's prefix means at the root; nil when it is not declared.
    private var rootMeaning: String?
    /// Whether an open element inside the root declares the root's prefix again.
    private var isRootRedeclared = false
    /// Whether a name without a prefix is the root's namespace, as in nearly every file.
    private var isRootPlain = false
    /// What the root of the first document declares, and the document that receives the copies declares again.
    private var given: [GPXHead.Namespace] = []

    // MARK: - Declarations

    /// Whether elements inside the root declare something.
    @inline(__always)
    var hasScopes: Bool { deepest > 1 }

    /// Ends the declarations of elements that have ended; `depth` is the number of open elements.
    @inline(never)
    mutating func leave(below depth: Int) {
        guard deepest > depth else { return }
        while let last = declarations.last, last.depth > depth { declarations.removeLast() }
        if lostDepth > depth { lostDepth = .max }
        update()
    }

    /// Notes what the element at that depth, the root's being 1, declares; `prefix` is empty for the default namespace.
    mutating func note(prefix: String, uri: String, depth: Int) {
        // XML has no prefix without a namespace, and no attribute twice: the first one counts.
        guard !uri.isEmpty || prefix.isEmpty, prefix != "xml", prefix != "xmlns", !GPXNamespaces.isReserved(uri) else { return }
        let prefix = Array(prefix.utf8)
        if declarations.contains(where: { $0.depth == depth && $0.prefix == prefix }) { return }
        if declarations.count < GPXNamespaces.most, uri.utf8.count <= GPXNamespaces.longestURI {
            declarations.append(Declaration(prefix: prefix, uri: uri, depth: depth))
        } else {
            lostDepth = min(lostDepth, depth)
        }
        update()
    }

    /// Moves what the innermost start tag declares to another depth, once elements whose end tags are lost have ended.
    mutating func move(from depth: Int, to outer: Int) {
        var own: [Declaration] = []
        while let last = declarations.last, last.depth == depth { own.append(declarations.removeLast()) }
        leave(below: outer - 1)
        for var declaration in own.reversed() {
            declaration.depth = outer
            declarations.append(declaration)
        }
        update()
    }

    private mutating func update() {
        deepest = max(declarations.last?.depth ?? 0, lostDepth == .max ? 0 : lostDepth)
        isRootRedeclared = declarations.contains { $0.depth > 1 && $0.prefix == rootPrefix }
        isRootPlain = rootPrefix.isEmpty && !isRootRedeclared
    }

    /// Notes the prefix of a document's root, whose declarations are known.
    mutating func beginRoot(prefix: Span<UInt8>) {
        rootPrefix = prefix.withUnsafeBufferPointer { Array($0) }
        rootMeaning = meaning(of: prefix)
        update()
    }

    /// Keeps what a document's root declares, for the head of the document that receives the copies and for later documents in the same file.
    mutating func give() -> [GPXHead.Namespace] {
        let all = declarations.map { GPXHead.Namespace(prefix: String(decoding: $0.prefix, as: UTF8.self), uri: $0.uri) }
        // The writer declares its own in any case.
        let foreign = all.filter { namespace in
            !namespace.prefix.isEmpty && namespace.prefix != GPXWriter.schemaInstance.prefix && !GPXWriter.namespaces.contains(namespace)
        }
        given = Array(foreign.prefix(GPXNamespaces.mostGiven))
        return given
    }

    /// Passes over `xmlns=""` of an element with a name of GPX where GPX has it, as some XML libraries write it: true when it then is GPX.
    mutating func forgivesNoNamespace(_ prefix: Span<UInt8>, at depth: Int) -> Bool {
        guard prefix.isEmpty, rootPrefix.isEmpty,
            let index = declarations.lastIndex(where: { $0.prefix.isEmpty }), declarations[index].depth == depth,
            declarations[index].uri.isEmpty
        else { return false }
        declarations.remove(at: index)
        update()
        return isGPX(prefix)
    }

    // MARK: - Meanings

    /// Whether an element with that prefix is GPX: in the root's namespace, whatever that is, or in one of GPX.
    @inline(__always)
    func isGPX(_ prefix: Span<UInt8>) -> Bool {
        isRootPlain && prefix.isEmpty || !isRootRedeclared && isRoot(prefix) || isDeclaredGPX(prefix)
    }

    @inline(never)
    private func isDeclaredGPX(_ prefix: Span<UInt8>) -> Bool {
        guard let meaning = meaning(of: prefix) else { return rootMeaning == nil && isRoot(prefix) }
        return rootMeaning.map(meaning.isSameName) == true || GPXNamespaces.gpx.contains(where: meaning.isSameName)
    }

    /// Whether that namespace becomes GPX 1.1 in the copy: it, and whatever the root's is.
    private func isRootMeaning(_ meaning: String) -> Bool {
        meaning.isSameName(as: rootMeaning ?? GPXNamespaces.gpx[0]) || meaning.isSameName(as: GPXNamespaces.gpx[0])
    }

    @inline(__always)
    private func isRoot(_ prefix: Span<UInt8>) -> Bool {
        guard prefix.count == rootPrefix.count else { return false }
        for index in rootPrefix.indices where rootPrefix[index] != prefix[index] { return false }
        return true
    }

    /// Whether an element with that prefix is waypost's own.
    ///
    /// Where `waypost` is not declared, it stands for this namespace: such a file is one of ours that has lost its head.
    func isOwn(_ prefix: Span<UInt8>) -> Bool {
        if let meaning = meaning(of: prefix) { return meaning.isSameName(as: GPXWriter.own.uri) }
        return prefix.withUnsafeBufferPointer { $0.elementsEqual(GPXWriter.own.prefix.utf8) }
    }

    /// Whether a namespace is one that XML itself has, and no prefix may be declared for.
    static func isReserved(_ uri: String) -> Bool {
        uri == "http://www.w3.org/2000/xmlns/" || uri == "http://www.w3.org/XML/1998/namespace"
    }

    /// Whether two prefixes stand for the same namespace.
    func areSame(_ prefix: String, _ other: String) -> Bool { meaning(of: prefix).isSameName(as: meaning(of: other)) }

    /// Whether that prefix stands for the namespace of `xsi:schemaLocation`.
    func isSchemaInstance(_ prefix: String) -> Bool { meaning(of: prefix).isSameName(as: GPXWriter.schemaInstance.uri) }

    /// What keeps the meaning of a prefix in a copied element.
    func binding(of prefix: String) -> Binding {
        if prefix == "xml" { return .given }
        if lostDepth != .max { return .unknown }
        let meaning = meaning(of: prefix)
        if prefix.isEmpty { return isRootPlain || isRootMeaning(meaning) ? .given : .local(meaning) }
        let receiver = given.first { $0.prefix.isSameName(as: prefix) } ?? GPXWriter.namespaces.first { $0.prefix == prefix }
        return receiver?.uri.isSameName(as: meaning) == true ? .given : .local(meaning)
    }

    /// What a prefix means; one that is declared nowhere has the meaning that a ``GPXWriter`` gives it, or a namespace made from its name,
    /// because XML requires one.
    private func meaning(of prefix: String) -> String {
        let bytes = Array(prefix.utf8)
        if let meaning = meaning(of: bytes.span) { return meaning }
        if prefix.isEmpty { return "" }
        return GPXWriter.namespaces.first { $0.prefix == prefix }?.uri ?? "urn:undeclared:\(prefix)"
    }

    /// What a prefix is declared to mean, here or at the root of an earlier document of the file; nil when it is not declared.
    private func meaning(of prefix: Span<UInt8>) -> String? {
        func isSame(_ other: some Collection<UInt8>) -> Bool {
            prefix.count == other.count && prefix.withUnsafeBufferPointer { $0.elementsEqual(other) }
        }
        if let declaration = declarations.last(where: { isSame($0.prefix) }) { return declaration.uri }
        return given.first { isSame($0.prefix.utf8) }?.uri
    }
}

extension String {
    /// Whether both names have the same bytes: one letter that can be written in two ways makes two names in XML.
    func isSameName(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
