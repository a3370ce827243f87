"""The STS and transfer sets from the Hugging Face Hub, by id, as the tables that suites read.

The authors have not run any of the ids below against the real Hub; the code is tested on a server that answers as the Hub does.
A file is kept only if it has the official number of rows, so a wrong copy is refused, not scored. No id is known whose copy of
CR or MPQA has the official size: take those from SentEval.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from workbench.core.errors import BadData, WorkbenchError, unknown
from workbench.core.private import make_folder
from workbench.core.progress import Progress, no_progress
from workbench.core.reading import read_object
from workbench.core.writing import write_json, write_text
from workbench.data.columns import LABEL, SCORE
from workbench.data.tables import LABELLED_PAIRS, LABELLED_TEXTS, Role, read_table
from workbench.data.tasks import TASKS

if TYPE_CHECKING:
    from huggingface_hub.hf_api import DatasetInfo

_SCORED = {name: LABELLED_PAIRS[name] for name in ("sentence1", "sentence2")} | {"score": Role(SCORE)}
_CLASS = Role(("label-coarse", "label_coarse", "coarse_label", *LABEL))
_TEXTS = {"label": _CLASS, "text": LABELLED_TEXTS["text"]}
_PAIRS = {"label": _CLASS} | {name: LABELLED_PAIRS[name] for name in ("sentence1", "sentence2")}
_NAMES = {"text": "sentence"}
"""What suites call a column, where it is not its role."""
_ENDINGS = (".parquet", ".jsonl", ".jsonl.gz", ".csv", ".tsv")


@dataclass(frozen=True)
class Part:
    """Splits of a data set of the Hub, which one after another are a split of ours; `config` is a folder in it."""

    id: str
    splits: tuple[str, ...]
    config: str = ""


class Wanted(NamedTuple):
    """A file: its name without ending, its official number of rows, its columns, and the copies to try in turn."""

    stem: str
    rows: int
    roles: Mapping[str, Role]
    copies: tuple[Part, ...]


def _sts(year: str) -> list[Wanted]:
    task = f"sts{year}"
    return [Wanted(task, TASKS[task].splits["test"], _SCORED, (Part(f"mteb/{task}-sts", ("test",)),))]


def _splits(task: str, names: Mapping[str, str], *ids: str) -> list[Wanted]:
    """A file per split of an STS task; `names` are the Hub's names by ours."""
    return [
        Wanted(f"{task}-{split}", TASKS[task].splits[split], _SCORED, tuple(Part(name, (theirs,)) for name in ids))
        for split, theirs in names.items()
    ]


FILES: Mapping[str, Sequence[Wanted]] = {
    **{f"sts{year}": _sts(year) for year in ("12", "13", "14", "15", "16")},
    "stsb": _splits(
        "stsb",
        {"train": "train", "dev": "validation", "test": "test"},
        "mteb/stsbenchmark-sts",
        "sentence-transformers/stsb",
    ),
    "sickr": _splits(
        "sickr", {"train": "train", "trial": "validation", "test": "test"}, "DefenceLab/sick", "mteb/sickr-sts"
    ),
    "mr": [
        Wanted(
            "mr", 10662, _TEXTS, (Part("cornell-movie-review-data/rotten_tomatoes", ("train", "validation", "test")),)
        )
    ],
    "subj": [Wanted("subj", 10000, _TEXTS, (Part("SetFit/subj", ("train", "test")),))],
    "sst2": [
        Wanted("sst2-train", 67349, _TEXTS, (Part("stanfordnlp/sst2", ("train",)),)),
        Wanted("sst2-dev", 872, _TEXTS, (Part("stanfordnlp/sst2", ("validation",)),)),
        Wanted("sst2-test", 1821, _TEXTS, (Part("SetFit/sst2", ("test",)),)),
    ],
    "trec": [
        Wanted("trec-train", 5452, _TEXTS, (Part("CogComp/trec", ("train",)),)),
        Wanted("trec-test", 500, _TEXTS, (Part("CogComp/trec", ("test",)),)),
    ],
    "mrpc": [
        Wanted("mrpc-train", 4076, _PAIRS, (Part("nyu-mll/glue", ("train", "validation"), "mrpc"),)),
        Wanted("mrpc-test", 1725, _PAIRS, (Part("nyu-mll/glue", ("test",), "mrpc"),)),
    ],
}
"""By task."""


class Fetched(NamedTuple):
    """What became of a file: fetched, there already, or why not."""

    task: str
    file: str
    rows: int
    source: str
    licence: str
    state: str


SOURCES = "sources.json"
"""The file in the folder that says where each file came from, and its licence."""
FETCHED, THERE = "fetched", "there already"


def fetch(folder: Path, tasks: Sequence[str] = (), *, on_progress: Progress = no_progress) -> list[Fetched]:
    """Fetch the files of tasks (default: all) into a folder, as tables. A task that fails does not stop the others.

    A file that is there with its official number of rows is not fetched again, and one that was fetched in part goes on where it
    stopped. Nothing is written that has another number of rows.

    Raises:
        UnknownName: there is no such task.
    """
    for task in tasks:
        if task not in FILES:
            raise unknown("task to fetch", task, FILES)
    wanted = [(task, file) for task in tasks or FILES for file in FILES[task]]
    make_folder(folder)
    rows = []
    for number, (task, file) in enumerate(wanted):
        on_progress(number / len(wanted), f"Fetching {file.stem}, file {number + 1} of {len(wanted)}")
        rows.append(_one(folder, task, file))
    return rows


def _one(folder: Path, task: str, wanted: Wanted) -> Fetched:
    path, known = folder / f"{wanted.stem}.tsv", read_object(folder / SOURCES)
    if path.is_file() and path.read_text(encoding="utf-8").count("\n") == wanted.rows + 1:
        about = known.get(path.name)
        source, licence = (
            str(about.get(name, "")) if isinstance(about, dict) else "" for name in ("source", "licence")
        )
        return Fetched(task, path.name, wanted.rows, source, licence, THERE)
    reasons = []
    for copy in wanted.copies:
        try:
            info = _info(copy.id)
            lines = [line for split in copy.splits for line in _lines(info, copy, split, wanted.roles)]
        except WorkbenchError as error:
            reasons.append(str(error))
            continue
        if len(lines) != wanted.rows:
            reasons.append(f"{copy.id} has {len(lines):,} rows, not the official {wanted.rows:,}.")
            continue
        header = "\t".join(_NAMES.get(role, role) for role in wanted.roles)
        write_text(path, "\n".join([header, *lines]) + "\n")
        write_json(folder / SOURCES, {**known, path.name: {"source": copy.id, "licence": _licence(info)}})
        return Fetched(task, path.name, len(lines), copy.id, _licence(info), FETCHED)
    return Fetched(task, path.name, 0, "", "", " ".join(reasons))


def _info(name: str) -> "DatasetInfo":
    """What the Hub knows of a data set.

    Raises:
        BadData: it cannot be reached, or has no such data set.
    """
    from huggingface_hub import HfApi
    from huggingface_hub.errors import RepositoryNotFoundError

    try:
        return HfApi().dataset_info(name, timeout=30)
    except RepositoryNotFoundError as error:
        raise BadData(f"The Hub has no data set {name}, or it needs a login.") from error
    except _failures() as error:
        raise BadData(
            f"{name} cannot be fetched: the Hugging Face Hub is not reachable from here.",
            way_out="Connect to the network and fetch again, or use the files from SentEval.",
        ) from error


def _failures() -> tuple[type[Exception], ...]:
    """What a failing request raises, OSError among them; which library raises depends on the version of huggingface_hub."""
    from huggingface_hub.errors import HfHubHTTPError

    return tuple(base for base in HfHubHTTPError.__mro__ if issubclass(base, Exception) and base is not Exception)


def _lines(info: "DatasetInfo", part: Part, split: str, roles: Mapping[str, Role]) -> Iterator[str]:
    """The rows of a split as lines of a table, in the order of `roles`.

    Raises:
        BadData: the split has no file, a file cannot be fetched, or it lacks a column.
    """
    from huggingface_hub import hf_hub_download

    names = sorted(file.rfilename for file in info.siblings or ())
    files = [name for name in names if _holds(name, part.config, split)]
    if not files:
        raise BadData(f"{info.id} has no file of the split {split}.", got=", ".join(names[:6]))
    for name in files:
        try:
            path = hf_hub_download(info.id, name, repo_type="dataset", revision=info.sha)
        except _failures() as error:
            raise BadData(f"{name} of {info.id} cannot be fetched.", reason=str(error).splitlines()[0][:200]) from error
        cells = read_table(Path(path), None, roles).cells
        yield from ("\t".join(row) for row in zip(*(cells[role] for role in roles), strict=True))


def _holds(name: str, config: str, split: str) -> bool:
    """Whether a file of a data set belongs to a split.

    >>> [_holds(name, "", "test") for name in ("data/test-00000-of-00001.parquet", "test.jsonl.gz", "latest.csv", "test.py")]
    [True, True, False, False]
    >>> _holds("mrpc/test-00000-of-00001.parquet", "mrpc", "test"), _holds("mrpc_x/test.csv", "mrpc", "test")
    (True, False)
    """
    *folders, file = name.split("/")
    stem = file.split(".")[0]
    inside = folders == [config] if config else folders in ([], ["data"], ["default"])
    return inside and name.endswith(_ENDINGS) and (stem == split or stem.startswith(f"{split}-"))


def _licence(info: "DatasetInfo") -> str:
    """The licence that the card of a data set names."""
    named = getattr(info.card_data, "license", None) or [
        tag.partition(":")[2] for tag in info.tags or () if tag.startswith("license:")
    ]
    return ", ".join(named) if isinstance(named, list) and named else str(named or "not stated")
