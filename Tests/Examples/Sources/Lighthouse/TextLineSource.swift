import Waypost
import WaypostPositioning

/// Positions as lines of text, `53.8867 8.1267`, over a connection that may break: a source that never gives up.
struct TextLineSource<Lines: AsyncSequence<String, any Error>>: PositionSource {
    let name: String
    private let connect: @Sendable () async throws -> Lines

    /// A source whose connection gives lines, and ends or throws when it breaks.
    init(name: String, connect: @escaping @Sendable () async throws -> Lines) {
        self.name = name
        self.connect = connect
    }

    func run(_ output: @escaping PositionSourceOutput) async throws(PositionSourceError) {
        var isLost = false
        while !Task.isCancelled {
            var words = "the connection has ended"
            do {
                for try await line in try await connect() {
                    guard let position = position(in: line) else { continue }
                    isLost = false
                    await output(.position(position))
                }
            } catch {
                words = "\(error)"
            }
            if Task.isCancelled { return }
            // Once, however often it fails until the next fix.
            if !isLost { await output(.lost(.disconnected("\(name): \(words)"))) }
            isLost = true
            try? await Task.sleep(for: .seconds(1))  // Cancelled: the loop ends.
        }
    }

    // The lines give no time, so the position has none.
    private func position(in line: String) -> Position? {
        let numbers = line.split(separator: " ").map { Double($0) }
        guard numbers.count == 2, let latitude = numbers[0], let longitude = numbers[1],
            let place = Coordinate(latitudeDegrees: latitude, longitudeDegrees: longitude)
        else { return nil }
        var position = Position(time: nil, coordinate: place)
        position.source = name
        return position
    }
}
