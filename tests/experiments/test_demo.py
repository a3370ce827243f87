import json
import tomllib

import pytest

from experiments import demo
from workbench.core.config import from_toml

RESULTS = demo.FOLDER


@pytest.fixture(scope="module")
def shipped():
    return json.loads((RESULTS / "comparison.json").read_text(encoding="utf-8"))


def test_it_is_small_and_records_its_origin(shipped):
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) <= demo.LARGEST_BYTES
    assert len(shipped["seeds"]) >= 3
    assert shipped["environment"]["packages"]["torch"]
    for case in shipped["cases"]:
        assert case["corpus"] and case["scores"] and case["n"] >= 300
        assert from_toml(case["config"]).training.steps == case["steps"]
        assert tomllib.loads(case["config"])["recipe"] == shipped["recipe"]
        assert [row["seed"] for row in case["after"]] == shipped["seeds"]


def test_one_case_gains_in_every_seed_and_one_opens_and_gets_worse(shipped):
    gain, loss = shipped["cases"]
    assert gain["pairs"] == loss["pairs"] and gain["steps"] == loss["steps"]
    for row in gain["after"]:
        assert row["difference"]["low"] > 0
        assert row["uniformity"] < gain["before"]["uniformity"] - 1
    for row in loss["after"]:
        assert row["difference"]["high"] < 0
        assert row["uniformity"] < loss["before"]["uniformity"] - 0.5


def test_the_tables_fit_the_figures_and_hold_only_our_own_texts(shipped):
    pandas = pytest.importorskip("pandas")
    from workbench.data.demo import sentences

    assert {path.name for path in RESULTS.iterdir()} == {"comparison.json", "plane.parquet", "cone.parquet"}
    plane, cone = (pandas.read_parquet(RESULTS / f"{name}.parquet") for name in ("plane", "cone"))
    assert set(plane["case"]) == set(cone["case"]) == {case["id"] for case in shipped["cases"]}
    assert set(cone["text"]) <= {text for _, text in sentences()}


@pytest.mark.measure
@pytest.mark.timeout(1800)
def test_it_can_be_made_again(shipped, shared_data, tmp_path):
    """Other machines round differently; the means over seeds stay within three deviations over seeds, or one point."""
    found, _ = demo.make(tmp_path, str(shared_data / "sts"))
    for old, new in zip(shipped["cases"], found["cases"], strict=True):
        assert new["before"]["spearman"] == pytest.approx(old["before"]["spearman"], abs=1e-3)
        spread = max(0.01, 3 * old["gain"]["sd"])
        assert new["gain"]["mean"] == pytest.approx(old["gain"]["mean"], abs=spread)
        for row in new["after"]:
            assert row["uniformity"] == pytest.approx(old["after"][0]["uniformity"], abs=0.15)
