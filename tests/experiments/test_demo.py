import shutil
import tomllib

import pandas
import pytest

from experiments import demo
from workbench.core.config import from_toml
from workbench.core.errors import BadData

RESULTS = demo.FOLDER


@pytest.fixture(scope="module")
def shipped():
    return demo.read()


def test_it_is_small_and_records_its_origin(shipped):
    assert sum(path.stat().st_size for path in RESULTS.iterdir()) <= demo.LARGEST_BYTES
    assert list(shipped) == [case.id for case in demo.CASES]
    for case in shipped.values():
        assert len(case["seeds"]) >= 3 and case["environment"]["packages"]["torch"] and case["written"]
        assert case["corpus"] and case["scores"] and case["n"] >= 300
        assert from_toml(case["config"]).training.steps == case["steps"]
        assert tomllib.loads(case["config"])["recipe"] == case["recipe"]
        assert [row["seed"] for row in case["after"]] == case["seeds"]


def test_two_cases_gain_in_every_seed_and_one_opens_and_gets_worse(shipped):
    gain, loss = shipped["stsb"], shipped["wiki"]
    assert gain["pairs"] == loss["pairs"] and gain["steps"] == loss["steps"]
    for case in (shipped["demo"], gain):
        for row in case["after"]:
            assert row["difference"]["low"] > 0
            assert row["uniformity"] < case["before"]["uniformity"] - 1
    for row in loss["after"]:
        assert row["difference"]["high"] < 0
        assert row["uniformity"] < loss["before"]["uniformity"] - 0.5


def test_the_tables_fit_the_figures_and_hold_only_our_own_texts(shipped):
    from workbench.data.pairs import load_pairs

    assert {path.name for path in RESULTS.iterdir()} == {"comparison.json", "plane.parquet", "cone.parquet"}
    plane, cone = (pandas.read_parquet(RESULTS / f"{name}.parquet") for name in ("plane", "cone"))
    assert set(plane["case"]) == set(shipped) and set(cone["case"]) == {"demo"}
    assert set(cone["text"]) <= set(load_pairs("demo:dev").texts())


def test_a_case_is_written_beside_the_others(shipped, tmp_path):
    shutil.copytree(RESULTS, tmp_path / "results")
    plane = pandas.DataFrame({"case": ["wiki"], "seed": [0], "step": [0], "pairs": ["stsb:dev"], "spearman": [0.5]})
    demo.write({"id": "wiki", "title": "changed"}, {"plane": plane}, tmp_path / "results")
    cases = demo.read(tmp_path / "results")
    assert cases["wiki"] == {"id": "wiki", "title": "changed"} and cases["stsb"] == shipped["stsb"]
    table = pandas.read_parquet(tmp_path / "results" / "plane.parquet")
    assert (table["case"] == "wiki").sum() == 1 and set(table["case"]) == set(shipped)


def test_a_case_without_its_data_names_the_folder(tmp_path):
    with pytest.raises(BadData, match="--data DIR"):
        demo.make(demo.CASES[1], tmp_path, "")


@pytest.mark.measure
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("number", range(3))
def test_it_can_be_made_again(number, shipped, shared_data, tmp_path):
    """Other machines round differently; the means over seeds stay within three deviations over seeds, or one point."""
    new, _ = demo.make(demo.CASES[number], tmp_path, str(shared_data / "sts"))
    old = shipped[new["id"]]
    assert new["before"]["spearman"] == pytest.approx(old["before"]["spearman"], abs=1e-3)
    spread = max(0.01, 3 * old["gain"]["sd"])
    assert new["gain"]["mean"] == pytest.approx(old["gain"]["mean"], abs=spread)
    for row in new["after"]:
        assert row["uniformity"] == pytest.approx(old["after"][0]["uniformity"], abs=0.15)
