/// The kind of movement that a MediaTek receiver expects.
package enum PMTKNavigationMode: Int, Sendable, CaseIterable {
    /// Anything; the factory default.
    case normal = 0
    /// On foot, below 5 m/s.
    case fitness = 1
    /// In the air.
    case aviation = 2
    /// Under a balloon, to 80 km.
    case balloon = 3

    /// The name: `fitness`.
    package var name: String { "\(self)" }

    /// The mode with that name.
    package init?(name: String) {
        guard let mode = PMTKNavigationMode.allCases.first(where: { $0.name == name }) else { return nil }
        self = mode
    }

    /// The sentence that sets the mode.
    package var sentence: PMTKSentence { PMTKSentence(886, ["\(rawValue)"]) }
}
