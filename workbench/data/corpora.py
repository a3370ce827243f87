"""Training texts: the demo's, a file's, or a Hub data set's, one text each, with a hash that names exactly them."""

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from workbench.core.errors import BadData
from workbench.core.seeds import derive
from workbench.data.columns import corpus_columns
from workbench.data.files import Cleaner, Dropped, TextFile, count_dropped, examine, resolve_inside

Progress = Callable[[float, str], None]


@dataclass(frozen=True)
class CorpusTexts:
    """Texts in their order, a hash over them, the rows that were left out, and what else a user should know."""

    source: str
    name: str
    texts: list[str]
    sha256: str
    dropped: list[Dropped]
    notices: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.texts)


def hash_texts(texts: Iterable[str]) -> str:
    """SHA-256 over the texts, each ended by a line feed.

    >>> hash_texts(["a", "b"]) == sha256(b"a\\nb\\n").hexdigest()
    True
    """
    digest = sha256()
    for text in texts:
        digest.update(text.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


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
    """A corpus from rows of texts, in one pass; only the texts that are kept stay in memory.

    `limit` ends reading after that many texts; `max_texts` draws that many evenly from all, by `seed`, in their order.

    Raises:
        BadData: fewer than two different texts.
    """
    lost = dropped if dropped is not None else []
    cleaner = Cleaner()
    kept: list[tuple[int, str]] = []
    rng = random.Random(derive(seed, "corpus"))
    seen = 0
    for _, text in _texts(rows, cleaner, lost):
        if max_texts is None or len(kept) < max_texts:
            kept.append((seen, text))
        elif (place := rng.randrange(seen + 1)) < max_texts:  # reservoir: every text has the same chance
            kept[place] = (seen, text)
        seen += 1
        if limit is not None and seen >= limit:
            break
    kept.sort(key=lambda one: one[0])
    texts = [text for _, text in kept]
    if not texts or all(text == texts[0] for text in texts):
        why = "; ".join(f"{one['reason']}: {one['count']}" for one in count_dropped(lost))
        raise BadData(
            f"{name} holds {'only one text' if texts else 'no text'}{', repeated' if len(texts) > 1 else ''}.",
            rule="Contrastive training needs at least two different texts.",
            got=f"rows left out for {why}" if why else "",
            way_out="Add texts, one a line, or choose another column.",
        )
    said = [*notices, *cleaner.notices()]
    if len(texts) < seen:
        said.append(f"{len(texts):,} of {seen:,} texts were drawn with seed {seed}.")
    return CorpusTexts(source, name, texts, hash_texts(texts), lost, said)


def _texts(
    rows: Iterable[tuple[int, Sequence[str]]], cleaner: Cleaner, dropped: list[Dropped]
) -> Iterator[tuple[int, str]]:
    for row, cells in rows:
        for cell in cells:
            if text := cleaner(cell, row):
                yield row, text
            else:
                dropped.append(Dropped(row, "empty text"))


def read_corpus(
    file: TextFile,
    *,
    column: str | int | None = None,
    source: str = "",
    limit: int | None = None,
    max_texts: int | None = None,
    seed: int = 0,
) -> CorpusTexts:
    """The texts of an examined file: each line, or the text columns of a table, row by row.

    Without `column` (a name, or a number from 1) all columns that are known to hold texts are taken: `sentence`, or
    `sentence1` and `sentence2`, or premise, entailment and contradiction.

    Raises:
        BadData: no such column, several candidates, or fewer than two different texts.
    """
    notices = list(file.notices)
    places = corpus_columns(file.header, file.preview, file.columns, file.name, column, f"{file.name}#COLUMN")
    names = [file.header[place] if file.header else str(place + 1) for place in places]
    if file.columns > 1:
        notices.append(f"Texts are those of column{'s' if len(names) > 1 else ''} {', '.join(names)}.")
    dropped: list[Dropped] = []
    rows = ((row, [cells[place] for place in places]) for row, cells in file.rows(dropped))
    return gather(
        rows,
        source=source or file.name,
        name=file.name,
        dropped=dropped,
        notices=notices,
        limit=limit,
        max_texts=max_texts,
        seed=seed,
    )


def load_corpus(
    source: str | Path,
    *,
    limit: int | None = None,
    max_texts: int | None = None,
    seed: int = 0,
    folders: Sequence[str | Path] | None = None,
    progress: Progress | None = None,
) -> CorpusTexts:
    """The corpus that `source` names: `demo`, `hf:ORG/NAME[:CONFIG][:SPLIT][:COLUMN]`, `FILE` or `FILE#COLUMN`.

    .txt files hold one text a line; tables (.tsv, .csv) may name their columns in the first row. `folders` limits where
    files may lie (None: anywhere). `limit` takes the first texts, `max_texts` a random sample by `seed`.

    Raises:
        BadData: not readable, or fewer than two different texts.
        OutsideFolders: a path outside `folders`.
    """
    named = str(source)
    if named == "demo":
        from workbench.data import demo

        rows = ((row, [text]) for row, (_, text) in enumerate(demo.sentences(), 2))
        return gather(rows, source="demo", name="demo", limit=limit, max_texts=max_texts, seed=seed)
    if named.startswith("hf:"):
        from workbench.data import hub

        return hub.hub_corpus(named, limit=limit, max_texts=max_texts, seed=seed, progress=progress)
    column: str | None = None
    path = resolve_inside(named, folders)
    if "#" in named and not path.exists():
        before, column = named.rsplit("#", 1)
        path = resolve_inside(before, folders)
    file = examine(path, lines=False if column else None)
    return read_corpus(file, column=column, source=named, limit=limit, max_texts=max_texts, seed=seed)
