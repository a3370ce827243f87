"""Triplets from premise, hypothesis and label."""

import json

import pytest

from workbench import api
from workbench.core.errors import BadData
from workbench.data.corpora import load_corpus
from workbench.preflight.corpora import identified
from workbench.recipes.fits import fits, recipes_taking

ROWS = [
    ("A man plays.", "Someone plays.", "entailment"),
    ("A dog runs.", "An animal moves.", "entailment"),
    ("A man plays.", "Nobody plays.", "contradiction"),
    ("A man plays.", "It is loud.", "neutral"),
    ("A dog runs.", "The dog sleeps.", "contradiction"),
    ("A dog runs.", "A dog is moving.", "entailment"),
    ("A dog runs.", "A pet runs.", "entailment"),
    ("A dog runs.", "No dog runs.", "contradiction"),
    ("It rains.", "It is wet.", "entailment"),
    ("It snows.", "It is hot.", "contradiction"),
    ("A man plays.", "Hidden.", "-"),
    ("A dog runs.", "A pet runs.", "entailment"),
]


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "nli.tsv", ROWS)


def write(path, rows):
    lines = ["premise\thypothesis\tlabel", *map("\t".join, rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_each_entailed_hypothesis_meets_a_contradiction_of_its_premise(file):
    corpus = load_corpus(f"{file}#triplets")
    assert corpus.kind == "triplets" and not corpus.numbers
    assert list(zip(*corpus.columns.values(), strict=True)) == [
        ("A man plays.", "Someone plays.", "Nobody plays."),
        ("A dog runs.", "An animal moves.", "The dog sleeps."),
        ("A dog runs.", "A dog is moving.", "No dog runs."),
        ("A dog runs.", "A pet runs.", "The dog sleeps."),
    ]
    assert corpus.texts[:3] == ["A man plays.", "Someone plays.", "Nobody plays."] and len(corpus) == 12
    assert any("4 triplets from 12 labelled pairs: 2 of 4 premises" in notice for notice in corpus.notices)
    assert corpus.sha256 == load_corpus(f"{file}#triplets").sha256 != load_corpus(file).sha256


def test_premises_without_classes_and_rows_left_out_are_counted(tmp_path):
    rows = [*ROWS, ("It hails.", "It is cold.", "neutral"), ("", "It is dry.", "entailment")]
    corpus = load_corpus(f"{write(tmp_path / 'nli.tsv', rows)}#triplets")
    assert any("2 of 5 premises have both" in notice for notice in corpus.notices)
    assert [(one.row, one.reason) for one in corpus.dropped] == [(15, "empty text")]


@pytest.mark.parametrize(
    ("names", "contradiction"),
    [
        (("sentence1", "sentence2", "gold_label"), "contradiction"),  # SNLI, MultiNLI
        (("context", "hypothesis", "label"), "c"),  # ANLI
        (("premise", "hypo", "label"), "contradictory"),  # translations of MultiNLI
    ],
)
@pytest.mark.parametrize("kind", ["tsv", "jsonl"])
def test_published_files_give_the_same_triplets(tmp_path, file, names, contradiction, kind):
    rows = [(one, two, contradiction if label == "contradiction" else label) for one, two, label in ROWS]
    if kind == "tsv":
        written = ["\t".join(("genre", *names)), *("\t".join(("fiction", *row)) for row in rows)]
    else:
        written = [json.dumps({"genre": "fiction", **dict(zip(names, row, strict=True))}) for row in rows]
    path = tmp_path / f"published.{kind}"
    path.write_text("\n".join(written), encoding="utf-8")
    assert load_corpus(f"{path}#triplets").columns == load_corpus(f"{file}#triplets").columns
    assert fits("simcse_sup", f"{path}#triplets") == ""
    with pytest.raises(BadData, match=r"has labelled pairs\. Build them from the labels \(FILE#triplets, hf:"):
        load_corpus(path).taking(["text", "positive", "negative"], by="simcse_sup")


def test_classes_by_number_and_files_without_classes_are_refused(tmp_path, file):
    numbered = write(tmp_path / "numbers.tsv", [(one, two, str(len(label) % 3)) for one, two, label in ROWS])
    assert fits("simcse_sup", f"{numbered}#triplets") == "", "it is said when all labels are read"
    with pytest.raises(BadData, match="cannot be made into triplets"):
        load_corpus(f"{numbered}#triplets")
    (tmp_path / "plain.tsv").write_text("text\tpositive\na b\tc d\ne f\tg h\n")
    with pytest.raises(BadData, match="cannot be made into triplets"):
        load_corpus(f"{tmp_path / 'plain.tsv'}#triplets")
    with pytest.raises(BadData, match="gives 1 triplet"):
        load_corpus(f"{write(tmp_path / 'few.tsv', ROWS[:4])}#triplets")


def test_the_recipes_that_take_a_file_are_named(file):
    assert fits("simcse_sup", str(file)) == "simcse_sup needs triplets; nli.tsv has labelled pairs."
    assert fits("simcse_sup", f"{file}#triplets") == ""
    named = recipes_taking(str(file))
    assert "sbert" in named and "simcse_sup" not in named and "simcse_unsup" not in named
    assert recipes_taking(f"{file}#triplets")[:2] == ["simcse_sup", "triplet"]


def test_a_run_on_the_triplets_reads_them_back(file):
    config = api.settle("simcse_sup", corpus=f"{file}#triplets")
    assert api.fits("simcse_sup", config.corpus.source, config) == ""
    texts = identified(config.corpus.source, ["negative", "positive", "text"], [], recipe="simcse_sup")
    assert texts.rows == 4 and texts.sha256 == load_corpus(f"{file}#triplets").sha256
