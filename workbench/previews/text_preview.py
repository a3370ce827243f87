"""Draws of an augmentation as a table, for pages, the command line and Python."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, TypeAlias

from workbench.augmentations.draw import Drawer, Lines
from workbench.augmentations.languages import unsuited
from workbench.augmentations.pipeline import Pipeline
from workbench.augmentations.protect import Protection
from workbench.augmentations.resources import Resources
from workbench.augmentations.text._words import english
from workbench.core import unicode
from workbench.core.config import Corpus
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import derive

if TYPE_CHECKING:
    from pandas import DataFrame

MOST_DRAWS = 1000
Row: TypeAlias = tuple[int, int, str, str, bool, bool, str]
"""Sentence, draw, before, text, changed, acted, label."""


def table(
    line: str,
    texts: Sequence[str],
    *,
    seed: int,
    draws: int,
    protection: Protection | None = None,
    resources: Resources | None = None,
    lines: Lines | None = None,
    on_progress: Progress = no_progress,
) -> "DataFrame":
    """Draws of a pipeline from some texts.

    Columns: sentence (row of the text), draw, before, text, changed, acted, label, again (whether an earlier draw gave the
    same text). `.attrs["cautions"]` has warnings about the settings, and about steps that do not suit the script of
    texts, `.attrs["inside"]` what `inside_only` says.

    Raises:
        BadSetting: a text cannot be written as UTF-8; see also `Drawer`.
    """
    import pandas

    for text in texts:
        unicode.check("A text", text)
    drawer = Drawer(line, seed=seed, protection=protection, resources=resources, lines=lines)
    rows: list[Row] = []
    for number in range(draws):
        on_progress(number / draws, f"Draw {number + 1} of {draws}")
        drawn = drawer.many(texts, number)
        rows += [(row, number, text, *draw) for row, (text, draw) in enumerate(zip(texts, drawn, strict=True))]
    columns = ["sentence", "draw", "before", "text", "changed", "acted", "label"]
    frame = pandas.DataFrame(rows, columns=columns).sort_values(["sentence", "draw"], kind="stable", ignore_index=True)
    frame = frame.assign(again=frame.duplicated(["sentence", "text"]))
    frame.attrs["cautions"] = [
        *drawer.cautions,
        *filter(None, [unsuited(drawer.pipeline, texts), borrowed(drawer.pipeline, rows)]),
    ]
    frame.attrs["inside"] = inside_only(drawer.pipeline)
    return frame


def borrowed(pipeline: Pipeline, rows: Sequence[Row]) -> str:
    """One line about steps whose replacements are words of a corpus, if these brought Latin letters into texts of another script;
    else empty.
    """
    titles = [f"“{step.method.title}”" for step in pipeline.all() if step.method.tags.get("counts") == "corpus"]
    brought = sum(english(text) and not english(before) for _, _, before, text, *_ in rows)
    if not (titles and brought):
        return ""
    takes = "takes its" if len(titles) == 1 else "take their"
    draws = f"{brought:,} of {len(rows):,} draws {'has' if brought == 1 else 'have'}"
    return (
        f"{' and '.join(dict.fromkeys(titles))} {takes} replacements from the corpus whose words are counted: {draws} words in "
        "Latin letters in a text of another script. Count a corpus in the language of the texts."
    )


def inside_only(pipeline: Pipeline, by: str = "`states` and `scan` show") -> str:
    """One line about the steps that change no text, since they act inside the encoder, and what shows them; empty if there are
    none.

    >>> from workbench.augmentations.pipeline import parse
    >>> inside_only(parse("eda_swap + token_cutoff"))
    'token_cutoff acts inside the encoder and leaves texts as they are: `states` and `scan` show what it changes.'
    """
    names = list(dict.fromkeys(step.name for step in pipeline.steps if step not in pipeline.on_texts))
    if not names:
        return ""
    act, leave, it = ("acts", "leaves", "it changes") if len(names) == 1 else ("act", "leave", "they change")
    return f"{' and '.join(names)} {act} inside the encoder and {leave} texts as they are: {by} what {it}."


def sample(texts: Sequence[str], n: int, seed: int) -> "DataFrame":
    """Columns row, text: `n` distinct texts, drawn uniformly and in their original order.

    >>> sample(["a", "b", "c"], 5, seed=0)["text"].tolist()
    ['a', 'b', 'c']
    """
    import pandas

    first = list({text: row for row, text in reversed(list(enumerate(texts)))}.values())
    rows = sorted(Random(derive(seed, "sample")).sample(first, min(n, len(first))))
    return pandas.DataFrame({"row": rows, "text": [texts[row] for row in rows]})


@lru_cache(maxsize=2)
def resources_of(corpus: str, stamp: object, device: str = "cpu") -> Resources:
    """The resources of augmentations over a corpus; `stamp` changes with its file."""

    def texts() -> Sequence[str]:
        from workbench.data.corpora import load_corpus

        return load_corpus(corpus).texts

    return Resources(texts, device=device)


def stamp(corpus: str) -> str:
    """What changes with the files of a corpus; see `workbench.data.references.file_stamps`."""
    from workbench.data.references import file_stamps  # which imports this

    named = Corpus(corpus)
    return repr([file_stamps(part) for part in (named.files if named.of_pairs else [corpus])])
