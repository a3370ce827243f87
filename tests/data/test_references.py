"""References: their stamps change with whatever is read, and nothing else; and which are to the same pairs."""

import pytest

from workbench.data.references import absolute_corpus, absolute_pairs, file_stamps, same_pairs

PAIRS = "score\tsentence1\tsentence2\n1\tIt rains.\tIt pours.\n"


def written(path, content=PAIRS):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["p.tsv", "Drive-me@mail.com/p.tsv", "pairs #1/p.tsv", "a@b#c.tsv"])
@pytest.mark.parametrize("behind", ["", "#test", "#score=score,sentence1=2"])
def test_a_file_is_noticed_when_it_changes_whatever_it_is_called(tmp_path, name, behind):
    path = written(tmp_path / name)
    ref = f"{path}{behind}"
    before = file_stamps(ref)
    assert before[0] == ref and before[1][0] == path.name
    written(path, PAIRS * 2)
    assert file_stamps(ref) != before


@pytest.mark.parametrize("ref", ["{}", "stsb:test@{}", "sts@{}"])
def test_files_below_a_folder_are_noticed_too(tmp_path, ref):
    folder = tmp_path / "me@mail.com #1"
    ref = ref.format(folder)
    inner = written(folder / "STS" / "STS12-en-test" / "STS.gs.MSRpar.txt", "1\n")
    written(folder / "p.tsv")
    before = file_stamps(ref)
    assert [name for name, *_ in before[1:]] == ["p.tsv", "STS/STS12-en-test/STS.gs.MSRpar.txt"]
    written(inner, "4.5\n")
    changed = file_stamps(ref)
    assert changed != before
    written(folder / ".git" / "index")
    written(tmp_path / "beside.tsv")
    assert file_stamps(ref) == changed


def test_links_to_nothing_and_back_are_harmless(tmp_path):
    written(tmp_path / "p.tsv")
    for name, target in (("gone.tsv", "/nowhere/at/all"), ("itself", "itself"), ("back", ".")):
        (tmp_path / name).symlink_to(target)
    assert [name for name, *_ in file_stamps(str(tmp_path))[1:]] == ["p.tsv"]


def test_a_large_folder_is_not_looked_through_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr("workbench.data.references._MOST_STAMPED", 3)
    for number in range(9):
        written(tmp_path / f"{number}.tsv")
        written(tmp_path / "inner" / f"{number}.tsv")
    assert [name for name, *_ in file_stamps(str(tmp_path))[1:]] == ["0.tsv", "1.tsv", "2.tsv"]


def test_scores_in_a_file_of_their_own_are_noticed(tmp_path):
    inputs = written(tmp_path / "STS2017.eval" / "STS.input.track5.en-en.txt", "It rains.\tIt pours.\n")
    golds = written(tmp_path / "STS2017.gs" / "STS.gs.track5.en-en.txt", "1\n")
    before = file_stamps(str(inputs))
    written(golds, "4.5\n")
    assert file_stamps(str(inputs)) != before


def test_a_folder_in_place_of_a_data_set_of_the_hub(tmp_path, monkeypatch):
    """Its files are noticed, and it is found from the folder of a worker."""
    for name in ("f", "csv"):
        (tmp_path / name).mkdir()
    part = tmp_path / "f" / "train.csv"
    part.write_text("text\na\n")
    monkeypatch.chdir(tmp_path)
    assert absolute_corpus("hf:f::train:text") == f"hf:{tmp_path / 'f'}::train:text"
    assert absolute_pairs("hf:f:train.csv") == f"hf:{tmp_path / 'f'}:train.csv"
    assert absolute_pairs("hf:csv") == f"hf:{tmp_path / 'csv'}", "a folder, whatever its name"
    for ref in ("hf:f", "hf:f:train.csv:train"):
        before = file_stamps(ref)
        part.write_text(part.read_text() + "b\n")
        assert len(before) == 2 and file_stamps(ref) != before
    for ref in ("hf:no/such", "hf:", "hf:a:b:c:d:e"):
        assert absolute_corpus(ref) == ref and file_stamps(ref) == [ref]


def test_what_is_no_file_has_no_stamp():
    for ref in ("", "demo", "demo:dev", "hf:mteb/sts12-sts", "/nowhere/p.tsv#dev", "stsb:test@/nowhere", "#"):
        assert file_stamps(ref) == [ref]


def test_files_of_one_name_are_the_same_pairs_only_where_they_are_one_file(tmp_path):
    one, other = tmp_path / "a" / "own.tsv", tmp_path / "b" / "own.tsv"
    for file in (one, other):
        file.parent.mkdir()
        file.write_text("score\tsentence1\tsentence2\n1\ta b\tc d\n")
    assert same_pairs(str(one), f"{one}#test") and same_pairs(str(one), str(tmp_path / "a" / ".." / "a" / "own.tsv"))
    assert not same_pairs(str(one), str(other)) and not same_pairs(str(one), f"{one}#dev")
    other.unlink()
    assert same_pairs(str(one), str(other)), "of an imported run, whose file is elsewhere"
    assert same_pairs("stsb:dev@/one/sts", "stsb:dev@/other/sts") and same_pairs("demo:dev", "demo:dev")
