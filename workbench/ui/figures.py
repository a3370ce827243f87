"""Plots on a page: the point above, what it rests on below, the data one click away."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.core.spreadsheet import csv_of
from workbench.plots.template import SYMBOLS, Style, alt_text, styles, takeaway_of
from workbench.store import names as stored
from workbench.store.listed import stamp
from workbench.targets.target import split
from workbench.ui import takeaways
from workbench.ui.folding import folded
from workbench.ui.notices import facts, quiet
from workbench.ui.once import once
from workbench.ui.pretraining import masked_point
from workbench.ui.targets import is_untrained, run_name, target_name
from workbench.ui.theme import dark
from workbench.ui.words import figure, html, missing

if TYPE_CHECKING:
    from pandas import DataFrame
    from plotly.graph_objects import Figure

    from workbench.core.method import Method

_STYLES = 48
"""Colour, symbol and dash come in this many combinations before they come again."""


FONT = '"Source Sans", "Source Sans Pro", system-ui, sans-serif'
"""The app's own typeface, so that a figure reads like the page around it."""


def takeaway(text: str) -> None:
    """The one sentence that a figure or table says. Escaped."""
    st.html(f'<p class="takeaway">{html(text)}</p>')


def download(table: "DataFrame | Callable[[], DataFrame]", name: str) -> None:
    """The data behind a figure or table; the file, and the table where that is to be made, are made when it is asked for."""
    st.download_button(
        "Data (CSV)",
        lambda: csv_of(table() if callable(table) else table),
        file_name=name,
        mime="text/csv",
        type="tertiary",
        key=f"data.{name}",
        on_click="ignore",
    )


def show(
    drawn: "Figure", *, key: str, point: str = "", caption: str = "", data: "DataFrame | None" = None, height: int = 0
) -> None:
    """A figure under its point, with what it rests on below."""
    _picture(drawn, key, point, caption, height)
    if data is not None:
        download(data, f"{key}.csv")


def show_made(
    make: "Callable[[], Figure]",
    *content: Any,
    key: str,
    point: str = "",
    caption: str = "",
    data: "DataFrame | None" = None,
    height: int = 0,
) -> None:
    """As `show`, of a figure that `make` draws from `content` and the theme alone: it is made once for all sessions."""
    once(lambda: _picture(make(), key, point, caption, height), key, point, caption, height, content)
    if data is not None:
        download(data, f"{key}.csv")


def _picture(drawn: "Figure", key: str, point: str, caption: str, height: int) -> None:
    takeaway(point or takeaway_of(drawn))
    drawn.update_layout(
        font={"family": FONT}, hoverlabel={"font": {"family": FONT}}, **({"height": height} if height else {})
    )
    st.plotly_chart(
        drawn,
        theme=None,
        key=key,
        alt=alt_text(drawn),
        height="content",
        config={"displaylogo": False, "displayModeBar": False, "scrollZoom": False},
    )
    if caption:
        st.html(f'<p class="footing">{html(caption)}</p>')


def styles_of(targets: Sequence[str]) -> dict[str, Style]:
    """Colour, symbol and dash of each target. A run has those of its place among all runs, the oldest first, in every view.

    So a few runs made one after the other differ in colour. Where two would look alike in one picture, the later run, or
    the variant, takes the next that is free.
    """
    untrained = [target for target in targets if is_untrained(target)]
    found = _untrained_styles(untrained)
    palette = list(styles(map(str, range(_STYLES)), dark=dark()).values())
    taken: set[int] = set()
    places = {path.name: place for place, path in enumerate(reversed(stored.runs_folder().run_folders()))}
    trained = {name: _lasting(name) for name in targets if name not in untrained}
    for target, name in sorted(trained.items(), key=lambda item: (item[1] != split(item[1]).name, item[1])):
        first = places.get(split(name).name, 0) % _STYLES
        others = ((first + step) % _STYLES for step in range(_STYLES))
        slot = next((place for place in others if place not in taken), first)
        taken.add(slot)
        found[target] = palette[slot]
    return found


def _lasting(target: str) -> str:
    """A target under the id of its run; what it is by itself, its best checkpoint, is not named."""
    parts = split(target)
    checkpoint = "" if parts.checkpoint == "best" else parts.checkpoint
    return str(replace(parts, name=api.run(parts.name).id, checkpoint=checkpoint))


def _untrained_styles(targets: Sequence[str]) -> dict[str, Style]:
    """Grey and open. Those of _ALWAYS have symbols of their own; others take what is free, and past eight a dot inside."""
    count = len(SYMBOLS)
    grey = list(styles(map(str, range(count)), untrained=[str(slot) for slot in range(count)], dark=dark()).values())
    grey += [replace(style, symbol=f"{style.symbol}-dot") for style in grey]
    found = {name: grey[slot] for slot, name in enumerate(_ALWAYS)}
    taken = {slot for slot, name in enumerate(_ALWAYS) if name in targets}
    order = (*range(len(_ALWAYS), count), *range(len(_ALWAYS)), *range(count, len(grey)))
    free = [slot for slot in order if slot not in taken]
    others = (name for name in targets if name not in _ALWAYS)
    return found | {name: grey[free[place % len(free)]] for place, name in enumerate(others)}


_ALWAYS = (
    *("minilm-l3", "minilm-l3+centre", "minilm-l6", "minilm-l6+centre", "tfidf", "glove"),
    *("mini-mlm", "mini-mlm+centre"),
)
"""Untrained ones that keep their symbols whoever stands beside them."""


def colour_of(target: str) -> str:
    """The colour a target has in every view."""
    return styles_of([target])[target].colour


def labelled(table: "DataFrame") -> "DataFrame":
    """A table with column target, and what figures want to know of each."""
    return table.assign(
        label=[target_name(name) for name in table["target"]],
        untrained=[is_untrained(name) for name in table["target"]],
    )


def plane_table(scores: "DataFrame", runs: "Mapping[str, api.Run]") -> "DataFrame":
    """The targets' places, and the paths of those `runs` whose probes measured alignment on the same pairs."""
    import pandas

    on = set(scores["alignment_on"].dropna())
    paths, last = [], {}
    for target, run in runs.items():
        probes, best = run.probes, _step(target, run)
        last[target] = best
        if (
            not probes.empty
            and {"alignment", "uniformity", "alignment_on"} <= set(probes)
            and set(probes["alignment_on"].dropna()) == on
        ):
            columns = [
                name for name in ("step", "alignment", "uniformity", "alignment_on", "spearman") if name in probes
            ]
            # The path ends at the checkpoint that is compared, where the evaluation measured it anew.
            paths.append(probes.loc[probes["step"] < best, columns].assign(target=target))
    ends = scores.assign(step=[last.get(name, 0) for name in scores["target"]])
    return labelled(pandas.concat([*paths, ends], ignore_index=True))


def _step(target: str, run: api.Run) -> int:
    """The step of the checkpoint that a target is."""
    return int(run.checkpoints.get(split(target).checkpoint or "best", {}).get("step", 0))


def plane_figure(scores: "DataFrame", caption: str) -> None:
    """Alignment and uniformity of the targets, with the paths of runs."""
    from workbench.plots.plane import plane

    targets = list(scores["target"])
    names, mine = {target: target_name(target) for target in targets}, styles_of(targets)
    trained = {target: split(target) for target in targets if not is_untrained(target)}
    runs = {target: api.run(own.name) for target, own in trained.items() if not own.pooling and not own.transform}
    table = cache(lambda: plane_table(scores, runs))
    once(
        lambda: _picture(
            plane(table(), dark=dark(), styles=mine), "plane", takeaways.on_plane(scores, names), caption, 430
        ),
        *("plane", scores, names, mine, caption, list(trained)),
        [(target, stamp(run.folder / stored.PROBES), _step(target, run)) for target, run in runs.items()],
    )
    download(table, "plane.csv")


def run_figures(run: api.Run) -> None:
    """Curves of a run and its path on the plane."""
    from workbench.plots.curves import curves
    from workbench.plots.plane import plane

    steps, probes = run.steps, run.probes
    if steps.empty and probes.empty:
        quiet(
            "The curves begin with the first step."
            if run.live
            else "It ended before the first step: there is no curve."
        )
        return
    import pandas

    known = [name for name in ("step", "loss", "accuracy") if name in steps and steps[name].notna().any()]
    masked = ("masked_loss", "masked_accuracy")
    measured = [name for name in ("step", *masked, "spearman", "uniformity", "mean_cosine") if name in probes]
    table = pandas.concat(
        [steps[known] if known else steps, probes[measured] if measured else probes], ignore_index=True
    )
    table = table.assign(target=run.id, label=run_name(run), untrained=False)
    mine = styles_of([run.id])
    left, right = st.columns(2, gap="large")
    # Probes are quicker and coarser than the evaluation at the end, which is in fp32.
    precision = run.config.training.precision
    pairs = run.config.probe.pairs or "texts of the corpus, as no scored pairs are named"
    on = f"probes on {pairs}, every {run.config.probe.every} steps and at the end"
    on += "" if precision in ("auto", "fp32") else f", in {precision}"
    with left:
        asked = ("loss", *masked, "spearman") if run.config.pretrains else ("loss", "spearman", "mean_cosine")
        wanted = [name for name in asked if name in table and table[name].notna().any()]
        show_made(
            lambda: curves(table, measures=wanted, dark=dark(), styles=mine),
            table,
            wanted,
            mine,
            key=f"curves.{run.id}",
            point=masked_point(probes) if run.config.pretrains else takeaways.curves(probes),
            caption=on,
            data=table,
        )
    with right:
        if {"alignment", "uniformity"} <= set(probes) and probes["alignment"].notna().any():
            path = probes.assign(target=run.id, label=run_name(run), untrained=False)
            show_made(
                lambda: plane(path, dark=dark(), styles=mine),
                path,
                mine,
                key=f"path.{run.id}",
                point=takeaways.path(probes),
                caption=on,
                data=path,
                height=430,
            )
        else:
            quiet(_no_path(run, probes))


def _no_path(run: api.Run, probes: "DataFrame") -> str:
    """Why nothing is drawn on the plane."""
    if not probes.empty:
        pairs = f"{run.config.probe.pairs} holds no partners, pairs in the upper fifth of its scale"
        why = pairs if run.config.probe.pairs else "its probes did not measure alignment"
        return f"There is no path on the plane: {why}."
    if run.live:
        return "The path on the plane begins with the first probe."
    return "There is no path on the plane: it ended before the first probe."


def gold_figure(
    target: str, cosines: "DataFrame", scores: dict[str, Any], *, ranks: bool, lowest: float, caption: str
) -> None:
    """Similarity against gold of one target; `lowest` is the least cosine of all that are drawn side by side."""
    from workbench.plots.gold_scatter import gold_scatter

    table = cosines.assign(target=target, untrained=is_untrained(target)).rename(
        columns={"sentence1": "first", "sentence2": "second"}
    )
    drawn = gold_scatter(table, ranks=ranks, lowest=lowest, dark=dark(), styles=styles_of([target]))
    drawn.layout.annotations = ()  # the name of the target is the heading above
    point = takeaways.gold_scatter(cosines, scores["spearman"])
    show(drawn, key=f"gold.{target}", point=point, caption=caption, data=table, height=400)


def cone_figure(target: str, table: "DataFrame", caption: str) -> None:
    """The uncentred projection of one target's vectors."""
    from workbench.plots.projection import projection

    drawn = projection(table, dark=dark(), untrained=is_untrained(target))
    if not is_untrained(target):
        drawn.update_traces(
            marker_color=colour_of(target),
            selector={"mode": "markers", "hovertemplate": "%{customdata}<extra></extra>"},
        )
    point = takeaways.cone(table.attrs["mean_cosine"], table.attrs["mean_cosine_centred"])
    show(drawn, key=f"cone.{target}", point=point, caption=caption, data=table, height=430)


def views_figure(target: str, table: "DataFrame", texts: list[str], caption: str) -> None:
    """Dropout views as stars."""
    from workbench.plots.projection import dropout_views

    drawn = dropout_views(table, dark=dark(), labels=[f"{place}. {text}" for place, text in enumerate(texts, 1)])
    for place in range(1, len(texts) + 1):  # long sentences that begin alike cannot be told apart in a legend
        drawn.for_each_trace(
            lambda trace, place=place: (
                trace.update(name=f"sentence {place}") if str(trace.name or "").startswith(f"{place}. ") else None
            )
        )
    show(drawn, key=f"views.{target}", caption=caption, data=table, height=470)


def worst_table(target: str, cosines: "DataFrame", count: int, pairs: str) -> None:
    """The pairs ranked worst, both sentences with their differences marked."""
    from workbench.analysis.worst_pairs import worst_pairs
    from workbench.ui.differences import pair_html

    table = worst_pairs(
        cosines["cosine"],
        cosines["gold"],
        first=list(cosines["sentence1"]),
        second=list(cosines["sentence2"]),
        count=count,
    )
    takeaway(takeaways.worst(list(table["verdict"])))
    rows = []
    for row in table.itertuples():
        verdict = "as people do" if row.verdict == "as people" else str(row.verdict)
        sign = {"too similar": "▲", "too different": "▼"}.get(verdict, "=")
        first, second = pair_html(str(row.first), str(row.second))
        rows.append(
            f'<div class="pair"><span>{first}</span><span>{second}</span>'
            f'<span class="label">{sign} {html(verdict)}: cosine {figure(row.cosine)} (rank {100 * row.cosine_rank:.0f} %), '
            f"gold {figure(row.gold, 1)} (rank {100 * row.gold_rank:.0f} %)</span></div>"
        )
    st.html(f'<div class="pairs">{"".join(rows)}</div>')
    caption = (
        f"{pairs}, n = {len(cosines):,}; by distance between rank by cosine and rank by gold; underlined: what differs"
    )
    st.html(f'<p class="footing">{html(caption)}</p>')
    download(table.drop(columns=["diff"], errors="ignore"), f"worst.{target}.csv")


def spectrum_figure(targets: Sequence[str], results: Sequence[dict[str, Any]], texts: int, pairs: str) -> None:
    """Singular values of the targets, and the measures of isotropy beside them."""
    import pandas

    from workbench.metrics import METHODS as METRICS
    from workbench.plots.spectrum import spectrum

    table = labelled(
        pandas.concat(
            [result["spectrum"].assign(target=target) for target, result in zip(targets, results, strict=True)],
            ignore_index=True,
        )
    )
    table.attrs = results[0]["spectrum"].attrs
    show(
        spectrum(table, dark=dark(), styles=styles_of(targets)),
        key="spectrum",
        data=table,
        height=430,
        caption=f"{texts:,} sentences of {pairs}; singular values of the vectors as they come, mean not subtracted",
    )
    shown: dict[str, Method] = {}
    for target, result in zip(targets, results, strict=True):
        measured = {
            name: value for name, value in result["metrics"].items() if isinstance(value, float) and not missing(value)
        }
        shown |= {name: METRICS[name] for name in measured if name in METRICS}
        on = str(result["metrics"].get("fitted_on") or "")
        fitted = f" <small>fitted on {html(on)}</small>" if on else ""
        st.html(f'<p class="of">{html(target_name(target))}{fitted}</p>')
        facts(
            {shown[name].title: _measured(value) for name, value in measured.items() if name in shown},
            {method.title: method.tags.get("direction", "") for method in shown.values()},
        )
    if cards := folded("What these measure", key="explore.measures"):
        with cards:
            for method in shown.values():
                st.html(f'<p class="of">{html(method.title)}</p>')
                st.latex(method.formula)
                quiet(f"{method.summary} {method.source}")
            quiet("They need not agree: some look at the largest directions, some at all, some at neighbours alone.")


def _measured(value: float) -> str:
    """A measure with as many digits as tell it from 0."""
    return figure(value, 0 if abs(value) >= 10 else 2 if abs(value) >= 0.1 or value == 0 else 4)
