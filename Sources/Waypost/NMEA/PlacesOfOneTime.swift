/// The places that each sentence has reported for one time.
///
/// The same sentence again with the same time but another place is the next epoch: some receivers report whole seconds at 5 Hz, and
/// some have a clock that stands still while they move. With the same place it is a repetition, and nothing new.
struct PlacesOfOneTime {
    private struct Said: Equatable {
        var talker: UInt16
        var coordinate: Coordinate
    }

    private var millisecondOfDay = -1
    private var said = InlineArray<4, Said?>(repeating: nil)

    /// Notes a sentence's place; true when the same sentence has reported another place for the same time before.
    mutating func isNext(_ type: NMEASentenceType, talker: UInt16, at moment: Int, _ coordinate: Coordinate) -> Bool {
        let slot = Int(type.rawValue)
        guard slot < said.count else { return false }
        let place = Said(talker: talker, coordinate: coordinate)
        var isNext = false
        if moment != millisecondOfDay {
            millisecondOfDay = moment
            said = InlineArray(repeating: nil)
        } else if let before = said[slot], before.talker == talker, before != place {
            isNext = true
            said = InlineArray(repeating: nil)
        }
        said[slot] = place
        return isNext
    }
}
