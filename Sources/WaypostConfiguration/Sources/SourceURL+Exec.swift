extension SourceURL {
    /// A program whose output is read.
    public struct Exec: Equatable, Hashable, Sendable {
        /// What the shell runs, without blanks around it.
        public var command: String

        /// A program.
        public init(_ command: String) {
            self.command = command
        }
    }
}

extension SourceURL.Exec {
    /// Reads `COMMAND`: everything, for the shell alone to understand.
    ///
    /// Neither `?` nor `%` means anything here.
    init(afterScheme text: Substring) throws(SourceURLError) {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var command = text.drop(while: isBlank)
        while command.last.map(isBlank) ?? false { command.removeLast() }
        guard !command.isEmpty else { throw .missingCommand }
        // A name of a source is one line everywhere that it is printed.
        let isPrintable = command.unicodeScalars.allSatisfy { $0 == "\t" || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
        guard isPrintable else { throw .badCommand }
        self.init(String(command))
    }

    var urlText: String { "exec:" + command }
}
