"""Methods at equal budgets."""

import pytest

from tests.run_folders import make_run
from workbench import api
from workbench.core.errors import BadSetting
from workbench.core.writing import write_json
from workbench.store import names
from workbench.store.names import runs_folder


def test_seeds_are_one_method_with_mean_and_deviation(tmp_path, monkeypatch):
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    folder = runs_folder(tmp_path / "runs")
    first, second = make_run(folder, 0), make_run(folder, 1)
    other = make_run(folder, 2, steps=30)
    table = api.at_budget([first.id, second.id, other.id], runs=folder.path).set_index("method")
    assert list(table["seeds"]) == [2, 1] and set(table["budget"]) == {20} and set(table["by"]) == {"steps"}
    assert table["spearman"].tolist() == pytest.approx([0.52, 0.52]) and table["sd"].iloc[0] == pytest.approx(0)
    assert set(table["precision"]) == {"auto"}, "these runs have no environment.json"
    write_json(other.folder / names.ENVIRONMENT, {"precision": "bf16"})
    mixed = api.at_budget([first.id, other.id], runs=folder.path)
    assert mixed["precision"].tolist() == ["auto", "bf16"]
    half = api.at_budget([first.id, other.id], by="steps", amount=10, runs=folder.path)
    assert half["spearman"].tolist() == pytest.approx([0.51, 0.51]) and list(half["step"]) == [10, 10]
    with pytest.raises(BadSetting, match="Only runs"):
        api.at_budget([first.id, "minilm-l3"], runs=folder.path)
