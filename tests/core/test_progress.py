"""Progress of a part within the whole."""

import ast
from pathlib import Path

import workbench
from workbench.core.progress import part


def test_a_part_goes_from_its_start_to_its_end():
    told = []
    share = part(lambda share, note: told.append((share, note)), 0.25, 0.75)
    for done in (0.0, 0.5, 1.0):
        share(done, "so far")
    assert told == [(0.25, "so far"), (0.5, "so far"), (0.75, "so far")]


def test_no_part_ends_before_it_begins():
    """Its third argument is where it ends, not how long it is."""
    found = 0
    for path in Path(workbench.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "part"):
                continue
            written = [one.value for one in node.args[1:] if isinstance(one, ast.Constant)]
            if len(written) == 2:
                found += 1
                assert written[0] < written[1], f"{path}:{node.lineno}"
    assert found > 8
