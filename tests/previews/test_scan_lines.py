import pytest

from workbench.augmentations.catalogue import LEVELS
from workbench.core.errors import BadSetting, UnknownName
from workbench.previews import scan_lines


def test_by_default_every_usable_rule_and_every_step_inside_the_encoder_is_scanned():
    lines = scan_lines.default_lines()
    assert {"eda_swap", "typo_noise", "arc_masks", "arc_masks[1]"} <= set(lines)
    assert {"dropout", *LEVELS["positions"], *LEVELS["states"], *LEVELS["vectors"]} <= set(lines)
    assert "paraphrase_t5" not in lines and not any(scan_lines.absent(line) for line in lines)
    checked = scan_lines.check_pipelines(lines)
    assert len(checked) == len(lines)
    about = [scan_lines.about_pipeline(line) for line in checked]
    assert len({one["title"] for one in about}) == len(about)
    assert {one["acts_on"] for one in about} == set(scan_lines.SHARE_OF)
    assert all(one["class"] in scan_lines.CLASSES and one["role"] and one["language"] for one in about)
    assert not any(map(scan_lines.modelled, checked)) and scan_lines.modelled("paraphrase_t5")


def test_a_pipeline_has_the_class_of_its_most_altering_step():
    about = scan_lines.about_pipeline("typo_noise + una_negative")
    assert (about["class"], about["role"]) == ("meaning_alteration", "negative")


def test_dropout_is_spelled_with_its_rate_and_titled_with_another():
    assert scan_lines.check_pipelines(["dropout", " dropout(rate=0.1)", "dropout(rate=0.2)"]) == [
        "dropout(rate=0.1)",
        "dropout(rate=0.2)",
    ]
    titles = [scan_lines.about_pipeline(line)["title"] for line in ("dropout(rate=0.1)", "dropout(rate=0.2)")]
    assert titles == ["Dropout twice", "Dropout twice, rate 0.2"]


@pytest.mark.parametrize(
    "line", ["", "eda_swap + token_cutoff", "token_shuffle + token_cutoff", "dropout(rate=1)", "dropout(rte=0.1)"]
)
def test_lines_whose_steps_act_on_several_levels_are_refused(line):
    with pytest.raises((BadSetting, UnknownName)):
        scan_lines.check_pipelines([line])
    if "dropout" not in line and line:
        assert scan_lines.check_pipelines(line.split(" + "))


def test_lines_that_produce_no_texts_are_refused_where_texts_are_needed():
    assert scan_lines.check_pipelines(["eda_swap", "paraphrase_t5"], texts=True)
    for line in ("dropout", "token_cutoff", "modals_linear", "token_shuffle"):
        with pytest.raises(BadSetting, match="no text to judge"):
            scan_lines.check_pipelines([line], texts=True)


def test_a_line_that_names_its_own_model_is_not_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.augmentations.static_vectors.find_spec", lambda name: None)
    assert scan_lines.absent("embedding_word") and scan_lines.absent("eda_swap + paraphrase_t5")
    assert not scan_lines.absent('embedding_word(vectors="backbone:minilm-l6")')
    assert not scan_lines.absent(f'eda_swap + paraphrase_t5(model="{tmp_path}")')
    assert scan_lines.absent("dropout") == ""


def test_the_files_that_a_line_reads_are_known(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("dog 1", "utf-8")
    (one,) = scan_lines.marks(f'eda_swap + embedding_word(vectors="{path}")')
    assert list(one) == [str(path)]
    assert scan_lines.marks("eda_swap") == scan_lines.marks("dropout") == scan_lines.marks("token_cutoff") == []
