"""Grids and tournaments: asked for below the Train form, looked at on Compare."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.augmentations.pipeline import parse
from workbench.core.config import SECTIONS, RunConfig, Value, section_settings
from workbench.core.errors import WorkbenchError
from workbench.core.method import Setting
from workbench.jobs.sweeps import BASELINE, NEGATIVE, NEGATIVES, POSITIVE, TOURNAMENT, Plan, Sweep, values_of
from workbench.jobs.sweeps.results import MEASURES, SUITE, baseline_of, pair_sets, summarised
from workbench.plots.sweep_takeaway import axis_name, said
from workbench.recipes import RECIPES
from workbench.ui.address import choose, choose_button
from workbench.ui.figures import show
from workbench.ui.folders import model_inside, pipeline_inside
from workbench.ui.forms import methods
from workbench.ui.notices import attempt, empty, facts, guarded, quiet, trouble
from workbench.ui.pipelines import CLASSES
from workbench.ui.repeat import python_call, repeat
from workbench.ui.tables import pairs_name
from workbench.ui.targets import BACKBONES
from workbench.ui.theme import dark
from workbench.ui.words import DASH, duration, figure, html, missing, plain, size

if TYPE_CHECKING:
    from pandas import DataFrame

_MODES = {"grid": "Grid", "tournament": "Tournament"}
_SUGGESTED = {
    "temperature": "0.01, 0.03, 0.05, 0.07, 0.1",
    "margin_deg": "2, 4, 6, 8, 10, 12, 14, 16, 18, 20",
    "weight": "0, 0.2, 0.4, 0.6, 0.8, 1, 1.2",
    "batch_size": "16, 32, 64, 128",
    "dropout": "0.05, 0.1, 0.15, 0.2",
    "learning_rate": "1e-5, 3e-5, 1e-4",
}
"""Values as the literature sweeps them, by the setting's bare name."""
_PAIR = "none\neda_delete\ntoken_shuffle\ntoken_cutoff\nfeature_cutoff"
"""The five of ConSERT's heat map, its synonyms being deletions here."""
_ENTRANTS = ("eda_delete", "eda_swap", "typo_noise", "case_noise")
_LEFT_OUT = ("seed", "parts", "memory_parts", "processes", "threads", "device")
_NOTHING = "–"


def sweep_forms(config: RunConfig, asked: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    """Below the form of a run: the same run over a grid, or one run an augmentation.

    `asked` has recipe, backbone, corpus and official; `changes` are what the form changed.
    """
    many = st.expander("A grid over settings, or a tournament of augmentations", key="sweep.open", on_change="rerun")
    if not many.open:  # dozens of widgets, which every visit to the page would wait for
        return
    with many:
        mode = st.segmented_control(
            "Many runs",
            list(_MODES),
            default="grid",
            required=True,
            format_func=_MODES.__getitem__,
            key="sweep.mode",
            persist_state="session",
        )
        with guarded():
            if mode == "grid":
                _grid_form(config, asked, changes)
            else:
                _tournament_form(asked, changes)


def _grid_form(config: RunConfig, asked: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    quiet(
        "Everything as in the form above, with each value of one setting, or each pair of values of two. "
        "Runs that are there already are not made again."
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
        quiet("Give each setting at least one value.")
        return
    said_ = {**asked, "seeds": seeds, **changes}
    _queue(
        api.plan_grid(over=over, **said_),
        lambda: api.grid(over=over, **said_),
        python_call("grid", asked["recipe"], over, **_brief(asked, seeds, changes)),
    )


def _tournament_form(asked: Mapping[str, Any], changes: Mapping[str, Any]) -> None:
    quiet(
        f"Each augmentation once as positive (view b of this recipe) and once as negative ({NEGATIVES}), with the same "
        "steps, batch, rate and seeds, against the recipe without any. AugCSE chose its augmentations so."
    )
    names = [name for name, method in AUGMENTATIONS.items() if method.tags.get("parts", "1") == "1"]
    lines = st.multiselect(
        "Augmentations",
        names,
        default=[name for name in _ENTRANTS if name in names],
        accept_new_options=True,
        key="sweep.entrants",
        persist_state="session",
        help="Ids, or whole lines such as eda_swap(rate=0.2) + typo_noise@0.5.",
    )
    roles = st.multiselect(
        "Roles", [POSITIVE, NEGATIVE], default=[POSITIVE, NEGATIVE], key="sweep.roles", persist_state="session"
    )
    seeds = _pick_seeds()
    if not lines or not roles:
        quiet("Choose at least one augmentation and one role.")
        return
    lines = [pipeline_inside(line) for line in lines]
    said_ = {**asked, "roles": roles, "seeds": seeds, **changes}
    _queue(
        api.plan_tournament(lines, **said_),
        lambda: api.tournament(lines, **said_),
        python_call("tournament", lines, recipe=asked["recipe"], roles=roles, **_brief(asked, seeds, changes)),
    )


def _queue(plan: Plan, queue: Callable[[], Sweep], line: str) -> None:
    """What it will cost, the button, and the line that asks for the same."""
    missing_, whole = len(plan.missing), len(plan.configs)
    seconds, room = plan.seconds, plan.size_bytes
    facts(
        {
            "Runs": str(whole),
            "To be made": str(missing_),
            "Time": DASH if seconds is None else f"about {duration(seconds)}" if missing_ else "none",
            "Disk": DASH if room is None else f"about {size(room)}" if missing_ else "none",
        },
        {"Runs": f"{len(plan.sweep.cells)} cells" if len(plan.sweep.cells) != whole else ""},
    )
    if seconds is None:
        quiet("Time and disk are known once one run of this backbone has ended here.")
    on = len(plan.ended_early)
    label = f"Queue {missing_} run{'s' * (missing_ != 1)}" if missing_ else "Show it"
    label += f", resume {on}" if on else ""
    if st.button(label, key="sweep.queue", type="secondary"):
        with st.spinner("Queueing", show_time=True):
            try:
                sweep = queue()
            except WorkbenchError as error:
                trouble(error)
                return
        st.switch_page("pages/compare.py", query_params={"compare": "sweeps", "sweep": sweep.id})
    st.code(f"from workbench import api\n{line}", language="python", wrap_lines=True)


def _brief(asked: Mapping[str, Any], seeds: int, changes: Mapping[str, Any]) -> dict[str, Any]:
    found = {name: asked[name] for name in ("backbone", "corpus")} | {"seeds": seeds}
    return found | ({"official": True} if asked["official"] else {}) | dict(changes)


def _pick_seeds() -> int:
    return int(
        st.number_input(
            "Seeds each",
            1,
            20,
            3,
            key="sweep.seeds",
            persist_state="session",
            help="The seed of the form and the next ones. With one seed nothing can be told from noise.",
        )
    )


def axes_of(config: RunConfig) -> dict[str, Setting | None]:
    """What a grid can go over, by dotted name; None where values are lines of text."""
    found: dict[str, Setting | None] = {}
    several = len(config.terms) > 1
    for number, term in enumerate(config.terms):
        spot = f"terms.{number}"
        method = methods("losses" if term.loss else "objectives").get(term.name)
        found |= {f"{spot}.settings.{name}": setting for name, setting in (method.settings if method else {}).items()}
        if several:
            found |= {f"{spot}.weight": None, f"{spot}.every": None}
        for label, view in term.views.items():
            for step in parse(view.augmentation).all():
                found |= {f"{step.name}.{name}": setting for name, setting in step.method.settings.items()}
            found |= {f"{spot}.views.{label}.augmentation": None, f"{spot}.views.{label}.dropout": None}
    for name, setting in section_settings(SECTIONS["training"]).items():
        if name not in _LEFT_OUT:
            found[f"training.{name}"] = setting
    found |= {"model.pooling": None, "model.eval_pooling": None, "model.head": None, "recipe": None, "backbone": None}
    found["augmenting.resample"] = section_settings(SECTIONS["augmenting"])["resample"]
    return found


def _start(offered: Mapping[str, Any]) -> str:
    return next((name for name in offered if name.endswith("temperature")), next(iter(offered)))


def _pick_axis(label: str, offered: Any, key: str, start: str) -> str:
    options = list(offered)
    chosen = st.selectbox(
        label,
        options,
        index=options.index(start),
        format_func=_axis_label,
        key=f"sweep.{key}.axis",
        persist_state="session",
    )
    return str(chosen)


def _axis_label(axis: str) -> str:
    if axis == _NOTHING:
        return "none"
    parts = axis.split(".")
    term = f", term {int(parts[1]) + 1}" if parts[0] == "terms" and parts[1] != "0" else ""
    view = f" of view {parts[3]}" if parts[2:3] == ["views"] and parts[-1] == "dropout" else ""
    of = f" of {parts[0]}" if parts[0] in AUGMENTATIONS else ""
    return f"{axis_name(axis).capitalize()}{view}{of}{term}"


def _pick_values(axis: str, setting: Setting | None, key: str, config: RunConfig) -> list[Value]:
    """The values of one axis; widgets are remembered for each axis."""
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
    choices = named.get(axis) or list(setting.choices if setting else ())
    if choices:
        start = choices[: 2 if axis == "recipe" else 8]
        chosen = st.multiselect(
            "Values", choices, default=start, key=spot, accept_new_options=axis == "backbone", persist_state="session"
        )
        return [model_inside(name) if axis == "backbone" else "" if name == "none" else name for name in chosen]
    if axis.endswith(".augmentation"):
        text = st.text_area(
            "One pipeline a line",
            _PAIR,
            key=spot,
            height=150,
            persist_state="session",
            help="none: dropout alone. The same list for views a and b is ConSERT's heat map.",
        )
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return ["" if line == "none" else pipeline_inside(line) for line in lines]
    bare = axis.rsplit(".", 1)[-1]
    current = getattr(config.training, bare, setting.default if setting else 1.0)
    start_text = "on, off" if setting and setting.kind is bool else _SUGGESTED.get(bare, said(current))
    text = st.text_input(
        "Values", start_text, key=spot, persist_state="session", help="Separated by commas.", max_chars=600
    )
    return values_of(text)


def show_sweeps() -> None:
    """The Sweeps mode of Compare: one grid or tournament, its figure, its table, its data."""
    known = {sweep.id: sweep for sweep in api.sweeps()}
    if not known:
        empty("No grid and no tournament yet.", "Below the form of the Train page you can ask for one.")
        st.page_link("pages/train.py", label="To the Train page", icon=":material/arrow_forward:")
        return
    wanted = st.query_params.get("sweep", "")
    if wanted and wanted not in known:
        empty(f"There is no sweep {wanted} in this folder.", "Choose one from the list.")
    chosen = choose("Sweep", list(known), key="sweep", start=next(iter(known)), shown=lambda name: _title(known[name]))
    sweep = known[chosen]
    active = sweep.live

    @st.fragment(run_every=3 if active else None)
    def panel() -> None:
        with guarded():
            _panel(sweep)
        if active and not sweep.live:
            st.rerun()

    panel()
    with st.expander("What all of its runs have in common"):
        st.json(sweep.asked)
        quiet(f"Runs folder: .sweeps/{sweep.id}.json")
        if st.button("Forget this sweep; its runs stay", key=f"forget.{sweep.id}", type="tertiary") and attempt(
            lambda: api.delete_sweep(sweep.id), "The sweep is forgotten."
        ):
            st.query_params.pop("sweep", None)
            st.session_state.pop("sweep", None)
            st.rerun()


def _title(sweep: Sweep) -> str:
    corpus = str(sweep.asked.get("corpus", "")).replace("\\", "/").rsplit("/", 1)[-1]
    return f"{sweep.title} · {sweep.asked.get('backbone', '')}, {corpus} · {len(sweep.cells)} runs"


def _panel(sweep: Sweep) -> None:
    states = sweep.states
    done, whole = states.get("done", 0), sum(states.values())
    if done < whole:
        rest = ", ".join(f"{count} {state}" for state, count in states.items() if state != "done")
        st.progress(done / whole, text=plain(f"{done} of {whole} runs have ended; {rest}"))
        if set(states) & {"missing", "stopped", "failed", "lost"} and not sweep.live:
            quiet("Ask for it again on the Train page: what is missing is queued, what was stopped goes on.")
    on, measured, at = st.columns(3, gap="medium")
    with measured:
        measure = choose(
            "Measure", list(MEASURES), key="measure", start="spearman", shown=lambda name: MEASURES[name].words
        )
    sets = pair_sets(sweep)
    with on:
        shown = {name: name if name == SUITE else pairs_name(name) for name in sets} or {"": "none scored yet"}
        pairs = choose("Scored on", list(shown), key="on", start=next(iter(shown)), shown=lambda name: shown[name])
    with at:
        checkpoint = choose_button(
            "Checkpoint", ["best", "last"], key="at", start="best", help="best: the step that its selection chose."
        )
    points = sweep.results(measure, pairs=pairs, checkpoint=checkpoint)
    table = summarised(points, list(sweep.over), baseline=baseline_of(sweep.kind))
    _figure(sweep, table, points, measure)
    if (table["n"] > 0).any():
        st.html(
            tournament_sheet(table, measure)
            if sweep.kind == TOURNAMENT
            else grid_sheet(table, list(sweep.over), measure)
        )
    repeat(
        python_call("sweep", sweep.id) + f".summary({measure!r}, pairs={pairs!r}, checkpoint={checkpoint!r})",
        command=f"python -m workbench sweep show {sweep.id} --measure {measure}",
    )


def _drawings(sweep: Sweep) -> list[str]:
    """The figures that can show a sweep, the literature's first."""
    if sweep.kind == TOURNAMENT:
        return ["dots"]
    numeric = [
        axis
        for axis, values in sweep.over.items()
        if len(values) > 1 and all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    ]
    if len(sweep.over) == 1:
        return ["line", "dots"] if numeric else ["dots"]
    return ["map", "line", "dots"] if numeric else ["map", "dots"]


def _figure(sweep: Sweep, table: "DataFrame", points: "DataFrame", measure: str) -> None:
    from workbench.plots.sweep_dots import sweep_dots
    from workbench.plots.sweep_line import sweep_line
    from workbench.plots.sweep_map import sweep_map

    kinds, axes = _drawings(sweep), list(sweep.over)
    kind = kinds[0]
    if len(kinds) > 1:
        names = {"map": "Heat map", "line": "Lines" if len(axes) > 1 else "Line", "dots": "Ranked"}
        kind = choose_button("Drawn as", kinds, key="drawn", start=kinds[0], shown=names.__getitem__)
    about: dict[str, Any] = {"words": MEASURES[measure].words, "scale": MEASURES[measure].scale}
    about |= {"higher": MEASURES[measure].higher, "dark": dark()}
    if kind == "line":
        across = next(
            axis for axis in reversed(axes) if all(isinstance(value, int | float) for value in sweep.over[axis])
        )
        drawn = sweep_line(table, points, axis=across, series="".join(a for a in axes if a != across), **about)
    elif kind == "map":
        drawn = sweep_map(table, down=axes[0], across=axes[1], **about)
    else:
        drawn = sweep_dots(table, points, axes=axes, **about)
    show(drawn, key=f"sweep.{sweep.id}.{kind}", caption=_caption(sweep, points), data=points)


def _caption(sweep: Sweep, points: "DataFrame") -> str:
    attrs = points.attrs
    said_ = [f"{pairs_name(attrs['pairs'])}, {attrs['checkpoint']} checkpoint"] if attrs["pairs"] else []
    said_.append("means over seeds with 95 % t intervals")
    against = "no augmentation" if sweep.kind == TOURNAMENT else "the best, which was chosen after the fact"
    said_.append(f"tie: paired over seeds against {against}, p > .05 after Holm")
    if sweep.kind == TOURNAMENT:
        said_.append(
            "filled: differs beyond noise; sentences that an augmentation leaves alone leave the negatives' batch"
        )
    return "; ".join(said_)


def grid_sheet(table: "DataFrame", axes: list[str], measure: str) -> str:
    """Every setting, the best first, as a table."""
    about = MEASURES[measure]
    rows = []
    for row in table.sort_values("mean", ascending=not about.higher, na_position="last").to_dict("records"):
        best = row["standing"] == "reference"
        rows.append(
            f'<tr class="{"best" if best else ""}">'
            + "".join(f'<td class="words">{html(said(row[axis]))}</td>' for axis in axes)
            + f"<td>{_number(row['mean'], about.scale)}</td><td>{_number(row['sd'], about.scale)}</td>"
            f"<td>{row['n']} of {row['wanted']}</td>"
            f"<td>{'' if best else _difference(row, about.scale)}</td><td class='words'>{_standing(row)}</td></tr>"
        )
    named = "".join(f"<th class='words'>{html(axis_name(axis))}</th>" for axis in axes)
    head = f"{named}<th>{html(about.words.split(',')[0])}</th><th>sd</th><th>n</th>"
    return _sheet(f"{head}<th>to the best</th><th class='words'>&nbsp;</th>", rows)


def tournament_sheet(table: "DataFrame", measure: str) -> str:
    """AugCSE's table: an augmentation a row, as positive and as negative, and what that is worth."""
    about = MEASURES[measure]
    found = {(row["augmentation"], row["role"]): row for row in table.to_dict("records")}
    lines = list(dict.fromkeys(name for name, role in found if role != BASELINE))

    def worth(line: str) -> float:
        means = [found[line, role]["mean"] for role in (POSITIVE, NEGATIVE) if (line, role) in found]
        known = [mean if about.higher else -mean for mean in means if not missing(mean)]
        return max(known, default=float("-inf"))

    base = found[("", BASELINE)]
    rows = [
        f"<tr><td class='words'>no augmentation</td><td class='words'></td><td>{_number(base['mean'], about.scale)}"
        f"<br><small>n = {base['n']}</small></td><td></td></tr>"
    ]
    for line in sorted(lines, key=worth, reverse=True):
        method = AUGMENTATIONS.get(line)
        kind = CLASSES.get(method.tags.get("class", ""), "") if method else ""
        cells = "".join(f"<td>{_entry(found.get((line, role)), about.scale)}</td>" for role in (POSITIVE, NEGATIVE))
        name = html(method.title if method else line)
        rows.append(f"<tr><td class='words'>{name}</td><td class='words'>{html(kind)}</td>{cells}</tr>")
    head = "<th class='words'>&nbsp;</th><th class='words'>its authors say</th>"
    return _sheet(f"{head}<th>as positive</th><th>as negative</th>", rows)


def _entry(row: "dict[str, Any] | None", scale: float) -> str:
    if row is None or not row["n"]:
        return DASH
    return f"{_number(row['mean'], scale)} <small>{_standing(row)}</small><br><small>{_difference(row, scale)}</small>"


def _number(value: float, scale: float) -> str:
    return DASH if missing(value) else figure(scale * value)


def _difference(row: "dict[str, Any]", scale: float) -> str:
    if missing(row["delta"]):
        return DASH
    delta = figure(scale * row["delta"])
    signed = delta if delta.startswith("−") else f"+{delta}"
    if missing(row["delta_low"]):
        return signed
    return f"{signed} <small>({figure(scale * row['delta_low'])} to {figure(scale * row['delta_high'])})</small>"


def _standing(row: "dict[str, Any]") -> str:
    return {"reference": "best", "tie": "a tie"}.get(row["standing"], str(row["standing"]))


def _sheet(head: str, rows: list[str]) -> str:
    return f'<div class="sheet"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
