import ArgumentParser
import Waypost
import WaypostConfiguration
import WaypostPositioning
import WaypostSystem

/// `waypost receiver`: shows and changes the settings of a receiver.
struct ReceiverCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "receiver",
        abstract: "Show and change the settings of a u-blox or MediaTek receiver.",
        discussion: """
            The port must be free: stop gpsd and the tracker first. Settings last until the receiver loses power, unless --keep stores them \
            in it.

            Exit code 66 when there is no such port or no receiver, 65 when it is not a receiver from one of these makers or cannot do this, 75 when the \
            port is in use or the receiver is silent, 77 when this user may not open it, 74 when the port fails, 1 when the receiver refuses.

            Example: waypost receiver show --port /dev/ttyACM0
            """,
        subcommands: [Show.self, Rate.self, Baud.self, Model.self, GST.self], defaultSubcommand: Show.self)

    /// `waypost receiver show`.
    struct Show: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "show", abstract: "Show which receiver it is, and its settings.",
            discussion: "Example: waypost receiver show --port /dev/ttyACM0")

        @OptionGroup var port: ReceiverPortOptions

        func run() throws { try port.print(change: nil, keeps: false, only: nil) }
    }

    /// `waypost receiver rate [HZ]`.
    struct Rate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rate", abstract: "Show or set how many fixes a second the receiver sends.",
            discussion: "Example: waypost receiver rate 5 --keep")

        @Argument(
            help: ArgumentHelp("Fixes per second, 0.1 to 25; if omitted, the rate is shown.", valueName: "hertz"),
            transform: NumberValue.parse("fixes a second, 0.1 to 25, such as 5"))
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
            commandName: "baud", abstract: "Show or set the speed of the receiver's serial port.",
            discussion: "The tracker finds the new speed by itself.\n\nExample: waypost receiver baud 115200 --port /dev/ttyAMA0")

        @Argument(
            help: ArgumentHelp("4800 to 921600; if omitted, the speed is shown.", valueName: "bits per second"),
            completion: .list(SerialPort.baudRates.map(String.init)), transform: NumberValue.parse("bits per second, such as 9600"))
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
            commandName: "model", abstract: "Show or set the kind of movement that the receiver expects.",
            discussion: """
                u-blox: \(UBXDynamicModel.allCases.map(\.name).joined(separator: ", ")). \
                MediaTek: \(PMTKNavigationMode.allCases.map(\.name).joined(separator: ", ")).

                Example: waypost receiver model automotive
                """)

        @Argument(
            help: ArgumentHelp("The model; if omitted, the current one is shown.", valueName: "name"), completion: .list(Model.names),
            transform: NameValue.parse)
        var name: String?

        @OptionGroup var keeping: KeepOption
        @OptionGroup var port: ReceiverPortOptions

        func validate() throws {
            guard let name, UBXDynamicModel(name: name) == nil, PMTKNavigationMode(name: name) == nil else { return }
            throw ValidationError("there is no model \"\(name)\"; use one of \(Model.names.joined(separator: ", "))")
        }

        /// The models of both makers, each name once.
        private static var names: [String] {
            let names = UBXDynamicModel.allCases.map(\.name) + PMTKNavigationMode.allCases.map(\.name)
            return names.enumerated().filter { names.firstIndex(of: $0.element) == $0.offset }.map(\.element)
        }

        func run() throws { try port.print(change: name.map(ReceiverChange.movement), keeps: keeping.keep, only: .model) }
    }

    /// `waypost receiver gst [on|off]`.
    struct GST: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "gst", abstract: "Show or set whether the receiver sends GST, the error estimates of each fix.",
            discussion: "With GST, the accuracy is the receiver's own estimate.\n\nExample: waypost receiver gst on --keep")

        @Argument(help: "on or off; if omitted, the setting is shown.")
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
    @Flag(help: "Store the setting, so that it outlasts a loss of power (u-blox).")
    var keep = false
}

/// The chosen receiver, and the form of the output.
struct ReceiverPortOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The receiver's port; default is that of the only known receiver.", valueName: "path"), completion: .file(),
        transform: PathValue.parse)
    var port: String?

    @Option(
        help: ArgumentHelp("The speed of the port; default: detected automatically.", valueName: "bits per second"),
        completion: .list(SerialPort.baudRates.map(String.init)), transform: NumberValue.parse("bits per second, such as 9600"))
    var lineSpeed: Int?

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        guard let lineSpeed, !SerialPort.baudRates.contains(lineSpeed) else { return }
        throw ValidationError("--line-speed is one of \(SerialPort.baudRates.map(String.init).joined(separator: ", "))")
    }

    /// Changes the receiver, if requested, and shows its settings, or one of them, after that.
    func print(change: ReceiverChange?, keeps: Bool, only: ReceiverLines.Setting?) throws {
        let desk = ReceiverConfigurator(path: try path(), baudRate: lineSpeed)
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
            let why = receivers.isEmpty ? "no known receiver is plugged in" : "there are \(receivers.count)"
            throw CommandFailure(
                receivers.isEmpty ? .inputMissing : .usage, what: "receiver", why: why,
                next: "name its port: --port PATH (waypost devices lists them)")
        }
        return receiver.path
    }
}

extension CommandFailure {
    /// A receiver that cannot be read or changed.
    init(_ error: ReceiverError) {
        let status: ExitStatus =
            switch error {
            case .missing: .inputMissing
            case .notALine, .unknown, .impossible: .badData
            case .failed: .inputOutput
            case .denied: .notAuthorised
            case .held, .silent: .timedOut
            case .refused, .notKept: .failed
            }
        self.init(status, what: "receiver", why: "\(error)")
    }
}
