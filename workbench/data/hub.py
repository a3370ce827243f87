"""Data sets of the Hugging Face Hub by id, through the `datasets` library, which caches its downloads.

The authors have not run any of the ids below against the real Hub; the code is tested on local folders in the same
formats.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.core.errors import BadData
from workbench.core.progress import Progress, no_progress
from workbench.data.columns import text_columns
from workbench.data.cutting import Field, titled
from workbench.data.gather import Gathering, gather, gather_rows, numbered
from workbench.data.inference import TRIPLETS, triplets
from workbench.data.labels import named, names_of_inference
from workbench.data.lists import lists_among, refuse_lists
from workbench.data.local_sets import FORMATS, check_file, check_folder
from workbench.data.pair_sets import PairSet, Row, build, language_column, languages_said
from workbench.data.roles import NUMBERS, assignment, role_columns
from workbench.data.texts import CorpusTexts

if TYPE_CHECKING:
    from datasets import Dataset


@dataclass(frozen=True)
class HubSet:
    """A known id: what it contains, the scale that its scores are published on, and the task whose scale they belong
    to.
    """

    id: str
    holds: str
    data_file: str = ""
    given: tuple[float, float] | None = None
    task: str = ""


TABLE = (
    HubSet("sentence-transformers/stsb", "pairs", given=(0, 1), task="stsb"),
    HubSet("mteb/stsbenchmark-sts", "pairs", given=(0, 5), task="stsb"),
    HubSet("mteb/sts12-sts", "pairs", given=(0, 5), task="sts12"),
    HubSet("mteb/sts13-sts", "pairs", given=(0, 5), task="sts13"),
    HubSet("mteb/sts14-sts", "pairs", given=(0, 5), task="sts14"),
    HubSet("mteb/sts15-sts", "pairs", given=(0, 5), task="sts15"),
    HubSet("mteb/sts16-sts", "pairs", given=(0, 5), task="sts16"),
    HubSet("mteb/sickr-sts", "pairs", given=(1, 5), task="sickr"),
    HubSet("princeton-nlp/datasets-for-simcse", "texts", data_file="wiki1m_for_simcse.txt"),
    HubSet("princeton-nlp/datasets-for-simcse", "triplets", data_file="nli_for_simcse.csv"),
)


@dataclass(frozen=True)
class HubName:
    """The parts of `hf:ORG/NAME[:CONFIG][:SPLIT][:COLUMN]`; a configuration that is a file name selects that file."""

    id: str
    config: str = ""
    split: str = ""
    column: str = ""

    @property
    def data_file(self) -> str:
        """The file named in place of a configuration; empty if there is none."""
        return self.config if re.search(r"\.(txt|csv|tsv|json|jsonl|parquet)$", self.config) else ""


def parse(ref: str) -> HubName:
    """The parts of a reference. Parts may be empty, as in `hf:org/name::test`.

    >>> parse("hf:mteb/sts12-sts::test")
    HubName(id='mteb/sts12-sts', config='', split='test', column='')

    Raises:
        BadData: the id is missing, or there are more than four parts.
    """
    parts = ref.removeprefix("hf:").split(":")
    if len(parts) > 1 and re.fullmatch(r"[A-Za-z]", parts[0]) and parts[1][:1] in ("\\", "/"):
        parts[:2] = [f"{parts[0]}:{parts[1]}"]  # a local folder on a Windows drive
    if not parts[0].strip() or len(parts) > 4:
        raise BadData(
            f"{ref!r} does not name a data set.", rule="Write hf:ORG/NAME, then :CONFIG:SPLIT:COLUMN as needed."
        )
    return HubName(*(part.strip() for part in parts))


def hub_pairs(ref: str, *, on_progress: Progress = no_progress, cache: str | Path | None = None) -> PairSet:
    """The scored pairs of a data set, from its `test` split unless the reference names another.

    If the id belongs to a known task, scores published as 0 to 1 are converted to the scale of the task, and a notice is
    added if the pairs are not the official ones. Languages are subsets, if nothing else is. `cache` is the folder for
    downloads (None: that of `datasets`).

    Raises:
        BadData: the Hub is not reachable, the id is unknown, or there are no columns for a score and two sentences, each one in
            a row.
    """
    from workbench.data.columns import pair_columns
    from workbench.data.tasks import TASKS, finish

    name = parse(ref)
    data, split = _load(name, "test", on_progress, cache)
    header = list(data.column_names)
    sample, lists = _sample(data)
    at = pair_columns(header, sample, len(header), name.id)
    refuse_lists(name.id, header, lists, at.values())
    known = next((one for one in TABLE if one.id == name.id and one.task), None)
    task = TASKS[known.task] if known else None
    factor = task.scale[1] / known.given[1] if task and known and known.given else 1.0
    group = at.get("subset", language_column(header, at))
    subset = "" if group is None else header[group]
    columns = [header[at[word]] for word in ("score", "sentence1", "sentence2")]
    rows: list[Row] = []
    for row, cells in _each(data, [*columns, subset] if subset else columns, on_progress):
        score = cells[0]
        cell = "" if score is None else str(score)
        if isinstance(score, int | float) and not isinstance(score, bool):
            # Rounded, since in single precision a score of 4 can become 4.00000006.
            cell = repr(round(float(score) * factor, 6))
        rows.append((row, str(cells[3]) if subset else "", cell, str(cells[1] or ""), str(cells[2] or "")))
    notices = [f"{name.id}: the score is column {columns[0]}."]
    if "subset" not in at:
        notices += languages_said(name.id, [row[1] for row in rows])
    notices += [f"Scores were multiplied by {factor:g}."] if factor != 1.0 else []
    title = f"{name.id}:{split}"
    if known:
        return finish(rows, known.task, split, [], notices, name=title)
    task_name = name.id.rsplit("/", 1)[-1]
    return build(rows, name=title, task=task_name, split=split, scale=None, dropped=[], notices=notices)


def hub_corpus(
    ref: str,
    *,
    limit: int | None = None,
    max_texts: int | None = None,
    seed: int = 0,
    on_progress: Progress = no_progress,
    cache: str | Path | None = None,
) -> CorpusTexts:
    """The texts of a data set, from its `train` split unless the reference names another; columns have roles as in a file, and
    `triplets` in place of a column makes triplets of labelled pairs.

    Raises:
        BadData: the Hub is not reachable, the id is unknown, or there is no text column.
        UnknownName: an assignment contains a word that is not a role.
    """
    name = parse(ref)
    data, split = _load(name, "train", on_progress, cache)
    header = list(data.column_names)
    sample, lists = _sample(data)
    way = f"hf:{name.id}:{name.config}:{split}:COLUMN"
    built = name.column == TRIPLETS and TRIPLETS not in header
    chosen = name.column if name.column and not built else None
    if chosen is None:
        refuse_lists(name.id, header, lists, text_columns(header, sample, len(header)), way)
    places = role_columns(header, sample, len(header), name.id, chosen, way)
    refuse_lists(name.id, header, lists, places.values())
    places = numbered(
        places,
        header,
        lambda index: ("" if cell is None else str(cell) for _, (cell,) in _each(data, [header[index]], no_progress)),
        chosen=assignment(chosen) is not None,
    )
    titles = {role: header[place] for role, place in places.items()}
    texts = [title for role, title in titles.items() if role not in NUMBERS.values()]
    rows = (
        (row, ["" if cell is None else str(cell) for cell in cells])
        for row, cells in _each(data, list(titles.values()), on_progress)
    )
    known: Gathering = {
        "source": ref,
        "name": f"{name.id}:{split}",
        "notices": [f"The texts are from column{'s' if len(texts) > 1 else ''} {', '.join(texts)}."],
        "limit": limit,
        "max_texts": max_texts,
        "seed": seed,
    }
    single = set(places) == {"text"}
    corpus = gather(rows, **known) if single else gather_rows(rows, roles=list(places), titles=titles, **known)
    return triplets(corpus) if built else corpus


def _sample(data: "Dataset") -> tuple[list[list[str]], frozenset[int]]:
    """The first rows as texts, and the indices of the columns whose cells are lists."""
    rows = [[row[column] for column in data.column_names] for row in data.select(range(min(10, len(data))))]
    return [[str(cell) for cell in row] for row in rows], lists_among(rows)


def _each(data: "Dataset", columns: list[str], on_progress: Progress) -> Iterator[tuple[int, list[object]]]:
    """Yields (row number from 1, cells of `columns`), reading 10,000 rows at a time. Classes of inference are words."""
    total = len(data)
    names = [names_of_inference(getattr(data.features.get(column), "names", None)) for column in columns]
    data = data.select_columns(list(dict.fromkeys(columns)))
    for start in range(0, total, 10_000):
        block = data[start : start + 10_000]
        for offset, cells in enumerate(zip(*(block[column] for column in columns), strict=True), 1):
            yield start + offset, [named(cell, of) for cell, of in zip(cells, names, strict=True)]
        on_progress(min(1.0, (start + 10_000) / total), f"Reading rows, {min(start + 10_000, total):,} of {total:,}")


def _load(name: HubName, split: str, on_progress: Progress, cache: str | Path | None) -> "tuple[Dataset, str]":
    """One split and its name: the one that the reference names, otherwise `split`, otherwise the only one there is."""
    if find_spec("datasets") is None:
        raise BadData(
            f"{name.id} cannot be read: the package datasets is not installed.",
            rule="It is part of the extra hub.",
            way_out="pip install datasets, or use a local file instead.",
        )
    import datasets
    from datasets import exceptions

    folder = _folder(name.id)
    known = next((one for one in TABLE if one.id == name.id and one.data_file), None)
    data_file = name.data_file or (known.data_file if known and not name.config else "")
    check_file(name.id, data_file)
    on_progress(0.0, f"Fetching {name.id}")
    try:
        builder = datasets.load_dataset_builder(
            str(folder or name.id),  # in full: a folder called text would be taken for the format
            name.config if name.config and not name.data_file else None,
            data_files=data_file or None,
            cache_dir=str(cache) if cache else None,
        )
        if (form := type(builder).__module__.rpartition(".")[2]) not in FORMATS:
            raise BadData(
                f"{name.id} cannot be read.",
                rule=f"Its files are of one of the formats {', '.join(sorted(FORMATS))}.",
                got=form,
                way_out="Use another data set, or save it as one of these.",
            )
        builder.download_and_prepare()
        loaded = builder.as_dataset()
    except (ConnectionError, TimeoutError) as error:
        raise BadData(
            f"{name.id} cannot be fetched: the Hugging Face Hub is not reachable from here.",
            rule="It is not in this machine's cache either.",
            way_out="Connect to the network (and unset HF_HUB_OFFLINE), or use a local file instead.",
        ) from error
    except (exceptions.DatasetNotFoundError, FileNotFoundError) as error:
        raise BadData(
            f"There is no data set {name.id!r} that can be read from here.",
            rule="An id is ORG/NAME as on huggingface.co/datasets; private and gated ones need a login.",
            way_out="Check the spelling, or use a local file instead.",
        ) from error
    except (exceptions.DatasetsError, OSError, ValueError, RuntimeError, ImportError) as error:
        raise BadData(
            f"{name.id} cannot be read.",
            reason=_first_line(error),
            way_out="Name a configuration: hf:ORG/NAME:CONFIG. Data sets that need to run their own code are not supported.",
        ) from error
    if name.split and name.split not in loaded:
        raise BadData(f"{name.id} has no split {name.split!r}.", rule=f"Splits: {', '.join(loaded)}.")
    chosen = name.split or (split if split in loaded else next(iter(loaded)) if len(loaded) == 1 else "")
    if not chosen:
        raise BadData(f"{name.id} has no split {split!r}.", rule=f"Splits: {', '.join(loaded)}.", way_out="Name one.")
    return _flat(loaded[chosen]), chosen


def _folder(name: str) -> Path | None:
    """The folder that is named in place of an id, checked; None for an id.

    Raises:
        BadData: it is neither: of a format's name the library would read whatever lies in the folder that this process works in.
    """
    path = Path(name).expanduser()
    if path.is_dir():
        check_folder(path)
        return path.resolve()
    if "/" not in name:
        raise BadData(
            f"There is no data set {name!r} that can be read from here.",
            rule="An id is ORG/NAME as on huggingface.co/datasets.",
            way_out="Check the spelling, or name a folder.",
        )
    return None


def _flat(data: "Dataset") -> "Dataset":
    """The data set with the fields of objects as columns of their own, named as in files."""
    named = titled(_fields(data.features))
    flat = data.flatten()
    return flat.rename_columns({".".join(field): title for title, field in named.items() if len(field) > 1})


def _fields(features: Mapping[str, object]) -> Iterator[Field]:
    for name, feature in features.items():
        if isinstance(feature, dict):
            yield from ((name, *inner) for inner in _fields(feature))
        else:
            yield (name,)


def _first_line(error: BaseException) -> str:
    """The first line of the innermost cause's message, without its final full stop."""
    while error.__cause__ is not None:
        error = error.__cause__
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:200].rstrip(".")
