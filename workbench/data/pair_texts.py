"""A target corpus: the distinct texts of the pair sets that a run will be scored on. Their gold scores are never used."""

from collections.abc import Sequence
from pathlib import Path

from workbench.core.config import TEXTS, Corpus
from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.data.gather import gather
from workbench.data.pair_sets import PairSet
from workbench.data.pairs import load_pairs
from workbench.data.sources import split_task
from workbench.data.sts import load_task, present
from workbench.data.texts import CorpusTexts

ALL = "sts@"
"""Prefix of a folder with STS tasks; the test split of each is used."""
RULE = (
    "It is texts: followed by pair sets, separated by commas: demo:dev, demo:test, TASK:SPLIT@FOLDER, sts@FOLDER for the test "
    "splits of all tasks there, or FILE."
)


def pair_texts(
    source: str,
    *,
    limit: int | None = None,
    max_texts: int | None = None,
    seed: int = 0,
    folders: Sequence[str | Path] | None = None,
    on_progress: Progress = no_progress,
) -> CorpusTexts:
    """The distinct texts of the pair sets in `texts:PAIRS,PAIRS`, in the order of the sets; other arguments as for
    `load_corpus`.

    Raises:
        BadData: no set is named, one is missing, or none contains a text.
        UnknownName: there is no such task or split.
        OutsideFolders: a path is outside `folders`.
    """
    refs = Corpus(source).files
    if not refs:
        raise BadData("No pair set is named.", rule=RULE, way_out="For example: texts:demo:dev,demo:test.")
    sets: list[PairSet] = []
    notices: list[str] = []
    for place, ref in enumerate(refs):
        on_progress(place / len(refs), f"Reading {shown(ref)}")
        loaded, remarks = _read(ref, folders)
        sets += loaded
        notices += remarks
    distinct = dict.fromkeys(text for one in sets for text in one.texts())
    counted = ", ".join(f"{one.name} {len(dict.fromkeys(one.texts())):,}" for one in sets)
    notices.append(
        f"{len(distinct):,} distinct texts of the scored pairs ({counted}); their gold scores are not used. A score "
        "on these sets is transductive."
    )
    rows = ((row, [text]) for row, text in enumerate(distinct, 1))
    return gather(
        rows, source=source, name=called(source), notices=notices, limit=limit, max_texts=max_texts, seed=seed
    )


def shown(ref: str) -> str:
    """The name of a pair set without its folder.

    >>> shown("stsb:test@data/sts"), shown("sts@data/sts"), shown("data/own.tsv#dev"), shown("demo:dev")
    ('stsb:test', 'all STS tasks', 'own.tsv#dev', 'demo:dev')
    """
    if ref.startswith(ALL):
        return "all STS tasks"
    if ref.startswith("hf:"):
        return ref
    task = split_task(ref)
    return f"{task[0]}:{task[1]}" if task else Path(ref).name


def called(source: str) -> str:
    """The name of a corpus made from pair sets.

    >>> called("texts:demo:dev,demo:test"), called("texts:a.tsv,b.tsv,c.tsv,d.tsv")
    ('texts of demo:dev, demo:test', 'texts of a.tsv, b.tsv and 2 more')
    """
    names = [shown(ref) for ref in Corpus(source).files]
    some = names if len(names) <= 3 else [*names[:2]]
    more = f" and {len(names) - len(some)} more" if len(some) < len(names) else ""
    return f"{TEXTS.removesuffix(':')} of {', '.join(some)}{more}"


def _read(ref: str, folders: Sequence[str | Path] | None) -> tuple[list[PairSet], list[str]]:
    """The pair sets that a reference names, and notices about them."""
    if not ref.startswith(ALL):
        one = load_pairs(ref, folders=folders)
        return [one], one.notices
    folder = ref.removeprefix(ALL)
    tasks = [task for task, splits in present(folder, folders=folders).items() if "test" in splits]
    if not tasks:
        raise BadData(
            f"{folder} contains no STS task.",
            rule="It needs files such as sts12.tsv, stsb-test.csv or sts13.jsonl.gz, or SentEval's folders.",
            way_out="Name the folder that contains them after sts@.",
        )
    # As in the evaluation of such a folder, a task that cannot be read is left out, with a notice.
    sets, remarks, errors = [], list[str](), list[BadData]()
    for task in tasks:
        try:
            sets.append(load_task(folder, task, folders=folders))
        except BadData as error:
            errors.append(error)
            remarks.append(f"{task}:test could not be read, so its texts are left out: {error}")
    if not sets:
        raise errors[0]
    return sets, [*remarks, *(note for one in sets for note in one.notices)]
