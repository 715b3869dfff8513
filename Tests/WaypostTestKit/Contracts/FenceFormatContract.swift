import Waypost

/// The contract of the readers, writers and the linter of fence files, whatever they are fed.
public enum FenceFormatContract {
    /// The time from which periods count.
    public static let now = UTCTime(millisecondsSince1970: 1_772_323_200_000)

    /// The ways in which reading those bytes breaks the contract.
    ///
    /// - All ids are different, remarks are bounded, and a file without errors yields a fence for every entry whose id is not another's.
    /// - The linter finds the same fences, and omits no remark.
    /// - What is written can be read again: in every format as many fences as were written, without an error; those without a remark are the
    ///   same as before; in GeoJSON all of them are.
    public static func violations(reading input: [UInt8]) -> [Violation] {
        let file: FenceFile
        do throws(FenceFileError) {
            file = try FenceFormat.read(input, now: now)
        } catch {
            var violations = error.description.isEmpty ? [Violation("an error without words")] : []
            if (try? FenceLinter(now: now).check(input)) != nil { violations.append(Violation("the linter reads what the reader refuses")) }
            return violations
        }
        var violations = self.violations(in: file)
        if let checked = try? FenceLinter(now: now).check(input) {
            if checked.fences != file.fences { violations.append(Violation("the linter finds other fences")) }
            if checked.counts[.error] != file.counts[.error] { violations.append(Violation("the linter finds other errors")) }
            if checked.remarks.count < file.remarks.count { violations.append(Violation("the linter forgets remarks")) }
        } else {
            violations.append(Violation("the linter refuses what the reader reads"))
        }
        return violations + FenceFormat.allCases.flatMap { self.violations(writing: file.fences, as: $0) }
    }

    private static func violations(in file: FenceFile) -> [Violation] {
        var violations: [Violation] = []
        if Set(file.fences.map(\.id)).count != file.fences.count { violations.append(Violation("two fences of one id")) }
        if file.remarks.count > FenceFile.listedRemarks { violations.append(Violation("\(file.remarks.count) remarks")) }
        let repeated = file.remarks.count { if case .repeatedID = $0.problem { true } else { false } }
        if file.unlistedCount == 0, file.fences.count + repeated + file.counts[.error, default: 0] != file.entryCount {
            violations.append(Violation("\(file.entryCount) entries, \(file.fences.count) fences, \(repeated) repeated"))
        }
        for remark in file.remarks where remark.problem.description.isEmpty { violations.append(Violation("no words for \(remark)")) }
        return violations
    }

    /// The ways in which writing fences and reading them again breaks the contract.
    public static func violations(writing fences: [Geofence], as format: FenceFormat) -> [Violation] {
        let export = FenceFormat.write(fences, as: format, now: now)
        let left = fences.count - export.remarks.count(where: \.isDropped)
        var violations: [Violation] = []
        if export.count != left { violations.append(Violation("\(format): \(export.count) written of \(left)")) }
        let file: FenceFile
        do throws(FenceFileError) {
            file = try FenceFormat.read(export.text.bytes, now: now)
        } catch {
            return violations + [Violation("\(format): what was written cannot be read: \(error)")]
        }
        // An empty list belongs to no format.
        if file.format != format, export.count > 0 { violations.append(Violation("\(format) is taken for \(file.format)")) }
        if file.fences.count != export.count || !file.remarks.isEmpty {
            violations.append(Violation("\(format): \(file.fences.count) read of \(export.count): \(file.remarks)"))
        }
        let touched = Set(export.remarks.map(\.index))
        if format == .geojson, !touched.isEmpty { violations.append(Violation("GeoJSON keeps not all: \(export.remarks)")) }
        let byID = Dictionary(file.fences.map { ($0.id, $0) }) { first, _ in first }
        for (index, fence) in fences.enumerated() where !touched.contains(index) && byID[fence.id] != fence {
            violations.append(Violation("\(format): \(fence.id) came back otherwise, without a remark"))
        }
        return violations
    }
}
