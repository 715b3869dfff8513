import Waypost

extension AddFencesRequest {
    /// A change of any number of fences, split into as many requests as needed.
    public struct Parts: Sendable {
        private var rest: ArraySlice<Geofence>
        /// How many fences to try to fit into the next request.
        private var size = 100

        /// The requests that add these fences.
        ///
        /// - Parameter fences: the fences to add, in this order.
        public init(of fences: [Geofence]) {
            rest = fences[...]
        }

        /// The next request, and the number of fences in it; nil at the end.
        ///
        /// - Errors: a fence is too large for a request.
        public mutating func next() throws(ControlRefusal) -> (request: AddFencesRequest, count: Int)? {
            guard !rest.isEmpty else { return nil }
            while true {
                let part = Array(rest.prefix(size))
                let text = FenceFormat.write(part, as: .geojson).text.bytes
                // The verb and the line end need some room.
                guard text.count <= ControlProtocol.maximumRequestBytes - 100 else {
                    guard size > 1 else {
                        throw ControlRefusal(
                            .tooLong, what: "fence \"\(ControlRefusal.quoted(part[0].name))\"",
                            why: "is too large to send (\(text.count) bytes)",
                            next: "put it in the fence file of the configuration")
                    }
                    size /= 2
                    continue
                }
                let collection: JSONValue
                do throws(JSONError) { collection = try JSONParser().parse(text) } catch {
                    preconditionFailure("what was written can be read")
                }
                rest = rest.dropFirst(part.count)
                // When a part fills less than half of a request, the next one may be longer.
                if text.count < ControlProtocol.maximumRequestBytes / 2 { size *= 2 }
                return (AddFencesRequest(collection: collection.object ?? [:], hasMore: !rest.isEmpty), part.count)
            }
        }
    }
}
