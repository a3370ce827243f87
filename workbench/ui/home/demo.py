"""The comparison that ships with the app, as `python -m experiments.demo --data DIR` wrote it."""

import json
from collections.abc import Mapping
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
from workbench.ui.kit.figures import download, show, takeaway
from workbench.ui.kit.folding import folded
from workbench.ui.kit.notices import facts, quiet
from workbench.ui.kit.once import once
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.takeaways import ranking
from workbench.ui.kit.theme import dark
from workbench.ui.kit.words import count, figure, interval, join_names, score

if TYPE_CHECKING:
    from pandas import DataFrame

COMMAND = "python -m experiments.demo --data DIR"
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


class Case(TypedDict):
    """One corpus with its runs."""

    id: str
    title: str
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


class Environment(TypedDict, total=False):
    """What the comparison was computed with."""

    python: str
    packages: dict[str, str]
    device: str
    precision: str


class Demo(TypedDict):
    """comparison.json."""

    backbone: str
    recipe: str
    seeds: list[int]
    cases: list[Case]
    environment: Environment
    written: str


def shipped() -> Demo | None:
    """The contents of comparison.json, or None if it was not shipped."""
    if not (FOLDER / "comparison.json").exists():
        return None
    return _json(str(FOLDER / "comparison.json"))


def shipped_table(name: str) -> "DataFrame":
    """One of the tables next to it: plane or cone."""
    return _parquet(str(FOLDER / f"{name}.parquet"))


@st.cache_data(show_spinner=False, max_entries=8)
def _json(path: str) -> Demo:
    comparison: Demo = json.loads(Path(path).read_text(encoding="utf-8"))
    return comparison


@st.cache_data(show_spinner=False, max_entries=8)
def _parquet(path: str) -> "DataFrame":
    import pandas

    return pandas.read_parquet(path)


# The figures below are the same for everyone and depend on the shipped files alone, so their names and the theme are enough
# as cache keys.


def demo_facts(demo: Demo) -> None:
    """The result of the first case, in words and numbers."""
    _case_facts(demo, demo["cases"][0])


def demo_plane(demo: Demo) -> None:
    """The paths of all seeds of the first case over the plane."""
    _plane(demo, demo["cases"][0])


def demo_cone(demo: Demo, checkpoint: str) -> None:
    """The cone of the first seed of the first case: `step0` or `last`."""
    once(lambda: _cone(demo, checkpoint), "demo.cone", checkpoint)
    download(lambda: _cone_table(demo, checkpoint), f"demo.cone.{checkpoint}.csv")


def _cone_table(demo: Demo, checkpoint: str) -> "DataFrame":
    """The points of a cone, with their measures in `.attrs`."""
    table = shipped_table("cone")
    case_id = demo["cases"][0]["id"]
    table = table[(table["case"] == case_id) & (table["checkpoint"] == checkpoint)].reset_index(drop=True)
    first = table.iloc[0]
    table.attrs = {
        "method": "cone",
        "mean_cosine": float(first["mean_cosine"]),
        "mean_cosine_centred": float(first["mean_cosine_centred"]),
        "drawn_mean_cosine": float(first["drawn_mean_cosine"]),
        "drawn_mean_cosine_centred": _drawn_centred(table),
    }
    return table


def _cone(demo: Demo, checkpoint: str) -> None:
    case, table = demo["cases"][0], _cone_table(demo, checkpoint)
    when = "before" if checkpoint == "step0" else f"after {case['steps']} steps"
    drawn = projection(table, dark=dark(), untrained=checkpoint == "step0")
    if checkpoint != "step0":
        colour = next(iter(_styles(case, demo["seeds"], dark()).values())).colour
        drawn.update_traces(
            marker_color=colour, selector={"mode": "markers", "hovertemplate": "%{customdata}<extra></extra>"}
        )
    point = f"{when.capitalize()}, on demo sentences: mean cosine {figure(table.attrs['mean_cosine'])}" + (
        ", one shared direction."
        if table.attrs["mean_cosine"] > 0.3
        else ", the cone is open."
        if checkpoint != "step0"
        else "."
    )
    show(
        drawn,
        key=f"demo.cone.{checkpoint}",
        point=point,
        height=340,
        caption=f"{len(table)} of the demo sentences, uncentred; cross: origin, arrow: mean vector; seed {demo['seeds'][0]}",
    )


def _drawn_centred(table: "DataFrame") -> float:
    from workbench.metrics.mean_cosine import mean_cosine

    points = table[["x", "y"]].to_numpy("float64")
    return float(mean_cosine(points - points.mean(axis=0)))


def demo_second_case(demo: Demo) -> None:
    """The case where the space opens and the ranking gets worse."""
    if len(demo["cases"]) < 2:
        return
    case = demo["cases"][1]
    st.header(f"The other case: {case['title'].lower()}")
    _case_facts(demo, case)
    curve, plane = st.columns(2, gap="large")
    with curve:
        once(lambda: _curves(demo, case), "demo.curves", case["id"])
        download(lambda: _paths(case, demo["seeds"]), f"demo.curves.{case['id']}.csv")
    with plane:
        _plane(demo, case)


def _curves(demo: Demo, case: Case) -> None:
    table = _paths(case, demo["seeds"])
    mine = _styles(case, demo["seeds"], dark())
    show(
        curves(table, measures=["mean_cosine", "spearman"], dark=dark(), styles=mine),
        key=f"demo.curves.{case['id']}",
        caption=f"probes on {table['pairs'].iloc[0]}, one line per seed",
        height=340,
    )


def demo_provenance(demo: Demo) -> None:
    """Where the shipped numbers come from, down to the last setting, and how to reproduce them."""
    _how_made(demo)
    repeat(*(line for case in demo["cases"] for line in case_lines(demo, case)), command=COMMAND)


def case_lines(demo: Demo, case: Case) -> list[str]:
    """Lines of Python that train a case again, one run per seed; DIR is the folder with the STS data."""
    config = tomli.loads(case["config"])
    changed = {name: _setting(config, name) for name, origin in config["origins"].items() if origin == "user"}
    backbone, _ = changed.pop("model.backbone"), changed.pop("training.seed")
    call = python_call("train", demo["recipe"], backbone=backbone, corpus=config["corpus"]["source"], **changed)
    return [f"for seed in {demo['seeds']}:", f"    {call.removesuffix(')')}, seed=seed)"]


def _setting(config: Mapping[str, object], name: str) -> object:
    setting: object = config
    for part in name.split("."):
        assert isinstance(setting, Mapping)
        setting = setting[part]
    return setting


def _how_made(demo: Demo) -> None:
    environment = demo.get("environment", {})
    packages = environment.get("packages", {})
    made = folded("How these numbers were made", key="demo.provenance")
    if made is None:
        return
    with made:
        named = join_names(
            [f"{name} {packages[name]}" for name in ("torch", "transformers", "numpy") if name in packages]
        )
        seeds = join_names([str(seed) for seed in demo["seeds"]])
        quiet(
            f"Seeds {seeds}; the last step is used, nothing was tuned. Written on {demo['written']} by "
            f"`{COMMAND}`, Python {environment.get('python', '–')}, {named}, "
            f"{environment.get('device', '–')}, {environment.get('precision', '–')}."
        )
        for case, tab in zip(demo["cases"], st.tabs([case["title"] for case in demo["cases"]]), strict=True):
            with tab:
                quiet(
                    f"Trained on {case['corpus']} ({count(case['texts'])} texts), probed on {case['watched']}, "
                    f"scored on {case['pairs']} ({case['scores']}, n = {count(case['n'])})."
                )
                st.code(case["command"], language="bash", wrap_lines=True)
                st.code(case["config"], language="toml", height=260)


def _case_facts(demo: Demo, case: Case) -> None:
    before, after, gain = case["before"], case["after"], case["gain"]
    mean = {name: sum(row[name] for row in after) / len(after) for name in ("spearman", "uniformity", "mean_cosine")}
    seeds = f"{len(after)} seeds"
    sure = gain["low"] * gain["high"] > 0
    moved = ranking(before["spearman"], mean["spearman"], sure=sure)
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
            "Spearman after": f"mean of {seeds}: {', '.join(score(row['spearman']) for row in after)}",
            "Difference": f"{interval(gain['low'], gain['high'])} over {seeds}",
            "Uniformity": "lower is better",
        },
    )
    quiet(
        f"{demo['backbone']}, {case['steps']} steps of {demo['recipe']} on {case['corpus']} ({count(case['texts'])} texts); "
        f"{case['pairs']} ({case['scores']}), on which nothing was chosen. {_over_pairs(case)}"
    )


def _over_pairs(case: Case) -> str:
    """What the pairs alone say about the difference: seeds may agree although there are too few pairs to tell."""
    first = case["after"][0]["difference"]
    span = interval(first["low"], first["high"])
    if first["low"] <= 0 <= first["high"]:
        return f"The seeds agree, but {count(case['n'])} pairs cannot tell it from a tie: {span} over pairs, seed 0."
    return f"Over pairs the difference is {span} (seed 0, paired bootstrap)."


def _plane(demo: Demo, case: Case) -> None:
    once(lambda: _drawn_plane(demo, case), "demo.plane", case["id"])
    download(lambda: _paths(case, demo["seeds"]), f"demo.plane.{case['id']}.csv")


def _drawn_plane(demo: Demo, case: Case) -> None:
    table = _paths(case, demo["seeds"])
    table["alignment_on"] = table["pairs"]
    paths = table.sort_values("step").groupby("target")[["uniformity", "alignment"]]
    first, last = paths.first().mean(), paths.last().mean()
    point = (
        f"Uniformity went from {figure(first['uniformity'])} to {figure(last['uniformity'])}, alignment from "
        f"{figure(first['alignment'])} to {figure(last['alignment'])}."
    )
    drawn = plane(table, dark=dark(), styles=_styles(case, demo["seeds"], dark()), legend=True)
    show(
        drawn,
        key=f"demo.plane.{case['id']}",
        point=point,
        caption=f"one path per seed, one point per probe on {table['pairs'].iloc[0]}; figures at the top: {case['pairs']}",
        height=340,
    )


def _paths(case: Case, seeds: list[int]) -> "DataFrame":
    table = shipped_table("plane")
    table = table[table["case"] == case["id"]]
    return table.assign(target=[f"seed {seed}" for seed in table["seed"]], untrained=False)


def _styles(case: Case, seeds: list[int], dark_theme: bool) -> dict[str, Style]:
    """One colour per case; seeds differ in symbol and dash."""
    colour = look(dark_theme).series[case["id"] != "stsb"]
    return {
        f"seed {seed}": Style(colour, SYMBOLS[number % len(SYMBOLS)], DASHES[number % len(DASHES)])
        for number, seed in enumerate(seeds)
    }
