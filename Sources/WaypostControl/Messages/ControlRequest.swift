import Waypost

/// A message of a client: a JSON object whose member `request` names the request.
///
/// A request with an answer line of its own is a ``ControlVerb``; a ``WatchRequest`` is not.
public protocol ControlRequest: ControlObject {
    /// The member `request`.
    static var name: String { get }

    /// The member `action`, where several requests share a name; nil for all others.
    static var action: String? { get }

    /// Its description, in one to three sentences, for the page of the protocol.
    static var documentation: String { get }

    /// Who may make the request; those who operate the tracker when a request does not say otherwise.
    static var permission: ControlPermission { get }
}

/// A request to the tracker and its answer.
///
/// A new verb is one file with a type of this protocol and one line in ``ControlRequests/all``.
public protocol ControlVerb: ControlRequest {
    /// The tracker's answer once it has carried out the request.
    associatedtype Answer: ControlAnswer
}

extension ControlRequest {
    /// None.
    public static var action: String? { nil }

    /// Those who operate the tracker.
    public static var permission: ControlPermission { .operators }

    /// The line of this request, without the line feed.
    public var line: [UInt8] {
        var text = TextBuffer()
        text.appendJSON { json in
            json.object { json in
                json.member("request", Self.name)
                json.member("action", Self.action)
                writeMembers(to: &json)
            }
        }
        return text.bytes
    }

    /// Reads a request.
    ///
    /// Unknown options are refused rather than skipped: an older tracker must not answer a question that was not asked.
    fileprivate init(request members: [String: JSONValue]) throws(ControlRefusal) {
        var reader = ControlReader(members)
        reader.skip("request")
        if Self.action != nil { reader.skip("action") }
        do throws(ControlMemberError) { try self.init(from: &reader) } catch {
            throw ControlRefusal(.badRequest, what: Self.name, why: error.description)
        }
        guard let name = reader.rest.keys.min() else { return }
        throw ControlRefusal(
            .badRequest, what: Self.name, why: "has no option \"\(ControlRefusal.quoted(name))\"", next: ControlRefusal.sameVersions)
    }
}

/// Every request of the control socket.
public enum ControlRequests {
    /// One line for each, in the order of the protocol's page.
    public static let all: [any ControlRequest.Type] = [
        StatusRequest.self,
        WatchRequest.self,
        HoldRequest.self,
        PlaybackRequest.self,
        CapabilitiesRequest.self,
        MatchingRequest.self,
        PrivateModeRequest.self,
        ListFencesRequest.self,
        ActiveFencesRequest.self,
        AddFencesRequest.self,
        RemoveFenceRequest.self,
        RotateLogRequest.self,
        AcknowledgeLogRequest.self,
        EraseLogRequest.self,
        TrackRequest.self,
        DispatchNowRequest.self,
        DispatchStatusRequest.self,
        PauseDispatchRequest.self,
        ResumeDispatchRequest.self,
        DrainDispatchRequest.self,
        ListDeadLettersRequest.self,
        RetryDeadLettersRequest.self,
        DropDeadLettersRequest.self,
        ExportQueueRequest.self,
        MoveQueueRequest.self,
        DiscardQueueRequest.self,
        LedgerRequest.self,
        PageRequest.self,
        AuthorisationRequest.self,
        GrantRequest.self,
        RevokeRequest.self,
        ListGrantsRequest.self,
        RegisterRequest.self,
        UnregisterRequest.self,
        ListRegistrationsRequest.self,
        RehearseRequest.self,
        AttachRequest.self,
        AcknowledgeEventRequest.self,
        AgentRequest.self,
        RanRequest.self,
    ]

    /// The requests by name.
    private static let byName = Dictionary(grouping: all) { $0.name }

    /// Reads the request on a line.
    ///
    /// - Parameter line: a line from a client, without the line feed.
    /// - Errors: the line is not a request, there is no such verb, or its options are wrong.
    public static func request(on line: Span<UInt8>) throws(ControlRefusal) -> any ControlRequest {
        let value: JSONValue
        do { value = try JSONParser(maximumDepth: 16).parse(line) } catch {
            throw ControlRefusal(.badRequest, what: "request", why: "is not JSON: column \(error.column): \(error.reason)")
        }
        guard let members = value.object else { throw ControlRefusal(.badRequest, what: "request", why: "is not a JSON object") }
        guard let name = members["request"]?.string else {
            throw ControlRefusal(.badRequest, what: "request", why: "has no \"request\" in the object")
        }
        return try make(try type(named: name, members), of: members)
    }

    private static func type(named name: String, _ members: [String: JSONValue]) throws(ControlRefusal) -> any ControlRequest.Type {
        let types = byName[name] ?? []
        guard let first = types.first else {
            throw ControlRefusal(
                .unknownRequest, what: "request \"\(ControlRefusal.quoted(name))\"", why: "is not known to this tracker",
                next: ControlRefusal.sameVersions)
        }
        guard first.action != nil else { return first }
        guard let action = members["action"]?.string else {
            throw ControlRefusal(.badRequest, what: name, why: ControlMemberError(path: "action", expected: String.form).description)
        }
        if let type = types.first(where: { $0.action == action }) { return type }
        let expected = "one of \(types.compactMap { $0.action }.joined(separator: ", "))"
        throw ControlRefusal(.badRequest, what: name, why: ControlMemberError(path: "action", expected: expected).description)
    }

    private static func make<Request: ControlRequest>(
        _ type: Request.Type, of members: [String: JSONValue]
    ) throws(ControlRefusal) -> any ControlRequest {
        try Request(request: members)
    }
}
