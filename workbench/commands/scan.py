"""`python -m workbench scan`: what augmentations do to a corpus."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands._flags import CORPUS, none_left, of_request
from workbench.commands._showing import Line, format_flag, show
from workbench.verbs import scan

HELP = "What each augmentation does to a sample of a corpus, and what similarity it keeps."


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the flags of the command."""
    parser.add_argument("corpus", nargs="?", default="demo", help=CORPUS)
    of_request(parser, scan.VERB, without=("corpus",))
    format_flag(parser)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Print one line per augmentation; below, the cosines of dropout pairs and random pairs for comparison."""
    none_left(extra)
    with Line() as line:
        given = {name: getattr(asked, name) for name in scan.VERB.fields}
        scanned = api.answer(scan.VERB, runs=asked.runs, follow=line, **given)
    table = scanned.table
    if asked.format != "table":
        show(table, asked.format)
        return 0
    columns = ["pipeline", "class", "changed", "perturbation", "perturbed", "size", "length"]
    columns += ["cosine", "cosine_low", "cosine_high"]
    show(table.loc[table["absent"] == "", columns], asked.format)
    for row in table[table["absent"] != ""].itertuples():
        print(f"{row.pipeline}: {row.absent}")
    about, references = scanned.about, scanned.about["references"]
    pairs = {
        name: f"{spread['mean']:.2f}"
        for name, spread in (("dropout", references["dropout"]), ("random", references["random"]))
        if spread["n"]
    }
    print(
        f"{about['n']:,} of {about['texts']:,} texts; cosine under {about['target']}, of changed texts, 95 % interval"
    )
    print(", ".join(f"{name} pairs {mean}" for name, mean in pairs.items()))
    return 0
