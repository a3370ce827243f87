"""The comparisons that ship with the app, as `python -m experiments.demo` wrote them."""

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import streamlit as st
import tomli

from workbench.core import paths
from workbench.plots.curves import curves
from workbench.plots.plane import plane
from workbench.plots.projection import projection
from workbench.plots.takeaway import opened
from workbench.plots.template import DASHES, SYMBOLS, Style, look
from workbench.ui.kit.figures import show_made, takeaway
from workbench.ui.kit.folding import folded
from workbench.ui.kit.glossary import MEASURES
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.takeaways import ranking
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count, figure, interval, join_names, score

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

COMMANDS = ("python -m experiments.demo", "python -m experiments.demo stsb wiki --data DIR")
"""What makes the first case again, and the others."""
FOLDER = paths.shipped("assets", "demo", "results")


class Interval(TypedDict):
    """A confidence interval."""

    low: float
    high: float


class Measured(Interval):
    """The scores of one checkpoint; the interval is that of Spearman."""

    spearman: float
    alignment: float
    uniformity: float
    mean_cosine: float


class Trained(Measured):
    """The scores of one seed, and their difference from the untrained backbone over pairs."""

    seed: int
    difference: Interval


class Gain(Interval):
    """The mean difference over seeds."""

    mean: float


class Environment(TypedDict, total=False):
    """What a case was computed with."""

    python: str
    packages: dict[str, str]
    device: str
    precision: str


class Case(TypedDict):
    """One corpus with its runs."""

    id: str
    title: str
    recipe: str
    backbone: str
    seeds: list[int]
    corpus: str
    texts: int
    pairs: str
    watched: str
    scores: str
    n: int
    steps: int
    before: Measured
    after: list[Trained]
    gain: Gain
    config: str
    command: str
    environment: Environment
    written: str


def shipped() -> list[Case]:
    """The cases in comparison.json, what the button on Home computes first; empty if the file was not shipped."""
    path = FOLDER / "comparison.json"
    return _json(str(path)) if path.exists() else []


def shipped_table(name: str) -> "DataFrame":
    """One of the tables next to it: plane or cone."""
    return _parquet(str(FOLDER / f"{name}.parquet"))


@st.cache_data(show_spinner=False, max_entries=8)
def _json(path: str) -> list[Case]:
    cases: list[Case] = json.loads(Path(path).read_text(encoding="utf-8"))["cases"]
    return cases


@st.cache_data(show_spinner=False, max_entries=8)
def _parquet(path: str) -> "DataFrame":
    import pandas

    return pandas.read_parquet(path)


# The figures below are the same for everyone and depend on the shipped files alone, so their names and the theme are enough
# as cache keys.


def demo_facts(case: Case, *, explain: bool = False) -> None:
    """The result of a case, in words and numbers; with `explain`, measures have their meanings."""
    before, after, gain = case["before"], case["after"], case["gain"]
    mean = {name: sum(row[name] for row in after) / len(after) for name in ("spearman", "uniformity", "mean_cosine")}
    seeds, scores = f"{len(after)} seeds", [row["spearman"] for row in after]
    sure = gain["low"] * gain["high"] > 0
    moved = ranking(before["spearman"], mean["spearman"], sure=sure, of=case["pairs"])
    takeaway(f"{opened(before['mean_cosine'], mean['mean_cosine'])} {moved}")
    signed = f"{100 * gain['mean']:+.2f}".replace("-", "−")
    facts(
        {
            "Spearman before": score(before["spearman"]),
            "Spearman after": score(mean["spearman"]),
            "Difference": signed,
            "Uniformity": f"{figure(before['uniformity'])} → {figure(mean['uniformity'])}",
            "Mean cosine": f"{figure(before['mean_cosine'])} → {figure(mean['mean_cosine'])}",
        },
        {
            "Spearman before": f"{interval(before['low'], before['high'])}, n = {count(case['n'])}",
            "Spearman after": f"mean of {seeds}, {score(min(scores))} to {score(max(scores))}",
            "Difference": f"{interval(gain['low'], gain['high'])} over {seeds}",
            "Uniformity": "lower is better",
        },
        explain=MEASURES if explain else (),
    )
    quiet(
        f"{case['backbone']}, {case['steps']} steps of {case['recipe']} on {case['corpus']} ({count(case['texts'])} texts); "
        f"{case['pairs']} ({case['scores']}), on which nothing was chosen. {_over_pairs(case)}"
    )


def _over_pairs(case: Case) -> str:
    """What the pairs alone say about the difference: seeds may agree although there are too few pairs to tell."""
    ties = [row["seed"] for row in case["after"] if row["difference"]["low"] <= 0 <= row["difference"]["high"]]
    first = case["after"][0]["difference"]
    span = f"seed {case['seeds'][0]}: {interval(first['low'], first['high'])}, paired bootstrap"
    if len(ties) == len(case["after"]):
        return f"The seeds agree, but {count(case['n'])} pairs cannot tell it from a tie ({span})."
    if ties:
        return f"Over pairs the difference is a tie in {len(ties)} of {len(case['after'])} seeds ({span})."
    return f"Over pairs the interval of the difference leaves out 0 in each seed ({span})."


def demo_cone(case: Case, checkpoint: str) -> None:
    """The cone of the first seed of a case: `step0` or `last`."""
    every = shipped_table("cone")
    table = every[(every["case"] == case["id"]) & (every["checkpoint"] == checkpoint)]
    mean_cosine = float(table["mean_cosine"].iloc[0])
    when = "before" if checkpoint == "step0" else f"after {case['steps']} steps"
    shape = ", one shared direction." if mean_cosine > 0.3 else "." if checkpoint == "step0" else ", an open cone."
    show_made(
        lambda: _cone(case, checkpoint),
        case["id"],
        checkpoint,
        key=f"demo.cone.{checkpoint}",
        point=f"{when.capitalize()}: mean cosine {figure(mean_cosine)}{shape}",
        height=340,
        caption=f"{len(table)} sentences of {case['watched']}, uncentred; cross: origin, arrow: mean vector; seed "
        f"{case['seeds'][0]}",
        data=lambda: _cone_table(case, checkpoint),
    )


def _cone_table(case: Case, checkpoint: str) -> "DataFrame":
    """The points of a cone, with their measures in `.attrs`."""
    table = shipped_table("cone")
    table = table[(table["case"] == case["id"]) & (table["checkpoint"] == checkpoint)].reset_index(drop=True)
    first = table.iloc[0]
    table.attrs = {
        "method": "cone",
        "mean_cosine": float(first["mean_cosine"]),
        "mean_cosine_centred": float(first["mean_cosine_centred"]),
        "drawn_mean_cosine": float(first["drawn_mean_cosine"]),
        "drawn_mean_cosine_centred": _drawn_centred(table),
    }
    return table


def _cone(case: Case, checkpoint: str) -> "Figure":
    table, before = _cone_table(case, checkpoint), checkpoint == "step0"
    drawn = projection(table, dark=dark(), untrained=before)
    if not before:
        colour = next(iter(_styles(case, dark()).values())).colour
        drawn.update_traces(
            marker_color=colour, selector={"mode": "markers", "hovertemplate": "%{customdata}<extra></extra>"}
        )
    return drawn


def _drawn_centred(table: "DataFrame") -> float:
    from workbench.metrics.mean_cosine import mean_cosine

    points = table[["x", "y"]].to_numpy("float64")
    return float(mean_cosine(points - points.mean(axis=0)))


def demo_on_stsb(cases: list[Case]) -> None:
    """The same recipe on other texts, by people's scores: one case that gains, and one where only the space opens."""
    if not cases:
        return
    st.header("The same recipe, scored by people on STS-B: the texts decide")
    for column, case in zip(st.columns(len(cases), gap="large"), cases, strict=True):
        with column:
            st.subheader(case["title"])
            demo_facts(case)
            show_made(
                partial(_curves, case),
                case["id"],
                key=f"demo.curves.{case['id']}",
                caption=f"probes on {_paths(case)['pairs'].iloc[0]}, one line per seed",
                height=340,
                data=partial(_paths, case),
            )


def _curves(case: Case) -> "Figure":
    return curves(_paths(case), measures=["mean_cosine", "spearman"], dark=dark(), styles=_styles(case, dark()))


def demo_provenance(cases: list[Case]) -> None:
    """Where the shipped numbers come from, down to the last setting, and how to reproduce them."""
    _how_made(cases)
    repeat(*(line for case in cases for line in case_lines(case)), command="\n".join(COMMANDS))


def case_lines(case: Case) -> list[str]:
    """Lines of Python that train a case again, one run per seed; DIR is the folder with the STS data."""
    config = tomli.loads(case["config"])
    changed = {name: _setting(config, name) for name, origin in config["origins"].items() if origin == "user"}
    backbone, _ = changed.pop("model.backbone"), changed.pop("training.seed")
    call = python_call("train", case["recipe"], backbone=backbone, corpus=config["corpus"]["source"], **changed)
    return [f"for seed in {case['seeds']}:", f"    {call.removesuffix(')')}, seed=seed)"]


def _setting(config: Mapping[str, object], name: str) -> object:
    setting: object = config
    for part in name.split("."):
        assert isinstance(setting, Mapping)
        setting = setting[part]
    return setting


def _how_made(cases: list[Case]) -> None:
    made = folded("How these numbers were made", key="demo.provenance")
    if made is None:
        return
    with made:
        for case, tab in zip(cases, st.tabs([case["title"] for case in cases]), strict=True):
            environment = case["environment"]
            packages = environment.get("packages", {})
            named = join_names(
                [f"{name} {packages[name]}" for name in ("torch", "transformers", "numpy") if name in packages]
            )
            seeds = join_names([str(seed) for seed in case["seeds"]])
            with tab:
                quiet(
                    f"Trained on {case['corpus']} ({count(case['texts'])} texts), probed on {case['watched']}, "
                    f"scored on {case['pairs']} ({case['scores']}, n = {count(case['n'])}). Seeds {seeds}; the last step is "
                    f"used. Written on {case['written']}, Python {environment.get('python', '–')}, {named}, "
                    f"{environment.get('device', '–')}, {environment.get('precision', '–')}."
                )
                st.code(case["command"], language="bash", wrap_lines=True)
                st.code(case["config"], language="toml", height=260)


def demo_plane(case: Case) -> None:
    """The paths of all seeds of a case over the plane."""
    table = _paths(case)
    paths = table.sort_values("step").groupby("target")[["uniformity", "alignment"]]
    first, last = paths.first().mean(), paths.last().mean()
    show_made(
        lambda: _plane(case),
        case["id"],
        key=f"demo.plane.{case['id']}",
        point=f"Uniformity went from {figure(first['uniformity'])} to {figure(last['uniformity'])}, alignment from "
        f"{figure(first['alignment'])} to {figure(last['alignment'])}.",
        caption=f"one path per seed, one point per probe on {table['pairs'].iloc[0]}; figures at the top: {case['pairs']}",
        height=340,
        data=partial(_paths, case),
    )


def _plane(case: Case) -> "Figure":
    table = _paths(case)
    return plane(table.assign(alignment_on=table["pairs"]), dark=dark(), styles=_styles(case, dark()), legend=True)


def _paths(case: Case) -> "DataFrame":
    table = shipped_table("plane")
    table = table[table["case"] == case["id"]]
    return table.assign(target=[f"seed {seed}" for seed in table["seed"]], untrained=False)


def _styles(case: Case, dark_theme: bool) -> dict[str, Style]:
    """One colour per corpus; seeds differ in symbol and dash."""
    colours = look(dark_theme).series
    colour = colours[[known["id"] for known in shipped()].index(case["id"]) % len(colours)]
    return {
        f"seed {seed}": Style(colour, SYMBOLS[number % len(SYMBOLS)], DASHES[number % len(DASHES)])
        for number, seed in enumerate(case["seeds"])
    }
