"""The figures of the lesson as figures of `workbench.plots`, for print: what the browser draws from the same numbers.

Each is a function of the numbers of its step and of what its knobs are set to, which begin where those of the lesson do. Its
finding is the sentence that the browser shows with it (assets/lesson/lesson.js).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import floor
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from workbench.core.errors import BadSetting, unknown
from workbench.core.method import Knob, Value, check_settings, settings_of
from workbench.lesson.facts import LOWEST, Numbers
from workbench.lesson.forces import forces, moved
from workbench.lesson.words import read
from workbench.plots.takeaway import number
from workbench.plots.template import Style, escaped, look, set_takeaway

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

SIDES = {"before": "before training", "after": "after training"}
OTHERS = {"before": "encoder before", "after": "encoder after"}
"""What both are called where none was trained from the other."""
CLASSES = {"preserving": "keeps the meaning", "possible": "may change it", "meaning_alteration": "alters it"}
MOST_PUSHED = 6
"""Sentences that are listed by their share of the push; the rest is one."""
_Side = Annotated[Literal["before", "after"], Knob(help="The encoder: before or after training.")]


def lesson_figure(
    name: str, knobs: Mapping[str, Value], *, numbers: Numbers | None = None, dark: bool = False
) -> "Figure":
    """The figure of `FIGURES` with this name, from the shipped numbers or from those that `Lesson` computed for its step.

    Raises:
        UnknownName: there is no such figure, or it has no such knob.
        BadSetting: a knob cannot be set to this.
    """
    if name not in FIGURES:
        raise unknown("figure of the lesson", name, FIGURES)
    draw, step = FIGURES[name], name.partition("_")[0]
    shipped = read()
    values = check_settings(settings_of(draw), knobs, name)
    drawn = draw(numbers or shipped["numbers"]["steps"][step], dark, **values)
    title = next(each["title"] for each in shipped["words"]["steps"] if each["id"] == step)
    drawn.update_layout(meta={**drawn.layout.meta, "alt": f"{title.rstrip('?')}: {drawn.layout.meta['alt']}"})
    return drawn


def strangers(
    numbers: Numbers,
    dark: bool,
    *,
    threshold: Annotated[float, Knob(-0.2, 1.0, 0.01, "Pairs above it would be called alike.")] = 0.8,
    side: _Side = "before",
) -> "Figure":
    """Cosines of unrelated sentences and of those that mean the same, and a threshold."""
    counts = {
        "unrelated sentences": numbers[side]["random"],
        "sentences that mean the same": numbers[side]["same"],
    }
    wrong, right = (_above(values, threshold) for values in counts.values())
    drawn = _hills(
        counts,
        f"At {number(threshold)}, {percent(right)} of the pairs that mean the same are above the threshold, and {percent(wrong)} "
        "of the unrelated ones.",
        _random_and_same(dark),
        dark,
    )
    _mark(drawn, threshold, dark)
    return drawn


def ranking(
    numbers: Numbers,
    dark: bool,
    *,
    squeeze: Annotated[float, Knob(0.0, 0.95, 0.05, "How far cosines are pressed towards 1: 0.9 is ten times.")] = 0.9,
    side: _Side = "before",
) -> "Figure":
    """Cosines against the scores of two readers, with all cosines pressed towards 1."""
    import pandas

    from workbench.plots.gold_scatter import gold_scatter
    from workbench.statistics.correlation import spearman

    raw, gold = np.asarray(numbers[side]["cosines"]), numbers["shared"]["gold"]
    cosines = 1 - (1 - raw) * (1 - squeeze)
    drawn = gold_scatter(
        pandas.DataFrame({"gold": gold, "cosine": cosines}),
        lowest=float(raw.min()),
        styles={"": _sides(dark)[side]},
        dark=dark,
    )
    set_takeaway(
        drawn,
        f"Spearman {number(100 * spearman(cosines, gold), 1)}, mean cosine of the pairs {number(float(cosines.mean()))}.",
    )
    return drawn


def mean(
    numbers: Numbers,
    dark: bool,
    *,
    share: Annotated[float, Knob(0.0, 1.0, 0.1, "How much of the mean is subtracted.")] = 0.0,
    side: _Side = "before",
) -> "Figure":
    """Sentences as arrows from the origin, with a share of their mean subtracted."""
    at = _place(numbers["shared"]["shares"], share, "share")
    found = numbers[side]
    left = (1 - share) * found["length"]
    points = np.asarray(found["points"]) - [share * found["length"], 0]
    drawn = _fan(points, left, _sides(dark)[side], dark)
    said = f"With {percent(share)} of the mean subtracted, the mean cosine is {number(found['mean_cosine'][at])}."
    set_takeaway(drawn, said)
    return drawn


def centring(
    numbers: Numbers,
    dark: bool,
    *,
    removed: Annotated[int, Knob(-1, 20, 1, "-1: nothing; 0: the mean; above: that many main directions, too.")] = 0,
) -> "Figure":
    """Spearman with the mean and main directions removed."""
    values = numbers["shared"]["removed"]
    at = _place(values, removed, "removed")
    drawn = _lines(
        numbers,
        {"spearman": "Spearman × 100, higher is better"},
        ["nothing" if value < 0 else "mean" if value == 0 else f"+{value}" for value in values],
        "removed: the mean, then so many main directions",
        at,
        dark,
    )
    gone = (
        f"the mean and {removed} direction{'s'[: removed > 1]}"
        if removed > 0
        else "nothing"
        if removed < 0
        else "the mean"
    )
    before, after = (number(100 * numbers[side]["spearman"][at], 1) for side in SIDES)
    set_takeaway(drawn, f"{gone[0].upper()}{gone[1:]} removed: Spearman {_both(numbers, before, after, ', ')}.")
    return drawn


def layers(
    numbers: Numbers,
    dark: bool,
    *,
    layer: Annotated[int, Knob(-1, 1000, 1, "-1: the narrowest; 0: the words.", special=(-1, "the narrowest"))] = -1,
) -> "Figure":
    """Mean cosine after each layer."""
    at = _layer(numbers, layer)
    drawn = _lines(
        numbers,
        {"mean_cosine": "mean cosine, nearer 0 is more open"},
        ["words", *map(str, range(1, _depth(numbers) + 1))],
        "layer",
        at,
        dark,
    )
    drawn.update_yaxes(rangemode="tozero")
    set_takeaway(drawn, _of_layer(numbers, at))
    return drawn


def layers_random(
    numbers: Numbers,
    dark: bool,
    *,
    layer: Annotated[int, Knob(-1, 1000, 1, "-1: the narrowest; 0: the words.", special=(-1, "the narrowest"))] = -1,
) -> "Figure":
    """Cosines of random sentences after one layer."""
    at = _layer(numbers, layer)
    styles = _sides(dark)
    styles["before"] = replace(styles["before"], dash="dot")
    there = [side for side in SIDES if at < len(numbers[side]["random"])]
    return _hills(
        {_names(numbers)[side]: numbers[side]["random"][at] for side in there},
        _of_layer(numbers, at),
        [styles[side] for side in there],
        dark,
    )


def frequency(
    numbers: Numbers,
    dark: bool,
    *,
    left_out: Annotated[
        int, Knob(-1, 1000, 1, "Most frequent word pieces; -1: as many as are best.", special=(-1, "the best"))
    ] = -1,
) -> "Figure":
    """Spearman with the most frequent word pieces left out of the average."""
    values = numbers["shared"]["left_out"]
    wanted = int(numbers["facts"]["best_out"]) if left_out < 0 else left_out
    at = _place(values, wanted, "left_out")
    drawn = _lines(
        numbers,
        {"spearman": "Spearman × 100, higher is better"},
        [f"{value}" for value in values],
        "most frequent word pieces left out",
        at,
        dark,
    )
    before, after = (number(100 * numbers[side]["spearman"][at], 1) for side in SIDES)
    set_takeaway(
        drawn,
        f"With the {wanted} most frequent word pieces left out, Spearman is {_both(numbers, before, after)}.",
    )
    return drawn


def frequency_lengths(numbers: Numbers, dark: bool) -> "Figure":
    """Mean length of word embeddings, by rank of frequency."""
    bins = numbers["before"]["bins"]
    drawn = _lines(
        {"before": {"norm": [each["norm"] for each in bins]}, "facts": numbers["facts"]},
        {"norm": "mean length of word embeddings"},
        [f"{each['first'] + 1:,} to {each['last'] + 1:,}<br>{escaped(', '.join(each['words'][:2]))}" for each in bins],
        "rank by frequency",
        None,
        dark,
    )
    drawn.update_yaxes(rangemode="tozero")
    frequent, rare = (number(each["norm"]) for each in (bins[0], bins[-1]))
    set_takeaway(
        drawn,
        f"The {bins[0]['last'] + 1:,} most frequent word pieces have embeddings of mean length {frequent}, the rarest {rare}.",
    )
    return drawn


def balance(
    numbers: Numbers,
    dark: bool,
    *,
    pull: Annotated[float, Knob(0.0, 2.0, 0.1, "Weight of alignment.")] = 1.0,
    push: Annotated[float, Knob(0.0, 2.0, 0.1, "Weight of uniformity.")] = 0.0,
    space: Annotated[Literal["circle", "sphere"], Knob(help="Where the points are.")] = "circle",
    steps: Annotated[int, Knob(0, 400, 1, "Steps along the gradient.")] = 400,
) -> "Figure":
    """Pairs of points after steps of alignment and uniformity."""
    import pandas

    from workbench.plots.projection import projection

    first, second = (np.asarray(numbers["shared"][space][name]) for name in ("a", "b"))
    a, b = moved(first, second, pull, push, steps)
    alignment, uniformity, *_ = forces(a, b)
    rows = np.concatenate([a, b])
    if space == "sphere":  # seen a little from the side
        rows = rows @ np.array([[0.86, 0.0], [0.0, 1.0], [0.5, 0.0]])
    views = np.repeat(["first view", "second view"], len(a))
    table = pandas.DataFrame({"x": rows[:, 0], "y": rows[:, 1], "view": views, "row": range(len(rows))})
    table.attrs = {"method": "unit"}
    pairs = [(row, row + len(a)) for row in range(len(a))]
    drawn = projection(table, group="view", joined=pairs, dark=dark)
    drawn.update_layout(xaxis_range=[-1.05, 1.05], yaxis_range=[-1.05, 1.05])
    set_takeaway(
        drawn,
        f"After {steps} steps with weights {pull:g} and {push:g}: alignment {number(alignment)}, "
        f"uniformity {number(uniformity)}.",
    )
    return drawn


def dropout(
    numbers: Numbers,
    dark: bool,
    *,
    rate: Annotated[float, Knob(0.0, 0.5, 0.01, "The rate of dropout.")] = 0.1,
    side: _Side = "before",
) -> "Figure":
    """Cosines of two views of a sentence, and of views of different ones."""
    at = _place(numbers["shared"]["rates"], rate, "rate")
    found = {name: values[at] for name, values in numbers[side].items()}
    return _hills(
        {"views of different sentences": found["other"], "two views of one sentence": found["same"]},
        f"At a rate of {percent(rate)}, two views of a sentence have a mean cosine of {number(found['same_mean'])}, views of "
        f"different sentences {number(found['other_mean'])}; {percent(found['nearest'])} find their partner.",
        _random_and_same(dark),
        dark,
    )


def temperature(
    numbers: Numbers,
    dark: bool,
    *,
    temperature: Annotated[float, Knob(0.001, 10.0, 0.01, "Of the softmax.")] = 0.05,
    sentence: Annotated[int, Knob(1, 1000, 1, "Its number in the batch.")] = 1,
    side: _Side = "before",
) -> "Figure":
    """The shares of the push that a sentence gets from its negatives."""
    import pandas

    from workbench.plots.ranked import ranked

    shared = numbers["shared"]
    count = len(shared["text"])
    row = _place(range(1, count + 1), sentence, "sentence")
    logits = np.asarray(numbers[side]["cosines"][row]) / temperature
    logits[row] = -np.inf  # the partner pulls
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    order = np.argsort(-shares, kind="stable")[: len(shares) - 1]
    listed = order[:MOST_PUSHED]
    candidates = [*shared["positive"], *shared["negative"]]
    rows = [
        {
            "label": candidates[at],
            "value": 100 * shares[at],
            "note": percent(float(shares[at])),
            "group": "its own contradiction" if at == row + count else "other sentences of the batch",
        }
        for at in listed
    ]
    best, rest = float(shares[order[0]]), float(shares[order[MOST_PUSHED:]].sum())
    said = f"At temperature {temperature:g} the most similar negative gets {percent(best)} of the push."
    drawn = ranked(
        pandas.DataFrame(rows),
        axis="share of the push, %",
        counted=f"negatives of “{shared['text'][row]}”",
        point=f"{said} The {len(order) - len(listed)} others get {percent(rest)}.",
        limits=(0.0, 120 * float(shares.max())),
        dark=dark,
    )
    if drawn.layout.xaxis.range[1] > 100:  # the rest is room for the numbers
        drawn.update_xaxes(tickvals=list(range(0, 101, 20)))
    return drawn


def film(
    numbers: Numbers,
    dark: bool,
    *,
    step: Annotated[int, Knob(0, 10**6, 1, "The step of the training.")] = 0,
) -> "Figure":
    """Sentences as arrows from the origin at a step of the training, in the plane of the first step.

    Two encoders of which none was trained from the other are steps 0 and 1, each in a plane of its own.
    """
    at, said = _frame(numbers, step)
    points = np.asarray(numbers["frames"][at]["points"])
    drawn = _fan(points, float(points[:, 0].mean()), _sides(dark)["after" if at else "before"], dark)
    for note in drawn.layout.annotations:
        if note.text.startswith("mean,"):  # the arrow is what lies in this plane, and shorter than the mean
            note.text = "mean"
    set_takeaway(drawn, said)
    return drawn


def film_curves(
    numbers: Numbers,
    dark: bool,
    *,
    step: Annotated[int, Knob(0, 10**6, 1, "The step of the training.")] = 0,
) -> "Figure":
    """Mean cosine and Spearman by step."""
    at, said = _frame(numbers, step)
    frames = numbers["frames"]
    words = {"mean_cosine": "mean cosine, nearer 0 is more open", "spearman": "Spearman × 100, higher is better"}
    curves = {measure: [frame[measure] for frame in frames] for measure in words}
    lines = {"after": curves, "facts": numbers["facts"]}
    if numbers["facts"]["steps"]:
        steps = [frame["step"] for frame in frames]
        drawn = _lines(lines, words, [f"{each}" for each in steps], "step", at, dark, steps)
    else:
        drawn = _lines(lines, words, list(SIDES), "encoder", at, dark)
    colours = look(dark).series
    for trace, colour in zip(drawn.data, (colours[3], colours[6]), strict=True):  # not those of before and after
        trace.update(line_color=colour, marker_color=colour)
    set_takeaway(drawn, said)
    return drawn


def augmentations(
    numbers: Numbers,
    dark: bool,
    *,
    change: Annotated[
        str, Knob(help="The title of a change; empty for the altering one with the highest cosine.")
    ] = "",
    side: _Side = "before",
) -> "Figure":
    """Cosines of sentences with what each augmentation made of them."""
    import pandas

    from workbench.plots.ranked import ranked

    methods, cosines = numbers["shared"]["methods"], numbers[side]["cosine"]
    titles = [method["title"] for method in methods]
    title = change or str(numbers["facts"]["altering_title"])
    if title not in titles:
        raise unknown("change", title, titles)
    at = titles.index(title)
    said = (
        f"{title}: mean cosine {number(cosines[at])} of {methods[at]['changed']} sentences with what it made of them."
    )
    classes = [CLASSES[method["class"]] for method in methods]
    table = pandas.DataFrame({"label": titles, "value": cosines, "group": classes})
    return ranked(
        table.iloc[np.argsort([list(CLASSES.values()).index(words) for words in classes], kind="stable")],
        axis="mean cosine of sentence and changed one",
        counted="changes",
        point=said,
        limits=(floor(10 * min(cosines)) / 10 - 0.02, 1.02),
        chosen=title,
        dark=dark,
    )


FIGURES: "dict[str, Callable[..., Figure]]" = {
    draw.__name__: draw
    for draw in (
        strangers,
        ranking,
        mean,
        centring,
        layers,
        layers_random,
        frequency,
        frequency_lengths,
        balance,
        dropout,
        temperature,
        film,
        film_curves,
        augmentations,
    )
}
"""What can be drawn of the lesson: each begins with the name of its step, and takes its numbers and whether it is dark."""


def percent(share: float) -> str:
    """A share in percent, as the browser writes it.

    >>> percent(0.625), percent(0.034), percent(0)
    ('63 %', '3.4 %', '0 %')
    """
    return f"{100 * share:.1f} %" if 0 < share < 0.095 else f"{floor(100 * share + 0.5)} %"


def _above(counts: Sequence[int], limit: float) -> float:
    return float(sum(counts[floor((limit - LOWEST) * 100 + 0.5) :]) / sum(counts))


def _sides(dark: bool) -> dict[str, Style]:
    colours = look(dark)
    return {"before": Style(colours.negative, "square", "dash"), "after": Style(colours.series[0], "circle", "solid")}


def _names(numbers: Numbers) -> dict[str, str]:
    """What both encoders are called: a training between them is only spoken of if there was one."""
    return SIDES if numbers["facts"].get("steps") else OTHERS


def _both(numbers: Numbers, before: str, after: str, joined: str = " and ") -> str:
    """What is so with each of the encoders, in one sentence."""
    if _names(numbers) is SIDES:
        return f"{before} before training{joined}{after} after"
    return f"{before} with the encoder before{joined}{after} with the one after"


def _random_and_same(dark: bool) -> tuple[Style, Style]:
    colours = look(dark)
    return Style(colours.negative, "square", "dot"), Style(colours.positive, "circle", "solid")


def _place(values: Sequence[float], wanted: float, knob: str) -> int:
    """Where a value is among those of which there are numbers."""
    for place, value in enumerate(values):
        if abs(value - wanted) < 1e-9:
            return place
    raise BadSetting(
        f"{knob} cannot be {wanted:g}.", rule=f"There are numbers for {', '.join(f'{value:g}' for value in values)}."
    )


def _layer(numbers: Numbers, layer: int) -> int:
    if layer < 0:
        return int(np.argmax(numbers["before"]["mean_cosine"]))
    return _place(range(_depth(numbers) + 1), layer, "layer")


def _depth(numbers: Numbers) -> int:
    """The layers of the deeper of both encoders."""
    return max(len(numbers[side]["mean_cosine"]) for side in SIDES) - 1


def _of_layer(numbers: Numbers, layer: int) -> str:
    """The mean cosine after a layer, of each encoder that has it."""
    start = f"{f'After layer {layer}' if layer else 'Before any layer'} the mean cosine is"
    cosines = {side: numbers[side]["mean_cosine"] for side in SIDES}
    there = {side: number(values[layer]) for side, values in cosines.items() if layer < len(values)}
    if len(there) == len(SIDES):
        return f"{start} {_both(numbers, there['before'], there['after'])}."
    [(side, value)] = there.items()
    [missing] = set(SIDES) - {side}
    return f"{start} {value} with the encoder {side}; the one {missing} has {len(cosines[missing]) - 1} layers."


def _frame(numbers: Numbers, step: int) -> tuple[int, str]:
    """The number of a frame, and what it shows."""
    at = _place([frame["step"] for frame in numbers["frames"]], step, "step")
    now = numbers["frames"][at]
    name = f"Step {step}" if numbers["facts"]["steps"] else ("Before", "After")[at]
    return at, f"{name}: mean cosine {number(now['mean_cosine'])}, Spearman {number(100 * now['spearman'], 1)}."


def _hills(counts: Mapping[str, Sequence[int]], point: str, styles: Sequence[Style], dark: bool) -> "Figure":
    """Histograms of cosines, in bins of 0.02."""
    import pandas

    from workbench.plots.histogram import histogram

    tables = []
    for name, values in counts.items():
        middles = LOWEST + (np.arange(len(values)) + 0.5) / 100
        tables.append(pandas.DataFrame({"target": name, "value": middles, "share": np.asarray(values) / 10_000}))
    drawn = histogram(
        pandas.concat(tables, ignore_index=True),
        axis="cosine",
        counted="share of pairs, %",
        point=point,
        limits=(LOWEST, 1.0),
        bins=75,
        styles=dict(zip(counts, styles, strict=True)),
        dark=dark,
    )
    return drawn.update_layout(xaxis_range=[LOWEST, 1.02])


def _fan(points: np.ndarray, length: float, style: Style, dark: bool) -> "Figure":
    """Arrows from the origin, in the plane of the mean and of what differs most besides; the mean has a length."""
    import pandas

    from workbench.plots.projection import projection

    table = pandas.DataFrame({"row": range(len(points)), "x": points[:, 0], "y": points[:, 1]})
    table.attrs = {"method": "cone", "mean": (length, 0.0)}
    return projection(table, rays=True, style=style, dark=dark)


def _lines(
    numbers: Numbers,
    words: Mapping[str, str],
    names: Sequence[str],
    axis: str,
    at: int | None,
    dark: bool,
    places: Sequence[float] = (),
) -> "Figure":
    """Lines over a few places, the one in question marked; a line for each side, a panel for each measure.

    The places are as far apart as `places`, or equally far. A line may end before the last of them.
    """
    import pandas

    from workbench.plots.overlay import overlay

    across, names_of = places or range(len(names)), _names(numbers)
    rows = [
        {"measure": measure, "target": names_of[side], "x": place, "value": value, "low": np.nan, "high": np.nan}
        for measure in words
        for side in SIDES
        if side in numbers
        for place, value in zip(across[: len(numbers[side][measure])], numbers[side][measure], strict=True)
    ]
    styles = {names_of[side]: style for side, style in _sides(dark).items()}
    drawn = overlay(pandas.DataFrame(rows), axis=axis, words=words, styles=styles, dark=dark)
    if not places:
        drawn.update_xaxes(tickvals=list(across), ticktext=list(names), range=[-0.3, len(names) - 0.7])
    if at is not None:
        _mark(drawn, across[at], dark, named=False)
    return drawn


def _mark(drawn: "Figure", x: float, dark: bool, *, named: bool = True) -> None:
    """A dashed line across the figure."""
    drawn.add_vline(x=x, line={"color": look(dark).ink, "dash": "dash", "width": 1.4})
    if named:
        side, shift = ("right", -5) if x > 0.7 else ("left", 5)
        drawn.add_annotation(
            text=number(x), x=x, y=1, yref="paper", yanchor="top", xanchor=side, xshift=shift, showarrow=False
        )
