import pytest

from workbench.core.errors import BadData, UnknownName
from workbench.data.sts import TASKS, absent, load_task, present

STS12 = {
    "MSRpar": [("4.4", "The plan will change.", "They said the plan changes."), ("", "Unscored.", "Not scored.")],
    "MSRvid": [("0.0", "A dog runs.", "A man cooks."), ("5.0", 'A "cat" sleeps.', "A cat  is asleep.")],
    "SMTeuroparl": [("3", "We must act.", "We have to act.")],
    "surprise.OnWN": [("2", "to move", "move something")],
    "surprise.SMTnews": [("1", "Prices rose.", "The minister left.")],
}


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


def test_empty_scores_cut_off_at_the_end(tmp_path):
    folder = senteval(tmp_path / "a")
    (folder / "STS" / "STS12-en-test" / "STS.gs.MSRpar.txt").write_text("4.4\n")
    assert len(load_task(folder, "sts12")) == 6


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


def test_what_is_there(tmp_path):
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


def test_damaged_and_absent(tmp_path):
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
    with pytest.raises(BadData, match="no STS table"):
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
