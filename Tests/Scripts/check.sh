#!/usr/bin/env bash
# Before a commit: everything that must hold, the quick checks first. `.ci/run` runs the tests by themselves and this with --no-tests.
#
# Usage: bash Tests/Scripts/check.sh [--no-tests]
set -euo pipefail
cd "$(dirname "$0")/../.."
source Config/prerequisites.sh

failures=0
# failed MESSAGE [DETAILS]: one rule that does not hold; the others are still looked at.
failed() {
    printf 'check: %s\n' "$1" >&2
    [[ -z ${2-} ]] || printf '%s\n' "$2" >&2
    failures=$((failures + 1))
}
# Files of the commit to be: known to git, or new and not ignored; of these, the ones that exist.
files() {
    git ls-files -z --cached --others --exclude-standard -- "$@" | while IFS= read -r -d '' file; do
        [[ ! -f $file ]] || printf '%s\0' "$file"
    done
}
# lines PATTERN PATHSPEC...: where the extended regular expression occurs, as FILE:LINE:TEXT.
lines() {
    files "${@:2}" | xargs -0 --no-run-if-empty grep -HnIE -e "$1" || true
}

printf '== format and lint\n'
files '*.swift' | xargs -0 swift format lint --strict --parallel --configuration .swift-format ||
    failed 'not in the enforced style; run: git ls-files -z "*.swift" | xargs -0 swift format -i'

printf '== files and words\n'
found=$(files | tr '\0' '\n' | cut -d/ -f1 | sort -u | grep -vxE '\..*|Config|LICENSE|Package\.swift|README\.md|Sources|Tests|udev' || true)
[[ -z $found ]] || failed 'not of the top level, which is fixed:' "$found"

found=$(files '*.swift' '*.c' '*.cpp' '*.h' '*.sh' '*.py' | xargs -0 awk 'FNR == 401 { print FILENAME }')
[[ -z $found ]] || failed 'longer than 400 lines; one concept a file:' "$found"

found=$(lines '\b(TO''DO|FIX''ME|XX''X|HA''CK)\b' Sources Tests/'*.swift' '*.sh' '*.py' Package.swift Config udev)
[[ -z $found ]] || failed 'unfinished work belongs in an issue, not in the code:' "$found"

found=$(lines '\btry\?' 'Sources/*.swift' | grep -v '//' || true)
[[ -z $found ]] || failed 'an error is thrown away without a comment that says why on the same line:' "$found"

found=$(lines '\bas!|\bunowned\(unsafe\)|\bnonisolated\(unsafe\)' 'Sources/*.swift' | grep -v '// ' || true)
[[ -z $found ]] || failed 'the compiler is overruled without a comment that says why on the same line:' "$found"

found=$(awk '/^  / && length > 80 { print FILENAME ":" FNR }' Config/debian/changelog)
[[ -z $found ]] || failed 'longer than 80 characters, which lintian refuses in a changelog:' "$found"

# Paths that mean something on this machine only: the repository, the toolchain, local copies of packages.
here=("$PWD" "$(dirname "$(realpath "$(command -v swift)")")")
while IFS=' ' read -r key _; do
    key=${key#url.} key=${key%.insteadof}
    [[ ! -d $key ]] || here+=("${key%/}")
done < <(git config --get-regexp '^url\..*\.insteadof$' || true)
for path in "${here[@]}"; do
    # Of programs and other bytes, too: compilers write paths into them.
    found=$(files | xargs -0 grep -alF -e "$path" || true)
    [[ -z $found ]] || failed "a path of this machine, $path:" "$found"
done

printf '== scripts\n'
while IFS= read -r -d '' script; do
    bash -n "$script" || failed "does not parse: $script"
    # It ends at the first match, the command before it by SIGPIPE, and with pipefail a match looks like none.
    ! grep -n '| *grep -[a-zA-Z]*q' "$script" || failed "a pipe into grep -q: $script; use grep ... >/dev/null"
done < <(files '*.sh' .ci/run)
while IFS= read -r -d '' script; do
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$script" || failed "does not parse: $script"
done < <(files '*.py')

pin_swift_packages
cmp -s Package.resolved Config/swift-packages.json ||
    failed 'other versions of Swift packages than the tested ones; keep them: cp Package.resolved Config/swift-packages.json; or go back: cp Config/swift-packages.json Package.resolved'

printf '== build: warnings are errors, every import is a declared dependency\n'
swift build --build-tests --explicit-target-dependency-import-check error || failed 'the build'

# One contains("text") or firstRange(of:) brings the engine of regular expressions into the tracker, 1.3 MB (size.sh); `waypost` uses it.
objects=.build/debug
[[ -e $objects/WaypostDaemon.build ]] || failed "no objects of the build in $objects"
for module in "$objects"/Waypost*.build; do
    case $module in *Tests.build | */WaypostCLI.build | */WaypostTestKit.build) continue ;; esac
    found=$(find "$module" -name '*.o' -exec nm -A --undefined-only {} + | grep -F 17_StringProcessing | grep -v FORCE_LOAD | swift demangle | sort -u || true)
    [[ -z $found ]] || failed 'the engine of regular expressions; a search of our own is a line:' "$found"
done

if ((failures == 0)) && [[ ${1-} != --no-tests ]]; then
    printf '== tests\n'
    bash Tests/Scripts/test.sh || failed 'the tests'
fi
((failures == 0)) || {
    printf 'check: %d of the rules do not hold\n' "$failures" >&2
    exit 1
}
