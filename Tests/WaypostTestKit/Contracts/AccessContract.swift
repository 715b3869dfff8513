import Waypost
import WaypostConfiguration

/// The contract for the files that say who may know the position and who is woken, whatever the bytes.
public enum AccessContract {
    /// The ways in which reading those bytes breaks the contract.
    ///
    /// - A policy is read or broken; the reason is one line that names the file. A broken one gives nobody anything.
    /// - Grants and registrations that were read are the same after they were written and read again; no user has more of them than may be.
    /// - What waits for registrations that were read can be handed out, acknowledged and failed without end.
    public static func violations(reading bytes: [UInt8]) -> [Violation] {
        policyViolations(bytes) + grantViolations(bytes) + ledgerViolations(bytes)
    }

    private static func policyViolations(_ bytes: [UInt8]) -> [Violation] {
        var book = AccessBook(ownUserID: 1, trustedGroupID: 2)
        book.source = PolicyFile.read(bytes, name: "f").source
        guard case .broken(let reason) = book.source else { return [] }
        var violations: [Violation] = []
        if reason.contains(where: \.isNewline) || !reason.hasPrefix("policy f:") || reason.utf8.count > 1_000 {
            violations.append(Violation("an unfit reason: \(reason)"))
        }
        if book.access(of: .init(userID: 3, groupIDs: [2]), at: 0).level.isAllowed {
            violations.append(Violation("a broken policy gives something"))
        }
        if AccessPolicy.Door.allCases.contains(where: { book.level(of: $0).isAllowed }) {
            violations.append(Violation("a broken policy opens a door"))
        }
        return violations
    }

    private static func grantViolations(_ bytes: [UInt8]) -> [Violation] {
        guard let grants = try? GrantList.grants(in: bytes) else { return [] }
        guard (try? GrantList.grants(in: GrantList.text(of: grants))) == grants else {
            return [Violation("grants are read otherwise than written")]
        }
        return grants.contains { $0.level == .notDetermined || $0.end != nil } ? [Violation("a grant that cannot be")] : []
    }

    private static func ledgerViolations(_ bytes: [UInt8]) -> [Violation] {
        var (ledger, _) = WakeLedger.read(bytes)
        let text = ledger.text
        let again = WakeLedger.read(text)
        if again.damagedCount != 0 || again.ledger.text != text { return [Violation("registrations are read otherwise than written")] }
        var now: Int64 = 0
        for _ in 0..<12 {
            for key in ledger.due(at: now) {
                guard let events = ledger.take(key, at: now), let last = events.last else {
                    return [Violation("what is due cannot be taken")]
                }
                let run = WakeRun(time: nil, exitCode: now % 2 == 0 ? 1 : 0, words: "", eventIDs: [last.id])
                ledger.finish(key, run, eventIDs: events.map(\.id), at: now)
            }
            now = ledger.nextDue(after: now) ?? now + 1
        }
        return []
    }
}
