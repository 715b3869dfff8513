import Foundation
import Testing
import Waypost
import WaypostTestKit

@testable import WaypostControl

/// The types of requests and answers, against what a real tracker has said.
struct ControlAnswerTests {
    /// Each request of the golden file with the line that answered it, and the lines of a watch.
    private static func lines() throws -> (pairs: [(request: [UInt8], answer: [UInt8])], watched: [[UInt8]]) {
        let path = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Data/golden/control-lines.txt")
        var (pairs, watched): ([(request: [UInt8], answer: [UInt8])], [[UInt8]]) = ([], [])
        var request: [UInt8]?
        for line in try String(contentsOf: path, encoding: .utf8).split(separator: "\n") {
            let text = Array(line.dropFirst(2).utf8)
            if line.hasPrefix("> ") { request = text }
            guard line.hasPrefix("< ") else { continue }
            if let asked = request { pairs.append((asked, text)) } else { watched.append(text) }
            request = nil
        }
        return (pairs, watched)
    }

    @Test func writesWhatItReadsOfEveryVerb() throws {
        let pairs = try ControlAnswerTests.lines().pairs
        #expect(pairs.count > 30)
        var names: Set<String> = []
        for (request, answer) in pairs {
            #expect(ControlRequestContract.violations(reading: request) == [])
            #expect(ControlAnswerContract.violations(reading: answer) == [])
            guard !answer.text.hasPrefix(#"{"class":"ERROR""#) else { continue }
            let asked = try ControlRequests.request(on: request.span)
            let verb = try #require(asked as? any ControlVerb)
            try check(verb, answer)
            names.insert(type(of: verb).name + (type(of: verb).action ?? ""))
        }
        let others = ControlRequests.all.map { $0.name + ($0.action ?? "") }.filter { !names.contains($0) }
        #expect(others == ["watch"])
    }

    private func check<Verb: ControlVerb>(_ verb: Verb, _ line: [UInt8]) throws {
        let written = try Verb.Answer(line: line).line
        // What is handed on as it is has its members in another order.
        let isHandedOn = line.text.contains(#""collection":"#) || Verb.self == ExportQueueRequest.self
        if isHandedOn {
            #expect(try JSONParser().parse(written) == JSONParser().parse(line))
        } else {
            #expect(written.text == line.text)
        }
    }

    @Test func readsEveryLineOfAWatch() throws {
        var found: Set<String> = []
        for line in try ControlAnswerTests.lines().watched where !line.text.hasPrefix(#"{"class":"HELLO""#) {
            switch try WatchLine(line: line) {
            case .position(let watched):
                found.insert(watched.isSignificant ? "significant" : "position")
                #expect(watched.line.text == line.text)
            case .noFix: found.insert("no fix")
            case .sky(let view):
                found.insert("sky")
                #expect(!view.satellites.isEmpty)
            case .event(let event):
                found.insert("event")
                #expect(event.name == "Home")
            case .lost(let loss):
                found.insert("lost")
                #expect(loss.line.text == line.text)
            case .matched, .dropped, .authorisation, .other: Issue.record("\(line.text)")
            }
        }
        #expect(found == ["significant", "position", "no fix", "sky", "event", "lost"])
        #expect(try WatchLine(line: Array(#"{"class":"LATER","x":1}"#.utf8)) == .other("LATER"))
        let road = #"{"way_id":7,"name":"Hauptstraße","class":"primary","oneway":true,"speed_kmh":50}"#
        let place = #"{"mode":2,"lat":49.4,"lon":8.7}"#
        let matched = #"{"class":"MATCHED","position":\#(place),"confidence":0.97,"offset_m":3.1,"road":\#(road)}"#
        let match = try MatchedLine(line: Array(matched.utf8))
        #expect(try WatchLine(line: Array(matched.utf8)) == .matched(match))
        #expect(match.line.text == matched)
        #expect(match.isConfident && match.road?.name == "Hauptstraße" && match.position?.coordinate.latitudeDegrees == 49.4)
        #expect(try WatchLine(line: MatchedLine(nil).line) == .matched(MatchedLine()))
        #expect(try WatchLine(line: DroppedLines(count: 3).line) == .dropped(DroppedLines(count: 3)))
    }

    @Test(arguments: [
        (#"{"class":"PRIVATE"}"#, #"PRIVATE has no valid "on": it must be true or false"#),
        (#"{"class":"PRIVATE","on":"yes"}"#, #"PRIVATE has no valid "on": it must be true or false"#),
        (#"{"class":"HELD","reason":"x"}"#, #"is "HELD" instead of "PRIVATE""#),
        (#"{"on":true}"#, #"has no class; "PRIVATE" was expected"#),
    ]) func namesTheMemberThatIsWrong(line: String, words: String) {
        #expect(
            throws: ControlAnswerError.self,
            performing: {
                do throws(ControlAnswerError) { _ = try PrivateModeRequest.Answer(line: Array(line.utf8)) } catch {
                    #expect(error.description == words)
                    throw error
                }
            })
    }

    @Test func namesTheMemberOfAMember() {
        let line =
            #"{"class":"CAPABILITIES","version":"1","receivers":[{"path":"a","receiver":"b"},{"path":"c","receiver":7}],"#
            + #""significant_changes":true}"#
        let expected = ControlMemberError(path: "receivers[1].receiver", expected: "a text")
        #expect(throws: ControlAnswerError.wrongMember(class: "CAPABILITIES", expected)) {
            try CapabilitiesRequest.Answer(line: Array(line.utf8))
        }
    }

    @Test func skipsWhatALaterVersionAdds() throws {
        let line = #"{"class":"DISPATCHED","completion":"tomorrow","moon":{"phase":0.5}}"#
        let outcome = try DispatchOutcome(line: Array(line.utf8))
        #expect(outcome.completion == .init("tomorrow") && outcome.failures.isEmpty)
    }

    /// What a status holds of a position that cannot be read is skipped; the rest is not.
    @Test func readsAStatusWithAnUnreadablePosition() throws {
        var status = StatusReport()
        status.version = "1"
        let line = status.line.text.dropLast() + #","position":{"class":"TPV","mode":"three"}}"#
        let read = try StatusReport(line: Array(line.utf8))
        #expect(read.version == "1" && read.position == nil)
    }
}
