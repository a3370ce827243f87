"""`python -m workbench geometry`: isotropy, hubness and the spectrum of the vectors of some texts, or of a pair set."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from workbench import api
from workbench.commands._flags import none_left, of_request
from workbench.commands._showing import Line, format_flag
from workbench.commands._texts import texts_of
from workbench.commands._verbs import VerbCommand
from workbench.core.spreadsheet import csv_of
from workbench.metrics import METHODS
from workbench.verbs.geometry import VERB

if TYPE_CHECKING:
    from pandas import DataFrame

HELP = (
    "Measure a space: IsoScore, hubness, uniformity, the share of the top direction and more, of texts or of --pairs."
)

_SHARES = (0.5, 0.9, 0.99)
"""Parts of the squared length, of which is said how many directions have them."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    help_texts = "Texts, at least three; - alone: each line of standard input. None with --pairs."
    parser.add_argument("texts", nargs="*", metavar="TEXT", help=help_texts)
    of_request(parser, VERB, without=("texts",))
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print each metric and a summary of the spectrum; all of it as CSV (a table of each) or JSON."""
    if asked.format == "json":
        return VerbCommand(VERB).answer(asked, extra)
    none_left(extra)
    given = {name: getattr(asked, name) for name in VERB.fields if name != "texts"}
    with Line() as line:
        space = api.geometry(texts_of(asked.texts), runs=asked.runs, follow=line, **given)
    if asked.format == "csv":
        import pandas

        metrics = pandas.DataFrame(
            {"measure": list(space.metrics), "value": list(space.metrics.values())}, dtype=object
        )
        tables = [metrics] if space.spectrum is None else [metrics, space.spectrum]
        print("\n".join(map(csv_of, tables)), end="")
        return 0
    for text in _lines(space.metrics):
        print(text)
    if space.spectrum is not None:
        print(_summary(space.spectrum))
    return 0


def _lines(metrics: Mapping[str, object]) -> Iterator[str]:
    """Each measure with its value; what it was measured on follows."""
    names = {name: METHODS[name].title if name in METHODS else name.replace("_", " ") for name in metrics}
    width = max(map(len, names.values()))
    for name, value in sorted(metrics.items(), key=lambda item: item[0] not in METHODS):
        if value in (None, "") and name not in METHODS:
            continue
        shown = "–" if value is None else f"{value:.4f}" if isinstance(value, float) else str(value)
        yield f"{names[name]:<{width}}  {shown}"


def _summary(spectrum: "DataFrame") -> str:
    """How the squared length is shared by the directions, in a sentence.

    >>> import pandas
    >>> _summary(pandas.DataFrame({"share": [0.8, 0.2], "cumulative": [0.8, 1.0]}))
    'Of 2 directions the first has 80.0 % of the squared length; 50 % lies in 1, 90 % in 2, 99 % in 2.'
    """
    reached = [int((spectrum["cumulative"] < share - 1e-9).sum()) + 1 for share in _SHARES]
    (least, share), *others = zip(reached, _SHARES, strict=True)
    parts = [f"{100 * share:.0f} % lies in {least}", *(f"{100 * share:.0f} % in {count}" for count, share in others)]
    first = float(spectrum["share"].iloc[0])
    return f"Of {len(spectrum)} directions the first has {100 * first:.1f} % of the squared length; {', '.join(parts)}."
