/// The script for bash that completes `waypost`: the parser's, made right for values that are addresses.
///
/// The parser treats all values as file names, of which bash shows what follows the last slash and escapes colons; and bash itself takes what is
/// before a colon as a word of its own.
enum CompletionScript {
    /// The parser's script for bash with these changes; any other text as it is.
    ///
    /// - Parameter text: what the parser prints.
    static func mended(_ text: String) -> String {
        guard text.hasPrefix("#!/bin/bash"), text.contains(registration) else { return text }
        return text.replacing(registration, with: ownRegistration).replacing(adding, with: ownAdding)
    }

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
