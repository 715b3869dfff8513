#!/usr/bin/env python3
"""Completes the names of fences in real shells, each on a terminal of its own, and presses Enter: exactly the fence that was meant is removed,
and nothing in a name is run. Needs: python3, bash, zsh and fish; a built waypost and waypostd.

    python3 Tests/Scripts/Proofs/completion.py .build/debug [bash|zsh|fish ...]
"""
import json, os, pty, select, shutil, subprocess, sys, tempfile, time

NAMES = ["My Yard (old)", "it's $x", "gate:1", "gate:2", "gate", "a\\b", "$(touch pwned)", "`touch pwned`", "Café Zoë", 'say "hi"', "x=y", "me@home",
         "#hash", "~tilde", "st*r[1]", "bang!x", "semi;rm", "p|q", "q&r", "<in>", "{b,c}", "100%", "-dash", "two\nlines"]
PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:/@=.%_-"
QUOTES = {"bash": ["", '"', "'"], "zsh": ["", '"', "'"], "fish": [""]}


def typed(text, quote):
    """The text as a person types it in that quoting; None where it cannot be typed so."""
    if quote == "":
        return "".join(c if c in PLAIN or ord(c) > 127 else "\\" + c for c in text)
    if quote == '"':
        return None if "!" in text else '"' + "".join("\\" + c if c in '\\"$`' else c for c in text)
    return None if "'" in text else "'" + text


class Shell:
    """A shell on a terminal."""

    def __init__(self, name, folder):
        script = {"bash": f"bind 'set completion-query-items 1000'; . {folder}/bash",
                  "zsh": f"fpath=({folder}/functions $fpath); autoload -Uz compinit; compinit -u -D", "fish": f"source {folder}/fish"}[name]
        options = {"bash": ["--norc", "--noprofile", "-i"], "zsh": ["-f", "-i"], "fish": ["--no-config", "-i"]}[name]
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvp(name, [name] + options)
        self.output = b""
        self.read(0.5)
        self.write(script + "; echo READ''Y\r")
        self.wait(b"READY")

    def read(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.terminal], [], [], left)[0]:
                try:
                    self.output += os.read(self.terminal, 65536)
                except OSError:
                    return

    def wait(self, mark):
        end = time.monotonic() + 20
        while mark not in self.output and time.monotonic() < end:
            self.read(0.1)
        self.read(0.2)

    def write(self, text):
        os.write(self.terminal, text.encode())

    def end(self):
        os.kill(self.pid, 9)
        os.close(self.terminal)
        os.waitpid(self.pid, 0)


def main():
    build, shells = os.path.abspath(sys.argv[1]), sys.argv[2:] or list(QUOTES)
    folder = tempfile.mkdtemp()
    os.makedirs(folder + "/functions")
    os.environ.update(PATH=build + ":" + os.environ["PATH"], WAYPOST_SOCKET=folder + "/s", TERM="xterm", LC_ALL="C.UTF-8", HOME=folder, PS1="$ ")
    run = lambda *words: subprocess.run(["waypost", *words], capture_output=True, text=True)
    for shell, file in (("bash", "bash"), ("zsh", "functions/_waypost"), ("fish", "fish")):
        open(f"{folder}/{file}", "w").write(run("--generate-completion-script", shell).stdout)
    tracker = subprocess.Popen(["waypost", "run", "--source", "sim:none", "--state", folder + "/state", "--log", folder + "/log",
                                "--socket", folder + "/s"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    add = lambda name: run("fences", "add", "x", "--id=" + name, "--at", "51.7,10.3", "--radius", "50")
    ids = lambda: {json.loads(line)["id"] for line in run("fences", "list", "--json").stdout.splitlines()}
    while run("status").returncode not in (0, 1):
        time.sleep(0.2)
    for name in NAMES:
        add(name)
    everything = ids()
    wrong = tried = 0
    for shell in shells:
        for name in NAMES:
            if name not in everything or "\n" in name or name.startswith("-"):
                continue
            others = [other for other in everything if other != name]
            start = next((name[:n] for n in range(1, len(name)) if not any(o.startswith(name[:n]) for o in others)), name)
            for quote in QUOTES[shell]:
                text = typed(start, quote)
                if text is None or (start == name and quote):
                    continue
                terminal = Shell(shell, folder)
                begun = len(terminal.output)
                terminal.write("waypost fences remove " + text)
                terminal.read(0.2)
                if start != name:
                    terminal.write("\t")
                    terminal.read(1.0)
                terminal.write("\r")
                end = time.monotonic() + 5
                while ids() == everything and time.monotonic() < end:
                    terminal.read(0.1)
                removed = everything - ids()
                tried += 1
                if removed != {name}:
                    wrong += 1
                    print(f"{shell}: {text!r} <Tab>: removed {removed or 'nothing'}, not {name!r}: {terminal.output[begun:]!r}")
                terminal.end()
                for lost in removed:
                    add(lost)
    tracker.terminate()
    tracker.wait()
    pwned = os.path.exists(folder + "/pwned")
    shutil.rmtree(folder)
    print(f"{tried} completions, {wrong} wrong{', and a name was run' if pwned else ''}")
    sys.exit(1 if wrong or pwned or tried == 0 else 0)


main()
