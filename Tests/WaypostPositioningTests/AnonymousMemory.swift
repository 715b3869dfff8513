import Foundation

/// The memory that this process has of its own, in kB (RssAnon of /proc/self/status).
///
/// Not VmRSS: what of the program's file is in memory is the kernel's choice, and varies by some hundred kB.
var anonymousKilobytes: Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
}
