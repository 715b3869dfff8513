import WaypostSystem

/// The path of a file of a log, for people and programs.
///
/// Root works within a log whose owner cannot pass the folders above it, where paths begin with `.`: nobody else is in that folder.
func logPath(_ path: String) -> String {
    guard path == "." || path.hasPrefix("./") else { return path }
    return (try? Syscalls.absolutePath(path)) ?? path  // In a folder that was removed meanwhile no path leads there.
}
