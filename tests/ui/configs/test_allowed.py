"""No configuration names more than what somebody could have typed, however it came here."""

from dataclasses import replace

import pytest

from tests.pages.trial import open_page
from tests.run_folders import make_run
from workbench import api
from workbench.core.config import Corpus, View, to_toml
from workbench.core.errors import OutsideFolders
from workbench.core.writing import write_text
from workbench.store import names
from workbench.ui.configs.allowed import config_inside


@pytest.fixture
def outside(tmp_path, monkeypatch, runs):
    for name in ("in", "out"):
        (tmp_path / name).mkdir()
    for name in ("a.tsv", "a.txt"):
        (tmp_path / "out" / name).write_text("score\tsentence1\tsentence2\n1\ta\tb\n2\tc\td\n")
    monkeypatch.setenv("WORKBENCH_FOLDERS", str(tmp_path / "in"))
    return tmp_path / "out"


def named(part, path):
    """A whole configuration in which one part names something outside."""
    config = api.settle("gist", steps=20) if part == "guide" else api.settle(steps=20)
    term = config.terms[0]
    views = term.views
    setting = {"guide": "guide", "a setting": "later"}.get(part)
    return {
        "corpus": lambda: replace(config, corpus=Corpus(f"{path}/a.txt")),
        "a corpus that is not there": lambda: replace(config, corpus=Corpus(f"{path}/none.txt")),
        "several files": lambda: replace(config, corpus=Corpus(f"demo.txt;{path}/a.txt")),
        "texts of pairs": lambda: replace(config, corpus=Corpus(f"texts:demo:dev,{path}/a.tsv")),
        "backbone": lambda: replace(config, model=replace(config.model, backbone=str(path))),
        "head": lambda: replace(config, model=replace(config.model, head_settings={"x": str(path)})),
        "after": lambda: replace(config, after=str(path)),
        "selection": lambda: replace(config, selection=replace(config.selection, pairs=(f"{path}/a.tsv",))),
        "probe": lambda: replace(config, probe=replace(config.probe, pairs=f"stsb:dev@{path}")),
        "evaluation": lambda: replace(config, evaluation=replace(config.evaluation, pairs=(f"{path}/a.tsv#dev",))),
        "sts_folder": lambda: replace(config, evaluation=replace(config.evaluation, sts_folder=str(path))),
        "guide": lambda: replace(config, terms=(replace(term, settings={**term.settings, setting: str(path)}),)),
        "a setting": lambda: replace(config, terms=(replace(term, settings={**term.settings, setting: str(path)}),)),
        "a pipeline": lambda: replace(
            config,
            terms=(replace(term, views={**views, "b": View(augmentation=f'contextual_word(model="{path}")')}),),
        ),
        "a choice in further rows": lambda: replace(
            config,
            terms=(
                replace(
                    term, more={"a": View(augmentation=f'one_of(eda_swap, embedding_word(vectors="{path}/a.txt"))@0.5')}
                ),
            ),
        ),
    }[part]()


PARTS = (
    "corpus",
    "a corpus that is not there",
    "several files",
    "texts of pairs",
    "backbone",
    "head",
    "after",
    "selection",
    "probe",
    "evaluation",
    "sts_folder",
    "guide",
    "a setting",
    "a pipeline",
    "a choice in further rows",
)


@pytest.mark.parametrize("part", PARTS)
def test_an_imported_archive_may_not_name_files_outside_the_folders(part, outside, tmp_path):
    run = make_run(names.runs_folder(), state="stopped")
    write_text(run.folder / names.CONFIG, to_toml(named(part, outside)))
    file = api.export_run(run.id, tmp_path / "run.zip")
    there = tmp_path / "in" / "there"
    with pytest.raises(OutsideFolders):
        api.import_run(file, check=config_inside, runs=there)
    assert not names.RunsFolder(there).run_folders()
    with pytest.raises(OutsideFolders):
        api.resume(run.id, check=config_inside)
    assert api.run(run.id).state == "stopped"


def test_the_published_recipes_pass(outside):
    for name, recipe in api.recipes().items():
        config_inside(api.settle(name, corpus=str(outside.parent / "in" / "a.txt") if recipe.pretrains else "demo"))


def test_files_inside_the_folders_are_allowed(outside, tmp_path):
    run = make_run(names.runs_folder(), state="stopped")
    file = api.export_run(run.id, tmp_path / "run.zip")
    assert api.import_run(file, check=config_inside, runs=tmp_path / "in" / "there").id == run.id
    assert config_inside(named("evaluation", tmp_path / "in"))


def test_resume_refuses_a_run_that_names_a_file_outside(outside):
    run = make_run(names.runs_folder(), state="stopped")
    write_text(run.folder / names.CONFIG, to_toml(named("evaluation", outside)))
    app = open_page("runs", run=run.id)
    app.button(key=f"resume.{run.id}").click().run()
    assert any("may not be read" in error.value for error in app.error)
    assert api.run(run.id).state == "stopped"
