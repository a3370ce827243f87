"""How often the product escapes the type checker: `python -m tests.escapes` prints the counts by package."""

import ast
import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1] / "workbench"
WORDS = re.compile(r"\bAny\b")
ESCAPES = re.compile(r"\bcast\(|# type: ignore")
LOOSE = re.compile(r"dict\[str, Any\]")


def counted() -> tuple[Counter[str], Counter[str]]:
    """By package: `Any`, `cast` and `type: ignore` together, and `dict[str, Any]`; imports and docstrings aside."""
    escapes, loose = Counter[str](), Counter[str]()
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        lines = text.split("\n")
        for node in ast.walk(ast.parse(text)):
            docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
            if isinstance(node, ast.ImportFrom | ast.Import) or docstring:
                for number in range(node.lineno - 1, node.end_lineno or node.lineno):
                    lines[number] = lines[number].partition("#")[1] + lines[number].partition("#")[2]
        package = path.relative_to(ROOT).parts[0] if path.parent != ROOT else "top"
        code = "\n".join(lines)
        escapes[package] += len(WORDS.findall(code)) + len(ESCAPES.findall(code))
        loose[package] += len(LOOSE.findall(code))
    return escapes, loose


def main() -> None:
    """Print both counts."""
    escapes, loose = counted()
    for package in sorted(escapes, key=lambda name: -escapes[name]):
        print(f"{package:15} {escapes[package]:4} {loose[package]:4}")
    print(f"{'all':15} {escapes.total():4} {loose.total():4}")


if __name__ == "__main__":
    main()
