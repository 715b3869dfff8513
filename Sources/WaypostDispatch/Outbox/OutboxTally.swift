import Waypost
import WaypostSystem

/// How many entries wait, stored beside the outbox so that losses from damage can be counted; up to where the log's events were accepted; and a
/// number that changes with the destinations' progress.
///
/// ```
/// "WAYTALLY"  last entry's number  number up to which all have everything  how many wait  number in the log, plus 1
/// progress, plus 1   8 bytes each, little-endian
/// CRC-32C of that, 4 bytes
/// ```
struct OutboxTally: Sendable, Hashable {
    /// The number of the last entry.
    var last: Int64 = 0
    /// Up to here every destination has everything.
    var settled: Int64 = 0
    /// How many entries there are after that.
    var waiting: Int64 = 0
    /// Up to this number of the log every event was accepted; nil when that is not known.
    var logged: Int64?

    /// ``OutboxStore/progress(in:)``; nil when it is not known, as in a tally of an earlier version.
    var progress: Int64?

    private static let magic = Array("WAYTALLY".utf8)
    /// Without the checksum; an earlier version had no progress.
    private static let byteCounts = [48, 40]

    init(last: Int64 = 0, settled: Int64 = 0, waiting: Int64 = 0, logged: Int64? = nil, progress: Int64? = nil) {
        (self.last, self.settled, self.waiting, self.logged, self.progress) = (last, settled, waiting, logged, progress)
    }

    /// Nil for incomplete bytes, or impossible values.
    init?(_ bytes: [UInt8]) {
        // An earlier version leaves the end of a longer one as it is.
        let count = OutboxTally.byteCounts.first { count in
            bytes.count >= count + 4 && bytes[count..<count + 4].elementsEqual(OutboxTally.checksum(bytes[..<count]))
        }
        guard let count, bytes.starts(with: OutboxTally.magic) else { return nil }
        func number(_ index: Int) -> Int64 {
            Int64(bitPattern: bytes[index..<index + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) })
        }
        let (logged, progress) = (number(32), count > 40 ? number(40) : 0)
        guard (0...SQLiteValue.largestNumber).contains(logged), (0...SQLiteValue.largestNumber).contains(progress) else { return nil }
        self.init(
            last: number(8), settled: number(16), waiting: number(24), logged: logged == 0 ? nil : logged - 1,
            progress: progress == 0 ? nil : progress - 1)
        guard (0...SQLiteValue.largestNumber).contains(last), (0...last).contains(settled), (0...last - settled).contains(waiting) else {
            return nil
        }
    }

    var bytes: [UInt8] {
        var bytes = OutboxTally.magic
        for number in [last, settled, waiting, (logged ?? -1) + 1, (progress ?? -1) + 1] {
            withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
        }
        return bytes + OutboxTally.checksum(bytes[...])
    }

    private static func checksum(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        withUnsafeBytes(of: CRC32C.checksum(bytes.span.bytes).littleEndian) { Array($0) }
    }
}

/// The file of a tally.
///
/// It is written after each commit; the first one is flushed to the disk, later ones rarely: a kill leaves the last tally, a power cut an
/// earlier one, which never claims more than there was. Where somebody removes or replaces the file, it is made again.
/// - Concurrency: one owner.
final class OutboxTallyFile {
    private let path: String
    private var descriptor: Int32?
    private var kept: OutboxTally?

    /// The file of the outbox with that path; it is created with the first tally.
    init(ofOutbox path: String) {
        self.path = OutboxTallyFile.path(ofOutbox: path)
    }

    deinit {
        if let descriptor { Syscalls.close(descriptor) }
    }

    static func path(ofOutbox path: String) -> String { path + "-tally" }

    /// The tally of an outbox; nil when none can be read.
    static func read(ofOutbox path: String) -> OutboxTally? {
        let bytes = try? Syscalls.contents(of: self.path(ofOutbox: path), limit: 64, as: .own)  // Without it only the count is missing.
        return bytes.flatMap { $0 }.flatMap(OutboxTally.init)
    }

    /// Stores a tally.
    ///
    /// - Parameter isDurable: whether a power cut must not bring back an earlier one.
    func write(_ tally: OutboxTally, isDurable: Bool = false) {
        let known = descriptor.flatMap { Syscalls.isNamed($0, path) ? $0 : nil }
        guard tally != kept || known == nil else { return }
        do throws(SystemError) {
            let descriptor: Int32
            if let known {
                descriptor = known
            } else {
                if let gone = self.descriptor { Syscalls.close(gone) }
                self.descriptor = nil
                descriptor = try Syscalls.openOwnForWriting(path)
                self.descriptor = descriptor
            }
            try Syscalls.writeAll(descriptor, tally.bytes.span.bytes, at: 0, path: path)
            // A power cut must not leave an outbox in use without any tally.
            if known == nil { try Syscalls.synchronize(descriptor, path: path) }
            if known != nil, isDurable { try Syscalls.synchronizeData(descriptor, path: path) }
            kept = tally
        } catch {
            // It only counts what other files store; the next one may be written.
            kept = nil
        }
    }
}
