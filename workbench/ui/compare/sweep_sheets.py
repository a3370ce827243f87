"""The results of a sweep as a table: every setting of a grid, every augmentation of a tournament."""

from typing import TYPE_CHECKING

from workbench.augmentations.catalogue import AUGMENTATIONS
from workbench.core.records import Row
from workbench.plots.sweep_takeaway import BEST, axis_name, value_label, verdict
from workbench.sweeps import BASELINE, NEGATIVE, POSITIVE
from workbench.sweeps.results import MEASURES
from workbench.ui.kit.glossary import explained
from workbench.ui.kit.words import DASH, figure, html, missing
from workbench.ui.pipelines.editor import CLASSES

if TYPE_CHECKING:
    from pandas import DataFrame


MOST_ROWS = 200
"""How many settings of a grid are listed, the best first."""


def grid_sheet(table: "DataFrame", axes: list[str], measure: str) -> str:
    """Every setting, best mean first; only a setting that no other may beat is called the best."""
    about = MEASURES[measure]
    called = verdict(table, scale=about.scale)
    rows = []
    ranked = table.sort_values("mean", ascending=not about.higher, na_position="last")
    for row in ranked.head(MOST_ROWS).to_dict("records"):
        first = row["standing"] == "reference"
        rows.append(
            f'<tr class="{"best" if first and called == BEST else ""}">'
            + "".join(f'<td class="words">{html(value_label(row[axis]))}</td>' for axis in axes)
            + f"<td>{_number(row['mean'], about.scale)}</td><td>{_number(row['sd'], about.scale)}</td>"
            f"<td>{row['n']} of {row['wanted']}</td>"
            f"<td>{'' if first else _difference(row, about.scale)}</td>"
            f"<td class='words'>{html(called if first else _standing(row))}</td></tr>"
        )
    named = "".join(f"<th class='words'>{html(axis_name(axis))}</th>" for axis in axes)
    head = f"{named}<th>{html(about.words.split(',')[0])} {'↑' if about.higher else '↓'}</th><th>sd</th><th>n</th>"
    last = (
        f"<tr><td class='words' colspan='{len(axes) + 5}'>The best {MOST_ROWS} of {len(table):,} settings; the data below have "
        "all.</td></tr>"
    )
    rows += [last] if len(table) > MOST_ROWS else []
    return _sheet(f"{head}<th>vs. the {'best' if called == BEST else 'first'}</th><th class='words'>Verdict</th>", rows)


def tournament_sheet(table: "DataFrame", measure: str) -> str:
    """AugCSE's table: one augmentation per row, as positive and as negative."""
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
    head = "<th class='words'>Augmentation</th><th class='words'>meaning (a label)</th>"
    return _sheet(f"{head}<th>as positive</th><th>as negative</th>", rows)


def _entry(row: Row | None, scale: float) -> str:
    if row is None or not row["n"]:
        return DASH
    return f"{_number(row['mean'], scale)} <small>{_standing(row)}</small><br><small>{_difference(row, scale)}</small>"


def _number(value: float, scale: float) -> str:
    return DASH if missing(value) else figure(scale * value)


def _difference(row: Row, scale: float) -> str:
    if missing(row["delta"]):
        return DASH
    delta = figure(scale * row["delta"])
    signed = delta if delta.startswith("−") else f"+{delta}"
    if missing(row["delta_low"]):
        return signed
    return f"{signed} <small>({figure(scale * row['delta_low'])} to {figure(scale * row['delta_high'])})</small>"


def _standing(row: Row) -> str:
    return {"tie": "tied"}.get(row["standing"], str(row["standing"]))


def _sheet(head: str, rows: list[str]) -> str:
    return f'<div class="sheet"><table><thead><tr>{explained(head)}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
