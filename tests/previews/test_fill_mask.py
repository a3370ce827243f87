"""What stands at a covered place, by hand and with what is wrong named."""

import numpy as np
import pytest
import torch

from tests.objectives.trial import masked_model
from tests.tiny import tiny_model
from tests.verbs.trial import answered, asked
from workbench.compute.model_cache import ModelCache
from workbench.core.errors import BadData, BadModel, BadSetting
from workbench.previews.fill_mask import fill, mask_words
from workbench.store.names import runs_folder
from workbench.targets.target import parse

MAN = "the man plays the red guitar"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return masked_model(tmp_path_factory.mktemp("filling") / "bert")


@pytest.fixture
def place(tmp_path):
    return runs_folder(tmp_path / "runs")


def filled(folder, place, text, *words, top=5):
    return fill(parse(str(folder), place), [text], [words] if words else [], top=top)


@pytest.mark.parametrize("family", ["bert", "roberta", "xlm-roberta", "camembert", "distilbert"])
def test_by_hand(family, tmp_path, place):
    """The very probabilities of the whole model, ranks from 1, and the true piece wherever it ranks."""
    import transformers

    from workbench.models.load import quiet

    folder = masked_model(tmp_path / family, family)
    with quiet():
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        model = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    table = filled(folder, place, "the [MASK] plays the red guitar", "man")
    ids = tokenizer(MAN, return_tensors="pt")["input_ids"]
    own = mask_words(tokenizer, "the [MASK] plays the red guitar", ["man"], 64)
    at = [where for _, _, where, _ in own.masks]
    assert [true for *_, true in own.masks] == ids[0, at].tolist()
    ids[0, at] = tokenizer.mask_token_id
    assert own.ids == ids[0].tolist()
    with torch.no_grad():
        shares = model(input_ids=ids).logits[0, at].double().softmax(dim=1)
    assert table["pieces"].eq(len(at)).all() and (len(at) == 1 or family == "roberta")
    for piece, share in enumerate(shares):
        rows = table[table["piece"] == piece]
        likeliest = rows[rows["rank"] <= 5]
        assert likeliest["probability"].to_numpy() == pytest.approx(share.topk(5).values.numpy(), rel=1e-4)
        truth = rows[rows["true"]].iloc[0]
        true = own.masks[piece][3]
        assert truth["probability"] == pytest.approx(float(share[true]), rel=1e-4)
        assert (
            truth["rank"] == int((share > share[true]).sum()) + 1 and truth["token"] == tokenizer.decode([true]).strip()
        )
    assert table.attrs["vocabulary"] == model.config.vocab_size


def test_a_true_word_outside_the_top_comes_last_and_inside_it_once(folder, place):
    everything = filled(folder, place, "the [MASK] plays", "man", top=100)
    assert everything["true"].sum() == 1 and everything["rank"].tolist() == list(range(1, len(everything) + 1))
    assert everything["probability"].sum() == pytest.approx(1, abs=1e-6)
    rank = int(everything.loc[everything["true"], "rank"].iloc[0])
    few = filled(folder, place, "the [MASK] plays", "man", top=1)
    assert len(few) == (1 if rank == 1 else 2) and few["rank"].iloc[-1] == rank


def test_several_masks_and_a_word_of_several_pieces(folder, place):
    table = filled(folder, place, "the [MASK] plays the [MASK] guitar", "xyz", "", top=3)
    assert table.groupby("mask")["pieces"].first().tolist() == [3, 1]
    assert table[table["true"]]["token"].tolist() == ["x", "##y", "##z"]
    assert not table.loc[table["mask"] == 1, "true"].any()


def test_a_word_that_shares_a_token_with_its_neighbour_is_refused(folder, place):
    said = r"cannot be masked alone.*in one token with the text beside it.*Got: 'the'"
    for text, words in (("[MASK][MASK] man", ("th", "e")), ("t<mask> man", ("he",)), ("[MASK]e man", ("th",))):
        with pytest.raises(BadData, match=said):
            filled(folder, place, text, *words)
    assert filled(folder, place, "[MASK][MASK] man")["mask"].nunique() == 2
    apart = filled(folder, place, "the [MASK], ([MASK])", "man", "dog")
    assert apart[apart["true"]]["token"].tolist() == ["man", "dog"]


def test_predictions_do_not_depend_on_the_batch(folder, place):
    target = parse(str(folder), place)
    asked = ["the [MASK] plays", "a cat is not in the park and not on the [MASK] .", "[MASK]"] * 7
    together = fill(target, asked, [], top=3)
    for text in range(3):
        alone = fill(target, asked[text : text + 1], [], top=3)["probability"].to_numpy()
        for copy in range(text, 21, 3):
            rows = together[together["text"] == copy]
            assert rows["probability"].to_numpy() == pytest.approx(alone, rel=1e-4)


def test_a_long_text_is_cut_after_the_masked_word_but_not_before_it(folder, place):
    early = filled(folder, place, f"a [MASK] {'dog ' * 200}", "cat")
    assert early["true"].sum() == 1 and np.isfinite(early["probability"]).all()
    with pytest.raises(BadData, match="a masked word is token 202, but the model reads 64"):
        filled(folder, place, f"{'dog ' * 200}[MASK]", "cat")


def test_lone_surrogates_and_the_mask_of_other_models_are_read(folder, place):
    assert set(filled(folder, place, "a \ud800 [MASK] b", "\ud800")["mask"]) == {0}
    assert set(filled(folder, place, "a <mask> [MASK]")["mask"]) == {0, 1}


def test_a_transformer_in_a_subfolder_is_found(tmp_path, place):
    import json

    masked_model(tmp_path / "whole" / "0_Transformer")
    (tmp_path / "whole" / "1_Pooling").mkdir()
    (tmp_path / "whole" / "1_Pooling" / "config.json").write_text(json.dumps({"pooling_mode_mean_tokens": True}))
    told = [
        {"idx": at, "name": str(at), "path": f"{at}_{kind}", "type": f"sentence_transformers.models.{kind}"}
        for at, kind in enumerate(("Transformer", "Pooling"))
    ]
    (tmp_path / "whole" / "modules.json").write_text(json.dumps(told))
    assert len(filled(tmp_path / "whole", place, "a [MASK]"))


def test_texts_and_models_that_cannot_be_used_are_named(folder, place, tmp_path):
    with pytest.raises(BadData, match=r"has no \[MASK\]"):
        filled(folder, place, "a dog")
    with pytest.raises(BadData, match="2 words and 1"):
        filled(folder, place, "a [MASK]", "cat", "dog")
    headless = tiny_model(tmp_path / "bert", "bert", "plain")
    with pytest.raises(BadModel, match=r"has no masked-language head, so it cannot predict words.*mini-mlm"):
        filled(headless, place, "a [MASK]")
    import json

    bare = masked_model(tmp_path / "bare")
    told = json.loads((bare / "tokenizer_config.json").read_text())
    told["mask_token"] = None
    (bare / "tokenizer_config.json").write_text(json.dumps(told))
    with pytest.raises(BadModel, match="has no mask token"):
        filled(bare, place, "a [MASK]")


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"texts": ["a dog"]}, BadData, r"Text 1 has no \[MASK\]"),
        ({"texts": ["a [MASK]", "b"], "words": [["x"]]}, BadData, "1 for 2 texts"),
        ({"texts": ["a [MASK]"], "target": "minilm-l3"}, BadModel, "minilm-l3 has no masked-language head"),
        ({"texts": ["a [MASK]"], "target": "tfidf"}, BadSetting, "no masked-language head"),
        ({"texts": ["a [MASK]"], "target": "mini-mlm:cls"}, BadSetting, "more than a model"),
        ({"texts": ["a [MASK]"], "top": 0}, BadSetting, "top cannot be 0"),
        ({"texts": []}, BadData, "1 text is needed"),
    ],
)
def test_bad_questions_are_refused_before_anything_waits(given, error, message, place, mini_mlm):
    with pytest.raises(error, match=message):
        asked(place, "fill_mask", **given)


def test_the_embedded_model_is_the_default(place, mini_mlm):
    given = {"texts": ["a [MASK] plays"], "words": [["man"]]}
    found = answered(ModelCache(place), "fill_mask", **given)
    assert found["true"].sum() == 1 and asked(place, "fill_mask", **given).target.backbone == "mini-mlm"


def test_a_copy_without_the_embedded_model_says_so(place, mini_mlm, monkeypatch):
    from workbench.models.cards import EMBEDDED

    monkeypatch.delitem(EMBEDDED, "mini-mlm")
    with pytest.raises(BadModel, match="mini-mlm is not part of this copy"):
        asked(place, "fill_mask", texts=["a [MASK]"])


def test_a_fine_tune_has_no_masked_language_head(place, mini_mlm):
    from tests.run_folders import make_run

    run = make_run(place)
    with pytest.raises(BadSetting, match=r"is a fine-tune.*minilm-l3"):
        asked(place, "fill_mask", texts=["a [MASK]"], target=run.id)


def test_the_run_of_a_pretraining_is_used_once_its_model_exists(place, mini_mlm, monkeypatch):
    import shutil

    from tests.run_folders import make_run
    from workbench.core.config import RunConfig
    from workbench.core.errors import BadRun

    run = make_run(place)
    monkeypatch.setattr(RunConfig, "pretrains", property(lambda self: True))
    with pytest.raises(BadRun, match="has no model yet"):
        asked(place, "fill_mask", texts=["a [MASK]"], target=run.id)
    shutil.copytree(mini_mlm, run.folder / "model")
    found = answered(ModelCache(place), "fill_mask", texts=["a [MASK]"], words=[["cat"]], target=run.id)
    assert found["true"].sum() == 1
    with pytest.raises(BadSetting, match="no masked-language head"):
        asked(place, "fill_mask", texts=["a [MASK]"], target=f"{run.id}@last")
