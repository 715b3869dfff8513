// What a successor must know to continue as if nothing had happened.
extension PositionEstimator {
    func write(to writer: inout StateWriter) {
        writer.write(last != nil)
        if let last {
            writer.write(last.coordinate)
            writer.write(last.seconds)
            writer.write(last.velocity != nil)
            if let velocity = last.velocity { Self.write(velocity, to: &writer) }
            writer.write(last.speed)
        }
        Self.write(correction, to: &writer)
        Self.write(error, to: &writer)
        for real in [positionVariance, covariance, errorVariance, claimed, scale, doubtedSince, way.east, way.north] { writer.write(real) }
        writer.write(UInt64(fixes))
        writer.write(UInt64(doubted))
        writer.write(hasBegunAgain)
        writer.write(UInt64(way.points.count))
        for point in way.points {
            for real in [point.seconds, point.east, point.north] { writer.write(real) }
        }
    }

    /// Moves all of it on the timeline.
    mutating func move(bySeconds shift: Double) {
        guard shift != 0 else { return }
        last?.seconds += shift
        doubtedSince += shift
        for index in way.points.indices { way.points[index].seconds += shift }
    }

    init(reading reader: inout StateReader) throws(GeofenceStateError) {
        if try reader.readFlag() {
            guard let coordinate = try reader.readPlace() else { throw .value(offset: reader.offset) }
            let seconds = try reader.readReal()
            let velocity = try reader.readFlag() ? try Self.readPoint(&reader) : nil
            last = Fix(coordinate: coordinate, seconds: seconds, velocity: velocity, speed: try reader.readOptionalReal())
        }
        correction = try Self.readPoint(&reader)
        error = try Self.readPoint(&reader)
        positionVariance = try reader.readReal()
        covariance = try reader.readReal()
        errorVariance = try reader.readReal()
        claimed = try reader.readReal()
        scale = try reader.readReal()
        doubtedSince = try reader.readReal()
        way.east = try reader.readReal()
        way.north = try reader.readReal()
        // More fixes than anyone will ever have mean a damaged number.
        let (fixes, doubted) = (try reader.readNumber(), try reader.readNumber())
        guard max(fixes, doubted) < 1 << 53 else { throw .value(offset: reader.offset) }
        (self.fixes, self.doubted) = (Int(fixes), Int(doubted))
        hasBegunAgain = try reader.readFlag()
        for _ in 0..<min(try reader.readCount(leastBytes: 24), DopplerWay.most) {
            way.points.append(
                DopplerWay.Point(seconds: try reader.readReal(), east: try reader.readReal(), north: try reader.readReal()))
        }
    }

    private static func write(_ point: PlanePoint, to writer: inout StateWriter) {
        writer.write(point.eastMetres)
        writer.write(point.northMetres)
    }

    private static func readPoint(_ reader: inout StateReader) throws(GeofenceStateError) -> PlanePoint {
        PlanePoint(eastMetres: try reader.readReal(), northMetres: try reader.readReal())
    }
}
