"""What a pretraining starts from."""

import pytest
from transformers import AutoModelForMaskedLM, AutoTokenizer

from tests.pretraining.corpus import corpus
from tests.tiny import tiny_model
from workbench.core.config import Pretraining
from workbench.preflight.training_warnings import of_start
from workbench.pretraining.start import start


def warnings_of(model, folder, **settings):
    return of_start(start(str(model), "", Pretraining(**settings), [corpus(folder)], folder, mark="", seed=0))


@pytest.mark.parametrize("family", ["bert", "roberta", "distilbert"])
def test_a_head_that_is_drawn_at_random_is_warned_of(tmp_path, family):
    bare = tiny_model(tmp_path / "bare", family)
    (warning,) = warnings_of(bare, tmp_path)
    assert "no masked-language head" in warning.text and not warning.accept
    assert warnings_of(bare, tmp_path, start="fresh") == [], "all of it is drawn, as asked"
    whole = tmp_path / "whole"
    AutoModelForMaskedLM.from_pretrained(bare).save_pretrained(whole)
    AutoTokenizer.from_pretrained(bare).save_pretrained(whole)
    assert warnings_of(whole, tmp_path) == []
