import Testing
import WaypostTestKit

/// The terminals of the tests themselves: what one test waits for must never be another test's.
@Suite struct PseudoTerminalTests {
    @Test func doesNotGiveANumberAgainThatAProgramMayWaitFor() throws {
        let unplugged = try (0..<10).map { _ in try PseudoTerminal() }
        for terminal in unplugged { terminal.unplug() }
        let others = try (0..<20).map { _ in try PseudoTerminal() }
        #expect(Set(unplugged.map(\.path)).isDisjoint(with: others.map(\.path)))
    }
}
