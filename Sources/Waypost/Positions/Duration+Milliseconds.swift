extension Duration {
    /// Whole milliseconds, cut off; a span of more than 278 000 years counts as that, so that moments can be reckoned with any.
    package var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        let longest: Int64 = 1 << 43
        if seconds >= longest { return longest * 1_000 }
        if seconds <= -longest { return -longest * 1_000 }
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
