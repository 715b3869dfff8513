"""Writes the examples of doc comments down as functions, so that the compiler sees them: Tests/Examples/Sources/DocComments/Generated.swift.

What they take from their surroundings is in Context.swift beside it. Left out are those of modules that are no products, of declarations that
the other modules of the package alone can use, and pieces of types.
"""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]
folder = root / "Tests/Examples/Sources/DocComments"
modules = ["Waypost", "WaypostPositioning", "WaypostRecording", "WaypostDispatch", "WaypostControl", "WaypostKit"]

text = "".join(f"import {module}\n" for module in modules)
count = 0
for path in sorted(path for module in modules for path in (root / "Sources" / module).rglob("*.swift")):
    pattern = r"^[ \t]*/// ```swift\n((?:[ \t]*///.*\n)*?)[ \t]*/// ```\n(?:[ \t]*///.*\n)*(.*)"
    for block, declaration in re.findall(pattern, path.read_text(), re.MULTILINE):
        if re.match(r"\s*(@\w+ )*package ", declaration):
            continue
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
