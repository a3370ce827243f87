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


def year(folder, task, inputs, golds, start="STS"):
    """Files of a year in which every subset is alike."""
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
    assert pairs.notices[0].startswith("STS13-en-test: subset FNWN has 2 lines of scores less than of sentences")


def test_a_lost_score_shifts_no_other(tmp_path):
    year(tmp_path / "STS13-en-test", "sts13", SIX, "0\n1\n3\n4\n5\n")
    with pytest.raises(BadData, match=r"FNWN is damaged.*6 lines of sentences and 5 of scores"):
        load_task(tmp_path, "sts13")


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_carriage_return_within_a_sentence_ends_no_line(tmp_path, end):
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
        (".", "STS2016"),
    ],
)
def test_where_a_year_may_lie(tmp_path, folder, start):
    year(tmp_path / "a" / folder, "sts16", "A one.\tB two.\thttp\thttp\nC.\tD.\thttp\thttp\n", "4\n\n", start)
    pairs = load_task(tmp_path / "a", "sts16")
    assert (pairs.gold.tolist(), pairs.first[0], pairs.second[0]) == ([4] * 5, "A one.", "B two.")
    assert list(present(tmp_path / "a")) == ["sts16"]


def test_folders_of_training_pairs_and_without_scores_are_passed_over(tmp_path):
    inner = tmp_path / "STS12-en-test"
    for name, gold in (("train", "5\n" * 6), ("test-gold", "1\n" * 6), ("test-noann", "")):
        year(inner / name, "sts12", SIX, gold)
    for path in (inner / "test-noann").glob("STS.gs.*"):
        path.unlink()
    assert set(load_task(tmp_path, "sts12").gold) == {1}


def test_stsb_as_others_pack_it(tmp_path):
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
def test_scores_of_0_to_1_are_brought_to_the_scale(tmp_path, task, given, gold, said):
    lines = [f"{score}\tA {score}.\tB." for score in given]
    (tmp_path / f"{task}-test.tsv").write_text("\n".join(["score\tsentence1\tsentence2", *lines]) + "\n")
    pairs = load_task(tmp_path, task)
    assert pairs.gold.tolist() == gold and not pairs.dropped
    assert any(said in notice for notice in pairs.notices) if said else len(pairs.notices) == 1


def test_most_scores_off_the_scale_are_no_such_task(tmp_path):
    lines = [f"{20 * n}\tA {n}.\tB." for n in range(6)]
    (tmp_path / "stsb-test.tsv").write_text("\n".join(["score\tsentence1\tsentence2", *lines]) + "\n")
    with pytest.raises(BadData, match=r"not on the scale of its task.*0 to 5.*5 of 6 scores off it, from 0 to 100"):
        load_task(tmp_path, "stsb")


def test_what_is_left_out_of_a_task_is_said(tmp_path):
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
