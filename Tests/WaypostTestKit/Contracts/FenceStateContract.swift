import Waypost

/// The contract for the state of a geofence monitor, whatever bytes it is read from.
public enum FenceStateContract {
    /// The ways in which reading those bytes, with a matching checksum, breaks the contract.
    ///
    /// - What was read is the same after it was written and read again.
    /// - A monitor continues from whatever was read: values that no monitor has written do not stop it.
    public static func violations(decoding input: [UInt8]) -> [Violation] {
        var violations: [Violation] = []
        var state = GeofenceMonitorState()
        if let keys = try? GeofenceMonitorState.decode(known: sealed(input)) {
            if (try? GeofenceMonitorState.decode(known: GeofenceMonitorState.encode(known: keys))) != keys {
                violations.append(Violation("known fences are read otherwise than written"))
            }
            state.known = keys
        }
        if let progress = try? GeofenceProgress(decoding: sealed(input)) {
            let bytes = progress.encoded()
            // Not the values: some of them may be NaN, which equals nothing.
            if (try? GeofenceProgress(decoding: bytes))?.encoded() != bytes {
                violations.append(Violation("progress is read otherwise than written"))
            }
            state.progress = progress
        }
        for rule in BorderRule.allCases { goOn(from: state, rule: rule) }
        return violations
    }

    private static func goOn(from state: GeofenceMonitorState, rule: BorderRule) {
        guard let home = Coordinate(latitudeDegrees: 47, longitudeDegrees: 8),
            let shape = try? FenceShape.circle(centre: home, radiusMetres: 50)
        else { preconditionFailure("a circle on Earth") }
        var monitor = GeofenceMonitor(fences: FenceIndex([Geofence(id: "yard", shape: shape, dwellSeconds: 5)]), rule: rule)
        _ = monitor.restore(state)
        for second in 0..<8 {
            var fix = Position(
                time: UTCTime(millisecondsSince1970: 1_800_000_000_000 + Int64(second) * 1_000),
                coordinate: Geodesic.end(from: home, azimuthDegrees: 0, distanceMetres: Double(second) * 20).coordinate)
            fix.speedMetresPerSecond = 20
            fix.courseDegrees = 0
            _ = monitor.process(fix)
        }
    }

    /// The bytes, except the last four, with their checksum.
    private static func sealed(_ input: [UInt8]) -> [UInt8] {
        let body = Array(input.dropLast(4))
        let checksum = CRC32C.checksum(body.span.bytes)
        return body + (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * UInt32($0))) }
    }
}
