"""Transfer tasks in folders: tables, and SentEval's own files."""

import gzip
import json

import pytest

from workbench.core.errors import BadData, OutsideFolders
from workbench.evaluation.transfer import METHOD, TASKS, present

MR = "label\tsentence\n0\tsad , really\n1\ta joy\n1\ta joy\n"
MRPC = "label\tsentence1\tsentence2\n1\tOne thing.\tThe one thing.\n0\tA.\tB.\n"


def load_task(folder, task):
    return present(folder)[task]()


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode("latin-1") if isinstance(content, str) else content)
    return folder


def test_tables_are_read(tmp_path):
    lines = "\n".join(json.dumps({"text": text, "label": label}) for text, label in (("who ?", "HUM"), ("ten", "NUM")))
    write(
        tmp_path,
        {
            "mr.tsv": MR,
            "cr.csv": 'sentence,label\n"good, cheap",1\nbroken,0\n',
            "trec-train.jsonl.gz": gzip.compress(lines.encode()),
            "TREC-test.tsv": "label\ttext\nNUM\thow many\nDESC\twhat is it\n",
            "mrpc-train.tsv": MRPC,
            "mrpc-test.tsv": MRPC.replace("label", "quality"),
            "sst2-train.tsv": MR,
            "sst2-train-phrases.tsv": MR + "0\tno\n",
            "sst2-dev.tsv": MR,
        },
    )
    assert list(present(tmp_path)) == ["mr", "cr", "trec", "mrpc"]  # of SST-2 the test split is missing
    mr = load_task(tmp_path, "mr")
    assert mr.splits["all"].first == ["sad , really", "a joy", "a joy"] and mr.tested is mr.splits["all"]
    assert mr.splits["all"].classes.tolist() == [0, 1, 1] and mr.classes == ("0", "1") and not mr.official
    assert mr.notices == ["mr has 3 rows here; the official set has 10,662."]
    assert load_task(tmp_path, "cr").splits["all"].first == ["good, cheap", "broken"]
    trec = load_task(tmp_path, "trec")
    assert trec.classes == ("desc", "hum", "num") and trec.splits["test"].classes.tolist() == [2, 0]
    assert any("3 classes here; the official set has 6" in said for said in trec.notices)
    mrpc = load_task(tmp_path, "mrpc").tested
    assert (mrpc.first, mrpc.second, mrpc.texts()) == (["One thing.", "A."], ["The one thing.", "B."], [
        "One thing.", "A.", "The one thing.", "B."
    ])  # fmt: skip
    write(tmp_path, {"sst2-test.tsv": MR})
    assert len(load_task(tmp_path, "sst2").splits["train"]) == 4


def test_sentevals_files_are_read(tmp_path):
    down = "data/downstream"
    pairs = 'Quality\t#1 ID\t#2 ID\t#1 String\t#2 String\n1\t1\t2\tA "b.\tA c.\n0\t3\t4\tD.\tE.\n'
    write(
        tmp_path,
        {
            f"{down}/MR/rt-polarity.neg": "dull .\nna\xefve at best .\n",
            f"{down}/MR/rt-polarity.pos": "a film .\n",
            f"{down}/CR/custrev.neg": "it broke\n\n",
            f"{down}/CR/custrev.pos": "it works\n",
            f"{down}/SUBJ/subj.subjective": "i liked it\n",
            f"{down}/SUBJ/subj.objective": "he leaves\n",
            f"{down}/MPQA/mpqa.neg": "too late\n",
            f"{down}/MPQA/mpqa.pos": "complained\nhopes\n",
            **{f"{down}/SST/binary/sentiment-{split}": "a fine film\t1\nno\t0\n" for split in ("train", "dev", "test")},
            f"{down}/TREC/train_5500.label": "DESC:manner How did it end ?\nNUM:date When was it : at noon ?\n",
            f"{down}/TREC/TREC_10.label": "NUM:dist How far is it ?\nDESC:def What is it ?\n",
            f"{down}/MRPC/msr_paraphrase_train.txt": pairs,
            f"{down}/MRPC/msr_paraphrase_test.txt": pairs,
        },
    )
    assert list(present(tmp_path)) == list(TASKS) == list(present(tmp_path / "data")) == list(present(tmp_path / down))
    assert list(present(tmp_path / down / "MRPC")) == ["mrpc"] and not present(tmp_path / down / "SST" / "binary")
    found = {task: load_task(tmp_path, task) for task in TASKS}
    mr = found["mr"].splits["all"]
    assert mr.first == ["dull .", "naïve at best .", "a film ."] and mr.classes.tolist() == [0, 0, 1]
    assert found["cr"].splits["all"].first == ["it broke", "it works"]
    assert found["subj"].splits["all"].classes.tolist() == [0, 1]
    assert found["trec"].splits["train"].first == ["How did it end ?", "When was it : at noon ?"]
    assert found["trec"].classes == ("desc", "num") and found["trec"].tested.classes.tolist() == [1, 0]
    assert found["sst2"].tested.first == ["a fine film", "no"] and found["sst2"].tested.classes.tolist() == [1, 0]
    assert found["mrpc"].tested.first == ['A "b.', "D."] and found["mrpc"].tested.classes.tolist() == [1, 0]


def test_a_single_text_is_on_both_sides_of_its_pair(tmp_path):
    pairs = load_task(write(tmp_path, {"mr.tsv": MR}), "mr").as_pairs()
    assert pairs.first == pairs.second and pairs.task == pairs.name == "mr" and pairs.gold.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("label\tsentence\n1\t\n0\tx\n", "holds 1 usable rows"),
        ("score\tsentence\n1\ta\n0\tx\n", "not a table of mr"),
        ("1\ta b\n0\tx y\n", "not a table of mr"),
        ("label\tsentence\n1\ta\n1\tx\n", "one label in all rows"),
        ("label\tsentence\n1\ta\n0\tx\n-1\ty\n", "1 rows without a label"),
        ("label\tsentence\n" + "".join(f"{row}\ttext {row}\n" for row in range(30)), "30 different labels"),
        (b"PK\x03\x04\0\0\0", "mr.tsv"),
    ],
)
def test_what_cannot_be_used_is_explained(tmp_path, content, said):
    with pytest.raises(BadData, match=said):
        load_task(write(tmp_path, {"mr.tsv": content}), "mr")


@pytest.mark.parametrize(
    ("where", "test"),
    [
        ("SST-2/{}.tsv", "index\tsentence\n0\tuneasy\n1\tfine\n"),
        ("sst2-{}.tsv", "label\tsentence\n-1\tuneasy\n-1\tfine\n"),
        ("glue/sst2/data/{}.tsv", "label\tsentence\n-1\tuneasy\n-1\tfine\n"),
    ],
)
def test_of_a_test_split_without_labels_dev_takes_the_place(tmp_path, where, test):
    labelled = "sentence\tlabel\nhide it\t0\na joy\t1\nof saucy\t1\n"
    folder = write(
        tmp_path, {where.format(split): labelled for split in ("train", "dev")} | {where.format("test"): test}
    )
    found = load_task(folder, "sst2")
    assert found.tested is found.splits["dev"] and found.tested.classes.tolist() == [0, 1, 1] and not found.official
    assert any("sst2:test is published without labels" in said for said in found.notices)


def test_rows_that_the_hub_sets_apart_are_training_rows(tmp_path):
    names = ("train", "validation", "test")
    found = load_task(write(tmp_path, {f"mrpc/{name}.tsv": MRPC.replace("One", name) for name in names}), "mrpc")
    assert found.splits["train"].first == ["train thing.", "A.", "validation thing.", "A."]
    assert found.tested.first == ["test thing.", "A."]


def test_rows_without_a_text_are_left_out(tmp_path):
    task = load_task(write(tmp_path, {"mr.tsv": MR + "0\t \n1\n"}), "mr")
    assert len(task.tested) == 3 and any("2 rows were left out" in said for said in task.notices)


def test_missing_tasks_are_absent(tmp_path):
    with pytest.raises(
        BadData, match=r"holds no transfer task.*mrpc-train.tsv and mrpc-test.tsv .*sentence1, sentence2"
    ):
        METHOD.read(write(tmp_path, {"mrpc-train.tsv": MRPC}))
    assert METHOD.read(write(tmp_path, {"mr.tsv": MR})).absent == [task for task in TASKS if task != "mr"]
    with pytest.raises(BadData, match="no folder"):
        present(tmp_path / "none")
    with pytest.raises(OutsideFolders):
        present(tmp_path, folders=[tmp_path / "in"])


def test_the_real_sets_have_their_official_sizes(shared_data):
    for task in ("mr", "cr", "sst2", "mrpc"):
        found = load_task(shared_data / "transfer", task)
        assert found.official, found.notices


@pytest.mark.parametrize("above", ["", "data"])
def test_kims_files_are_read(tmp_path, above):
    """One file for each task or split, a label before each text, from convolutional networks for sentences."""
    folder = tmp_path / above
    folder.mkdir(exist_ok=True)
    halves = "1 a fine , warm film\n0 ratio 1 : 0 , and dull\n"
    for name in ("rt-polarity.all", "custrev.all", "subj.all", "mpqa.all"):
        (folder / name).write_text(halves)
    for split in ("train", "dev", "test"):
        (folder / f"stsa.binary.{split}").write_text(f"1 good {split}\n0 bad {split}\n")
    (folder / "TREC.train.all").write_bytes("0 What is Qu\xe9bec ?\r\n5 How far is it ?\r\n".encode("latin-1"))
    (folder / "TREC.test.all").write_bytes(b"5 How many ?\r\n0 What is it ?\r\n")
    sets = {task: load() for task, load in present(tmp_path).items()}
    assert list(sets) == ["mr", "cr", "subj", "mpqa", "sst2", "trec"]
    for task in ("mr", "cr", "subj", "mpqa"):
        rows = sets[task].splits["all"]
        assert (rows.first, rows.classes.tolist()) == (["a fine , warm film", "ratio 1 : 0 , and dull"], [1, 0])
    assert sets["sst2"].splits["train"].first == ["good train", "bad train"]
    assert sets["trec"].splits["train"].first == ["What is Québec ?", "How far is it ?"]
    assert sets["trec"].classes == ("0", "5")
    (folder / "stsa.binary.phrases.train").write_text("1 good\n0 bad\n1 fine\n")
    assert len(present(tmp_path)["sst2"]().splits["train"]) == 3
    for split, text in (
        ("train", "NUM:dist How far ?\nLOC:city Where ?\n"),
        ("test", "LOC:other Where to ?\nNUM:date When ?\n"),
    ):
        (folder / f"TREC.{split}.all").unlink()
        (folder / f"TREC.{split}").write_text(text)
    assert present(tmp_path)["trec"]().splits["test"].first == ["Where to ?", "When ?"]
    assert present(tmp_path)["trec"]().classes == ("loc", "num")
