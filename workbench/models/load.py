"""Loads backbones: embedded ones, from a folder, or from the Hub. Reads only safetensors, and never runs a model's own code."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.core.errors import LONGEST, BadModel, brief, some_of
from workbench.core.unicode import is_whole
from workbench.models.cards import EMBEDDED, Place, backbone_place
from workbench.models.layout import Layout, RawConfig, check_dense, read_json, read_layout, weight_files, whole
from workbench.models.tokens import MASK, OTHER_MASK, Tokens

if TYPE_CHECKING:
    from torch import nn
    from transformers import PreTrainedTokenizerFast

    from workbench.models.backbone import Backbone
    from workbench.models.encoder import Encoder

_LAYER = re.compile(r"\blayers?\.\d+\.")
_TOKENIZER_FILES = ("tokenizer.json", "vocab.txt", "vocab.json")


def load(backbone: str, revision: str = "", *, device: str = "cpu", download: bool = True) -> "Encoder":
    """The encoder of an embedded id, a folder or a Hub id, in fp32 and eval mode. Without `download` the Hub is not asked.

    Raises:
        UnknownName: no such backbone.
        BadModel: it cannot be loaded here, or cannot be loaded safely; see `cards.backbone_place` and `layout.read_layout`.
    """
    found = backbone_place(backbone, revision, download=download)
    return _load(found, backbone, device)


def load_tokenizer(backbone: str, revision: str = "") -> Tokens:
    """The tokenizer of a backbone, without loading its weights; without importing torch if there is a tokenizer.json.

    Raises:
        UnknownName: no such backbone.
        BadModel: see `load`.
    """
    found = backbone_place(backbone, revision)
    layout = read_layout(found.folder)
    path, prompt = layout.folder / "tokenizer.json", layout.prompt.text if layout.prompt else ""
    if not path.is_file() or layout.lower_case:
        tokenizer = tokenizer_of(layout)
        return Tokens(
            tokenizer.backend_tokenizer,
            pad=tokenizer.pad_token_id or 0,
            unknown=tokenizer.unk_token_id,
            mask=tokenizer.mask_token,
            prompt=prompt,
        )
    from tokenizers import Tokenizer

    try:
        light = Tokenizer.from_file(str(path))
    except Exception as error:  # the library raises bare Exception
        raise BadModel(f"{path} cannot be read: {error}.", way_out="Save or download the model again.") from None
    named = _tokenizer_config(layout.folder)
    special = {one.content for one in light.get_added_tokens_decoder().values() if one.special}

    def special_token(role: str, usual: tuple[str, ...]) -> str | None:
        return _content(named, role, layout.folder) or next((name for name in usual if name in special), None)

    unknown = getattr(light.model, "unk_token", None) or special_token("unk_token", ("[UNK]", "<unk>"))
    pad = special_token("pad_token", ("[PAD]", "<pad>"))
    return Tokens(
        light,
        pad=light.token_to_id(pad or "") or 0,
        unknown=light.token_to_id(unknown) if unknown else None,
        mask=special_token("mask_token", (MASK, OTHER_MASK)),
        prompt=prompt,
    )


def _tokenizer_config(folder: Path) -> RawConfig:
    path = folder / "tokenizer_config.json"
    return read_json(path) if path.is_file() else {}


def _content(named: RawConfig, role: str, folder: Path) -> str | None:
    """A special token, given as a text or as an object that holds its text."""
    token = named.get(role)
    found = token.get("content") if isinstance(token, dict) else token
    if found is not None and not (isinstance(found, str) and is_whole(found)):
        raise BadModel(
            f"{folder / 'tokenizer_config.json'}: {role} cannot be {ascii(token)[:80]}.",
            rule="It is a text.",
            way_out="Save or download the model again.",
        )
    return found


def _load(origin: Place, name: str, device: str) -> "Encoder":
    from workbench.models.encoder import Encoder

    layout = read_layout(origin.folder)
    weight_files(layout.folder)
    tokenizer = tokenizer_of(layout)
    backbone = _backbone(layout, origin.layers)
    check_tokens(tokenizer, backbone.config.vocab_size, name)
    named = layout.max_length or _longest(tokenizer, layout)
    # A truncated model gets no head: whatever followed the last layer of the original was trained for other states.
    whole = origin.layers is None
    encoder = Encoder(
        backbone,
        tokenizer,
        name=name,
        # A shipped model in plain layout says nothing of its pooling; its card does.
        pooling=EMBEDDED[name].pooling if name in EMBEDDED else layout.pooling,
        head=_head(layout) if whole else None,
        max_length=named,
        positions=layout.positions,
        normalise=layout.normalise and whole,
        prompt=layout.prompt,
    )
    encoder.origin = origin
    return encoder.to(device)


def check_tokens(tokenizer: "PreTrainedTokenizerFast", size: int, name: str) -> None:
    """Check that a model of `size` embeddings has one for every id of its tokenizer.

    Raises:
        BadModel: there are fewer embeddings than ids.
    """
    numbered = max(tokenizer.get_vocab().values(), default=-1) + 1
    if numbered > size:
        raise BadModel(
            f"{name}: the tokenizer has {numbered} tokens and the model {size}.",
            way_out="The two do not match: save both again.",
        )


def _longest(tokenizer: "PreTrainedTokenizerFast", layout: Layout) -> int:
    """The longest input, in tokens, that the tokenizer states; transformers writes 1e30 if it states none."""
    said = tokenizer.model_max_length
    if isinstance(said, int | float) and said >= 10**6:
        return layout.positions
    return whole({"model_max_length": said}, ["model_max_length"], layout.folder / "tokenizer_config.json", low=1)


def cut_layers(config: Any, layers: int) -> None:
    """Let a transformers configuration have this many layers, the first ones."""
    config.num_hidden_layers = layers
    if getattr(config, "layer_types", None):
        config.layer_types = config.layer_types[:layers]


def weights_of(kind: Any, folder: Path, config: Any = None) -> tuple[Any, dict[str, Any]]:
    """(model of the transformers class `kind` in fp32, report of missing weights); nothing is downloaded, unpickled or run.

    Weights of the wrong shape are in the report and raise no error, so that the caller can give a clearer message.
    """
    model, report = kind.from_pretrained(
        folder,
        config=config,
        local_files_only=True,
        trust_remote_code=False,
        use_safetensors=True,
        ignore_mismatched_sizes=True,
        dtype="float32",
        output_loading_info=True,
    )
    return model, report


def _backbone(layout: Layout, layers: int | None) -> "Backbone":
    from transformers import AutoConfig, AutoModel

    try:
        with quiet():
            config = AutoConfig.from_pretrained(layout.folder, local_files_only=True, trust_remote_code=False)
            if layers is not None:
                cut_layers(config, layers)
            model, report = weights_of(AutoModel, layout.folder, config)
    except KeyError as error:  # transformers looks up what config.json names, such as the activation
        unknown = str(*error.args[:1])
        raise BadModel(
            f"The model in {layout.folder} cannot be built from its config.json.",
            reason=unknown[:80] if " " in unknown else f"transformers does not know {unknown[:80]!r}",
            way_out="Correct it, or download or save the model again.",
        ) from None
    except Exception as error:  # anything, since config.json may state any number for what transformers computes with
        reason = str(error).strip().split("\n")[0][:200]
        raise BadModel(
            f"The weights in {layout.folder} cannot be loaded.", reason=reason, way_out="Download or save them again."
        ) from None
    missing = {key for key in report["missing_keys"] if not key.startswith("pooler.")}
    if missing or report["mismatched_keys"]:
        unfit = sorted(missing | {str(key[0]) for key in report["mismatched_keys"]})
        words = "missing or of another shape: "
        raise BadModel(
            f"The weights in {layout.folder} do not fit its config.json.",
            got=f"{words}{some_of(unfit, LONGEST - len(words))}",
            way_out="The two do not match: save both again.",
        )
    deeper = sorted(key for key in report["unexpected_keys"] if _LAYER.search(key)) if layers is None else []
    if deeper:
        raise BadModel(
            f"The weights in {layout.folder} have more layers than its config.json.",
            got=f"{deeper[-1]}, where num_hidden_layers is {layout.layers}",
            way_out="The two do not match: save both again.",
        )
    if any(key.startswith("pooler.") for key in report["missing_keys"]):
        model.pooler = None  # an untrained pooler would only add noise
    return model.eval()


def check_tokenizer_config(folder: Path) -> None:
    """Check that the tokenizer of a folder is in it.

    transformers looks for files of the usual names there and nowhere else, but takes a vocabulary, or merges, that is a text in
    place of a table for the path of a file anywhere, whose lines would then be pieces, in the next checkpoint too.

    Raises:
        BadModel: it brings its own code, or names a file.
    """
    config = _tokenizer_config(folder)
    if config.get("auto_map"):
        raise BadModel(
            f"{folder} brings its own tokenizer code (auto_map).",
            rule="Code from a model repository is never run.",
        )
    for key in ("vocab", "merges", "gguf_file"):
        if isinstance(named := config.get(key), str):
            raise BadModel(
                f"The tokenizer in {folder} names a file ({key}).",
                rule="A tokenizer is read from its own folder alone.",
                got=named,
                way_out="Save it with a tokenizer.json.",
            )


def tokenizer_of(layout: Layout) -> "PreTrainedTokenizerFast":
    """The fast tokenizer in a model folder.

    Raises:
        BadModel: there is none, or it is slow, damaged, or brings its own code.
    """
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    if not any((layout.folder / name).is_file() for name in _TOKENIZER_FILES):
        raise BadModel(
            f"{layout.folder} has no tokenizer.",
            rule=f"One of {', '.join(_TOKENIZER_FILES)} is needed.",
            way_out="Save it too.",
        )
    check_tokenizer_config(layout.folder)
    try:
        with quiet():
            tokenizer = AutoTokenizer.from_pretrained(layout.folder, local_files_only=True, trust_remote_code=False)
    except Exception as error:  # anything, since the file may be damaged; the tokenizers library raises bare Exception
        reason = str(error).strip().split("\n")[0][:200]
        raise BadModel(
            f"The tokenizer in {layout.folder} cannot be loaded.", reason=reason, way_out="Download or save it again."
        ) from None
    if not isinstance(tokenizer, PreTrainedTokenizerFast):
        raise BadModel(f"{layout.folder} has only a slow tokenizer.", way_out="Save it with a tokenizer.json.")
    unknown = tokenizer.unk_token
    if unknown is not None and tokenizer.backend_tokenizer.token_to_id(unknown) is None:
        # transformers would replace it by itself, without end
        raise BadModel(
            f"The tokenizer in {layout.folder} cannot be loaded.",
            reason=f"its token for unknown words, {brief(unknown)!r}, is not in its vocabulary",
            way_out="Download or save it again.",
        )
    if layout.lower_case:
        _lower(tokenizer)
    return tokenizer


def _lower(tokenizer: "PreTrainedTokenizerFast") -> None:
    """What sentence-transformers does for do_lower_case: lower-case first, then the tokenizer's own normaliser."""
    from tokenizers import normalizers

    own = tokenizer.backend_tokenizer.normalizer
    tokenizer.backend_tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Lowercase(), *([own] if own is not None else [])]
    )


def _head(layout: Layout) -> "nn.Module | None":
    from safetensors.torch import load_file
    from torch import nn

    layers: list[nn.Module] = []
    for path in layout.dense:
        config = check_dense(path)
        try:
            linear = nn.Linear(
                whole(config, ["in_features"], path),
                whole(config, ["out_features"], path),
                bias=bool(config.get("bias", True)),
            )
            weights = {
                key.removeprefix("linear."): tensor for key, tensor in load_file(path / "model.safetensors").items()
            }
            linear.load_state_dict(weights)
        except Exception as error:  # SafetensorError, or keys and shapes that do not match
            reason = str(error).strip().split("\n")[0][:200]
            raise BadModel(
                f"The Dense module {path} cannot be loaded.", reason=reason, way_out="Save it again."
            ) from None
        layers.append(linear)
        activation = str(config.get("activation_function", "Tanh")).rpartition(".")[2]
        if activation != "Identity":
            layers.append(getattr(nn, activation)())
    return nn.Sequential(*layers).eval() if layers else None


@contextmanager
def quiet() -> Iterator[None]:
    """A context without progress bars and log messages of transformers; real problems still raise errors."""
    from transformers.utils import logging as untyped

    logging: Any = untyped

    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
