import Testing

/// The real programs from the build folder, run as people, scripts and systemd run them.
///
/// One after the other: several of them measure memory or wait for a daemon.
@Suite(.serialized) enum EndToEnd {}
