"""The forms for grids and tournaments, below the Train form."""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypedDict

import streamlit as st

from workbench import api
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.augmentations.pipeline import parse
from workbench.core import presets
from workbench.core.config import SECTIONS, RunConfig, Value, section_settings
from workbench.core.errors import WorkbenchError
from workbench.core.method import Setting
from workbench.objectives import encoded
from workbench.plots.sweep_takeaway import axis_name, value_label
from workbench.recipes import RECIPES
from workbench.recipes.linked_settings import DROPOUT, moved, second_pass, standing_for_several
from workbench.recipes.settle import OF_FINE_TUNES
from workbench.store import commands
from workbench.sweeps import NEGATIVE, POSITIVE, Plan, values_of
from workbench.sweeps.axes import MOST_RUNS
from workbench.ui.configs.allowed import config_inside
from workbench.ui.kit.address import bound_number, choose, choose_button, choose_several
from workbench.ui.kit.folders import model_inside, pipeline_inside
from workbench.ui.kit.forms import Lifetime, methods
from workbench.ui.kit.notices import facts, guarded, quiet, trouble
from workbench.ui.kit.repeat import python_call
from workbench.ui.kit.words import DASH, count, estimated, size
from workbench.ui.targets.names import BACKBONES
from workbench.ui.train.corpus import with_texts
from workbench.ui.train.readiness import acknowledged_in_all
from workbench.ui.train.terms import losses_for

_MODES = {"grid": "Grid", "tournament": "Tournament"}
_SUGGESTED = {
    "temperature": "0.01, 0.03, 0.05, 0.07, 0.1",
    "margin_deg": "2, 4, 6, 8, 10, 12, 14, 16, 18, 20",
    "weight": "0, 0.2, 0.4, 0.6, 0.8, 1, 1.2",
    "every": "0, 1, 3, 5, 7, 9",
    "beta": "0.3, 0.4, 0.5, 0.6, 0.7, 0.8",
    "radius": "1000, 2000, 3000, 4000, 5000, 6000",
    "keep": "0.6, 0.7, 0.8, 0.9",
    "less": "0.1, 0.2, 0.3, 0.4",
    "batch_size": "16, 32, 64, 128",
    "dropout": "0.05, 0.1, 0.15, 0.2",
    "learning_rate": "1e-5, 3e-5, 1e-4",
}
"""Values that papers sweep, by the setting's bare name."""
_PAIR = "none\ntoken_shuffle\ntoken_cutoff\nfeature_cutoff\nembedding_dropout"
"""The five rows of ConSERT's heat map: none, and its four augmentations inside the encoder."""
_LEFT_OUT = ("seed", "parts", "memory_parts", "processes", "threads", "device")
Accepted = tuple[str, ...]
"""Names of warnings, see `workbench.preflight.acknowledgements`."""


class RunChoice(TypedDict):
    """The run in the form above, without its changes."""

    recipe: str
    backbone: str
    corpus: str
    official: bool
    accept: Accepted
    on: str


MOST_PLANNED = 400
"""Most runs of a grid on the page, where each is planned again whenever the page is drawn."""
_NOTHING = "none"
_BOUND: Lifetime = {"persist_state": "session", "bind": "query-params"}
"""Arguments of a field that survives visits to other pages, and that a reload or a link restores."""


def show_sweep_forms(config: RunConfig, asked: RunChoice, changes: Mapping[str, Any], *, closed: bool) -> None:
    """Below the form of a run: the same run over a grid, or one run per augmentation.

    `changes` are the settings that the form changed. While it is `closed`, nothing can be queued.
    """
    many = st.expander("A grid over settings, or a tournament of augmentations", key="sweep.open", bind="query-params")
    if not many.open:  # dozens of widgets would delay every visit to the page
        return
    with many:
        mode = choose_button("Many runs", list(_MODES), key="sweep.mode", start="grid", shown=_MODES.__getitem__)
        with guarded():
            if mode == "grid":
                _grid_form(config, asked, changes, closed)
            else:
                _tournament_form(asked, changes, closed)


def _grid_form(config: RunConfig, asked: RunChoice, changes: Mapping[str, Any], closed: bool) -> None:
    quiet(
        "The run in the form above, with each value of one setting, or each pair of values of two. "
        "Runs that exist already are not repeated."
    )
    offered = axes_of(config)
    over: dict[str, list[Value]] = {}
    first, second = st.columns(2, gap="large")
    with first:
        axis = _pick_axis("First setting", offered, "one", _start(offered))
        over[axis] = _pick_values(axis, offered[axis], "one", config)
    with second:
        other = _pick_axis("Second setting", [_NOTHING, *(name for name in offered if name != axis)], "two", _NOTHING)
        if other != _NOTHING:
            over[other] = _pick_values(other, offered[other], "two", config)
    seeds = _pick_seeds()
    if not all(over.values()):
        quiet("Enter at least one value for each setting.")
        return

    def line(accept: Accepted) -> str:
        return python_call("grid", asked["recipe"], over, **_brief(asked, seeds, changes, accept))

    runs = seeds * math.prod(map(len, over.values()))
    if MOST_PLANNED < runs <= MOST_RUNS:
        quiet(
            f"These are {count(runs)} runs, and this page plans at most {MOST_PLANNED}. In Python, and with "
            f"`workbench sweep grid`, a grid has up to {count(MOST_RUNS)}; Compare shows it."
        )
        st.code(f"from workbench import api\n{line(asked['accept'])}", language="python", wrap_lines=True)
        return
    arguments: dict[str, Any] = {**asked, "seeds": seeds, **changes}
    _queue(api.plan_grid(over=over, **arguments), line, closed)


def _tournament_form(asked: RunChoice, changes: Mapping[str, Any], closed: bool) -> None:
    quiet(
        f"Each augmentation once as positive (view b of this recipe) and once as negative ({presets.NEGATIVES}), with the same "
        "steps, batch size, learning rate and seeds, against the recipe without augmentation. AugCSE selected its "
        "augmentations one at a time as positives; its table 1 tries them one at a time as negatives."
    )
    names = [name for name, method in AUGMENTATIONS.items() if method.tags.get("parts", "1") == "1"]
    lines = choose_several(
        "Augmentations",
        names,
        key="sweep.entrants",
        start=[name for name in presets.ENTRANTS if name in names],
        help="Ids, or whole pipelines such as eda_swap(rate=0.2) + typo_noise@0.5.",
    )
    roles = st.multiselect(
        "Roles", [POSITIVE, NEGATIVE], default=[POSITIVE, NEGATIVE], key="sweep.roles", wrap=True, **_BOUND
    )
    seeds = _pick_seeds()
    if not lines or not roles:
        quiet("Choose at least one augmentation and one role.")
        return
    lines = [pipeline_inside(line) for line in lines]
    arguments: dict[str, Any] = {**asked, "roles": roles, "seeds": seeds, **changes}
    _queue(
        api.plan_tournament(lines, **arguments),
        lambda accept: python_call(
            "tournament", lines, recipe=asked["recipe"], roles=roles, **_brief(asked, seeds, changes, accept)
        ),
        closed,
    )


def _queue(plan: Plan, line: Callable[[Accepted], str], closed: bool) -> None:
    """The cost, the warnings to accept, the button, and the Python line that starts the same sweep."""
    for config in (*plan.configs.values(), *(run.config for run in plan.ended_early)):
        config_inside(config)
    missing_, whole = len(plan.missing), len(plan.configs)
    seconds, room = plan.seconds, plan.size_bytes
    facts(
        {
            "Runs": str(whole),
            "To do": str(missing_),
            "Time": DASH if seconds is None else f"about {estimated(seconds)}" if missing_ else "none",
            "Disk": DASH if room is None else f"about {size(room)}" if missing_ else "none",
        },
        {"Runs": f"{len(plan.sweep.cells)} cells" if len(plan.sweep.cells) != whole else ""},
    )
    if seconds is None:
        quiet(
            "Time and disk space can be estimated once a run of this backbone has finished here."
            if room is None
            else "Time can be estimated once each recipe of this sweep has run here with this backbone."
        )
    on = len(plan.ended_early)
    label = f"Queue {missing_} run{'s' * (missing_ != 1)}" if missing_ else "Show results"
    label += f", resume {on}" if on else ""
    accept = acknowledged_in_all([plan.configs[key] for key in plan.missing])
    if st.button(label, key="sweep.queue", type="secondary", disabled=closed or accept is None):
        with st.spinner("Queueing", show_time=True):
            try:
                sweep = api.submit_sweep(_with_texts(plan), accept=accept or ())
            except WorkbenchError as error:
                trouble(error)
                return
        st.switch_page("pages/compare.py", query_params={"compare": "sweeps", "sweep": sweep.id})
    st.code(f"from workbench import api\n{line(accept or ())}", language="python", wrap_lines=True)


def _with_texts(plan: Plan) -> Plan:
    """The plan whose missing runs know their texts. A run is known by its key, whatever its texts turn out to be."""
    missing = plan.missing
    known = with_texts([plan.configs[key] for key in missing])
    return replace(plan, configs={**plan.configs, **dict(zip(missing, known, strict=True))})


def _brief(asked: RunChoice, seeds: int, changes: Mapping[str, Any], accept: Accepted) -> dict[str, object]:
    arguments: dict[str, object] = {"backbone": asked["backbone"], "corpus": asked["corpus"], "seeds": seeds}
    arguments |= {"accept": list(accept)} if accept else {}
    arguments |= {"on": asked["on"]} if asked["on"] else {}
    return arguments | ({"official": True} if asked["official"] else {}) | dict(changes)


def _pick_seeds() -> int:
    return bound_number(
        st.number_input,
        "Seeds per cell",
        1,
        20,
        3,
        key="sweep.seeds",
        help="The seed in the form and the following ones. A single seed cannot be distinguished from noise.",
    )


def axes_of(config: RunConfig) -> dict[str, Setting | None]:
    """The settings that a grid can vary, by dotted name; None if the values are free text."""
    found: dict[str, Setting | None] = {}
    several = len(config.terms) > 1
    for number, term in enumerate(config.terms):
        spot = f"terms.{number}"
        method = methods("losses" if term.loss else "objectives").get(term.name)
        found |= {f"{spot}.settings.{name}": setting for name, setting in (method.settings if method else {}).items()}
        if len(losses_for(term)) > 1:
            found[f"{spot}.loss"] = None
        if several:
            found[f"{spot}.weight"] = None
            if not found.keys() & moved(f"{spot}.every", config.terms):  # terms that take turns share one axis
                found[f"{spot}.every"] = None
        found |= {
            name: setting for name, setting in standing_for_several(config.terms).items() if name.startswith(f"{spot}.")
        }
        for kind, views in (("views", term.views), ("more", term.more)):
            for label, view in views.items():
                for step in parse(view.augmentation).all():
                    found |= {f"{step.name}.{name}": setting for name, setting in step.method.settings.items()}
                if not found.keys() & moved(f"{spot}.{kind}.{label}.augmentation", config.terms):
                    found[f"{spot}.{kind}.{label}.augmentation"] = None
                if label in encoded(term):
                    found[f"{spot}.{kind}.{label}.dropout"] = None
    for name, setting in section_settings(SECTIONS["training"]).items():
        if name not in _LEFT_OUT and not (config.pretrains and name in OF_FINE_TUNES):
            found[f"training.{name}"] = setting
    if config.pretrains:
        found |= {f"pretraining.{name}": one for name, one in section_settings(SECTIONS["pretraining"]).items()}
        return found | {"recipe": None, "backbone": None}
    found |= {"model.pooling": None, "model.eval_pooling": None, "model.head": None, "recipe": None, "backbone": None}
    found["augmenting.resample"] = section_settings(SECTIONS["augmenting"])["resample"]
    return found


def _start(offered: Iterable[str]) -> str:
    return next((name for name in offered if name.endswith("temperature")), next(iter(offered)))


def _pick_axis(label: str, offered: Iterable[str], key: str, start: str) -> str:
    return choose(label, list(offered), key=f"sweep.{key}.axis", start=start, shown=_axis_label)


def _axis_label(axis: str) -> str:
    if axis == _NOTHING:
        return "none"
    parts, name = axis.split("."), axis_name(axis)
    term = f", term {int(parts[1]) + 1}" if parts[0] == "terms" and parts[1] != "0" and "of term" not in name else ""
    of = f" of {parts[0]}" if parts[0] in AUGMENTATIONS else ""
    return f"{name[:1].upper()}{name[1:]}{of}{term}"


def _pick_values(axis: str, setting: Setting | None, key: str, config: RunConfig) -> list[Value]:
    """The values of one axis; its widgets are kept per axis."""
    spot = f"sweep.{key}.{axis}"
    named: dict[str, list[str]] = {
        "model.pooling": list(methods("poolings")),
        "model.eval_pooling": list(methods("poolings")),
        "model.head": ["none", *methods("heads")],
        "recipe": [name for name, recipe in RECIPES.items() if recipe.needs == RECIPES[config.recipe].needs]
        if config.recipe in RECIPES
        else list(api.recipes()),
        "backbone": list(BACKBONES),
    }
    if axis.endswith(".loss"):
        named[axis] = list(losses_for(config.terms[int(axis.split(".")[1])]))
    choices = named.get(axis) or list(setting.choices if setting else ())
    if choices:
        start = choices[: 2 if axis == "recipe" or axis.endswith(".loss") else 8]
        if setting is DROPOUT and second_pass(config.terms[int(axis.split(".")[1])]):
            start.remove("off")  # the two passes would be identical
        chosen = st.multiselect(
            "Values",
            choices,
            default=start,
            key=spot,
            accept_new_options=axis == "backbone",
            **_BOUND,
            wrap=True,
        )
        return [model_inside(name) if axis == "backbone" else name for name in chosen]
    if axis.endswith(".augmentation"):
        text = st.text_area(
            "One pipeline per line",
            f"{commands.value(config, axis) or ''}\nnone".lstrip() if ".more." in axis else _PAIR,
            key=spot,
            height=180,
            **_BOUND,
            help="none: no augmentation. The view's dropout is always the recipe's. This list for both views a and b gives "
            "ConSERT's heat map.",
        )
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return ["" if line == "none" else pipeline_inside(line) for line in lines]
    bare = axis.rpartition(".")[2]
    current = commands.value(config, axis)
    if current is None:
        current = setting.default if setting else 1.0
    switched = "on, off" if (setting and setting.kind is bool) or (bare == "dropout" and "terms" in axis) else ""
    start_text = switched or _SUGGESTED.get(bare, value_label(current))
    text = st.text_input("Values", start_text, key=spot, help="Separated by commas.", max_chars=600, **_BOUND)
    return values_of(text)
