import Waypost
import WaypostSystem

/// The line of a receiver in a dialogue: written to, and read from until an answer comes.
///
/// - Concurrency: belongs to one thread, which it blocks.
final class ReceiverLine {
    /// The device, as it was named.
    let path: String
    /// The speed that the line has.
    private(set) var baudRate: Int
    private let port: SerialPort
    private var framer = UBXFramer()
    private var frames: [UBXFrame] = []
    private var text: [UInt8] = []
    private var lines: [[UInt8]] = []

    // Longer lines are not sentences.
    private static let longestLine = 1_024
    private static let searchTime = Duration.seconds(20)
    // Both rounds of a search in which something comes; some receivers report each ten seconds.
    private static let searchTimeOfANoisyLine = Duration.seconds(60)

    private init(path: String, baudRate: Int, port: consuming SerialPort) {
        self.path = path
        self.baudRate = baudRate
        self.port = port
    }

    /// Opens a line, unless another program has it, and finds its speed.
    ///
    /// - Parameters:
    ///   - baudRate: the speed; nil finds it.
    ///   - gpsdPorts: the ports on which gpsds of this machine listen.
    static func open(_ path: String, baudRate: Int?, gpsdPorts: [UInt16]) throws(ReceiverError) -> ReceiverLine {
        var search = baudRate.map(BaudSearch.init(only:)) ?? BaudSearch(lastGood: 9_600)
        let opened: SerialPort?
        do throws(SerialOpening.Failure) {
            let opening = try SerialOpening(path)
            let gpsdDevices = gpsdPorts.flatMap { GPSDDevices.list(port: $0) }
            opened = try opening.open(gpsdDevices: gpsdDevices, sparesHolders: true, at: &search)
        } catch {
            throw ReceiverError(error, path: path)
        }
        guard let port = consume opened else { throw .failed("\(path): cancelled") }
        let found = try findSpeed(of: port, &search, path: path)
        return ReceiverLine(path: path, baudRate: found, port: port)
    }

    /// The speed at which the receiver is understood.
    private static func findSpeed(of port: borrowing SerialPort, _ search: inout BaudSearch, path: String) throws(ReceiverError) -> Int {
        let start = MonotonicClock.milliseconds
        search.begin(at: start)
        do throws(SystemError) {
            while MonotonicClock.milliseconds - start < longestTime(of: search).milliseconds {
                let wait = max(1, min(search.deadline - MonotonicClock.milliseconds, 100))
                let bytes = try port.read(timeoutMilliseconds: Int32(wait))
                var step = search.process(bytes.span, at: MonotonicClock.milliseconds)
                while case .change(let baudRate) = step {
                    do throws(SystemError) {
                        try port.setBaudRate(baudRate)
                        // What waits came at the former speed; a read takes all that a line holds.
                        _ = try port.read(timeoutMilliseconds: 0)
                        search.begin(at: MonotonicClock.milliseconds)
                        step = .listen
                    } catch {
                        guard error.isInvalidArgument else { throw error }
                        step = search.refuse(at: MonotonicClock.milliseconds)
                    }
                }
                switch step {
                case .found: return search.baudRate
                case .exhausted: throw SystemError.isMissing(path)
                case .listen, .garbled, .change: break
                }
            }
        } catch {
            if !error.isMissing { throw ReceiverError(error, path: path) }
        }
        let speeds = search.isOnlyOne ? "at \(search.baudRate) baud" : "at any speed"
        throw .silent("\(path): \(search.hasHeardNoise ? "something comes, but neither NMEA nor UBX \(speeds)" : "nothing comes")")
    }

    private static func longestTime(of search: BaudSearch) -> Duration {
        search.hasHeardNoise && !search.isOnlyOne ? searchTimeOfANoisyLine : searchTime
    }

    /// Whether the line is a USB device of the given vendor.
    func isOfVendor(_ vendorID: UInt16) -> Bool {
        let device = Syscalls.resolvingLinks(path)
        return SerialDeviceCatalogue().devices().contains { $0.path == device && $0.vendorID == vendorID }
    }

    // MARK: Dialogue

    /// Sends bytes; what came before them does not count as an answer.
    func send(_ bytes: [UInt8]) throws(ReceiverError) {
        frames.removeAll()
        lines.removeAll()
        do throws(SystemError) { try port.write(bytes) } catch { throw ReceiverError(error, path: path) }
    }

    /// Changes the line's own speed.
    func setBaudRate(_ baudRate: Int) throws(ReceiverError) {
        do throws(SystemError) { try port.setBaudRate(baudRate) } catch { throw ReceiverError(error, path: path) }
        self.baudRate = baudRate
        framer = UBXFramer()
        text.removeAll()
    }

    /// A message from a receiver.
    enum Answer {
        case frame(UBXFrame)
        case sentence(PMTKSentence)
    }

    /// The first matching answer; nil when none comes in time.
    func answer(within time: Duration = .milliseconds(1_200), where isWanted: (Answer) -> Bool) throws(ReceiverError) -> Answer? {
        let end = MonotonicClock.milliseconds + time.milliseconds
        repeat {
            while !frames.isEmpty {
                let answer = Answer.frame(frames.removeFirst())
                if isWanted(answer) { return answer }
            }
            while !lines.isEmpty {
                guard let sentence = PMTKSentence(line: lines.removeFirst()) else { continue }
                if isWanted(.sentence(sentence)) { return .sentence(sentence) }
            }
        } while try read(until: end)
        return nil
    }

    /// The first matching frame; nil when none comes in time.
    func frame(where isWanted: (UBXFrame) -> Bool) throws(ReceiverError) -> UBXFrame? {
        let found = try answer { if case .frame(let frame) = $0 { isWanted(frame) } else { false } }
        if case .frame(let frame)? = found { return frame }
        return nil
    }

    /// The first matching PMTK sentence; nil when none comes in time.
    func sentence(where isWanted: (PMTKSentence) -> Bool) throws(ReceiverError) -> PMTKSentence? {
        let found = try answer { if case .sentence(let sentence) = $0 { isWanted(sentence) } else { false } }
        if case .sentence(let sentence)? = found { return sentence }
        return nil
    }

    /// Gives the receiver time to carry out a command.
    func pause(for time: Duration) throws(ReceiverError) {
        let end = MonotonicClock.milliseconds + time.milliseconds
        while try read(until: end) {}
    }

    /// Reads what comes next; false when the time is over.
    private func read(until end: Int64) throws(ReceiverError) -> Bool {
        let wait = end - MonotonicClock.milliseconds
        guard wait > 0 else { return false }
        let bytes: [UInt8]
        do throws(SystemError) { bytes = try port.read(timeoutMilliseconds: Int32(min(wait, 100))) } catch {
            throw ReceiverError(error, path: path)
        }
        framer.process(bytes.span, into: &frames)
        for byte in bytes {
            if byte == UInt8(ascii: "$") { text.removeAll() }
            text.append(byte)
            if byte == UInt8(ascii: "\n") {
                lines.append(text)
                text.removeAll()
            } else if text.count > ReceiverLine.longestLine {
                text.removeAll()
            }
        }
        return true
    }
}
