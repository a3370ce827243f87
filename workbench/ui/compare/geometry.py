"""Alignment and uniformity by settings other than those of the plane, such as those of a paper."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.data.sources import split_task
from workbench.data.sts import EVERY
from workbench.ui.compare.methods import by_method, method_names, styles_by_method
from workbench.ui.compare.swatches import swatch
from workbench.ui.kit.address import choose_button
from workbench.ui.kit.asking import ask, when_answered
from workbench.ui.kit.folding import folded
from workbench.ui.kit.forms import settings_form
from workbench.ui.kit.notices import footing
from workbench.ui.kit.repeat import python_call, repeat
from workbench.ui.kit.score_notes import pairs_name, sheet
from workbench.ui.kit.words import figure, html
from workbench.verbs import geometry

if TYPE_CHECKING:
    from workbench.verbs.geometry import Space

_MEASURES = ("alignment", "uniformity")
_SETTINGS = ("alpha", "t", "above", "repeated")
_LABELS = {
    "alpha": "Exponent of alignment, alpha",
    "t": "Kernel of uniformity, t",
    "above": "Partners: gold above this share of its scale",
    "repeated": "Repeated sentences count",
}


def show_geometry(targets: list[str], pairs: str) -> None:
    """Settings and a table of alignment and uniformity by method, in an expander."""
    part = folded("Alignment and uniformity as published, or with other settings", key="geometry")
    if part is None:
        return
    with part:
        named = split_task(pairs)
        if (
            named
            and choose_button(
                "Splits",
                [EVERY, named[1]],
                key="geometry.split",
                start=EVERY,
                help="Published on all of STS-B: train, dev and test.",
            )
            == EVERY
        ):
            pairs = f"{named[0]}:{EVERY}@{named[2]}"
        settings = {name: getattr(geometry.VERB.fields[name], "setting") for name in _SETTINGS}  # noqa: B009
        chosen: Mapping[str, Any] = settings_form(settings, prefix="geometry.", labels=_LABELS, bound=True, across=4)
        groups = by_method(targets)
        questions = {
            target: ask(
                geometry.VERB,
                slot=f"compare.geometry.{target}",
                target=target,
                pairs=pairs,
                metrics=_MEASURES,
                **chosen,
            )
            for target in targets
        }
        when_answered(
            list(questions.values()),
            lambda: _table(groups, {name: question.result for name, question in questions.items()}, pairs, chosen),
            partial=True,
            height=160,
        )
        changed = {name: value for name, value in chosen.items() if value != geometry.VERB.defaults[name]}
        repeat(
            *(
                f"{python_call('geometry', target=target, pairs=pairs, metrics=_MEASURES, **changed)}.metrics"
                for target in targets
            )
        )


def _table(
    groups: Mapping[str, Sequence[str]], spaces: "Mapping[str, Space | None]", pairs: str, chosen: Mapping[str, Any]
) -> None:
    names, styles = method_names(groups), styles_by_method(groups)
    lines = [
        f'<tr><td class="words">{swatch(styles[method])}{html(names[method])}</td>'
        + "".join(f"<td>{over_seeds(own, spaces, measure)}</td>" for measure in _MEASURES)
        + "</tr>"
        for method, own in groups.items()
    ]
    sheet("<th class='words'>Encoder</th><th>Alignment ↓</th><th>Uniformity ↓</th>", lines)
    given = {**{name: geometry.VERB.defaults[name] for name in _SETTINGS}, **chosen}
    limit = next(space.metrics["above"] for space in spaces.values() if space is not None)
    repeated = "repeated sentences count as often" if given["repeated"] else "each sentence once"
    footing(
        f"{pairs_name(pairs)}; partners: gold > {limit:g}, exponent {given['alpha']:g}; uniformity with t = "
        f"{given['t']:g}, {repeated}; ±: standard deviation over seeds. Published: all of STS-B, gold > 4 of 5 (recalled, not "
        "checked against the paper), 2 and 2, repeated sentences counted."
    )


def over_seeds(targets: Sequence[str], spaces: "Mapping[str, Space | None]", measure: str) -> str:
    """A measure of a method: the mean over its trainings, and their standard deviation if there are several."""
    from statistics import mean, stdev

    known = [space.metrics.get(measure) for target in targets if (space := spaces.get(target)) is not None]
    values = [float(value) for value in known if isinstance(value, int | float)]
    if not values:
        return figure(None)
    return f"{figure(mean(values), 3)} ± {figure(stdev(values), 3)}" if len(values) > 1 else figure(values[0], 3)
