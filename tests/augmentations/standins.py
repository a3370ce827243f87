"""Tiny models with random weights in place of those that write texts and fill masks: real classes, real files."""

from contextlib import contextmanager
from pathlib import Path
from typing import Any

from workbench.models.load import quiet

WORDS = ["the", "a", "man", "woman", "dog", "cat", "plays", "runs", "eats", "sleeps", "on", "in", "is", "not", "red"]
WORDS += ["blue", "guitar", "ball", "park", "and", "old", "young", "slowly"]
_SIZES = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_ffn_dim": 24, "decoder_ffn_dim": 24}
_SIZES |= {"encoder_attention_heads": 2, "decoder_attention_heads": 2}


@contextmanager
def _seeded(seed: int = 0) -> Any:
    import torch

    before = torch.get_rng_state()
    torch.manual_seed(seed)
    try:
        yield
    finally:
        torch.set_rng_state(before)


def word_tokenizer(limit: int = 64) -> Any:
    """Whole words and an end token, in the layout of tokenizer.json."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    vocabulary = {word: place for place, word in enumerate(["<s>", "<pad>", "</s>", "<unk>", *WORDS, ".", ","])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    core.normalizer = normalizers.Lowercase()
    core.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    core.post_processor = processors.TemplateProcessing("$A </s>", "$A </s> $B </s>", [("</s>", 2)])
    names = {"bos_token": "<s>", "pad_token": "<pad>", "eos_token": "</s>", "unk_token": "<unk>"}
    return PreTrainedTokenizerFast(tokenizer_object=core, model_max_length=limit, **names)


def _save(folder: Path, model: Any, tokenizer: Any) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    with quiet():
        model.eval().save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    return folder


def tiny_writer(
    folder: Path, family: str, *, silent: bool = False, seed: int = 0, limit: int = 64, vocabulary: int = 0
) -> Path:
    """A sequence-to-sequence model of 2 layers; a silent one ends every output immediately."""
    import transformers

    tokenizer = word_tokenizer(limit)
    ids = {"pad_token_id": 1, "eos_token_id": 2, "bos_token_id": 0, "decoder_start_token_id": 1}
    size = vocabulary or len(tokenizer)
    with _seeded(seed):
        if family == "t5":
            config = transformers.T5Config(
                vocab_size=size, d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, initializer_factor=8.0, **ids
            )
            model = transformers.T5ForConditionalGeneration(config)
        elif family == "fsmt":
            config = transformers.FSMTConfig(
                src_vocab_size=size,
                tgt_vocab_size=size,
                langs=["en", "de"],
                max_position_embeddings=limit,
                init_std=1.0,
                **_SIZES,
                **(ids | {"decoder_start_token_id": 2}),
            )
            model = transformers.FSMTForConditionalGeneration(config)
        else:
            name = {"marian": "Marian", "pegasus": "Pegasus", "bart": "Bart"}[family]
            name_of_model = "MarianMTModel" if family == "marian" else f"{name}ForConditionalGeneration"
            config = getattr(transformers, f"{name}Config")(
                vocab_size=size, max_position_embeddings=limit, init_std=1.0, **_SIZES, **ids
            )
            model = getattr(transformers, name_of_model)(config)
    if silent:
        model.final_logits_bias[:, 2] = 1000.0
    return _save(folder, model, tokenizer)


def tiny_judge(folder: Path) -> Path:
    """An inference model of 3 classes."""
    import transformers

    tokenizer = word_tokenizer()
    with _seeded():
        config = transformers.BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=16,
            num_hidden_layers=2,
            num_attention_heads=2,
            intermediate_size=24,
            max_position_embeddings=64,
            num_labels=3,
            initializer_range=1.0,
            pad_token_id=1,
        )
        return _save(folder, transformers.BertForSequenceClassification(config), tokenizer)


def tiny_filler(folder: Path, family: str = "bert") -> Path:
    """A masked language model; the RoBERTa one has a byte-level vocabulary."""
    import transformers

    from tests.tiny import tiny_tokenizer

    tokenizer = tiny_tokenizer(family)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 24}
    if family == "distilbert":
        sizes = {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24}
    if family == "roberta":
        vocabulary = tokenizer.get_vocab()
        for word in WORDS:
            vocabulary[f"Ġ{word}"] = len(vocabulary)
        tokenizer = transformers.RobertaTokenizer(vocab=vocabulary, merges=[], model_max_length=64)
    name = {"bert": "Bert", "roberta": "Roberta", "distilbert": "DistilBert"}[family]
    positions = 66 if family == "roberta" else 64
    with _seeded():
        config = getattr(transformers, f"{name}Config")(
            vocab_size=len(tokenizer),
            max_position_embeddings=positions,
            pad_token_id=tokenizer.pad_token_id,
            initializer_range=0.5,
            **sizes,
        )
        return _save(folder, getattr(transformers, f"{name}ForMaskedLM")(config), tokenizer)
