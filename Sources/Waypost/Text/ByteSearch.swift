extension [UInt8] {
    /// Whether these bytes stand somewhere in it; no bytes always do.
    ///
    /// The standard library's search for a text in a text links its engine of regular expressions, 2 MB.
    /// - Cost: the product of both lengths at worst; for texts of a message's size.
    package func contains(bytes part: some Collection<UInt8>) -> Bool {
        part.isEmpty || indices.contains { self[$0...].starts(with: part) }
    }
}
