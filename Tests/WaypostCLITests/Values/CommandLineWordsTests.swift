import Testing
import Waypost
import WaypostSystem

@testable import WaypostCLI

/// The words of a command line: values with a minus, and what is said of words that are wrong.
@Suite struct CommandLineWordsTests {
    @Test(arguments: [
        ("fences add Opera --at -33.8568,151.2153 --radius 50", "fences add Opera --at=-33.8568,151.2153 --radius 50"),
        ("log export --since -1h", "log export --since=-1h"),
        ("fences add A --at -.5,1 --radius 5", "fences add A --at=-.5,1 --radius 5"),
        ("log export --since=-1h --log -x", "log export --since=-1h --log -x"),
        ("track moved -- --by -3", "track moved -- --by -3"),
        ("convert - - --to gpx", "convert - - --to gpx"),
    ]) func joinsNegativeValuesToTheirOptions(line: String, joined: String) {
        let words = line.split(separator: " ").map(String.init)
        #expect(CommandLineWords(words).joined.joined(separator: " ") == joined)
    }

    @Test(arguments: [
        ("staus", "Unexpected argument 'staus'", "waypost: usage: there is no command 'staus'; did you mean status?"),
        ("log exprot", "Unexpected argument 'exprot'", "waypost: log: there is no command 'exprot'; did you mean log export?"),
        ("xyzzy", "Unexpected argument 'xyzzy'", "waypost: usage: there is no command 'xyzzy'; see waypost --help"),
        ("watch --bogus", "Unknown option '--bogus'", "waypost: watch: unknown option '--bogus'; see waypost watch --help"),
        (
            "--json status", "Unknown option '--json'",
            "waypost: status: options come after the command; did you mean waypost status --json?"
        ),
        (
            "--units metric fences list", "Unknown option '--units'",
            "waypost: usage: options come after the command; did you mean waypost fences list --units metric?"
        ),
        (
            "--jsno status", "Unknown option '--jsno'",
            "waypost: status: unknown option '--jsno' (did you mean '--json'?); see waypost status --help"
        ),
        (
            "dispatch now home extra", "Unexpected argument 'extra'",
            "waypost: dispatch now: unexpected argument 'extra'; see waypost dispatch now --help"
        ),
        (
            "watch --accuracy x", "The value 'x' is invalid. Please provide one of the following:\n  - best\n  - reduced\n",
            "waypost: watch: the value 'x' is invalid; use one of: best, reduced; see waypost watch --help"
        ),
    ]) func saysWhatIsWrongInOneLine(line: String, message: String, failure: String) {
        let words = CommandLineWords(line.split(separator: " ").map(String.init))
        #expect(words.failure(message).line == failure)
        #expect(words.failure(message).status == .usage)
    }
}
