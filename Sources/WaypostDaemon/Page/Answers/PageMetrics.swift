import Waypost
import WaypostControl
import WaypostPositioning
import WaypostSystem

/// The figures of the tracker for Prometheus: whether it works, never where it is.
struct PageMetrics {
    let status: StatusReport
    /// How old the position is.
    let positionAgeSeconds: Int?
    let sky: SkyView?
    let destinations: [DestinationReport]
    /// How many pages are open.
    let pageCount: Int

    /// The text.
    var bytes: [UInt8] {
        var text = PrometheusText()
        text.add("waypost_build_info", .gauge, "The tracker's version.", [([("version", status.version)], 1)])
        text.add("waypost_uptime_seconds", .gauge, "How long the tracker has run.", Double(status.uptimeSeconds))
        text.add("waypost_healthy", .gauge, "1 when all is well, 0 when something is wrong.", status.health == .healthy ? 1 : 0)
        text.add("waypost_problems", .gauge, "How many problems there are.", status.problems.map { Double($0.count) })
        addPositioning(to: &text)
        addLog(to: &text)
        addDestinations(to: &text)
        text.add("waypost_page_streams", .gauge, "How many map pages are open.", Double(pageCount))
        if let process = ProcessFigures.current() {
            text.add("process_cpu_seconds_total", .counter, "The processor time used.", process.processorSeconds)
            text.add("process_resident_memory_bytes", .gauge, "The memory used (RSS).", Double(process.residentByteCount))
        }
        return text.bytes
    }

    private func addPositioning(to text: inout PrometheusText) {
        let position = status.position
        text.add("waypost_fix", .gauge, "1 while there is a position.", position == nil ? 0 : 1)
        text.add("waypost_position_age_seconds", .gauge, "The age of the last position.", positionAgeSeconds.map(Double.init))
        text.add(
            "waypost_position_accuracy_meters", .gauge, "The radius that holds 68 % of positions.", position?.accuracy?.radiusMetres)
        text.add("waypost_speed_meters_per_second", .gauge, "The speed over ground.", position?.speedMetresPerSecond)
        let satellites = [("seen", status.source?.satellitesSeen), ("used", status.source?.satellitesUsed)]
        text.add(
            "waypost_satellites", .gauge, "The satellites.",
            satellites.compactMap { state, count in count.map { ([("state", state)], Double($0)) } })
        let signals = sky?.satellites.compactMap { $0.isUsed ? $0.signalDecibelHertz : nil } ?? []
        text.add("waypost_satellites_signal_max_dbhz", .gauge, "The best signal of a used satellite.", signals.max())
        text.add("waypost_stationary", .gauge, "1 while the device is at rest.", status.following.map { $0.isStationary ? 1 : 0 })
        text.add("waypost_private", .gauge, "1 while positions are withheld.", status.privacy.map { $0.isWithheld ? 1 : 0 })
        text.add("waypost_fences", .gauge, "How many fences there are.", Double(status.fences?.count ?? 0))
        text.add("waypost_fences_inside", .gauge, "How many fences the device is in.", (status.fences?.inside?.count).map(Double.init))
    }

    private func addLog(to text: inout PrometheusText) {
        guard let log = status.log, !log.isOff else { return }
        let isRecording = log.isRecording && status.privacy?.isWithheld != true
        text.add("waypost_log_recording", .gauge, "1 while positions are logged.", isRecording ? 1 : 0)
        text.add("waypost_log_positions_total", .counter, "Positions logged in this run.", Double(log.positionCount))
        text.add("waypost_log_events_total", .counter, "Events logged in this run.", Double(log.eventCount))
        text.add("waypost_log_failed_positions_total", .counter, "Positions that could not be logged.", Double(log.failedCount))
        text.add("waypost_disk_syncs_total", .counter, "How often a disk was waited for.", Double(log.writes.synchronizationCount))
        let bytes = log.writes.journalByteCount + log.writes.trackByteCount + log.writes.otherByteCount
        text.add("waypost_disk_written_bytes_total", .counter, "Bytes written to files.", Double(bytes))
        text.add(
            "waypost_log_free_bytes", .gauge, "The free space on the log's disk.",
            Syscalls.freeByteCount(at: log.directory).map(Double.init))
    }

    private func addDestinations(to text: inout PrometheusText) {
        func samples(_ value: (DestinationReport) -> Double?) -> [(labels: [(name: String, value: String)], value: Double)] {
            destinations.compactMap { report in value(report).map { ([("destination", report.name)], $0) } }
        }
        text.add("waypost_destination_sent_records_total", .counter, "Records with a receipt.", samples { Double($0.sentCount) })
        text.add(
            "waypost_destination_waiting_records", .gauge, "Records that wait.",
            samples { Double($0.eventCount + ($0.positionCount ?? 0)) })
        text.add(
            "waypost_destination_oldest_seconds", .gauge, "The age of the oldest that waits.", samples { $0.oldestSeconds.map(Double.init) }
        )
        text.add("waypost_destination_dead_letters", .gauge, "Records refused for good.", samples { Double($0.deadLetterCount) })
        text.add("waypost_destination_dropped_records_total", .counter, "Records dropped by a limit.", samples { Double($0.droppedCount) })
        text.add(
            "waypost_destination_up", .gauge, "0 while it takes nothing.",
            samples { $0.state == .failing || $0.state == .retrying ? 0 : 1 })
    }
}
