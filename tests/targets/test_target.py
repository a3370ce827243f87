"""Targets: their grammar, what they are fitted on, and that everything a page asks of them is answered."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.run_folders import make_run
from tests.trial import TEXTS
from tests.verbs.trial import answered
from tests.verbs.trial import asked as asked_of
from workbench import api
from workbench.augmentations import static_vectors
from workbench.compute.model_cache import ModelCache
from workbench.core.calls import write_call
from workbench.core.errors import BadData, BadModel, BadRun, BadSetting, MissingResource, NotAccepted, UnknownName
from workbench.models.frequent_tokens import frequent_ids
from workbench.store import names
from workbench.store.names import runs_folder
from workbench.targets import fitting
from workbench.targets.target import Parts, parse, sources_of, split
from workbench.transforms import FewTexts, fit
from workbench.verbs.project import rotated as spanned


def told(share, note):
    return None


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return ModelCache(runs_folder(tmp_path_factory.mktemp("runs") / "runs"))


@pytest.fixture(scope="module")
def bert(tiny):
    return str(tiny / "bert")


@pytest.fixture(scope="module")
def pairs(tiny):
    return str(tiny / "pairs.tsv")


def evaluated(models, target, pairs):
    return answered(models, "score", target=target, pairs=pairs)


class TestGrammar:
    @pytest.mark.parametrize(
        ("text", "parts"),
        [
            ("minilm-l3", Parts("minilm-l3")),
            ("minilm-l3@step0:cls+centre", Parts("minilm-l3", "step0", "cls", "centre")),
            ("org/name@abc:last2", Parts("org/name", "abc", "last2")),
            ("20260101-x+whitening(k=3)", Parts("20260101-x", transform="whitening(k=3)")),
            ("m:mean(without=3, on=stsb:test@d/s)", Parts("m", pooling="mean(without=3, on=stsb:test@d/s)")),
            ('a/b+centre(on="x+y (1).txt")', Parts("a/b", transform='centre(on="x+y (1).txt")')),
            ("tfidf(on=stsb:test@data)+centre", Parts("tfidf(on=stsb:test@data)", transform="centre")),
            ("C:\\models\\bert:cls", Parts("C:\\models\\bert", pooling="cls")),
            ("C:\\models\\bert", Parts("C:\\models\\bert")),
            ("glove(vectors=backbone:minilm-l6)", Parts("glove(vectors=backbone:minilm-l6)")),
        ],
    )
    def test_targets_are_split_into_parts(self, text, parts):
        assert split(text) == parts

    @given(st.text(), st.sampled_from(["", "step0", "last"]), st.sampled_from(["", "cls", "mean(without=5)"]))
    def test_parts_survive_joining_and_splitting(self, on, checkpoint, pooling):
        whole = Parts("minilm-l3", checkpoint, pooling, write_call("centre", {"on": on}))
        assert split(str(whole)) == whole

    def test_defaults_are_not_spelled_out(self, models):
        found = parse("minilm-l3:mean(without=0)+whitening(k=0,normalise=true)", models.folder)
        assert found.text == "minilm-l3:mean+whitening(normalise=true)" == found.address
        assert (found.pooling, found.transform) == ("mean", "whitening(normalise=true)")
        assert found.plain.transform == "" and found.encoder.pooling == ""

    @pytest.mark.parametrize(
        ("text", "error", "match"),
        [
            ("minilm-l3+whitning", UnknownName, "Did you mean whitening"),
            ("minilm-l3+whitening(q=3)", UnknownName, "setting of whitening"),
            (
                "minilm-l3+whitening(k=16)+centre",
                BadSetting,
                r"takes one transform, in this order: NAME.*Leave out \+centre\.",
            ),
            (
                "org/model+whitening(k=16)+centre",
                BadSetting,
                r"takes one transform, in this order: NAME.*Leave out \+centre\.",
            ),
            ("minilm-l3:cls:mean", BadSetting, r"takes one pooling, in this order: NAME.*Leave out :mean\."),
            ("minilm-l3+centre:cls", BadSetting, r"one transform, in this order: NAME.*Put \+centre last\."),
            ("minilm-l3:cls@step0", BadSetting, "Put :cls behind the checkpoint"),
            ("tfidf+centre+centre", BadSetting, "takes one transform"),
            ("minilm-l3+whitening(k=-3)", BadSetting, "k cannot be -3"),
            ("minilm-l3+whitening(k=many)", BadSetting, "k cannot be 'many'"),
            ("minilm-l3:clss", UnknownName, "Did you mean cls"),
            ("minilm-l3:cls(without=3)", BadSetting, "Only averages over tokens can"),
            ("minilm-l3:mean(without=2000)", BadSetting, "without cannot be 2000"),
            ("minilm-l3:mean(with=2)", UnknownName, "setting of mean"),
            ("minilm-l3@best", BadRun, "no checkpoint"),
            ("minilm-l3@bst", UnknownName, "checkpoint"),
            ("tfidf:cls", BadSetting, "Only encoders have a pooling"),
            ("tfidf(words=3)", BadSetting, "words cannot be 3"),
            ("glove(vectors=x, on=demo)", BadSetting, "is not fitted"),
            ("tfdf", UnknownName, "Did you mean tfidf"),
            ("minilm-l3+centre(on=none.txt)", BadData, "no set of texts"),
            ("minilm-l3+centre(on=stsb:test@nowhere)", BadData, "no set of texts"),
            ("minilm-l3:mean(without=3, on=7)", BadData, "no set of texts"),
        ],
    )
    def test_mistakes_are_named(self, models, text, error, match):
        with pytest.raises(error, match=match):
            parse(text, models.folder)

    def test_missing_word_vectors_are_reported_at_once(self, models, monkeypatch):
        monkeypatch.setattr(static_vectors, "PACKAGE", "no_such_package")
        with pytest.raises(MissingResource, match="pip install"):
            parse("glove", models.folder)
        assert parse("glove(vectors=backbone:minilm-l3)", models.folder).baseline == "glove(vectors=backbone:minilm-l3)"

    def test_the_files_that_settings_name_are_listed(self):
        both = 'minilm-l3:mean(without=1, on="a b.txt#c")+centre(on=stsb:dev@d)'
        assert sources_of(both) == ["a b.txt#c", "stsb:dev@d"]
        assert sources_of("minilm-l3+centre(on=demo:dev)") == ["demo:dev"]
        assert not sources_of("minilm-l3+whitening(k=3)")
        assert sources_of("glove(vectors=/etc/passwd)") == ["/etc/passwd"]

    def test_the_fingerprint_changes_whenever_vectors_could(self, models, bert, tmp_path):
        corpus = tmp_path / "corpus.txt"
        corpus.write_text("\n".join(TEXTS))
        texts = [bert, f"{bert}:mean", f"{bert}:cls", f"{bert}:mean(without=3)", f"{bert}+centre", "tfidf"]
        texts += [f"{bert}+whitening(k=3)", f"{bert}+whitening(k=4)", f"{bert}+centre(on={corpus})", "tfidf(on=demo)"]
        prints = [parse(text, models.folder).fingerprint for text in texts]
        assert len(set(prints)) == len(texts)
        corpus.write_text("\n".join(TEXTS[:-1]))
        assert parse(f"{bert}+centre(on={corpus})", models.folder).fingerprint not in prints

    def test_the_address_of_a_target_has_absolute_paths(self, models, tiny, monkeypatch):
        monkeypatch.chdir(tiny)
        found = parse("./bert+centre(on=corpus.txt)", models.folder)
        assert found.address == f"{tiny / 'bert'}+centre(on={tiny / 'corpus.txt'})"
        assert parse(found.address, models.folder).fingerprint == found.fingerprint


class TestPooling:
    @pytest.mark.parametrize("pooling", ["cls", "mean", "last2", "first_last", "static", "static_last"])
    def test_a_named_pooling_replaces_that_of_the_encoder(self, models, bert, pooling):
        encoder = models.model(parse(bert, models.folder))
        assert encoder.pooling == "mean"
        found = answered(models, "encode", **{"target": f"{bert}:{pooling}", "texts": TEXTS[:5], "precision": "fp32"})
        encoder.pooling = pooling
        try:
            assert (found == encoder.encode(TEXTS[:5])).all()
        finally:
            encoder.pooling = "mean"
        assert len([key for key in models.models if bert in key]) == 1, "poolings share one model"

    def test_head_and_normalisation_are_left_out(self, models):
        whole = models.model(parse("minilm-l6", models.folder))
        assert whole.normalise
        found = models.vectors(parse("minilm-l6:mean", models.folder), TEXTS[:3], told)
        assert np.linalg.norm(found, axis=1).min() > 1.5 and whole.normalise

    def test_an_unsupported_pooling_is_refused(self, models, tmp_path_factory):
        from tests.tiny import tiny_model

        folder = tiny_model(tmp_path_factory.mktemp("distil") / "m", "distilbert")
        with pytest.raises(BadModel, match="no pre-trained pooler"):
            models.vectors(parse(f"{folder}:pooler", models.folder), TEXTS[:2], told)

    def test_tokens_are_counted_on_the_named_set_and_left_out(self, models, bert, tiny, pairs):
        encoder = models.model(parse(bert, models.folder))
        corpus = tiny / "corpus.txt"
        fitted = models.fit(parse(f"{bert}:mean(without=4, on={corpus})", models.folder), told)
        counted = list(dict.fromkeys(corpus.read_text().split("\n")))[:-1]
        assert fitted.left_out.tolist() == frequent_ids(encoder.tokenise(counted), 4).tolist()
        assert fitted.on == "corpus.txt" and encoder.left_out is None
        plain = evaluated(models, bert, pairs)
        none = evaluated(models, f"{bert}:mean(without=0)", pairs)
        assert none.scores["spearman"] == plain.scores["spearman"] and none.scores["fitted_on"] == ""
        four = evaluated(models, f"{bert}:mean(without=4)", pairs)
        assert four.scores["fitted_on"] == fitting.SCORED
        assert (four.cosines["cosine"] - plain.cosines["cosine"]).abs().max() > 1e-3

    def test_texts_of_left_out_tokens_only_are_counted(self, models, bert, pairs):
        notices = evaluated(models, f"{bert}:mean(without=1000)", pairs).scores["notices"]
        number = notices[-1].split(" of ")[0]
        assert int(number) > 0 and "kept them all" in notices[-1]


class TestFitting:
    def test_fitting_on_the_scored_sentences_is_transductive(self, models, bert, pairs):
        found = evaluated(models, f"{bert}+centre", pairs).scores
        assert found["fitted_on"] == "the sentences it is scored on (transductive)"
        assert evaluated(models, bert, pairs).scores["fitted_on"] == ""

    def test_a_named_set_is_reported_and_its_overlap_counted(self, models, bert, tiny, pairs):
        corpus = tiny / "elsewhere.txt"
        corpus.write_text("\n".join(["this is elsewhere", "and nothing else", *["the dog runs not"] * 3]))
        found = evaluated(models, f"{bert}+centre(on={corpus})", pairs).scores
        assert found["fitted_on"] == "elsewhere.txt" and not any("among" in note for note in found["notices"])
        found = evaluated(models, f"{bert}+centre(on={pairs})", pairs).scores
        assert found["fitted_on"] == "pairs.tsv (transductive)"
        assert "are among those of pairs.tsv" in found["notices"][-1]

    def test_the_mean_is_that_of_the_named_set(self, models, bert, tiny):
        corpus = tiny / "corpus.txt"
        raw = models.vectors(parse(bert, models.folder), TEXTS[:4], told)
        distinct = list(dict.fromkeys(corpus.read_text().strip().split("\n")))
        mean = models.vectors(parse(bert, models.folder), distinct, told).mean(axis=0)
        found = models.vectors(parse(f"{bert}+centre(on={corpus})", models.folder), TEXTS[:4], told)
        assert found == pytest.approx(raw - mean, abs=1e-5)

    def test_without_scoring_it_is_fitted_on_the_demo_sentences(self, models, bert):
        found = answered(
            models,
            "project",
            **(
                {
                    "target": f"{bert}+centre",
                    "texts": TEXTS[:5],
                    "method": "cone",
                    "views": 0,
                    "dropout": 0.1,
                    "seed": 0,
                }
                | {"neighbours": 5}
            ),
        )
        assert found.attrs["fitted_on"] == "the demo sentences"

    def test_fitting_on_few_texts_is_reported_beside_the_score(self, models, bert, pairs):
        with pytest.warns(FewTexts):
            found = evaluated(models, f"{bert}:mean+whitening", pairs).scores
        assert any("Whitening was fitted on" in note for note in found["notices"])
        json.dumps(found)

    @pytest.mark.filterwarnings("ignore::workbench.transforms.FewTexts")
    @pytest.mark.parametrize("call", ["whitening(k=4)", "all_but_the_top(directions=2)", "flow(blocks=2)"])
    def test_fewer_texts_than_dimensions_must_be_accepted(self, models, bert, tmp_path, call):
        rows = [f"{number % 6}\t{TEXTS[number]}\t{TEXTS[-number - 1]}" for number in range(10)]
        few = tmp_path / "few.tsv"
        few.write_text("score\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
        with pytest.raises(NotAccepted, match=r"20 texts for 32 dimensions.*few=true.*few=true\)"):
            evaluated(models, f"{bert}+{call}", str(few))
        told_ = f"{bert}+{call[:-1]}, few=true)"
        found = evaluated(models, told_, str(few)).scores
        assert any("was fitted on 20 texts" in note for note in found["notices"])
        assert (
            parse(told_, models.folder).address
            == told_
            == parse(parse(told_, models.folder).address, models.folder).text
        )

    def test_a_mean_can_be_fitted_on_few_texts(self, models, bert, tmp_path):
        few = tmp_path / "few.txt"
        few.write_text("\n".join(TEXTS[:5]) + "\n")
        assert models.vectors(parse(f"{bert}+centre(on={few})", models.folder), TEXTS[:3], told).shape[0] == 3
        with pytest.raises(BadSetting, match="few cannot be 'maybe'"):
            parse(f"{bert}+whitening(few=maybe)", models.folder)

    @pytest.mark.parametrize("transform", ["standardise", "all_but_the_top(directions=2)", "flow(blocks=2)"])
    def test_every_transform_scores_as_fitted_by_hand(self, models, bert, tiny, transform):
        corpus = tiny / "corpus.txt"
        target = parse(
            f"{bert}+{transform}(on={corpus})" if "(" not in transform else f"{bert}+{transform}", models.folder
        )
        texts = list(dict.fromkeys(TEXTS))
        found = models.fit(target, told, scored=texts).vectors(texts[:6], told)
        raw = models.vectors(parse(bert, models.folder), texts, told)
        from workbench.core.calls import read_call

        name, own = read_call(target.transform)
        own.pop("on", None)
        by_hand = fit(name, raw, **own).transform(raw[:6])
        assert found == pytest.approx(by_hand, abs=1e-4) and found.dtype == np.float32

    def test_fitting_can_be_cancelled(self, models, bert):
        from workbench.compute.process import Cancelled

        def stop(share, note):
            if note.startswith("Fitting flow") and share > 0.3:
                raise Cancelled

        with pytest.raises(Cancelled):
            models.vectors(parse(f"{bert}+flow(blocks=1)", models.folder), TEXTS[:3], stop)

    def test_large_sets_are_sampled(self, monkeypatch, tiny):
        monkeypatch.setattr(fitting, "MOST_TEXTS", 5)
        assert len(fitting.named_set(str(tiny / "corpus.txt"), []).texts) == 5
        assert len(fitting.named_set("demo:dev", []).texts) == 5

    def test_large_sets_are_sampled_evenly_and_reported(self, monkeypatch, tmp_path):
        """Files are often ordered by source, and pairs are one column after the other: the head is not the set."""
        monkeypatch.setattr(fitting, "MOST_TEXTS", 50)
        (tmp_path / "pairs.tsv").write_text("".join(f"first {row}\tsecond {row}\n" for row in range(400)))
        found = fitting.named_set(str(tmp_path / "pairs.tsv"), [])
        sides = [sum(text.startswith(side) for text in found.texts) for side in ("first", "second")]
        assert sum(sides) == 50 and min(sides) > 10
        assert max(int(text.split()[1]) for text in found.texts) > 300
        drawn = ["50 of 400 rows were drawn with seed 0.", "Fitted on 50 of the 100 texts of pairs.tsv."]
        assert found.notices[-2:] == [f"pairs.tsv: {drawn[0]}", drawn[1]]


def test_rotation_keeps_lengths_and_angles():
    rows = np.random.default_rng(0).normal(size=(5, 40)).astype(np.float32)
    found = spanned(rows)
    assert found.shape == (5, 5) and found @ found.T == pytest.approx(rows @ rows.T, abs=1e-4)
    assert spanned(rows[:, :4]) is not None and spanned(rows[:, :4]).shape == (5, 4)


class TestBaselines:
    def test_tfidf_is_fitted_on_what_is_scored(self, models, pairs):
        found = evaluated(models, "tfidf", pairs).scores
        assert found["fitted_on"] == fitting.SCORED and found["max_length"] is None and found["target"] == "tfidf"
        assert found["spearman"] == pytest.approx(found["spearman"]) and found["uniformity"] < 0

    def test_without_scoring_tfidf_is_fitted_on_the_texts_themselves(self, models):
        fitted = models.fit(parse("tfidf", models.folder), told, asked=TEXTS[:5])
        assert fitted.on == "the texts themselves (transductive)"
        found = answered(models, "encode", **{"target": "tfidf", "texts": TEXTS[:5], "precision": "fp32"})
        assert found.shape[0] == 5 and found.any()
        assert answered(models, "encode", **{"target": "tfidf", "texts": [], "precision": "fp32"}).shape == (0, 0)
        centred = models.vectors(parse("tfidf+centre", models.folder), TEXTS[:5], told)
        assert np.abs(centred.mean(axis=0)).max() < 1e-6

    @pytest.mark.parametrize("target", ["tfidf", "glove(vectors=backbone:minilm-l3)", "tfidf(words=30000)+standardise"])
    def test_baselines_answer_every_verb_that_needs_vectors_only(self, models, pairs, target):
        said = {"target": target, "texts": TEXTS[:6]}
        assert len(answered(models, "neighbours", **{**said, "count": 2})) == 12
        assert answered(models, "geometry", **said).metrics["n"] == len(set(TEXTS[:6]))
        asked = {"method": "cone", "views": 0, "dropout": 0.1, "seed": 0, "neighbours": 5}
        assert len(answered(models, "project", **{**said, **asked})) == 6
        json.dumps(evaluated(models, target, pairs).scores)

    @pytest.mark.parametrize("verb", ["dropout_views", "tokens", "states", "project", "scan"])
    def test_baselines_are_refused_by_verbs_that_need_an_encoder(self, models, verb):
        asked = {"texts": TEXTS[:4]} if verb != "scan" else {}
        asked |= {"views": 8} if verb == "project" else {}
        asked |= {"pipeline": "token_cutoff", "sentences": 2} if verb == "states" else {}
        with pytest.raises(BadSetting, match="tfidf is not an encoder: it"):
            asked_of(models.folder, verb, target="tfidf", **asked)

    def test_the_sts_suite(self, models, bert, tmp_path):
        rows = [f"x\t{number % 6}\t{TEXTS[number]}\t{TEXTS[number + 7]}" for number in range(30)]
        for name in ("stsb-test.tsv", "sts12.tsv"):
            (tmp_path / name).write_text("subset\tscore\tsentence1\tsentence2\n" + "\n".join(rows) + "\n")
        for target in ("tfidf", f"{bert}:mean(without=2)+centre"):
            table = answered(models, "evaluate", target=target, suite="sts", data=tmp_path)
            assert list(table["task"]) == ["sts12", "stsb"] and table.attrs["fitted_on"] == fitting.SCORED
            assert table["all"].between(-1, 1).all()


def test_runs_take_pooling_and_transform(tiny, tmp_path, monkeypatch):
    """A run's checkpoint, its own pooling and head replaced."""
    folder = runs_folder(tmp_path / "runs")
    run = make_run(folder, backbone=str(tiny / "bert"))
    found = parse(f"{run.id}@step0:last2(without=3)+whitening(k=4)", folder)
    assert found.text == f"{run.id}@step0:last2(without=3)+whitening(k=4)"
    assert found.address == f"{run.folder}@step0:last2(without=3)+whitening(k=4)"
    assert parse(found.address, folder).fingerprint == found.fingerprint
    assert found.label == f"{run.label}@step0:last2(without=3)+whitening(k=4)"
    vectors = ModelCache(folder).fit(found, told, scored=TEXTS).vectors(TEXTS[:9], told)
    assert vectors.shape == (9, 4)


def test_a_label_in_the_signs_of_targets_names_its_run(tmp_path):
    place = runs_folder(tmp_path / "runs")
    runs = [make_run(place, number, name=name) for number, name in enumerate(("a@b:c+d", "two:x", "two:x"))]
    assert parse("a@b:c+d", place).text == f"{runs[0].id}@best"
    for notation in ("minilm-l3:cls", "minilm-l3+centre"):
        api.rename(runs[0], notation, runs=place.path)
        assert parse(notation, place).backbone == "minilm-l3", "what stands for something is not changed by a label"
    with pytest.raises(UnknownName, match="pooling named 'x'"):
        parse("two:x", place)


def test_runs_that_kept_the_same_step_have_fingerprints_of_their_own(tmp_path):
    folder = runs_folder(tmp_path / "runs")
    runs = [make_run(folder, number) for number in range(2)]
    for checkpoint in ("best", "last"):
        states = {(run.folder / names.CHECKPOINTS / checkpoint / names.STATE).read_bytes() for run in runs}
        prints = {parse(f"{run.id}@{checkpoint}", folder).fingerprint for run in runs}
        assert len(states) == 1 and len(prints) == 2, "or one run would answer with the vectors of the other"


@pytest.mark.parametrize("name", ["", " "])
def test_an_empty_name_is_not_the_folder_that_the_process_works_in(tiny, folder, monkeypatch, name):
    monkeypatch.chdir(tiny / "bert")
    with pytest.raises(UnknownName, match="backbone or run"):
        parse(name, folder)
