"""Which role each column has: told by its name or, without a header, by its contents."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from workbench.core.errors import BadData
from workbench.data.cells import are_ids, count_up, is_address, is_number, is_text, votes, whole

SCORE = (
    "score",
    "similarity",
    "similarity_score",
    "relatedness_score",
    "relatedness",
    "gold",
    "gold_score",
    "rating",
)
"""Column names that mean a score; so does any name ending in _score. A label counts as a score only if none of these is
there.
"""
PARTNERS = (
    ("sentence1", "sentence2"),
    ("sentence_1", "sentence_2"),
    ("sentence_a", "sentence_b"),
    ("sentencea", "sentenceb"),
    ("text1", "text2"),
    ("text_1", "text_2"),
    ("text_a", "text_b"),
    ("sent1", "sent2"),
    ("s1", "s2"),
    ("first", "second"),
    ("question1", "question2"),
    ("premise", "hypothesis"),
    ("premise", "hypo"),
    ("context", "hypothesis"),
    ("anchor", "positive"),
    ("text", "positive"),
    ("text", "paraphrase"),
    ("text", "simplified"),
    ("query", "positive"),
    ("query", "pos"),
    ("query", "answer"),
    ("question", "answer"),
    ("question", "sentence"),
    ("caption1", "caption2"),
    ("sent0", "sent1"),
    ("#1_string", "#2_string"),
    ("title1", "title2"),
)
TRIPLETS = (
    ("premise", "entailment", "contradiction"),
    ("sent0", "sent1", "hard_neg"),
    ("anchor", "positive", "negative"),
    ("text", "positive", "negative"),
    ("query", "positive", "negative"),
    ("query", "pos", "neg"),
    ("sentence1", "sentence2", "sentence3"),
)
SINGLE = ("sentence", "text", "sentences", "texts", "content", "utt", "utterance")
DOCUMENT = ("document", "documents", "passage")
PARAPHRASED = ("quality", "is_duplicate")
"""Names of labels that say whether both sentences mean the same, as MRPC's and Quora's do."""
LABEL = ("label", "labels", "gold_label", "entailment_judgment", "entailment_label", *PARAPHRASED)
SUBSET = ("subset", "genre", "dataset")
LANGUAGE = ("lang", "language", "locale")
SPLIT = ("split", "semeval_set", "partition")
OTHER = (
    *("id", "pair_id", "pairid", "promptid", "idx", "sid", "index", "row"),
    *("split", "kind", "title", "entailment_judgment", "entailment_label"),
)
INFERENCE = frozenset(("premise", "hypothesis"))
"""In a file with these two columns, a label is a class of natural language inference, even if it is written as a
number.
"""
NO_VALUE = ("", "-", "--", "?", "none", "null", "nan", "na", "n/a", "hidden")
"""Contents of a cell without a value; never the name of a column."""
STSB = {"subset": 0, "score": 4, "sentence1": 5, "sentence2": 6}
"""Columns of STS-B's original files, which have no header: genre, file, year, index, score and two sentences."""
_GENRES = ("main-captions", "main-forums", "main-news")
_RATED = 5
"""The highest score of the most usual scale: a few pairs rated 1, 2, 3 are more likely than so few lines with numbers."""
_LONGER = 2
"""So many times as long as titles are the texts below them: in AG News about three times, in two sides of pairs hardly ever."""
_RECURRING = 0.1
"""A word that is in more of the cells below is a class and no name; joined files have a header more than once."""
_WORD = re.compile(r"[a-z_#][\w#/:-]*", re.ASCII | re.IGNORECASE)
"""What can be the name of a column: a word without the marks that end a sentence."""
_NAMED = re.compile(r"(.*?)\s*\((-?\d+(?:\.\d+)?) to (-?\d+(?:\.\d+)?)\)")


def spelt(name: str) -> str:
    """The name of a column in lower case, with underscores.

    >>> spelt(" Sentence 1"), spelt("hard-neg")
    ('sentence_1', 'hard_neg')
    """
    return re.sub(r"[\s-]+", "_", name.strip().casefold())


_KNOWN = frozenset(
    spelt(name)
    for names in (SCORE, SINGLE, DOCUMENT, LABEL, SUBSET, SPLIT, OTHER, *PARTNERS, *TRIPLETS)
    for name in names
)


def is_known(cell: str) -> bool:
    """Whether a cell is the usual name of a column.

    >>> is_known("Sentence 1"), is_known("A dog.")
    (True, False)
    """
    return spelt(cell) in _KNOWN


def is_header(first: Sequence[str], later: Sequence[Sequence[str]]) -> bool:
    """Whether the first row names the columns: it contains a known name, or a word above a column of numbers; or it has only
    words, all different, and one of them is above a column of texts.

    A cell that marks a missing value, such as `-`, is not a name, and neither is a word that recurs below, as a class does.

    >>> is_header(["rating", "a", "b"], [["4.5", "A dog.", "A cat."]])
    True
    >>> is_header(["-", "A dog.", "A cat."], [["4.5", "A dog.", "A cat."]])
    False
    >>> is_header(["4.5", "A dog.", "A cat."], [["1.0", "A dog.", "A bus."]])
    False
    >>> is_header(["review", "mood"], [["I like it.", "good"]]), is_header(["Hi.", "Hallo!"], [["I am.", "Ich bin."]])
    (True, False)
    """
    columns = [[row[at].strip() for row in later if at < len(row)] for at in range(len(first))]
    cells = [cell.strip() for cell in first]
    once = [below.count(cell) <= _RECURRING * len(below) for cell, below in zip(cells, columns, strict=True)]
    if any(is_known(cell) and new for cell, new in zip(cells, once, strict=True)):
        return True
    for cell, below in zip(cells, columns, strict=True):
        word = cell.casefold() not in NO_VALUE and not is_number(cell)
        if below and word and sum(map(is_number, below)) >= 0.9 * len(below):
            return True
    names = cells[1:] if cells[0] == "" else cells  # pandas' index has no name
    words = len(cells) > 1 and all(map(_WORD.fullmatch, names)) and len({*names}) == len(names) and all(once)
    return words and any(below and sum(" " in cell for cell in below) >= 0.9 * len(below) for below in columns)


def text_columns(header: Sequence[str], sample: Sequence[Sequence[str]], columns: int) -> list[int]:
    """Indices of the text columns: by name if the names are known, otherwise those with words in at least half of the
    rows.
    """
    names = [*map(spelt, header)]
    for group in (*TRIPLETS, *PARTNERS):
        if all(name in names for name in group):
            return [names.index(name) for name in group]
    for name in (*SINGLE, *DOCUMENT):
        if name in names:
            return [names.index(name)]
    if columns == 1:
        return [0]
    found = []
    for column in range(columns):
        cells = [row[column] for row in sample if column < len(row)]
        texts = sum(map(is_text, cells))
        if cells and texts >= 0.5 * len(cells):
            found.append(column)
    return found


def refuse_ids(
    name: str, header: Sequence[str], sample: Sequence[Sequence[str]], places: Iterable[int], way: str
) -> None:
    """Check that the columns `places`, which were told by their names, hold texts rather than addresses or ids of texts; `way`
    shows how others are chosen.

    Raises:
        BadData: all cells of the sample are such in one of them.
    """
    for at in places:
        cells = [cell for row in sample if at < len(row) and (cell := row[at].strip())]
        if len(cells) > 1 and all(map(is_address, cells)):
            raise BadData(
                f"{name}: column {header[at] if header else at + 1} holds addresses or ids, not texts.",
                got=cells[0][:60],
                way_out=f"Write the texts themselves in their place, or choose other columns: {way}.",
            )


def column_index(wanted: str | int, header: Sequence[str], columns: int, name: str) -> int:
    """Index (from 0) of a column given by its name or by its number, counting from 1.

    Raises:
        BadData: there is no such column; the message lists the columns.
    """
    names = [cell.strip().casefold() for cell in header]
    if str(wanted).strip().casefold() in names:
        return names.index(str(wanted).strip().casefold())
    if str(wanted).isdecimal() and 1 <= int(wanted) <= columns:
        return int(wanted) - 1
    there = ", ".join(header) if header else f"1 to {columns}; the file has no header"
    raise BadData(f"{name} has no column {wanted!r}.", rule=f"Columns: {there}.", way_out="Choose one of these.")


def named_scale(header: str) -> tuple[str, tuple[float, float] | None]:
    """The name of a column of scores, and the scale that its header says behind the name.

    >>> named_scale("score (0 to 4)"), named_scale("score")
    (('score', (0.0, 4.0)), ('score', None))
    """
    if (found := _NAMED.fullmatch(header.strip())) and float(found[2]) < float(found[3]):
        return found[1], (float(found[2]), float(found[3]))
    return header.strip(), None


def with_scale(name: str, scale: tuple[float, float]) -> str:
    """The header that says the scale of a column of scores.

    >>> with_scale("score", (0.0, 5.0))
    'score (0 to 5)'
    """
    return f"{name} ({scale[0]:.12g} to {scale[1]:.12g})"


def score_column(names: Sequence[str], taken: Collection[int] = ()) -> int | None:
    """Index of the column whose name means a score, or None; indices in `taken` are skipped. The name may be followed by the
    scale, as in "score (0 to 5)".

    >>> score_column(["sentence1", "sentence2", "label", "sts_score"])
    3
    """
    names = [spelt(named_scale(name)[0]) for name in names]
    free = [place for place in range(len(names)) if place not in taken]
    known = [place for name in SCORE for place in free if names[place] == name]
    return next(iter([*known, *(place for place in free if names[place].endswith("_score"))]), None)


def split_column(header: Sequence[str]) -> int | None:
    """Index of the column that names the split of each row, or None."""
    names = [*map(spelt, header)]
    return next((names.index(name) for name in SPLIT if name in names), None)


def _numbers_rows(name: str) -> bool:
    """Whether a column of this name, see `spelt`, numbers the rows or tells them apart, as SICK's pair_ID does, or says the year.

    >>> [_numbers_rows(name) for name in ("pair_id", "old_index", "", "unnamed:_0", "year", "mean")]
    [True, True, True, True, True, False]
    """
    return name in ("", "year", *OTHER) or name.endswith(("_id", "index")) or name.startswith("unnamed:_0")


def numbers_by_content(
    sample: Sequence[Sequence[str]], columns: Sequence[int], least: float, *, named: bool
) -> list[int]:
    """Those of the columns that may be scores: at least the part `least` of their cells are numbers or `votes`, and these are no
    ids. Of several without names, those that count the rows are none of them; one alone is none if it counts beyond `_RATED`.
    Whole numbers from 1 beside a title and its text, as in AG News, are the numbers of classes.
    """
    cells = {at: [row[at].strip() for row in sample if at < len(row)] for at in columns}
    numbers = {at: sum(is_number(cell) or votes(cell) is not None for cell in cells[at]) for at in columns}
    found = [at for at in columns if sample and numbers[at] >= least * len(sample)]
    found = [at for at in found if not are_ids(cells[at])]
    if found and _is_titled(sample):
        found = [at for at in found if not all(whole(cell) for cell in cells[at])]
    if len(found) == 1:
        return found if not count_up(cells[found[0]]) or int(cells[found[0]][-1]) <= _RATED else []
    return found if named else [at for at in found if not count_up(cells[at])]


def _is_titled(sample: Sequence[Sequence[str]]) -> bool:
    """Whether rows have two texts, one of which is a title: the other is at least `_LONGER` times as long.

    >>> _is_titled([["3", "Oil falls", "Prices of oil fell on Monday, traders said."]])
    True
    """
    places = text_columns((), sample, max(map(len, sample)))
    lengths = sorted(sum(len(row[at]) for row in sample if at < len(row)) for at in places)
    return len(lengths) == 2 and lengths[1] >= _LONGER * lengths[0]


def is_stsb(header: Sequence[str], sample: Sequence[Sequence[str]]) -> bool:
    """Whether a table has the columns of STS-B's original files, see `STSB`."""
    return not header and bool(sample) and all(len(row) >= 7 and row[0].strip() in _GENRES for row in sample)


def pair_columns(
    header: Sequence[str],
    sample: Sequence[Sequence[str]],
    columns: int,
    name: str,
    chosen: Mapping[str, str | int] | None = None,
) -> dict[str, int]:
    """Indices of the columns `score`, `sentence1`, `sentence2` and, if there is one, `subset`.

    `chosen` maps these words to a column's name or number (from 1). Columns it leaves out are identified by name, then by
    content: the only column of numbers is the score, unless its name or its numbers tell rows apart, as an id and a year do;
    the two columns of words are the sentences. A column whose name means a score takes precedence over
    one called label. Next to premise and hypothesis, a label holds classes and is never a score.

    Raises:
        BadData: a column cannot be identified, a column holds classes instead of scores, one column is chosen twice, or
            `chosen` contains an unknown word.
    """
    words = ("score", "sentence1", "sentence2", "subset")
    places: dict[str, int] = {}
    for word, wanted in (chosen or {}).items():
        if word not in words:
            raise BadData(f"{word!r} is not a part of a pair.", rule=f"A mapping names {', '.join(words)}.")
        places[word] = column_index(wanted, header, columns, name)
    names = [*map(spelt, header)]
    for one, two in PARTNERS:
        if one in names and two in names:
            places.setdefault("sentence1", names.index(one))
            places.setdefault("sentence2", names.index(two))
            break
    if not places and is_stsb(header, sample):
        return {**STSB}
    scored = score_column(header, places.values())
    if scored is None and "score" not in places and {*names} >= INFERENCE:
        classes = next((header[at] for at, one in enumerate(names) if one in LABEL and at not in places.values()), "")
        if classes:
            raise BadData(
                f"{name}: column {classes} next to premise and hypothesis holds classes, not similarity.",
                way_out="If these are scores, name the column score; otherwise use the file as a corpus of labelled pairs.",
            )
    if scored is None:
        named = (*LABEL[:2], *PARAPHRASED)
        scored = next((at for at, one in enumerate(names) if one in named and at not in places.values()), None)
    if scored is not None:
        places.setdefault("score", scored)
    for other in SUBSET:
        if other in names and names.index(other) not in places.values():
            places.setdefault("subset", names.index(other))
            break
    free = [column for column in range(columns) if column not in places.values()]
    if "score" not in places:
        free = [column for column in free if not names or not _numbers_rows(names[column])]
        numeric = numbers_by_content(sample, free, 0.5, named=bool(names))
        if len(numeric) == 1:
            places["score"] = numeric[0]
    texts = [c for c in text_columns((), sample, columns) if c not in places.values()]
    missing = [word for word in ("sentence1", "sentence2") if word not in places]
    if missing and len(texts) == len(missing):
        places.update(zip(missing, texts, strict=True))
    absent = [word for word in words[:3] if word not in places]
    way = "#score=COLUMN,sentence1=COLUMN,sentence2=COLUMN"
    if absent:
        unscored = absent == ["score"] and "test" in name.casefold()
        hint = " Test splits are often published without scores." if unscored else ""
        raise BadData(
            f"{name}: cannot tell which column is {' and '.join(absent)}.",
            rule=f"A pair file has a score and two sentences, named score, sentence1, sentence2 in the first row.{hint}",
            got=f"columns {', '.join(header)}" if header else f"{columns} columns and no header",
            way_out=f"Name the columns there, or after the path: {way}.",
        )
    told = [places[word] for word in words[1:3] if word not in (chosen or {})]
    refuse_ids(name, header, sample, told, way)
    if len({places[word] for word in words[:3]}) < 3:
        raise BadData(f"{name}: one column was chosen twice.", rule="Score and the two sentences are three columns.")
    return places


def split_and_columns(behind: str | None) -> tuple[str | None, dict[str, str]]:
    """What follows the `#` of a pair file: the name of a split, columns by the words of `pair_columns`, or both.

    >>> split_and_columns("dev"), split_and_columns("dev,score=similarity,sentence1=3")
    (('dev', {}), ('dev', {'score': 'similarity', 'sentence1': '3'}))

    Raises:
        BadData: more than one split is named, or a column twice or by no name.
    """
    if behind is None or "=" not in behind:
        return behind or None, {}
    splits: list[str] = []
    columns: dict[str, str] = {}
    for part in behind.split(","):
        word, equals, column = (piece.strip() for piece in part.partition("="))
        if not equals:
            splits.append(word)
        elif not column or word.casefold() in columns:
            splits += ["", ""]
        else:
            columns[word.casefold()] = column
    if len(splits) > 1:
        raise BadData(
            f"The columns cannot be assigned by {behind!r}.",
            rule="Score, sentence1, sentence2 and subset are one column each, as score=COLUMN; one split may be named too.",
        )
    return splits[0] if splits else None, columns
