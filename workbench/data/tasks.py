"""The seven STS tasks as published, two in other languages, and checks of how a file's pairs differ from the official set."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.errors import BadData
from workbench.data.common_words import words
from workbench.data.dropped import Dropped
from workbench.data.pair_sets import PairSet, Row, build
from workbench.data.split_names import alike


@dataclass(frozen=True)
class Task:
    """A benchmark: its title, scale of scores, official number of pairs in each split, and subsets."""

    title: str
    scale: tuple[float, float]
    splits: dict[str, int]
    subsets: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    """Stems of files of a split besides the task's id; `{split}` is its name."""
    tested: str = "test"
    """The split that scores are published on."""


TASKS = {
    "sts12": Task("STS12", (0, 5), {"test": 3108}, ("MSRpar", "MSRvid", "SMTeuroparl", "OnWN", "SMTnews")),
    # STS13 has a fourth subset, SMT. Its licence kept it out of SentEval, and therefore out of all published results.
    "sts13": Task("STS13", (0, 5), {"test": 1500}, ("FNWN", "headlines", "OnWN")),
    "sts14": Task(
        "STS14", (0, 5), {"test": 3750}, ("deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news")
    ),
    "sts15": Task(
        "STS15", (0, 5), {"test": 3000}, ("answers-forums", "answers-students", "belief", "headlines", "images")
    ),
    "sts16": Task(
        "STS16",
        (0, 5),
        {"test": 1186},
        ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
    ),
    "stsb": Task("STS-B", (0, 5), {"train": 5749, "dev": 1500, "test": 1379}),
    "sickr": Task("SICK-R", (1, 5), {"train": 4500, "trial": 500, "test": 4927}),
}
LANGUAGES = {
    "stsb_zh": Task(
        "Chinese STS-B",
        (0, 5),
        {"train": 5231, "dev": 1458, "test": 1361},
        files=("cnsd-stsb-{split}", "cnsd-sts-{split}", "stsb-zh-{split}"),
    ),
    # The labels of JSTS's test split are not public: scores are published on its validation split.
    "jsts": Task("JSTS (Japanese)", (0, 5), {"train": 12451, "dev": 1457}, files=("{split}-v1.3",), tested="dev"),
}
"""Tasks in other languages: never in one average with the seven."""
KNOWN = {**TASKS, **LANGUAGES}
_SMALL = frozenset(("the", "of", "and", "to", "with", "are", "for", "from", "by"))
"""Words that are frequent in English and hardly ever words of another language."""
_ENGLISH = 0.04
"""Their share in English: .12 to .2 in whole sets, .06 in headlines; at most .014 in STS-B's ten translations."""
_ENOUGH_WORDS = 100
"""Fewer different words do not tell a language."""


def own_split(task: str, split: str) -> str:
    """The task's own name for a split; `split` unchanged if the task does not have it.

    >>> own_split("sickr", "dev"), own_split("stsb", "dev"), own_split("sts12", "dev")
    ('trial', 'dev', 'dev')
    """
    return next((name for name in alike(split) if name in KNOWN[task].splits), split)


def subset_name(task: str, written: str) -> str:
    """A subset name from a file in the spelling of the task; unchanged if the task has no such subset.

    >>> subset_name("sts12", "surprise.OnWN"), subset_name("sts12", "msrpar"), subset_name("sts12", "x")
    ('OnWN', 'MSRpar', 'x')
    """
    known = {subset.casefold(): subset for subset in KNOWN[task].subsets}
    return known.get(written.strip().casefold().removeprefix("surprise."), written)


def has_subsets(task: str, subsets: Iterable[str]) -> bool:
    """Whether all these subsets belong to the task; only then is a mean over subsets comparable with the literature.

    True for a task without subsets, and for an unknown task.
    """
    known = KNOWN[task].subsets if task in KNOWN else ()
    return not known or {*subsets} <= {*known}


def finish(
    rows: Sequence[Row], task: str, split: str, dropped: list[Dropped], notices: Sequence[str], *, name: str = ""
) -> PairSet:
    """The pair set of a task, on the task's scale. Notices report a number of pairs that differs from the official
    split, and subsets that are not those of the task.

    Raises:
        BadData: see `build`; or the task is in English and the pairs are not.
    """
    pairs = build(
        [(row, subset_name(task, subset), score, one, two) for row, subset, score, one, two in rows],
        name=name or f"{task}:{split}",
        task=task,
        split=split,
        scale=KNOWN[task].scale,
        dropped=dropped,
        notices=notices,
        official=True,
    )
    if task in TASKS and _is_translated(pairs.texts()):
        raise BadData(
            f"{pairs.name} is not in English here.",
            rule="Scores on a translation cannot be compared with published ones, which are for the English pairs.",
            way_out="Score its file as pairs of your own: compare --pairs FILE, or the field Scored pairs on Compare.",
        )
    official = KNOWN[task].splits
    known = next((one for one in official if one in alike(split)), "")
    if known and len(pairs) != official[known]:
        pairs.notices.append(f"{pairs.name} has {len(pairs):,} pairs here; the official set has {official[known]:,}.")
    if not has_subsets(task, pairs.subsets):
        strange = sorted({*pairs.subsets} - {*KNOWN[task].subsets, ""})
        without = pairs.subsets.count("")
        named = "names no subsets" if without == len(pairs) else f"names no subset for {without:,} pairs"
        if strange:
            named = f"has subsets that {task} does not have ({', '.join(strange[:4])})"
        pairs.notices.append(f"{pairs.name} {named}: mean and weighted mean over subsets cannot be computed.")
    return pairs


def _is_translated(texts: Sequence[str]) -> bool:
    """Whether texts are in another language than English, by its small words.

    >>> _is_translated([f"der Hut {chr(letter)}" for letter in range(ord("а"), ord("а") + 200)])
    True
    >>> _is_translated(["the hat of a man"]), _is_translated(["der Hut"])  # too few words to tell
    (False, False)
    """
    counts = Counter(word for text in texts for word in words(text) if word.isalpha())
    return len(counts) >= _ENOUGH_WORDS and sum(counts[word] for word in _SMALL) < _ENGLISH * counts.total()
