"""What can be read of a configuration that is damaged."""

import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.core.config import to_toml
from workbench.core.writing import write_text
from workbench.store import names
from workbench.store.damaged import readable


@pytest.fixture
def run(tmp_path):
    made = make_run(names.runs_folder(tmp_path / "runs"))
    changes = {"steps": 7, "batch_size": 12, "temperature": 0.1, "selection.pairs": ("demo:dev", "demo:traps")}
    config = api.settle(backbone="mini-mlm", corpus="demo:triplets", name="mine", seed=3, **changes)
    write_text(made.folder / names.CONFIG, to_toml(config))
    return made


def damaged(run, old, new):
    """The run with a part of its configuration written over, as by an editor."""
    path = run.folder / names.CONFIG
    text = path.read_text()
    assert old in text
    write_text(path, text.replace(old, new, 1))
    broken = api.Run(run.folder)
    assert broken.problem
    return broken


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("batch_size = 12", "batch_size = = 12", "batch_size"),
        ("batch_size = 12", "batch_size = 'twelve'", "training.batch_size"),
        ("batch_size = 12", "batch_size = 0", "training.batch_size"),
        ("batch_size = 12", "batch_sise = 12", "training.batch_sise"),
    ],
)
def test_one_setting_is_lost_and_no_other(run, old, new, lost):
    whole = run.config
    known = readable(damaged(run, old, new))
    assert known.lost == (lost,)
    assert known.config.training.batch_size == api.settle(backbone="mini-mlm").training.batch_size != 12
    assert (known.config.name, known.config.corpus) == ("mine", whole.corpus)
    assert (known.config.terms, known.config.selection) == (whole.terms, whole.selection)
    assert (known.config.training.steps, known.config.training.seed) == (7, 3)
    assert known.config.origins == whole.origins


def test_of_another_schema_all_known_settings_are_read(run):
    whole = run.config
    known = readable(damaged(run, "schema = 1", "schema = 99"))
    assert known.config == whole and known.lost == ()


def test_a_file_that_was_cut_off_keeps_what_precedes(run):
    path = run.folder / names.CONFIG
    text = path.read_text()
    write_text(path, text[: text.index("temperature")] + "temp")
    known = readable(api.Run(run.folder))
    assert known.lost == ("temp",)
    assert known.config.corpus.source == "demo:triplets" and known.config.model.backbone == "mini-mlm"
    assert known.config.training.steps == 100, "what stood below is lost"


def test_without_its_backbone_the_rest_is_read(run):
    known = readable(damaged(run, 'backbone = "mini-mlm"', 'backbone = "/nowhere/at-all" = 1'))
    assert known.lost == ("backbone",) and known.config.training.steps == 7


@pytest.mark.parametrize("text", ["", "\x00\x01", "recipe = 'nobodys'", "[[[[", "x = " + "[" * 5000])
def test_of_a_file_without_a_recipe_nothing_is_read(run, text):
    write_text(run.folder / names.CONFIG, text)
    assert readable(api.Run(run.folder)) is None


def test_of_no_file_nothing_is_read(run):
    (run.folder / names.CONFIG).unlink()
    assert readable(api.Run(run.folder)) is None
