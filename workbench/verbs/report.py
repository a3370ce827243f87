"""A report on methods that can be handed in."""

import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np

from workbench.core import presets
from workbench.core.errors import BadSetting, unknown
from workbench.core.method import Knob
from workbench.core.progress import Progress, part
from workbench.data.references import set_name
from workbench.evaluation import METHODS as SUITES
from workbench.report.material import Asked, Material, Training, leaders, names_of
from workbench.store.openings import openings
from workbench.store.run import Run
from workbench.targets.methods import MethodTargets, methods_of
from workbench.targets.target import Target
from workbench.verbs import compare_methods, evaluate
from workbench.verbs._fields import EncodedList, Folder, Pairs, unparsed
from workbench.verbs._verb import Verb
from workbench.verbs.score import about_stored

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache
    from workbench.data.pair_sets import PairSet

BY = ("", "task", "subset", "genre", "length")
"""What pairs can be grouped by."""
MOST_BYTES = 1_000_000_000
"""The largest runs whose weights a report takes."""
EXAMPLES = 12
"""Pairs shown of those that two methods rank most differently."""


@dataclass(frozen=True)
class Report:
    """Write a report on methods, to be handed in: verdicts, tables, figures, settings, training texts and how to repeat it.

    Runs that differ in nothing but their seed are one method, and the first target is the baseline. Prefer `compare_methods` for
    the numbers alone.
    """

    targets: Annotated[tuple[Target, ...], EncodedList(most=compare_methods.MOST_TARGETS)] = unparsed((presets.TARGET,))
    pairs: Annotated[str, Pairs()] = "demo:dev"
    question: Annotated[str, "The question that the report answers; empty for the usual one."] = ""
    suite: Annotated[str, "A suite whose tasks it has as well, from the folder `data`; see `list suites`."] = (
        presets.SUITE
    )
    data: Annotated[str, Folder("The folder with the tasks of the suite; empty for none.")] = ""
    by: Annotated[
        Literal["", "task", "subset", "genre", "length"],
        Knob(help="Groups of pairs to compare within as well; empty for those that the pairs name, else by length."),
    ] = ""
    texts: Annotated[bool, "Whether it may contain sentences of data sets."] = True
    weights: Annotated[bool, "Whether runs.zip has the runs' checkpoints and models, for a whole import elsewhere."] = (
        False
    )


@dataclass(frozen=True)
class Reported:
    """A report."""

    headline: str
    """The verdict, in a sentence."""
    files: "DataFrame"
    """One row per file: name, with slashes between folders, and content, in bytes."""


def check(request: Report) -> None:
    """Not too many methods, a suite that exists, and weights that fit into a report."""
    compare_methods.check(compare_methods.CompareMethods(request.targets, request.pairs))
    if request.suite not in SUITES:
        raise unknown("suite", request.suite, SUITES)
    if len(request.question) > 500:
        raise BadSetting("A question has at most 500 characters.", got=str(len(request.question)))
    if not request.weights:
        return
    if not request.texts:
        raise BadSetting(
            "A report without texts cannot have weights.",
            rule="Both are in runs.zip, with the sentences that the runs were evaluated on.",
            way_out="Leave out one of the two.",
        )
    if (size := sum(run.size_bytes["total"] for run in runs_of(request.targets))) > MOST_BYTES:
        raise BadSetting(
            "These runs are too large for a report with weights.",
            rule=f"At most {MOST_BYTES / 1e9:g} GB.",
            got=f"{size / 1e9:.1f} GB",
            way_out="Write it without weights, and export the runs one by one: workbench runs export RUN FILE.",
        )


def runs_of(targets: Sequence[Target]) -> list[Run]:
    """The runs that are over, each once: those of runs.zip."""
    return list({target.run.id: target.run for target in targets if target.run and not target.run.live}.values())


def depends(request: Report) -> object:
    """What the folders of the runs say besides their weights."""
    return [[target.run.label, target.run.state] for target in request.targets if target.run]


def run(request: Report, models: "ModelCache", on_progress: Progress) -> Reported:
    """The verdict, and a table of the files: report.html, which needs no network, report.md, report.tex, tables, figures, a
    model card of each run and, unless texts are left out, runs.zip with the runs, without their weights unless these are asked
    for."""
    from workbench.report.cards import cards
    from workbench.report.document import document_of
    from workbench.report.files import as_table, files_of
    from workbench.report.verdicts import headline
    from workbench.store.bundle import NAME as RUNS
    from workbench.store.bundle import bundle

    material = _material(request, models, part(on_progress, 0.0, 0.7))
    document = document_of(material, made=time.time())
    files = [*files_of(document, part(on_progress, 0.7, 1.0))]
    files += [(name, card.encode()) for name, card in cards(material)]
    ended = runs_of(request.targets)
    if request.texts and ended:  # a run's folder has the sentences that it was evaluated on
        files.append((RUNS, bundle(ended, weights=request.weights)))
    return Reported(headline(material), as_table(iter(files)))


def of_comparison(
    compared: compare_methods.ComparedMethods,
    asked: Asked,
    groups: tuple[MethodTargets, ...],
    trainings: Sequence[Training],
) -> Material:
    """What a comparison of methods says by itself: without a suite, example pairs, the split of its pairs and their openings."""
    import pandas

    none = pandas.DataFrame()
    return Material(
        asked,
        compared.pairs,
        "",
        compared.n,
        (0.0, 1.0),
        names_of(groups),
        compared.methods,
        compared.differences,
        compared.by,
        none if compared.group_means is None else compared.group_means,
        none if compared.group_differences is None else compared.group_differences,
        tuple(trainings),
        none,
        none,
        "",
        tuple(dict.fromkeys(compared.notices)),
        linked_groups=compared.linked_groups,
    )


def _material(request: Report, models: "ModelCache", on_progress: Progress) -> Material:
    import pandas

    from workbench.data.pairs import load_pairs
    from workbench.report.document import question

    groups = methods_of(request.targets)
    pairs = load_pairs(request.pairs)
    by = request.by or _usual_groups(request.pairs, pairs)
    comparison = compare_methods.CompareMethods(request.targets, request.pairs, by)
    compared = compare_methods.run(comparison, models, part(on_progress, 0.0, 0.5))
    trainings, cosines = _trainings(request, groups, pairs, models, part(on_progress, 0.5, 0.7))
    suite, words, notices = pandas.DataFrame(), "", list(compared.notices)
    if request.data:
        suite, words, more = _suite(request, groups, models, part(on_progress, 0.7, 1.0))
        notices += more
    name = set_name(request.pairs)
    asked = Asked(question(request.question, name), request.pairs, groups[0].name, request.texts, _command(request))
    material = replace(
        of_comparison(compared, asked, groups, trainings),
        pairs=name,
        split=pairs.split,
        scale=pairs.scale,
        suite=suite,
        suite_words=words,
        notices=tuple(dict.fromkeys(notices)),
        openings=tuple(openings(models.folder, pairs.name)),
    )
    return replace(material, examples=_examples(material, pairs, cosines)) if request.texts else material


def _usual_groups(reference: str, pairs: "PairSet") -> "Literal['', 'subset', 'genre', 'length']":
    """The first kind of groups that the pairs have at least two of; empty for none."""
    from workbench.scoring.pair_groups import groups_of

    kinds: tuple[Literal["subset", "genre", "length"], ...] = ("subset", "genre", "length")
    for kind in kinds:
        try:
            if len(groups_of(reference, pairs, kind)[0]) > 1:
                return kind
        except BadSetting:  # there are no such groups
            continue
    return ""


def _trainings(
    request: Report, groups: tuple[MethodTargets, ...], pairs: "PairSet", models: "ModelCache", on_progress: Progress
) -> "tuple[list[Training], dict[str, np.ndarray]]":
    """Each target as it was measured, and the mean cosine of each pair by method."""
    from workbench.scoring.pair_scores import Scored
    from workbench.scoring.stored import stored
    from workbench.scoring.train_test_overlap import columns, overlaps_of

    scored = Scored([pairs])
    trainings: list[Training] = []
    cosines: dict[str, np.ndarray] = {}
    count = sum(len(group.targets) for group in groups)
    for group in groups:
        own = []
        for target, seed in zip(group.targets, group.seeds or (None,), strict=True):
            share = part(on_progress, len(trainings) / count, (len(trainings) + 1) / count)
            if kept := stored(target, pairs):
                space, cosine = kept.score, kept.cosines["cosine"].to_numpy()
                about = about_stored(target, kept)
            else:
                fitted = models.fit(target, share, scored=scored.texts)
                vectors = fitted.vectors(scored.texts, share)
                space = scored.evaluate(lambda _, vectors=vectors: vectors)[0]  # type: ignore[misc]
                cosine, about = scored.cosines(vectors), models.about(target, fitted.on)
            trainings.append(
                Training(
                    group.name,
                    target,
                    seed,
                    space["spearman"],
                    {**space, "reference": request.pairs},
                    columns(overlaps_of(target, [pairs])[0]),
                    about["fitted_on"],
                    about["max_length"],
                    about["precision"],
                )
            )
            own.append(cosine)
        cosines[group.name] = np.mean(own, axis=0)
    return trainings, cosines


def _suite(
    request: Report, groups: tuple[MethodTargets, ...], models: "ModelCache", on_progress: Progress
) -> "tuple[DataFrame, str, list[str]]":
    """The scores of each method on each task, of several trainings the mean; what they are; and notices."""
    import pandas

    suite, parts = SUITES[request.suite], []
    notices: list[str] = []
    targets = [(group.name, target) for group in groups for target in group.targets]
    for number, (name, target) in enumerate(targets):
        share = part(on_progress, number / len(targets), (number + 1) / len(targets))
        table = evaluate.run(evaluate.Evaluate(target, request.suite, request.data), models, share)
        notices += [f"{target.label}: {note}" for note in table.attrs["notices"]]
        parts.append(
            pandas.DataFrame({"task": table["task"], "n": table["n"], "method": name, "score": table[suite.score]})
        )
        about = table.attrs
    joined = pandas.concat(parts, ignore_index=True)
    means = joined.groupby(["task", "n", "method"], sort=False, as_index=False)["score"].mean()
    absent = f" Not in this folder: {', '.join(about['absent'])}." if about["absent"] else ""
    words = f"{suite.title}: {suite.measure.format_map(about)}; of several seeds the mean.{absent}"
    return means.rename(columns={"score": "mean"}), words, notices


def _examples(material: Material, pairs: "PairSet", cosines: "dict[str, np.ndarray]") -> "DataFrame":
    """The pairs whose ranks differ most between the best method and the baseline; the second best, where that is the best."""
    from pandas import DataFrame

    from workbench.statistics.correlation import average_ranks

    if len(cosines) < 2:
        return DataFrame()
    best, other = leaders(material)[0], material.asked.baseline
    if best == other:
        means = material.methods[material.methods["method"] != best]
        other = str(means.loc[means["mean"].idxmax(), "method"])
    moved = np.abs(average_ranks(cosines[best]) - average_ranks(cosines[other]))
    rows = np.argsort(-moved, kind="stable")[:EXAMPLES]
    return DataFrame(
        {
            "sentence1": [pairs.first[row] for row in rows],
            "sentence2": [pairs.second[row] for row in rows],
            "gold": pairs.gold[rows],
            best: cosines[best][rows],
            other: cosines[other][rows],
        }
    )


def _command(request: Report) -> str:
    """The command that makes the report again."""
    from workbench.report.numbers import without_folders

    words = [
        "python",
        "-m",
        "workbench",
        "report",
        *(target.text for target in request.targets),
        "--pairs",
        request.pairs,
    ]
    words += ["--suite", request.suite, "--data", request.data] if request.data else []
    words += ["--question", request.question] if request.question else []
    words += ["--by", request.by] if request.by else []
    words += [] if request.texts else ["--no-texts"]
    words += ["--weights"] if request.weights else []
    return shlex.join(map(without_folders, words))


def slow(request: Report) -> bool:
    """It draws every figure for print."""
    return True


VERB = Verb(Report, run, check=check, depends=depends, slow=slow, doing="Writing the report")
