"""Dividing a file of scored pairs into splits."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from workbench.core.method import Knob
from workbench.core.progress import Progress
from workbench.data.splitting import FORMATS, check_shares, divide_file, format_of
from workbench.verbs._fields import Folder, Pairs
from workbench.verbs._verb import Here, Verb

if TYPE_CHECKING:
    from pandas import DataFrame

OUT = f"The copy, whose name ends in {', '.join(FORMATS)}; by default NAME.split.tsv beside the file."


@dataclass(frozen=True)
class SplitPairs:
    """Divide a file of scored pairs: a copy with a column split, of train, dev and test, none of which share a sentence.

    Then the rows of train are trained on (`--corpus OUT`), the step is chosen on `OUT#dev`, and `OUT` or `OUT#test` is scored.

    Prefer splits that were published with a set, so that scores can be compared with those of others.
    """

    file: Annotated[str, Pairs("FILE, or FILE#score=COLUMN,sentence1=COLUMN,sentence2=COLUMN.")]
    out: Annotated[str, Folder(OUT)] = ""
    dev: Annotated[float, Knob(0.0, 0.9, 0.05, "Share of the pairs to choose the step on.")] = 0.1
    test: Annotated[float, Knob(0.0, 0.9, 0.05, "Share of the pairs to score.")] = 0.2
    seed: Annotated[int, "Equal seeds divide alike."] = 0


def check(request: SplitPairs) -> None:
    """Some pairs must be set apart and some left, and the format known."""
    check_shares(request.dev, request.test)
    format_of(_out(request))


def run(request: SplitPairs, here: Here, on_progress: Progress) -> "DataFrame":
    """Columns split, pairs, sentences (distinct ones), share (of all pairs), gold_mean, gold_sd; one row per split.

    Pairs that share a sentence stay together, and scores are spread evenly. `.attrs` has `file`, the copy, and notices.
    """
    from pandas import DataFrame

    out = _out(request)
    found = divide_file(request.file, out, dev=request.dev, test=request.test, seed=request.seed)
    table = DataFrame([vars(part) for part in found.parts])
    table.attrs = {"file": str(out), "notices": [f"Written to {out}.", *found.notices]}
    return table


def _out(request: SplitPairs) -> Path:
    if request.out:
        return Path(request.out).expanduser().absolute()
    path = Path(request.file)
    source = path if path.is_file() else Path(request.file.rpartition("#")[0] or request.file)
    return source.with_name(f"{source.name.partition('.')[0]}.split.tsv")


VERB = Verb(SplitPairs, run, where="here", check=check, command=True)
