/// The places that each sentence has said under one time.
///
/// The same sentence again with the same time but another place is the next epoch: such are receivers that give whole seconds at 5 Hz,
/// and receivers whose clock stands still while they move. With the same place it is a repetition, and nothing new.
struct PlacesOfOneTime {
    private struct Said: Equatable {
        var talker: UInt16
        var coordinate: Coordinate
    }

    private var millisecondOfDay = -1
    private var said = InlineArray<4, Said?>(repeating: nil)

    /// Notes what a sentence says; true when the same sentence has said another place under the same time before.
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
