"""Tiny models of every family, made in code: random weights, real tokenizers, both folder layouts."""

import json
from pathlib import Path
from typing import Any, Literal

from workbench.models.load import quiet

FAMILIES = ("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "mpnet", "modernbert")
CLASSES = {
    "bert": "Bert",
    "roberta": "Roberta",
    "xlm-roberta": "XLMRoberta",
    "camembert": "Camembert",
    "distilbert": "DistilBert",
    "electra": "Electra",
    "mpnet": "MPNet",
    "modernbert": "ModernBert",
}
PROMPT = "Query: "
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_WORDS = ["the", "a", "man", "woman", "dog", "cat", "plays", "runs", "eats", "on", "in", "is", "not", "red", "blue"]
_WORDS += ["guitar", "ball", "this", "sentence", "means"]
_SIGNS = list(".,:;!?\"'()-")


def _pieces(specials: list[str]) -> dict[str, int]:
    pieces = [*specials, *_WORDS, *_LETTERS, *(f"##{letter}" for letter in _LETTERS), *"0123456789", *_SIGNS]
    return {piece: index for index, piece in enumerate(dict.fromkeys(pieces))}


def tiny_tokenizer(family: str) -> Any:
    """A fast tokenizer of the family's own class: WordPiece, bytes without merges for RoBERTa, or SentencePiece's Unigram."""
    import transformers
    from tokenizers.pre_tokenizers import ByteLevel

    if family == "roberta":
        alphabet = sorted(ByteLevel.alphabet())
        vocabulary = {
            piece: index for index, piece in enumerate(["<s>", "<pad>", "</s>", "<unk>", *alphabet, "<mask>"])
        }
        return transformers.RobertaTokenizer(vocab=vocabulary, merges=[], model_max_length=64)
    if family == "modernbert":
        return _byte_pairs()
    if family in ("xlm-roberta", "camembert"):
        return _unigram(family)
    if family == "mpnet":
        return transformers.MPNetTokenizer(
            vocab=_pieces(["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]), model_max_length=64
        )
    vocabulary = _pieces(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return getattr(transformers, f"{CLASSES[family]}Tokenizer")(vocab=vocabulary, model_max_length=64)


def _byte_pairs() -> Any:
    """A tokenizer like ModernBERT's: bytes, here without merges, between [CLS] and [SEP]."""
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    pieces = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    backend = Tokenizer(models.BPE({piece: number for number, piece in enumerate(pieces)}, []))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[(name, pieces.index(name)) for name in ("[CLS]", "[SEP]")]
    )
    named = {f"{name}_token": f"[{name.upper()}]" for name in ("unk", "cls", "sep", "pad", "mask")}
    return transformers.PreTrainedTokenizerFast(tokenizer_object=backend, model_max_length=64, **named)


def _unigram(family: str) -> Any:
    import transformers

    specials = ["<s>", "<pad>", "</s>", "<unk>"]
    if family == "camembert":
        specials = ["<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>", "<unk>NOTUSED", "<s>", "</s>"]
    pieces = ["\u2581", *_LETTERS, *"0123456789", *_SIGNS, *(f"\u2581{word}" for word in _WORDS if len(word) > 1)]
    scored = [*((piece, 0.0) for piece in specials), *((piece, -float(10 - len(piece))) for piece in pieces)]
    return getattr(transformers, f"{CLASSES[family]}Tokenizer")(vocab=[*scored, ("<mask>", 0.0)], model_max_length=64)


def _backbone(family: str, words: int, pad: int, layers: int) -> Any:
    import torch
    import transformers

    sizes = {"hidden_size": 32, "num_hidden_layers": layers, "num_attention_heads": 4, "intermediate_size": 48}
    if family == "distilbert":
        sizes = {"dim": 32, "n_layers": layers, "n_heads": 4, "hidden_dim": 48}
    if family == "electra":
        sizes["embedding_size"] = 16
    if family == "modernbert":
        # Every layer but each third sees four tokens to either side.
        sizes |= {
            "local_attention": 8,
            "bos_token_id": 257,
            "cls_token_id": 257,
            "eos_token_id": 258,
            "sep_token_id": 258,
        }
    positions = 64 if family in ("bert", "distilbert", "electra", "modernbert") else 66
    prefix = CLASSES[family]
    config = getattr(transformers, f"{prefix}Config")(
        vocab_size=words, max_position_embeddings=positions, pad_token_id=pad, initializer_range=0.3, **sizes
    )
    before = torch.get_rng_state()
    torch.manual_seed(0)
    try:
        return getattr(transformers, f"{prefix}Model")(config).eval()
    finally:
        torch.set_rng_state(before)


def tiny_model(folder: Path, family: str = "bert", layout: Literal["plain", "st"] = "plain", layers: int = 2) -> Path:
    """`folder`, now with a model of this many layers of 32 and 64 tokens in it; `st` adds mean pooling and a limit of 48."""
    tokenizer = tiny_tokenizer(family)
    model = _backbone(family, len(tokenizer), tokenizer.pad_token_id, layers)
    folder.mkdir(parents=True, exist_ok=True)
    with quiet():
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
    if layout == "st":
        modules = [("", "Transformer"), ("1_Pooling", "Pooling")]
        write(folder / "sentence_bert_config.json", {"max_seq_length": 48, "do_lower_case": False})
        write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 32, "pooling_mode_mean_tokens": True})
        write_modules(folder, modules)
    return folder


def prompted_model(
    folder: Path, family: str = "bert", *, pooling: str = "mean", included: bool = True, text: str = PROMPT
) -> Path:
    """`folder`, now with a model in the layout of sentence-transformers that puts `text` before each text."""
    tiny_model(folder, family, "st")
    said = {"prompts": {"query": text, "document": "no: "}, "default_prompt_name": "query"}
    write(folder / "config_sentence_transformers.json", said)
    modes = {"pooling_mode_mean_tokens": pooling == "mean", "pooling_mode_cls_token": pooling == "cls"}
    write(folder / "1_Pooling" / "config.json", {"word_embedding_dimension": 32, **modes, "include_prompt": included})
    return folder


def write_modules(folder: Path, modules: list[tuple[str, str]]) -> None:
    """modules.json from (path, class) pairs."""
    listed = [
        {
            "idx": index,
            "name": str(index),
            "path": path,
            "type": kind if "." in kind else f"sentence_transformers.models.{kind}",
        }
        for index, (path, kind) in enumerate(modules)
    ]
    write(folder / "modules.json", listed)


def write(path: Path, content: Any) -> None:
    """`content` as JSON, folders made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content), encoding="utf-8")
