#if GPSD
import CGPSD
import Waypost

/// One connection to gpsd through libgps.
///
/// - Concurrency: belongs to one thread; opening blocks in name resolution and connect. libgps writes with `write`, so a daemon that has
///   gone raises SIGPIPE: the thread must block that signal, as a `DedicatedThread` does.
struct GPSDConnection: ~Copyable {
    /// The result of a read.
    enum Reading: Equatable {
        case report(GPSDReport)
        /// No whole message is there yet: poll ``descriptor``, then read again. libgps counts a partial line as waiting and would spin.
        case incomplete
        /// The daemon has gone, or sent a line that does not fit; from here on libgps always fails.
        case ended
    }

    /// Why there is no connection.
    struct Refusal: Error, Equatable {
        /// The words of libgps, or our own.
        var reason: String
        /// What a person can do about it; nil when that is not known.
        var advice: String?
        /// Whether nobody answered at all.
        var isUnreachable = false
        /// Whether the host's name has no address.
        var isUnknownHost = false
    }

    private let handle: OpaquePointer

    /// Connects and asks for reports.
    ///
    /// - Parameters:
    ///   - device: the receiver's path as gpsd knows it; nil asks for all.
    ///   - trust: whose gpsd on this machine is accepted.
    static func open(host: String, port: UInt16, device: String?, trust: GPSDTrust) throws(Refusal) -> GPSDConnection {
        var code: Int32 = 0
        guard let handle = cgpsd_open(host, String(port), &code) else {
            throw Refusal(
                reason: cgpsd_error_text(code).map { String(cString: $0) } ?? "error \(code)", isUnreachable: true,
                isUnknownHost: code == CGPSD_UNKNOWN_HOST)
        }
        let connection = GPSDConnection(handle: handle)
        if let objection = trust.objection(to: connection.descriptor) { throw Refusal(reason: objection.words, advice: objection.advice) }
        guard cgpsd_watch(handle, device) == 0 else { throw Refusal(reason: "the request for reports cannot be sent") }
        return connection
    }

    private init(handle: OpaquePointer) { self.handle = handle }

    deinit { cgpsd_close(handle) }

    /// The socket, for poll.
    var descriptor: Int32 { cgpsd_descriptor(handle) }

    /// Asks gpsd for a sign of life, a ``GPSDReport/version(_:)``; false when not even the request can be sent.
    func requestVersion() -> Bool { cgpsd_request_version(handle) == 0 }

    /// Reads one message; libgps buffers several, so read until ``Reading/incomplete``.
    func read() -> Reading {
        switch cgpsd_read(handle) {
        case 1: .report(report)
        case 0: .incomplete
        default: .ended
        }
    }

    // Only what the message's own class carries is new: libgps keeps the fix of earlier messages.
    private var report: GPSDReport {
        switch cgpsd_message_class(handle) {
        case CGPSD_TPV:
            var fix = cgpsd_fix()
            cgpsd_get_fix(handle, &fix)
            return .fix(GPSDFix(fix), device: device)
        case CGPSD_SKY:
            var sky = cgpsd_sky()
            cgpsd_get_sky(handle, &sky)
            return .sky(GPSDSky(sky), device: device)
        case CGPSD_DEVICE: return .device(device, isActive: cgpsd_is_activated(handle) != 0)
        case CGPSD_DEVICES: return .deviceCount(Int(cgpsd_device_count(handle)))
        case CGPSD_VERSION: return .version(text)
        case CGPSD_ERROR: return .error(text)
        default: return .other
        }
    }

    private var device: String { string(capacity: Int(CGPSD_PATH_SIZE)) { cgpsd_get_device(handle, $0) } }

    private var text: String { string(capacity: Int(CGPSD_TEXT_SIZE)) { cgpsd_get_text(handle, $0) } }

    private func string(capacity: Int, _ fill: (UnsafeMutablePointer<CChar>) -> Void) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
            guard let start = buffer.baseAddress else { return "" }
            fill(start)
            return String(cString: start)
        }
    }
}
#endif
