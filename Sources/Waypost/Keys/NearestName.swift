/// The known name that was probably meant, nil when none is near.
///
/// Case, `-` and `_` do not count (`syncInterval` is `sync_interval`); beyond that a third of the letters may be wrong, missing, extra or swapped.
/// - Cost: one table of name lengths per known name whose length is near; a long unknown name costs nothing.
package func nearestName(to unknown: String, among known: [String]) -> String? {
    // Nothing that long is a misspelt key, so it is not even folded.
    guard unknown.utf8.count <= 64 else { return nil }
    let wanted = folded(unknown)
    var best: (name: String, distance: Int)?
    for name in known {
        let candidate = folded(name)
        let limit = max(1, max(candidate.count, wanted.count) / 3)
        guard abs(candidate.count - wanted.count) <= limit else { continue }
        let distance = editDistance(wanted, candidate)
        // One letter is near any other letter, which is not worth suggesting.
        guard distance <= limit, distance < candidate.count, distance < best?.distance ?? Int.max else { continue }
        best = (name, distance)
    }
    // A file holds what was meant to stand here: token instead of token_file.
    return best?.name ?? known.first { folded($0) == wanted + folded("file") }
}

private func folded(_ name: String) -> [Character] {
    name.lowercased().filter { $0 != "-" && $0 != "_" }.map { $0 }
}

/// The number of letters to insert, delete, replace or swap with a neighbour (optimal string alignment).
private func editDistance(_ left: [Character], _ right: [Character]) -> Int {
    guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1...left.count {
        var current = [row]
        for column in 1...right.count {
            let same = left[row - 1] == right[column - 1]
            var distance = min(last[column] + 1, current[column - 1] + 1, last[column - 1] + (same ? 0 : 1))
            if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                distance = min(distance, beforeLast[column - 2] + 1)
            }
            current.append(distance)
        }
        beforeLast = last
        last = current
    }
    return last[right.count]
}
