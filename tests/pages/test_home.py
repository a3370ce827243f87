"""The first page: what it shows, and what makes it again."""

import ast
import tomllib

from experiments import demo as making
from tests.pages.trial import open_page, words_of
from workbench.ui import home
from workbench.ui.home import demo


def test_the_lines_at_the_end_make_what_is_shown(runs, answers):
    app = open_page("home")
    said = [block.value for block in app.code]
    assert "python -m experiments.demo --data DIR" in said
    lines = next(block for block in said if block.startswith("from workbench import api"))
    calls = [node for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Call)]
    shown = home.shipped()
    assert len(calls) == len(shown["cases"])
    for call, case, made in zip(calls, shown["cases"], making.CASES, strict=True):
        given = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg not in (None, "seed")}
        given |= next(ast.literal_eval(word.value) for word in call.keywords if word.arg is None)
        assert ast.literal_eval(call.args[0]) == shown["recipe"]
        assert given.pop("corpus") == made.corpus and given.pop("backbone") == shown["backbone"]
        assert given == {
            "training.steps": case["steps"],
            "selection.metric": "none",
            "probe.every": 10,
            "probe.pairs": made.watched,
            "evaluation.pairs": [made.scored],
        }
        assert tomllib.loads(case["config"])["corpus"]["source"] == made.corpus


def test_without_the_comparison_the_command_is_whole(runs, answers, monkeypatch):
    monkeypatch.setattr(home, "shipped", lambda: None)
    app = open_page("home")
    assert not app.exception and "<code>python -m experiments.demo --data DIR</code>" in words_of(app)


def test_every_figure_has_its_data(runs, answers):
    labels = [element.proto.id for element in open_page("home").get("download_button")]
    assert all(any(name in label for label in labels) for name in ("demo.cone.step0", "demo.cone.last", "demo.plane"))


def test_the_tuned_backbone_is_not_called_a_plain_language_model(runs, answers):
    said = words_of(open_page("home"))
    assert "tuned on\nsentence pairs once" in said and "untrained encoder" not in said


def test_every_table_is_named(runs):
    assert all(len(demo.shipped_table(name)) for name in ("plane", "cone"))
