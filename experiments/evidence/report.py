"""Writing docs/evidence.jsonl from the cells, and the pages of results from it."""

import json
from dataclasses import asdict
from pathlib import Path

from experiments.evidence import store
from experiments.evidence.cells import BACKBONE, Cell, Row
from experiments.evidence.differences import Intervals, differences
from experiments.evidence.pages import FOLDER, PAGE, pages
from experiments.evidence.scores import SHAPE, Scores, group_of
from workbench.core.writing import plain, write_text


def compact(folder: Path, docs: Path) -> list[Row]:
    """The lines of docs/evidence.jsonl: machines, finished cells of recipes as they are now, differences, failures.

    Existing lines stay, and the cells of `folder` are added; their resamples go into docs/resamples.
    """
    from experiments.evidence.claims import tested
    from experiments.evidence.plan import cell_of, current, read

    stated = store.cells(docs)
    rows = [row for row in {**read(folder), **stated}.values() if current(row)]
    rows.sort(key=lambda row: str(row["written"]))  # machines keep their numbers
    changed = {group_of(row["id"]) for row in stated.values() if not current(row)}
    before = [line for line in store.lines(docs) if changed.isdisjoint(store.groups(line))]
    machines: list[Row] = []
    lines: list[Row] = []
    about_it = ("made", "rows", "batch_size", "precision", "note", "written")
    for row in rows:
        if row["state"] != "done":
            continue
        if row["machine"] not in machines:
            machines.append(row["machine"])
        whole = asdict(cell_of(row))
        empty = [name for name in ("change", "before") if not whole[name]]
        cell = {name: whole[name] for name in whole if name not in ("made", *empty)}
        figures = {name: _round(row[name]) for name in (*SHAPE, "seconds", "processor_seconds")}
        on_sets = {name: _round(score) for name, score in row["scores"].items()}
        about = {name: row[name] for name in about_it if row.get(name)}
        lines.append(
            {
                "cell": cell_of(row).id,
                **cell,
                **figures,
                "scores": on_sets,
                **about,
                "machine": machines.index(row["machine"]),
            }
        )
    done = {(line["name"], line["backbone"]) for line in lines}
    broken = [(cell_of(row), _placeless(row["message"])) for row in rows if row["state"] == "failed"]
    failed = {
        _named(cell): message
        for cell, message in broken
        if cell.kind != "recipe" or (cell.name, cell.backbone) not in done
    }
    names = {line["name"] for line in lines}
    for line in before:
        if "failed" in line and line["failed"].partition(" (")[0] not in names:
            failed.setdefault(line["failed"], line["message"])
    scores = Scores(lines)
    resamples = store.Resamples(docs, folder, rows)
    resamples.write()
    intervals = Intervals(resamples, before)
    return [
        *({"machine": number, **machine} for number, machine in enumerate(machines)),
        *sorted(lines, key=lambda line: line["cell"]),
        *differences(scores, intervals),
        *tested(scores, intervals, {group_of(cell.id): message for cell, message in broken}),
        *({"failed": name, "message": message} for name, message in sorted(failed.items())),
    ]


def _named(cell: Cell) -> str:
    """A failed cell in words, without the backbone if it is the first."""
    name = f"{cell.pooling} pooling" if cell.name == "backbone" else cell.name
    details = ", ".join(filter(None, [cell.corpus, cell.backbone if cell.backbone != BACKBONE else ""]))
    return f"{name} ({details})" if details else name


def _round(value: float | None) -> float | None:
    return None if value is None else round(float(value), 5)


def _placeless(message: str) -> str:
    """A message without folders of the machine that it comes from."""
    return " ".join(Path(word).name if word.startswith("/") else word for word in message.split())


def write(folder: Path | None, docs: Path = store.DOCS) -> list[str]:
    """Add the cells of `folder`, where one is given, to docs/evidence.jsonl, and write docs/RESULTS.md and the pages and
    figures of docs/results from it; other files in docs/results are removed. Returns the text to print.
    """
    if folder is not None:
        lines = compact(folder, docs)
        written = "".join(json.dumps(plain(line), ensure_ascii=False, separators=(",", ":")) + "\n" for line in lines)
        write_text(docs / store.LINES, written)
    lines = store.lines(docs)
    if not any("cell" in line for line in lines):
        return ["No cell is finished, so there is nothing to report."]
    files = pages(lines)
    (docs / FOLDER).mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        write_text(docs / name, text)
    for path in (docs / FOLDER).iterdir():
        if f"{FOLDER}/{path.name}" not in files:
            path.unlink()
    counts = [
        f"{sum(kind in line for line in lines)} {name}" for kind, name in (("cell", "cells"), ("group", "differences"))
    ]
    return [f"Wrote {PAGE} and {len(files) - 1} files of {FOLDER} from {' and '.join(counts)} of {store.LINES}."]
