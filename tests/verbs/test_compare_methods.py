"""Methods compared over seeds and pairs."""

import numpy as np
import pytest

from tests.run_folders import evaluated_run
from tests.verbs.trial import answered, asked
from workbench.api import save_slice
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadSetting
from workbench.data.demo import pairs
from workbench.statistics.correlation import spearman
from workbench.statistics.methods import Method, compare_methods, needed_for
from workbench.targets.methods import said_of_unpaired
from workbench.targets.target import CHOSEN


@pytest.fixture
def models(folder):
    return ModelCache(folder)


@pytest.fixture
def compared(models, tiny):
    return answered(models, "compare_methods", targets=[str(tiny / "bert"), "tfidf"], pairs="demo:dev")


def test_each_encoder_is_a_method_with_the_scores_of_score(compared, models, tiny):
    alone = [answered(models, "score", target=target, pairs="demo:dev") for target in (str(tiny / "bert"), "tfidf")]
    assert list(compared.trainings["spearman"]) == pytest.approx([each.scores["spearman"] for each in alone])
    assert compared.methods["trained"].tolist() == [False, False] and compared.trainings["seed"].isna().all()
    gold = alone[0].cosines["gold"].to_numpy()
    by_hand = compare_methods(
        [Method(str(number), [each.cosines["cosine"].to_numpy()]) for number, each in enumerate(alone)],
        gold,
        resamples=2000,
    )
    shown = [[each.scores[end] for each in alone] for end in ("low", "high")]
    assert pytest.approx(np.array(shown)) == compared.methods[["low", "high"]].to_numpy().T
    row = compared.differences.iloc[0]
    assert (row["delta"], row["low"], row["high"], row["p"]) == pytest.approx(tuple(by_hand.versus[0].difference))
    assert row["p_holm"] == row["p"] and compared.n == len(gold)


def test_what_a_transform_was_fitted_on_is_said_of_its_target(models, tiny):
    target = str(tiny / "bert")
    trainings = answered(models, "compare_methods", targets=[target, f"{target}+centre"], pairs="demo:dev").trainings
    assert trainings["fitted_on"].tolist() == ["", "the sentences it is scored on (transductive)"]


def test_what_was_needed_follows_from_the_table(compared):
    row = compared.differences.iloc[0]
    needed = needed_for(row, compared.n, float(row["detectable"]))
    assert needed.pairs == pytest.approx(compared.n, abs=2) and needed.seeds is None
    assert needed_for(row, compared.n, float(row["detectable"]) / 2).pairs == pytest.approx(4 * compared.n, abs=4)


def test_more_methods_than_twelve_and_a_baseline_are_refused(models):
    twelve = [f"tfidf+whitening(k={k})" for k in range(1, 13)]
    asked(models.folder, "compare_methods", targets=[*twelve, "tfidf"])
    with pytest.raises(BadSetting, match="at most 13 methods"):
        asked(models.folder, "compare_methods", targets=[*twelve, "tfidf", "tfidf+centre"])


def test_a_correlation_that_is_undefined_counts_as_zero_and_is_named(models, tiny, tmp_path):
    file = tmp_path / "pairs.tsv"
    rows = [(3, "a dog", "a dog barks"), (3, "a cat", "a cat sleeps"), (3, "it rains", "it snows")]
    lines = ["score\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    compared = answered(models, "compare_methods", targets=["tfidf"], pairs=str(file))
    assert np.isclose(compared.trainings["spearman"].iloc[0], 0) and "counted as 0" in " ".join(compared.notices)


def test_where_sentences_recur_the_answer_says_so_of_the_pairs_and_of_each_group(models, tmp_path):
    file = tmp_path / "pairs.tsv"
    rows = [("linked", row % 5, "a dog barks", f"it is number {row}") for row in range(12)]
    rows += [("apart", row % 5, f"a cat sleeps {row} times", f"it snows on day {row}") for row in range(12)]
    lines = ["subset\tscore\tsentence1\tsentence2", *("\t".join(map(str, row)) for row in rows)]
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    compared = answered(models, "compare_methods", targets=["tfidf"], pairs=str(file), by="subset")
    assert (compared.n, compared.linked_groups) == (24, 13)
    assert dict(zip(compared.group_means["group"], compared.group_means["linked_groups"], strict=True)) == {
        "linked": 1,
        "apart": 12,
    }
    assert any(note.startswith("Sentences recur: 24 pairs form 13 groups, and intervals") for note in compared.notices)
    alone = answered(models, "compare_methods", targets=["tfidf"], pairs="demo:dev")
    assert alone.linked_groups == alone.n and not any("recur" in note for note in alone.notices)


def test_by_genre_each_difference_is_that_of_the_pairs_of_the_genre(models, tiny):
    targets = [str(tiny / "bert"), "tfidf"]
    compared = answered(models, "compare_methods", targets=targets, pairs="demo:dev", by="genre")
    assert compared.by == "genre" and set(compared.group_means["n"]) == {120} and len(compared.group_differences) == 5
    tables = [answered(models, "score", target=target, pairs="demo:dev").cosines for target in targets]
    captions = [table[table["subset"] == "caption"] for table in tables]
    rhos = [spearman(table["cosine"], table["gold"]) for table in captions]
    row = compared.group_differences.set_index("group").loc["caption"]
    assert row["delta"] == pytest.approx(rhos[1] - rhos[0])
    assert compared.methods["mean"].tolist() == pytest.approx(
        [spearman(table["cosine"], table["gold"]) for table in tables]
    )


def test_slices_are_groups_too_and_may_overlap(models):
    save_slice("first ones", "demo:dev", range(50), runs=models.folder.path)
    save_slice("all of them", "demo:dev", range(600), runs=models.folder.path)
    save_slice("a few", "demo:dev", range(5), runs=models.folder.path)
    names = ["first ones", "all of them", "a few"]
    compared = answered(models, "compare_methods", targets=["tfidf"], pairs="demo:dev", slices=names)
    assert compared.by == "slice" and list(compared.group_means["n"]) == [50, 600]
    assert compared.group_means["mean"].iloc[1] == compared.methods["mean"].iloc[0]
    assert "Too small to compare, or with equal gold scores: a few (5)." in compared.notices
    with pytest.raises(BadSetting, match="one way"):
        asked(models.folder, "compare_methods", targets=["tfidf"], by="genre", slices=names)


def test_by_task_the_other_tasks_of_the_folder_are_encoded_and_compared(models, tmp_path):
    demo = pairs("test")
    rows = [f"{gold}\t{one}\t{two}" for gold, one, two in zip(demo.gold, demo.first, demo.second, strict=True)]
    for name, own in (("stsb-test", rows[:40]), ("sickr-test", [row for row in rows if float(row[:3]) >= 1][:60])):
        (tmp_path / f"{name}.tsv").write_text("\n".join(["score\tsentence1\tsentence2", *own]) + "\n", encoding="utf-8")
    compared = answered(models, "compare_methods", targets=["tfidf"], pairs=f"stsb:test@{tmp_path}", by="task")
    means = compared.group_means.set_index("group")
    assert dict(means["n"]) == {"STS-B": 40, "SICK-R": 60}
    assert means.loc["STS-B", "mean"] == compared.methods["mean"].iloc[0]
    alone = answered(models, "score", target="tfidf", pairs=f"sickr:test@{tmp_path}").scores
    assert means.loc["SICK-R", "mean"] == pytest.approx(alone["spearman"])


def test_steps_chosen_on_the_pairs_and_seeds_that_are_not_paired_are_told(models):
    short = [evaluated_run(models.folder, number, seed=number)[0].id for number in range(3)]
    longer = [evaluated_run(models.folder, 5 + number, seed=number, steps=30)[0].id for number in range(2)]
    notices = answered(models, "compare_methods", targets=[*short, *longer], pairs="demo:dev").notices
    assert f"{', '.join([*short, *longer])}: {CHOSEN}" in notices
    assert [note for note in notices if "pairing" in note] == said_of_unpaired(
        [(short[0], (0, 1, 2)), (longer[0], (0, 1))]
    )
    elsewhere = {"seed": 3, "selection.pairs": ("demo:test",)}
    other = [evaluated_run(models.folder, 8 + number, steps=30 + 10 * number, **elsewhere)[0].id for number in range(2)]
    notices = answered(models, "compare_methods", targets=other, pairs="demo:dev").notices
    assert not any("pairing" in note or CHOSEN in note for note in notices)
