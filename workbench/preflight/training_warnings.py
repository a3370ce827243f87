"""What is to be known of a training before its first step: nothing here is an error, and much of it is a waste of time."""

import copy
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from workbench.augmentations.pipeline import parse
from workbench.core.config import RunConfig, Term
from workbench.core.seeds import derive
from workbench.heads import METHODS as HEADS
from workbench.losses import takes
from workbench.objectives import apart, encoded, method_of
from workbench.recipes.load import RECIPES
from workbench.store.stages import first_of
from workbench.training.requests import key
from workbench.training.row_filter import text_key

if TYPE_CHECKING:
    from workbench.models.encoder import Encoder

FEW_ROWS = 32
NEAR_SHARE = 0.01
LEAST_CHANGED = 4
"""Texts that an augmentation changes in a batch, on average: from fewer it happens that there is none."""
_TRIED = 256
_SAMPLE = 5_000
TUNED = ("all-minilm", "paraphrase-", "simcse", "sentence-", "sbert", "e5-", "bge-", "gte-", "nli-", "-sts", "multi-qa")
"""What names of models that were tuned for sentences hold."""


class Caution(NamedTuple):
    """One line, and under which name of `accepting.NAMES` somebody must accept it before the run starts; empty: nobody must."""

    text: str
    accept: str = ""


def of_config(config: RunConfig) -> list[Caution]:
    """What the configuration alone tells."""
    if config.pretrains:
        return _of_pretraining(config)
    found = []
    if said := _batch_norm(config):
        found.append(Caution(said, "batch_norm"))
    noise = max(config.training.dropout, config.training.drophead)
    if noise == 0 and (same := _identical(config, 0.0)):
        found.append(Caution(_same_views(same, "dropout is 0"), "same_views"))
    elif off := _identical(config, noise):
        found.append(Caution(_same_views(off, "dropout is off in both"), "same_views"))
    elif once := _one_encoding(config):
        found.append(
            Caution(
                f"The views {once} of a text are one encoding: they are declared alike, so the text is encoded once, with one "
                "dropout. The positive is then always perfect, and the loss only spreads texts out. Give b another draw.",
                "one_encoding",
            )
        )
    if said := _stages(config):
        found.append(Caution(said, "second_stage"))
    if any(map(_not_nested, config.terms)):
        found.append(
            Caution(
                "The views masked and masked_more are not both parts of one draw: the one that should keep more of the text "
                "may keep less, and then the triplet teaches the reverse. Give both the same pipeline with [0] and [1], "
                "such as arc_masks and arc_masks[1].",
                "nested_masks",
            )
        )
    for term in config.terms:
        setting = method_of(term).tags.get("trained", "") if term.objective else ""
        if setting and not term.settings.get(setting) and not tuned(config.model.backbone):
            found.append(
                Caution(
                    f"{term.objective} goes by a model that was trained before; without one it is a frozen copy of "
                    f"{config.model.backbone}, for which nearly all texts may be alike: then nearly all negatives are left "
                    f"out. Name one as {setting}.",
                    "raw_teacher",
                )
            )
    if tests := [pairs.partition("@")[0] for pairs in config.selection.scored if ":test@" in pairs]:
        found.append(
            Caution(
                f"The best step is chosen on {', '.join(tests)}, a test split: its score there flatters the run. Choose on a "
                "dev split, such as stsb:dev.",
                "test_split",
            )
        )
    if tuned(config.model.backbone):
        found.append(
            Caution(
                f"{config.model.backbone} was tuned for sentences before: training on one corpus gains there and usually "
                "loses elsewhere. Step 0 is evaluated beside the best step, so that you see both."
            )
        )
    return found


def _batch_norm(config: RunConfig) -> str:
    """That batch normalisation, in the head or in the projector of an objective, has few rows to go by; empty without."""
    size = config.training.batch_size
    rows = size * max((len(encoded(term)) for term in config.terms), default=1)
    normalised = config.model.head in HEADS and "normalised" in HEADS[config.model.head].tags
    own = next((term.name for term in config.terms if method_of(term).tags.get("normalised") == "view"), "")
    if own and size < FEW_ROWS:
        who, rows, what = f"The projector of {own}", size, f"one view of a batch of {size}"
    elif normalised and rows < FEW_ROWS:
        who, what = f"The head {config.model.head}", "the views of one batch"
    else:
        return ""
    return (
        f"{who} normalises over {rows} vectors, {what}: from fewer than {FEW_ROWS} mean and variance are mostly noise. Take a "
        f"larger batch or another {'recipe' if own else 'head'}."
    )


def _not_nested(term: Term) -> bool:
    """Whether the two masked views of an ArcCSE triplet are drawn apart."""
    if not {"masked", "masked_more"} <= term.views.keys():
        return False
    less, more = term.views["masked"], term.views["masked_more"]
    one, two = parse(less.augmentation).steps, parse(more.augmentation).steps
    return less.draw != more.draw or [replace(step, part=1) for step in one] != list(two) or not one


def _of_pretraining(config: RunConfig) -> list[Caution]:
    if config.pretraining.start == "weights" and tuned(config.model.backbone):
        return [
            Caution(
                f"{config.model.backbone} was tuned for sentences before, and naming tokens takes that apart again: vectors "
                "usually get worse until they are tuned anew."
            )
        ]
    return []


def _stages(config: RunConfig) -> str:
    """That a second stage has no first, or another than its recipe's; empty without."""
    recipe = RECIPES.get(config.recipe)
    if recipe is None or not recipe.after:
        return ""
    wanted = " or ".join(recipe.after)
    first = first_of(config.model.backbone)
    if first is None:
        return (
            f"{recipe.id} is a second stage: it goes on from a run of {wanted}, and this one starts from "
            f"{config.model.backbone}. Choose that run as the backbone (on the command line --after RUN)."
        )
    if not first.problem and first.config.recipe not in recipe.after:
        return f"{recipe.id} goes on from a run of {wanted}, and {first.id} is one of {first.config.recipe}."
    return ""


def tuned(backbone: str) -> bool:
    """Whether a backbone was tuned contrastively before, as far as its name or its own files tell.

    >>> tuned("minilm-l3"), tuned("princeton-nlp/unsup-simcse-bert-base-uncased"), tuned("bert-base-uncased")
    (True, True, False)
    """
    from pathlib import Path

    from workbench.models.cards import EMBEDDED

    if backbone in EMBEDDED:
        return EMBEDDED[backbone].tuned
    path = Path(backbone).expanduser()
    return any(sign in backbone.lower() for sign in TUNED) or (path / "modules.json").is_file()


def cautions_of(
    config: RunConfig, columns: "Mapping[str, Sequence[str]]", encoder: "Encoder | None" = None
) -> list[Caution]:
    """All of them: those of the configuration, of its corpus, and of the backbone once it is loaded."""
    found = of_config(config)
    if encoder is not None and _has_dense(encoder):
        found.append(
            Caution(
                f"{config.model.backbone} comes with a dense layer behind its pooling, and this run leaves it out: what is "
                "trained, evaluated and exported is the pooled vector, with the run's own head where it is kept. Step 0 is the "
                "same without that layer, and not what the backbone gives by itself."
            )
        )
    if encoder is not None and config.training.dropout > 0 and not has_dropout(encoder):
        if same := _identical(config, config.training.drophead):
            found.append(Caution(_same_views(same, "this backbone has no dropout"), "same_views"))
        else:
            found.append(Caution(f"{config.model.backbone} has no dropout: its rate changes nothing."))
    found += _unchanged(config, columns)
    if encoder is not None:
        found += _of_objectives(config, columns, encoder)
    share = 0.0
    if apart(config.terms):
        training = config.training
        share = near_share(
            next(iter(columns.values())), training.batch_size, training.seed, dedup_batch=training.dedup_batch
        )
    if share > NEAR_SHARE:
        found.append(
            Caution(
                f"{100 * share:.1f} % of the texts of a batch nearly repeat another one of it: they are pushed apart "
                "although they say the same. Take them out of the corpus"
                + ("." if config.training.dedup_batch else "; `dedup_batch` keeps equal ones apart."),
                "near_copies",
            )
        )
    return found


def _unchanged(config: RunConfig, columns: "Mapping[str, Sequence[str]]") -> list[Caution]:
    """Of terms that leave out what an augmentation left as it was: that it changes next to nothing.

    Judged by rule-based augmentations alone: statistics and models take their time.
    """
    from workbench.augmentations.draw import Drawer
    from workbench.augmentations.pipeline import parse

    found = []
    for term in config.terms:
        view = next((term.views[name] for name in ("negatives", "masked") if name in term.views), None)
        if view is None or not term.loss or "changed" not in takes(method_of(term), term.settings):
            continue
        if view.only_changed:  # such rows leave the corpus, and the run says how many stay
            continue
        pipeline = parse(view.augmentation)
        if not pipeline.on_texts or any(step.method.prepare for step in pipeline.all()):
            continue
        texts = columns[view.role]
        some = [texts[row * len(texts) // _TRIED] for row in range(_TRIED)] if len(texts) > _TRIED else list(texts)
        share = sum(one.changed for one in Drawer(pipeline, seed=config.training.seed).many(some)) / len(some)
        if share * config.training.batch_size < LEAST_CHANGED:
            found.append(
                Caution(
                    f"{pipeline} changes {100 * share:.1f} % of the texts, and {term.name} leaves out the others: of a batch "
                    f"of {config.training.batch_size} it keeps {share * config.training.batch_size:.1f} on average, and a "
                    "batch without any teaches nothing. Take a larger batch or another augmentation.",
                    "few_changed",
                )
            )
    return found


def _of_objectives(config: RunConfig, columns: "Mapping[str, Sequence[str]]", encoder: "Encoder") -> list[Caution]:
    """What objectives foretell of their settings with this backbone on these texts."""
    pooled = copy.copy(encoder)
    pooled.pooling, pooled.head = config.model.pooling, None
    found = []
    for term in config.terms:
        method, first = method_of(term), next(iter(term.views.values()), None)
        if term.objective and method.caution and first is not None:
            texts = columns[first.role]
            some = [texts[row * len(texts) // _TRIED] for row in range(_TRIED)] if len(texts) > _TRIED else list(texts)
            if said := method.caution(pooled, list(dict.fromkeys(some)), **term.settings):
                found.append(Caution(said, "alike_texts"))
    return found


def _has_dense(encoder: "Encoder") -> bool:
    """Whether the backbone's folder has dense layers that it is loaded with, as the encoder may have lost its head since."""
    from workbench.models.layout import read_layout

    place = encoder.origin
    return place is not None and place.layers is None and bool(read_layout(place.folder).dense)


def has_dropout(encoder: "Encoder") -> bool:
    """Whether the backbone has any dropout that a rate can be given to."""
    from torch import nn

    return any(isinstance(module, nn.Dropout) for module in encoder.backbone.modules())


def near_share(texts: Sequence[str], batch_size: int, seed: int, *, dedup_batch: bool = False) -> float:
    """The share of a batch's texts with an equal or near copy beside them, on average, from 5,000 texts at most.

    A text with m copies among n others has one in a batch of B with probability 1 - (1 - (B - 1) / n) ** m. With
    `dedup_batch` exact copies do not count: they never stand in one batch.

    >>> near_share(["one and the same", "one and the same!", "something else here"], 3, 0) > 0.6
    True
    """
    import numpy as np

    from workbench.data.near import letters, near_groups, plain

    total = len(texts)
    if total < 2:
        return 0.0
    some = list(texts) if total <= _SAMPLE else random.Random(derive(seed, "near")).sample(list(texts), _SAMPLE)
    keys = [letters(text) for text in some]
    names = list(dict.fromkeys(keys))
    labels, _ = near_groups(names)
    group = dict(zip(names, labels.tolist(), strict=True))
    groups = np.array([group[name] for name in keys])
    exact = Counter(map(plain, some)) if dedup_batch else {}
    never = np.array([exact.get(plain(text), 1) for text in some])  # beside it: itself, and what is kept apart from it
    # A sample holds a part of each text's copies only.
    copies = (np.bincount(groups)[groups] - never) * (total - 1) / (len(some) - 1)
    beside = 1 - (1 - min(1.0, (batch_size - 1) / (total - 1))) ** copies
    return float(beside.mean())


def _identical(config: RunConfig, rate: float) -> str:
    """Names of two views that a term compares and that cannot differ, joined by "and"; empty without."""
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
    """Names of two views that a term compares and that are encoded once, joined by "and"; empty without."""
    for term in config.terms:
        for views in (term.views, term.more):
            if {"a", "b"} <= views.keys() & set(encoded(term)) and key(views["a"]) == key(views["b"]):
                return "a and b"
    return ""


def _same_views(names: str, why: str) -> str:
    return (
        f"The views {names} of a text are identical: {why} and no augmentation tells them apart. The positive is then "
        "always perfect, and the loss only spreads texts out."
    )
