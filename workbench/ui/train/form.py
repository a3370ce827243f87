"""The form of a run: what a recipe leaves open, and every other setting with the origin of its value."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from workbench.core.config import SECTIONS, RunConfig, Value, section_settings
from workbench.core.method import Setting
from workbench.data.demo import PAIR_SETS
from workbench.recipes.settle import OF_FINE_TUNES
from workbench.store import commands
from workbench.ui.configs import drafts
from workbench.ui.configs.repeats import ORIGINS
from workbench.ui.kit.address import address_changed, write_address
from workbench.ui.kit.folders import model_inside, readable_pairs
from workbench.ui.kit.folding import folded
from workbench.ui.kit.forms import FormValues, methods, setting_input, settings_form
from workbench.ui.kit.notices import guarded
from workbench.ui.kit.own_pairs import own_name, own_pairs, stored_pairs
from workbench.ui.pipelines.protected import protected_form
from workbench.ui.train.pretraining import language_model_form
from workbench.ui.train.terms import terms_form, views_form

_LABELS = {
    "selection": {"every": "Steps between evaluations"},
    "probe": {"every": "Steps between probes"},
    "storage": {"checkpoints": "Checkpoints kept at the end"},
}
"""Labels of settings that have the same name in two sections."""
_ASKED = ("steps", "batch_size", "seed")
"""The settings that a recipe leaves open."""
_PROTECTED = {"protected": "protect", "protected_pattern": "protect_pattern"}
"""Parameters for protected words from the Augment page, and the fields of the form that receive them."""
_CARRIED = ("augment_a", "augment_b", "augment_negatives")
"""Parameters for the form of the views, from a link or the Augment page."""


def origin_note(config: RunConfig, dotted: str) -> str:
    """Where a value came from, for a tooltip."""
    return f"Set by {ORIGINS.get(config.origins.get(dotted, 'default'), 'the default')}."


def run_form(recipe: RunConfig, *, prefix: str) -> FormValues:
    """All knobs, few of them outside expanders; returns only the differences from `recipe`, by dotted name.

    The form starts with the values in the address. Settings in an expander that was never opened keep them.
    """
    model_inside(recipe.model.backbone)
    base = drafts.form_start(recipe, prefix)
    found: FormValues = {}
    training = section_settings(SECTIONS["training"])
    asked = ("epochs", *_ASKED[1:]) if base.training.epochs else _ASKED
    columns = st.columns(len(asked), gap="medium")
    for column, name in zip(columns, asked, strict=True):
        with column:
            found[f"training.{name}"] = _input(base, f"training.{name}", training[name], prefix)
    hidden: tuple[str, ...] = (*_ASKED, *asked)
    if base.pretrains:
        hidden += tuple(OF_FINE_TUNES)
        st.header("The language model")
        own = section_settings(SECTIONS["pretraining"])
        found |= language_model_form(base, {name: origin_note(base, f"pretraining.{name}") for name in own}, prefix)
    else:
        found |= _terms(recipe, base, prefix)
    if optimiser := folded("Optimiser, batches and precision", key="train.optimiser"):
        with optimiser:
            rest = {name: setting for name, setting in training.items() if name not in hidden}
            found |= _section(base, "training", rest, prefix)
            found["training.device"] = _device(base, prefix)
    if not base.pretrains and (encoder := folded("Pooling and head", key="train.encoder")):
        with encoder:
            found |= _encoder(base, prefix)
    st.header("Evaluation")
    found |= _scored(base, prefix)
    if measured := folded("Choice of the best step, probes and what is kept", key="train.measured"):
        with measured:
            found |= _measured(base, prefix)
    return drafts.collect_changes(recipe, base, found, prefix)


def _terms(recipe: RunConfig, base: RunConfig, prefix: str) -> FormValues:
    """The losses of a fine-tune and its views."""
    st.header("Losses and objectives")
    notes = {dotted: origin_note(base, dotted) for dotted in base.origins if dotted.startswith("terms.")}
    found = terms_form(recipe, base, notes, prefix)
    for name, field in _PROTECTED.items():
        if address_changed(name):
            st.session_state[f"{prefix}{field}"] = st.query_params[name]
        write_address(name, [])  # from now on, the form holds them
    carried = any(map(st.query_params.get, _CARRIED))
    carried |= any(st.session_state.get(f"{prefix}{field}") for field in _PROTECTED.values())
    if views := folded("Views: augmentation and dropout", key="train.views", start_open=carried):
        with views:
            found |= _views(base, prefix)
    return found


def _views(base: RunConfig, prefix: str) -> FormValues:
    found = views_form(base, prefix)
    protect, pattern = protected_form(base.augmenting.protect, base.augmenting.protect_pattern, prefix=prefix)
    found |= {"augmenting.protect": tuple(protect), "augmenting.protect_pattern": pattern}
    resample = section_settings(SECTIONS["augmenting"])["resample"]
    return found | {"augmenting.resample": _input(base, "augmenting.resample", resample, prefix)}


def _device(base: RunConfig, prefix: str) -> str | None:
    return st.selectbox(
        "Device",
        ["auto", "cpu", "cuda", "mps"],
        key=f"{prefix}device",
        accept_new_options=True,
        persist_state="session",
        help=f"auto uses the best one on this machine. `device` {origin_note(base, 'training.device')}",
    )


def _scored(base: RunConfig, prefix: str) -> FormValues:
    """The pairs that the run is scored on, and those on which its best step is chosen."""
    last, best = st.columns(2, gap="large")
    metric = st.session_state.get(f"{prefix}selection.metric", base.selection.metric)
    with last:
        scored = _pair_sets(
            "Pair sets for the final evaluation", base.evaluation.pairs, f"{prefix}evaluation.pairs", empty="None"
        )
    with best:
        selecting = _pair_sets(
            "Pair sets for choosing the best step",
            base.selection.pairs,
            f"{prefix}selection.pairs",
            empty="None: the masked loss chooses" if metric == "masked_loss" else "None: the last step is the result",
        )
    return {"evaluation.pairs": scored, "selection.pairs": selecting}


def _measured(base: RunConfig, prefix: str) -> FormValues:
    """What is measured during and after training besides, and how a step is chosen."""
    selection = dict(section_settings(SECTIONS["selection"]))
    if not base.pretrains:
        metric = selection["metric"]
        choices = tuple(name for name in metric.choices if name != "masked_loss")
        selection["metric"] = replace(metric, choices=choices)
    found = _section(base, "selection", selection, prefix)
    found |= _section(base, "probe", section_settings(SECTIONS["probe"]), prefix)
    found["probe.pairs"] = _probe_pairs(base, f"{prefix}probe.pairs")
    found["evaluation.sts_folder"] = st.text_input(
        "Folder with STS tasks",
        base.evaluation.sts_folder,
        key=f"{prefix}sts_folder",
        persist_state="session",
        placeholder="none",
        help="STS12 to STS16, STS-B and SICK-R, in the layout of this app, SentEval or GLUE. `evaluation.sts_folder`",
    ).strip()
    return found | _section(base, "storage", section_settings(SECTIONS["storage"]), prefix)


def _input(base: RunConfig, dotted: str, setting: Setting, prefix: str) -> Value:
    return setting_input(
        setting, key=f"{prefix}{dotted}", value=commands.value(base, dotted), note=origin_note(base, dotted)
    )


def _section(base: RunConfig, section: str, settings: Mapping[str, Setting], prefix: str) -> FormValues:
    dotted = {name: f"{section}.{name}" for name in settings}
    values = {name: commands.value(base, path) for name, path in dotted.items()}
    notes = {name: origin_note(base, path) for name, path in dotted.items()}
    found = settings_form(
        settings, prefix=f"{prefix}{section}.", values=values, notes=notes, labels=_LABELS.get(section)
    )
    return {dotted[name]: value for name, value in found.items()}


def _encoder(base: RunConfig, prefix: str) -> FormValues:
    poolings, heads = methods("poolings"), methods("heads")
    found: FormValues = {}
    columns = st.columns(3, gap="medium")
    for column, name, label in zip(
        columns[:2], ("pooling", "eval_pooling"), ("Pooling in training", "Pooling at evaluation"), strict=True
    ):
        start = commands.value(base, f"model.{name}")
        found[f"model.{name}"] = column.selectbox(
            label,
            list(poolings),
            index=list(poolings).index(start),
            format_func=lambda name: poolings[name].title,
            key=f"{prefix}{name}",
            persist_state="session",
            help=f"How token states are combined into one vector. `{name}` {origin_note(base, f'model.{name}')}",
        )
    with columns[2]:
        head = st.selectbox(
            "Head",
            ["", *heads],
            index=["", *heads].index(base.model.head),
            format_func=lambda name: heads[name].title if name else "none",
            key=f"{prefix}head",
            persist_state="session",
            help=f"A projection used in training. `head` {origin_note(base, 'model.head')}",
        )
        found["model.head"] = head
        if head:
            found["model.keep_head"] = st.toggle(
                "Keep the head at evaluation", base.model.keep_head, key=f"{prefix}keep_head", persist_state="session"
            )
    return found


_WRITTEN = (
    "`demo:dev`, `demo:test`, `TASK:SPLIT@FOLDER` such as `stsb:dev@data/sts`, or a TSV or CSV file with score, sentence1, "
    "sentence2 can be typed in."
)


def _pair_sets(label: str, start: tuple[str, ...], key: str, *, empty: str) -> tuple[str, ...]:
    """Several pair sets; one that cannot be read stays in the field, with the reason below it."""
    chosen = st.multiselect(
        label,
        list(dict.fromkeys([*start, *PAIR_SETS, *stored_pairs(), *st.session_state.setdefault(key, list(start))])),
        format_func=lambda pairs: own_name(pairs) or pairs,
        placeholder=empty,
        key=key,
        accept_new_options=True,
        persist_state="session",
        help=_WRITTEN,
        wrap=True,
    )
    own_pairs(key, several=True)
    for pairs in chosen:
        with guarded():
            readable_pairs(pairs)
    return tuple(chosen)


def _probe_pairs(base: RunConfig, key: str) -> str:
    start = base.probe.pairs
    chosen = st.selectbox(
        "Pair set for probes",
        list(dict.fromkeys(["", start, *PAIR_SETS, *stored_pairs(), st.session_state.setdefault(key, start) or ""])),
        format_func=lambda pairs: own_name(pairs) or pairs or "none",
        key=key,
        accept_new_options=True,
        persist_state="session",
        help="Its positive pairs also define alignment in the probes. "
        f"{_WRITTEN} `probe.pairs` {origin_note(base, 'probe.pairs')}",
    )
    own_pairs(key)
    with guarded():
        if chosen:
            readable_pairs(chosen)
    return str(chosen or "")
