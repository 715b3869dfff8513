import Testing

@testable import WaypostConfiguration

/// `[log] types = []`: nothing is logged, and what cannot go with that.
@Suite struct LogSwitchTests {
    @Test func switchesTheLogOff() throws {
        #expect(try readConfiguration("[log]\ntypes = []\n").configuration.log.isOff)
        #expect(try !readConfiguration("").configuration.log.isOff)
        #expect(try !readConfiguration("[log]\ntypes = [\"source\"]\n").configuration.log.isOff)
    }

    /// Positions are sent from the log.
    @Test func refusesDestinationsThatWantPositions() {
        let text = "[log]\ntypes = []\n[[destination]]\nname = \"fleet\"\nurl = \"https://a.example/\"\n"
        #expect(
            mistakes(in: text) == [
                """
                waypost.toml:2:1: [log] types: is [], which switches the log off, and positions for 'fleet' come from the log; write \
                positions = false in [[destination]], which then gets events alone, or types = ["raw"]
                """
            ])
    }

    @Test(arguments: [
        "name = \"fleet\"\nurl = \"https://a.example/\"\npositions = false\n",
        "name = \"shop\"\nkind = \"tealium\"\naccount = \"a\"\nurl = \"https://a.example/\"\n",
        "name = \"none\"\nurl = \"\"\n",
    ]) func acceptsDestinationsOfEventsAlone(keys: String) {
        #expect(mistakes(in: "[log]\ntypes = []\n[[destination]]\n" + keys).isEmpty)
    }
}
