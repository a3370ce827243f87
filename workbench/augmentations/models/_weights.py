"""Weights of a method: a folder, or a model of the Hugging Face Hub. Safetensors only; a model's code is never run."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import LONGEST, BadModel, MissingResource, some_of
from workbench.models.cards import EMBEDDED, OWN, locate
from workbench.models.hub import UNREACHABLE, fetch, is_hub_id
from workbench.models.layout import read_json, read_layout, weight_files
from workbench.models.load import check_tokenizer_config, quiet, weights_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

    from workbench.models.backbone import HeadedModel

MODEL_HELP = "A folder with the model, or its name on the Hugging Face Hub, also as name@revision."

# Rough sizes of the weights on the Hub, so that nobody starts a large download by accident.
_SIZES = {
    "tuner007/pegasus_paraphrase": "2.3 GB",
    "Vamsi/T5_Paraphrase_Paws": "0.9 GB",
    "Helsinki-NLP/opus-mt-en-fr": "0.3 GB",
    "Helsinki-NLP/opus-mt-fr-en": "0.3 GB",
    "distilbert/distilbert-base-uncased": "0.3 GB",
    "facebook/wmt19-en-de": "1.1 GB",
    "facebook/wmt19-de-en": "1.1 GB",
    "facebook/bart-large-cnn": "1.6 GB",
    "prithivida/informal_to_formal_styletransfer": "0.9 GB",
    "prithivida/parrot_adequacy_on_BART": "1.6 GB",
}

# Computed from the configuration if a checkpoint omits them: sinusoidal positions, a bias of zeros.
_COMPUTED = ("embed_positions.weight", "embed_positions.weights", "final_logits_bias", "position_ids")


def absent(models: Mapping[str, str], packages: Sequence[str] = ()) -> str:
    """Empty if every model (by setting) and every package is on this machine, otherwise one line that says what to do.

    It only checks folders, so it is cheap.

    >>> absent({}, ["json"])
    ''
    """
    names = [name for name in packages if find_spec(name) is None]
    away = {setting: model for setting, model in models.items() if not is_here(model)}
    parts = []
    if lost := [name for name in away.values() if name in OWN]:
        parts.append(f"It needs {' and '.join(lost)}, which is not part of this copy: give another model.")
        away = {setting: model for setting, model in away.items() if model not in OWN}
    if away:
        single = len(away) == 1
        parts.append(
            f"It needs {' and '.join(map(_sized, away.values()))}, not on this machine: fetched at first use where there is "
            f"a network, or give {'its folder' if single else 'their folders'} as {' and '.join(away)}."
        )
    if names:
        parts.append(
            f"It needs the package{'s' * (len(names) > 1)} {' and '.join(names)}: pip install {' '.join(names)}."
        )
    return " ".join(parts)


def is_here(model: str) -> bool:
    """Whether `model` is embedded, a folder, or in the Hub's cache with safetensors; no heavy import, no network."""
    path = Path(model).expanduser()
    if path.is_dir() or model in EMBEDDED:
        return True
    name, _, revision = model.partition("@")
    if not is_hub_id(name):
        return False
    from huggingface_hub.constants import HF_HUB_CACHE

    root = Path(HF_HUB_CACHE) / f"models--{name.replace('/', '--')}"
    ref = root / "refs" / (revision or "main")
    folder = root / "snapshots" / (ref.read_text(encoding="utf-8").strip() if ref.is_file() else revision or "none")
    return (folder / "config.json").is_file() and any(folder.glob("*.safetensors"))


def opened(
    model: str, kind: str, *, setting: str = "model", device: str = "cpu"
) -> tuple["PreTrainedTokenizerBase", "HeadedModel"]:
    """Tokenizer and model of the transformers class `kind` (`AutoModelForMaskedLM`), in fp32 and eval mode on `device`.

    Raises:
        MissingResource: not on this machine and the Hub cannot be reached, or a package for its tokenizer is missing.
        BadModel: no such model, no safetensors, its own code, damaged files, or weights for another kind of model.
    """
    folder = model_folder(model, setting)
    for name in ("config.json", "tokenizer_config.json"):
        if (folder / name).is_file() and read_json(folder / name).get("auto_map"):
            raise BadModel(
                f"{model} brings its own code (auto_map in {name}).", rule="Code from a model repository is never run."
            )
    weight_files(folder)
    return _tokenizer(folder, model), _model(folder, model, kind).to(device)


def model_folder(model: str, setting: str = "model") -> Path:
    """The folder of the transformer that an embedded id, a folder or a Hub id stands for.

    Raises:
        MissingResource: not on this machine and the Hub cannot be reached, or an embedded one that this copy lacks.
        BadModel: no such model.
    """
    if model in EMBEDDED:
        found = locate(model)
        assert found is not None  # no download
        return read_layout(found.folder).folder
    if model in OWN:
        raise MissingResource(f"{model} is not part of this copy.", way_out=f"Give another model as {setting}.")
    path = Path(model).expanduser()
    if path.is_dir():
        return _within(path)
    name, _, revision = model.partition("@")
    if not is_hub_id(name):
        raise BadModel(f"There is no model folder {model}.", way_out=f"{setting}: {MODEL_HELP}")
    try:
        return _within(fetch(name, revision))
    except BadModel as error:
        if not error.what.endswith(UNREACHABLE):
            raise
        raise MissingResource(
            f"{_sized(model)} {UNREACHABLE}",
            reason=error.reason,
            way_out=f"Go online once, or give a folder with the model as {setting}.",
        ) from None


def _within(folder: Path) -> Path:
    """The folder of a Sentence Transformers model's transformer, which may be a subfolder."""
    whole = (folder / "config.json").is_file() or not (folder / "modules.json").is_file()
    return folder if whole else read_layout(folder).folder


def _tokenizer(folder: Path, model: str) -> "PreTrainedTokenizerBase":
    from transformers import AutoTokenizer

    pieces = not (folder / "tokenizer.json").is_file() and any((*folder.glob("*.spm"), *folder.glob("*.model")))
    if (
        pieces and find_spec("sentencepiece") is None
    ):  # transformers would try another format and report that it is wrong
        raise MissingResource(
            f"The tokenizer of {model} needs a package that is not installed.", way_out="pip install sentencepiece."
        )
    check_tokenizer_config(folder)
    try:
        with quiet():
            return AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
    except ImportError as error:
        package = next((name for name in ("sentencepiece", "sacremoses", "protobuf") if name in str(error)), "")
        raise MissingResource(
            f"The tokenizer of {model} needs a package that is not installed.",
            reason="" if package else _reason(error),
            way_out=f"pip install {package}." if package else "",
        ) from None
    except Exception as error:  # any error of a damaged file; the tokenizers library raises bare Exception
        raise BadModel(
            f"The tokenizer of {model} cannot be loaded.", reason=_reason(error), way_out="Download or save it again."
        ) from None


def _model(folder: Path, model: str, kind: str) -> "HeadedModel":
    import transformers
    from safetensors import SafetensorError

    try:
        with quiet():
            loaded, report = weights_of(getattr(transformers, kind), folder)
    except (SafetensorError, OSError, ValueError, RuntimeError, KeyError, TypeError) as error:
        raise BadModel(
            f"{model} cannot be loaded as {kind}.", reason=_reason(error), way_out="Give a model of that kind."
        ) from None
    if unfit := sorted(str(key[0]) for key in report["mismatched_keys"]):
        raise BadModel(
            f"{model} cannot be loaded as {kind}.",
            got=_named("of another shape: ", unfit),
            way_out="Give a model of that kind.",
        )
    lost = sorted(key for key in report["missing_keys"] if not key.endswith(_COMPUTED))
    if lost:
        raise BadModel(
            f"{model} was not trained as {kind.removeprefix('AutoModelFor')}: a part of it would be random.",
            got=_named("no weights for ", lost),
            way_out="Give a model of that kind.",
        )
    return loaded.eval()


def _named(words: str, weights: Sequence[str]) -> str:
    return f"{words}{some_of(weights, LONGEST - len(words))}"


def _sized(model: str) -> str:
    size = _SIZES.get(model.partition("@")[0], "")
    return f"{model} (about {size})" if size else model


def _reason(error: Exception) -> str:
    return next((line.strip()[:200] for line in str(error).split("\n") if line.strip()), type(error).__name__)
