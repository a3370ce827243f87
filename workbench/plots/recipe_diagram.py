"""The pipeline of a recipe, drawn from its own configuration: texts, views, encoder, head, terms, loss."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import wrap
from typing import TYPE_CHECKING

import plotly.graph_objects as go

from workbench.augmentations.pipeline import Step, parse
from workbench.core.config import RunConfig, Term, View
from workbench.core.method import Method
from workbench.heads import METHODS as HEADS
from workbench.losses import METHODS as LOSSES
from workbench.objectives import METHODS as OBJECTIVES
from workbench.plots.template import add_arrow, escaped, figure, look
from workbench.pooling import METHODS as POOLINGS

if TYPE_CHECKING:
    from pandas import DataFrame

WIDTH = 13
"""Letters in a line of a box."""
_LINE, _PAD = 15, 18
"""Height of a line, and what a box and the gap below it have besides, in pixels."""
_COLUMNS = ("texts", "views", "encoder", "vectors", "terms")
_HALF = 0.44
"""Half the width of a box; columns are 1 apart."""
_ON = {"states": "on the embeddings", "positions": "on the positions", "vectors": "on the vector"}


@dataclass(frozen=True)
class Box:
    """A part of the pipeline: its column, its centre from above and half its height, in lines, and its words."""

    column: int
    middle: float
    half: float
    lines: tuple[str, ...]

    @property
    def low(self) -> float:
        """The lower edge."""
        return self.middle + self.half


def recipe_diagram(config: RunConfig, *, dark: bool = False) -> go.Figure:
    """Boxes from left to right: texts, views, the encoder, its vectors, and the terms, whose weighted sum is the loss.

    Equal views are encoded once and drawn once, as in training.
    """
    views = _views(config.terms)
    known = list(dict.fromkeys(view for term in config.terms for view in _inputs(term).values()))
    view_boxes = _stacked(1, [_view_lines(view, known, config) for view in known])
    view_of = dict(zip(known, view_boxes, strict=True))
    term_boxes = _stacked(4, [_term_lines(term) for term in config.terms])
    height = max(view_boxes[-1].low, term_boxes[-1].low)
    view_of = {view: _lowered(box, (height - view_boxes[-1].low) / 2) for view, box in view_of.items()}
    term_boxes = [_lowered(box, (height - term_boxes[-1].low) / 2) for box in term_boxes]
    texts = _texts(known, view_of)
    encoder = Box(2, height / 2, height / 2, (*_lines(config.model.backbone.rsplit("/", 1)[-1]), "shared"))
    vectors = Box(3, height / 2, height / 2, _vector_lines(config))

    colours = look(dark)
    point = _point(config, len(known))
    alt = f"Diagram of a training, from left to right. {point} {' '.join(views)}"
    drawn = figure(dark=dark, takeaway=point, alt=alt, showlegend=False)
    for role, box in texts.items():
        _draw(drawn, box, colours.quiet)
        for view in known:
            if view.role == role:
                _arrow(drawn, box, view_of[view], colours.quiet)
    for box in view_of.values():
        _draw(drawn, box, colours.random)
        _arrow(drawn, box, replace(encoder, middle=box.middle), colours.quiet)
        _arrow(drawn, replace(encoder, middle=box.middle), replace(vectors, middle=box.middle), colours.quiet)
    _draw(drawn, encoder, colours.ink)
    _draw(drawn, vectors, colours.ink)
    for term, box in zip(config.terms, term_boxes, strict=True):
        method = _method(term)
        back = method.tags.get("gradient") == "reversed"
        _draw(drawn, box, colours.negative if back else colours.positive)
        for view in dict.fromkeys(_inputs(term).values()):
            start = replace(vectors, middle=view_of[view].middle)
            _arrow(drawn, start, box, colours.negative if back else colours.quiet)
    drawn.update_xaxes(
        range=[-_HALF - 0.06, 4 + _HALF + 0.06],
        showgrid=False,
        showline=False,
        ticks="",
        side="top",
        tickvals=list(range(len(_COLUMNS))),
        ticktext=list(_COLUMNS),
        fixedrange=True,
        title={"text": "from texts to loss", "font": {"size": 12}},
    )
    drawn.update_yaxes(range=[height + 0.3, -0.3], visible=False, fixedrange=True)
    drawn.update_layout(height=int(96 + _LINE * (height + 0.6)), margin={"l": 8, "r": 8, "t": 72, "b": 12})
    return drawn


def diagram_table(config: RunConfig) -> "DataFrame":
    """The same in rows: for each term its inputs in order, and what each of them is."""
    from pandas import DataFrame

    views = list(dict.fromkeys(view for term in config.terms for view in _inputs(term).values()))
    return DataFrame(
        [
            {
                "term": number,
                "loss": _method(term).title,
                "weight": term.weight,
                "input": name,
                "texts": view.role,
                "view": " ".join(_view_lines(view, views, config)),
                "encoder": config.model.backbone,
                "vector": " ".join(_vector_lines(config)),
            }
            for number, term in enumerate(config.terms, 1)
            for name, view in _inputs(term).items()
        ]
    )


def _inputs(term: Term) -> dict[str, View]:
    """The views of a term; further rows have the name of the input that they are appended to, and a plus."""
    return {**term.views, **{f"{name} +": view for name, view in term.more.items()}}


def _views(terms: Sequence[Term]) -> list[str]:
    """What each term compares, in words."""
    return [
        f"{_method(term).title}: {', '.join(f'{name} from {view.role}' for name, view in _inputs(term).items())}."
        for term in terms
    ]


def _lines(words: str) -> list[str]:
    return wrap(words, WIDTH, break_long_words=False)


def _method(term: Term) -> Method:
    return LOSSES[term.loss] if term.loss else OBJECTIVES[term.objective]


def _stacked(column: int, contents: list[tuple[str, ...]]) -> list[Box]:
    """Boxes below each other."""
    found, top = [], 0.0
    for lines in contents:
        half = (len(lines) + (_PAD - 6) / _LINE) / 2
        found.append(Box(column, top + half, half, lines))
        top += 2 * half + 14 / _LINE
    return found


def _lowered(box: Box, by: float) -> Box:
    return replace(box, middle=box.middle + by)


def _texts(known: Sequence[View], view_of: dict[View, Box]) -> dict[str, Box]:
    """A box for each role, at the height of its views."""
    found = {}
    for role in dict.fromkeys(view.role for view in known):
        places = [view_of[view].middle for view in known if view.role == role]
        found[role] = Box(0, sum(places) / len(places), 0.5 + (_PAD - 6) / _LINE / 2, (role,))
    return found


def _view_lines(view: View, known: Sequence[View], config: RunConfig) -> tuple[str, ...]:
    """What is done to a text, and which dropout its encoding has."""
    steps = parse(view.augmentation).steps if view.augmentation else ()
    lines = [line for step in steps for line in _step_lines(step)] or ["as it is"]
    rate = config.training.dropout if view.dropout == "on" else 0.0 if view.dropout == "off" else float(view.dropout)
    alike = [other for other in known if (other.role, other.augmentation) == (view.role, view.augmentation)]
    again = f" ({alike.index(view) + 1})" if len(alike) > 1 else ""
    lines.append(f"dropout {rate:g}{again}" if rate else "no dropout")
    return tuple(part for line in lines for part in _lines(line))


def _step_lines(step: Step) -> list[str]:
    name = f"one of {len(step.choices)}" if step.choices else step.name.replace("_", " ")
    name += f" [{step.part}]" if step.part else ""
    often = "" if step.probability == 1 else f", {100 * step.probability:.0f} %"
    where = _ON.get(step.level, "")
    return [f"{name}{often}", *([where] if where else [])]


def _vector_lines(config: RunConfig) -> tuple[str, ...]:
    model = config.model
    lines = [POOLINGS[model.pooling].title]
    if model.head:
        lines += ["+", f"{HEADS[model.head].title}, {'kept' if model.keep_head else 'dropped after training'}"]
    return tuple(part for line in lines for part in _lines(line))


def _term_lines(term: Term) -> tuple[str, ...]:
    method = _method(term)
    lines = [method.title.split(",")[0]]
    lines += ["gradient reversed"] if method.tags.get("gradient") == "reversed" else []
    lines += [f"{term.every - 1 if term.skip else 1} in {term.every} steps"] if term.every > 1 else []
    return tuple(part for line in [*lines, f"of {', '.join(_inputs(term))}"] for part in _lines(line))


def _sum(terms: Sequence[Term]) -> str:
    """The loss as a weighted sum.

    >>> _sum([Term(loss="arccon"), Term(loss="arc_triplet", weight=0.1)])
    'ArcCon + 0.1 × ArcCSE triplet of nested masks'
    """
    return " + ".join(
        f"{'' if term.weight == 1 else f'{term.weight:g} × '}{escaped(_method(term).title.split(',')[0])}"
        for term in terms
    )


def _point(config: RunConfig, views: int) -> str:
    encodings = "once" if views == 1 else f"as {views} views"
    return f"Each text of a batch is encoded {encodings}, and the loss is {_sum(config.terms)}."


def _draw(drawn: go.Figure, box: Box, colour: str) -> None:
    left, right, top, low = box.column - _HALF, box.column + _HALF, box.middle - box.half, box.middle + box.half
    drawn.add_trace(
        go.Scatter(
            x=[left, right, right, left, left],
            y=[top, top, low, low, top],
            mode="lines",
            fill="toself",
            fillcolor=drawn.layout.template.layout.paper_bgcolor,
            line={"color": colour, "width": 1.5},
            hoverinfo="skip",
        )
    )
    drawn.add_annotation(
        x=box.column, y=box.middle, text="<br>".join(escaped(line) for line in box.lines), font={"size": 10}
    )


def _arrow(drawn: go.Figure, start: Box, end: Box, colour: str) -> None:
    """An arrow from the right edge of a box to the left edge of another, at the heights of their centres."""
    ends = (start.column + _HALF, start.middle), (end.column - _HALF, end.middle)
    add_arrow(drawn, *ends, colour, arrowwidth=1.2)
