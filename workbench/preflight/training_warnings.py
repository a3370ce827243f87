"""Warnings about a training before its first step: nothing here is an error, but much would be a waste of time."""

import copy
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from workbench.augmentations.pipeline import parse
from workbench.core.config import RunConfig, Term
from workbench.core.errors import WorkbenchError
from workbench.core.method import calling
from workbench.core.seeds import derive
from workbench.data.references import set_name
from workbench.heads import METHODS as HEADS
from workbench.losses import takes
from workbench.objectives import apart, encoded, method_of
from workbench.recipes.load import RECIPES
from workbench.store.stages import first_of
from workbench.training.requests import key
from workbench.training.row_filter import text_key

if TYPE_CHECKING:
    from workbench.augmentations.draw import Draw
    from workbench.augmentations.pipeline import Pipeline
    from workbench.models.encoder import Encoder
    from workbench.pretraining.start import Start

FEW_ROWS = 32
NEAR_SHARE = 0.01
LEAST_CHANGED = 4
"""The least number of texts that an augmentation must change in a batch, on average: with fewer, some batches have none."""
_TRIED = 256
_FEW_TRIED = 32
_SAMPLE = 5_000
_TEST = re.compile(r"(?i)[:#,]\s*test\s*(,|$)")
"""At the end of the name of a pair set; or before the columns of a file, or behind them."""
_TEST_FILE = re.compile(r"(?i)(^|[-_.])test([-_.]|$)")
"""In the name of a file, such as stsb-test.tsv or test-00000-of-00001.parquet."""
TUNED = ("all-minilm", "paraphrase-", "simcse", "sentence-", "sbert", "e5-", "bge-", "gte-", "nli-", "-sts", "multi-qa")
"""Parts of the names of models that were tuned for sentences."""


class TrainingWarning(NamedTuple):
    """A warning about a training."""

    text: str
    accept: str = ""
    """The name, of `acknowledgements.NAMES`, under which it must be accepted; empty where the run starts anyway."""


def of_config(config: RunConfig) -> list[TrainingWarning]:
    """The warnings that follow from the configuration alone."""
    if config.pretrains:
        return _of_pretraining(config)
    warnings = []
    if text := _batch_norm(config):
        warnings.append(TrainingWarning(text, "batch_norm"))
    noise = max(config.training.dropout, config.training.drophead)
    if noise == 0 and (same := _identical(config, 0.0)):
        warnings.append(TrainingWarning(_same_views(same, "dropout is 0"), "same_views"))
    elif off := _identical(config, noise):
        warnings.append(TrainingWarning(_same_views(off, "dropout is off in both"), "same_views"))
    elif once := _one_encoding(config):
        warnings.append(
            TrainingWarning(
                f"The views {once} of a text are one encoding: they are declared alike, so the text is encoded once, with one "
                "dropout mask. The positive is then always perfect, and the loss only spreads texts out. Give b another draw.",
                "one_encoding",
            )
        )
    if text := _stages(config):
        warnings.append(TrainingWarning(text, "second_stage"))
    if any(map(_not_nested, config.terms)):
        warnings.append(
            TrainingWarning(
                "The views masked and masked_more are not parts of one draw: the one that should keep more of the text may "
                "keep less, and then the triplet teaches the opposite. Give both the same pipeline with [0] and [1], such "
                "as arc_masks and arc_masks[1].",
                "nested_masks",
            )
        )
    for term in config.terms:
        setting = method_of(term).tags.get("trained", "") if term.objective else ""
        if setting and not term.settings.get(setting) and not tuned(config.model.backbone):
            warnings.append(
                TrainingWarning(
                    f"{term.objective} is guided by a model that was trained before; by default that is a frozen copy of "
                    f"{config.model.backbone}, for which nearly all texts may be alike: then nearly all negatives are left "
                    f"out. Set {setting} to a trained model.",
                    "raw_teacher",
                )
            )
    if tests := [name for name in map(_test_set, config.selection.scored) if name]:
        warnings.append(
            TrainingWarning(
                f"The best step is chosen on {', '.join(tests)}, a test split: the score on it will be biased upwards. Choose "
                "on a dev split, such as stsb:dev.",
                "test_split",
            )
        )
    if tuned(config.model.backbone):
        warnings.append(
            TrainingWarning(
                f"{config.model.backbone} was tuned for sentences before: training on one corpus gains there and usually "
                "loses elsewhere. Step 0 is evaluated too, so that you see both."
            )
        )
    if _chooses_as_published(config) and not config.selection.selects:
        warnings.append(
            TrainingWarning(
                "The published setting chooses the best step on a development set. selection.pairs names none, so the last "
                "step is the result."
            )
        )
    return warnings


def _test_set(ref: str) -> str:
    """The name of a pair set if it is a test split, as far as its reference and the header of its file say; otherwise empty."""
    try:
        name = set_name(ref)
        return name if _TEST.search(name) or _is_test_file(ref) else ""
    except WorkbenchError:  # which is said where it is read
        return ""


def _is_test_file(ref: str) -> bool:
    """Whether a reference without a split is to a file called test, or to one of which the rows of test are used.

    Raises:
        WorkbenchError: there is no such file, or it is no table.
    """
    from workbench.data.columns import split_and_columns, split_column
    from workbench.data.files import examine
    from workbench.data.sources import split_source, split_task

    if ref.startswith(("hf:", "demo:")) or split_task(ref):
        return False
    path, behind = split_source(ref)
    if split_and_columns(behind)[0] is not None:
        return False
    if _TEST_FILE.search(path.name):
        return True
    file = examine(path, lines=False, line_feeds=True)
    at = split_column(file.header)
    return at is not None and any(row[at].strip() for row in file.preview)


def _chooses_as_published(config: RunConfig) -> bool:
    """Whether a run has the published setting of a recipe whose authors chose the best step."""
    return config.official and config.recipe in RECIPES and "selection" in RECIPES[config.recipe].official


def _batch_norm(config: RunConfig) -> str:
    """The warning about batch normalisation, in the head or an objective's projector, over few rows; empty if none applies."""
    size = config.training.batch_size
    rows = size * max((len(encoded(term)) for term in config.terms), default=1)
    normalised = config.model.head in HEADS and "normalised" in HEADS[config.model.head].tags
    projector = next((term.name for term in config.terms if method_of(term).tags.get("normalised") == "view"), "")
    if projector and size < FEW_ROWS:
        who, rows, what = f"The projector of {projector}", size, f"one view of a batch of {size}"
    elif normalised and rows < FEW_ROWS:
        who, what = f"The head {config.model.head}", "the views of one batch"
    else:
        return ""
    return (
        f"{who} normalises over {rows} vectors, {what}: with fewer than {FEW_ROWS}, mean and variance are mostly noise. Take a "
        f"larger batch or another {'recipe' if projector else 'head'}."
    )


def _not_nested(term: Term) -> bool:
    """Whether the two masked views of an ArcCSE triplet come from separate draws."""
    if not {"masked", "masked_more"} <= term.views.keys():
        return False
    less, more = term.views["masked"], term.views["masked_more"]
    first, second = parse(less.augmentation).steps, parse(more.augmentation).steps
    return less.draw != more.draw or [replace(step, part=1) for step in first] != list(second) or not first


def _of_pretraining(config: RunConfig) -> list[TrainingWarning]:
    if config.pretraining.start == "weights" and tuned(config.model.backbone):
        return [
            TrainingWarning(
                f"{config.model.backbone} was tuned for sentences before, and masked language modelling undoes that: vectors "
                "usually get worse until they are tuned again."
            )
        ]
    return []


def of_start(start: "Start") -> list[TrainingWarning]:
    """The warnings that what a pretraining starts from gives a reason for."""
    if not start.without_head:
        return []
    return [
        TrainingWarning(
            f"The files of {start.encoder.name} have no masked-language head, or not all of one: what they lack is drawn at "
            "random, so the loss starts as that of a model that has learnt nothing."
        )
    ]


def _stages(config: RunConfig) -> str:
    """The warning about a second stage without a first, or with the wrong one; empty if none applies."""
    recipe = RECIPES.get(config.recipe)
    if recipe is None or not recipe.after:
        return ""
    wanted = " or ".join(recipe.after)
    first = first_of(config.model.backbone)
    if first is None:
        return (
            f"{recipe.id} is a second stage: it continues from a run of {wanted}, but this one starts from "
            f"{config.model.backbone}. Choose such a run as the backbone (on the command line --after RUN); if there is none "
            "yet, train it first."
        )
    if not first.problem and first.config.recipe not in recipe.after:
        return f"{recipe.id} continues from a run of {wanted}, but {first.id} is a run of {first.config.recipe}."
    return ""


def tuned(backbone: str) -> bool:
    """Whether a backbone was tuned contrastively before, as far as its name or files tell.

    >>> tuned("minilm-l3"), tuned("princeton-nlp/unsup-simcse-bert-base-uncased"), tuned("bert-base-uncased")
    (True, True, False)
    """
    from pathlib import Path

    from workbench.models.cards import EMBEDDED

    if backbone in EMBEDDED:
        return EMBEDDED[backbone].tuned
    path = Path(backbone).expanduser()
    return any(sign in backbone.lower() for sign in TUNED) or (path / "modules.json").is_file()


def warnings_of(
    config: RunConfig, columns: "Mapping[str, Sequence[str]]", encoder: "Encoder | None" = None
) -> list[TrainingWarning]:
    """All warnings: those of the configuration, of its corpus, and, with `encoder`, of the loaded backbone."""
    warnings = of_config(config)
    if encoder is not None and _has_dense(encoder):
        warnings.append(
            TrainingWarning(
                f"{config.model.backbone} has a dense layer after its pooling, which this run leaves out: it trains, evaluates "
                "and exports the pooled vector, with the run's own head if that is kept. Step 0 has no dense layer either, so it "
                "differs from the backbone as published."
            )
        )
    if encoder is not None and config.training.dropout > 0 and not has_dropout(encoder):
        if same := _identical(config, config.training.drophead):
            warnings.append(TrainingWarning(_same_views(same, "this backbone has no dropout"), "same_views"))
        else:
            warnings.append(TrainingWarning(f"{config.model.backbone} has no dropout: the rate has no effect."))
    warnings += _unchanged(config, columns)
    warnings += _emptied(config, columns)
    if encoder is not None:
        warnings += _of_objectives(config, columns, encoder)
    share = 0.0
    if apart(config.terms):
        training = config.training
        share = near_share(
            next(iter(columns.values())), training.batch_size, training.seed, dedup_batch=training.dedup_batch
        )
    if share > NEAR_SHARE:
        warnings.append(
            TrainingWarning(
                f"{100 * share:.1f} % of the texts of a batch nearly repeat another text in it, and are pushed apart from it "
                "although they say the same. Remove them from the corpus"
                + (
                    "."
                    if config.training.dedup_batch
                    else "; “No duplicate texts in a batch” (`dedup_batch`) keeps equal ones in separate batches."
                ),
                "near_copies",
            )
        )
    return warnings


def _unchanged(config: RunConfig, columns: "Mapping[str, Sequence[str]]") -> list[TrainingWarning]:
    """Warnings about terms that skip unchanged texts, where the augmentation changes next to nothing."""
    warnings = []
    for term in config.terms:
        view = next((term.views[name] for name in ("negatives", "masked") if name in term.views), None)
        if view is None or not term.loss or "changed" not in takes(method_of(term), term.settings):
            continue
        if view.only_changed:  # such rows are removed from the corpus, and the run reports how many remain
            continue
        pipeline = parse(view.augmentation)
        draws = _tried(pipeline, columns[view.role], config.training.seed)
        if not draws:
            continue
        share = sum(draw.changed for draw in draws) / len(draws)
        if share * config.training.batch_size < LEAST_CHANGED:
            warnings.append(
                TrainingWarning(
                    f"{pipeline} changes {100 * share:.1f} % of the texts, and {term.name} skips the others: of a batch of "
                    f"{config.training.batch_size} it keeps {share * config.training.batch_size:.1f} on average, and a batch "
                    "without any teaches nothing. Use a larger batch or another augmentation.",
                    "few_changed",
                )
            )
    return warnings


def _emptied(config: RunConfig, columns: "Mapping[str, Sequence[str]]") -> list[TrainingWarning]:
    """Warnings about augmentations that leave nothing of any text."""
    views = {
        (view.role, view.augmentation) for term in config.terms for view in term.views.values() if view.augmentation
    }
    warnings = []
    for role, line in sorted(views):
        draws = _tried(parse(line), columns[role], config.training.seed, _FEW_TRIED)
        if draws and not any(draw.text for draw in draws):
            warnings.append(
                TrainingWarning(
                    f"{line} emptied all {len(draws)} texts that it was tried on, so all texts of that view are the same. "
                    "Use another augmentation.",
                    "no_text",
                )
            )
    return warnings


def _tried(pipeline: "Pipeline", texts: Sequence[str], seed: int, most: int = _TRIED) -> "list[Draw]":
    """What a pipeline makes of some texts, if it acts on texts; nothing if it needs statistics or models: these take too long."""
    from workbench.augmentations.draw import Drawer

    if not pipeline.on_texts or any(step.method.prepare for step in pipeline.all()):
        return []
    return Drawer(pipeline, seed=seed).many(_some(texts, most))


def _some(texts: Sequence[str], most: int) -> list[str]:
    """At most so many of the texts, evenly."""
    return [texts[row * len(texts) // most] for row in range(most)] if len(texts) > most else list(texts)


def _of_objectives(
    config: RunConfig, columns: "Mapping[str, Sequence[str]]", encoder: "Encoder"
) -> list[TrainingWarning]:
    """The warnings of objectives about their settings with this backbone on these texts."""
    pooled = copy.copy(encoder)
    pooled.pooling, pooled.head = config.model.pooling, None
    warnings = []
    for term in config.terms:
        method, first = method_of(term), next(iter(term.views.values()), None)
        if term.objective and method.caution and first is not None:
            some = list(dict.fromkeys(_some(columns[first.role], _TRIED)))
            with calling("objective", method):
                text = method.caution(pooled, some, **term.settings)
            if text:
                warnings.append(TrainingWarning(text, "alike_texts"))
    return warnings


def _has_dense(encoder: "Encoder") -> bool:
    """Whether the backbone's folder has dense layers; the encoder itself may have lost its head since it was loaded."""
    from workbench.models.layout import read_layout

    origin = encoder.origin
    return origin is not None and origin.layers is None and bool(read_layout(origin.folder).dense)


def has_dropout(encoder: "Encoder") -> bool:
    """Whether the backbone has a dropout layer whose rate can be set."""
    from torch import nn

    return any(isinstance(module, nn.Dropout) for module in encoder.backbone.modules())


def near_share(texts: Sequence[str], batch_size: int, seed: int, *, dedup_batch: bool = False) -> float:
    """The mean share, 0..1, of the texts of a batch that have an equal or near copy in it, by a sample of 5,000 texts.

    With `dedup_batch` exact copies do not count: they are never in one batch.

    >>> near_share(["one and the same", "one and the same!", "something else here"], 3, 0) > 0.6
    True
    """
    import numpy as np

    from workbench.data.near import beside, letters, near_groups, plain

    total = len(texts)
    if total < 2:
        return 0.0
    rows = range(total) if total <= _SAMPLE else random.Random(derive(seed, "near")).sample(range(total), _SAMPLE)
    some = [texts[row] for row in rows]
    keys = [letters(text) for text in some]
    names = list(dict.fromkeys(keys))
    labels, _ = near_groups(names)
    group = dict(zip(names, labels.tolist(), strict=True))
    groups = np.array([group[name] for name in keys])
    exact = Counter(map(plain, some)) if dedup_batch else {}
    never = np.array(
        [exact.get(plain(text), 1) for text in some]
    )  # the text itself, and copies that are never in its batch
    # The sample has only part of the copies of each text.
    copies = (np.bincount(groups)[groups] - never) * (total - 1) / (len(some) - 1)
    return float(beside(copies, total, batch_size).mean())


def _identical(config: RunConfig, rate: float) -> str:
    """The names, joined by "and", of two views that a term compares and that cannot differ; empty if there are none."""
    for term in config.terms:
        if pair := _identical_views(term, rate):
            return pair
    return ""


def _identical_views(term: Term, rate: float) -> str:
    from workbench.augmentations.pipeline import parse

    if "a" not in term.views or "b" not in term.views or not {"a", "b"} <= set(encoded(term)):
        return ""
    a, b = term.views["a"], term.views["b"]
    rates = {rate if view.dropout == "on" else 0.0 if view.dropout == "off" else float(view.dropout) for view in (a, b)}
    random_ = bool(a.augmentation or b.augmentation) and (
        text_key(a) != text_key(b) or any(parse(a.augmentation).at("positions", "states", "vectors"))
    )
    return "a and b" if a.role == b.role and rates == {0.0} and not random_ else ""


def _one_encoding(config: RunConfig) -> str:
    """The names, joined by "and", of two views that a term compares and that are encoded once; empty if there are none."""
    for term in config.terms:
        for views in (term.views, term.more):
            if {"a", "b"} <= views.keys() & set(encoded(term)) and key(views["a"]) == key(views["b"]):
                return "a and b"
    return ""


def _same_views(names: str, why: str) -> str:
    return (
        f"The views {names} of a text are identical: {why}, and no augmentation makes them differ. The positive is then "
        "always perfect, and the loss only spreads texts out."
    )
