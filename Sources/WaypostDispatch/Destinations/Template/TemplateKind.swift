import Waypost
import WaypostSystem

/// Requests defined by the user: ``TemplateFormat``.
package struct TemplateKind: DestinationKind {
    /// The body of a POST; empty = the request is a GET.
    package var body = ""
    /// The text that a good answer contains; empty = any.
    package var expected = ""

    package static let name = "template"
    package static let documentation = "template = requests of your own, with {lat}, {lon}, {timestamp} and others in url and body"
    package static let formats = ["form", "json"]
    package static let formatDocumentation: String? = "template: form, or json, of body"
    package static let takesHealth = false
    package static let keys: [ConfigurationKey<DestinationConfiguration>] = [
        key(
            "body", \.body, .longText,
            """
            template: the body of the POST, such as "lat={lat}&lon={lon}&t={timestamp}". \(fields) are filled in here and in url. Empty = \
            a GET of url.
            """),
        key(
            "expect", \.expected, .plainText,
            "template: text that a successful answer contains, such as \"\\\"error\\\":false\". Empty = any answer with a 2xx status."),
    ]

    private static let fields = RecordTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")

    package init() {}

    package func fault(in destination: DestinationConfiguration) -> (key: String, reason: String)? {
        // Without a server no request is made.
        if !destination.isInUse { return nil }
        if destination.url.drop(while: { $0 != ":" }).dropFirst(3).prefix(while: { $0 != "/" && $0 != "?" }).contains("{") {
            return ("url", "must name its host without anything to fill in")
        }
        var (key, request) = ("url", TemplateFormat.Request?.none)
        do throws(RecordTemplate.UnknownField) {
            request = try TemplateFormat.Request(url: destination.url)
            key = "body"
            if !body.isEmpty { request?.body = try RecordTemplate(body) }
        } catch {
            return (key, error.reason)
        }
        guard let request else { return nil }
        guard request.has(.lat), request.has(.lon) else { return ("url", "must contain {lat} and {lon}, or body must contain them") }
        if request.has(.token), destination.tokenFile == nil { return ("token_file", "is needed for {token}") }
        return bodyFault(request, isJSON: destination.format == "json")
    }

    private func bodyFault(_ request: TemplateFormat.Request, isJSON: Bool) -> (key: String, reason: String)? {
        guard let body = request.body else { return nil }
        let filled = body.json { _ in .number("1") }
        let isObject = (try? JSONParser().parse(filled)).map { $0.object != nil || $0.array != nil } ?? false  // Not JSON: no object.
        if isJSON { return isObject ? nil : ("body", "is no JSON when it is filled in") }
        return isObject ? ("format", "must be \"json\" with a body of JSON") : nil
    }

    package func open(_ destination: DestinationConfiguration, on box: DestinationBox) throws -> any Destination {
        var request = try TemplateFormat.Request(url: destination.url)
        if !body.isEmpty { request.body = try RecordTemplate(body) }
        request.isJSON = destination.format == "json"
        request.expected = expected
        // A token inside the request is not sent as a header.
        guard request.has(.token), let tokenFile = destination.tokenFile else {
            return try destination.webDestination(TemplateFormat(request: request, device: box.device, token: nil), on: box)
        }
        var other = destination
        other.tokenFile = nil
        let token = try box.secrets.read(tokenFile)
        return try other.webDestination(TemplateFormat(request: request, device: box.device, token: token), on: box)
    }
}

extension ValueKind<String> {
    /// A text of any length that fits into a configuration, with line ends.
    fileprivate static var longText: ValueKind {
        ValueKind(
            unit: nil,
            schema: .text,
            read: { (node) throws(ValueProblem) in
                guard case .string(let text) = node.value else { throw .wrongType(expected: "a text") }
                guard !text.utf8.contains(0) else { throw .invalid(reason: "must not contain a NUL character") }
                return text
            },
            write: tomlString)
    }
}
