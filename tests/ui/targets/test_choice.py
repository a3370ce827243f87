"""What the choices of targets offer of very many runs."""

import shutil

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
from workbench import api
from workbench.core.writing import write_json
from workbench.store import listed, names
from workbench.store.evaluations import SCORES
from workbench.store.listed import rows
from workbench.ui.targets import choice


def test_choices_list_the_newest_runs_say_how_many_there_are_and_keep_an_older_one(runs, answers, monkeypatch):
    made = [make_run(runs, number) for number in range(4)]
    monkeypatch.setattr(choice, "NEWEST", 2)
    app = open_page("compare", targets=[made[0].id, "minilm-l3"])
    assert not app.exception
    assert "The newest 2 of 4 runs are listed" in words_of(app)
    field = app.multiselect(key="targets")
    assert field.value == [made[0].id, "minilm-l3"]
    assert choice.usable_runs()[0].id == made[3].id and len(choice.usable_runs()) == 2
    monkeypatch.setattr(choice, "NEWEST", 4)
    assert "runs are listed" not in words_of(open_page("compare"))


def test_listed_names_are_those_of_the_targets(runs):
    made = [make_run(runs, 0, name="a name"), make_run(runs, 1)]
    shown = choice.option_names()
    assert [shown(run.id) for run in made] == [choice.target_name(run.id) for run in made]
    assert shown("minilm-l3") == choice.target_name("minilm-l3") and shown("org/model") == "org/model"


def test_a_run_without_weights_is_offered_and_said_to_be_one(runs, answers):
    run = make_run(runs)
    shutil.rmtree(run.folder / names.CHECKPOINTS)
    row = {"suite": "pairs", "checkpoint": "best", "spearman": 0.5, "n": 10}
    write_json(run.folder / names.EVALUATIONS / SCORES, [{**row, "pairs": "demo:dev"}, {**row, "pairs": "demo:test"}])
    assert choice.scored_runs() == [run.id] and not choice.usable_runs()
    app = open_page("compare")
    assert run.id in app.multiselect(key="targets").proto.options or any(
        run.id[16:] in option for option in app.multiselect(key="targets").options
    )
    assert "Imported without weights" not in words_of(app)
    app = open_page("compare", targets=["minilm-l3", run.id])
    assert not app.exception and "Imported without weights" in words_of(app)


def test_a_run_deleted_meanwhile_is_no_longer_chosen(runs, answers):
    made = [make_run(runs, 0, name="a name"), make_run(runs, 1)]
    compare, explore = open_page("compare"), open_page("explore")
    assert made[0].id in compare.multiselect(key="targets").value
    assert explore.selectbox(key="target").value == made[1].id
    for run in made:
        shutil.rmtree(run.folder)
    compare.run()
    explore.run()
    left = compare.multiselect(key="targets").value
    assert not compare.exception and left and not {run.id for run in made} & set(left)
    said = words_of(compare)
    assert "No longer chosen, since they were deleted:" in said and "a name (0000)" in said
    assert "Not in this runs folder" not in said
    assert not explore.exception and explore.selectbox(key="target").value == "mini-mlm"
    assert "No longer chosen" in words_of(compare.run()), "an answer that came has the page drawn again"
    assert "No longer chosen" in words_of(explore) and "No longer chosen" in words_of(explore.run())
    assert "No longer chosen" not in words_of(compare.multiselect(key="targets").set_value(left[:1]).run())
    assert "No longer chosen" not in words_of(compare.run())


def test_a_run_that_a_link_names_and_that_never_was_here_stays_chosen_and_is_named(runs, answers):
    make_run(runs)
    gone = "20250101-000000-simcse-unsup-minilm-l3-s0-0a0a"
    app = open_page("compare", targets=[gone, "minilm-l3"]).run()
    assert app.multiselect(key="targets").value == [gone, "minilm-l3"]
    assert "Not in this runs folder" in words_of(app)


def test_a_run_damaged_since_it_was_listed_prevents_no_choice(runs, answers, monkeypatch):
    monkeypatch.setattr(listed, "_SURE_SECONDS", 60.0)  # the first page of a process may take longer than these
    run = make_run(runs)
    open_page("train")
    (run.folder / names.CONFIG).write_bytes(b"recipe = \xff")
    assert rows([api.Run(run.folder)])[0].problem == "", "not looked at again yet"
    assert not choice.pretrained() and not open_page("train").exception
