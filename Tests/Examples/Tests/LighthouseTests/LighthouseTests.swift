import Testing
import WaypostTestKit

@testable import Lighthouse

@Test func keepsTheContract() async {
    let violations = await PositionSourceContract().violations { LighthouseSource() }
    #expect(violations.isEmpty, "\(violations)")
}
