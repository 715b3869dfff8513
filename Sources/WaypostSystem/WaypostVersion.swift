/// The version of this build.
public enum WaypostVersion {
    /// As `--version` prints it.
    public static let text = "0.1.0"
}
