/// Gathers the fences of a file; of several with one id the last one counts.
struct FenceCollector {
    private(set) var file: FenceFile
    private var places: [String: Int] = [:]

    init(format: FenceFormat) {
        file = FenceFile(format: format)
    }

    mutating func add(_ fence: Geofence, index: Int) {
        if let place = places[fence.id] {
            remark(.repeatedID(fence.id), index: index, name: fence.name)
            file.fences[place] = fence
        } else {
            places[fence.id] = file.fences.count
            file.fences.append(fence)
        }
    }

    mutating func remark(_ problem: FenceRemark.Problem, index: Int, name: String?) {
        file.remarks.append(FenceRemark(index: index, name: name, problem: problem))
    }
}

/// Why an entry gives no fence; thrown inside the readers only.
struct FenceEntryError: Error {
    var problem: FenceRemark.Problem

    init(_ problem: FenceRemark.Problem) {
        self.problem = problem
    }

    static func invalid(_ path: String, _ expected: String) -> FenceEntryError {
        FenceEntryError(.invalidValue(path: path, expected: expected))
    }
}
