#!/usr/bin/env python3
"""Writes README and guides as they are read without DocC: from the folder of the package.

Usage: python3 Config/debian/guides.py OUTDIR

README.md, guide/NAME.md (the tracker), guide/kit/NAME.md (the library). Links of DocC become links to these files; a link to what is only
among the sources becomes its words, with the path. Exit 1 when a link leads nowhere."""
import os
import pathlib
import re
import sys

CATALOGUES = {"Sources/Waypost/Waypost.docc": "guide", "Sources/WaypostKit/WaypostKit.docc": "guide/kit"}
NOTE = """> This is the README of the package: `waypost` and `waypostd` are installed already. Start with `sudo waypost setup`, or see it
> work without a receiver: `waypost run --source sim:walk`. Commands with `Config/` or `Tests/` are for the sources.
"""


def main(outdir):
    pages = {pathlib.Path("README.md"): pathlib.Path("README.md")}
    for catalogue, folder in CATALOGUES.items():
        for page in sorted(pathlib.Path(catalogue).rglob("*.md")):
            pages[page] = pathlib.Path(folder) / page.name
    lost = []

    def relative(page, target):
        return os.path.relpath(pages[target], pages[page].parent)

    def documentation(page, name, anchor):
        catalogue = next((c for c in CATALOGUES if str(page).startswith(c)), None)
        for candidate in [catalogue, *CATALOGUES]:
            for target in pages:
                if candidate and str(target).startswith(candidate) and target.stem == name:
                    title = target.read_text(encoding="utf-8").splitlines()[0].lstrip("# ").replace("``", "")
                    return f"[{title}]({relative(page, target)}{anchor.lower()})"
        lost.append(f"{page}: <doc:{name}>")
        return name

    def link(page, words, target):
        path, mark, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target) or not path:
            return f"[{words}]({target})"
        found = pathlib.Path(path)
        if found in pages:
            return f"[{words}]({relative(page, found)}{mark}{anchor})"
        if found.exists():
            return f"{words} (`{path}` of the sources)"
        lost.append(f"{page}: {target}")
        return words

    for page, place in pages.items():
        text = page.read_text(encoding="utf-8")
        text = re.sub(r"<doc:(\w+)(#[\w-]+)?>", lambda found: documentation(page, found[1], found[2] or ""), text)
        # Pictures stay among the sources.
        text = re.sub(r"^(!\[[^\]]*\]\([^)]*\)|<img [^>]*>)\n+", "", text, flags=re.M)
        if page.name == "README.md":
            text = re.sub(r"(?<!!)\[([^\]\n]+)\]\(([^)\s]+)\)", lambda found: link(page, found[1], found[2]), text)
            title, rest = text.split("\n", 1)
            text = f"{title}\n\n{NOTE}{rest}"
        file = pathlib.Path(outdir) / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    for words in lost:
        print(f"guides.py: leads nowhere: {words}", file=sys.stderr)
    return 1 if lost else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: guides.py OUTDIR")
    sys.exit(main(sys.argv[1]))
