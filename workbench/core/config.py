"""The configuration of a run: frozen dataclasses, read from and written to TOML; unknown keys are errors."""

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, get_type_hints

import tomli
from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config

from workbench.core import presets, unicode
from workbench.core.errors import BadSetting
from workbench.core.method import Knob, Setting, Settings, setting_of
from workbench.core.method import Value as Value

SCHEMA = 1
_STRICT = ConfigDict(extra="forbid")

LONGEST_NAME = 80
"""Most characters of the name of a run."""
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:\d+)?", re.ASCII)


@with_config(_STRICT)
@dataclass(frozen=True)
class View:
    """One encoding of a text column. Equal views are encoded once.

    A different `draw` augments independently; a different `copy` encodes the same augmented text again, with independent
    dropout. `augmentation` is a pipeline as one line of text, see `workbench.augmentations.pipeline`; empty for none.
    With `only_changed` the run uses only the rows whose text the pipeline changes; the others are removed before step 0.
    """

    role: str = "text"
    draw: int = 0
    augmentation: str = ""
    dropout: Literal["on", "off"] | float = "on"
    copy: int = 0
    only_changed: bool = False


@with_config(_STRICT)
@dataclass(frozen=True)
class Term:
    """A weighted loss or objective (exactly one of the two), and the view for each of its inputs.

    It acts in the steps, counted from 0, that are multiples of `every`; with `skip`, in all others. `every` 0 matches no step.
    """

    views: dict[str, View] = field(default_factory=dict)
    loss: str = ""
    objective: str = ""
    weight: float = 1.0
    settings: Settings = field(default_factory=dict)
    every: int = 1
    skip: bool = False
    more: dict[str, View] = field(default_factory=dict)
    """Further rows, appended to those of the view of the same name, as in UNA's batches of 4N texts."""

    @property
    def name(self) -> str:
        """Its loss or objective."""
        return self.loss or self.objective

    def acts(self, step: int) -> bool:
        """Whether the term is part of a step, counted from 0.

        >>> [Term(loss="ntxent_2n", every=3).acts(step) for step in range(4)]
        [True, False, False, True]
        """
        return (self.every > 0 and step % self.every == 0) != self.skip


_SINCE = {"only_changed": False}
"""Settings of a view that were added after the first runs, with the values that those runs implied."""


def composition(terms: tuple[Term, ...]) -> list[dict[str, object]]:
    """Terms as plain values, for hashes. Settings added later are left out at their old values, so that old hashes still match.

    >>> [term["views"]["a"] for term in composition((Term({"a": View(dropout="off")}),))]
    [{'role': 'text', 'draw': 0, 'augmentation': '', 'dropout': 'off', 'copy': 0}]
    """
    found = [asdict(term) for term in terms]
    for view in (view for term in found for part in ("views", "more") for view in term[part].values()):
        for name in [name for name, before in _SINCE.items() if view[name] == before]:
            del view[name]
    return found


@with_config(_STRICT)
@dataclass(frozen=True)
class Model:
    """What is trained, how its states become vectors, and whether the head is kept after training."""

    backbone: str
    revision: str = ""
    """Branch, tag or commit of a backbone on the Hub; empty for its main branch."""
    pooling: str = presets.POOLING
    """How training turns a text's token states into one vector: see `list poolings`."""
    eval_pooling: str = presets.POOLING
    """The pooling of the trained model: in probes, evaluation and export."""
    head: str = ""
    """A projection after the pooling during training: see `list heads`. Empty for none."""
    head_settings: Settings = field(default_factory=dict)
    keep_head: bool = False
    """Whether the head stays part of the model after training."""


TEXTS = "texts:"
"""Prefix of a source that consists of the texts of pair sets."""


@with_config(_STRICT)
@dataclass(frozen=True)
class Corpus:
    """The training texts: `source` is `demo`, a file, a Hub data set, or `texts:` and pair sets separated by commas; for
    pretraining, files separated by `;`.

    `sha256` is the hash of the texts used.
    """

    source: str = "demo"
    name: str = ""
    sha256: str = ""
    rows: int = 0

    @property
    def files(self) -> list[str]:
        """What `source` names, one by one: files, or the pair sets whose texts it is.

        >>> Corpus("a.txt;b.txt.xz").files, Corpus("texts:stsb:test@data/sts,demo:test").files
        (['a.txt', 'b.txt.xz'], ['stsb:test@data/sts', 'demo:test'])
        """
        if self.of_pairs:
            # Names with a comma are quoted, as everywhere that several pair sets are written in one word.
            try:
                parts = next(csv.reader([" ".join(self.source.removeprefix(TEXTS).split())]), [])
            except csv.Error as error:
                raise BadSetting(
                    f"The corpus {self.source!r} cannot be cut at its commas.", reason=str(error)
                ) from None
        else:
            parts = self.source.split(";")
        return [part.strip() for part in parts if part.strip()]

    @property
    def of_pairs(self) -> bool:
        """Whether these are the texts of pair sets."""
        return self.source.startswith(TEXTS)

    @staticmethod
    def texts_of(pairs: Iterable[str]) -> str:
        """The `source` that stands for the texts of some pair sets.

        >>> Corpus.texts_of(["demo:dev", "stsb:test@my, data"])
        'texts:demo:dev,"stsb:test@my, data"'
        """
        line = io.StringIO()
        csv.writer(line).writerow(pairs)
        return TEXTS + line.getvalue().removesuffix("\r\n")


@with_config(_STRICT)
@dataclass(frozen=True)
class Training:
    """How long, how fast, and on what."""

    steps: Annotated[
        int, Knob(1, 1_000_000, 1, "Optimiser steps. The corpus is repeated in a new order if it is too short.")
    ] = 100
    epochs: Annotated[
        float, Knob(0.0, 1000.0, 0.5, "Passes over the corpus, in place of a number of steps; 0: the steps count.")
    ] = 0.0
    batch_size: Annotated[
        int,
        Knob(
            2,
            4096,
            1,
            "Texts in a batch, each a negative for all others; in pretraining, the number of sequences. Never changed silently.",
        ),
    ] = 64
    max_length: Annotated[int, Knob(4, 512, 1, "Sub-word tokens kept of a text, specials included.")] = 32
    learning_rate: Annotated[float, Knob(1e-8, 1.0, 1e-6, "Peak of the learning rate.")] = 3e-5
    schedule: Annotated[
        Literal["linear", "constant", "stairs"],
        Knob(
            help="What the rate does after warm-up: fall linearly to 0, stay constant, or fall four times by a fifth of its peak."
        ),
    ] = "linear"
    stair: Annotated[int, Knob(1, 1_000_000, 1, "Steps between two falls of the rate, where it falls in stairs.")] = 500
    warmup: Annotated[float, Knob(0.0, 0.9, 0.01, "Share of the steps in which the rate rises from 0.")] = 0.0
    weight_decay: Annotated[float, Knob(0.0, 1.0, 0.001, "Decay of weights; not of biases and layer norms.")] = 0.0
    optimiser: Annotated[
        Literal["adamw", "rmsprop"],
        Knob(help="AdamW moves along a running mean of the gradients (momentum), RMSprop along the gradient itself."),
    ] = "adamw"
    epsilon: Annotated[
        float,
        Knob(
            1e-12,
            0.1,
            1e-9,
            "Epsilon: added to the root of the mean squared gradient before the optimiser divides by it.",
        ),
    ] = 1e-8
    bias_correction: Annotated[
        bool,
        Knob(
            help="AdamW corrects for running means that start at 0. When off, its first steps are larger, as BERT's were."
        ),
    ] = True
    smoothing: Annotated[
        float,
        Knob(
            0.0,
            0.999,
            0.001,
            "RMSprop's smoothing constant: the share of the mean squared gradient that is kept from step to step.",
        ),
    ] = 0.99
    clip: Annotated[float, Knob(0.0, 100.0, 0.1, "Largest gradient norm; 0 disables clipping.")] = 1.0
    dropout: Annotated[float, Knob(0.0, 0.9, 0.01, "The backbone's dropout in views that have it on.")] = 0.1
    drophead: Annotated[
        float, Knob(0.0, 0.9, 0.01, "Probability of dropping each attention head as a whole, where dropout is on.")
    ] = 0.0
    dedup_batch: Annotated[bool, Knob(help="Keep equal texts out of one batch: they would be false negatives.")] = False
    parts: Annotated[
        int, Knob(0, 64, 1, "Pieces a batch is encoded in, same gradient. 0: chosen for speed on this machine.")
    ] = 0
    memory_parts: Annotated[
        int,
        Knob(0, 256, 1, "Chunks of a batch larger than memory, same gradient: each is encoded twice. 0: all at once."),
    ] = 0
    seed: Annotated[int, Knob(0, 2**31 - 1, 1, "Everything random follows from it.")] = 0
    precision: Annotated[
        Literal["auto", "fp32", "bf16"], Knob(help="auto: bf16 if a timing on this machine finds it worthwhile.")
    ] = "auto"
    processes: Annotated[
        int,
        Knob(
            1,
            64,
            1,
            "Processes that share each batch, one per GPU; all negatives are kept, so results are mathematically the same.",
        ),
    ] = 1
    device: str = "auto"
    """auto, cpu, cuda, cuda:1 or mps; auto takes the best device of this machine."""
    threads: Annotated[int, Knob(0, 1024, 1, "CPU threads; 0 is all cores this process may use.")] = 0


@with_config(_STRICT)
@dataclass(frozen=True)
class Pretraining:
    """Masked language modelling, which a run without terms does. Its batch size counts packed sequences."""

    start: Annotated[
        Literal["weights", "fresh"], Knob(help="Start from the backbone's weights, or from random ones of its shape.")
    ] = "weights"
    layers: Annotated[int, Knob(0, 48, 1, "First layers of the backbone that are kept; 0 is all.")] = 0
    vocabulary: Annotated[
        Literal["keep", "cut", "learn"],
        Knob(
            help="Keep the backbone's pieces, cut them to the corpus's most frequent ones, or learn new ones from it."
        ),
    ] = "keep"
    vocabulary_size: Annotated[int, Knob(300, 200_000, 100, "Maximum size of a vocabulary that is cut or learnt.")] = (
        11_500
    )
    sequence_length: Annotated[int, Knob(8, 512, 8, "Tokens of a packed sequence, specials included.")] = 64
    mask_rate: Annotated[
        float, Knob(0.01, 0.9, 0.01, "Share of the tokens to predict: 80 % are masked, 10 % become another.")
    ] = 0.15
    whole_words: Annotated[bool, Knob(help="Choose words and predict all their pieces, not pieces one by one.")] = False
    validation: Annotated[float, Knob(0.001, 0.5, 0.001, "Share of the articles, the last ones, that is held out.")] = (
        0.02
    )


@with_config(_STRICT)
@dataclass(frozen=True)
class Augmenting:
    """Settings that apply to the augmentations of all views."""

    protect: tuple[str, ...] = ()
    """Terms that text augmentations leave unchanged, separated by commas: WHO,"Smith, John"."""
    protect_pattern: Annotated[
        str, Knob(help="A regular expression: text augmentations leave its matches unchanged.")
    ] = ""
    resample: Annotated[
        bool, Knob(help="Draw again in each epoch. Off: each text keeps its one draw, as AugCSE does.")
    ] = True


@with_config(_STRICT)
@dataclass(frozen=True)
class Selection:
    """How the best step is chosen: by the mean of `metric` over `pairs`, evaluated every `every` steps. Without `pairs`
    nothing is chosen and the last step is the result, except in a pretraining that is selected by its masked loss.
    """

    metric: Annotated[
        Literal["spearman", "alignment", "uniformity", "mean_cosine", "masked_loss", "none"],
        Knob(
            help="spearman: highest wins. The others: lowest wins. none, or no pairs: the last step is the result. "
            "masked_loss is that of a pretraining on held-out text."
        ),
    ] = "spearman"
    pairs: tuple[str, ...] = ()
    """Scored pair sets, with commas between: demo:dev, TASK:SPLIT@FOLDER, hf:ORG/NAME::SPLIT, FILE, or FILE#SPLIT. Name
    pairs that resemble the task: the best step on others may be the worst one for it.
    """
    every: Annotated[int, Knob(1, 100_000, 1, "Steps between two evaluations.")] = 25
    patience: Annotated[int, Knob(0, 1000, 1, "Evaluations without improvement before training ends; 0 is never.")] = 0

    @property
    def scored(self) -> tuple[str, ...]:
        """The pair sets that selection uses; none if the metric is the masked loss or none."""
        return () if self.metric in ("none", "masked_loss") else self.pairs

    @property
    def selects(self) -> bool:
        """Whether a step is chosen; otherwise the last one is the result."""
        return self.metric == "masked_loss" or bool(self.scored)


@with_config(_STRICT)
@dataclass(frozen=True)
class Probe:
    """What is measured during training, for curves and for the path on the plane. Alignment is measured on `pairs`."""

    every: Annotated[int, Knob(1, 100_000, 1, "Steps between two probes.")] = 10
    pairs: str = "demo:dev"
    """One scored pair set, written as in `selection.pairs`."""


@with_config(_STRICT)
@dataclass(frozen=True)
class Evaluation:
    """What the checkpoints of step 0, the best step and the last step are evaluated on after training."""

    pairs: tuple[str, ...] = ("demo:dev", "demo:test")
    """Scored pair sets, written as in `selection.pairs`."""
    sts_folder: str = ""
    """A folder of STS tasks that are all scored too; empty for none."""


@with_config(_STRICT)
@dataclass(frozen=True)
class Storage:
    """What of a finished run stays on the disk besides its figures. Weights that it would have twice are stored once."""

    checkpoints: Annotated[
        Literal["both", "best"],
        Knob(
            help="both: a finished run keeps its best and its last step. best: only the best, without the parameters of "
            "objectives, at about a third of the size or less. A run that ended early keeps what Resume needs."
        ),
    ] = "both"


@with_config(_STRICT)
@dataclass(frozen=True)
class RunConfig:
    """Everything a run does. `origins` says for each dotted name whether recipe, backbone, user or default set it."""

    recipe: str
    model: Model
    corpus: Corpus
    terms: tuple[Term, ...]
    training: Training = field(default_factory=Training)
    pretraining: Pretraining = field(default_factory=Pretraining)
    augmenting: Augmenting = field(default_factory=Augmenting)
    selection: Selection = field(default_factory=Selection)
    probe: Probe = field(default_factory=Probe)
    evaluation: Evaluation = field(default_factory=Evaluation)
    storage: Storage = field(default_factory=Storage)
    official: bool = False
    name: str = ""
    after: str = ""
    """The id of the run that this one continues from: the best checkpoint of that run is the backbone."""
    accept: tuple[str, ...] = ()
    """The warnings that the user accepts, by their names in `workbench.preflight.acknowledgements`; `all` accepts any."""
    origins: dict[str, str] = field(default_factory=dict)
    schema: int = SCHEMA

    @property
    def pretrains(self) -> bool:
        """Whether the run does masked language modelling: it has no terms."""
        return not self.terms


SECTIONS = {
    "model": Model,
    "training": Training,
    "pretraining": Pretraining,
    "augmenting": Augmenting,
    "selection": Selection,
    "probe": Probe,
    "evaluation": Evaluation,
    "storage": Storage,
}
NOT_OF_RECIPES = ("evaluation", "storage")
"""Sections that a recipe has no say in."""


def section_settings(section: type) -> dict[str, Setting]:
    """The knobs of one section, in order. Forms and command-line flags are built from them."""
    return dict(_section_settings(section))


@cache
def _section_settings(section: type) -> dict[str, Setting]:
    """Cached, because reading a list of runs needs it for each configuration."""
    hints = get_type_hints(section, include_extras=True)
    found = (
        setting_of(item.name, hints[item.name], item.default) for item in fields(section) if item.default is not MISSING
    )
    return {setting.name: setting for setting in found if setting is not None}


def check(config: RunConfig) -> RunConfig:
    """`config` itself, if every text in it can be written, every knob is in range, and name and device are valid.

    Raises:
        BadSetting: one of these is not so; the message names the value, the rule and the way out.
    """
    for place, text in _texts(vars(config)):
        unicode.check(place, text)
    check_name(config.name)
    return _check_values(config)


def check_name(name: str) -> str:
    """`name` itself, if a run can have it; an empty one is none.

    Raises:
        BadSetting: it is too long, has several lines, a comma, or a character that turns the direction of writing.
    """
    unicode.check("The name of a run", name)
    if "," in name or len(name) > LONGEST_NAME or len(name.splitlines()) > 1 or unicode.unturned(name) != name:
        raise BadSetting(
            f"A run cannot be named {name!r}.",
            rule=f"A name is one line of at most {LONGEST_NAME} characters without commas, which separate names in lists, and "
            "without those that turn the direction of writing.",
            way_out="Shorten it, or leave these characters out.",
        )
    return name


def with_seed(config: RunConfig, seed: int) -> RunConfig:
    """The same configuration with another seed, recorded as set by the user.

    Raises:
        BadSetting: the seed is out of range.
    """
    if seed == config.training.seed:
        return config
    training = replace(config.training, seed=seed)
    return check(replace(config, training=training, origins={**config.origins, "training.seed": "user"}))


def _check_values(config: RunConfig) -> RunConfig:
    """`check` without the texts, which take most of its time."""
    for name, section in SECTIONS.items():
        for setting in _section_settings(section).values():
            setting.check(getattr(getattr(config, name), setting.name))
    if not _DEVICE.fullmatch(config.training.device):
        raise BadSetting(
            f"device cannot be {config.training.device!r}.",
            rule="It is auto, cpu, mps, cuda, or one of several like cuda:1.",
            way_out="Use auto.",
        )
    return config


def _texts(value: object, name_: str = "") -> Iterator[tuple[str, str]]:
    """Every text in nested values, with its dotted name."""
    if isinstance(value, str):
        yield name_, value
    elif isinstance(value, tuple):
        yield from _texts(dict(enumerate(value)), name_)
    elif is_dataclass(value):
        yield from _texts(vars(value), name_)
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, f"{name_}.{name}" if name_ else str(name))


@cache
def _adapter() -> TypeAdapter[RunConfig]:
    """Cached: building it takes milliseconds, and a list of runs reads a configuration for each."""
    return TypeAdapter(RunConfig)


def to_toml(config: RunConfig) -> str:
    """The text of a config.toml that `from_toml` reads back unchanged."""
    import tomli_w

    return tomli_w.dumps(_adapter().dump_python(config, mode="json"))


def from_toml(text: str, where: str = "config.toml") -> RunConfig:
    """The configuration in `text`.

    Raises:
        BadSetting: `text` is not TOML, or has an unknown or missing key, a wrong type, a value out of range, or another schema.
    """
    try:
        raw = tomli.loads(text)
        if raw.get("schema") != SCHEMA:
            raise BadSetting(f"{where} has schema {raw.get('schema')!r}.", rule=f"This version reads schema {SCHEMA}.")
        # Through JSON, because only there does pydantic's strict mode accept lists as tuples.
        config = _adapter().validate_json(json.dumps(raw, default=str), strict=True)
        return _check_values(config) if unicode.is_whole(text) else check(config)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise BadSetting(
            f"{where}: {place}: {first['msg']}.", got=repr(first["input"])[:80], way_out="Undo the last edit."
        ) from None
    except (ValueError, RecursionError) as error:  # endless numbers and endlessly nested brackets are rejected too
        raise BadSetting(f"{where} is not valid TOML: {error}.", way_out="Undo the last edit.") from None


def read(path: Path) -> RunConfig:
    """See `from_toml`."""
    return from_toml(path.read_text(encoding="utf-8"), str(path))
