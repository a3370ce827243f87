"""Second stages: which runs they can start from, that they start there, and their warnings."""

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.trial import TEXTS, config_of
from workbench import api
from workbench.core.errors import BadRun, BadSetting, UnknownName
from workbench.preflight import training_warnings
from workbench.preflight.corpora import with_corpus
from workbench.runs import worker
from workbench.scheduler import launch
from workbench.store import checkpoints, commands, events, names
from workbench.store.create import create
from workbench.store.stages import begun, first_of, followers, model_of


def done(folder, tiny, place=names.MODEL, **changes):
    """A run marked as done, with a copy of the tiny model as its model."""
    run = create(folder, config_of(tiny, **changes))
    events.add(run.folder, events.STARTING)
    events.add(run.folder, events.DONE, step=10)
    (run.folder / place).mkdir()
    for path in (tiny / "bert").iterdir():
        (run.folder / place / path.name).write_bytes(path.read_bytes())
    return run


@pytest.mark.parametrize("place", [names.MODEL, names.BACKBONE])
def test_the_model_of_a_run_is_the_backbone_of_the_next(folder, tiny, place):
    first = done(folder, tiny, place)
    config = api.settle("consert_joint_unsup", corpus=str(tiny / "corpus.txt"), after=first.id[:-1], runs=folder.path)
    assert config.model.backbone == str(first.folder / place) and config.after == first.id
    assert config.origins["after"] == "user"
    assert first_of(config.model.backbone).id == first.id and first_of("minilm-l3") is None
    assert f"--after {first.id}" in commands.command_line(config) and "--backbone" not in commands.command_line(config)
    assert f"after='{first.id}'" in commands.python_line(config)
    assert (
        api.settle("consert_joint_unsup", corpus=str(tiny / "corpus.txt"), backbone=first.id, runs=folder.path)
        == config
    )
    again = create(folder, config).config
    assert again == config


def test_a_second_stage_needs_a_run_that_is_done_and_has_its_model(folder, tiny):
    waiting = create(folder, config_of(tiny))
    with pytest.raises(BadRun, match="it is queued"):
        begun(folder, "", {"after": waiting.id})
    with pytest.raises(UnknownName):
        begun(folder, "", {"after": "nothing-like-it"})
    first = done(folder, tiny)
    with pytest.raises(BadSetting, match="both"):
        begun(folder, str(tiny / "bert"), {"after": first.id})
    assert begun(folder, "minilm-l6", {"steps": 3}) == ("minilm-l6", {"steps": 3})
    (first.folder / names.MODEL).rename(first.folder / "elsewhere")
    with pytest.raises(BadRun, match="no longer has a model"):
        model_of(first)


def test_a_second_stage_without_its_first_must_be_accepted(folder, tiny):
    def said(**settings):
        config = api.settle("consert_sup_unsup", corpus=str(tiny / "corpus.txt"), runs=folder.path, **settings)
        return [one for one in training_warnings.of_config(config) if "continues from a run of sbert" in one.text]

    assert said()[0].accept
    other, right = done(folder, tiny), done(folder, tiny)
    assert f"{other.id} is a run of simcse_unsup" in said(after=other.id)[0].text
    text = (right.folder / names.CONFIG).read_text()
    (right.folder / names.CONFIG).write_text(text.replace('recipe = "simcse_unsup"', 'recipe = "sbert"'))
    assert said(after=right.id) == []
    assert [run.id for run in api.first_stages("consert_sup_unsup", runs=folder.path)] == [right.id]
    assert api.first_stages("simcse_unsup", runs=folder.path) == []


def test_a_first_stage_in_use_is_not_deleted(folder, tiny):
    first = done(folder, tiny)
    second = create(
        folder, replace(config_of(tiny), model=replace(config_of(tiny).model, backbone=str(model_of(first))))
    )
    events.add(second.folder, events.STOPPED)
    assert [one.id for one in followers(first)] == [second.id] and followers(second) == []
    with pytest.raises(BadRun, match="started from its model"):
        launch.delete(first, first.id)
    launch.delete(second, second.id)
    launch.delete(first, first.id)
    assert not first.folder.exists()


@pytest.mark.slow
@pytest.mark.parametrize("pooling", ["mean", "static"])
def test_two_stages_for_real(folder, tiny, pooling, worker_here):
    """The second starts from the best weights of the first, even if these cannot be exported as a model folder."""
    config = config_of(tiny, eval_pooling=pooling, steps=3, **{"selection.metric": "none"})
    first = create(folder, with_corpus(config))
    assert worker.main([str(first.folder)]) == 0 and first.state == events.DONE, first.failure
    assert (first.folder / names.MODEL).exists() == (pooling == "mean")
    config = api.settle(
        "consert_joint_unsup",
        corpus=str(tiny / "corpus.txt"),
        after=first.id,
        accept=["second_stage"],  # the first run has another recipe
        runs=folder.path,
        **{"steps": 2, "batch_size": 8, "evaluation.pairs": (str(tiny / "pairs.tsv"),), "probe.pairs": ""},
        **{"selection.metric": "none", "precision": "fp32", "threads": 1},
    )
    second = create(folder, with_corpus(config))
    assert worker.main([str(second.folder)]) == 0 and second.state == events.DONE, second.failure
    assert second.config.after == first.id
    best, _, _ = checkpoints.load(first.folder / names.CHECKPOINTS / "best")
    last, _, _ = checkpoints.load(second.folder / names.CHECKPOINTS / "last")
    word = next(name for name in best if name.endswith("word_embeddings.weight"))
    own = load_file(model_of(first) / "model.safetensors")
    np.testing.assert_array_equal(own[word.removeprefix("backbone.")], best[word].numpy())
    # Two steps at 5e-7 or 3e-5 move weights by that at most.
    assert 0 < (last[word] - best[word]).abs().max() < 1e-3
    rows = [json.loads(line) for line in (second.folder / names.STEPS).read_text().splitlines()]
    assert len(rows) == 2 and len(TEXTS) > 8
