"""Public names say what a thing is: see the words in CONTRIBUTING.md."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
NAMELESS = {"found", "place", "one", "own", "said", "told"}
"""Words that do not say what they stand for."""
HELD = (
    "ui",
    "runs",
    "analysis",
    "api",
    "augmentations",
    "commands",
    "compute",
    "core",
    "data",
    "evaluation",
    "heads",
    "inspecting",
    "losses",
    "metrics",
    "models",
    "objectives",
    "plots",
    "pooling",
    "preflight",
    "pretraining",
    "previews",
    "processes",
    "recipes",
    "scheduler",
    "scoring",
    "statistics",
    "store",
    "sweeps",
    "targets",
    "training",
    "transforms",
    "verbs",
)
"""Packages whose names are looked at; the others are added as they are done."""
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def names(tree: ast.AST, within: type[ast.AST] = ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of every function, class, parameter and attribute, and of the variables of modules and classes."""
    for node in ast.iter_child_nodes(tree):
        inside = within
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            yield node.lineno, node.name
            inside = type(node)
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            given = node.args
            several = filter(None, (given.vararg, given.kwarg))
            for argument in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several):
                yield argument.lineno, argument.arg
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and within not in FUNCTIONS:
            yield node.lineno, node.id
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.lineno, node.attr
        if not isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            yield from names(node, inside)


@pytest.mark.parametrize("package", HELD)
def test_names_say_what_a_thing_is(package):
    nameless = [
        f"{path.relative_to(ROOT)}:{line} {name}"
        for path in sorted((ROOT / "workbench" / package).rglob("*.py"))
        for line, name in names(ast.parse(path.read_text(encoding="utf-8")))
        if name in NAMELESS
    ]
    assert not nameless


def test_nameless_names_are_seen():
    code = "def told(own):\n    said = [one for one in own]\n    said.place = lambda found: found\nclass A:\n    one: int = 0\n"
    assert [name for _, name in names(ast.parse(code)) if name in NAMELESS] == ["told", "own", "place", "found", "one"]
