from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from workbench.core.config import Corpus, Evaluation, Model, Probe, RunConfig, Selection, Training
from workbench.core.schedule import (
    evaluated_pairs,
    probed_at,
    probed_pairs,
    probes_after,
    selections,
    selects_at,
)

PLAIN = RunConfig(recipe="simcse_unsup", model=Model("mini-mlm"), corpus=Corpus("demo"), terms=())
counts = st.integers(1, 60)


@given(counts, counts, counts, st.booleans(), st.integers(-1, 70))
def test_probes_to_come_are_the_steps_that_are_probed(steps, probe, selection, chosen, after):
    selecting = Selection(metric="spearman", pairs=("demo:dev",) if chosen else (), every=selection)
    config = replace(PLAIN, training=Training(steps=steps), probe=Probe(every=probe), selection=selecting)
    probed = [step for step in range(steps + 1) if probed_at(config, step)]
    assert {0, steps} <= {*probed} and all(step % probe == 0 for step in probed if not chosen and step < steps)
    assert probes_after(config, after) == sum(step > after for step in probed)
    selecting_steps = [step for step in range(steps + 1) if selects_at(config, step)]
    assert selections(config) == len(selecting_steps) and {*selecting_steps} <= {*probed}


def test_what_a_step_is_chosen_on_is_scored_in_the_end_unless_nothing_is():
    config = replace(PLAIN, selection=Selection(metric="spearman", pairs=("a.tsv", "demo:dev")), probe=Probe())
    assert probed_pairs(config) == ["demo:dev", "a.tsv"]
    assert evaluated_pairs(config) == ["demo:dev", "demo:test", "a.tsv"]
    assert evaluated_pairs(replace(config, evaluation=Evaluation(pairs=()))) == []
    assert probed_pairs(replace(config, probe=Probe(pairs=""), selection=Selection())) == []
