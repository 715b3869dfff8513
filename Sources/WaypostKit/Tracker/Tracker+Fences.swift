import Waypost
import WaypostControl

// The fences of the running tracker.
extension Tracker {
    /// All fences without their shapes: those of the fence files, and those that were added.
    ///
    /// - Cost: one answer for some thousand fences. A fence that is added or removed meanwhile may appear twice or not at all.
    public func fences() async throws(ControlError) -> [FenceEntry] {
        let link = try await connect()
        defer { link.close() }
        var fences: [FenceEntry] = []
        var next: UInt64? = 0
        while let start = next {
            let page = try await link.ask(ListFencesRequest(start: start, hasShapes: false), within: Tracker.fencePatience).answer
            fences += page.fences ?? []
            next = page.next
        }
        return fences
    }

    /// All fences with their shapes.
    ///
    /// - Cost: as ``fences()``, one answer for some hundred fences.
    public func fenceShapes() async throws(ControlError) -> [Geofence] {
        let link = try await connect()
        defer { link.close() }
        var fences: [Geofence] = []
        var next: UInt64? = 0
        while let start = next {
            let page = try await link.ask(ListFencesRequest(start: start, hasShapes: true), within: Tracker.fencePatience).answer
            do throws(FenceFileError) { fences += try FenceFormat.read(page.collection?.bytes ?? []).fences } catch {
                throw .unreadable(
                    .wrongMember(class: FenceList.className, ControlMemberError(path: "collection", expected: "a list of fences")))
            }
            next = page.next
        }
        return fences
    }

    /// Adds fences, or replaces those of the same ids; they are on the disk when this returns, and are kept over restarts.
    ///
    /// If this throws, none of them is added.
    /// - Parameter fences: the fences to add.
    /// - Returns: how many were added, and how many of them replaced others.
    /// - Errors: those of ``ask(_:within:)``; `ControlError.refused(code:message:)` when a fence is too large for a request (64 KiB).
    @discardableResult
    public func add(_ fences: [Geofence]) async throws(ControlError) -> FencesChanged {
        let link = try await connect()
        defer { link.close() }
        var answer = FencesChanged(count: 0)
        var parts = AddFencesRequest.Parts(of: fences)
        while let request = try Tracker.next(of: &parts) {
            answer = try await link.ask(request, within: Tracker.fencePatience).answer
        }
        return answer
    }

    private static func next(of parts: inout AddFencesRequest.Parts) throws(ControlError) -> AddFencesRequest? {
        do throws(ControlRefusal) { return try parts.next()?.request } catch {
            throw .refused(code: error.code.rawValue, message: error.message)
        }
    }

    /// Removes a fence that was added; if the device is inside, an exit with the reason `removed` follows.
    ///
    /// - Parameter id: the fence's id.
    /// - Errors: those of ``ask(_:within:)``; `ControlError.refused(code:message:)` if no fence has that id, or if it is in a fence file.
    public func removeFence(id: String) async throws(ControlError) {
        _ = try await ask(RemoveFenceRequest(id: id), within: Tracker.fencePatience)
    }
}
