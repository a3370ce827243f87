"""The scores of a run's checkpoints as a table."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from workbench.core.records import Row
from workbench.data.marks import number
from workbench.data.marks import seen_words as of_report
from workbench.statistics.linked_pairs import of_rows
from workbench.ui.kit.figures import download
from workbench.ui.kit.glossary import MEASURES, explained
from workbench.ui.kit.notices import quiet
from workbench.ui.kit.score_notes import mark_of, pairs_name, rules_of, say_notices, sheet
from workbench.ui.kit.words import count, figure, html, interval, missing, score

if TYPE_CHECKING:
    from pandas import DataFrame

_CHECKPOINTS = {"step0": "before training"}


def checkpoint_table(scores: "DataFrame", name: str) -> None:
    """A run's checkpoints, with one table per pair set. The kept one is marked, and shown once if it is step 0 or the last."""
    explain: Collection[str] = MEASURES[1:]  # in the first table; Spearman has its meaning in the panel above
    for pairs, part in scores.groupby("pairs", sort=False):
        records = part.to_dict("records")
        kept = next((row.get("step") for row in records if row["checkpoint"] == "best"), None)
        twin = any(row["checkpoint"] != "best" and row.get("step") == kept for row in records)
        rows = [
            f'<tr><td class="words">{html(_checkpoint(row))}'
            f"<small>{_step(row, kept=row.get('step') == kept)}</small></td>"
            f"<td>{score(row['spearman'])}<br><small>{interval(row['low'], row['high'])}</small></td>"
            f"<td>{figure(row['alignment'])}</td>"
            f"<td>{figure(row['uniformity'])}</td><td>{figure(row['mean_cosine'])}</td></tr>"
            for row in records
            if not (twin and row["checkpoint"] == "best")
        ]
        head = f"<th class='words'>{html(pairs_name(str(pairs)))}, n = {count(part['n'].iloc[0])}</th>"
        sheet(
            f"{head}<th>Spearman<br>× 100 ↑ <small>95 %</small></th><th>Align-<br>ment ↓</th><th>Unifor-<br>mity ↓</th>"
            "<th>Mean<br>cosine</th>",
            rows,
            explain,
        )
        explain = ()
    rows = scores.to_dict("records")
    for rule in [*rules_of(map(mark_of, rows)), *of_rows(rows, named="pairs")]:
        quiet(f"{rule[0].upper()}{rule[1:]}.")
    for line in dict.fromkeys(_overlap_sentence(row) for row in rows):
        if line:
            quiet(line)
    say_notices({f"{_checkpoint(row)}, {pairs_name(str(row['pairs']))}": row for row in rows})
    download(scores, f"scores.{name}.csv")


def _overlap_sentence(row: "Mapping[str, object]") -> str:
    """How many of the scored sentences were trained on, if any."""
    common, sentences, rated = (number(row.get(name)) for name in ("sentences_seen", "seen_of", "gold_seen"))
    return of_report(pairs_name(str(row["pairs"])), common, sentences, rated) if common else ""


def _checkpoint(row: Row) -> str:
    return str(_CHECKPOINTS.get(row["checkpoint"], row["checkpoint"]))


def _step(row: Row, *, kept: bool) -> str:
    step = row.get("step")
    said = [] if missing(step) or step is None else [f"step {int(step):,}", *(["kept"] if kept else [])]
    said += mark_of(row)
    return f" {explained(', '.join(said))}" if said else ""
