"""Augmentations: drawing augmented texts, and people's judgements of them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.api.asking import Follow, submit
from workbench.api.places import Folder
from workbench.core.config import Value
from workbench.core.errors import BadSetting, unknown
from workbench.store.names import runs_folder
from workbench.verbs import augment as of_texts

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
    follow: Follow = None,
    **settings: Value,
) -> "DataFrame":
    """Draw `draws` seeded variants of each text: columns sentence, draw, before, text, changed, acted, label, again.

    `pipeline` is the id of an augmentation, with its `settings`, or a line such as
    `eda_swap(rate=0.2) + typo_noise@0.5`. What matches `protect` or `protect_pattern` is never changed; `acted` says
    where protection made a difference. `corpus` is the corpus that statistics are counted over. `.attrs["cautions"]`
    has warnings, and `.attrs["inside"]` a line about steps that act inside the encoder and so change no text.

    Prefer `scan` to measure augmentations over a corpus, and `states` for those inside the encoder.

    Raises:
        UnknownName: no such augmentation or setting, with the nearest.
        BadSetting: a setting out of range, a line that cannot be read, or no step of it changes texts.
        BadData: there is no such corpus, even if no statistics are needed.
        MissingResource: a lexicon, parser or model that is not on this machine.
    """
    from workbench.augmentations import availability
    from workbench.augmentations.pipeline import Step, parse
    from workbench.previews import text_preview

    line = str(Step(pipeline, settings)) if settings else pipeline
    steps = parse(line)
    if steps and not steps.on_texts:
        raise BadSetting(f"{pipeline} changes no text.", rule=text_preview.inside_only(steps))
    texts = [text] if isinstance(text, str) else text
    _check_corpus(corpus)
    asked: dict[str, Any] = {"texts": texts, "pipeline": line, "seed": seed, "draws": draws, "corpus": corpus}
    asked |= {"protect": protect, "protect_pattern": protect_pattern}
    if availability.needs_worker(line):
        return submit(of_texts.VERB, runs=runs, **asked).wait(follow=follow)
    request = of_texts.VERB.ask(runs_folder(runs), asked)
    return text_preview.table(line, request.texts, seed=seed, draws=request.draws, protection=request.protection)


def _check_corpus(corpus: str) -> None:
    """Check that a corpus exists, by its name and the head of its file.

    Raises:
        WorkbenchError: it does not, or may not be read.
    """
    from workbench.core import paths
    from workbench.core.config import Corpus
    from workbench.data import demo
    from workbench.data.files import examine
    from workbench.data.sources import split_source
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
    """Whether a pipeline needs statistics, a lexicon or a model; if so, pages ask for it with `submit`.

    Raises:
        BadSetting, UnknownName: a pipeline that cannot be read.
    """
    from workbench.augmentations.availability import needs_worker

    return needs_worker(pipeline)


def judge(name: str, pair: Mapping[str, object], verdict: str, *, runs: Folder = None) -> None:
    """Record the verdict of a person called `name` on a pair: `same`, `changed` or `broken`; `undo` withdraws the last one.

    `pair` is a row of the answer to `drawn_pairs`. The verdict is on disk when this returns.

    Raises:
        BadSetting: the name is empty.
        UnknownName: any other verdict.
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
    """All verdicts that were not withdrawn: columns judge, pair, pipeline, title, before, text, verdict, time."""
    import pandas

    from workbench.store import judgements as stored

    columns = ["judge", "pair", "pipeline", "title", "before", "text", "verdict", "time"]
    return pandas.DataFrame(stored.everything(runs_folder(runs)), columns=columns)
