import json

import pytest

from workbench.core.errors import BadData
from workbench.data.imported import read_scores

CARD = """---
model-index:
- name: my model
  results:
  - dataset: {name: sts dev, type: sts-dev, split: dev}
    metrics: [{type: pearson_cosine, value: 0.5}, {type: spearman_cosine, value: 0.81}]
---
# Words
"""


def mteb_file(path, name, **splits):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"task_name": name, "mteb_version": "2.0", "dataset_revision": "1", "scores": splits}))


def test_mtebs_files(tmp_path):
    folder = tmp_path / "results" / "org__model" / "abc"
    spearman = {"cosine_spearman": 0.82, "main_score": 0.8, "hf_subset": "default", "languages": ["eng-Latn"]}
    mteb_file(folder / "STSBenchmark.json", "STSBenchmark", test=[spearman])
    mteb_file(folder / "Banking77.json", "Banking77", test=[{"main_score": 0.7, "hf_subset": "default"}])
    mteb_file(folder / "STS17.json", "STS17", test=[{"main_score": 0.6, "hf_subset": "en-de"}])
    rows = read_scores(tmp_path)
    assert [row[:6] for row in rows] == [
        ("org/model", "Banking77", "test", "main_score", 0.7, "mteb"),
        ("org/model", "STS17 (en-de)", "test", "main_score", 0.6, "mteb"),
        ("org/model", "stsb", "test", "cosine_spearman", 0.82, "mteb"),
    ]
    (folder / "model_meta.json").write_text('{"name": "org/its-name"}')
    assert {row.model for row in read_scores(folder)} == {"org/its-name"}


def test_what_mteb_wrote_in_its_first_versions(tmp_path):
    folder = tmp_path / "org__model"
    folder.mkdir()
    about = {"dataset_revision": "x", "mteb_version": "1.0.2"}
    cosine = {"cos_sim": {"pearson": 0.8, "spearman": 0.81}, "euclidean": {"spearman": 0.7}}
    for name, splits in {
        "STSBenchmark": {"test": {**cosine, "evaluation_time": 3.2}, "validation": cosine},
        "STS17": {"test": {"en-en": cosine, "en-de": {"cos_sim": {"spearman": 0.5}}, "evaluation_time": 9.0}},
        "Banking77Classification": {"test": {"accuracy": 0.7, "main_score": 0.71, "evaluation_time": 1.0}},
    }.items():
        (folder / f"{name}.json").write_text(json.dumps({**about, "mteb_dataset_name": name, **splits}))
    assert [row[:6] for row in read_scores(tmp_path)] == [
        ("org/model", "Banking77Classification", "test", "main_score", 0.71, "mteb"),
        ("org/model", "STS17 (en-de)", "test", "cosine_spearman", 0.5, "mteb"),
        ("org/model", "STS17 (en-en)", "test", "cosine_spearman", 0.81, "mteb"),
        ("org/model", "stsb", "test", "cosine_spearman", 0.81, "mteb"),
        ("org/model", "stsb", "validation", "cosine_spearman", 0.81, "mteb"),
    ]


def test_a_folder_of_too_many_results_is_refused_and_other_files_do_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.data.imported.MOST_FILES", 3)
    for number in range(3):
        mteb_file(tmp_path / "m" / "r" / f"{number}.json", "STS13", test=[{"main_score": 0.5}])
        (tmp_path / f"{number}.txt").write_text("words")
    assert len(read_scores(tmp_path)) == 3
    (tmp_path / "README.md").write_text(CARD)
    with pytest.raises(BadData, match=r"holds 4 files that may be results.*At most 3.*Name a folder in it"):
        read_scores(tmp_path)


@pytest.mark.parametrize("front", ["date: 2024-02-30", "a: " + "[" * 5_000])
def test_a_card_that_cannot_be_parsed_is_skipped(tmp_path, front):
    (tmp_path / "README.md").write_text(CARD.replace("model-index", f"{front}\nmodel-index"))
    with pytest.raises(BadData, match="no scores that can be read"):
        read_scores(tmp_path)


def test_a_card_whose_aliases_stand_for_more_than_memory_holds_is_skipped(tmp_path):
    names = ["b0: &b0 [x]", *(f"b{at}: &b{at} [{', '.join([f'*b{at - 1}'] * 9)}]" for at in range(1, 40))]
    lines = "\n".join(names)
    (tmp_path / "README.md").write_text(
        CARD.replace("model-index", f"{lines}\nmodel-index").replace("my model", "*b39")
    )
    with pytest.raises(BadData, match="no scores that can be read"):
        read_scores(tmp_path)
    (tmp_path / "README.md").write_text(CARD.replace("model-index", "m0: &m {a: b}\nm1: {<<: *m}\nmodel-index"))
    with pytest.raises(BadData, match="no scores that can be read"):
        read_scores(tmp_path)


def test_names_are_texts_or_numbers_and_cut(tmp_path):
    huge = hex(10**6000)
    card = (
        CARD.replace("my model", "[" + "x, " * 500 + "y]")
        .replace("sts dev", "y" * 500)
        .replace("split: dev", "split: 7")
    )
    (tmp_path / "README.md").write_text(card)
    mteb_file(tmp_path / "m" / "r" / "STS13.json", "STS13", test=[{"main_score": 0.5, "hf_subset": ["x"] * 500}])
    card, mteb = read_scores(tmp_path)[::-1] if read_scores(tmp_path)[0].task == "sts13" else read_scores(tmp_path)
    assert (card.model, card.task, card.split) == (tmp_path.name, "y" * 200, "7") and mteb.task == "sts13"
    (tmp_path / "README.md").write_text(CARD.replace("my model", huge).replace("0.81", "[0.81]"))
    assert read_scores(tmp_path) == [mteb]
    (tmp_path / "README.md").write_text(CARD.replace("my model", huge))
    assert tmp_path.name in [row.model for row in read_scores(tmp_path)]


def test_files_that_are_too_long_are_no_results(tmp_path, monkeypatch):
    (tmp_path / "README.md").write_text(CARD.replace("# Words", "# Words" * 100))
    monkeypatch.setattr("workbench.data.imported._MOST_METADATA", len(CARD))
    assert len(read_scores(tmp_path)) == 1, "its beginning is read"
    monkeypatch.setattr("workbench.data.imported.MOST_BYTES", len(CARD))
    with pytest.raises(BadData, match="no scores that can be read"):
        read_scores(tmp_path)


@pytest.mark.filterwarnings("ignore")
def test_what_mteb_itself_writes(tmp_path):
    mteb = pytest.importorskip("mteb", reason="NO MTEB: pip install mteb, to read what it writes")
    task = mteb.get_task("STS12")
    scores = {"test": {"default": {"main_score": 0.7237, "cosine_spearman": 0.7237}}}
    result = mteb.TaskResult.from_task_results(task, scores, evaluation_time=1.0)
    (tmp_path / "rev").mkdir()
    result.to_disk(tmp_path / "rev" / "STS12.json")
    [row] = read_scores(tmp_path)
    assert (row.task, row.split, row.score) == ("sts12", "test", 0.7237)


def test_what_sentence_transformers_writes(tmp_path):
    import numpy as np
    from sentence_transformers.sentence_transformer.evaluation import EmbeddingSimilarityEvaluator

    class Model:
        similarity_fn_name = "cosine"
        truncate_dim = None
        model_card_data = type("Card", (), {"set_evaluation_metrics": lambda *_, **__: None})()

        def encode(self, texts, **_):
            return np.array([[len(text), 1.0] for text in texts])

    folder = tmp_path / "mine"
    evaluator = EmbeddingSimilarityEvaluator(
        ["a", "bb", "ccc"], ["a", "b", "c"], [1, 0.5, 0], main_similarity="cosine", name="dev"
    )
    theirs = evaluator(Model(), output_path=str(folder / "eval"), epoch=1, steps=5)
    (folder / "README.md").write_text(CARD)
    rows = read_scores(tmp_path)
    assert [row[:3] for row in rows] == [("mine", "dev", ""), ("my model", "sts dev", "dev")]
    assert rows[0].score == pytest.approx(theirs["dev_spearman_cosine"], abs=1e-12) and rows[1].score == 0.81


def test_scores_times_100_and_files_of_other_kinds(tmp_path):
    mteb_file(tmp_path / "m" / "r" / "STS13.json", "STS13", test=[{"main_score": 82.5}, "odd"], dev="odd")
    (tmp_path / "package.json").write_text('{"task_name": 3}')
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "README.md").write_text("---\n: : :\n---")
    (tmp_path / "similarity_evaluation_x_results.csv").write_text("epoch,cosine_spearman\n1,nan\n")
    [row] = read_scores(tmp_path)
    assert row.score == 0.825 and row.task == "sts13"
    (tmp_path / "m" / "r" / "STS13.json").unlink()
    with pytest.raises(BadData, match="no scores that can be read"):
        read_scores(tmp_path)
    with pytest.raises(BadData, match="no file or folder"):
        read_scores(tmp_path / "none")
