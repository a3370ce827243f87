"""Reads the JSON files of a model folder: whether it is safe and complete, and what it needs."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from workbench.core import presets
from workbench.core.errors import BadModel
from workbench.models.prompts import FILE as PROMPTS
from workbench.models.prompts import Prompt, default_prompt
from workbench.pooling import METHODS as POOLINGS

CONFIG = "config.json"
FAMILIES = ("bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "mpnet", "modernbert")
FROM_PADDING = ("roberta", "xlm-roberta", "camembert")
"""Families that number positions from the padding id + 1 on."""
ACTIVATIONS = ("Tanh", "Identity", "ReLU", "GELU", "Sigmoid")
_OURS_TOO = ("Transformer", "WeightedLayerPooling", "Pooling", "Dense", "Normalize")
POINTER = b"version https://git-lfs"
"""How a file begins that Git LFS has not replaced by what it stands for."""
_MODE = "pooling_mode_"
MODES = {
    f"{_MODE}{flag}": flag.removesuffix("_token").removesuffix("_tokens")
    for flag in ("cls_token", "mean_tokens", "max_tokens", "mean_sqrt_len_tokens")
}
"""How sentence-transformers pools: the mode for each flag in its older folders."""
_AGAIN = "Save or download the model again."
_WAY_OUT = f"Models of {', '.join(FAMILIES)} work, with weights in model.safetensors."

RawConfig = Mapping[str, object]
"""A JSON object as it was read: none of its values have been checked."""


@dataclass(frozen=True)
class Layout:
    """A model folder: where the transformer is, how its states become a vector, and what follows."""

    root: Path
    folder: Path
    config: RawConfig
    pooling: str = presets.POOLING
    max_length: int | None = None
    lower_case: bool = False
    dense: tuple[Path, ...] = ()
    normalise: bool = False
    sentence_transformers: bool = False
    prompt: Prompt | None = None

    @property
    def family(self) -> str:
        """The `model_type`, one of FAMILIES."""
        return str(self.config["model_type"])

    @property
    def layers(self) -> int:
        """Number of transformer layers."""
        return self._whole("num_hidden_layers", "n_layers", default=0)

    @property
    def dim(self) -> int:
        """Width of the states."""
        return self._whole("hidden_size", "dim", default=0)

    @property
    def dropout(self) -> float:
        """Hidden dropout rate in the model's configuration."""
        return number(self.config, ("hidden_dropout_prob", "dropout", "mlp_dropout"), self.folder / CONFIG, default=0.1)

    @property
    def masked(self) -> bool:
        """Whether it was saved as a masked language model, head included."""
        names = self.config.get("architectures") or []
        if not isinstance(names, list):
            raise _wrong(self.folder / CONFIG, "architectures", names, "It is a list of names.")
        return any(str(name).endswith("ForMaskedLM") or name == "BertForPreTraining" for name in names)

    @property
    def positions(self) -> int:
        """Longest input in tokens, specials included. MPNet's positions begin after id 1, whatever its padding is."""
        count = self._whole("max_position_embeddings", default=512)
        if self.family in FROM_PADDING:
            return count - self._whole("pad_token_id", default=1) - 1
        return count - 2 if self.family == "mpnet" else count

    def _whole(self, *names: str, default: int) -> int:
        return whole(self.config, names, self.folder / CONFIG, default=default)


def read_json(path: Path) -> RawConfig:
    """The JSON object in a file.

    Raises:
        BadModel: the file is missing, is not JSON, or holds something else.
    """
    found = _parsed(path)
    if not isinstance(found, dict):
        raise BadModel(f"{path} is not a JSON object.", way_out=_AGAIN)
    return found


def _parsed(path: Path) -> object:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _absent(path) from None
    except (OSError, ValueError) as error:
        raise BadModel(f"{path} cannot be read: {error}.", way_out=_AGAIN) from None
    except RecursionError:
        raise BadModel(f"{path} cannot be read: its brackets are nested too deeply.", way_out=_AGAIN) from None


def _absent(path: Path) -> BadModel:
    folder, needs = path.parent, "A model folder needs config.json, a tokenizer and model.safetensors."
    if (folder / "adapter_config.json").is_file():
        needs = "It is an adapter (LoRA): merge it with its model (merge_and_unload), and save that."
    elif inner := sorted(
        one.parent for one in folder.glob(f"*/{CONFIG}") if (one.parent / "model.safetensors").is_file()
    ):
        needs = f"Did you mean {inner[-1]}?"
    return BadModel(f"{folder} has no {path.name}.", way_out=needs)


def number(
    config: Mapping[str, object], names: Sequence[str], path: Path, *, default: float | None = None, low: float = 0
) -> float:
    """The value under the first of `names` that is in `config`, which was read from `path`; else `default`.

    Raises:
        BadModel: it is not a finite number of at least `low`, or no name is in `config` and there is no default.
    """
    name = next((name for name in names if name in config), names[0])
    value = config.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value < 1e15:
        raise _wrong(path, name, value, f"It is a number from {low:g}.")
    return float(value)


def whole(
    config: Mapping[str, object], names: Sequence[str], path: Path, *, default: int | None = None, low: int = 0
) -> int:
    """See `number`; the value must be an integer."""
    found = number(config, names, path, default=default, low=low)
    if not found.is_integer():
        raise _wrong(path, " or ".join(names), found, f"It is a whole number from {low}.")
    return int(found)


def _wrong(path: Path, name: str, value: object, rule: str) -> BadModel:
    return BadModel(f"{path}: {name} cannot be {repr(value)[:80]}.", rule=rule, way_out=_AGAIN)


def inside(folder: Path, name: object, path: Path) -> Path:
    """The path inside `folder` that `name`, read from the model's file `path`, refers to.

    Raises:
        BadModel: `name` is not a text, or leads out of the folder.
    """
    said = PurePosixPath(name) if isinstance(name, str) else None
    if said is None or said.is_absolute() or ".." in said.parts or set(str(name)) & set("\\:\0"):
        raise BadModel(f"{path} names {repr(name)[:80]}.", rule="It must name something in the model's folder.")
    return folder / said


def read_layout(root: Path) -> Layout:
    """The layout of the model folder `root`; weights are not read.

    Raises:
        BadModel: a file is missing, damaged, names something outside the folder or has a value of the wrong type; the
            architecture is not in FAMILIES; the model brings its own code, or has a module that is not supported.
    """
    if not root.is_dir():
        raise BadModel(
            f"There is no model folder {root}.", way_out="Give a folder, a Hub id as org/name, or an embedded backbone."
        )
    if not (root / "modules.json").is_file():
        return _checked(Layout(root, root, _config(root)))
    steps = []
    for module in _listed(root / "modules.json"):
        library, _, kind = str(module.get("type", "")).rpartition(".")
        if library.split(".")[0] != "sentence_transformers" or kind not in _OURS_TOO:
            raise _unsupported(root, f"the module {module.get('type')!r}")
        steps.append((kind, inside(root, module.get("path", ""), root / "modules.json")))
    kinds = [kind for kind, _ in steps]
    averaging = steps.pop(1)[1] if kinds[1:2] == ["WeightedLayerPooling"] else None
    core = [kind for kind, _ in steps]
    body = core[2:-1] if core[-1:] == ["Normalize"] else core[2:]
    if core[:2] != ["Transformer", "Pooling"] or any(kind != "Dense" for kind in body):
        raise _unsupported(root, f"the order of modules {', '.join(kinds)}")
    folder = steps[0][1]
    config = _config(folder)
    pooling, prompt_pooled = _pooling(steps[1][1])
    if averaging is not None:
        layers = whole(config, ("num_hidden_layers", "n_layers"), folder / CONFIG)
        pooling = _averaged(averaging, pooling, layers)
    limits = folder / "sentence_bert_config.json"
    own = read_json(limits) if limits.is_file() else {}
    dense = tuple(path for kind, path in steps if kind == "Dense")
    for path in dense:
        check_dense(path)
    if kinds[-1] == "Normalize" and (steps[-1][1] / CONFIG).is_file():
        _own_names(read_json(steps[-1][1] / CONFIG), steps[-1][1])
    said = read_json(root / PROMPTS) if (root / PROMPTS).is_file() else {}
    limit = whole(own, ["max_seq_length"], limits, default=0) if own.get("max_seq_length") is not None else 0
    return _checked(
        Layout(
            root,
            folder,
            config,
            pooling,
            limit or None,
            bool(own.get("do_lower_case", False)),
            dense,
            kinds[-1] == "Normalize",
            True,
            default_prompt(said, root / PROMPTS, pooled=prompt_pooled),
        )
    )


def _checked(layout: Layout) -> Layout:
    """`layout` itself; reading its properties reports values of the wrong type now instead of at first use."""
    layout.layers, layout.dim, layout.dropout, layout.masked, layout.positions  # noqa: B018
    return layout


def check_dense(path: Path) -> RawConfig:
    """The configuration of the Dense module in `path`, checked.

    Raises:
        BadModel: it has no safetensors, a residual connection, or an activation outside ACTIVATIONS.
    """
    config = read_json(path / CONFIG)
    _own_names(config, path)
    for name in ("in_features", "out_features"):
        whole(config, [name], path / CONFIG, low=1)
    if config.get("use_residual"):
        raise _unsupported(path, "a Dense module with a residual connection")
    activation = str(config.get("activation_function", "torch.nn.modules.activation.Tanh"))
    if not activation.startswith("torch.nn.") or activation.rpartition(".")[2] not in ACTIVATIONS:
        raise _unsupported(path, f"a Dense module with activation {activation!r}")
    if not (path / "model.safetensors").is_file():
        raise _no_safetensors(path)
    return config


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of the transformer in `folder`.

    Raises:
        BadModel: there are none, only pickled ones, one that the index names is missing, or one is a pointer of Git LFS.
    """
    index = folder / "model.safetensors.index.json"
    named = read_json(index).get("weight_map") if index.is_file() else {"": "model.safetensors"}
    if not isinstance(named, dict) or not named:
        raise _wrong(index, "weight_map", named, "It says which file has which weights.")
    files = sorted({inside(folder, name, index) for name in named.values()})
    for file in files:
        if not file.is_file() and index.is_file():
            raise BadModel(
                f"{folder} has no {file.name}.",
                rule=f"{index.name} says that it holds weights.",
                way_out="Download it too.",
            )
        if not file.is_file():
            raise _no_safetensors(folder)
        with file.open("rb") as stream:
            if stream.read(len(POINTER)) == POINTER:
                raise BadModel(f"{file} holds no weights: it is a pointer of Git LFS.", way_out="git lfs pull")
    return files


def _no_safetensors(folder: Path) -> BadModel:
    pickled = sorted(path.name for pattern in ("*.bin", "*.pt", "*.pth", "*.ckpt") for path in folder.glob(pattern))
    got = f"only {', '.join(pickled)}" if pickled else ""
    rule = "Pickled weights can run code when they are opened, so only safetensors are read." if pickled else ""
    return BadModel(
        f"{folder} has no model.safetensors.",
        rule=rule,
        got=got,
        way_out="If you trust it, convert it with transformers' from_pretrained and save_pretrained; or choose a revision with "
        "safetensors.",
    )


def _unsupported(where: Path, what: str) -> BadModel:
    return BadModel(
        f"{where} asks for {what}, which is not supported.",
        rule="Supported are Transformer, WeightedLayerPooling of two layers, Pooling (cls or mean), Dense and Normalize, in this "
        "order.",
        way_out="To use the transformer alone, take its own folder, or a copy without modules.json, and choose a pooling.",
    )


def _listed(path: Path) -> list[RawConfig]:
    modules = _parsed(path)
    if not isinstance(modules, list) or not all(isinstance(module, dict) for module in modules) or not modules:
        raise BadModel(f"{path} is not a list of modules.", way_out=_AGAIN)
    return sorted(modules, key=lambda module: whole(module, ["idx"], path, default=0))


def _own_names(config: RawConfig, path: Path) -> None:
    for key in ("module_input_name", "module_output_name"):
        if config.get(key) not in (None, "sentence_embedding"):
            raise _unsupported(path, f"{key} {config[key]!r}")


def _pooling(path: Path) -> tuple[str, bool]:
    """The pooling, and whether a prompt is pooled too."""
    config = read_json(path / CONFIG)
    named = config.get("pooling_mode")
    modes = named if isinstance(named, list) else [named] if named else []
    modes = modes or [key.removeprefix(_MODE) for key, on in config.items() if key.startswith(_MODE) and on]
    ours = {method.tags.get("export"): name for name, method in POOLINGS.items() if "needs" not in method.tags}
    mode = MODES.get(f"{_MODE}{modes[0]}", str(modes[0])) if len(modes) == 1 else ""
    if mode not in ours:
        raise _unsupported(path, f"the pooling {' + '.join(map(str, modes)) or 'of no name'}")
    included = config.get("include_prompt", True)
    if not isinstance(included, bool):
        raise _wrong(path / CONFIG, "include_prompt", included, "It is true or false.")
    return ours[mode], included


def averaged_layers(pooling: str, layers: int) -> tuple[float, ...]:
    """How often a pooling counts each state of a model with this many layers, the embedding output first; empty if it
    reads the last state alone or is not an average of states.

    >>> averaged_layers("last2", 3), averaged_layers("first_last", 1), averaged_layers("mean", 3)
    ((0.0, 0.0, 1.0, 1.0), (0.0, 2.0), ())
    """
    named = POOLINGS[pooling].tags.get("averaged", "") if pooling in POOLINGS else ""
    indices = [int(index) % (layers + 1) for index in named.split()]
    return tuple(float(indices.count(index)) for index in range(layers + 1)) if indices else ()


def _averaged(path: Path, over_tokens: str, layers: int) -> str:
    """The pooling that a WeightedLayerPooling in `path`, followed by the pooling `over_tokens`, amounts to.

    Raises:
        BadModel: none averages these states with these weights.
    """
    import numpy as np
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    start = whole(read_json(path / CONFIG), ["layer_start"], path / CONFIG)
    file = path / "model.safetensors"
    if not file.is_file():
        raise _no_safetensors(path)
    try:
        weights = load_file(file).get("layer_weights", np.zeros(0))
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise BadModel(f"{file} cannot be read: {error}.", way_out=_AGAIN) from None
    total = float(weights.sum())
    if weights.shape == (layers + 1 - start,) and np.isfinite(weights).all() and total > 0:
        shares = np.concatenate([np.zeros(start), weights.astype(float) / total])
        for name in POOLINGS:
            counts = np.array(averaged_layers(name, layers))
            if counts.size and over_tokens == presets.POOLING and np.allclose(shares, counts / counts.sum(), atol=1e-6):
                return name
    raise _unsupported(path, f"an average of states with the weights {weights.tolist()}"[:120])


def _config(folder: Path) -> RawConfig:
    config = read_json(folder / CONFIG)
    if config.get("auto_map"):
        raise BadModel(
            f"{folder} brings its own model code (auto_map in config.json).",
            rule="Code from a model repository is never run.",
            way_out=_WAY_OUT,
        )
    family = config.get("model_type")
    if family not in FAMILIES:
        raise BadModel(f"{folder} has the unknown architecture {family!r}.", rule=_WAY_OUT)
    if config.get("is_decoder") or config.get("position_embedding_type", "absolute") != "absolute":
        raise BadModel(
            f"{folder} is a decoder or uses relative positions, which is not supported for {family}.", rule=_WAY_OUT
        )
    return config
