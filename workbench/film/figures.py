"""The figures of a film at one of its frames, as figures of `workbench.plots`, for print: what the browser draws there."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from workbench.core.errors import BadData, BadSetting, unknown
from workbench.film.document import MOST_COMPONENTS, alike_from, groups_of
from workbench.film.tables import FilmTables
from workbench.plots import takeaway
from workbench.plots.template import GREY, Style, look, set_takeaway

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

MOST_LARGE = 300
"""Points that are drawn as large as in other figures."""
FIFTHS = 5
"""Parts of the gold scale whose mean cosines are a line, as in assets/film/film.js."""


def film_figure(film: FilmTables, name: str, *, step: int | None = None, dark: bool = False) -> "Figure":
    """The figure of `FIGURES` with this name, at a step that was measured, the last one by default.

    Raises:
        UnknownName: there is no such figure.
        BadSetting: nothing was measured at this step.
        BadData: the film has nothing to draw it from.
    """
    if name not in FIGURES:
        raise unknown("figure of a film", name, FIGURES)
    steps = film.frames["step"].astype(int).tolist()
    if step is not None and step not in steps:
        raise BadSetting(
            f"The film has no frame of step {step:,}.",
            rule="Figures are of steps that were measured: between two of them the film only moves in straight lines.",
            way_out=f"The nearest is {min(steps, key=lambda other: abs(other - step)):,}, of {_listed(steps)}.",
        )
    drawn = FIGURES[name](film, steps.index(step) if step is not None else len(steps) - 1, dark)
    drawn.update_layout(meta={**drawn.layout.meta, "alt": f"{film.about['name']}: {drawn.layout.meta['alt']}"})
    return drawn


def _pca(film: FilmTables, frame: int, dark: bool) -> "Figure":
    """Sentences in the plane of the last step's main directions, pairs that mean the same joined."""
    drawn = _plane(film, frame, dark, "pca")
    (left, right), (low, high) = (_ends(film.pca[..., axis]) for axis in (0, 1))
    return drawn.update_layout(xaxis_range=[left, right], yaxis_range=[low, high])


def _cone(film: FilmTables, frame: int, dark: bool) -> "Figure":
    """Sentences seen from the origin, along step 0's mean direction."""
    return _plane(film, frame, dark, "cone")


def _gold(film: FilmTables, frame: int, dark: bool) -> "Figure":
    """Cosines against gold scores, with the mean of each fifth now and at step 0."""
    import pandas

    from workbench.plots.gold_scatter import gold_scatter

    if not len(film.pairs):
        raise BadData("This film has no pairs with gold scores.", way_out="Draw its cone or its spectrum.")
    _, subsets = _subsets(film)
    text = film.sentences["text"]
    table = pandas.DataFrame(
        {
            "gold": film.pairs["gold"],
            "cosine": film.cosines[frame],
            "first": text[film.pairs["first"]].to_numpy(),
            "second": text[film.pairs["second"]].to_numpy(),
            "subset": subsets,
        }
    )
    begun = [] if frame == 0 else [_fifths(film, 0)]
    drawn = gold_scatter(
        table,
        group="subset" if table["subset"].nunique() > 1 else "",
        means=pandas.concat([*begun, _fifths(film, frame)]),
        lowest=float(film.cosines.min()),
        dark=dark,
    )
    set_takeaway(
        drawn, f"{_at(film, frame)}: Spearman {_number(film, frame, 'spearman')}. {takeaway.gold_scatter(table)}"
    )
    return drawn


def _path(film: FilmTables, frame: int, dark: bool) -> "Figure":
    """Alignment and uniformity: the way so far, and the way to the last step."""
    import pandas

    from workbench.plots.plane import plane

    frames = film.frames[["step", "alignment", "uniformity"]].reset_index(drop=True)
    if frames[["alignment", "uniformity"]].isna().any(axis=1).all():
        raise BadData("This film has no alignment.", way_out="Draw its cone or its spectrum.")
    first, step, last = (int(frames["step"].iloc[at]) for at in (0, frame, -1))
    parts = [frames.iloc[: frame + 1].assign(target="now", label=f"step {step:,}")]
    if frame < len(frames) - 1:
        parts.insert(0, frames.iloc[frame:].assign(target="later", label=f"step {last:,}, the last"))
    if frame:
        parts.append(frames.iloc[:1].assign(target="first", label=f"step {first:,}"))
    colour = look(dark).series[0]
    styles = {
        "now": Style(colour, "circle", "solid"),
        "first": Style(colour, "circle-open", "solid"),
        "later": Style(GREY, "circle-open", "dot"),
    }
    drawn = plane(pandas.concat(parts).assign(alignment_on=film.about["alignment_on"]), styles=styles, dark=dark)
    alignment, uniformity = (_number(film, frame, name) for name in ("alignment", "uniformity"))
    set_takeaway(
        drawn,
        f"{_at(film, frame)}: alignment {alignment} and uniformity {uniformity}{_begun(film, frame, 'uniformity')}.",
    )
    return drawn


def _spectrum(film: FilmTables, frame: int, dark: bool) -> "Figure":
    """Singular values now and at step 0."""
    import pandas

    from workbench.plots.spectrum import spectrum

    parts = []
    for at in dict.fromkeys((0, frame)):
        relative = film.spectrum[at].astype(np.float64)
        powers = np.square(relative)
        label = f"step {int(film.frames['step'].iloc[at]):,}"
        about = {"target": label, "untrained": at == 0 and at != frame}
        parts.append(
            pandas.DataFrame(
                {
                    "component": np.arange(1, len(relative) + 1),
                    "relative": relative,
                    "share": powers / powers.sum(),
                    **about,
                }
            ).head(MOST_COMPONENTS)
        )
    table = pandas.concat(parts, ignore_index=True)
    table.attrs["centred"] = False
    drawn = spectrum(table, dark=dark)
    weakest = max(1e-4, float(film.spectrum[:, :MOST_COMPONENTS][:, -1].min()))
    drawn.update_yaxes(range=[np.log10(0.8 * weakest), np.log10(1.2)])  # the same for all frames
    ranks = _begun(film, frame, "effective_rank")
    set_takeaway(drawn, f"{_at(film, frame)}: effective rank {_number(film, frame, 'effective_rank')}{ranks}.")
    return drawn


def _curves(film: FilmTables, frame: int, dark: bool) -> "Figure":
    """Loss, Spearman and mean cosine over the training, the step marked."""
    import pandas

    from workbench.plots.curves import curves

    losses = film.curves.pivot_table(index="step", columns="measure", values="value").reset_index()
    table = pandas.concat([losses, film.frames[["step", "spearman", "mean_cosine"]]], ignore_index=True)
    measures = [
        name
        for name in ("loss", "masked_loss", "spearman", "mean_cosine")
        if name in table and table[name].notna().sum() > 1
    ]
    drawn = curves(table, measures=measures, dark=dark)
    mark = {"color": look(dark).ink, "dash": "dash", "width": 1.4}
    drawn.add_vline(x=int(film.frames["step"].iloc[frame]), line=mark)
    known = {"loss": "loss", "spearman": "Spearman", "mean_cosine": "mean cosine"}
    values = [f"{words} {_number(film, frame, name)}" for name, words in known.items() if _known(film, frame, name)]
    set_takeaway(drawn, f"{_at(film, frame)}: {', '.join(values)}.")
    return drawn


FIGURES: "dict[str, Callable[[FilmTables, int, bool], Figure]]" = {
    "cone": _cone,
    "pca": _pca,
    "gold": _gold,
    "path": _path,
    "spectrum": _spectrum,
    "curves": _curves,
}
"""What can be drawn of a film, each from the film and the number of a frame, light or dark."""
_DIGITS = {"effective_rank": 0, "spearman": 1, "loss": 3}


def _plane(film: FilmTables, frame: int, dark: bool, name: str) -> "Figure":
    import pandas

    from workbench.plots.projection import projection

    points = (film.pca if name == "pca" else film.cone)[frame]
    subsets, _ = _subsets(film)
    table = pandas.DataFrame({"x": points[:, 0], "y": points[:, 1], "text": film.sentences["text"], "subset": subsets})
    table.attrs = {"method": name}
    alike = film.pairs[film.pairs["gold"] > alike_from(film)]
    drawn = projection(
        table,
        group="subset" if table["subset"].nunique() > 1 else "",
        joined=zip(alike["first"], alike["second"], strict=True),
        rays=name == "cone",
        style=Style(look(dark).series[0], "circle", "solid"),
        size=4 if len(table) > MOST_LARGE else 7,
        dark=dark,
    )
    share = takeaway.number(100 * film.frames[f"in_{name}"].iloc[frame], 0)
    of = "variance" if name == "pca" else "squared length"
    set_takeaway(
        drawn,
        f"{_at(film, frame)}: mean cosine {_number(film, frame, 'mean_cosine')}{_begun(film, frame, 'mean_cosine')}. "
        f"{share} % of the {of} is in the plane, which is the same at all steps.",
    )
    return drawn


def _subsets(film: FilmTables) -> tuple[list[str], list[str]]:
    """The subset of each sentence and of each pair, named as in the film."""
    names, of_sentence, of_pair = groups_of(film)
    shown = [name or "(none)" for name in names]
    return [shown[at] for at in of_sentence], [shown[at] for at in of_pair]


def _fifths(film: FilmTables, frame: int) -> "DataFrame":
    """The mean cosine of the pairs in each fifth of the gold scale; fifths without pairs are left out."""
    import pandas

    low, high = (float(str(end)) for end in np.ravel(np.asarray(film.about["scale"])))
    fifth = np.minimum(FIFTHS - 1, np.floor(FIFTHS * (film.pairs["gold"] - low) / (high - low))).astype(int)
    means = pandas.Series(film.cosines[frame]).groupby(fifth.to_numpy()).mean()
    middles = low + (means.index.to_numpy() + 0.5) * (high - low) / FIFTHS
    label = f"mean by fifth, step {int(film.frames['step'].iloc[frame]):,}"
    return pandas.DataFrame({"gold": middles, "cosine": means.to_numpy(), "label": label})


def _at(film: FilmTables, frame: int) -> str:
    return f"Step {int(film.frames['step'].iloc[frame]):,} of {int(film.frames['step'].iloc[-1]):,}"


def _known(film: FilmTables, frame: int, name: str) -> bool:
    return bool(film.frames[name].notna().iloc[frame])


def _number(film: FilmTables, frame: int, name: str) -> str:
    scale = 100 if name == "spearman" else 1
    value = film.frames[name].iloc[frame]
    return takeaway.number(scale * value if _known(film, frame, name) else None, _DIGITS.get(name, 2))


def _begun(film: FilmTables, frame: int, name: str) -> str:
    """What a figure was at the first step, unless this is it."""
    return f" ({_number(film, 0, name)} at step {int(film.frames['step'].iloc[0]):,})" if frame else ""


def _ends(values: "np.ndarray") -> tuple[float, float]:
    """Ends of an axis with room for the marks, the same for all frames."""
    low, high = float(values.min()), float(values.max())
    room = 0.04 * (high - low) or 0.05
    return low - room, high + room


def _listed(steps: list[int]) -> str:
    return takeaway.together([f"{step:,}" for step in steps])
