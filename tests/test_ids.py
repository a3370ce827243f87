"""Ids stay home: no id of a method or a recipe is in code outside its own file and the presets.

What other code has to know about a method is a tag or a field of its entry, so that a method which a user adds is treated as
one that is here already. Most ids are words of their own and are not written anywhere. A few are plain words too (`mean` is
also a column of averages): those are refused where code chooses by them, see `_choices`.
"""

import ast
from collections import defaultdict
from pathlib import Path

import pytest

import workbench
from tests.test_contracts import FOLDERS
from workbench.core import presets
from workbench.recipes import RECIPES

PACKAGE = Path(workbench.__path__[0])
ROOT = PACKAGE.parent
FILES = [*sorted(PACKAGE.rglob("*.py")), *sorted((ROOT / "pages").glob("*.py")), ROOT / "app.py"]
PRESETS = Path(presets.__file__)

WORDS = {
    "mean": "a column of averages, and a reduction of arrays",
    "cls": "a special token",
    "pooler": "an attribute of the models of transformers",
    "mask_token": "a key of tokenizer files",
    "static": "vectors of words alone",
    "sts": "a verb, a table of the literature and a column of scores",
    "transfer": "a verb and a table of the literature",
    "flow": "a purpose of random numbers",
    "centre": "a place in a layout",
    "angle": "a direction",
    "triplet": "three texts",
    "paraphrase": "a column of a corpus",
    "mirror": "to reverse",
    "augcse": "a group of augmentations, by the paper that brought them",
    "sbert": "part of names of models",
}
"""Ids with another meaning, and what it is."""

COLUMNS = {"alignment", "uniformity", "mean_cosine", "isoscore", "hubness", "effective_rank", "participation_ratio"}
"""Metrics whose ids are columns of the tables that runs keep, in which their figures are looked up."""

ALLOWED = {
    ("workbench/data/literature.py", "sts"): "the names of the tables in assets/literature",
    ("workbench/data/literature.py", "transfer"): "the names of the tables in assets/literature",
    ("workbench/ui/compare/literature.py", "sts"): "the names of the tables in assets/literature",
    ("workbench/ui/compare/literature.py", "transfer"): "the names of the tables in assets/literature",
}


def ids():
    """Every id of a method or recipe, with the folders that have it. Lenses are verbs, and their ids are theirs."""
    found = defaultdict(set)
    for folder, methods in FOLDERS.items():
        if folder != "workbench.analysis":
            for name in methods:
                found[name].add(folder)
    for name in RECIPES:
        found[name].add("workbench.recipes")
    return dict(found)


IDS = ids()


def named(source, home=""):
    """(line, id) wherever code names a method; `home` is the stem of its file."""
    tree = ast.parse(source)
    texts = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    chosen = {id(node) for node in _choices(tree)}
    return [
        (node.lineno, node.value)
        for node in ast.walk(tree)
        if _named(node)
        and id(node) not in texts
        and node.value != home
        and (id(node) in chosen or node.value not in WORDS.keys() | COLUMNS)
    ]


def _named(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in IDS


def _choices(tree):
    """The constants by which something is chosen: compared with, a default, looked up in an index, one of several ids."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left, operators, others):
                sides = [left, *others]
                for operator, before, after in zip(operators, sides, others, strict=False):
                    if isinstance(operator, ast.Eq | ast.NotEq):
                        yield from _inside(before)
                        yield from _inside(after)
                    elif isinstance(operator, ast.In | ast.NotIn):
                        yield from _inside(after)
            case ast.MatchValue(value):
                yield value
            case ast.arguments():
                yield from filter(None, [*node.defaults, *node.kw_defaults])
            case ast.AnnAssign(value=ast.Constant() as value):
                yield value
            case ast.Subscript(ast.Name(index), ast.Constant() as key) if index.isupper():
                yield key
            case ast.Call(ast.Attribute(ast.Name(index), "get"), [key, *_]) if index.isupper():
                yield key
            case ast.Call(ast.Attribute(_, "startswith" | "endswith"), [affix, *_]):
                yield from _inside(affix)
            case ast.Tuple() | ast.List() | ast.Set() | ast.Dict():
                inside = [part for part in _inside(node) if _named(part) and part.value not in COLUMNS]
                folders = [
                    folder for part in {part.value: part for part in inside}.values() for folder in IDS[part.value]
                ]
                if len(folders) > len(
                    set(folders)
                ):  # several of one folder: a list of methods, not a word among others
                    yield from inside


def _inside(node):
    """A constant, or those that a display holds."""
    match node:
        case ast.Constant():
            return [node]
        case ast.Tuple() | ast.List() | ast.Set():
            return [part for part in node.elts if isinstance(part, ast.Constant)]
        case ast.Dict():
            return [part for part in (*node.keys, *node.values) if isinstance(part, ast.Constant)]
    return []


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_code_names_a_method_or_a_recipe(path):
    if path == PRESETS:
        return
    shown = path.relative_to(ROOT).as_posix()
    found = [
        f"{shown}:{line}: {name!r} is {' and '.join(sorted(IDS[name]))}"
        for line, name in named(path.read_text(encoding="utf-8"), path.stem)
        if (shown, name) not in ALLOWED
    ]
    assert not found, "What others must know is a tag of its entry, a default is in core/presets.py:\n" + "\n".join(
        found
    )


@pytest.mark.parametrize(
    "source",
    [
        'if term.loss == "gist":\n    pass',
        'both = term.loss in ("ntxent_2n", "ntxent_interleaved")',
        'WIDE = frozenset({"simcse_sup"})',
        'titles = {"cosent": "CoSENT"}',
        'def ask(recipe="simcse_unsup"):\n    pass',
        'call(loss="infonce_nn")',
        'value = METHODS["infonce_nn"]',
        'if line.startswith("fgv"):\n    pass',
        # Ids that are also plain words.
        'if term.loss == "triplet":\n    pass',
        'if "flow" != name:\n    pass',
        'last = pooling in ("cls", "other")',
        'AVERAGES = ["mean", "static"]',
        'MODES = {"mean": 1, "cls": 2}',
        'MODES = {1: "mean", 2: "cls"}',
        'def pool(states, *, pooling="mean"):\n    pass',
        'class Card:\n    pooling: str = "mean"',
        'fit = METHODS["centre"]',
        'fit = METHODS.get("centre", None)',
        'match name:\n    case "angle":\n        pass',
        'if row["metric"] == "alignment":\n    pass',
    ],
)
def test_code_that_chooses_by_an_id_is_seen(source):
    assert named(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""infonce_nn"""\nx = 1',
        'shown = table["mean"]',
        'table = {"n": 3, "mean": 0.5}',
        'numbers = ["mean", "sd", "low"]',
        'there = "mean" in table',
        'table.sort_values("mean")',
        'probes = table[["alignment", "uniformity"]]',
        'ask("sts", data=data)',
    ],
)
def test_a_plain_word_is_not_taken_for_an_id(source):
    assert not named(source)


def test_a_method_may_name_itself():
    assert named('check("gist")') and not named('check("gist")', "gist")


def test_the_exceptions_are_ids_and_are_needed():
    assert set(WORDS) <= set(IDS) and set(FOLDERS["workbench.metrics"]) >= COLUMNS
    for (path, name), reason in ALLOWED.items():
        assert reason and name in {name for _, name in named((ROOT / path).read_text(encoding="utf-8"))}, (path, name)


def test_the_presets_are_there():
    from workbench.augmentations.catalogue import AUGMENTATIONS
    from workbench.evaluation import METHODS as SUITES
    from workbench.losses import METHODS as LOSSES
    from workbench.pooling import METHODS as POOLINGS

    assert {presets.RECIPE, presets.PRETRAINING, presets.NEGATIVES} <= set(RECIPES)
    assert RECIPES[presets.PRETRAINING].pretrains and not RECIPES[presets.RECIPE].pretrains
    assert presets.LOSS in LOSSES and presets.POOLING in POOLINGS and presets.SUITE in SUITES
    named_ones = {*presets.PIPELINES.values(), *presets.COMPARED, *presets.JUDGED, *presets.ENTRANTS}
    assert named_ones <= set(AUGMENTATIONS)
