"""`python -m workbench scan`: what augmentations do to a corpus."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands.flags import CORPUS, none_left
from workbench.commands.showing import Line, format_flag, show

HELP = "What each augmentation does to a sample of a corpus, and what similarity it keeps."


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    one.add_argument("corpus", nargs="?", default="demo", help=CORPUS)
    one.add_argument("--pipelines", nargs="+", metavar="LINE", help="Default: all that need no second model.")
    one.add_argument("--target", default="minilm-l3", help="A backbone or run that says what is similar.")
    one.add_argument("--n", type=int, default=2000, help="Texts of the stratified sample (default: 2000).")
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--protect", nargs="+", default=[], metavar="TERM", help="Terms that may not be changed.")
    one.add_argument("--protect-pattern", default="", metavar="REGEX", help="What it finds may not be changed.")
    format_flag(one)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """One line an augmentation, and below the table what the similarity is to be held against."""
    none_left(extra)
    wanted = {name: getattr(asked, name) for name in ("target", "n", "seed", "protect", "protect_pattern", "runs")}
    with Line() as line:
        table = api.scan(asked.corpus, asked.pipelines, **wanted, follow=line)
    if asked.format != "table":
        show(table, asked.format)
        return 0
    columns = ["pipeline", "class", "changed", "perturbation", "perturbed", "size", "length"]
    columns += ["cosine", "cosine_low", "cosine_high"]
    show(table.loc[table["absent"] == "", columns], asked.format)
    for row in table[table["absent"] != ""].itertuples():
        print(f"{row.pipeline}: {row.absent}")
    about = table.attrs["about"]
    pairs = {name: f"{one['mean']:.2f}" for name, one in about["references"].items() if one["n"]}
    print(
        f"{about['n']:,} of {about['texts']:,} texts; cosine under {about['target']}, of changed texts, 95 % interval"
    )
    print(", ".join(f"{name} pairs {mean}" for name, mean in pairs.items()))
    return 0
