"""Augmentations: draws, what they do to a corpus, and what people say of them."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from workbench.api.asking import submit
from workbench.api.places import Folder
from workbench.compute.tickets import Answer
from workbench.core.errors import unknown
from workbench.store.names import runs_folder

if TYPE_CHECKING:
    from pandas import DataFrame


def augment(
    pipeline: str,
    text: str | Sequence[str],
    *,
    seed: int = 0,
    draws: int = 1,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
    corpus: str = "demo",
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
    **settings: Any,
) -> "DataFrame":
    """Columns sentence, draw, before, text, changed, acted, label, again: `draws` seeded variants of each text.

    `pipeline` is the id of an augmentation, with `settings` of its own, or a line such as
    `eda_swap(rate=0.2) + typo_noise@0.5`. What matches `protect` or `protect_pattern` is never changed; `acted` says
    where that took any doing. `corpus` is what corpus statistics are counted over.

    Raises:
        UnknownName: no such augmentation or setting, with the nearest.
        BadSetting: a setting out of range, or a line that cannot be read.
        BadData: no such corpus, also where nothing is counted over it.
        MissingResource: a lexicon, parser or model that is not on this machine.
    """
    from workbench.augmentations import availability
    from workbench.augmentations.pipeline import Step
    from workbench.augmentations.protect import Protection
    from workbench.previews import text_preview
    from workbench.verbs.questions.question import whole

    line = str(Step(pipeline, settings)) if settings else pipeline
    texts = [text] if isinstance(text, str) else list(text)
    draws = whole("draws", draws, 1, text_preview.MOST_DRAWS)
    _check_corpus(corpus)
    if availability.needs_worker(line):
        asked: dict[str, Any] = {"seed": seed, "draws": draws, "protect": list(protect), "corpus": corpus}
        ticket = submit("augment", runs=runs, texts=texts, pipeline=line, protect_pattern=protect_pattern, **asked)
        return ticket.wait(follow=follow)
    return text_preview.table(
        line, texts, seed=seed, draws=draws, protection=Protection(tuple(protect), protect_pattern)
    )


def _check_corpus(corpus: str) -> None:
    """Whether a corpus is there, as far as its name and the head of its file tell."""
    from workbench.core import paths
    from workbench.core.config import Corpus
    from workbench.data import demo
    from workbench.data.files import examine, split_source
    from workbench.preflight.refusals import check_path

    if Corpus(corpus).of_pairs:
        for part in Corpus(corpus).files:
            check_path(part)
    elif corpus.startswith("demo:"):
        demo.roles(corpus)
    elif corpus != "demo" and not corpus.startswith("hf:"):
        paths.check(corpus)
        examine(split_source(corpus)[0])


def needs_worker(pipeline: str) -> bool:
    """Whether a pipeline needs statistics, a lexicon or a model: then pages ask for it with `submit("augment", ...)`.

    Raises:
        BadSetting, UnknownName: a pipeline that cannot be read.
    """
    from workbench.augmentations.availability import needs_worker

    return needs_worker(pipeline)


def scan(
    corpus: str = "demo",
    pipelines: Sequence[str] | None = None,
    *,
    target: str = "minilm-l3",
    n: int = 2000,
    seed: int = 0,
    protect: Sequence[str] = (),
    protect_pattern: str = "",
    runs: Folder = None,
    follow: Callable[[Answer], None] | None = None,
) -> "DataFrame":
    """One row an augmentation: what it does to a stratified sample of `n` texts of a corpus. Waits for the answer.

    `pipelines` are lines as `augment` takes them, whose steps all act on one thing, or `dropout(rate=0.2)`; without any,
    every rule-based augmentation whose lexicons are here, dropout, and all of positions, states and vectors.
    Columns: pipeline, title, acts_on (texts, positions, states, vectors, dropout), class, role, language, n, n_changed,
    changed (share of texts), perturbation (share of what `perturbed` names: words, token places, state entries, vector
    length, layer entries), size (length of the change as a share of that of the token states, or of the vector),
    length (relative change of the number of words, or of tokens attended to) and characters, cosine (similarity kept
    under `target`, of changed texts), cosine_all (of all), most of them with `_low` and `_high` (95 %), the cosines with
    quantiles `_05`, `_50`, `_95`; duplicates, acted (where protection did something), texts_per_second, absent (why a
    row is empty).

    `.attrs` has `about`, with the similarity of dropout pairs and of random pairs under `references`, and `extremes`:
    the least and the most similar changed texts of each, with a `note` of what was changed where it is not the text.

    Raises:
        WorkbenchError: a corpus, target or pipeline that cannot be used.
    """
    asked: dict[str, Any] = {"n": n, "seed": seed, "protect": list(protect), "protect_pattern": protect_pattern}
    found = submit("scan", runs=runs, corpus=corpus, pipelines=pipelines, target=target, **asked).wait(follow=follow)
    table: DataFrame = found["table"]
    table.attrs = {"about": found["about"], "extremes": found["extremes"].to_dict("records")}
    return table


def judge(name: str, pair: dict[str, Any], verdict: str, *, runs: Folder = None) -> None:
    """Write down what a person called `name` says of a pair: `same`, `changed` or `broken`; `undo` takes the last back.

    `pair` is a row of the answer to `submit("drawn_pairs", ...)`. It is on the disk when this returns.

    Raises:
        BadSetting: another verdict, or an empty name.
    """
    from workbench.statistics.verdicts import VERDICTS
    from workbench.store import judgements as stored

    if verdict == "undo":
        stored.undo(runs_folder(runs), name)
    elif verdict in VERDICTS:
        stored.add(runs_folder(runs), name, pair, verdict)
    else:
        raise unknown("verdict", verdict, (*VERDICTS, "undo"))


def judgements(*, runs: Folder = None) -> "DataFrame":
    """Columns judge, pair, pipeline, title, before, text, verdict, time: everything that people judged and that stands."""
    import pandas

    from workbench.store import judgements as stored

    columns = ["judge", "pair", "pipeline", "title", "before", "text", "verdict", "time"]
    return pandas.DataFrame(stored.everything(runs_folder(runs)), columns=columns)
