"""Names of targets: what a reader must know of a run before comparing it."""

import json

import pytest

from tests.run_folders import make_run
from tests.tiny import tiny_model
from workbench import api
from workbench.core import presets
from workbench.core.config import to_toml
from workbench.core.writing import write_json, write_text
from workbench.store import names
from workbench.ui.targets.choice import default_baselines
from workbench.ui.targets.names import chosen_on, is_untrained, target_name


@pytest.fixture
def run(tmp_path, monkeypatch):
    folder = names.runs_folder(tmp_path / "runs")
    monkeypatch.setenv("WORKBENCH_RUNS", str(folder.path))
    monkeypatch.setenv("WORKBENCH_PROCESSES", "off")
    return make_run(folder)


def test_a_run_that_kept_step_0_says_so(run):
    assert not is_untrained(run.id) and "fine-tuning" not in target_name(run.id)
    write_json(run.folder / names.CHECKPOINTS / "best" / names.STATE, {"step": 0, "samples": 0, "score": 0.5})
    for target in (run.id, f"{run.id}@best"):
        assert target_name(target).endswith(" · kept step 0: before fine-tuning"), (
            "it keeps its colour, and says what it is"
        )
        assert not is_untrained(target)
    assert target_name(f"{run.id}@last").endswith("last checkpoint")


def test_a_checkpoint_that_was_chosen_on_the_pairs_is_marked(run):
    assert chosen_on(run.id, "demo:dev") and not chosen_on(run.id, "demo:test")
    assert not chosen_on(f"{run.id}@last", "demo:dev") and not chosen_on("minilm-l3", "demo:dev")


def test_pairs_of_a_task_are_the_same_in_any_folder(run):
    config = api.settle(**{"selection.pairs": ("stsb:test@/data/sts",)})
    write_text(run.folder / names.CONFIG, to_toml(config))
    assert chosen_on(run.id, "stsb:test") and not chosen_on(run.id, "stsb:dev")
    assert chosen_on(run.id, "stsb:test@/elsewhere") and not chosen_on(run.id, "sickr:test@/data/sts")


def test_the_free_baselines_are_those_of_the_newest_run(run):
    folder = names.runs_folder()
    assert default_baselines([]) == ["mini-mlm", "mini-mlm+centre", "tfidf"]
    assert default_baselines([run]) == ["minilm-l3", "minilm-l3+centre", "tfidf"]
    other = make_run(folder, 1, backbone="mini-mlm")
    assert default_baselines([other, run]) == ["mini-mlm", "mini-mlm+centre", "tfidf"]
    # A second stage began with the backbone of the first, and a backbone that is gone cannot be compared with.
    (other.folder / names.MODEL).mkdir()
    later = make_run(folder, 2)
    text = (later.folder / names.CONFIG).read_text()
    somewhere = {
        folder.path / "gone": presets.TARGET,
        "somebody/secret-model": presets.TARGET,
    }  # or would be downloaded
    for backbone, there in {other.folder / names.MODEL: "mini-mlm", **somewhere}.items():
        write_text(later.folder / names.CONFIG, text.replace('"minilm-l3"', f'"{backbone}"'))
        assert default_baselines([api.Run(later.folder)])[0] == there


def test_a_model_made_elsewhere_has_its_folder_s_name_and_a_colour(run, tmp_path):
    mine = tiny_model(tmp_path / "my-bert")
    assert (
        target_name(str(mine)) == "my-bert" and not is_untrained(str(mine)) and not is_untrained(f"{mine}:cls+centre")
    )
    later = tiny_model(tmp_path / "my-bert-2" / "checkpoint-500")
    assert target_name(f"{later}+centre") == "my-bert-2/checkpoint-500 · mean subtracted"
    config = mine / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"architectures": ["BertForMaskedLM"]}))
    assert target_name(str(mine)) == "my-bert · before fine-tuning" and is_untrained(str(mine))
    assert target_name("nobody/ever-had-this") == "nobody/ever-had-this", "nobody knows how that was trained"
