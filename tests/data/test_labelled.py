import pytest

from workbench.core.errors import BadData
from workbench.data.labelled import labelled_in


def write(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def lines(of, count=4):
    return "".join(f"{of} {n}\n" for n in range(count))


def read(folder):
    return {task: {split: load() for split, load in parts.items()} for task, parts in labelled_in(folder).items()}


@pytest.mark.parametrize(
    ("train", "test"),
    [
        (("train_text.txt", "train_labels.txt"), ("test_text.txt", "test_labels.txt")),  # TweetEval
        (("train/seq.in", "train/label"), ("test/seq.in", "test/label")),  # SNIPS
        (("tr.txt", "label-tr.txt"), ("te.txt", "label-te.txt")),
    ],
)
def test_labels_on_the_lines_of_another_file(tmp_path, train, test):
    folder = write(
        tmp_path / "intents",
        {train[0]: lines("a"), train[1]: "x\ny\nx\ny\n", test[0]: lines("b", 2), test[1]: "y\nx\n", "seq.out": "o\n"},
    )
    parts = read(folder)["intents"]
    assert list(parts) == ["test", "train"] and set(labelled_in(folder)) == {"intents"}
    assert parts["train"].texts == ["a 0", "a 1", "a 2", "a 3"] and parts["train"].labels == [*"xyxy"]
    assert parts["test"].texts == ["b 0", "b 1"] and parts["test"].labels == [*"yx"]


def test_several_sets_without_splits_in_one_folder(tmp_path):
    folder = write(
        tmp_path,
        {
            "title_StackOverflow.txt": lines("how"),
            "label_StackOverflow.txt": "1\n2\n1\n2\n",
            "Biomedical.txt": lines("cell", 3),
            "Biomedical_gnd.txt": "1\n1\n2\n",
            "vocab_withIdx.dic": "a\t1\n",
        },
    )
    found = read(folder)
    assert {task: list(parts) for task, parts in found.items()} == {"biomedical": [""], "stackoverflow": [""]}
    assert found["biomedical"][""].labels == ["1", "1", "2"] and found["stackoverflow"][""].texts[3] == "how 3"


def test_labels_are_called_as_the_mapping_says_if_it_has_them_all(tmp_path):
    files = {
        "train_text.txt": lines("t"),
        "train_labels.txt": "0\n1\n0\n\n",
        "mapping.txt": "0\tanger\n1\tjoy\n2\thope\n",
    }
    [part] = read(write(tmp_path, files))[tmp_path.name].values()
    assert part.labels == ["anger", "joy", "anger"] and part.texts == ["t 0", "t 1", "t 2"]
    assert part.notices == [
        "train_text.txt: its labels are the lines of train_labels.txt, named by mapping.txt.",
        "train_text.txt: 1 row was left out (no label: 1, first in row 4).",
    ]
    for mapping in ("0\tanger\n", "anger\njoy\n", b"PK\x03\x04\x00"):
        [part] = read(write(tmp_path, {"mapping.txt": mapping}))[tmp_path.name].values()
        assert part.labels == [*"010"]


def test_other_numbers_of_lines_are_refused_apart_from_empty_ones_at_the_end(tmp_path):
    files = {"train_text.txt": lines("t"), "train_labels.txt": "0\n1\n0\n1\n\n\n"}
    [part] = read(write(tmp_path, files))[tmp_path.name].values()
    assert part.labels == [*"0101"]
    write(tmp_path, {"train_labels.txt": "0\n1\n0\n"})
    with pytest.raises(BadData, match=r"do not belong together.*4 lines of texts and 3 of labels"):
        read(tmp_path)


def test_two_files_of_texts_for_one_of_labels_are_not_guessed(tmp_path):
    assert not labelled_in(write(tmp_path, {"train_text.txt": "a\n", "train.txt": "b\n", "train_labels.txt": "0\n"}))


@pytest.mark.parametrize("named", ["train", "20news-bydate-train"])
def test_a_folder_of_texts_for_each_label_in_each_split(tmp_path, named):
    test = named.replace("train", "test")
    files = {f"{named}/{label}/{n}": f"{label}\n\nline {n}" for label in ("pos", "neg", "unsup") for n in range(20)}
    files |= {f"{test}/{label}/{n}.txt": f"{label} tested {n}" for label in ("pos", "neg") for n in range(20)}
    parts = read(write(tmp_path, {**files, f"{named}/urls_pos.txt": "x", "README": "y"}))[tmp_path.name]
    assert len(parts["train"]) == len(parts["test"]) == 40
    assert parts["train"].texts[0] == "neg line 0" and parts["train"].labels == ["neg"] * 20 + ["pos"] * 20
    assert f"{named}: left out is what only one split has: unsup." in parts["train"].notices
    assert parts["test"].notices == [f"{test}: each file is a text, and its label is the name of its folder."]


def test_a_folder_of_texts_for_each_label_without_splits(tmp_path):
    files = {f"{label}/{n}.txt": f"{label} {n}" for label in ("sport", "tech") for n in range(25)}
    files |= {"sport/0.txt": "", "sport/1.txt": b"\x89PNG\r\n\x1a\x00", "tech/2.txt": "x" * 1_000_001}
    files |= {"tech/3.txt": "Das Café".encode("cp1252")}
    [part] = read(write(tmp_path, files))[tmp_path.name].values()
    assert len(part) == 47 and "Das Café" in part.texts
    name = tmp_path.name
    assert part.notices == [
        f"{name}: each file is a text, and its label is the name of its folder.",
        f"{name}: 1 file is not UTF-8; read as cp1252.",
        f"{name}: 3 rows were left out (not a text: 2, first in row 2; no text: 1, first in row 1).",
    ]


def test_folders_that_are_no_labels(tmp_path):
    few = {f"{label}/{n}.txt": "text" for label in ("a", "b") for n in range(19)}
    assert not labelled_in(write(tmp_path / "few", few))
    one = {f"a/{n}.txt": "text" for n in range(40)}
    assert not labelled_in(write(tmp_path / "one", one))
    other = {f"{label}/{n}.{ending}": "text" for label, ending in (("a", "txt"), ("b", "py")) for n in range(40)}
    assert not labelled_in(write(tmp_path / "other", other))
    assert not labelled_in(tmp_path / "absent") and not labelled_in(write(tmp_path / "empty", {"x/y": ""}))


def test_tables_of_splits_in_text_files(tmp_path):
    emotion = {
        f"{name}.txt": lines("i feel").replace("\n", ";sad\n") + "so it is;joy\n" * 4 for name in ("train", "val")
    }
    parts = read(write(tmp_path / "emotion", emotion))["emotion"]
    assert list(parts) == ["train", "dev"] and parts["dev"].labels == ["sad"] * 4 + ["joy"] * 4
    marked = {f"{name}.txt": "__label__x a b\n__label__y c d\n" * 3 for name in ("train", "test")}
    parts = read(write(tmp_path / "marked", marked))["marked"]
    assert parts["test"].labels == [*"xyxyxy"] and parts["train"].texts[:2] == ["a b", "c d"]
