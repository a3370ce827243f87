"""What is said of a training before its first step."""

import pytest

from tests.trial import TEXTS
from workbench.jobs.cautions import cautions_of
from workbench.recipes import settle

LINE = "terms.0.views.negatives.augmentation"


@pytest.mark.parametrize(
    ("texts", "line", "batch_size", "said"),
    [
        (TEXTS, "eda_swap", 8, False),
        (TEXTS[:2] + ["Hi!"] * 62, "eda_swap", 64, True),
        (TEXTS[:32] + ["Hi!"] * 32, "eda_swap", 64, False),
        (TEXTS[:32] + ["Hi!"] * 32, "eda_swap", 4, True),
    ],
)
def test_an_augmentation_that_changes_next_to_nothing_must_be_accepted(texts, line, batch_size, said):
    config = settle("augcse_neg", backbone="minilm-l3", changes={LINE: line, "batch_size": batch_size})
    found = [one for one in cautions_of(config, {"text": texts}) if "teaches nothing" in one.text]
    assert len(found) == said and all(one.accept for one in found)


def test_other_losses_count_every_text():
    config = settle("simcse_unsup", backbone="minilm-l3", changes={"augment_b": "augcse_yoda_perturbation"})
    assert not any("teaches nothing" in one.text for one in cautions_of(config, {"text": ["Hi!"] * 100}))
