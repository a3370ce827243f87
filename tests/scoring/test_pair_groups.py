"""Groups of pairs to compare within."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from workbench.core.errors import BadData, BadSetting
from workbench.data.demo import pair_rows, pairs
from workbench.data.pairs import load_pairs
from workbench.scoring.pair_groups import groups_of
from workbench.store.slices import Slice


def test_lengths_are_words_of_both_sentences_in_bands_that_share_no_length():
    demo = pairs("dev")
    groups, notices = groups_of("demo:dev", demo, "length")
    words = np.array([len(one.split()) + len(two.split()) for one, two in zip(demo.first, demo.second, strict=True)])
    assert notices == [] and len(groups) == 5 and sum(len(group.rows) for group in groups) == len(demo)
    ends = [(words[group.rows].min(), words[group.rows].max()) for group in groups]
    names = [f"{low} to {high} words" if low < high else f"{low} words" for low, high in ends]
    assert names == [group.name for group in groups]
    assert all(one[1] < two[0] for one, two in pairwise(ends))


def test_where_no_spaces_divide_words_characters_are_counted():
    first, second = [f"猫{'在' * number}" for number in range(1, 51)], ["狗在睡"] * 50
    chinese = replace(pairs("dev"), first=first, second=second, gold=np.arange(50) / 10, subsets=[""] * 50)
    groups, _ = groups_of("own.tsv", chinese, "length")
    assert groups[0].name == "5 to 14 characters"


def test_traps_have_kinds_and_genres():
    traps = pairs("traps")
    kinds, _ = groups_of("demo:traps", traps, "subset")
    genres, _ = groups_of("demo:traps", traps, "genre")
    assert {group.name for group in kinds} == set(traps.subsets)
    known = list(pair_rows("traps").values())
    caption = next(group for group in genres if group.name == "caption")
    assert len(caption.rows) == sum(row.genre == "caption" for row in known)
    assert {known[row].genre for row in caption.rows} == {"caption"}


def test_a_task_that_cannot_be_read_is_left_out_and_named(tmp_path):
    lines = ["score\tsentence1\tsentence2", *(f"{n % 6}\tA man {n} walks.\tThe man {n} runs." for n in range(20))]
    (tmp_path / "stsb-test.tsv").write_text("\n".join(lines))
    (tmp_path / "sts12.tsv").write_text("broken\n")
    reference = f"stsb:test@{tmp_path}"
    groups, notices = groups_of(reference, load_pairs(reference), "task")
    assert [group.name for group in groups] == ["STS-B"]
    assert len(notices) == 1 and notices[0].startswith("sts12:test could not be read and is left out: sts12.tsv")
    (tmp_path / "stsb-test.tsv").write_text("broken\n")
    with pytest.raises(BadData, match="cannot tell which column"):
        groups_of(reference, pairs("dev"), "task")


def test_what_has_no_such_groups_is_refused_with_the_way_out():
    plain = replace(pairs("dev"), subsets=[""] * 600)
    with pytest.raises(BadSetting, match="names no subset"):
        groups_of("own.tsv", plain, "subset")
    with pytest.raises(BadSetting, match="if they are a task's"):
        groups_of("demo:dev", plain, "task")
    few = Slice("few", "demo:dev", "", (1, 2, 3), 0.0)
    with pytest.raises(BadSetting, match=r"No slice .* has enough pairs"):
        groups_of("demo:dev", plain, "slice", [replace(few, content=_content(plain))])


def _content(plain):
    from workbench.store.slices import content_of

    return content_of(plain)
