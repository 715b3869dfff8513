import Testing
import Waypost
import WaypostPositioning

/// The rule with its real times, as diagrams: what each member says, second by second, and which one is used.
@Suite struct FallbackRuleTests {
    /// `F` a fix, `n` data without a fix, `.` nothing, `L` a loss told, `E` the end; `F*5` is five of them.
    struct Case: CustomTestStringConvertible, Sendable {
        var testDescription: String
        var says: [String]
        var sharing: [SourceSharing]?
        /// Which member is used in each second.
        var used: String
        /// Which members run in each second: `-` none of the others.
        var beside: String?
    }

    @Test(arguments: [
        Case(
            testDescription: "a healthy source is used alone", says: ["F*30", "F*30"], used: "0*30", beside: "-*30"),
        Case(
            testDescription: "silence of five seconds is left, ten seconds of health are gone back to",
            says: ["F*5 .*12 F*20", "F*37"], used: "0*9 1*18 0*10",
            // Started at half of the silence, stopped at once when the better one is healthy.
            beside: "-*7 1*2 0*18 -*10"),
        Case(
            testDescription: "a loss that is told is a reason to look at others at once, and to leave after five seconds",
            says: ["F*5 L .*11 F*20", "F*37"], used: "0*9 1*18 0*10", beside: "-*5 1*4 0*18 -*10"),
        Case(
            testDescription: "a loss that mends itself within five seconds changes nothing",
            says: ["F*5 L .*2 F*20", "F*28"], used: "0*28", beside: "-*5 1*13 -*10"),
        Case(
            testDescription: "in a tunnel it stays where it is",
            says: ["F*5 n*120 F*20", "n*125 F*20"], used: "0*145", beside: "-*7 1*128 -*10"),
        Case(
            testDescription: "at the end of a tunnel it does not matter which one finds the sky first",
            says: ["F*5 n*21 F*20", "n*25 F*21"], used: "0*46"),
        Case(
            testDescription: "no fix is left after five seconds when another one has a fix",
            says: ["F*5 n*20 F*20", "F*45"], used: "0*9 1*26 0*10"),
        Case(
            testDescription: "a cold start of 59 seconds is waited for",
            says: ["n*59 F*20", "F*79"], used: "0*79", beside: "-*58 1*11 -*10"),
        Case(
            testDescription: "a cold start of over 60 seconds is not, when another one has a fix",
            says: ["n*80 F*20", "F*100"], used: "0*60 1*30 0*10"),
        Case(
            testDescription: "a cold start of any length is waited for when no other one has a fix",
            says: ["n*200 F*20", "n*220"], used: "0*220"),
        Case(
            testDescription: "nothing from the first is waited for five seconds", says: [".*20 F*20", "F*40"], used: "0*5 1*25 0*10"),
        Case(
            testDescription: "when nobody has anything the first is kept", says: ["L .*60 F*20", "L .*80"], used: "0*81"),
        Case(
            testDescription: "data without a fix are better than nothing", says: ["L .*60", "n*61"], used: "0*5 1*56"),
        Case(
            testDescription: "health that breaks begins anew", says: ["F*5 .*10 F*9 n F*20", "F*45"], used: "0*9 1*26 0*10"),
        Case(
            testDescription: "the silence after fixes is not health", says: ["F*5 .*8 F*8 .*8 F*8 .*8 F*20", "F*65"],
            used: "0*9 1*46 0*10"),
        Case(
            testDescription: "a slow source is gone back to with a fix, not between two",
            says: ["F .*6 F .*6 F .*6 F .*6 F .*6", "F*35"], used: "0*5 1*16 0*14"),
        Case(
            testDescription: "the better of two others is taken", says: [".*20", "F*20", "F*20"], used: "0*5 1*15"),
        Case(
            testDescription: "the worse of two others is taken when it alone has a fix", says: [".*20", "n*20", "F*20"],
            used: "0*5 2*15"),
        Case(
            testDescription: "from the worst it goes back to the middle, and on to the best",
            says: ["F*5 .*20 F*20", "n*12 F*33", "F*45"], used: "0*9 2*13 1*13 0*10"),
        Case(
            testDescription: "two on one device never run at once; the other one is tried when there is nothing",
            says: ["F*5 .*30", "F*35"], sharing: [.device("/dev/a"), .device("/dev/a")], used: "0*9 1*26", beside: "-*35"),
        Case(
            testDescription: "on one device the two take turns until one has data",
            says: [".*12 F*20", ".*32"], sharing: [.device("/dev/a"), .device("/dev/a")], used: "0*5 1*5 0*22", beside: "-*32"),
        Case(
            testDescription: "a device of its own is looked at beside", says: ["F*5 .*10", "F*15"],
            sharing: [.device("/dev/a"), .device("/dev/b")], used: "0*9 1*6", beside: "-*7 1*2 0*6"),
        Case(
            testDescription: "a recording follows on another when that has ended", says: ["F*5 E", "F*20"],
            sharing: [.alone, .alone], used: "0*5 1*15", beside: "-*20"),
        Case(
            testDescription: "a recording is not used up beside a source that may come yet", says: ["L .*20", "F*21"],
            sharing: [.free, .alone], used: "0*5 1*16", beside: "-*5 0*16"),
        Case(
            testDescription: "what has ended is never used again", says: ["F*5 E F*20", "F*10 .*16"], used: "0*5 1*21", beside: "-*26"),
        Case(
            testDescription: "a receiver with a period of ten seconds is not silent between its fixes, once that is known",
            says: ["F .*9 F .*9 F .*9 F .*9 F .*9", "F*50"], used: "0*5 1*15 0*30"),
    ])
    func uses(scene: Case) {
        let said = scene.says.map { Array(unfold($0)) }
        var rule = FallbackRule(sharing: scene.sharing ?? said.map { _ in .free })
        var running: Set<Int> = []
        var used: [Int] = []
        var beside: [String] = []
        func apply(_ decisions: [FallbackRule.Decision]) {
            for decision in decisions {
                switch decision {
                case .start(let index): #expect(running.insert(index).inserted, "\(index) is started twice")
                case .stop(let index): #expect(running.remove(index) != nil, "\(index) is stopped, but did not run")
                case .use(let index, _): #expect(running.contains(index), "\(index) is used, but does not run")
                }
            }
        }
        apply(rule.step(.tick, at: 0))
        for second in 0..<unfold(scene.used).count {
            let now = Int64(second) * 1_000
            for index in said.indices where running.contains(index) {
                guard second < said[index].count, let report = report(said[index][second], at: now) else { continue }
                if report == .ended { running.remove(index) }
                apply(rule.step(.report(index, report), at: now))
            }
            apply(rule.step(.tick, at: now))
            used.append(rule.active)
            beside.append(running.subtracting([rule.active]).sorted().map(String.init).joined())
            apply(rule.step(.tick, at: now + 500))
        }
        #expect(fold(used.map(String.init)) == scene.used)
        if let expected = scene.beside { #expect(fold(beside.map { $0.isEmpty ? "-" : $0 }) == expected) }
    }

    @Test func saysWhyItSwitches() {
        var rule = FallbackRule(sharing: [.free, .free])
        #expect(rule.step(.tick, at: 0) == [.start(0)])
        #expect(rule.step(.report(0, .lost(.disconnected("refused"))), at: 10) == [.start(1)])
        #expect(rule.step(.report(1, .fix(nil)), at: 1_000) == [])
        #expect(rule.deadline(after: 1_000) == 2_500)
        #expect(rule.deadline(after: 2_500) == 5_000)
        #expect(rule.step(.tick, at: 4_999) == [])
        #expect(rule.step(.tick, at: 5_000) == [.use(1, .lost(.disconnected("refused")))])
        #expect(rule.state(of: 0, at: 5_000) == .lost(.disconnected("refused")))
        #expect(rule.state(of: 1, at: 5_000) == .fix)
        for second in 6...16 {
            _ = rule.step(.report(1, .fix(nil)), at: Int64(second) * 1_000 - 1)
            let decisions = rule.step(.report(0, .fix(nil)), at: Int64(second) * 1_000)
            #expect(decisions == (second == 16 ? [.stop(1), .use(0, .recovered)] : []))
        }
        #expect(rule.step(.report(0, .ended), at: 17_000) == [.start(1), .use(1, .ended)])
        #expect(rule.step(.report(1, .ended), at: 18_000) == [])
        #expect(rule.hasEnded && rule.deadline(after: 18_000) == nil)
    }

    /// Nobody waits for ten seconds of health while there is no position at all.
    @Test func aBetterSourceIsUsedSoonWhenTheActiveOneHasNoFix() {
        var rule = FallbackRule(sharing: [.free, .free])
        _ = rule.step(.tick, at: 0)
        _ = rule.step(.report(0, .lost(.disconnected("refused"))), at: 10)
        for second in 1...6 { _ = rule.step(.report(1, .noFix(nil)), at: Int64(second) * 1_000) }
        #expect(rule.active == 1)
        var used: [Int] = []
        for second in 7...12 {
            _ = rule.step(.report(1, .noFix(nil)), at: Int64(second) * 1_000 - 1)
            _ = rule.step(.report(0, .fix(nil)), at: Int64(second) * 1_000)
            used.append(rule.active)
        }
        #expect(used == [1, 1, 0, 0, 0, 0])
    }

    @Test func aSourceThatOnlyReconnectsIsASilentSource() {
        var rule = FallbackRule(sharing: [.free, .free])
        _ = rule.step(.tick, at: 0)
        _ = rule.step(.report(0, .fix(nil)), at: 1_000)
        var decisions: [FallbackRule.Decision] = []
        for second in 2...12 {
            let now = Int64(second) * 1_000
            decisions += rule.step(.report(0, .lost(.disconnected("closed"))), at: now)
            decisions += rule.step(.report(0, .resumed), at: now)
            decisions += rule.step(.report(1, .fix(nil)), at: now)
            decisions += rule.step(.tick, at: now)
        }
        #expect(decisions.contains { if case .use(1, _) = $0 { true } else { false } })
    }

    @Test func aSlowReaderIsNotASilentSource() {
        var rule = FallbackRule(sharing: [.free, .free])
        _ = rule.step(.tick, at: 0)
        _ = rule.step(.report(0, .fix(nil)), at: 1_000)
        #expect(rule.step(.report(0, .resumed), at: 20_000) == [])
        #expect(rule.step(.tick, at: 22_400) == [])
        #expect(rule.step(.report(0, .fix(nil)), at: 22_400) == [])
        #expect(rule.state(of: 0, at: 22_400) == .fix)
    }

    private func report(_ letter: Character, at now: Int64) -> FallbackRule.Report? {
        let time = UTCTime(millisecondsSince1970: 1_772_366_400_000 + now)
        switch letter {
        case "F": return .fix(time)
        case "n": return .noFix(time)
        case "L": return .lost(.disconnected("gone"))
        case "E": return .ended
        default: return nil
        }
    }

    private func unfold(_ diagram: String) -> String {
        diagram.split(separator: " ").map { part in
            let pieces = part.split(separator: "*")
            return String(repeating: String(pieces[0]), count: pieces.count > 1 ? Int(pieces[1]) ?? 0 : 1)
        }.joined()
    }

    private func fold(_ items: [String]) -> String {
        var parts: [(item: String, count: Int)] = []
        for item in items {
            if parts.last?.item == item { parts[parts.count - 1].count += 1 } else { parts.append((item, 1)) }
        }
        return parts.map { "\($0.item)*\($0.count)" }.joined(separator: " ")
    }
}
