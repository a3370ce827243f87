"""The command line: the verbs of `workbench.api`, with flags made from the same signatures and knobs as the forms.

python -m workbench train --backbone minilm-l3 --corpus demo --steps 100
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from workbench import api, sweep_command
from workbench.core.config import SECTIONS, section_settings
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.core.method import Setting
from workbench.store.commands import origins, short

if TYPE_CHECKING:
    from pandas import DataFrame

FORMATS = ("table", "csv", "json")
_SAID = ("backbone",)
"""Fields of the configuration that have an argument of their own."""


def parser() -> argparse.ArgumentParser:
    """All commands. Nothing heavy is imported to build it."""
    top = argparse.ArgumentParser(prog="python -m workbench", description=__doc__.split("\n", 1)[0], allow_abbrev=False)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, action: Callable[..., int], help: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help, description=help, allow_abbrev=False)
        made.set_defaults(action=action)
        made.add_argument("--runs", metavar="DIR", help="The runs folder (default: WORKBENCH_RUNS, else ./runs).")
        return made

    one = add(
        "train",
        train,
        "Fine-tune a backbone by a recipe, and follow it. Ctrl-C stops the run and keeps its checkpoint.",
    )
    one.add_argument("--recipe", default="simcse_unsup")
    one.add_argument("--backbone", default="minilm-l3", help="An embedded id, a Hub id, or a model folder.")
    one.add_argument("--corpus", default="demo", help="demo, a .txt, .tsv or .csv file, or hf:ORG/NAME.")
    one.add_argument(
        "--official",
        action="store_true",
        help="The published setting to the letter, also where the backbone's card differs.",
    )
    one.add_argument("--name", default="", help="A label for people.")
    one.add_argument("--detach", action="store_true", help="Queue it and return.")
    for section in SECTIONS:
        knobs(one.add_argument_group(section), section)
    one.epilog = (
        "Settings of the losses are flags too: --temperature 0.1. Any value has its full name: --probe.every 5."
    )

    one = add("evaluate", evaluate, "Spearman on the STS tasks of a folder.")
    one.add_argument("target", help="A backbone, a run, RUN@step0, NAME:cls, 'NAME+whitening(k=64)', tfidf, ...")
    one.add_argument("--suite", default="sts")
    one.add_argument("--data", metavar="DIR", required=True)
    one.add_argument("--format", choices=FORMATS, default="table")

    one = add("compare", compare, "Several targets on one scored pair set.")
    one.add_argument("targets", nargs="+", metavar="TARGET")
    one.add_argument("--pairs", default="demo:dev")
    one.add_argument("--format", choices=FORMATS, default="table")

    one = add("encode", encode, "Texts to vectors; without texts, one a line from the input.")
    one.add_argument("texts", nargs="*", metavar="TEXT")
    one.add_argument("--backbone", default="minilm-l3")
    one.add_argument("--precision", default="fp32", choices=("fp32", "bf16", "auto"))
    one.add_argument("--out", metavar="FILE.npy", help="Write the float32 array there instead of JSON lines here.")

    one = add("augment", augment, "Seeded draws of one augmentation, or of a pipeline in one line.")
    one.add_argument(
        "name", help="An id, whose settings are flags (--rate 0.2), or 'eda_swap(rate=0.2) + typo_noise@0.5'."
    )
    one.add_argument("texts", nargs="+", metavar="TEXT")
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--draws", type=int, default=1)
    one.add_argument(
        "--protect", nargs="+", action="extend", default=[], metavar="TERM", help="Terms that may not be changed."
    )
    one.add_argument("--protect-pattern", default="", metavar="REGEX", help="What it finds may not be changed.")
    one.add_argument("--corpus", default="demo", help="What corpus statistics are counted over.")
    one.add_argument("--format", choices=FORMATS, default="table")

    one = add("scan", scan, "What each augmentation does to a sample of a corpus, and what similarity it keeps.")
    one.add_argument("corpus", nargs="?", default="demo", help="demo, a .txt, .tsv or .csv file, or hf:ORG/NAME.")
    one.add_argument("--pipelines", nargs="+", metavar="LINE", help="Default: every rule-based one that can be used.")
    one.add_argument("--target", default="minilm-l3", help="A backbone or run that says what is similar.")
    one.add_argument("--n", type=int, default=2000, help="Texts of the stratified sample (default: 2000).")
    one.add_argument("--seed", type=int, default=0)
    one.add_argument("--protect", nargs="+", default=[], metavar="TERM", help="Terms that may not be changed.")
    one.add_argument("--format", choices=FORMATS, default="table")

    one = add("sweep", sweep, "Runs over one or two settings, or a tournament of augmentations, and what came of them.")
    sweep_command.arguments(one)
    for section in SECTIONS:
        knobs(one.add_argument_group(section), section)

    one = add("runs", runs, "List runs, or do something with one.")
    one.add_argument("what", nargs="?", default="list", choices=tuple(_RUNS))
    one.add_argument("run", nargs="?", help="An id, its unique beginning, or a label; for import the file.")
    one.add_argument("file", nargs="?", help="Of export: where to (default: ID.zip).")
    one.add_argument("--yes", metavar="ID", help="delete: the run's id once more, instead of being asked.")
    one.add_argument("--light", action="store_true", help="export: without weights.")
    one.add_argument("--format", choices=FORMATS, default="table")

    one = add("list", listing, "The methods of one kind.")
    one.add_argument(
        "kind", help="losses, augmentations, objectives, recipes, poolings, heads, transforms, metrics, suites, ..."
    )
    one.add_argument("--format", choices=FORMATS, default="table")
    one = add("doctor", doctor, "What this machine and runs folder can do, and what is amiss.")
    one.add_argument("--format", choices=FORMATS, default="table")
    add("demo", demo, "Make the comparison that Home shows, and write it to assets/demo/results.")
    add("bench", bench, "Measure the speeds that docs/BENCHMARKS.md states.")
    add("evidence", evidence, "Compute, cell by cell, what docs/RESULTS.md states.")
    return top


def knobs(group: Any, section: str) -> None:
    """A flag for every value of one section; where two sections share a name, with the section before it."""
    settings, kinds = section_settings(SECTIONS[section]), get_type_hints(SECTIONS[section])
    for item in fields(SECTIONS[section]):
        dotted = f"{section}.{item.name}"
        setting = settings.get(item.name)
        if item.name in _SAID or (setting is None and kinds[item.name] not in (str, bool, tuple[str, ...])):
            continue
        flag = "--" + short(dotted).replace("_", "-")
        group.add_argument(
            *dict.fromkeys([flag, f"--{dotted}"]),
            dest=dotted,
            default=argparse.SUPPRESS,
            metavar=_metavar(setting),
            help=setting.knob.help.replace("%", "%%") if setting else None,
        )


def _metavar(setting: Setting | None) -> str:
    if setting is None:
        return "TEXT"
    if setting.choices:
        return "{" + ",".join(setting.choices) + "}"
    return {int: "N", float: "X", bool: "true|false", str: "TEXT"}[setting.kind]


def changes(asked: argparse.Namespace, extra: Sequence[str]) -> dict[str, Any]:
    """What the flags change: knobs by their dotted names, everything else (settings of losses) as it was written."""
    found: dict[str, Any] = {}
    for dotted, text in vars(asked).items():
        section, _, name = dotted.partition(".")
        if section in SECTIONS and name:
            setting = section_settings(SECTIONS[section]).get(name)
            kind = get_type_hints(SECTIONS[section])[name]
            if setting:
                found[dotted] = setting.parse(text)
            elif kind is bool:
                found[dotted] = _literal(text)
            else:
                found[dotted] = text.split(",") if kind == tuple[str, ...] else text
    return found | pairs_of(extra)


def pairs_of(extra: Sequence[str]) -> dict[str, Any]:
    """`--name value` and `--name=value` that no flag of ours took.

    >>> pairs_of(["--temperature", "0.1", "--loss=ntxent_2n"])
    {'temperature': 0.1, 'loss': 'ntxent_2n'}
    """
    found: dict[str, Any] = {}
    words = list(extra)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            raise BadSetting(f"{word!r} belongs to no flag.", way_out="Quote texts that hold spaces; see --help.")
        name, equals, value = word[2:].partition("=")
        if not equals:
            if not words:
                raise BadSetting(f"{word} has no value.", way_out="See --help.")
            value = words.pop(0)
        found[name.replace("-", "_")] = _literal(value)
    return found


def _literal(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def train(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Submit and follow."""
    from workbench.store import events

    wanted = {"backbone": asked.backbone, "corpus": asked.corpus, "official": asked.official, "name": asked.name}
    changed = changes(asked, extra)
    print(origins(api.settle(asked.recipe, **wanted, runs=asked.runs, **changed)), flush=True)
    if asked.detach:
        run = api.train(asked.recipe, **wanted, runs=asked.runs, detach=True, **changed)
        print(f"{run.id}\nqueued in {run.folder.parent}; follow it with: python -m workbench runs show {run.id}")
        return 0
    with Bar() as bar:
        run = api.train(asked.recipe, **wanted, runs=asked.runs, follow=bar, **changed)
    if run.state == events.STOPPED:
        print(f"Stopped at step {run.progress.step}; resume it with: python -m workbench runs resume {run.id}")
    show_scores(run)
    print(f"Everything is in {run.folder}")
    return 0


class Bar:
    """A progress bar that says the state, the step, the loss and the last look; on paper, a line for each change."""

    def __init__(self) -> None:
        from tqdm import tqdm

        self.live = sys.stderr.isatty()
        form = "{desc} {bar} {n_fmt}/{total_fmt} {postfix}"
        self.bar = tqdm(total=0, leave=True, dynamic_ncols=True, bar_format=form, disable=not self.live)
        self.said = ""
        self.run_id = ""

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def __call__(self, run: api.Run) -> None:
        """One look at the run."""
        from workbench.store import names
        from workbench.store.writing import last_line

        if not self.run_id:
            self.run_id = run.id
            print(run.id, flush=True)
        progress, note = run.progress, run.note
        doing = f"{run.state}: {note}" if note else run.state
        step, probe = last_line(run.folder / names.STEPS), last_line(run.folder / names.PROBES)
        details = [f"loss {step['loss']:.3f}"] if step else []
        if probe and probe.get("spearman") is not None:
            details.append(f"{probe['pairs']} {100 * probe['spearman']:.2f}")
        if self.live:
            if progress.seconds_left:
                details.append(f"{progress.seconds_left:.0f} s left")
            self.bar.total, self.bar.n = progress.steps, progress.step
            self.bar.set_description_str(doing, refresh=False)
            self.bar.set_postfix_str(", ".join(details), refresh=False)
            self.bar.refresh()
        elif (said := f"{doing} {probe['step'] if probe else ''}") != self.said:
            self.said = said
            print(
                ", ".join([f"{doing}, step {progress.step} of {progress.steps}", *details]), file=sys.stderr, flush=True
            )


class Line:
    """One line that says how far an answer is; nothing where nobody looks."""

    def __init__(self) -> None:
        self.live, self.width = sys.stderr.isatty(), 0

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self.write("")

    def __call__(self, answer: api.Answer) -> None:
        """One look at the answer."""
        said = answer.note or ("Waiting for its turn" if answer.state == "queued" else "Starting")
        self.write(f"{said}: {100 * answer.progress:.0f} %" if answer.progress else said)

    def write(self, text: str) -> None:
        """Put `text` in place of what stands there."""
        if self.live:
            sys.stderr.write(f"\r{text.ljust(self.width)}\r{text}")
            sys.stderr.flush()
            self.width = len(text)


def show_scores(run: api.Run) -> None:
    """The evaluation at the end, one line a checkpoint and pair set."""
    scores = run.scores
    if scores.empty:
        return
    shown = scores.assign(**{name: 100 * scores[name] for name in ("spearman", "low", "high")})
    columns = ["checkpoint", "step", "pairs", "n", "spearman", "low", "high", "alignment", "uniformity", "mean_cosine"]
    print(shown[columns].to_string(index=False, float_format=lambda number: f"{number:.2f}"))


def evaluate(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """The table, and below it what is absent."""
    none_left(extra)
    with Line() as line:
        table = api.evaluate(asked.target, suite=asked.suite, data=asked.data, runs=asked.runs, follow=line)
    mean = table.attrs["mean"]
    if asked.format == "json":
        import json

        print(json.dumps({**table.attrs, "tasks": table.to_dict("records")}, indent=1))
        return 0
    if asked.format == "table":
        table = table.assign(**{name: 100 * table[name] for name in ("all", "mean", "wmean", "low", "high")})
    show(table, asked.format)
    if asked.format == "table":
        if mean:
            print(f"{mean['label']}: {100 * mean['value']:.2f} (of 'all')")
        if table.attrs["absent"]:
            print(f"absent: {', '.join(table.attrs['absent'])}")
        said = f"{table.attrs['precision']}, max_length {table.attrs['max_length']}"
        print(f"Spearman x 100, 95 % interval from low to high; {said}")
        for notice in table.attrs["notices"]:
            print(notice)
    return 0


def compare(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """One line a target."""
    none_left(extra)
    with Line() as line:
        table = api.compare(asked.targets, pairs=asked.pairs, runs=asked.runs, follow=line)
    if asked.format == "table":
        table = table.assign(**{name: 100 * table[name] for name in ("spearman", "low", "high")})
    show(table, asked.format)
    return 0


def encode(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Vectors as JSON lines, or as one .npy file."""
    import json

    import numpy

    none_left(extra)
    texts = asked.texts or [line.rstrip("\n") for line in sys.stdin]
    with Line() as line:
        vectors = api.encode(texts, backbone=asked.backbone, precision=asked.precision, runs=asked.runs, follow=line)
    if asked.out:
        with Path(asked.out).open("wb") as file:
            numpy.save(file, vectors, allow_pickle=False)
        print(f"{vectors.shape[0]} x {vectors.shape[1]} float32 in {asked.out}")
        return 0
    for row in vectors:
        print(json.dumps([round(float(number), 6) for number in row]))
    return 0


def augment(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """One line a draw."""
    said = {name: getattr(asked, name) for name in ("seed", "draws", "protect", "protect_pattern", "corpus", "runs")}
    with Line() as line:
        table = api.augment(asked.name, asked.texts, follow=line, **said, **pairs_of(extra))
    if asked.format == "table":
        for row in table.itertuples():
            print(row.text if row.changed else f"{row.text}  (unchanged)")
        return 0
    show(table, asked.format)
    return 0


def scan(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """One line an augmentation, and below the table what the similarity is to be held against."""
    none_left(extra)
    wanted = {"target": asked.target, "n": asked.n, "seed": asked.seed, "protect": asked.protect, "runs": asked.runs}
    with Line() as line:
        table = api.scan(asked.corpus, asked.pipelines, **wanted, follow=line)
    if asked.format != "table":
        show(table, asked.format)
        return 0
    columns = ["pipeline", "class", "changed", "words_changed", "words", "cosine", "cosine_low", "cosine_high"]
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


def sweep(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """See workbench.sweep_command."""
    return sweep_command.sweep(asked, changes(asked, extra), show)


def runs(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """`runs list|show|stop|resume|delete|export|import|reindex`."""
    none_left(extra)
    if asked.what not in ("list", "reindex") and not asked.run:
        raise BadSetting(
            f"runs {asked.what} needs {'a file' if asked.what == 'import' else 'a run'}.", way_out="See: runs list."
        )
    return _RUNS[asked.what](asked)


def _list(asked: argparse.Namespace) -> int:
    import pandas

    rows = []
    for run in api.runs(asked.runs):
        progress, problem = run.progress, run.problem
        rows.append(
            {
                "id": run.id,
                "name": "" if problem else run.config.name,
                "state": run.state or "damaged",
                "step": f"{progress.step}/{progress.steps}",
                "corpus": "" if problem else run.config.corpus.name or run.config.corpus.source,
                "MB": round(run.size_bytes["total"] / 1e6),
            }
        )
    if not rows and asked.format == "table":
        print("No runs yet.")
        return 0
    show(pandas.DataFrame(rows), asked.format)
    return 0


def _show(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    if run.problem:
        raise BadSetting(run.problem)
    progress, sizes = run.progress, run.size_bytes
    print(f"{run.id}  {run.state}  step {progress.step} of {progress.steps}  {sizes['total'] / 1e6:.0f} MB")
    if run.failure:
        print(": ".join(run.failure))
    for warning in run.corpus_report.get("warnings", []):
        print(f"corpus: {warning}")
    show_scores(run)
    print(run.command_line)
    return 0


def _stop(asked: argparse.Namespace) -> int:
    run = api.stop(asked.run, runs=asked.runs)
    print(f"{run.id} is {run.state}.")
    return 0


def _resume(asked: argparse.Namespace) -> int:
    run = api.resume(asked.run, runs=asked.runs)
    print(f"{run.id} is {run.state}.")
    return 0


def _delete(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    confirmed = asked.yes or input(f"Type the id {run.id} to delete it for good: ")
    api.delete(run, confirmed.strip(), runs=asked.runs)
    print(f"{run.id} is deleted.")
    return 0


def _export(asked: argparse.Namespace) -> int:
    run = api.run(asked.run, runs=asked.runs)
    path = api.export_run(run, asked.file or f"{run.id}.zip", runs=asked.runs, weights=not asked.light)
    print(f"{path.stat().st_size / 1e6:.0f} MB in {path}")
    return 0


def _import(asked: argparse.Namespace) -> int:
    print(f"{api.import_run(asked.run, runs=asked.runs).id} is imported.")
    return 0


def _reindex(asked: argparse.Namespace) -> int:
    print(f"{api.reindex(asked.runs)} runs wait or are worked on.")
    return 0


_RUNS: dict[str, Callable[[argparse.Namespace], int]] = {
    "list": _list,
    "show": _show,
    "stop": _stop,
    "resume": _resume,
    "delete": _delete,
    "export": _export,
    "import": _import,
    "reindex": _reindex,
}


def listing(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """Ids and titles."""
    none_left(extra)
    table = api.list_methods(asked.kind)
    show(table[["id", "title"]] if asked.format == "table" else table, asked.format)
    return 0


def doctor(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """One line a check; 1 if something is a problem."""
    none_left(extra)
    table = api.doctor(asked.runs)
    if asked.format == "table":
        for row in table.itertuples():
            print(f"{row.state:<8} {row.check}: {row.finding}{'. ' + row.way_out if row.way_out else ''}")
    else:
        show(table, asked.format)
    return int((table["state"] == "problem").any())


def demo(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """See workbench.demo."""
    from importlib import import_module

    return int(import_module("workbench.demo").main([*extra, *(["--runs", asked.runs] if asked.runs else [])]) or 0)


def bench(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """See workbench.bench."""
    from importlib import import_module

    return int(import_module("workbench.bench").main([*extra, *(["--runs", asked.runs] if asked.runs else [])]) or 0)


def evidence(asked: argparse.Namespace, extra: Sequence[str]) -> int:
    """See workbench.evidence."""
    from importlib import import_module

    return int(import_module("workbench.evidence").main(list(extra)) or 0)


def none_left(extra: Sequence[str]) -> None:
    """Words that nobody understood.

    Raises:
        BadSetting: there are some.
    """
    if extra:
        raise BadSetting(f"Not understood: {' '.join(extra)}.", way_out="See --help.")


def show(table: "DataFrame", form: str) -> None:
    """A table for people (Spearman x 100), or for programs (-1..1)."""
    if form == "csv":
        print(table.to_csv(index=False), end="")
    elif form == "json":
        print(table.to_json(orient="records", indent=1, force_ascii=False))
    elif table.empty:
        print("Nothing yet.")
    else:
        print(table.to_string(index=False, float_format=lambda number: f"{number:.2f}"))


def main(arguments: list[str] | None = None) -> int:
    """Exit status: 0, or 2 for a mistake that a message explains, 130 after an interrupt."""
    asked, extra = parser().parse_known_args(arguments)
    try:
        return int(asked.action(asked, extra))
    except WorkbenchError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
