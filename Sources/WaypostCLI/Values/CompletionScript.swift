/// The scripts that complete `waypost`: the parser's, with the commands after `help`, and for bash made right for values that are addresses.
///
/// The parser treats all values as file names, of which bash shows what follows the last slash and escapes colons; and bash itself takes what is
/// before a colon as a word of its own.
enum CompletionScript {
    /// The parser's script with these changes; any other text as it is.
    ///
    /// - Parameters:
    ///   - text: what the parser prints.
    ///   - commands: the commands with their subcommands, which the parser does not complete after `help`.
    static func mended(_ text: String, commands: [(name: String, subcommands: [String])]) -> String {
        let names = commands.map(\.name).joined(separator: " ")
        let groups = commands.filter { !$0.subcommands.isEmpty }
        if text.hasPrefix("#!/bin/bash"), text.contains(registration) {
            let cases = groups.map { "        \($0.name)) __waypost_add_completions -W '\($0.subcommands.joined(separator: " "))' ;;\n" }
                .joined()
            let help = """
                _waypost_help() {
                    case "${#unparsed_words[@]}" in
                    1) __waypost_add_completions -W '\(names)' ;;
                    2)
                        case "${unparsed_words[0]}" in
                \(cases)        esac
                        ;;
                    esac

                """
            return text.replacing(registration, with: ownRegistration).replacing(adding, with: ownAdding)
                .replacing("_waypost_help() {\n", with: help)
        }
        if text.hasPrefix("#compdef") {
            let cases = groups.map { " \($0.name)) compadd \($0.subcommands.joined(separator: " ")) ;;" }.joined()
            return text.replacing(
                "        '*:subcommands:'\n",
                with: "        '1:command:(\(names))'\n        '2:subcommand:{ case \"${words[2]}\" in\(cases) esac }'\n")
        }
        guard text.contains(fishMark) else { return text }
        let seen = "__fish_seen_subcommand_from"
        let first = "complete -c 'waypost' -n '\(seen) help; and not \(seen) \(names)' -fka '\(names)'\n"
        return text + (text.hasSuffix("\n") ? "" : "\n") + first
            + groups.map {
                "complete -c 'waypost' -n '\(seen) help; and \(seen) \($0.name)' -fka '\($0.subcommands.joined(separator: " "))'\n"
            }.joined()
    }

    private static let fishMark = "complete -c 'waypost'"
    private static let registration = "complete -o filenames -F _waypost waypost"
    private static let ownRegistration = """
        COMP_WORDBREAKS="${COMP_WORDBREAKS//:}"
        complete -F _waypost waypost
        """

    private static let adding = """
        __waypost_add_completions() {
            local completion
            while IFS='' read -r completion; do
                COMPREPLY+=("${completion}")
            done < <(IFS=$'\\n' compgen "${@}" -- "${cur}")
        }
        """
    private static let ownAdding = """
        __waypost_add_completions() {
            [[ ${1} != -[df] ]] || compopt -o filenames 2>/dev/null
            local completion
            while IFS='' read -r completion; do
                COMPREPLY+=("${completion}")
            done < <(IFS=$'\\n' compgen "${@}" -- "${cur}")
            # What follows the beginning of an address is still to be typed.
            [[ ${1} != -W || ${#COMPREPLY[@]} -ne 1 || ${COMPREPLY[0]} != *[:/] ]] || compopt -o nospace 2>/dev/null
        }
        """
}
