"""Writes the examples of doc comments down as functions, so that the compiler sees them: Tests/Examples/Sources/DocComments/Generated.swift.

What they take from their surroundings is in Context.swift beside it. Left out are those of modules that are no products, and pieces of types.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
folder = root / "Tests/Examples/Sources/DocComments"
modules = ["Waypost", "WaypostPositioning", "WaypostRecording", "WaypostGeofences", "WaypostDispatch", "WaypostControl",
           "WaypostKit"]

text = "".join(f"import {module}\n" for module in modules)
count = 0
for path in sorted(path for module in modules for path in (root / "Sources" / module).rglob("*.swift")):
    for block in re.findall(r"^[ \t]*/// ```swift\n(.*?)^[ \t]*/// ```$", path.read_text(), re.DOTALL | re.MULTILINE):
        lines = [re.sub(r"^[ \t]*/// ?", "", line) for line in block.splitlines()]
        # What stands for the reader's own code.
        code = "\n    ".join(line.replace("{ ... }", "{}") for line in lines)
        name = re.sub(r"\W", "_", path.stem)
        text += f"\n// {path.relative_to(root)}\nfunc example{count}{name}() async throws {{\n    {code}\n}}\n"
        count += 1
if count < 15:
    sys.exit(f"doc_examples: only {count} examples found")
folder.joinpath("Generated.swift").write_text(text)
print(f"doc_examples: {count} examples")
