"""The model card of each run in a report, with what the comparison says of its method."""

from collections.abc import Iterator

from workbench.core.markdown import plain
from workbench.plots.takeaway import number
from workbench.report.material import Material, marks_of
from workbench.report.numbers import count, points, span
from workbench.runs.model_card import model_card
from workbench.statistics.against import against
from workbench.statistics.decimals import signed_difference


def cards(material: Material) -> Iterator[tuple[str, str]]:
    """The name of each card's file and its text."""
    for training in material.trainings:
        if training.run:
            yield f"cards/{training.run.id}.md", model_card(training.run, further=_compared(material, training.method))


def _compared(material: Material, method: str) -> list[str]:
    """The method's mean, deviation and interval over seeds, and its verdict, as lines of a card."""
    row = material.methods.set_index("method").loc[method]
    seeds = [str(each.run.config.training.seed) for each in material.of(method) if each.run]
    spread = f" ± {number(100 * float(row['sd']))}" if row["seeds"] > 1 else ""
    lines = [
        "## Compared",
        "",
        f"On {plain(material.pairs)} ({count(material.n)} pairs): Spearman × 100 {points(row['mean'])}{spread}, 95 % interval "
        f"{span(row['low'], row['high'])}; {len(seeds)} seed{'s' * (len(seeds) > 1)}: {', '.join(seeds)}.",
    ]
    rows = against(material.differences, material.asked.baseline)
    for versus in rows[rows["method"] == method].to_dict("records"):
        shown = signed_difference(versus["delta"], versus["low"], versus["high"])
        lines.append(
            f"Against {plain(material.names[material.asked.baseline])}: {versus['verdict']} ({shown}, 95 % "
            f"{span(versus['low'], versus['high'], sign=True)})."
        )
    marks = marks_of(material.of(method))
    return [*lines, *([f"Beside these scores: {', '.join(marks)}."] if marks else []), ""]
