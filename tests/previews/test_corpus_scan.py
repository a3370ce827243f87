import json
from contextlib import nullcontext

import numpy as np
import pytest

from tests.verbs.trial import answered
from workbench import api
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.compute.model_cache import ModelCache
from workbench.core import presets
from workbench.core.errors import BadData, BadSetting, MissingResource, UnknownName
from workbench.core.progress import no_progress
from workbench.previews import corpus_scan, judging, scan_cost, scan_measures
from workbench.previews.perturbation import Inside
from workbench.statistics.wilson import wilson
from workbench.store.names import runs_folder

ROWS = [
    ("news", "The mayor opened the new bridge on Monday"),
    ("news", "Prices rose again in the last quarter"),
    ("news", "The two teams drew after extra time"),
    ("talk", "I am not sure that we need a car"),
    ("talk", "Could you pass me the ACME-42 box please"),
    ("talk", "She said that it would not take long"),
    ("talk", "good bye"),
    ("talk", "bye good"),
]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    path = tmp_path_factory.mktemp("corpus") / "texts.tsv"
    path.write_text("genre\tsentence\n" + "".join(f"{genre}\t{text}\n" for genre, text in ROWS))
    return str(path)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return ModelCache(runs_folder(tmp_path_factory.mktemp("runs")))


def ask(models, verb, told=no_progress, **arguments):
    return answered(models, verb, told, **arguments)


def test_examples_of_equal_texts_are_shown_once():
    cosines, texts = np.linspace(0, 1, 24), ["a", "b", "b", "c", "d", "e", "a", "f"] * 3
    ends = scan_measures._Chosen(cosines, cosines, texts).ends
    assert [texts[index] for _, _, index in ends] == ["a", "b", "c", "d", "e", "f"]
    assert [rank for end, rank, _ in ends if end == "least"] == [1, 2, 3, 4, 5]


class TestScan:
    def test_the_numbers_follow_from_the_draws(self, models, corpus):
        found = ask(models, "scan", corpus=corpus, pipelines=["eda_swap", "mirror_span"])
        row = found.table.set_index("title").loc["Swap words"]
        draws = api.augment("eda_swap", [text for _, text in ROWS])
        assert (row["n"], row["n_changed"]) == (len(ROWS), draws["changed"].sum())
        assert tuple(row[["changed_low", "changed_high"]]) == pytest.approx(wilson(int(row["n_changed"]), len(ROWS)))
        changed = draws[draws["changed"]]
        assert row["perturbation"] == pytest.approx(
            scan_measures.edit_shares(changed["before"], changed["text"]).mean()
        )
        assert row["length"] == 0 and row["characters"] == 0 and np.isnan(row["size"])
        assert (row["acts_on"], row["perturbed"]) == ("texts", "words")
        assert row["duplicates"] == 2 / len(ROWS)  # good bye, bye good
        vectors = models.vectors(
            default_target(models), [*changed["before"], *changed["text"]], lambda share, note: None
        )
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = (unit[: len(changed)] * unit[len(changed) :]).sum(axis=1)
        assert row["cosine"] == pytest.approx(cosines.mean(), abs=1e-5)
        assert row["cosine_low"] <= row["cosine"] <= row["cosine_high"]
        unchanged = len(ROWS) - len(changed)
        assert row["cosine_all"] == pytest.approx((cosines.sum() + unchanged) / len(ROWS), abs=1e-5)
        own = found.extremes[found.extremes["pipeline"] == row["pipeline"]]
        assert own[own["end"] == "least"]["cosine"].is_monotonic_increasing
        assert own["cosine"].min() == pytest.approx(cosines.min(), abs=1e-5)
        assert own["cosine"].max() == pytest.approx(cosines.max(), abs=1e-5)
        assert not own["before"].duplicated().any()

    def test_references_are_ordered_as_expected(self, models, corpus):
        about = ask(models, "scan", corpus=corpus, pipelines=["eda_swap"]).about
        dropout, random = about["references"]["dropout"], about["references"]["random"]
        assert random["mean"] < dropout["mean"] < 1 and random["n"] == dropout["n"] == len(ROWS)
        assert (about["strata"], about["genres"], about["texts"]) == ("genre", 2, len(ROWS))

    def test_each_distinct_text_is_encoded_once(self, corpus, tmp_path):
        seen = []

        def encode(texts, told):
            seen.extend(texts)
            return np.random.default_rng(len(seen)).normal(size=(len(texts), 4)).astype(np.float32)

        scan(corpus, encode, tmp_path, ["eda_swap(rate=0.1)", "eda_delete(rate=0.1)", "eda_swap(rate=0.2)"])
        assert len(seen) == len(set(seen))

    def test_results_of_finished_lines_are_kept_after_a_cancellation(self, corpus, tmp_path):
        class CancelledError(Exception):
            pass

        asked = []

        def encode(texts, told):
            asked.append(len(texts))
            return np.random.default_rng(0).normal(size=(len(texts), 4)).astype(np.float32)

        def told(share, note):
            if note.startswith("Delete words"):
                raise CancelledError

        lines = ["eda_swap(rate=0.1)", "eda_delete(rate=0.1)"]
        with pytest.raises(CancelledError):
            scan(corpus, encode, tmp_path, lines, told)
        before = len(asked)
        shares = []
        scan(corpus, encode, tmp_path, lines[:1], lambda share, note: shares.append(share))
        assert len(asked) == before  # nothing was encoded again
        assert shares == sorted(shares) and shares[0] >= 0 and shares[-1] <= 1

    def test_stored_results_depend_on_the_files_of_a_line(self, corpus, tmp_path):
        def encode(texts, told):
            return np.random.default_rng(0).normal(size=(len(texts), 4)).astype(np.float32)

        path = tmp_path / "v.txt"
        lines, changed = [f'embedding_word(vectors="{path}", rate=1.0)'], []
        for words in (["the", "a"], ["the", "a"], ["mayor", "bridge", "prices", "teams", "car", "box", "bye", "good"]):
            content = "\n".join(f"{word} 1 {place}" for place, word in enumerate(words))
            if not path.exists() or path.read_text() != content:
                path.write_text(content)
            (row,) = scan(corpus, encode, tmp_path / "kept", lines).table.to_dict("records")
            changed.append(row["n_changed"])
            # What is kept from before, or waits for a model, has no rate of drawing.
            assert row["absent"] == "" and np.isnan(row["texts_per_second"])
        assert 0 < changed[0] == changed[1] != changed[2]

    def test_protection_and_missing_resources_are_reported(self, models, corpus):
        absent = "paraphrase_t5"
        found = ask(
            models, "scan", corpus=corpus, pipelines=["typo_noise(rate=0.5)", absent], protect=["ACME-42"], n=1000
        )
        first, second = found.table.to_dict("records")
        assert 0 < first["acted"] <= 1 / len(ROWS) and first["absent"] == ""
        assert "paraphrase" in second["absent"].lower() or "T5" in second["absent"]
        assert found.about["protected"]

    def test_without_changes_only_the_similarity_over_all_texts_is_defined(self, models, corpus):
        found = ask(models, "scan", corpus=corpus, pipelines=["augcse_sentence_reordering"])
        (row,) = found.table.to_dict("records")
        assert row["changed"] == 0 and np.isnan(row["cosine"]) and row["cosine_all"] == pytest.approx(1)
        assert found.extremes.empty

    def test_steps_inside_the_encoder_are_scanned_too(self, models, corpus):
        lines = ["token_shuffle", "token_cutoff(rate=0.4)", "fgv", "modals_gaussian", "dropout", "dropout(rate=0.3)"]
        found = ask(models, "scan", corpus=corpus, pipelines=[*lines, "eda_swap"])
        table = found.table.set_index("pipeline")
        assert table["absent"].tolist() == [""] * 7 and table["n"].tolist() == [len(ROWS)] * 7
        inside = table.iloc[:6]
        assert inside["perturbed"].tolist() == [
            "token positions",
            *["state entries"] * 2,
            "vector length",
            *["layer entries"] * 2,
        ]
        assert (inside["cosine_low"] <= inside["cosine"]).all() and (inside["cosine"] <= inside["cosine_high"]).all()
        assert inside["cosine"].between(0, 0.9999).all() and (inside["length"] == 0).all()
        assert inside[["duplicates", "acted", "texts_per_second", "characters"]].isna().all(axis=None)
        assert table["perturbation"].tolist()[4:6] == [0.1, 0.3]
        assert table.loc["dropout(rate=0.1)", "cosine"] > table.loc["dropout(rate=0.3)", "cosine"]
        # The row and the reference are the same two passes.
        reference = found.about["references"]["dropout"]
        assert table.loc["dropout(rate=0.1)", "cosine"] == pytest.approx(reference["mean"], abs=0.02)
        extremes = found.extremes
        own = extremes[extremes["pipeline"] == "token_cutoff(rate=0.4)"]
        assert (own["before"] == own["text"]).all() and own["note"].str.contains("tokens zeroed: “").all()
        assert (extremes.loc[extremes["pipeline"].str.startswith("eda"), "note"] == "").all()

    def test_a_transform_is_applied_after_steps_at_vectors(self, models, corpus):
        lines = ["modals_extrapolation", "token_cutoff"]
        plain = ask(models, "scan", corpus=corpus, pipelines=lines, n=60).table
        centred = ask(models, "scan", corpus=corpus, pipelines=lines, n=60, target="mini-mlm+centre(on=demo:dev)").table
        # Away from the mean is where centred vectors point already; all else shows more without the common part.
        assert centred["cosine"][0] > plain["cosine"][0] and centred["cosine"][1] < plain["cosine"][1]
        assert centred["size"].tolist() == pytest.approx(plain["size"].tolist())

    def test_mistakes_are_reported_before_anything_is_queued(self, models, corpus):
        with pytest.raises(BadSetting, match="cannot be scanned"):
            ask(models, "scan", corpus=corpus, pipelines=["eda_swap + token_cutoff"])
        with pytest.raises(BadSetting, match="rate"):
            ask(models, "scan", corpus=corpus, pipelines=["dropout(rate=1.5)"])
        with pytest.raises(UnknownName):
            ask(models, "scan", corpus=corpus, pipelines=["eda_swop"])
        with pytest.raises(BadSetting):
            ask(models, "scan", corpus=corpus, n=1)
        with pytest.raises(BadData):
            ask(models, "scan", corpus=corpus, pipelines=[])
        with pytest.raises(BadSetting):
            ask(models, "scan", corpus=corpus, protect_pattern="(")


def default_target(models):
    from workbench.targets.target import parse

    return parse(presets.TARGET, models.folder)


def scan(corpus, encode, kept, lines, told=lambda share, note: None):
    def views(texts, rate, told):
        return np.random.default_rng(1).normal(size=(len(texts), 2, 4)).astype(np.float32)

    def inside(texts):
        return Inside(None, texts, seed=0, views=views, lock=nullcontext(), after=lambda vectors: vectors)

    return corpus_scan.scan(
        corpus,
        lines,
        encode,
        inside,
        told,
        n=100,
        seed=0,
        protection=Protection(),
        resources=Resources(),
        stamp=1,
        cache=kept,
        stem="stem",
    )


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        ("a b c d", "a b c d", 0),
        ("a b c d", "a c d", 0.25),
        ("a b", "x y z", 1),
        ("我喜欢猫", "我喜欢狗", 0.25),
        ("", "", 0),
    ],
)
def test_edit_shares(before, after, share):
    assert scan_measures.edit_shares([before], [after])[0] == share


def test_an_estimate_names_seconds_and_bytes(models, corpus):
    lines = ["eda_swap", "paraphrase_t5", "token_cutoff", "dropout"]
    found = ask(models, "cost", corpus=corpus, pipelines=lines, n=5)
    row, absent, *inside = found.table.to_dict("records")
    for one in inside:
        assert one["seconds"] > 0 and one["full_bytes"] == 0 and not one["model"] and not one["absent"]
    about = found.about
    assert about["texts"] == len(ROWS) and about["n"] == 5
    assert 0 < row["seconds_each"] < 1 and row["full_bytes"] == pytest.approx(row["bytes_each"] * len(ROWS))
    assert absent["absent"] and about["seconds"] >= row["seconds"]


@pytest.mark.parametrize(("seconds", "tried"), [(60.0, 12), (0.0, 8)])
def test_changes_inside_a_slow_encoder_are_tried_on_fewer_texts(models, tmp_path, monkeypatch, seconds, tried):
    file = tmp_path / "texts.txt"
    file.write_text("\n".join(f"text {number} of some" for number in range(40)))
    monkeypatch.setattr(scan_cost, "TRIED", 12)
    monkeypatch.setattr(scan_cost, "INSIDE_SECONDS", seconds)
    notes = []
    found = ask(models, "cost", lambda share, note: notes.append(note), corpus=str(file), pipelines=["token_shuffle"])
    assert (found.about["tried"], found.about["tried_inside"]) == (12, tried)
    assert f"Encoding {tried} texts for changes inside the encoder" in notes
    assert notes[-1].endswith(f"trying {tried} texts") and found.table["seconds_each"].item() > 0


def test_an_estimate_of_the_whole_counts_every_text(corpus, monkeypatch):
    monkeypatch.setattr(scan_cost.time, "perf_counter", iter(range(100)).__next__)  # each look takes a second
    texts = [text for _, text in ROWS[::2]]
    found = scan_cost._tried("mirror_span(shortest=40)", texts, texts, 3.0, 10, 1000, 0, Protection(), Resources())
    changed = sum(len(text) >= 40 for text in texts) / len(texts)
    assert 0 < changed < 1 and found["changed"] == changed and found["prepare_seconds"] == 1
    each = 1 / len(texts)
    assert found["seconds"] == pytest.approx(1 + 10 * (each + changed * 3) + scan_cost._INTERVAL_SECONDS)
    assert found["full_seconds"] == pytest.approx(1 + 1000 * (each + 3))


def test_bytes_are_those_of_a_stored_line():
    texts = ["今天天气很好我们去公园散步", "naïve café"]
    found = scan_cost._tried("case_noise(rate=0.0)", texts, texts, 0.0, 2, 1000, 0, Protection(), Resources())
    assert found["bytes_each"] == sum(len(json.dumps([999, text])) + 1 for text in texts) / 2
    assert found["full_bytes"] == 1000 * found["bytes_each"]


@pytest.mark.parametrize("count", [2, 3])
def test_every_line_has_an_estimate_on_the_smallest_corpora(models, tmp_path, count):
    path = tmp_path / "few.txt"
    path.write_text("".join(f"{text}\n" for _, text in ROWS[:count]))
    lines = ["eda_swap", "token_cutoff", "fgv", "modals_gaussian", "dropout"]
    for verb in ("cost", "scan"):
        found = ask(models, verb, corpus=str(path), pipelines=lines)
        assert found.table["absent"].tolist() == [""] * 5 and found.about["n"] == count
    path.write_text("alone\n")
    with pytest.raises(BadData, match="only one text"):
        ask(models, "cost", corpus=str(path), pipelines=lines)


class TestPairs:
    def test_pairs_are_of_changed_texts_and_as_many_as_asked_for(self, models, corpus):
        table = ask(models, "drawn_pairs", corpus=corpus, pipelines=["eda_swap", "eda_delete"], count=3)
        assert sorted(table.groupby("pipeline").size()) == [3, 3]
        assert (table["before"] != table["text"]).all() and table["pair"].is_unique
        assert table["cosine"].between(-1, 1.0001).all() and (table["tried"] >= 3).all()

    def test_the_order_depends_on_the_seed_and_pair_ids_do_not(self, models, corpus):
        lines = ["eda_swap", "eda_delete"]
        first, again, other = (
            ask(models, "drawn_pairs", corpus=corpus, pipelines=lines, count=5, seed=seed) for seed in (0, 0, 1)
        )
        assert first["pair"].tolist() == again["pair"].tolist() != other["pair"].tolist()
        row = first.iloc[0]
        assert row["pair"] == judging.pair_id(row["pipeline"], row["before"], row["text"])

    def test_an_augmentation_that_changes_nothing_has_no_pairs(self, models, corpus):
        table = ask(models, "drawn_pairs", corpus=corpus, pipelines=["augcse_sentence_reordering"], count=3)
        assert table.empty and "pair" in table

    def test_augmentations_with_missing_resources_are_refused(self, models, corpus):
        with pytest.raises(MissingResource):
            ask(models, "drawn_pairs", corpus=corpus, pipelines=["paraphrase_t5"])

    def test_an_augmentation_that_names_its_vectors_is_judged(self, models, corpus, monkeypatch):
        monkeypatch.setattr("workbench.augmentations.static_vectors.find_spec", lambda name: None)
        line = 'embedding_word(vectors="backbone:minilm-l6", rate=0.5)'
        assert len(ask(models, "drawn_pairs", corpus=corpus, pipelines=[line], count=3)) == 3
        with pytest.raises(MissingResource):
            ask(models, "drawn_pairs", corpus=corpus, pipelines=["embedding_word"])
        for verb in ("scan", "cost"):
            assert ask(models, verb, corpus=corpus, pipelines=[line]).table["absent"].tolist() == [""]

    @pytest.mark.parametrize("line", ["token_cutoff", "dropout"])
    def test_lines_that_produce_no_text_have_no_pairs_to_judge(self, models, corpus, line):
        with pytest.raises(BadSetting, match="no text to judge"):
            ask(models, "drawn_pairs", corpus=corpus, pipelines=[line])


@pytest.mark.slow
def test_python_and_command_line_give_the_same_table(warm, corpus, capsys):
    from workbench.__main__ import main

    found = api.scan(corpus, pipelines=["eda_swap"], runs=warm.path)
    assert found.table["title"].tolist() == ["Swap words"] and found.about["n"] == len(ROWS)
    assert found.extremes["end"][0] == "least"
    assert main(["scan", corpus, "--pipelines", "eda_swap", "paraphrase_t5", "--runs", str(warm.path)]) == 0
    said = capsys.readouterr().out
    assert "eda_swap" in said and "random pairs" in said and "paraphrase_t5" in said
    inside = ["eda_swap", "token_shuffle", "fgv", "modals_gaussian", "dropout"]
    table = api.scan(corpus, pipelines=inside, runs=warm.path).table
    assert table["acts_on"].tolist() == ["texts", "positions", "states", "vectors", "dropout"]
    assert (table["absent"] == "").all() and table["cosine"].between(0, 0.9999).all()
    assert main(["scan", corpus, "--pipelines", "eda_swap + token_cutoff", "--runs", str(warm.path)]) == 2
