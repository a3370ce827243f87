"""The trials that chose pooling and rate of the default backbone."""

import pytest

from experiments import trials
from workbench.core import presets
from workbench.models.cards import EMBEDDED

pytestmark = pytest.mark.slow


def test_a_trial_compares_the_last_step_with_the_untrained_encoder(tmp_path):
    done = trials.trial("mean", 5e-5, tmp_path, steps=2)
    assert (done.pooling, done.learning_rate) == ("mean", 5e-5)
    assert done.before == pytest.approx(0.6013, abs=2e-3)  # docs/BENCHMARKS.md and the demo card state the same
    assert done.low <= done.gain <= done.high and 0 < abs(done.gain) < 0.02


def test_rates_are_tried_with_the_best_pooling(monkeypatch, tmp_path):
    scores = {"mean": 0.6, "cls": 0.5, "first_last": 0.61, "static_last": 0.4, "last2": 0.65}
    monkeypatch.setattr(
        trials, "trial", lambda pooling, rate, runs, steps: trials.Trial(pooling, rate, 0.5, scores[pooling], 0.0, 0.2)
    )
    done = list(trials.trials(tmp_path))
    assert [one.pooling for one in done] == [*trials.POOLINGS, *["last2"] * (len(trials.RATES) - 1)]
    assert [one.learning_rate for one in done[-4:]] == list(trials.RATES[1:])
    assert trials.line(done[4]) == "| `last2` | 5e-05 | 50.0 | 65.0 | +15.0 (0.0 to 20.0) |"


def test_the_card_is_one_of_the_trials():
    card = EMBEDDED[presets.TARGET]
    assert card.pooling in trials.POOLINGS and card.learning_rate in trials.RATES
