"""How other programs load the model of a run."""

import numpy as np
import pytest

from tests.run_folders import make_run
from tests.runs.trial import new, work
from tests.tiny import tiny_model
from workbench import api
from workbench.store import names
from workbench.store.elsewhere import beyond, python_lines


def test_a_run_names_the_folder_that_other_programs_load(folder):
    run = make_run(folder)
    assert run.model is None
    (run.folder / names.BACKBONE).mkdir()
    assert run.model == run.folder / names.BACKBONE
    (run.folder / names.MODEL).mkdir()
    assert run.model == run.folder / names.MODEL


@pytest.mark.slow
@pytest.mark.parametrize(("pooling", "name"), [("mean", "vectors"), ("static", "states")])
def test_its_lines_load_the_model_of_a_finished_run(folder, tiny, worker_here, pooling, name):
    run = work(new(folder, tiny, steps=2, eval_pooling=pooling, **{"selection.metric": "none"}))
    assert run.model.name == ("backbone" if pooling == "static" else "model")
    assert bool(beyond(run.config)) == (pooling == "static")
    there: dict[str, object] = {}
    exec(python_lines(run.config, str(run.model)), there)
    texts = ["A sentence.", "Another one."]
    assert len(there[name]) == 2
    if pooling == "mean":
        np.testing.assert_allclose(there[name], run_vectors(run, texts), atol=1e-5)
    card = (run.model / "README.md").read_text("utf-8")
    assert python_lines(run.config, "this/folder") in card
    assert ("static" in card.split("## Use")[1]) == (pooling == "static")


def run_vectors(run, texts):
    from workbench.models.load import load

    return load(str(run.model)).encode(texts)


def test_the_lines_of_a_pretraining_load_a_masked_language_model(tmp_path):
    model = tiny_model(tmp_path / "model")
    config = api.settle("mlm_fresh", corpus="texts.txt")
    assert "masked language model" in beyond(config)
    there: dict[str, object] = {}
    exec(python_lines(config, str(model)), there)
    assert there["predictions"].shape[0] == 2
