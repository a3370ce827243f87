"""Folders that load, folders that do not, and the messages about those."""

import json
import shutil
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.objectives.trial import masked_model
from tests.tiny import FAMILIES, tiny_model, write, write_modules
from workbench.core.errors import BadModel, UnknownName
from workbench.models.cards import EMBEDDED, card, default_backbone, locate, shipped
from workbench.models.layout import read_layout
from workbench.models.load import load, load_tokenizer


@pytest.fixture
def folder(tmp_path):
    return tiny_model(tmp_path / "model", "bert", "st")


def change(path, **values):
    write(path, json.loads(path.read_text()) | values)


def refused(folder, *words):
    with pytest.raises(BadModel) as caught:
        load(str(folder))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("family", "name"), [("bert", "hidden_act"), ("distilbert", "activation"), ("modernbert", "hidden_activation")]
)
def test_an_activation_that_nobody_knows_is_named(family, name, tmp_path):
    folder = tiny_model(tmp_path / "model", family)
    change(folder / "config.json", **{name: "gelu_typo"})
    refused(folder, "cannot be built from its config.json", "gelu_typo", "Correct it")


def test_numbers_that_transformers_cannot_compute_with(tmp_path):
    folder = tiny_model(tmp_path / "model", "mpnet")
    change(folder / "config.json", num_attention_heads=0)
    refused(folder, "cannot be loaded", "Download or save them again")


def test_a_token_for_unknown_words_that_is_not_there(folder):
    change(folder / "tokenizer_config.json", unk_token="")
    refused(folder, "its token for unknown words, '', is not in its vocabulary", "Download or save")


@pytest.mark.parametrize("where", ["model", "post_processor"])
def test_a_tokenizer_file_that_lacks_a_token(folder, where):
    read = json.loads((folder / "tokenizer.json").read_text())
    if where == "model":
        read["model"]["unk_token"] = "[NONE]"
    else:
        read["post_processor"] = {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[X]", "type_id": 0}}],
        }
        read["post_processor"] |= {"pair": [], "special_tokens": {}}
    write(folder / "tokenizer.json", read)
    with pytest.raises(BadModel, match=r"tokenizer.*Download or save"):
        load_tokenizer(str(folder))


def test_half_a_character_is_no_token(folder):
    change(folder / "tokenizer_config.json", pad_token="\ud800")
    with pytest.raises(BadModel, match=r"pad_token cannot be '\\ud800'. It is a text"):
        load_tokenizer(str(folder))


@pytest.mark.parametrize("layout", ["plain", "st"])
@pytest.mark.parametrize("family", FAMILIES)
def test_both_layouts_of_every_family(family, layout, tmp_path, capfd):
    encoder = load(str(tiny_model(tmp_path, family, layout)))
    assert encoder.pooling == "mean" and encoder.head is None and not encoder.normalise
    assert encoder.positions == 64 and encoder.max_length == (48 if layout == "st" else 64)
    assert not encoder.backbone.training and encoder.backbone.dtype == torch.float32
    assert encoder.encode(["a dog " * 100]).shape == (1, 32)
    found = card(str(tmp_path))
    assert (found.layers, found.dim, found.max_length, found.pooling, found.head) == (
        2,
        32,
        encoder.max_length,
        "mean",
        "",
    )
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""


def test_embedded_cards_say_what_they_are():
    for name in ("minilm-l3", "minilm-l6"):
        found = card(name)
        assert found == EMBEDDED[name] and found.id == name and found.tuned and not found.masked
        assert (found.pooling, found.head, found.learning_rate, found.dim) == ("mean", "", 1e-4, 384)
    assert "truncated" in card("minilm-l3").note and card("minilm-l3").layers == 3


def test_a_model_of_this_project_is_listed_where_its_folder_is(tmp_path, monkeypatch):
    assert shipped(tmp_path) == {}
    folder = masked_model(tmp_path / "mini-mlm", half=True)
    found = shipped(tmp_path)["mini-mlm"]
    assert (found.layers, found.dim, found.max_length, found.learning_rate, found.pooling) == (2, 32, 66, 5e-5, "last2")
    assert found.masked and not found.tuned and card(str(folder)).masked and not card("minilm-l6").masked
    (folder / "model.safetensors").rename(folder / "weights")
    assert shipped(tmp_path) == {}


def test_mini_mlm_by_its_name(mini_mlm, monkeypatch):
    """Saved in half precision, computed in single."""
    assert card("mini-mlm").layers == 2 and locate("mini-mlm").folder == mini_mlm
    encoder = load("mini-mlm")
    assert encoder.pooling == card("mini-mlm").pooling
    assert encoder.name == "mini-mlm" and encoder.backbone.dtype == torch.float32 and encoder.backbone.pooler is None
    assert encoder.encode(["a dog"]).dtype == np.float32 and load_tokenizer("mini-mlm").table(["a dog"]).lengths[0] == 4
    assert default_backbone("mini-mlm") == "mini-mlm"
    monkeypatch.delitem(EMBEDDED, "mini-mlm")
    with pytest.raises(BadModel, match="mini-mlm is not part of this copy"):
        load("mini-mlm")


def test_unknown_ids():
    with pytest.raises(UnknownName, match="minilm-l3"):
        load("minilm-l33")
    with pytest.raises(BadModel, match="no model folder"):
        load("./nowhere/at/all")
    with pytest.raises(BadModel, match="no model folder"):
        read_layout(Path("nowhere"))


def test_pickled_weights_are_refused_by_name(folder):
    (folder / "model.safetensors").unlink()
    refused(folder, "no model.safetensors")
    torch.save({}, folder / "pytorch_model.bin")
    refused(folder, "pytorch_model.bin", "Pickled weights can run code")


def test_damaged_and_foreign_weights(folder):
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    refused(folder, "cannot be loaded")
    weights.write_bytes(b"not safetensors at all")
    refused(folder, "cannot be loaded")
    weights.write_bytes(whole)
    change(folder / "config.json", intermediate_size=40)
    refused(folder, "do not fit its config.json")
    change(folder / "config.json", intermediate_size=48, num_hidden_layers=4)
    refused(folder, "do not fit its config.json", "encoder.layer")
    change(folder / "config.json", num_hidden_layers=1)
    refused(folder, "more layers than its config.json", "encoder.layer.1", "num_hidden_layers is 1")
    weights.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")
    refused(folder, "pointer of Git LFS", "git lfs pull")


def test_a_shard_that_is_missing(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    names = {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}
    write(folder / "model.safetensors.index.json", {"weight_map": names})
    refused(folder, "no model-00002-of-00002.safetensors")


def test_a_folder_that_is_no_model_names_what_is_meant(tmp_path):
    inner = tiny_model(tmp_path / "checkpoint-500", "bert")
    refused(tmp_path, "has no config.json", f"Did you mean {inner}?")
    write(tmp_path / "adapter_config.json", {"peft_type": "LORA"})
    refused(tmp_path, "has no config.json", "merge it with its model")


def test_a_default_prompt_that_is_not_there_is_not_left_out_in_silence(folder):
    said = {"prompts": {"query": "query: ", "none": "", "null": None, "list": []}}
    for name in ("passage", "list", 3):
        write(folder / "config_sentence_transformers.json", said | {"default_prompt_name": name})
        refused(folder, f"no prompt '{name}'", "default_prompt_name to null")
    for name in ("none", "null", None):
        write(folder / "config_sentence_transformers.json", said | {"default_prompt_name": name})
        assert load(str(folder)).prompt is None
    change(folder / "1_Pooling" / "config.json", include_prompt="no")
    refused(folder, "include_prompt cannot be 'no'", "true or false")


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "1_Pooling/config.json"])
def test_a_missing_or_damaged_file_is_named(folder, name):
    path = folder / name
    path.write_text("{ no json")
    refused(folder, "tokenizer" if name == "tokenizer.json" else "cannot be read")
    path.unlink()
    refused(folder, "no tokenizer" if name == "tokenizer.json" else "has no config.json")


def test_vocabulary_alone_makes_a_tokenizer(folder):
    expected = load(str(folder)).encode(["a dog plays."])
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.get)))
    (folder / "tokenizer.json").unlink()
    assert (load(str(folder)).encode(["a dog plays."]) == expected).all()
    assert load_tokenizer(str(folder)).table(["a dog plays."]).lengths.tolist() == [6]


def test_damaged_tokenizer_on_the_light_path(folder):
    (folder / "tokenizer.json").write_text("{}")
    with pytest.raises(BadModel, match=r"tokenizer\.json cannot be read"):
        load_tokenizer(str(folder))


def test_tokenizer_of_another_model(folder, tmp_path):
    other = tiny_model(tmp_path / "other", "roberta")
    for name in ("tokenizer.json", "tokenizer_config.json"):
        shutil.copy(other / name, folder / name)
    refused(folder, "do not match")


def test_own_code_is_refused(folder):
    change(folder / "tokenizer_config.json", auto_map={"AutoTokenizer": "x.Y"})
    refused(folder, "own tokenizer code", "never run")
    change(folder / "config.json", auto_map={"AutoModel": "modeling.Model"})
    refused(folder, "own model code", "never run")


@pytest.mark.parametrize("key", ["vocab", "merges", "gguf_file"])
def test_a_tokenizer_that_names_a_file_is_refused(folder, tmp_path, key):
    """transformers would make pieces of the lines of any file."""
    secret = tmp_path / "secret.txt"
    secret.write_text("[PAD]\n[UNK]\ntopsecret\n")
    vocabulary = json.loads((folder / "tokenizer.json").read_text())["model"]["vocab"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary))
    (folder / "tokenizer.json").unlink()
    change(folder / "tokenizer_config.json", tokenizer_class="BertTokenizer", **{key: str(secret)})
    refused(folder, f"names a file ({key})", "own folder alone")


@pytest.mark.parametrize(
    "values",
    [{"model_type": "mamba"}, {"model_type": None}, {"is_decoder": True}, {"position_embedding_type": "relative_key"}],
)
def test_unknown_architectures_are_named(folder, values):
    change(folder / "config.json", **values)
    refused(folder, "bert, roberta, xlm-roberta, camembert, distilbert, electra, mpnet, modernbert")


def test_a_pooler_that_was_never_saved_does_not_count(folder):
    from safetensors.torch import load_file, save_file

    weights = {key: tensor for key, tensor in load_file(folder / "model.safetensors").items() if "pooler" not in key}
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    encoder = load(str(folder))
    assert encoder.backbone.pooler is None
    encoder.pooling = "pooler"
    with pytest.raises(BadModel, match="no pre-trained pooler"):
        encoder.encode(["a"])


def test_poolings_of_sentence_transformers(folder):
    write(folder / "1_Pooling/config.json", {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False})
    assert load(str(folder)).pooling == "cls"
    write(folder / "1_Pooling/config.json", {"embedding_dimension": 32, "pooling_mode": "cls"})
    assert load(str(folder)).pooling == "cls"
    write(folder / "1_Pooling/config.json", {"pooling_mode_max_tokens": True, "pooling_mode_mean_tokens": False})
    refused(folder, "max_tokens")
    write(folder / "1_Pooling/config.json", {"pooling_mode": ["cls", "mean"]})
    refused(folder, "cls + mean")


def test_modules_are_followed_or_refused_by_name(folder):
    base = [("", "Transformer"), ("1_Pooling", "Pooling")]
    write_modules(folder, [*base, ("2_Normalize", "Normalize")])
    assert read_layout(folder).normalise
    for kind in ("LayerNorm", "CNN", "someone.elses.Module"):
        write_modules(folder, [*base, ("2", kind)])
        refused(folder, kind, "not supported")
    write_modules(folder, [("", "Transformer"), ("2", "Normalize"), ("1_Pooling", "Pooling")])
    refused(folder, "order of modules")
    write(folder / "modules.json", {"idx": 0})
    refused(folder, "not a list of modules")


def test_dense_modules_that_cannot_be_computed(folder):
    write_modules(folder, [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense")])
    good = {
        "in_features": 32,
        "out_features": 8,
        "bias": True,
        "activation_function": "torch.nn.modules.activation.Tanh",
    }
    write(folder / "2_Dense/config.json", good)
    torch.save({}, folder / "2_Dense/pytorch_model.bin")
    refused(folder, "2_Dense", "pytorch_model.bin")
    (folder / "2_Dense/model.safetensors").write_bytes(b"no")
    refused(folder, "Dense", "cannot be loaded")
    write(folder / "2_Dense/config.json", good | {"use_residual": True})
    refused(folder, "residual")
    write(folder / "2_Dense/config.json", good | {"activation_function": "os.system"})
    refused(folder, "os.system")


def test_lower_case_of_sentence_transformers_is_honoured(tmp_path):
    folder = tiny_model(tmp_path, "roberta", "st")
    assert (load(str(folder)).encode(["Dog"]) != load(str(folder)).encode(["dog"])).any()
    write(folder / "sentence_bert_config.json", {"max_seq_length": 48, "do_lower_case": True})
    encoder = load(str(folder))
    assert (encoder.encode(["Dog"]) == encoder.encode(["dog"])).all()
    assert load_tokenizer(str(folder)).table(["DOG"]).ids.tolist() == encoder.tokenise(["dog"]).ids.tolist()


DEEP = "[" * 200_000
WRONG = [
    ("config.json", {"max_position_embeddings": "abc"}),
    ("config.json", {"max_position_embeddings": None}),
    ("config.json", {"num_hidden_layers": [1]}),
    ("config.json", {"num_hidden_layers": 1.5}),
    ("config.json", {"hidden_size": True}),
    ("config.json", {"hidden_dropout_prob": None}),
    ("config.json", {"hidden_dropout_prob": float("nan")}),
    ("config.json", {"architectures": 3}),
    ("config.json", DEEP),
    ("config.json", []),
    ("sentence_bert_config.json", []),
    ("sentence_bert_config.json", {"max_seq_length": "x"}),
    ("sentence_bert_config.json", {"max_seq_length": -4}),
    ("modules.json", [{"idx": "a", "type": "sentence_transformers.models.Transformer", "path": ""}]),
    ("modules.json", DEEP),
    ("1_Pooling/config.json", []),
    ("1_Pooling/config.json", {"pooling_mode": 3}),
    ("1_Pooling/config.json", {"pooling_mode": [["cls"]]}),
    ("tokenizer_config.json", []),
    ("model.safetensors.index.json", {}),
    ("model.safetensors.index.json", {"weight_map": ["model.safetensors"]}),
    ("model.safetensors.index.json", {"weight_map": {"a": "../model.safetensors"}}),
    ("model.safetensors.index.json", {"weight_map": {"a": "/model.safetensors"}}),
    ("model.safetensors.index.json", {"weight_map": {"a": 3}}),
]


@pytest.mark.parametrize(("name", "content"), WRONG, ids=[f"{name}-{str(content)[:30]}" for name, content in WRONG])
def test_a_value_of_the_wrong_type_is_named(folder, name, content):
    path = folder / name
    if isinstance(content, dict) and path.is_file() and name == "config.json":
        change(path, **content)
    elif isinstance(content, str):
        path.write_text(content)
    else:
        write(path, content)
    refused(folder, name.split("/")[0])
    if name != "model.safetensors.index.json":
        for look in (load_tokenizer, card) if name != "tokenizer_config.json" else (load_tokenizer,):
            with pytest.raises(BadModel):
                look(str(folder))


@pytest.mark.parametrize("values", [{"pad_token": 3}, {"mask_token": {"content": []}}, {"model_max_length": "x"}])
def test_a_tokenizer_with_odd_values(folder, values):
    change(folder / "tokenizer_config.json", **values)
    if "model_max_length" in values:
        (folder / "sentence_bert_config.json").unlink()
        refused(folder, "model_max_length")
    else:
        with pytest.raises(BadModel, match=next(iter(values))):
            load_tokenizer(str(folder))
        with suppress(BadModel):
            load(str(folder))


@pytest.mark.parametrize("path", ["../..", "/etc", "a/../../b", "..\\b", 3])
def test_modules_must_be_in_the_model_folder(folder, path):
    write_modules(folder, [("", "Transformer"), (path, "Pooling")])
    refused(folder, "modules.json", "something in the model's folder")


@pytest.mark.parametrize("values", [{"in_features": "x"}, {"out_features": None}, {"in_features": 0}])
def test_a_dense_module_with_odd_values(folder, values):
    write_modules(folder, [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Dense", "Dense")])
    write(folder / "2_Dense/config.json", {"in_features": 32, "out_features": 8} | values)
    (folder / "2_Dense/model.safetensors").write_bytes(b"no")
    refused(folder, "2_Dense", next(iter(values)))


def test_transformer_in_its_own_folder(tmp_path):
    tiny_model(tmp_path / "0_Transformer")
    write(tmp_path / "1_Pooling/config.json", {"pooling_mode": "mean"})
    write_modules(tmp_path, [("0_Transformer", "Transformer"), ("1_Pooling", "Pooling")])
    assert load(str(tmp_path)).encode(["a dog"]).shape == (1, 32)


def test_no_pad_token(tmp_path):
    folder = tiny_model(tmp_path)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    config.pop("pad_token")
    write(folder / "tokenizer_config.json", config)
    assert load(str(folder)).encode(["a dog", "a man plays the red guitar"]).shape == (2, 32)


def test_only_the_hub_has_revisions(folder):
    for name in ("mini-mlm", "minilm-l3", str(folder)):
        with pytest.raises(BadModel, match=r"has no revision abc\. Revisions are those of a model on the Hub"):
            locate(name, "abc")
