import gzip
import io
import json

import pandas
import pytest

from workbench.core.errors import BadData, UnknownName
from workbench.data.pairs import load_pairs
from workbench.data.sts import TASKS, load_task, present

STS12 = {
    "MSRpar": [("4.4", "The plan will change.", "They said the plan changes."), ("", "Unscored.", "Not scored.")],
    "MSRvid": [("0.0", "A dog runs.", "A man cooks."), ("5.0", 'A "cat" sleeps.', "A cat  is asleep.")],
    "SMTeuroparl": [("3", "We must act.", "We have to act.")],
    "surprise.OnWN": [("2", "to move", "move something")],
    "surprise.SMTnews": [("1", "Prices rose.", "The minister left.")],
}


def absent(folder):
    """The tasks whose test split is missing."""
    found = present(folder)
    return [task for task in TASKS if "test" not in found.get(task, {})]


def senteval(folder):
    """A folder as SentEval's download leaves it, with a few pairs."""
    year = folder / "STS" / "STS12-en-test"
    year.mkdir(parents=True)
    for subset, rows in STS12.items():
        (year / f"STS.input.{subset}.txt").write_text("".join(f"{one}\t{two}\n" for _, one, two in rows), "utf-8")
        (year / f"STS.gs.{subset}.txt").write_text("".join(f"{score}\n" for score, _, _ in rows), "utf-8")
    benchmark = folder / "STS" / "STSBenchmark"
    benchmark.mkdir()
    (benchmark / "sts-dev.csv").write_text(
        'main-captions\tMSRvid\t2012test\t0000\t5.000\tA man, with a hat.\tA man "wearing a hat.\n'
        "main-news\theadlines\t2014\t0007\t1.200\tOne, two\tThree\tlicence\tlicence\n"
        "main-news\theadlines\t2014\t0008\n"
    )
    sick = folder / "SICK"
    sick.mkdir()
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    rows = "1\tBoys play.\tBoys are playing.\t4.8\tENTAILMENT\n2\tA dog.\tA car.\t1\tNEUTRAL\n"
    (sick / "SICK_test_annotated.txt").write_text(header + rows)
    (sick / "SICK_test.txt").write_text("pair_ID\tsentence_A\tsentence_B\n1\tBoys play.\tBoys are playing.\n")
    (sick / "SICK_trial.txt").write_text(header + rows)
    return folder


def tables(folder):
    """The same sts12 as a plain table."""
    folder.mkdir()
    lines = ["subset\tscore\tsentence1\tsentence2"]
    for subset, rows in STS12.items():
        lines += [
            f"{subset.removeprefix('surprise.')}\t{score}\t{one}\t{' '.join(two.split())}"
            for score, one, two in rows
            if score
        ]
    (folder / "sts12.tsv").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def test_both_layouts_give_the_same_pairs(tmp_path):
    theirs = load_task(senteval(tmp_path / "a"), "sts12")
    ours = load_task(tables(tmp_path / "b"), "sts12")
    assert (theirs.subsets, theirs.first, theirs.second) == (ours.subsets, ours.first, ours.second)
    assert theirs.gold.tolist() == ours.gold.tolist() == [4.4, 0, 5, 3, 2, 1]
    assert theirs.subsets == ["MSRpar", "MSRvid", "MSRvid", "SMTeuroparl", "OnWN", "SMTnews"]
    assert [(one.row, one.reason) for one in theirs.dropped] == [(2, "no score")]
    assert "the official set has 3,108" in theirs.notices[-1]
    assert theirs.scale == (0, 5) and theirs.name == "sts12:test"


def year(folder, task, inputs, golds, start="STS"):
    """Files of a year in which all subsets are the same."""
    folder.mkdir(parents=True)
    for subset in TASKS[task].subsets:
        (folder / f"{start}.input.{subset}.txt").write_bytes(inputs.encode())
        (folder / f"{start}.gs.{subset}.txt").write_bytes(golds.encode())
    return folder


SIX = "".join(f"one {n}\ttwo {n}\n" for n in range(6))


def test_empty_scores_cut_off_at_the_end(tmp_path):
    year(tmp_path / "STS13-en-test", "sts13", SIX, "0\n\n2\n3\n")
    pairs = load_task(tmp_path, "sts13")
    assert list(zip(pairs.first, pairs.gold, strict=True))[:3] == [("one 0", 0), ("one 2", 2), ("one 3", 3)]
    assert pairs.notices[0].startswith("STS13-en-test: subset FNWN has 2 fewer lines of scores than of sentences")


def test_a_lost_score_does_not_shift_the_others(tmp_path):
    year(tmp_path / "STS13-en-test", "sts13", SIX, "0\n1\n3\n4\n5\n")
    with pytest.raises(BadData, match=r"FNWN is damaged.*6 lines of sentences and 5 of scores"):
        load_task(tmp_path, "sts13")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_carriage_return_within_a_sentence_does_not_end_a_line(tmp_path, end):
    inputs = SIX.replace("one 3", "one\r3").replace("\n", end)
    year(tmp_path / "STS13-en-test", "sts13", inputs, end.join("012345") + end)
    pairs = load_task(tmp_path, "sts13")
    assert len(pairs) == 18 and not pairs.dropped
    assert all(text == f"one {int(gold)}" for text, gold in zip(pairs.first, pairs.gold, strict=True))
    table = "score\tsentence1\tsentence2\n" + "".join(f"{n}\tone\r{n}\ttwo\n" for n in range(6))
    (tmp_path / "stsb-test.tsv").write_bytes(table.replace("\n", end).encode())
    (tmp_path / "stsb-dev.tsv").write_bytes(table.replace("\r", " ").replace("\n", "\r").encode())  # an old Mac's
    assert (
        load_task(tmp_path, "stsb").first == load_task(tmp_path, "stsb", "dev").first == [f"one {n}" for n in range(6)]
    )


@pytest.mark.parametrize(
    ("folder", "start"),
    [
        ("sts2016-english-with-gs-v1.0", "STS2016"),
        ("STS16-en-test", "STS2016"),
        ("STS/STS16-en-test/test-gold", "STS"),
        ("STS2016-en-test/sts2016-english-with-gs-v1.0", "STS2016"),
        (".", "STS2016"),
        (".", "STS"),  # only this year has a subset called plagiarism
    ],
)
def test_folders_of_a_year_are_found(tmp_path, folder, start):
    year(tmp_path / "a" / folder, "sts16", "A one.\tB two.\thttp\thttp\nC.\tD.\thttp\thttp\n", "4\n\n", start)
    pairs = load_task(tmp_path / "a", "sts16")
    assert (pairs.gold.tolist(), pairs.first[0], pairs.second[0]) == ([4] * 5, "A one.", "B two.")
    assert list(present(tmp_path / "a")) == ["sts16"]


def test_downloads_beside_each_other_are_told_by_their_subsets(tmp_path):
    for folder, task in {"test-gold": "sts12", "test-gs": "sts13", "test_evaluation_task2a": "sts15"}.items():
        year(tmp_path / folder, task, SIX, f"{task[-1]}\n" * 6)
    assert list(present(tmp_path)) == ["sts12", "sts13", "sts15"]
    assert [set(load_task(tmp_path, task).gold) for task in ("sts12", "sts13", "sts15")] == [{2}, {3}, {5}]


def test_folders_of_training_pairs_or_without_scores_are_skipped(tmp_path):
    inner = tmp_path / "STS12-en-test"
    year(tmp_path / "STS2012-en-train", "sts12", SIX, "5\n" * 6)
    for name, gold in (("train", "5\n" * 6), ("test-gold", "1\n" * 6), ("test-noann", "")):
        year(inner / name, "sts12", SIX, gold)
    for path in (inner / "test-noann").glob("STS.gs.*"):
        path.unlink()
    assert set(load_task(tmp_path, "sts12").gold) == {1}


def test_stsb_in_other_layouts(tmp_path):
    line = "main-news\tMSRpar\t2012\t1\t{score}\tA {score}.\tB.\n"
    (tmp_path / "a" / "stsbenchmark").mkdir(parents=True)
    (tmp_path / "a" / "stsbenchmark" / "sts-test.csv").write_text(line.format(score=1) + line.format(score=4))
    glue = tmp_path / "b" / "STS-B"
    glue.mkdir(parents=True)
    header = "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\tsentence2\tscore\n"
    rows = "".join(f"{n}\tmain-news\tMSRpar\t2012\t1\tnone\tnone\tA {n}.\tB.\t{n}.000\n" for n in (1, 4))
    (glue / "dev.tsv").write_text(header + rows)
    (glue / "test.tsv").write_text(header.replace("\tscore", "") + "0\tmain-news\tMSRpar\t2012\t1\tn\tn\tA.\tB.\n")
    (tmp_path / "c").mkdir()
    header = "split\tgenre\tdataset\tyear\tsid\tscore\tsentence1\tsentence2\n"
    rows = "".join(
        f"{split}\tmain-news\tMSRpar\t2012\t1\t{n}\tA {n}.\tB.\n" for split in ("dev", "test") for n in (1, 4)
    )
    (tmp_path / "c" / "stsbenchmark.tsv").write_text(header + rows)
    for folder, split in (("a", "test"), ("b", "dev"), ("b/STS-B", "dev"), ("c", "dev"), ("c", "test")):
        pairs = load_task(tmp_path / folder, "stsb", split)
        assert (pairs.first, pairs.gold.tolist()) == (["A 1.", "A 4."], [1, 4]), folder
        assert pairs.subsets == ["main-news/MSRpar"] * 2
    assert list(present(tmp_path / "b")["stsb"]) == ["dev"]  # GLUE's test pairs have no scores
    (glue / "original").mkdir()
    (glue / "original" / "sts-test.tsv").write_text((tmp_path / "a" / "stsbenchmark" / "sts-test.csv").read_text())
    for folder in ("b", "b/STS-B", "b/STS-B/original"):  # those of its authors, which GLUE's download holds too, have
        assert load_task(tmp_path / folder, "stsb").gold.tolist() == [1, 4]


def test_sick_in_one_file(tmp_path):
    header = "pair_ID\tsentence_A\tsentence_B\tentailment_label\trelatedness_score\tSemEval_set\n"
    sets = ("TRAIN", "TRIAL", "TEST")
    (tmp_path / "SICK.txt").write_text(
        header + "".join(f"{n}\tA {n}\tB\tNEUTRAL\t{1 + n % 5}\t{sets[n % 3]}\n" for n in range(9))
    )
    assert load_task(tmp_path, "sickr").first == ["A 2", "A 5", "A 8"]
    assert load_task(tmp_path, "sickr", "dev").first == ["A 1", "A 4", "A 7"]


@pytest.mark.parametrize(
    ("task", "given", "gold", "said"),
    [
        ("stsb", [0, 0.4, 0.9], [0, 2, 4.5], "multiplied by 5"),
        ("sickr", [0.2, 0.4, 0.9], [1, 2, 4.5], "multiplied by 5"),
        ("sickr", [0, 0.5, 1], [1, 3, 5], "spread over 1 to 5"),
        ("stsb", [0, 1, 1], [0, 1, 1], ""),
    ],
)
def test_scores_of_0_to_1_are_converted_to_the_scale(tmp_path, task, given, gold, said):
    lines = [f"{score}\tA {score}.\tB." for score in given]
    (tmp_path / f"{task}-test.tsv").write_text("\n".join(["score\tsentence1\tsentence2", *lines]) + "\n")
    pairs = load_task(tmp_path, task)
    assert pairs.gold.tolist() == gold and not pairs.dropped
    assert any(said in notice for notice in pairs.notices) if said else len(pairs.notices) == 1


def test_a_file_with_most_scores_off_the_scale_is_refused(tmp_path):
    lines = [f"{20 * n}\tA {n}.\tB." for n in range(6)]
    (tmp_path / "stsb-test.tsv").write_text("\n".join(["score\tsentence1\tsentence2", *lines]) + "\n")
    with pytest.raises(BadData, match=r"not on the scale of its task.*0 to 5.*5 of 6 scores off it, from 0 to 100"):
        load_task(tmp_path, "stsb")


def test_left_out_pairs_of_a_task_are_reported(tmp_path):
    folder = senteval(tmp_path / "a")
    said = load_task(folder, "sts12").notices
    assert "sts12:test: 1 row was left out (no score: 1, first in row 2)." in said
    assert not any("empty line" in notice for notice in said)
    table = (tables(tmp_path / "b") / "sts12.tsv").read_text("utf-8")
    (tmp_path / "b" / "sts12.tsv").write_text(
        table.replace("\n", "\thttp\n").replace("sentence2\thttp", "sentence2", 1)
    )
    assert len(load_task(tmp_path / "b", "sts12")) == 6


def test_stsb_and_sick(tmp_path):
    folder = senteval(tmp_path / "a")
    pairs = load_task(folder, "stsb", "dev")
    assert pairs.subsets == ["main-captions/MSRvid", "main-news/headlines"]
    assert pairs.first == ["A man, with a hat.", "One, two"] and pairs.second == ['A man "wearing a hat.', "Three"]
    assert pairs.gold.tolist() == [5.0, 1.2]
    assert [(one.row, one.reason) for one in pairs.dropped] == [(3, "4 columns instead of 7")]
    sick = load_task(folder, "sickr", "test")
    assert (sick.gold.tolist(), sick.scale, sick.subsets[0]) == ([4.8, 1.0], (1, 5), "sick-test")
    assert load_task(folder, "sickr", "dev").split == "trial"


ROWS = [
    ("FNWN", "4.5", "A dog, runs.", "The dog runs."),
    ("headlines", "0", 'A "man" cooks.', "Prices rose, again."),
] * 3


def written(form, header=("subset", "score", "sentence1", "sentence2")):
    """Three times two pairs in one of the possible forms of a table."""
    kind = form.removesuffix(".gz")
    if kind == ".jsonl":
        names = header or ("subset", "score", "sentence1", "sentence2")
        text = "".join(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in ROWS)
    else:
        text = ""
        for row in [header, *ROWS] if header else ROWS:
            cells = row if kind == ".tsv" else ['"' + cell.replace('"', '""') + '"' for cell in row]
            text += ("\t" if kind == ".tsv" else ",").join(cells) + "\n"
    return gzip.compress(text.encode()) if form.endswith(".gz") else text.encode()


def check(pairs):
    assert list(zip(pairs.subsets, pairs.first, pairs.second, strict=True)) == [(a, c, d) for a, _, c, d in ROWS]
    assert pairs.gold.tolist() == [4.5, 0] * 3 and pairs.scale == (0, 5) and not pairs.dropped


@pytest.mark.parametrize("form", [".tsv", ".csv", ".jsonl", ".tsv.gz", ".csv.gz", ".jsonl.gz"])
@pytest.mark.parametrize("stem", ["sts13", "STS13", "sts13-test", "Sts13-Test"])
def test_forms_of_a_table(tmp_path, stem, form):
    (tmp_path / f"{stem}{form}").write_bytes(written(form))
    assert present(tmp_path).keys() == {"sts13"}
    pairs = load_task(tmp_path, "sts13")
    check(pairs)
    assert pairs.name == "sts13:test" and pairs.notices == ["sts13:test has 6 pairs here; the official set has 1,500."]


@pytest.mark.parametrize("form", [".tsv", ".csv", ".tsv.gz"])
def test_tables_without_a_header(tmp_path, form):
    (tmp_path / f"sts13{form}").write_bytes(written(form, ()))
    pairs = load_task(tmp_path, "sts13")
    check(pairs)
    assert f"sts13{form} has no header; columns were inferred from their contents" in pairs.notices[0]
    lines = [f"{n}\tA {n}.\tB {n}." for n in range(6)]
    (tmp_path / "stsb-test.tsv").write_text("\n".join(lines) + "\n")
    bare = load_task(tmp_path, "stsb")
    assert bare.gold.tolist() == [0, 1, 2, 3, 4, 5] and bare.subsets == [""] * 6
    lines = [f"main-news\tMSRpar\t2012\t{n}\t{n}\tA {n}.\tB {n}." for n in range(6)]
    (tmp_path / "stsb-test.tsv").write_text("\n".join(lines) + "\n")
    theirs = load_task(tmp_path, "stsb")
    assert theirs.gold.tolist() == bare.gold.tolist() and set(theirs.subsets) == {"main-news/MSRpar"}


def hub_rows(*splits):
    """Pairs as a Hub data set is exported."""
    rows = [
        {"split": split, "sentence1": f"A {n}, {split}.", "sentence2": "B", "score": n / 5}
        for split in splits
        for n in range(6)
    ]
    return "".join(json.dumps(row) + "\n" for row in rows)


def test_exports_of_the_hub(tmp_path):
    (tmp_path / "stsb-validation.jsonl").write_text(hub_rows("validation"))
    (tmp_path / "stsb-test.jsonl").write_text(hub_rows("train", "test"))
    (tmp_path / "SICKR-test.csv").write_text(
        "sentence1,sentence2,score\n" + "".join(f"A {n},B b,{n}\n" for n in range(1, 6))
    )
    assert {task: list(splits) for task, splits in present(tmp_path).items()} == {
        "stsb": ["dev", "test"],
        "sickr": ["test"],
    }
    assert load_task(tmp_path, "stsb", "dev").first[5] == "A 5, validation."
    test = load_task(tmp_path, "stsb")
    assert test.first[5] == "A 5, test." and test.gold.tolist() == [0, 1, 2, 3, 4, 5]
    assert load_task(tmp_path, "sickr").scale == (1, 5)
    (tmp_path / "stsb-train.jsonl").write_text(hub_rows("test"))
    with pytest.raises(BadData, match=r"stsb-train\.jsonl has no rows of stsb:train.*test"):
        load_task(tmp_path, "stsb", "train")


@pytest.mark.parametrize("above", ["", "mteb"])
@pytest.mark.parametrize(
    "task, split, file",
    [
        ("sts12", "test", "sts12-sts/test.jsonl.gz"),
        ("stsb", "dev", "stsbenchmark-sts/validation.jsonl"),
        ("sickr", "test", "sickr-sts/test.jsonl.gz"),
        ("sts13", "test", "sts13-sts/data/test-00000-of-00001.parquet"),
        ("stsb", "dev", "stsb/validation-00000-of-00001.parquet"),
    ],
)
def test_clones_of_mtebs_repositories(tmp_path, above, task, split, file):
    path = tmp_path / above / file
    path.parent.mkdir(parents=True)
    lines = "".join(
        json.dumps({"score": score, "sentence1": f"one {score}", "sentence2": f"two {score}"}) + "\n"
        for score in (1.5, 2.5, 4.0)
    ).encode()
    path.write_bytes(gzip.compress(lines) if path.suffix == ".gz" else lines)
    if path.suffix == ".parquet":
        pandas.read_json(io.BytesIO(lines), lines=True).to_parquet(path)
    assert list(present(tmp_path / above / file.partition("/")[0])) == [task]
    assert {name: list(parts) for name, parts in present(tmp_path).items()} == {task: [split]}
    assert load_task(tmp_path, task, split).gold.tolist() == [1.5, 2.5, 4.0]


@pytest.mark.parametrize("place", [".", "STSBenchmark"])
def test_the_file_of_sentence_transformers(tmp_path, place):
    header = "split\tgenre\tdataset\tyear\tsid\tscore\tsentence1\tsentence2\n"
    rows = "".join(
        f'{split}\tmain-news\tMSRpar\t2012\t1\t{n}.000\tA "{n}" {split}.\tB.\n'
        for split in ("train", "dev", "test")
        for n in range(6)
    )
    (tmp_path / place).mkdir(exist_ok=True)
    (tmp_path / place / "stsbenchmark.tsv.gz").write_bytes(gzip.compress((header + rows).encode()))
    assert list(present(tmp_path)["stsb"]) == ["train", "dev", "test"]
    for split in ("train", "dev", "test"):
        pairs = load_task(tmp_path, "stsb", split)
        assert pairs.first == [f'A "{n}" {split}.' for n in range(6)] and set(pairs.subsets) == {"main-news/MSRpar"}


def test_which_file_takes_precedence(tmp_path):
    """The plain table, then the authors' files, then tables of other forms: uncompressed before compressed, .tsv before
    .csv.
    """

    def table(name, text):
        content = f"score,sentence1,sentence2\n1,{text},b\n2,{text},d\n".encode()
        content = content.replace(b",", b"\t") if ".tsv" in name else content
        (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)

    for name in ("sts13-test.csv.gz", "sts13.csv.gz", "STS13.tsv.gz", "sts13.csv", "STS13.tsv"):
        table(name, name)
        assert load_task(tmp_path, "sts13").first[0] == name
    year(tmp_path / "STS13-en-test", "sts13", SIX, "1\n" * 6)
    assert load_task(tmp_path, "sts13").first[0] == "one 0"
    table("sts13-test.tsv", "plain")
    assert load_task(tmp_path, "sts13").first[0] == "plain"
    for name in ("stsbenchmark.tsv.gz", "stsb-test.csv", "stsbenchmark.tsv"):
        table(name, name)
        assert load_task(tmp_path, "stsb").first[0] == name


def test_a_damaged_archive_is_one_clear_error(tmp_path):
    (tmp_path / "sts13.tsv.gz").write_bytes(written(".tsv.gz")[:-9])
    with pytest.raises(BadData, match=r"sts13\.tsv\.gz is a damaged gzip archive"):
        load_task(tmp_path, "sts13")


@pytest.mark.parametrize(
    ("subsets", "said"),
    [
        ("", "names no subsets: mean and weighted mean over subsets cannot be computed"),
        ("FNWN,", "names no subset for 3 pairs: mean"),
        ("x,OnWN", "has subsets that sts13 does not have (x): mean"),
        ("fnwn,surprise.OnWN", ""),
    ],
)
def test_subsets_unknown_to_the_task_are_reported(tmp_path, subsets, said):
    names = subsets.split(",")
    lines = [f"{names[n % len(names)]}\t{n % 6}\tA {n}.\tB." for n in range(6)]
    (tmp_path / "sts13.tsv").write_text("\n".join(["subset\tscore\tsentence1\tsentence2", *lines]) + "\n")
    pairs = load_task(tmp_path, "sts13")
    assert (said in pairs.notices[-1]) if said else pairs.subsets[:2] == ["FNWN", "OnWN"] and len(pairs.notices) == 1


def test_present_tasks_are_listed(tmp_path):
    folder = senteval(tmp_path / "a")
    assert {task: sorted(splits) for task, splits in present(folder).items()} == {
        "sts12": ["test"],
        "stsb": ["dev"],
        "sickr": ["test", "trial"],
    }
    assert absent(folder) == ["sts13", "sts14", "sts15", "sts16", "stsb"]
    assert len(present(folder)["sts12"]["test"]()) == 6
    assert absent(tables(tmp_path / "b")) == list(TASKS)[1:]


def test_missing_subset_is_named(tmp_path):
    folder = senteval(tmp_path / "a")
    (folder / "STS" / "STS12-en-test" / "STS.gs.MSRvid.txt").unlink()
    assert any("lacks the subsets MSRvid" in notice for notice in load_task(folder, "sts12").notices)


def test_damaged_and_missing_files(tmp_path):
    folder = senteval(tmp_path / "a")
    (folder / "STS" / "STS12-en-test" / "STS.gs.MSRvid.txt").write_text("1\n2\n3\n")
    with pytest.raises(BadData, match=r"MSRvid is damaged.*2 lines of sentences and 3 of scores"):
        load_task(folder, "sts12")
    with pytest.raises(BadData, match=r"stsb:test is not in .*sts12:test"):
        load_task(folder, "stsb", "test")
    with pytest.raises(UnknownName, match="Did you mean stsb"):
        load_task(folder, "sts-b")
    with pytest.raises(UnknownName, match="split of sts12"):
        load_task(folder, "sts12", "dev")
    with pytest.raises(BadData, match="no folder"):
        present(tmp_path / "none")
    (tmp_path / "sts13.tsv").write_text("a\tb\n1\t2\n")
    with pytest.raises(BadData, match="cannot tell which column is score and sentence1 and sentence2"):
        load_task(tmp_path, "sts13")
    (folder / "SICK" / "SICK_test_annotated.txt").unlink()
    with pytest.raises(BadData, match="has no scores"):
        load_task(folder, "sickr")


def test_real_folder(shared_data):
    found = present(shared_data / "sts")
    for task, splits in found.items():
        for split, loader in splits.items():
            pairs = loader()
            assert len(pairs) == TASKS[task].splits[split], (task, split)
            assert not pairs.dropped
            assert pairs.gold.min() >= pairs.scale[0] and pairs.gold.max() <= pairs.scale[1]
            if TASKS[task].subsets:
                assert list(dict.fromkeys(pairs.subsets)) == list(TASKS[task].subsets)
    assert absent(shared_data / "sts") == ["sts13", "sts16", "sickr"]


def test_all_splits_together_are_one_after_another(tmp_path):
    from workbench.data.pairs import load_pairs

    for split in ("train", "dev", "test"):
        rows = [f"{number}\t{split} one {number}\ttwo {number}" for number in range(3)]
        (tmp_path / f"stsb-{split}.tsv").write_text("\n".join(["score\tsentence1\tsentence2", *rows]) + "\n")
    every = load_pairs(f"stsb:all@{tmp_path}")
    assert (every.name, every.split, len(every)) == ("stsb:all", "all", 9)
    assert every.first[::3] == ["train one 0", "dev one 0", "test one 0"] and every.gold.tolist() == [0, 1, 2] * 3
    (tmp_path / "stsb-dev.tsv").unlink()
    with pytest.raises(BadData, match="stsb:dev is not in"):
        load_pairs(f"stsb:all@{tmp_path}")


def test_a_translation_is_not_taken_for_the_task(tmp_path):
    """KorSTS and other translations have STS-B's names of files, columns and numbers of pairs."""
    header = "genre\tfilename\tyear\tid\tscore\tsentence1\tsentence2\n"
    row = "main-captions\tMSRvid\t2012test\t{0:04}\t{1}.000\t{2}\t{3}\n"
    hangul = [chr(0xAC00 + 28 * n) for n in range(200)]
    for name, one, two in (
        ("sts-test.tsv", "남자가 {}를 치고 있다.", "누군가 {}를 연주한다."),
        ("sts-dev.tsv", "A man is playing the {}.", "Someone is making music with it: {}."),
    ):
        lines = [row.format(n, n % 6, one.format(word), two.format(word)) for n, word in enumerate(hangul)]
        (tmp_path / name).write_text(header + "".join(lines), "utf-8")
    with pytest.raises(BadData, match=r"stsb:test is not in English here\..*compare --pairs FILE"):
        load_task(tmp_path, "stsb")
    assert len(load_task(tmp_path, "stsb", "dev")) == len(load_pairs(tmp_path / "sts-test.tsv")) == 200
