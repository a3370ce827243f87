"""`python -m workbench evaluate`: the STS tasks."""

import argparse
from collections.abc import Sequence

from workbench import api
from workbench.commands.flags import none_left
from workbench.commands.showing import Line, format_flag, show

HELP = "Spearman on the STS tasks of a folder."


def arguments(one: argparse.ArgumentParser) -> None:
    """Flags of its own."""
    one.add_argument("target", help="A backbone, a run, RUN@step0, NAME:cls, 'NAME+whitening(k=64)', tfidf, ...")
    one.add_argument("--suite", default="sts")
    one.add_argument("--data", metavar="DIR", required=True)
    format_flag(one)


def answer(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """The table, and below it what is absent."""
    none_left(extra)
    with Line() as line:
        table = api.evaluate(asked.target, suite=asked.suite, data=asked.data, runs=asked.runs, follow=line)
    mean = table.attrs["mean"]
    if asked.format == "json":
        import json

        from workbench.store.writing import plain

        print(json.dumps(plain({**table.attrs, "tasks": table.to_dict("records")}), indent=1))
        return 0
    if asked.format == "table":
        table = table.assign(**{name: 100 * table[name] for name in ("all", "mean", "wmean", "low", "high")})
        table = table.drop(columns="fitted_on")
    show(table, asked.format)
    if asked.format == "table":
        if mean:
            print(f"{mean['label']}: {100 * mean['value']:.2f} (of 'all')")
        if table.attrs["absent"]:
            print(f"absent: {', '.join(table.attrs['absent'])}")
        said = f"{table.attrs['precision']}, max_length {table.attrs['max_length']}"
        print(f"Spearman x 100, 95 % interval from low to high; {said}")
        if table.attrs["fitted_on"]:
            print(f"fitted on {table.attrs['fitted_on']}")
        for notice in table.attrs["notices"]:
            print(notice)
    return 0
