import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostPositioning
import WaypostSystem

/// `waypost receiver`: how a receiver is set, and another setting for it.
struct ReceiverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receiver",
        abstract: "Show and change the settings of a u-blox or MediaTek receiver.",
        discussion: """
            The port must be free: gpsd and the tracker give it up when they are stopped. Settings hold until the receiver is without power, \
            unless --keep puts them where it keeps them.

            Example: waypost receiver show --port /dev/ttyACM0
            """,
        subcommands: [Show.self, Rate.self, Baud.self, Model.self, GST.self], defaultSubcommand: Show.self)

    /// `waypost receiver show`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show what the receiver is and how it is set.",
            discussion: "Example: waypost receiver show --port /dev/ttyACM0")

        @OptionGroup var port: ReceiverPortOptions

        func run() throws { try port.print(change: nil, keeps: false, only: nil) }
    }

    /// `waypost receiver rate [HZ]`.
    struct Rate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rate", abstract: "Show or set how many fixes a second there are.",
            discussion: "Example: waypost receiver rate 5 --keep")

        @Argument(help: ArgumentHelp("Fixes a second, 0.1 to 25; none shows them.", valueName: "hertz"))
        var hertz: Double?

        @OptionGroup var keeping: KeepOption
        @OptionGroup var port: ReceiverPortOptions

        func validate() throws {
            if let hertz, !(0.1...25).contains(hertz) { throw ValidationError("a rate is from 0.1 to 25 fixes a second") }
        }

        func run() throws {
            let change = hertz.map { ReceiverChange.period(milliseconds: Int((1_000 / $0).rounded())) }
            try port.print(change: change, keeps: keeping.keep, only: .rate)
        }
    }

    /// `waypost receiver baud [RATE]`.
    struct Baud: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "baud", abstract: "Show or set the speed of the receiver's serial line.",
            discussion: "The tracker finds the new speed by itself.\n\nExample: waypost receiver baud 115200 --port /dev/ttyAMA0")

        @Argument(help: ArgumentHelp("4800 to 921600; none shows it.", valueName: "bits per second"))
        var rate: Int?

        @OptionGroup var keeping: KeepOption
        @OptionGroup var port: ReceiverPortOptions

        func validate() throws {
            guard let rate, !SerialPort.baudRates.contains(rate) else { return }
            throw ValidationError("a speed is one of \(SerialPort.baudRates.map(String.init).joined(separator: ", "))")
        }

        func run() throws { try port.print(change: rate.map(ReceiverChange.baudRate), keeps: keeping.keep, only: .baud) }
    }

    /// `waypost receiver model [NAME]`.
    struct Model: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "model", abstract: "Show or set how the receiver is told that it moves.",
            discussion: """
                u-blox: \(UBXDynamicModel.allCases.map(\.name).joined(separator: ", ")). \
                MediaTek: \(PMTKNavigationMode.allCases.map(\.name).joined(separator: ", ")).

                Example: waypost receiver model automotive
                """)

        @Argument(help: ArgumentHelp("The model; none shows it.", valueName: "name"))
        var name: String?

        @OptionGroup var keeping: KeepOption
        @OptionGroup var port: ReceiverPortOptions

        func run() throws { try port.print(change: name.map(ReceiverChange.movement), keeps: keeping.keep, only: .model) }
    }

    /// `waypost receiver gst [on|off]`.
    struct GST: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gst", abstract: "Show or set whether the receiver sends GST, the errors of each fix.",
            discussion: "With GST, accuracy is what the receiver itself computes.\n\nExample: waypost receiver gst on --keep")

        @Argument(help: "on or off; none shows it.")
        var state: Switch?

        @OptionGroup var keeping: KeepOption
        @OptionGroup var port: ReceiverPortOptions

        /// On or off.
        enum Switch: String, ExpressibleByArgument, CaseIterable {
            case on, off
        }

        func run() throws { try port.print(change: state.map { .gst($0 == .on) }, keeps: keeping.keep, only: .gst) }
    }
}

/// Whether a setting outlasts a loss of power.
struct KeepOption: ParsableArguments {
    @Flag(help: "Keep the setting without power (u-blox).")
    var keep = false
}

/// The receiver that is meant, and how it is shown.
struct ReceiverPortOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The receiver's port; default is the only one that is known as a receiver.", valueName: "path"))
    var port: String?

    @Option(help: ArgumentHelp("The speed of its line; default finds it.", valueName: "bits per second"))
    var lineSpeed: Int?

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard let lineSpeed, !SerialPort.baudRates.contains(lineSpeed) else { return }
        throw ValidationError("--line-speed is one of \(SerialPort.baudRates.map(String.init).joined(separator: ", "))")
    }

    /// Changes the receiver, if that is asked for, and shows it or one of its settings as it is then.
    func print(change: ReceiverChange?, keeps: Bool, only: ReceiverLines.Setting?) throws {
        let desk = ReceiverDesk(path: try path(), baudRate: lineSpeed)
        let state: ReceiverState
        do throws(ReceiverError) {
            state = try Patience.during("asking the receiver") { () throws(ReceiverError) in
                if let change { try desk.apply(change, keeps: keeps) } else { try desk.state() }
            }
        } catch {
            throw CommandFailure(error)
        }
        let lines = ReceiverLines(state: state)
        let output = try OutputStream(path: "-")
        if json { return try output.write(line: lines.json) }
        for line in lines.text(only: only) { try output.write(line: line) }
    }

    private func path() throws(CommandFailure) -> String {
        if let port { return port }
        let receivers = SerialDeviceCatalogue().devices().filter(\.isKnownGNSS)
        guard receivers.count == 1, let receiver = receivers.first else {
            let why = receivers.isEmpty ? "none is plugged in that is known as one" : "there are \(receivers.count)"
            throw CommandFailure(.unavailable, what: "receiver", why: why, next: "name its port: --port PATH (waypost devices lists them)")
        }
        return receiver.path
    }
}

extension CommandFailure {
    /// A receiver that cannot be asked or changed.
    init(_ error: ReceiverError) {
        let status: ExitStatus =
            switch error {
            case .unavailable, .held, .unknown: .unavailable
            case .denied: .notAuthorised
            case .silent: .timedOut
            case .refused, .notKept: .failed
            }
        self.init(status, what: "receiver", why: error.words)
    }
}
