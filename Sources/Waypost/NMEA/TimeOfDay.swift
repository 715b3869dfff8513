/// Arithmetic on UTC times of day, in milliseconds since midnight; a leap second has the times from 86 400 000 on.
enum TimeOfDay {
    static let millisecondsPerDay = 86_400_000

    /// How far apart two times are, across midnight if that is shorter.
    ///
    /// A time within a leap second is a whole day from the same fraction of second 0: the two are not the same time.
    static func distance(_ first: Int, _ second: Int) -> Int {
        let difference = abs(first - second)
        return difference < millisecondsPerDay ? min(difference, millisecondsPerDay - difference) : difference
    }
}
