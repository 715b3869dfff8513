import Testing
import WaypostSystem

@Suite struct HTTPRequestTests {
    /// An ETag that no request can carry must not end the requests.
    @Test(arguments: ["\"a\u{1B}b\"", "\"a\u{7F}b\"", "\"a\u{1}\"", "\"a\nb\"", "", String(repeating: "e", count: 9_000)])
    func dropsAnETagThatNoRequestCanCarry(tag: String) {
        let answer = HTTPResponse(status: 200, headers: [.init("etag", tag)], body: [])
        #expect(answer.eTag == nil)
        #expect(HTTPRequest.get("http://127.0.0.1/", unlessETag: tag).headers.isEmpty)
    }

    @Test(arguments: ["\"a\"", "W/\"a\"", "a", "\"a\tb\"", "\"\u{E4}\"", "\"\(String(repeating: "e", count: 500))\""])
    func repeatsAnyOther(tag: String) {
        #expect(HTTPResponse(status: 200, headers: [.init("etag", tag)], body: []).eTag == tag)
        #expect(HTTPRequest.get("http://127.0.0.1/", unlessETag: tag).headers == [.init("If-None-Match", tag)])
    }
}
