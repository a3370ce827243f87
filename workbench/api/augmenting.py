"""Augmentations: draws, what they do to a corpus, and what people say of them."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.api.asking import Follow, submit
from workbench.api.places import Folder
from workbench.core.config import Value
from workbench.core.errors import unknown
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
    from workbench.previews import text_preview

    line = str(Step(pipeline, settings)) if settings else pipeline
    texts = [text] if isinstance(text, str) else list(text)
    _check_corpus(corpus)
    asked: dict[str, Any] = {"texts": texts, "pipeline": line, "seed": seed, "draws": draws, "corpus": corpus}
    asked |= {"protect": protect, "protect_pattern": protect_pattern}
    if availability.needs_worker(line):
        return submit(of_texts.VERB, runs=runs, **asked).wait(follow=follow)
    request = of_texts.VERB.ask(runs_folder(runs), asked)
    return text_preview.table(line, texts, seed=seed, draws=request.draws, protection=request.protection)


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
    """Whether a pipeline needs statistics, a lexicon or a model: then pages ask for it with `submit`.

    Raises:
        BadSetting, UnknownName: a pipeline that cannot be read.
    """
    from workbench.augmentations.availability import needs_worker

    return needs_worker(pipeline)


def judge(name: str, pair: Mapping[str, object], verdict: str, *, runs: Folder = None) -> None:
    """Write down what a person called `name` says of a pair: `same`, `changed` or `broken`; `undo` takes the last back.

    `pair` is a row of the answer to `drawn_pairs`. It is on the disk when this returns.

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
