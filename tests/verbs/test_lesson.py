"""The numbers of each step of the lesson, computed with a tiny encoder."""

import pytest

from tests.run_folders import make_run
from tests.verbs.trial import answered, asked
from workbench import api
from workbench.compute.model_cache import ModelCache
from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.writing import write_json
from workbench.lesson import numbers
from workbench.lesson.words import answers, finding, question, read
from workbench.plots.template import takeaway_of
from workbench.store import names, results
from workbench.targets.target import parse
from workbench.verbs import lesson

WORDS = {step["id"]: step for step in read()["words"]["steps"]}


@pytest.mark.parametrize("step", numbers.STEPS)
def test_every_step_has_the_form_of_the_shipped_numbers(step, folder, tiny, tmp_path):
    models = ModelCache(folder)
    target = str(tiny / "bert")
    answer = answered(models, "lesson", step=step, before=target, after=target)
    shipped = read()["numbers"]["steps"][step]
    assert answer.numbers.keys() == shipped.keys()
    assert answer.numbers["facts"].keys() == shipped["facts"].keys()
    facts = answer.numbers["facts"]
    assert finding(WORDS[step], facts) and len(answers(WORDS[step], facts)) == 1
    results.save(tmp_path / "answer", answer)
    assert results.load(tmp_path / "answer", type(answer)) == answer


@pytest.mark.parametrize("more", [":cls", "+centre"])
def test_a_pooling_or_a_transform_is_refused(folder, tiny, more):
    with pytest.raises(BadSetting, match="cannot be taught with"):
        asked(folder, "lesson", step="mean", before=f"{tiny / 'bert'}{more}")


def test_a_baseline_has_no_layers(folder):
    with pytest.raises(BadSetting, match="it has neither layers nor dropout"):
        asked(folder, "lesson", step="mean", after="tfidf")


class TestTheFilmOfTwoEncoders:
    def test_without_a_training_between_them_has_no_steps(self, folder, tiny):
        film = answered(ModelCache(folder), "lesson", step="film", before=presets.TARGET, after=str(tiny / "bert"))
        facts = film.numbers["facts"]
        assert facts["steps"] == 0 and [frame["step"] for frame in film.numbers["frames"]] == [0, 1]
        asked, found = question(WORDS["film"], facts), finding(WORDS["film"], facts)
        assert "with the encoder before" in asked and "SimCSE" not in asked and "labels" not in asked
        assert " before, " in found and len(answers(WORDS["film"], facts)) == 1
        for name in ("film", "film_curves"):
            drawn = api.lesson_figure(name, numbers=film.numbers, step=1)
            assert takeaway_of(drawn).startswith("After: mean cosine")
        assert list(drawn.layout.xaxis.ticktext) == ["before", "after"]

    def training(self, folder, before, after):
        first, second = parse(before, folder), parse(after, folder)
        return lesson.Encoder(second, first, ModelCache(folder), lambda *_: None).training

    def test_a_training_is_that_up_to_the_checkpoint(self, folder):
        run = make_run(folder, steps=20)
        write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, {"step": 10, "samples": 640, "score": 0.5})
        found = self.training(folder, "minilm-l3", run.id)
        assert (found.step, found.recipe) == (10, "SimCSE, unsupervised")
        assert (found.rows, found.kind) == (run.config.corpus.rows, "sentences without labels")
        assert self.training(folder, f"{run.id}@step0", f"{run.id}@last").step == 20
        other = make_run(folder, 1)
        assert self.training(folder, f"{other.id}@step0", run.id).step == 10, "the same backbone"

    @pytest.mark.parametrize(
        ("before", "after"),
        [("mini-mlm", "{run}"), ("{run}@last", "{run}@best"), ("minilm-l3", "{run}@step0"), ("{run}", "minilm-l3")],
    )
    def test_what_began_elsewhere_is_none(self, folder, before, after):
        run = make_run(folder)
        assert self.training(folder, before.format(run=run.id), after.format(run=run.id)) is None

    def test_pretraining_is_none(self, folder):
        run = make_run(folder, recipe="mlm_continue", corpus="articles.txt")
        assert self.training(folder, "minilm-l3", run.id) is None

    def test_labels_are_said(self, folder):
        run = make_run(folder, recipe="simcse_sup", corpus="demo:triplets")
        found = self.training(folder, "minilm-l3", run.id)
        assert found.recipe == "SimCSE, supervised" and found.kind.startswith("triplets")
