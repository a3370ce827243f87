"""The table behind the plane."""

import pandas
import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.ui.compare.plane import plane_table

ON = "demo:dev, gold > 4"


@pytest.fixture
def trained(runs):
    """Three seeds of a method; their last probe is that of the compared step."""
    found = [make_run(runs, number) for number in range(3)]
    return {run.id: api.run(run.id) for run in found}


def scores(targets):
    places = {"alignment": [0.1 * number for number in range(len(targets))], "uniformity": -2.0, "spearman": 0.7}
    return pandas.DataFrame({"target": targets, "alignment_on": ON, **places})


def test_a_method_is_the_mean_of_its_trainings_which_follow(trained):
    ids = list(trained)
    table = plane_table(scores([*ids, "minilm-l3"]), {"method": ids, "raw": ["minilm-l3"]}, {})
    assert list(table["target"]) == [ids[0]] * 4 + ["minilm-l3"]
    assert table["alignment"].iloc[0] == pytest.approx(0.1) and table["training_seed"].isna().tolist()[0]
    assert table["training_seed"].tolist()[1:4] == [run.config.training.seed for run in trained.values()]
    assert set(table["alignment_on"]) == {ON}


def test_the_path_is_the_mean_over_the_probes_that_all_have(trained):
    ids = list(trained)
    table = plane_table(scores(ids), {"method": ids}, trained)
    path = table[table["training_seed"].isna()]
    probes = [run.probes.set_index("step") for run in trained.values()]
    shared = sorted(set.intersection(*(set(rows.index) for rows in probes)))
    assert list(path["step"])[:-1] == [step for step in shared if step < path["step"].iloc[-1]]
    for step, row in path.set_index("step").iloc[:-1].iterrows():
        assert row["alignment"] == pytest.approx(sum(rows.loc[step, "alignment"] for rows in probes) / 3)
    other = plane_table(scores(ids).assign(alignment_on="stsb:dev, gold > 4"), {"method": ids}, trained)
    assert len(other[other["training_seed"].isna()]) == 1, "probes on other pairs are no path here"
