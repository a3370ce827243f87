"""The first page: what it shows, what makes it again, and the button that does."""

import ast
import json
import tomllib

from experiments import demo as making
from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from tests.tiny import tiny_model
from workbench import api
from workbench.core.writing import write_json
from workbench.store import events, names
from workbench.store.evaluations import SCORES
from workbench.ui import home
from workbench.ui.home import demo


def test_the_lines_at_the_end_make_what_is_shown(runs, answers):
    app = open_page("home")
    said = [block.value for block in app.code]
    assert "python -m experiments.demo\npython -m experiments.demo stsb wiki --data DIR" in said
    lines = next(block for block in said if block.startswith("from workbench import api"))
    calls = [node for node in ast.walk(ast.parse(lines)) if isinstance(node, ast.Call)]
    shown = home.shipped()
    assert len(calls) == len(shown) == len(making.CASES)
    for call, case, made in zip(calls, shown, making.CASES, strict=True):
        given = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg not in (None, "seed")}
        given |= next((ast.literal_eval(word.value) for word in call.keywords if word.arg is None), {})
        assert ast.literal_eval(call.args[0]) == case["recipe"]
        assert given.pop("corpus") == made.corpus and given.pop("backbone") == case["backbone"]
        steps = {"training.steps": made.settings["steps"]} if "steps" in made.settings else {}
        assert given == {**{name: value for name, value in made.settings.items() if name != "steps"}, **steps}
        assert tomllib.loads(case["config"])["corpus"]["source"] == made.corpus
        assert tuple(case["seeds"]) == made.seeds


def test_a_file_of_the_runs_folder_that_may_not_be_used_is_a_message(runs, answers, monkeypatch):
    def refused(*given, **named):
        raise PermissionError(13, "Permission denied", str(runs.path / ".sweeps"))

    monkeypatch.setattr(api, "runs", refused)
    app = open_page("home")
    assert not app.exception and f"{runs.path}/.sweeps cannot be used. Got: Permission denied." in said_of(app.error)


def said_of(alerts):
    return " ".join(alert.value.replace("\\", "") for alert in alerts)


def test_the_button_queues_the_run_that_is_shown_and_opens_it(runs, answers):
    app = open_page("home")
    app.button(key="run_now").click().run()
    assert not app.exception and app.title[0].value == "Runs"
    [run] = api.runs()
    assert run.config.training.seed == home.shipped()[0]["seeds"][0]
    assert run.config.model.backbone == home.shipped()[0]["backbone"] and run.config.corpus.source == "demo"
    assert {name for name, origin in run.config.origins.items() if origin == "user"} == {"training.seed"}


def test_the_first_case_is_on_what_is_shipped_and_stsb_is_second_and_named(runs, answers):
    app = open_page("home")
    said = words_of(app)
    assert said.index("on demo:test rose") < said.index("on stsb:test rose") < said.index("on stsb:test fell")
    assert any("STS-B" in header.value for header in app.header)


def test_without_the_comparison_the_command_is_whole(runs, answers, monkeypatch):
    monkeypatch.setattr(home, "shipped", list)
    app = open_page("home")
    assert not app.exception and "<code>python -m experiments.demo</code>" in words_of(app)


def test_every_figure_can_be_saved_with_its_data(runs, answers):
    """What is in the menu is made when it is opened."""
    app = open_page("home")
    assert not [button for button in app.get("download_button") if "save.demo" in button.proto.id]
    figures = ("demo.cone.step0", "demo.cone.last", "demo.plane.demo")
    for key in figures:
        assert app.session_state[f"save.{key}"] is False
        app.session_state[f"save.{key}"] = True
    app.run()
    assert not app.exception
    saved = [button.proto.id for button in app.get("download_button")]
    for end in (".csv", ".parquet", ".single.pdf", ".full.pdf"):
        assert all(any(label.endswith(f"save.{key}{end}") for label in saved) for key in figures)


def test_the_default_backbone_is_told_as_what_it_is(runs, answers):
    assert "last trained to guess masked words of Wikipedia" in words_of(open_page("home"))


def test_every_table_is_named(runs):
    assert all(len(demo.shipped_table(name)) for name in ("plane", "cone"))


def test_the_path_of_a_checkpoint_opens_it_beside_its_raw_encoder(runs, answers, monkeypatch, tmp_path):
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path))
    raw, mine = tiny_model(tmp_path / "raw"), tiny_model(tmp_path / "mine")
    config = mine / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"_name_or_path": str(raw)}))
    app = open_page("home")
    app.text_input(key="home.own_model").set_value(str(tmp_path / "typo")).run()
    assert not app.exception and "There is no model folder" in app.error[0].value and app.title[0].value != "Compare"
    app.text_input(key="home.own_model").set_value(f'"{mine}"').run()
    assert not app.exception and not app.error and app.title[0].value == "Compare"
    assert app.multiselect(key="targets").value == [str(mine), str(raw), f"{raw}+centre", "tfidf"]
    assert app.selectbox(key="against").value == str(raw)
    assert "Against raw, mine: a tie (+0.00, " in words_of(app), "both have the same weights"


def test_whoever_comes_back_finds_the_newest_runs(runs, answers):
    assert "Your newest runs" not in [header.value for header in open_page("home").header]
    made = [make_run(runs, number, name="a *name*" if number == 3 else "") for number in range(4)]
    events.add(made[2].folder, "failed", message="The loss is no longer a number.", kind="Diverged")
    scores = [{"suite": "pairs", "checkpoint": "best", "pairs": "demo:test", "spearman": 0.4321}]
    write_json(made[3].folder / names.EVALUATIONS / SCORES, scores)
    app = open_page("home")
    assert not app.exception and "Your newest runs" in [header.value for header in app.header]
    links = [link.proto for link in app.get("page_link") if link.proto.query_string.startswith("run=")]
    assert [link.query_string for link in links] == [f"run={run.id}" for run in reversed(made[1:])]
    assert links[0].label == r"a \*name\* (0003)"
    said = words_of(app)
    assert "● done, simcse_unsup on minilm-l3, Spearman 43.21 on demo:test" in said
    assert "Spearman 52.00 in its probes" in said
