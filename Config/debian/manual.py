#!/usr/bin/env python3
"""Writes the manual pages from what the programs say of themselves, so that nothing is written twice.

    python3 Config/debian/manual.py --programs FOLDER --configuration waypost.toml --date DATE OUTDIR

waypost(1) comes from the argument parser's own description, waypostd(8) from `waypostd --help`, waypost.toml(5) from the commented defaults.
Standard library only.
"""

import argparse
import json
import re
import subprocess
import sys
from pathlib import Path

EXIT_CODES = "Exit codes:\n"
EXAMPLE = "Example: "
WORD = r"""(?:[^\s"']|"[^"]*"|'[^']*')+"""
# 80 columns without the margin of a section and that of the example, and with room for the backslash.
EXAMPLE_WIDTH = 80 - 7 - 4 - 4


def roff(text):
    """Text that means nothing to troff: backslashes, hyphens to be copied, and dots at the start of a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("^", "\\(ha").replace("~", "\\(ti")
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def paragraphs(text):
    """Paragraphs of a discussion, then its examples together. The exit codes have a section of their own."""
    lines, commands = [], []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.startswith(EXIT_CODES):
            continue
        if paragraph.startswith(EXAMPLE):
            # Several may stand below each other; what is not an example there is the second line of one.
            commands += [" ".join(example.split()) for example in paragraph.split(EXAMPLE) if example.strip()]
            continue
        lines += [".PP"] + table(paragraph.splitlines())
    return lines + examples(commands)


def table(words):
    """Words that are filled; below a headline in capitals each line is an entry, and what it means."""
    if not re.fullmatch("[A-Z]+:", words[0]):
        return [roff(line.strip()) for line in words]
    lines = [roff(words[0])]
    for line in words[1:]:
        # A colon within a URL has no blank behind it.
        name, meaning = line.strip().split(": ", 1)
        lines += [".TP", f"\\fB{roff(name)}\\fR", roff(meaning)]
    return lines


def examples(commands):
    """Commands to be copied, below each other; one that is too long for a screen of 80 columns goes on behind a backslash."""
    if not commands:
        return []
    lines = [".PP", "Example:" if len(commands) == 1 else "Examples:", ".RS 4", ".nf"]
    for command in commands:
        folded = [""]
        # An option stays with its value.
        for word in re.findall(rf"(?:--[a-z-]+ (?!-))?{WORD}", command):
            if folded[-1] and len(folded[-1]) + len(word) >= EXAMPLE_WIDTH:
                folded[-1] += " \\"
                folded.append("   ")
            folded[-1] = f"{folded[-1]} {word}" if folded[-1] else word
        lines += [roff(line) for line in folded]
    return lines + [".fi", ".RE"]


def exit_codes(text):
    """The section of the exit codes: a line each, the number and what it means."""
    table = text.split(EXIT_CODES, 1)[1].split("\n\n")[0]
    lines = [".SH \"EXIT STATUS\""]
    for number, meaning in re.findall(r"^ *(\d+)  (.*)$", table, re.MULTILINE):
        lines += [".TP", f".B {number}", roff(meaning)]
    return lines


def heading(name, section, what, date, version):
    # Paths and options are copied: no hyphens that are not theirs, no blanks that fill a line.
    return [f'.TH {name.upper()} {section} "{date}" "waypost {version}" "waypost"', ".nh", ".ad l", ".SH NAME", f"{roff(name)} \\- {roff(what)}"]


def spelled(name):
    return {"long": "--", "short": "-", "longWithSingleDash": "-"}[name["kind"]] + name["name"]


def usage(argument):
    """How the argument is written in a synopsis."""
    if argument["kind"] == "positional":
        text = f"\\fI{roff(argument['valueName'])}\\fR"
    else:
        text = f"\\fB{roff(spelled(argument['preferredName']))}\\fR"
        if argument["kind"] == "option":
            text += f" \\fI{roff(argument['valueName'])}\\fR"
    if argument["isRepeating"]:
        text += " ..."
    return f"[{text}]" if argument["isOptional"] else text


def shown(command):
    """The arguments that are the command's own; help and version are the program's."""
    common = ("help", "version")
    return [a for a in command.get("arguments", []) if a["shouldDisplay"] and a["valueName"] not in common]


def options(command):
    lines = []
    for argument in shown(command):
        lines.append(".TP")
        if argument["kind"] == "positional":
            lines.append(f"\\fI{roff(argument['valueName'])}\\fR")
        else:
            names = ", ".join(f"\\fB{roff(spelled(name))}\\fR" for name in argument["names"])
            value = f" \\fI{roff(argument['valueName'])}\\fR" if argument["kind"] == "option" else ""
            lines.append(names + value)
        words = argument.get("abstract", "").strip()
        if values := argument.get("allValues"):
            words += f" (values: {', '.join(values)})"
        if default := argument.get("defaultValue"):
            words += f" (default: {default})"
        lines.append(roff(words.strip() or "(no more to say)"))
    return lines


def commands(command, path):
    """The command and those below it, as subsections; the built-in `help` says nothing of its own."""
    lines = []
    subcommands = [c for c in command.get("subcommands", []) if c["shouldDisplay"] and c["commandName"] != "help"]
    if path:
        lines.append(f'.SS "{roff(" ".join(path))}"')
        if not subcommands:
            lines.append(" ".join([f"\\fB{roff(' '.join(path))}\\fR"] + [usage(argument) for argument in shown(command)]))
        lines += [".PP", roff(command.get("abstract", ""))]
        lines += paragraphs(command["discussion"]) if command.get("discussion") else []
        lines += options(command)
    for subcommand in subcommands:
        lines += commands(subcommand, path + [subcommand["commandName"]])
    return lines


def page_of_client(programs, date, version):
    said = subprocess.run([programs / "waypost", "--experimental-dump-help"], check=True, capture_output=True, text=True).stdout
    command = json.loads(said)["command"]
    what = command["abstract"].rstrip(".")
    lines = heading("waypost", 1, what[0].lower() + what[1:] if not what.startswith("GPS") else what, date, version)
    lines += [".SH SYNOPSIS", ".B waypost", "\\fIcommand\\fR [\\fIoption\\fR ...]", ".br", ".B waypost", "\\-\\-help | \\-\\-version"]
    lines += [".SH DESCRIPTION"] + paragraphs(command["discussion"])
    lines += [".SH COMMANDS"] + commands(command, [])
    lines += exit_codes(command["discussion"])
    lines += [
        ".SH ENVIRONMENT", ".TP", ".B WAYPOST_SOCKET", "The control socket, when no option names one.",
        ".SH FILES", ".TP", ".I /etc/waypost/waypost.toml", "The configuration; see", ".BR waypost.toml (5).",
        ".TP", ".I /run/waypost/waypost.sock", "The control socket of the service.",
        ".TP", ".I /var/log/waypost", "The tracks and the journal.",
        ".SH SEE ALSO", ".BR waypostd (8),", ".BR waypost.toml (5),", ".BR gpsd (8)",
    ]
    return lines


def page_of_tracker(programs, date, version):
    said = subprocess.run([programs / "waypostd", "--help"], check=True, capture_output=True, text=True).stdout
    overview = " ".join(re.search(r"^OVERVIEW: (.*?)\n\n", said, re.MULTILINE | re.DOTALL)[1].split())
    synopsis = " ".join(re.search(r"^USAGE: waypostd (.*?)\n\n", said, re.MULTILINE | re.DOTALL)[1].split())
    example = re.search(r"^Example: (.*)$", said, re.MULTILINE)[1]
    lines = heading("waypostd", 8, "the waypost tracker", date, version)
    lines += [".SH SYNOPSIS", ".B waypostd", roff(synopsis), ".SH DESCRIPTION", roff(overview)]
    lines += [".PP", "The package runs it as", ".BR waypostd.service ;", "people and scripts start it in the foreground with",
              ".BR \"waypost run\" ."]
    lines += [".SH OPTIONS"]
    # Two columns: what begins at the left is an option, what is indented further goes on explaining it.
    options, sources = said.split("OPTIONS:\n", 1)[1].split("SOURCES:\n", 1)
    for line in options.splitlines():
        if option := re.match(r"  (-\S(?:.*?))\s{2,}(\S.*)$", line):
            lines += [".TP", f"\\fB{roff(option[1])}\\fR", roff(option[2])]
        elif line.strip():
            lines.append(roff(line.strip()))
    lines += [".SH SOURCES"] + table(["SOURCES:"] + sources.strip().splitlines())[1:]
    lines += [
        ".SH SIGNALS", ".TP", ".BR SIGTERM \", \" SIGINT \", \" SIGHUP",
        "Finishes the track and ends; a second one ends at once.",
        ".SH EXAMPLE", ".nf", roff(example), ".fi",
        ".SH FILES", ".TP", ".I /etc/waypost/waypost.toml", "The configuration; see", ".BR waypost.toml (5).",
        ".TP", ".I /var/lib/waypost", "What it keeps over a restart.",
        ".TP", ".I /var/log/waypost", "The tracks and the journal.",
        ".SH SEE ALSO", ".BR waypost (1),", ".BR waypost.toml (5),", ".BR systemctl (1),", ".BR gpsd (8)",
    ]
    return lines


def page_of_configuration(path, date, version):
    """Comments are explanations, `#[section]` and `#key = value` are what they explain."""
    lines = heading("waypost.toml", 5, "the configuration of waypost", date, version)
    lines += [".SH SYNOPSIS", ".I /etc/waypost/waypost.toml", ".SH DESCRIPTION"]
    words, is_preface = [], True
    for line in path.read_text().splitlines() + [""]:
        if section := re.fullmatch(r"#(\[+\w+\]+)", line):
            if is_preface:
                lines.append(".SH SECTIONS")
                is_preface = False
            # A section that is shown twice, as a list of two, is explained once.
            if words:
                lines += [f'.SS "{roff(section[1])}"'] + [roff(word) for word in words]
            words = []
        elif key := re.fullmatch(r"#(\w+) = (.*)", line):
            if words:
                lines += [".TP", f"\\fB{roff(key[1])}\\fR = {roff(key[2])}"] + [roff(word) for word in words]
            words = []
        elif comment := re.match(r"# ?(.*)", line):
            words.append(comment[1])
        elif is_preface and words:
            lines += [roff(word) if word else ".PP" for word in words]
            words = []
    lines += [".SH SEE ALSO", ".BR waypost (1),", ".BR waypostd (8)"]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=Path, required=True, help="the folder of programs that run on this machine")
    parser.add_argument("--configuration", type=Path, required=True)
    parser.add_argument("--date", required=True)
    parser.add_argument("outdir", type=Path)
    options = parser.parse_args()
    programs = options.programs.resolve()
    version = subprocess.run([programs / "waypost", "--version"], check=True, capture_output=True, text=True).stdout.split()[-1]
    pages = {
        "waypost.1": page_of_client(programs, options.date, version),
        "waypostd.8": page_of_tracker(programs, options.date, version),
        "waypost.toml.5": page_of_configuration(options.configuration, options.date, version),
    }
    for name, lines in pages.items():
        (options.outdir / name).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    sys.exit(main())
