"""What a pretraining starts from: a masked language model, and the tokenizer whose pieces it predicts."""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core import presets
from workbench.core.config import Pretraining
from workbench.core.errors import BadModel
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import seeded
from workbench.models.cards import backbone_place
from workbench.models.layout import Layout, read_layout, weight_files
from workbench.models.load import check_tokens, cut_layers, quiet, tokenizer_of, weights_of
from workbench.pretraining import vocabulary
from workbench.pretraining.prepared import prepared
from workbench.pretraining.reading import articles
from workbench.pretraining.tables import ends, until_cancelled

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedConfig, PreTrainedTokenizerFast

    from workbench.models.encoder import Encoder


@dataclass(frozen=True)
class Start:
    """A masked language model in fp32, and the encoder that shares its backbone."""

    model: Any
    encoder: "Encoder"
    about: dict[str, int] = field(default_factory=dict)
    """Number of pieces; if the vocabulary changed, also of rows copied (`same`) and `averaged`, and of old pieces (`of`)."""
    without_head: bool = False
    """Whether the backbone's files lack a masked-language head, or a part of one, so that it was drawn at random."""


def start(
    backbone: str,
    revision: str,
    settings: Pretraining,
    paths: Sequence[Path],
    folder: Path,
    *,
    mark: str,
    seed: int,
    pooling: str = presets.POOLING,
    device: str = "cpu",
    tokenizer: "PreTrainedTokenizerFast | None" = None,
    on_progress: Progress = no_progress,
    cancelled: Callable[[], bool] = lambda: False,
    download: bool = True,
) -> Start:
    """The model of `backbone` with the vocabulary that `settings` asks for, which is stored in `folder`.

    `mark` is the hash of the corpus, under which a cut or learnt vocabulary is found again. `tokenizer` is that vocabulary if
    it was made before; then no file of the corpus is read. Without `download` the Hub is not asked.

    Raises:
        UnknownName: there is no such backbone.
        BadModel: it cannot be loaded, has no mask token, or its tokenizer does not belong to it.
        BadData: the corpus does not give the vocabulary asked for; or see `reading.articles`.
    """
    from workbench.models.encoder import Encoder

    found = backbone_place(backbone, revision, download=download)
    layout = read_layout(found.folder)
    weight_files(layout.folder)
    before = tokenizer_of(layout)
    config = _config(layout, settings.layers or found.layers)
    check_tokens(before, config.vocab_size, backbone)
    if settings.vocabulary != "learn" and (highest := max(before.get_vocab().values())) >= len(before):
        raise BadModel(
            f"{backbone}: the tokenizer leaves out ids.",
            rule="Pretraining picks random pieces by id, so the ids must have no gaps.",
            got=f"{len(before):,} pieces up to id {highest:,}",
            way_out="Learn a vocabulary (vocabulary = learn), or save the tokenizer again.",
        )
    if before.mask_token_id is None:
        raise BadModel(
            f"{backbone} has no mask token.", rule="Masked language modelling puts it in the place of tokens."
        )
    if tokenizer is None:
        tokenizer = _tokenizer(before, settings, paths, folder, mark, on_progress, cancelled)
    about: dict[str, int] = {"pieces": len(tokenizer)}
    if settings.start == "fresh":
        _tell_tokens(config, tokenizer)
        model, without_head = _fresh(config, seed), False
    else:
        model, without_head = _loaded(layout, config, seed)
        if tokenizer is not before:
            about |= _change_vocabulary(model, before, tokenizer, seed)
    encoder = Encoder(
        model.base_model,
        tokenizer,
        name=backbone,
        pooling=pooling,
        max_length=layout.positions,
        positions=layout.positions,
    )
    model.to(device)
    return Start(model, encoder, about, without_head)


def _config(layout: Layout, layers: int | None) -> "PreTrainedConfig":
    from transformers import AutoConfig

    config = AutoConfig.from_pretrained(layout.folder, local_files_only=True, trust_remote_code=False)
    if layers and layers > config.num_hidden_layers:
        raise BadModel(
            f"The backbone has {config.num_hidden_layers} layers.", got=f"{layers}", way_out="Ask for fewer."
        )
    if layers:
        cut_layers(config, layers)
    return config


def _tell_tokens(config: "PreTrainedConfig", tokenizer: "PreTrainedTokenizerFast") -> None:
    """Set a configuration's vocabulary size and special ids to those of `tokenizer`; ids beyond its vocabulary are dropped."""
    config.vocab_size = len(tokenizer)
    keys = ["pad_token_id", "bos_token_id", "eos_token_id"]
    for key in keys + [key for key in ("cls_token_id", "sep_token_id") if hasattr(config, key)]:
        token = getattr(tokenizer, key)
        if token is not None or (getattr(config, key, None) or 0) >= len(tokenizer):
            setattr(config, key, token)


def _fresh(config: "PreTrainedConfig", seed: int) -> Any:
    from transformers import AutoModelForMaskedLM

    untyped: Any = AutoModelForMaskedLM
    with seeded(seed, "weights"), _named(config.name_or_path):
        return untyped.from_config(config, dtype="float32").eval()


def _loaded(layout: Layout, config: "PreTrainedConfig", seed: int) -> tuple[Any, bool]:
    """The model, and whether its head was drawn."""
    from transformers import AutoModelForMaskedLM

    with quiet(), seeded(seed, "weights"), _named(layout.folder):  # a missing head is drawn at random
        model, report = weights_of(AutoModelForMaskedLM, layout.folder, config)
    missing = [key for key in report["missing_keys"] if key.startswith(f"{model.base_model_prefix}.")]
    if missing or report["mismatched_keys"]:
        some = sorted([*missing, *(str(key[0]) for key in report["mismatched_keys"])])[:3]
        raise BadModel(
            f"The weights in {layout.folder} do not fit its config.json.",
            got=f"missing or of another shape: {', '.join(some)}",
            way_out="The two do not match: save both again.",
        )
    return model.eval(), bool(report["missing_keys"])


@contextmanager
def _named(folder: object) -> Iterator[None]:
    """A context in which errors of the libraries become `BadModel`."""
    from safetensors import SafetensorError

    try:
        yield
    except (SafetensorError, OSError, ValueError, RuntimeError, KeyError, TypeError) as error:
        reason = str(error).strip().split("\n")[0][:200]
        raise BadModel(
            f"No masked language model can be made of {folder}.", reason=reason, way_out="Use another backbone."
        ) from None


def _tokenizer(
    before: "PreTrainedTokenizerFast",
    settings: Pretraining,
    paths: Sequence[Path],
    folder: Path,
    mark: str,
    on_progress: Progress,
    cancelled: Callable[[], bool],
) -> "PreTrainedTokenizerFast":
    if settings.vocabulary == "keep":
        return before
    asked = [settings.vocabulary, settings.vocabulary_size, before.backend_tokenizer.to_str(), mark, *ends(paths)]
    kept = folder / f"vocabulary-{hashlib.sha256(json.dumps(asked).encode()).hexdigest()[:16]}"

    def make(draft: Path) -> dict[str, int]:
        def source() -> Iterator[list[str]]:
            return until_cancelled(articles(paths), cancelled)

        if settings.vocabulary == "cut":
            often = vocabulary.counts(
                before, source(), lambda done: on_progress(0.0, f"Counted pieces in {done:,} articles")
            )
            made = vocabulary.cut(before, often, settings.vocabulary_size)
        else:
            made = vocabulary.learnt(
                before,
                source,
                settings.vocabulary_size,
                lambda done: on_progress(0.0, f"Learning pieces from {done:,} articles"),
            )
        made.save_pretrained(draft)
        return {"pieces": len(made)}

    return prepared(kept, make, vocabulary.opened, cancelled)


def _change_vocabulary(
    model: Any, before: "PreTrainedTokenizerFast", after: "PreTrainedTokenizerFast", seed: int
) -> dict[str, int]:
    """Give the model embedding rows for the new pieces and return the counts of `Start.about`.

    A piece gets the row of the same old piece, or else the mean of the old pieces that its text is cut into.
    """
    import torch

    own = before.get_vocab()
    pieces = after.convert_ids_to_tokens(list(range(len(after))))
    roles = {
        getattr(after, f"{role}_token_id"): getattr(before, f"{role}_token_id")
        for role in ("pad", "unk", "cls", "sep", "mask", "bos", "eos")
        if getattr(after, f"{role}_token_id") is not None and getattr(before, f"{role}_token_id") is not None
    }
    old: Tensor = model.get_input_embeddings().weight.detach().clone()
    output = model.get_output_embeddings()
    old_bias = None if output is None or output.bias is None else output.bias.detach().clone()
    rows = torch.empty(len(pieces), old.shape[1])
    bias = torch.zeros(len(pieces))
    same = averaged = 0
    for number, piece in enumerate(pieces):
        place = roles.get(number, own.get(piece))
        if place is not None:
            rows[number] = old[place]
            same += 1
            if old_bias is not None:
                bias[number] = old_bias[place]
            continue
        text = after.convert_tokens_to_string([piece]).strip()
        ids = [one for one in before.encode(text, add_special_tokens=False) if one != before.unk_token_id]
        rows[number] = old[ids].mean(dim=0) if ids else old.mean(dim=0)
        averaged += 1
    with quiet(), seeded(seed, "vocabulary"), torch.no_grad():
        model.resize_token_embeddings(len(pieces), mean_resizing=False)
        model.get_input_embeddings().weight.copy_(rows)
        output = model.get_output_embeddings()
        if output is not None and output.bias is not None:
            output.bias.copy_(bias)
    _tell_tokens(model.config, after)
    padding = model.get_input_embeddings()
    if padding.padding_idx is not None:
        padding.padding_idx = after.pad_token_id
    return {"same": same, "averaged": averaged, "of": len(own)}
