"""What commands print: tables, scores and progress."""

import argparse
import csv
import json
import math
import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from workbench import api
from workbench.core.config import RunConfig
from workbench.core.spreadsheet import csv_of
from workbench.core.writing import plain
from workbench.statistics.linked_pairs import of_rows
from workbench.store import names, outcomes
from workbench.store.evaluations import SCORES, score_rows

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.report.blocks import Sheet

FORMATS = ("table", "csv", "json")
LATEX = "latex"
"""The format of commands whose table a paper prints."""

FOR_SPREADSHEETS = (
    "csv is for spreadsheets: a text that they would compute, since it begins with =, +, - or @, gets an apostrophe in front. "
    "In json, texts are as they are."
)


def format_flag(parser: argparse.ArgumentParser, *, latex: str = "", of_a_run: str = "") -> None:
    """`--format`, for every command that prints a table; `latex` is what it prints for a paper, and `of_a_run` what of a run, if
    it does.
    """
    choices = (*FORMATS, LATEX) if latex else FORMATS
    words = (of_a_run, FOR_SPREADSHEETS, f"latex: {latex}" if latex else "")
    parser.add_argument("--format", choices=choices, default="table", help=" ".join(filter(None, words)))


@contextmanager
def prose(form: str) -> Iterator[None]:
    """What is printed inside is for people: it goes to standard error where a program reads standard output."""
    with redirect_stdout(sys.stdout if form == "table" else sys.stderr):
        yield


def print_run(run: api.Run, form: str) -> None:
    """Print a run for programs: in JSON one object, in CSV its scores, which are -1 to 1."""
    rows = _score_rows(run)
    if form == "csv":
        import pandas

        columns = dict.fromkeys(["run", *_SCORED, *(name for row in rows for name in row)])
        # As objects: a count that one row lacks would turn the others into decimals.
        show(pandas.DataFrame([{"run": run.id, **row} for row in rows], columns=[*columns], dtype=object), form)
        return
    about = {"id": run.id, "name": run.name, "state": run.state, "step": run.progress.step, "folder": str(run.folder)}
    headline = outcomes.headline(run.outcome) if run.outcome else None
    model = run.model
    part = names.BACKBONE if model and model.name == names.BACKBONE else names.MODEL
    # An encoder without its pooling is no model: `SentenceTransformer` would load it, and pool otherwise.
    about |= {"model": None, part: str(model) if model else None, "outcome": headline}
    if masked := _masked(run):
        about["masked"] = masked
    about["scores"] = rows
    print(json.dumps(plain(about), indent=1, ensure_ascii=False))


_SCORED = ("checkpoint", "step", "pairs", "n", "spearman", "low", "high", "alignment", "uniformity", "mean_cosine")
"""Columns of the scores of a run that are printed."""


def _score_rows(run: api.Run) -> list[dict[str, object]]:
    """The scores of a run, each row with all columns: as they are in its folder, so that counts are whole."""
    rows = score_rows(run.folder / names.EVALUATIONS / SCORES)
    columns = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in columns} for row in rows]


def print_queued(run: api.Run, form: str) -> None:
    """Print a run that nobody waits for, for programs."""
    about = {"id": run.id, "state": run.state, "folder": str(run.folder)}
    if form == "csv":
        show_rows([about], form, columns=[*about])
    else:
        print(json.dumps(about, indent=1, ensure_ascii=False))


def show(table: "DataFrame", form: str, *, decimals: int = 2, settings: Sequence[str] = ()) -> None:
    """Print a table, as text, CSV or JSON. In CSV, a text that a spreadsheet would evaluate gets a leading apostrophe.

    As text, numbers have so many decimals; those of the columns `settings` are in full, since 1e-5 and 3e-5 are far apart.
    """
    if form == "csv":
        print(csv_of(table), end="")
    elif form == "json":
        print(table.to_json(orient="records", indent=1, force_ascii=False))
    elif table.empty:
        print("Nothing yet.")
    else:
        from pandas.api.types import is_integer_dtype

        filled = table.astype(object).fillna(math.nan)  # pandas prints None and <NA> as they are
        whole = [name for name in table if is_integer_dtype(table[name])]  # with one missing they would become floats
        known = filled.infer_objects().assign(**{name: filled[name] for name in whole if filled[name].isna().any()})
        for name in known.columns.intersection(list(settings)):
            known[name] = [
                f"{value:g}" if isinstance(value, float) and not math.isnan(value) else value for value in known[name]
            ]
        print(_text(known, decimals))


def _text(table: "DataFrame", decimals: int = 2) -> str:
    """A table as text; a number is never rounded to 0 that is not 0."""

    def figure(number: float) -> str:
        rounded = f"{number:.{decimals}f}"
        return rounded if number == 0 or float(rounded) else f"{number:.3g}"

    return table.to_string(index=False, float_format=figure, na_rep="–")


def show_latex(sheets: "Iterable[Sheet]") -> None:
    """Print tables for a paper, as those of report.tex: with booktabs, bold only where a test says so."""
    from workbench.report.latex import block

    print("% \\usepackage{booktabs, float, graphicx}\n" + "\n\n".join(map(block, sheets)))


def again(runs: str | None, *words: str) -> str:
    """A command to type next, on the runs folder that this one was given.

    >>> again(None, "runs", "show", "x"), again("my runs", "runs", "show", "x")
    ('python -m workbench runs show x', "python -m workbench runs show x --runs 'my runs'")
    """
    return shlex.join(["python", "-m", "workbench", *words, *(["--runs", runs] if runs else [])])


def show_queued(run: api.Run, runs: str | None) -> None:
    """Print the id of a run that nobody waits for, and how to look at it."""
    print(f"{run.id}\nqueued in {run.folder.parent}; check its progress with: {again(runs, 'runs', 'show', run.id)}")


def show_stopped(run: api.Run, runs: str | None) -> None:
    """Print where a run was stopped, and how to go on."""
    print(f"Stopped at step {run.progress.step}; resume it with: {again(runs, 'runs', 'resume', run.id)}")


def show_rows(rows: Sequence[Mapping[str, object]], form: str, *, columns: Sequence[str]) -> None:
    """`show` for plain rows with all of these columns, without pandas, whose import takes longer than listing the runs."""
    if form == "json":
        print(json.dumps(list(rows), indent=1, ensure_ascii=False))
        return
    unknown = "" if form == "csv" else "–"
    values = ([unknown if value is None else str(value) for value in row.values()] for row in rows)
    lines = [list(columns), *values]
    if form == "csv":
        csv.writer(sys.stdout, lineterminator="\n").writerows(lines)
        return
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print(" ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)))


def print_warnings(config: RunConfig) -> None:
    """Print the warnings that need no acknowledgement; those that do are part of the refusal of the run."""
    from workbench.preflight.training_warnings import of_config

    for warning in of_config(config):
        if not warning.accept:
            print(warning.text, flush=True)


def show_scores(run: api.Run) -> None:
    """Print what training did, then the final evaluation, one line per checkpoint and pair set; correlations x 100.

    Where nothing was selected, the best checkpoint is the last, and is printed once.
    """
    from workbench.data.marks import seen_words

    for line in outcomes.lines(run.outcome) if run.outcome else ():
        print(line)
    scores = run.scores
    if scores.empty:
        return
    if not run.problem and not run.config.selection.selects:
        scores = scores[scores["checkpoint"] != "best"]
    shown = scores.reindex(columns=[*_SCORED])  # a damaged row may lack some
    shown[["spearman", "low", "high"]] *= 100
    print(_text(shown))
    for rule in of_rows(scores.to_dict("records"), named="pairs"):
        print(rule)
    if "sentences_seen" in scores:
        known = scores[scores["sentences_seen"].fillna(0) > 0]
        rated = known["gold_seen"].fillna(0) if "gold_seen" in known else [0] * len(known)
        counts = zip(known["pairs"], known["sentences_seen"], known["seen_of"], rated, strict=True)
        for line in dict.fromkeys(seen_words(name, *map(int, numbers)) for name, *numbers in counts):
            print(line)


_MASKED = ("masked_loss", "masked_accuracy")


def show_masked(run: api.Run) -> None:
    """Print how well masked tokens of held-out articles are predicted, at the first and the last probe."""
    for row in _masked(run):
        print(f"step {row['step']:>7}: masked loss {row['masked_loss']:.3f}, accuracy {row['masked_accuracy']:.3f}")


def _masked(run: api.Run) -> list[dict[str, float]]:
    """The first and the last probe of a pretraining: step, and loss (nats) and accuracy (0 to 1) at masked tokens of articles
    that were held out. Empty for a fine-tune.
    """
    probes = run.probes
    if "masked_loss" not in probes or probes["masked_loss"].isna().all():
        return []
    ends = probes.iloc[[0, -1]].drop_duplicates("step")
    return [{"step": int(row["step"]), **{name: float(row[name]) for name in _MASKED}} for _, row in ends.iterrows()]


class Bar:
    """A progress bar with state, step, loss and last probe; where stderr is not a terminal, one line per change. Above it, how
    the corpus was read, once that is known.
    """

    def __init__(self) -> None:
        from tqdm import tqdm

        self.live = sys.stderr.isatty()
        form = "{desc} {bar} {n_fmt}/{total_fmt} {postfix}"
        self.bar = tqdm(total=0, leave=True, dynamic_ncols=True, bar_format=form, disable=not self.live)
        self.printed = ""
        self.run_id = ""
        self.corpus_notices: set[str] = set()

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: object) -> None:
        self.bar.close()

    def __call__(self, run: api.Run) -> None:
        """Show the run as it is now."""
        from workbench.core.reading import last_line, numeric

        if not self.run_id:
            self.run_id = run.id
            print(run.id, flush=True)
        for notice in run.corpus_notices if not self.corpus_notices else ():
            self.corpus_notices.add(notice)
            self.bar.write(f"corpus: {notice}", file=sys.stderr)
        progress, note = run.progress, run.note
        doing = f"{run.state}: {note}" if note else run.state
        step, probe = last_line(run.folder / names.STEPS), last_line(run.folder / names.PROBES)
        details = [f"loss {step['loss']:.3f}"] if step and numeric(step.get("loss")) else []
        if pace := run.tokens_per_second:
            details.append(f"{pace:,.0f} tokens a second")
        if probe and all(numeric(probe.get(name)) for name in ("masked_loss", "masked_accuracy")):
            details.append(f"held out {probe['masked_loss']:.3f}, accuracy {probe['masked_accuracy']:.3f}")
        if probe and numeric(probe.get("spearman")):
            coarse = "" if run.precision in ("auto", "fp32") else f" in {run.precision}"
            details.append(f"{probe.get('pairs', 'pairs')} {100 * probe['spearman']:.2f}{coarse}")
        if progress.seconds_left:
            details.append(f"{_time(progress.seconds_left)} left")
        if self.live:
            self.bar.total, self.bar.n = progress.steps, progress.step
            self.bar.set_description_str(doing, refresh=False)
            self.bar.set_postfix_str(", ".join(details), refresh=False)
            self.bar.refresh()
        elif (line := f"{doing} {probe.get('step') if probe else ''}") != self.printed:
            self.printed = line
            print(
                ", ".join([f"{doing}, step {progress.step} of {progress.steps}", *details]), file=sys.stderr, flush=True
            )


def _time(seconds: float) -> str:
    """A duration in seconds, minutes or hours.

    >>> _time(75), _time(8000)
    ('75 s', '2 h 13 min')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


class Line:
    """A status line with the progress of an answer; nothing where stderr is not a terminal."""

    def __init__(self) -> None:
        self.live, self.width = sys.stderr.isatty(), 0

    def __enter__(self) -> "Line":
        return self

    def __exit__(self, *_: object) -> None:
        self.write("")

    def __call__(self, answer: api.Answer[object]) -> None:
        """Show the progress of the answer."""
        note = answer.note or ("Waiting for its turn" if answer.state == "queued" else "Starting")
        self.write(f"{note}: {100 * answer.progress:.0f} %" if answer.progress else note)

    def write(self, text: str) -> None:
        """Replace the line by `text`."""
        if self.live:
            sys.stderr.write(f"\r{text.ljust(self.width)}\r{text}")
            sys.stderr.flush()
            self.width = len(text)
