"""What the choices of targets offer of very many runs."""

from tests.pages.trial import open_page, words_of
from tests.run_folders import make_run
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
