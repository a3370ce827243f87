"""The files of the STS competitions: `STS.input.NAME.txt` has two sentences a line, `STS.gs.NAME.txt` their scores."""

import re
from collections.abc import Sequence
from pathlib import Path

from workbench.core.errors import BadData
from workbench.data.dropped import Dropped
from workbench.data.files import examine
from workbench.data.pair_sets import PairSet, Row, build
from workbench.data.sources import resolve_inside

_INPUT = re.compile(r"(STS\w*)\.input\.(.+)\.txt")


def pairs_of(inputs: Path, folders: Sequence[str | Path] | None = None) -> PairSet | None:
    """The pairs of a file of sentences whose scores are in a file beside it or in a folder beside its own, as in
    `STS2017.eval.v1.1` and `STS2017.gs`; None for any other file.

    Raises:
        BadData: there are no such scores, or they do not match.
        OutsideFolders: the scores are outside `folders`.
    """
    named = _INPUT.fullmatch(inputs.name)
    if not named:
        return None
    golds = scores_of(inputs)
    if golds is None:
        raise BadData(
            f"{inputs.name} has no scores: there is no {_scores_named(named)}.",
            rule="The competitions published them in a file of that name, beside this one or in a folder beside its folder, "
            "which has no sentences of its own called so.",
            way_out="Download it too, or name a table that has the scores.",
        )
    rows, dropped, notices = read_beside(inputs, resolve_inside(golds, folders), named[2])
    notices.append(f"{inputs.name}: the scores are those of {golds.parent.name}/{golds.name}.")
    return build(rows, name=inputs.name, task=inputs.stem, split="", scale=(0, 5), dropped=dropped, notices=notices)


def scores_of(inputs: Path) -> Path | None:
    """The file with the scores of a file of sentences: beside it, or in a folder beside its own, unless that holds sentences
    of the same name, which the scores are of; None if there is none, and for any other file.
    """
    named = _INPUT.fullmatch(inputs.name)
    if not named:
        return None
    others = sorted(path for path in inputs.parent.parent.glob("*") if path.is_dir())
    around = [inputs.parent, *(folder for folder in others if not (folder / inputs.name).exists())]
    return next((path for folder in around if (path := folder / _scores_named(named)).is_file()), None)


def _scores_named(inputs: re.Match[str]) -> str:
    return f"{inputs[1]}.gs.{inputs[2]}.txt"


def read_beside(inputs: Path, golds: Path, subset: str) -> tuple[list[Row], list[Dropped], list[str]]:
    """The pairs of a subset, the lines that are none, and notices.

    Raises:
        BadData: the numbers of lines do not match.
    """
    texts, scores = (examine(path, lines=True, line_feeds=True) for path in (inputs, golds))
    lines = without_end([line for _, [line] in texts.rows()])
    name = f"{inputs.parent.name}: subset {subset}"
    aligned, padded = _aligned(lines, [line.strip() for _, [line] in scores.rows()], name)
    rows: list[Row] = []
    dropped: list[Dropped] = []
    for row, (line, gold) in enumerate(zip(lines, aligned, strict=True), 1):
        cells = line.split("\t")
        if len(cells) < 2:
            dropped.append(Dropped(row, f"{len(cells)} column instead of 2", line[:80]))
        else:  # the competition's own files name the source of each sentence in columns 3 and 4
            rows.append((row, subset, gold, cells[0], cells[1]))
    return rows, dropped, [*texts.notices, *scores.notices, *padded]


def _aligned(inputs: list[str], golds: list[str], name: str) -> tuple[list[str], list[str]]:
    """A score for each line of sentences, and a notice if scores were added.

    Too few scores are harmless if some lines are empty, which marks pairs without a score: an editor has removed the
    empty lines at the end. Otherwise a line was lost, and all scores after it would belong to the wrong pairs.

    Raises:
        BadData: the numbers of lines do not match.
    """
    lacking = len(inputs) - len(golds)
    if lacking < 0 and len(without_end(golds)) <= len(inputs):
        return golds[: len(inputs)], []
    if lacking < 0 or (lacking and all(golds)):
        raise BadData(
            f"{name} is damaged.",
            rule="Each line of sentences has its score on the same line of the other file.",
            got=f"{len(inputs)} lines of sentences and {len(golds)} of scores",
            way_out="Download both files again.",
        )
    if not lacking:
        return golds, []
    notice = (
        f"{name} has {lacking:,} fewer lines of scores than of sentences. Since some of its scores are empty, the last "
        f"{lacking:,} pairs are assumed to have no score."
    )
    return [*golds, *[""] * lacking], [notice]


def without_end(lines: list[str]) -> list[str]:
    """Lines up to the last one that is not empty."""
    end = len(lines)
    while end and not lines[end - 1].strip():
        end -= 1
    return lines[:end]
