/// The scripts that complete `waypost`: the parser's, with the commands after `help`, and for bash and zsh made right for values that are addresses
/// or names.
///
/// The parser's script for bash treats all values as file names, of which bash shows what follows the last slash and escapes colons, and evaluates
/// them, so that a name with `$(...)` in it would run a command; bash itself takes what is before a colon as a word of its own. That for zsh takes
/// what follows a colon for a description.
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
            let cases = groups.map { "        \($0.name)) __waypost_add_completions -W $'\($0.subcommands.joined(separator: "\\n"))' ;;\n" }
                .joined()
            let help = """
                _waypost_help() {
                    case "${#unparsed_words[@]}" in
                    1) __waypost_add_completions -W $'\(commands.map(\.name).joined(separator: "\\n"))' ;;
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
            return text.replacing(describing, with: ownDescribing).replacing(options, with: ownOptions).replacing(
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
    private static let ownAdding = #"""
        # Reads the text of a word: __waypost_value is what it stands for, __waypost_quote the quote that is still open in it, and __waypost_word
        # its text since the last space outside of quotes.
        __waypost_read_word() {
            local -r text="${1}"
            local -i index
            local character escaped=''
            __waypost_value='' __waypost_quote='' __waypost_word=''
            for ((index = 0; index < ${#text}; index++)); do
                character="${text:index:1}"
                if [[ -n ${escaped} ]]; then
                    [[ ${__waypost_quote} != '"' || ${character} == [\"\\\$\`] ]] || __waypost_value+='\'
                    __waypost_value+="${character}" escaped=''
                elif [[ ${character} == '\' && ${__waypost_quote} != "'" ]]; then
                    escaped=yes
                elif [[ -n ${__waypost_quote} ]]; then
                    if [[ ${character} == "${__waypost_quote}" ]]; then __waypost_quote=''; else __waypost_value+="${character}"; fi
                elif [[ ${character} == [\"\'] ]]; then
                    __waypost_quote="${character}"
                elif [[ ${character} == [[:space:]] ]]; then
                    __waypost_value='' __waypost_word=''
                    continue
                else
                    __waypost_value+="${character}"
                fi
                __waypost_word+="${character}"
            done
        }

        # Offers those of the values, one on each line, that begin with what is typed, quoted as the shell needs them there. Nothing in them is
        # evaluated: they are names from the tracker.
        __waypost_add_values() {
            local __waypost_value __waypost_quote __waypost_word
            __waypost_read_word "${COMP_LINE:0:COMP_POINT}"
            local -r typed="${__waypost_value}" quote="${__waypost_quote}"
            # What stands before the part that is replaced.
            __waypost_read_word "${__waypost_word%"${cur}"}"
            local -r kept="${__waypost_value}"
            local value rest
            while IFS='' read -r value; do
                [[ -n ${value} && ${value} == "${typed}"* ]] || continue
                rest="${value#"${kept}"}"
                case "${quote}" in
                '"') rest="${rest//'\'/'\\'}" rest="${rest//'"'/'\"'}" rest="${rest//'$'/'\$'}" rest="${rest//'`'/'\`'}" rest="${rest//'!'/'"\!"'}" ;;
                "'") rest="${rest//"'"/"'\\''"}" ;;
                *) printf -v rest '%q' "${rest}" ;;
                esac
                COMPREPLY+=("${rest}")
            done <<<"${1}"
            [[ ${#COMPREPLY[@]} -eq 1 ]] || return 0
            # The shell closes the quote, unless it takes the last character for one that does.
            [[ -z ${quote} || ${COMPREPLY[0]} != *"${quote}" ]] || COMPREPLY[0]+="${quote}"
            # What follows the beginning of an address is still to be typed.
            [[ ${COMPREPLY[0]} != *[:/] ]] || compopt -o nospace 2>/dev/null
        }

        __waypost_add_completions() {
            if [[ ${1} == -W ]]; then
                __waypost_add_values "${2}"
                return
            fi
            compopt -o filenames 2>/dev/null
            local completion
            while IFS='' read -r completion; do
                COMPREPLY+=("${completion}")
            done < <(IFS=$'\n' compgen "${@}" -- "${cur}")
        }
        """#

    /// Values are offered as they are: the parser's script takes what follows a colon for a description.
    private static let describing = """
        __waypost_complete() {
            local -ar non_empty_completions=("${@:#(|:*)}")
            local -ar empty_completions=("${(M)@:#(|:*)}")
            _describe -V '' non_empty_completions -- empty_completions -P $'\\'\\''
        }
        """
    private static let ownDescribing = """
        __waypost_complete() {
            # What follows the beginning of an address is still to be typed.
            local -a beginnings=("${(M)@:#*[:/]}") values=("${@:#(|*[:/])}")
            local -i ret=1
            compadd -V values -S '' -a beginnings && ret=0
            compadd -V values -a values && ret=0
            return "${ret}"
        }
        """

    /// The shell quotes `!` in what it completes where it means a command of the history.
    private static let options = "    unsetopt aliases banghist\n"
    private static let ownOptions = """
            unsetopt aliases
            [[ ${_comp_caller_options[banghist]-on} == on ]] || unsetopt banghist

        """
}
