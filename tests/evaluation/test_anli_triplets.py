"""ANLI triplets: the share of premises nearer to an entailment than to a contradiction."""

import json

import numpy as np
import pytest

from workbench.core.errors import BadData
from workbench.evaluation.anli_triplets import METHOD, Premises, anli_triplets


def premises_of(count=200):
    names = [f"premise {row}" for row in range(count)]
    kinds = {kind: [[f"{kind} {row} {number}" for number in range(3)] for row in range(count)] for kind in ("e", "c")}
    return Premises("anli_r1", "train", names, kinds["e"], kinds["c"])


def encode(near):
    """Entailments have the cosine `near` with every premise, contradictions 0.5."""

    def vectors(texts):
        cosines = [1.0 if text[0] == "p" else near if text[0] == "e" else 0.5 for text in texts]
        return np.stack([[cosine, np.sqrt(1 - cosine**2)] for cosine in cosines])

    return vectors


@pytest.mark.parametrize(("near", "accuracy"), [(0.9, 1.0), (0.1, 0.0), (0.5, 0.5)])
def test_nearer_is_strict_and_a_tie_counts_half(near, accuracy):
    (row,) = anli_triplets(encode(near), [premises_of()]).to_dict("records")
    assert row["accuracy"] == accuracy and row["n"] == 200 and row["official"]
    assert row["low"] <= accuracy <= row["high"]


def test_random_vectors_are_at_chance():
    rng = np.random.default_rng(0)
    (row,) = anli_triplets(lambda texts: rng.normal(size=(len(texts), 8)), [premises_of()]).to_dict("records")
    assert row["low"] < 0.5 < row["high"] and 0.4 < row["accuracy"] < 0.6


def test_the_draw_depends_on_the_seed_and_the_premise_only():
    rng = np.random.default_rng(1)
    known = {text: rng.normal(size=8) for text in premises_of().texts()}

    def vectors(texts):
        return np.stack([known[text] for text in texts])

    def accuracy(premises, **settings):
        return anli_triplets(vectors, [premises], **settings)["accuracy"].item()

    whole = premises_of()
    order = np.random.default_rng(2).permutation(len(whole))
    mixed = Premises(
        "anli_r1",
        "train",
        *([side[row] for row in order] for side in (whole.premises, whole.entailments, whole.contradictions)),
    )
    assert accuracy(whole) == accuracy(mixed)
    assert len({accuracy(whole, seed=seed) for seed in range(5)}) > 1
    assert not anli_triplets(vectors, [whole], seed=1)["official"].item()


def test_anlis_files_are_read_and_incomplete_premises_left_out(tmp_path):
    rows = [
        ("A cat sleeps.", "It rests.", "e"),
        ("A cat sleeps.", "It runs.", "c"),
        ("A cat sleeps.", "It is red.", "n"),
    ]
    rows += [("A dog barks.", "It is loud.", "e"), ("It rains.", "It is wet.", "e"), ("It rains.", "It is dry.", "c")]
    (tmp_path / "R3").mkdir()
    lines = [json.dumps({"uid": str(n), "context": a, "hypothesis": b, "label": c}) for n, (a, b, c) in enumerate(rows)]
    (tmp_path / "R3" / "dev.jsonl").write_text("\n".join([*lines, ""]))
    tasks = METHOD.read(tmp_path)
    assert tasks.absent == ["anli_r1", "anli_r2"]
    (found,) = tasks.sets
    assert found.premises == ["A cat sleeps.", "It rains."] and found.split == "dev"
    assert found.entailments == [["It rests."], ["It is wet."]] and found.contradictions == [
        ["It runs."],
        ["It is dry."],
    ]
    pairs = found.as_pairs()
    assert list(zip(pairs.first, pairs.second, pairs.gold, strict=True))[:2] == [
        ("A cat sleeps.", "It rests.", 1.0),
        ("A cat sleeps.", "It runs.", 0.0),
    ]
    table = METHOD.fn(lambda texts: np.ones((len(texts), 2)), [found])
    assert table["accuracy"].item() == 0.5 and METHOD.unofficial(table) == [
        "of splits other than the published train: anli_r3 dev"
    ]
    assert not table["official"].item()


def write(folder, name, rows):
    """A file of premises, hypotheses and labels: a table, or ANLI's own lines."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    if name.endswith("tsv"):
        lines = ["label\tpremise\thypothesis", *(f"{label}\t{one}\t{two}" for one, two, label in rows)]
    else:
        lines = [json.dumps({"context": one, "hypothesis": two, "label": label}) for one, two, label in rows]
    (folder / name).write_text("\n".join([*lines, ""]))


BOTH = [(premise, kind, kind) for premise in ("It rains.", "It snows.") for kind in ("Entailment", "CONTRADICTION")]


def test_the_published_split_and_tables_come_first(tmp_path):
    for found, name in enumerate(("anli_v1.0/R1/dev.jsonl", "anli-r1-dev.tsv", "R1/train.jsonl", "anli-r1-train.tsv")):
        write(tmp_path, name, [(f"{premise} {found}", *rest) for premise, *rest in BOTH])
        (read,) = METHOD.read(tmp_path).sets
        assert read.premises == [f"It rains. {found}", f"It snows. {found}"], name
        assert read.split == name.rpartition("/")[2].split(".")[0].rpartition("-")[2]


def test_a_row_without_a_hypothesis_is_left_out(tmp_path):
    write(tmp_path, "anli-r1-dev.tsv", [*BOTH, ("It rains.", "", "e")])
    (read,) = METHOD.read(tmp_path).sets
    assert read.entailments == [["Entailment"], ["Entailment"]]
    assert "anli_r1:dev: 1 row was left out (no text: 1, first in row 6)." in read.notices


def test_vectors_that_are_not_finite_are_refused():
    with pytest.raises(BadData, match="not finite"):
        anli_triplets(lambda texts: np.full((len(texts), 2), np.nan), [premises_of(2)])


def test_a_table_of_something_else_is_refused(tmp_path):
    (tmp_path / "anli-r1-dev.tsv").write_text("label\tsentence\n1\ta b\n0\tc d\n")
    with pytest.raises(BadData, match="not a table of ANLI"):
        METHOD.read(tmp_path)
    (tmp_path / "anli-r1-dev.tsv").write_text("label\tpremise\thypothesis\nentailment\ta b\tc\nneutral\ta b\td\n")
    with pytest.raises(BadData, match="0 premises with an entailment and a contradiction"):
        METHOD.read(tmp_path)
    write(tmp_path, "anli-r1-dev.tsv", BOTH[:3])
    with pytest.raises(BadData, match=r"holds 1 premise"):
        METHOD.read(tmp_path)
    (tmp_path / "anli-r1-dev.tsv").unlink()
    write(tmp_path, "R1/dev.jsonl", [(premise, [text], label) for premise, text, label in BOTH])
    with pytest.raises(BadData, match="list"):
        METHOD.read(tmp_path)
