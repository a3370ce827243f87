"""Makes a corpus from rows: the texts of each role, cleaned and sampled, with a hash that identifies exactly these
texts.
"""

import random
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NotRequired, TypedDict, TypeVar

import numpy as np

from workbench.core.errors import BadData
from workbench.core.seeds import derive
from workbench.data.cells import is_number, whole
from workbench.data.cleaning import Cleaner
from workbench.data.columns import INFERENCE, spelt, split_column, text_columns
from workbench.data.documents import blocks, sentences
from workbench.data.dropped import Dropped, add_dropped, why_dropped
from workbench.data.files import TextFile
from workbench.data.inference import TRIPLETS, triplets
from workbench.data.labels import UNLABELLED, labels, of_inference, scores
from workbench.data.line_index import line_texts
from workbench.data.lists import SET, lists_said, readable, rows_of_lists
from workbench.data.pair_sets import language_column
from workbench.data.roles import NUMBERS, ROLES, assignment, role_columns, with_label
from workbench.data.scales import of_votes
from workbench.data.texts import CorpusTexts, hash_columns, hash_texts

Item = TypeVar("Item")
_FIRST_ROWS = 1_000
"""So many rows tell labels without a name: files are often sorted by them, or most of them are alike."""
_LABELS = (
    re.compile(r";[^\W\d]+\s*$"),
    re.compile(r"^[A-Z]+:[a-z]+(?= )"),
    re.compile(r"^\d(?= )"),
    re.compile(r"^\(\d (?=[(\w])"),
)
_OF_TABLES = re.compile(r"\.(csv|tsv)(\.gz)?$", re.IGNORECASE)
"""Names of files that may be tables of one column."""
TRAIN = "train"
"""The split of a file that is trained on, where a column names the split of each row."""


class Gathering(TypedDict):
    """The arguments that `gather` and `gather_rows` have in common."""

    source: str
    name: str
    dropped: NotRequired[list[Dropped]]
    notices: Sequence[str]
    limit: int | None
    max_texts: int | None
    seed: int


def gather(
    rows: Iterable[tuple[int, Sequence[str]]],
    *,
    source: str,
    name: str,
    dropped: list[Dropped] | None = None,
    notices: Sequence[str] = (),
    limit: int | None = None,
    max_texts: int | None = None,
    seed: int = 0,
) -> CorpusTexts:
    """A corpus of single texts from rows of cells, in one pass; only the texts that are kept stay in memory.

    Reading stops after `limit` texts. `max_texts` draws that many uniformly at random with `seed` and keeps their
    order. Rows that were left out are added to `dropped`. Prefer `gather_rows` when the texts of a row belong together.

    Raises:
        BadData: there are fewer than two different texts.
    """
    lost = dropped if dropped is not None else []
    cleaner = Cleaner()
    texts, seen = _drawn((text for _, text in _texts(rows, cleaner, lost)), limit, max_texts, seed)
    _check_two(texts, name, lost)
    remarks = [*notices, *cleaner.notices()]
    if len(texts) < seen:
        remarks.append(f"{len(texts):,} of {seen:,} texts were drawn with seed {seed}.")
    return CorpusTexts(source, name, texts, hash_texts(texts), lost, remarks)


def _drawn(items: Iterable[Item], limit: int | None, most: int | None, seed: int) -> tuple[list[Item], int]:
    """The first `limit` items, or `most` items drawn uniformly, in their order; and the number of items read."""
    kept: list[tuple[int, Item]] = []
    rng = random.Random(derive(seed, "corpus"))
    seen = 0
    for item in items:
        if most is None or len(kept) < most:
            kept.append((seen, item))
        elif (place := rng.randrange(seen + 1)) < most:  # reservoir: every item has the same chance
            kept[place] = (seen, item)
        seen += 1
        if limit is not None and seen >= limit:
            break
    kept.sort(key=lambda numbered_item: numbered_item[0])
    return [item for _, item in kept], seen


def _check_two(texts: Sequence[str], name: str, lost: Sequence[Dropped]) -> None:
    if not texts or all(text == texts[0] for text in texts):
        raise BadData(
            f"{name} holds {'only one text' if texts else 'no text'}{', repeated' if len(texts) > 1 else ''}.",
            rule="At least two different texts are needed.",
            got=why_dropped(lost),
            way_out="Add texts, one per line, or choose another column.",
        )


def _texts(
    rows: Iterable[tuple[int, Sequence[str]]], cleaner: Cleaner, dropped: list[Dropped]
) -> Iterator[tuple[int, str]]:
    for row, cells in rows:
        for cell in cells:
            if text := cleaner(cell, row):
                yield row, text
            else:
                add_dropped(dropped, Dropped(row, "empty text"))


def gather_rows(
    rows: Iterable[tuple[int, Sequence[str]]],
    *,
    roles: Sequence[str],
    source: str,
    name: str,
    titles: Mapping[str, str] | None = None,
    dropped: list[Dropped] | None = None,
    notices: Sequence[str] = (),
    limit: int | None = None,
    max_texts: int | None = None,
    seed: int = 0,
) -> CorpusTexts:
    """A corpus whose rows have one cell for each of `roles`; `titles` are the names of these columns in the file, by
    role.

    A row with an empty text is left out, but its other texts remain among the single texts. In plain pairs, an empty
    positive is replaced by the text itself, as for a paraphrase that could not be written. `limit` and `max_texts`
    count rows. Prefer `gather` when every cell is a text that stands alone.

    Raises:
        BadData: there are fewer than two different texts.
    """
    lost, cleaner, titles = dropped if dropped is not None else [], Cleaner(), titles or {}
    textual = [place for place, role in enumerate(roles) if role not in NUMBERS.values()]
    plain_pairs = tuple(roles) == ("text", "positive")

    def cleaned() -> Iterator[tuple[str, ...]]:
        for row, cells in rows:
            made = tuple(cleaner(cell, row) if place in textual else cell.strip() for place, cell in enumerate(cells))
            needed = textual[:1] if plain_pairs and made[textual[0]] else textual
            for _ in (place for place in needed if not made[place]):
                add_dropped(lost, Dropped(row, "empty text"))
            if any(made[place] for place in textual):
                yield made

    kept, seen = _drawn(cleaned(), limit, max_texts, seed)
    texts = [cells[place] for cells in kept for place in textual if cells[place]]
    filled = [(cells[0], cells[1] or cells[0]) for cells in kept] if plain_pairs else kept
    whole = [cells for cells in filled if all(cells[place] for place in textual)]
    columns = {roles[place]: [cells[place] for cells in whole] for place in textual}
    remarks = [*notices, *cleaner.notices()]
    if plain_pairs and (alone := sum(not cells[1] for cells in kept)):
        remarks.append(f"{alone:,} without a second text: the first is used twice, as a pair of equal texts.")
    if len(kept) < seen:
        remarks.append(f"{len(kept):,} of {seen:,} rows were drawn with seed {seed}.")
    if "document" in columns:
        texts = [one for text in columns["document"] for one in sentences(text)]
    _check_two(texts, name, lost)
    numbers: dict[str, np.ndarray] = {}
    classes: tuple[str, ...] = ()
    faults: dict[str, str] = {}
    for place, role in enumerate(roles):
        cells = [cells[place] for cells in whole]
        title = titles.get(role, role)
        if role == "gold":
            cells, _, what = of_votes(cells, name)
            remarks += what
            numbers["gold"], fault = scores(cells, title)
        elif role == "label":
            numbers["label"], classes, fault = labels(cells, title)
        else:
            continue
        if fault:
            faults[role] = fault
    found = CorpusTexts(
        source, name, texts, hash_columns(columns, numbers), lost, remarks, columns, numbers, classes, faults
    )
    if faults:
        found.notices.extend(fault[0].upper() + fault[1:] for fault in faults.values())
    return found


def read_corpus(
    file: TextFile,
    *,
    column: str | int | None = None,
    source: str = "",
    limit: int | None = None,
    max_texts: int | None = None,
    seed: int = 0,
) -> CorpusTexts:
    """The texts of an examined file: each line, or the text columns of a table, row by row and by role.

    Without `column`, all columns recognised as text columns are used: `sentence`, or `sentence1` and `sentence2` with
    `score` or `label`, or premise, entailment and contradiction, or `document`. `column` is a name, a number from 1, or
    an assignment such as `text=premise,positive=entailment,negative=none`. `documents` splits a text file at its empty
    lines into documents, and `triplets` makes triplets of the labelled pairs of a table (see `inference`). Where a column
    names the split of each row, the rows of the others than `train` are left out, if that is one.

    Raises:
        BadData: there is no such column, there are several candidates, or fewer than two different texts.
        UnknownName: an assignment contains a word that is not a role.
    """
    notices = [*file.notices, *_labels_in_lines(file)]
    dropped: list[Dropped] = []
    known: Gathering = {
        "source": source or file.name,
        "name": file.name,
        "dropped": dropped,
        "notices": notices,
        "limit": limit,
        "max_texts": max_texts,
        "seed": seed,
    }
    if column == TRIPLETS and TRIPLETS not in file.header:
        pairs = read_corpus(file, source=source, limit=limit, max_texts=max_texts, seed=seed)
        return triplets(pairs)
    if column == "documents" and not file.delimiter:
        rows = blocks(file.rows(dropped))
        return gather_rows(rows, roles=["document"], **known)
    if column is None and limit is None and max_texts is None and (indexed := _indexed(file, source, notices)):
        return indexed
    places = roles_of(file, column)
    titles = {role: file.header[place] if file.header else str(place + 1) for role, place in places.items()}
    texts = [*dict.fromkeys(title for role, title in titles.items() if role not in NUMBERS.values())]
    if file.columns > 1:
        notices.append(f"The texts are from column{'s' if len(texts) > 1 else ''} {', '.join(texts)}.")
    notices += _first_row(file)
    if not file.header and column is None:
        words = {"gold": "scores", "label": "labels"}
        notices += [f"The {words[role]} are from column {titles[role]}." for role in words if role in titles]
    # Where every column is used, a further cell is a tab within a text: such a row is left out.
    needs = max(places.values()) + 1 if len(places) < file.columns else 0
    rows, remarks = _to_train_on(file, dropped, needs)
    notices += remarks
    spoken = language_column(file.header, places)
    languages = set[str]()

    def heard() -> Iterator[tuple[int, list[str]]]:
        for row, cells in rows:
            if spoken is not None and spoken < len(cells):
                languages.add(cells[spoken].strip())
            yield row, cells

    listed = readable(places, file.lists, file.preview)
    if listed:
        notices.append(f"{file.name}: {lists_said(places, file.header)}")
        chosen = rows_of_lists(heard(), places, listed, dropped)
    else:
        chosen = ((row, [cells[place] for place in places.values()]) for row, cells in heard())

    single = set(places) == {"text"}
    found = gather(chosen, **known) if single else gather_rows(chosen, roles=list(places), titles=titles, **known)
    found.notices.extend(_languages_said(file.name, languages))
    return found


def _first_row(file: TextFile) -> list[str]:
    """A notice about a table without a header: a name that is none of the known ones would be trained on as a text."""
    if file.header or not file.preview or not (file.delimiter or _OF_TABLES.search(file.name)):
        return []
    first = next((cell.strip() for cell in file.preview[0] if cell.strip()), "")
    return [f"{file.name} has no header: its first row, “{first[:40]}{'…' * (len(first) > 40)}”, counts as texts."]


def _labels_in_lines(file: TextFile) -> list[str]:
    """A notice about labels within the lines of a file with one text per line, as a list of at most one text: a word behind a
    semicolon, as in the data set Emotion; before the text, as TREC's `NUM:dist` or as one of a few digits; or a digit in each
    bracket of SST's trees.
    """
    if file.delimiter:
        return []
    lines = [line for _, [line] in islice(file.rows(), _FIRST_ROWS) if line.strip()]
    found = next((label for label in _LABELS if sum(map(bool, map(label.search, lines))) >= 0.9 * len(lines)), None)
    if found is None or len(lines) < 2:
        return []
    example = next(label[0] for line in lines if (label := found.search(line)))
    return [
        f"{file.name}: most lines have a label in their text, such as {example.strip()!r}, and it is trained on. To leave it "
        "out, write it into a column of its own, after a tab."
    ]


def _languages_said(name: str, languages: Collection[str]) -> list[str]:
    """A notice about texts of several languages, as a list of at most one text."""
    if len(languages) < 2:
        return []
    return [
        f"{name} holds texts of {len(languages)} languages ({', '.join(sorted(languages)[:12])}), and all are used. For one of "
        "them, keep its rows only."
    ]


def _to_train_on(
    file: TextFile, dropped: list[Dropped], needs: int
) -> tuple[Iterator[tuple[int, list[str]]], list[str]]:
    """The rows of a file without those of its other splits, if one of them is called train, and what to say of these. `needs` as
    for `TextFile.rows`.
    """
    at = split_column(file.header)
    if at is None:
        return file.rows(dropped, needs=needs), []
    needs = max(needs, at + 1) if needs else 0
    counts = Counter(cells[at].strip().casefold() for _, cells in file.rows(needs=needs))
    if not (kept := counts.pop(TRAIN, 0)) or not counts:
        return file.rows(dropped, needs=needs), []
    rows = ((row, cells) for row, cells in file.rows(dropped, needs=needs) if cells[at].strip().casefold() == TRAIN)
    others = ", ".join(sorted(name or "(empty)" for name in counts))
    notice = f"{kept:,} rows of the split {TRAIN} are used; {counts.total():,} of others ({others}) are left out."
    return rows, [notice]


def _indexed(file: TextFile, source: str, notices: Sequence[str]) -> CorpusTexts | None:
    """The corpus of a large file with one text per line, whose texts are read when they are needed; None for other files."""
    dropped: list[Dropped] = []
    cleaner = Cleaner()
    found = line_texts(file, cleaner, dropped)
    if found is None:
        return None
    texts, sha256 = found
    _check_two(texts, file.name, dropped)
    return CorpusTexts(source or file.name, file.name, texts, sha256, dropped, [*notices, *cleaner.notices()])


def roles_of(file: TextFile, column: str | int | None = None) -> dict[str, int]:
    """Column index of each role in an examined file. The whole file is read if that is needed to tell classes from
    scores.

    Raises:
        BadData: see `role_columns` and `with_label`; or the cells of such a column are lists that are not `readable`.
    """
    way = f"{file.name}#COLUMN"
    if column is None:  # which of several columns of texts is meant is only asked of those that can be
        sets = [at for at, name in enumerate(file.header) if spelt(name) == SET]
        if sets and sets[0] in readable({"text": sets[0]}, file.lists, file.preview):
            return {"text": sets[0], "positive": sets[0]}
        texts = text_columns(file.header, file.preview, file.columns)
        named = dict(zip(ROLES, text_columns(file.header, (), 0), strict=False))
        listed = readable(named, file.lists, file.preview)
        file.check_single([at for at in texts if at not in listed], way)
    found = role_columns(file.header, file.preview, file.columns, file.name, column, way)
    listed = readable(found, file.lists, file.preview)
    file.check_single(at for at in found.values() if at not in listed)
    if not file.header and column is None:
        first = [cells for _, cells in islice(file.rows(), _FIRST_ROWS)]
        found = with_label(found, first, file.columns, file.name)
    if of_inference(first_labels(file, found)):
        return found
    return numbered(
        found,
        file.header,
        lambda column_index: (cells[column_index] for _, cells in file.rows(needs=column_index + 1)),
        chosen=assignment(column) is not None,
    )


def first_labels(file: TextFile, roles: Mapping[str, int]) -> list[str]:
    """The labels of the first rows of an examined file; none if no column has them."""
    at = roles.get("label")
    return [] if at is None else [cells[at] for cells in file.preview if len(cells) > at]


def numbered(
    places: dict[str, int], header: Sequence[str], cells: Callable[[int], Iterable[str]], *, chosen: bool
) -> dict[str, int]:
    """`places` with the role `label` changed to `gold` if that column holds scores; `cells` yields all cells of a
    column.

    Numbers are classes next to premise and hypothesis, and if none is other than 0, 1 and 2; otherwise they are scores,
    which many data sets call labels. Nothing changes if the user chose the roles (`chosen`).
    """
    names = {cell.strip().casefold() for cell in header}
    if chosen or "label" not in places or "gold" in places or names >= INFERENCE:
        return places
    if not _are_scores(cells(places["label"])):
        return places
    return {"gold" if role == "label" else role: place for role, place in places.items()}


def _are_scores(cells: Iterable[str]) -> bool:
    """Whether a label column holds scores: at most 1 % of its cells are words, and some number is not 0, 1 or 2."""
    counts = Counter(cell.strip() for cell in cells)
    words = sum(count for cell, count in counts.items() if cell.casefold() not in UNLABELLED and not is_number(cell))
    numbers = [cell for cell in counts if cell.casefold() not in UNLABELLED and is_number(cell)]
    if not numbers or words > 0.01 * sum(counts.values()):
        return False
    return not all(whole(cell) in (0, 1, 2) for cell in numbers)
