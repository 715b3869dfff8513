extension [UInt8] {
    /// Whether these bytes occur in the collection; an empty sequence always does.
    ///
    /// The standard library's search for a text in a text links its regular expression engine, 2 MB.
    /// - Cost: the product of both lengths at worst; meant for texts the size of a message.
    package func contains(bytes part: some Collection<UInt8>) -> Bool {
        part.isEmpty || indices.contains { self[$0...].starts(with: part) }
    }
}
