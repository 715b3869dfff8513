/// A program whose output is read: `exec:COMMAND`; the whole rest is the command, and only the shell interprets it.
///
/// Neither `?` nor `%` means anything in it.
package struct ExecKind: SourceKind {
    package static let scheme = "exec"
    package static let forms = ["exec:COMMAND"]
    package static let documentation = "a program that prints NMEA or JSON lines"

    /// The command for the shell, without blanks around it.
    package var command: String

    /// A program.
    package init(_ command: String) {
        self.command = command
    }

    package init(afterScheme text: Substring) throws(SourceURLError) {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var command = text.drop(while: isBlank)
        while command.last.map(isBlank) ?? false { command.removeLast() }
        guard !command.isEmpty else {
            throw .invalid(reason: "exec: needs a command that prints NMEA or JSON lines, as in exec:gpspipe -r")
        }
        // The name of a source must be one line wherever it is printed.
        let isPrintable = command.unicodeScalars.allSatisfy { $0 == "\t" || $0.value >= 0x20 && !(0x7F..<0xA0).contains($0.value) }
        guard isPrintable else {
            throw .invalid(reason: "the command of exec: must be on one line, without control characters; put a longer one into a script")
        }
        self.init(String(command))
    }

    package var afterScheme: String { command }

    package func makeSource(_ settings: SourceSettings) -> any PositionSource { ExecSource(command: command) }
}
