"""Where training texts come from: the demo, a file on the app's machine, an upload, or a Hub data set."""

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from workbench.core import writing
from workbench.core.config import Corpus, Evaluation, RunConfig
from workbench.core.errors import WorkbenchError
from workbench.data import demo
from workbench.data.columns import assignment, column_index
from workbench.data.demo import TITLES
from workbench.data.files import TextFile, count_dropped, examine, split_source
from workbench.data.gather import read_corpus, roles_of
from workbench.data.pair_texts import ALL, shown
from workbench.data.texts import CorpusTexts
from workbench.store import names
from workbench.ui.address import arrive, choose, choose_button, choose_several, follow, follow_several, leave
from workbench.ui.columns import columns_address, pick_columns
from workbench.ui.folders import inside, pairs_inside
from workbench.ui.notices import quiet, trouble
from workbench.ui.words import count, plain

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_SOURCES = {
    "demo": "Demo texts",
    "path": "File on this machine",
    "upload": "Upload",
    "hub": "Hugging Face data set",
    "scored": "Texts to be scored",
}
_SCORED = "corpus.scored"
"""The pair sets that the run is scored on, as far as its form has been made."""

_DEMO = {
    "documents": "demo:documents",
    "labelled_pairs": "demo:labelled",
    "pairs": "demo:paraphrases",
    "scored_pairs": "demo:scored",
    "triplets": "demo:triplets",
}


def pick_corpus(needs: str = "sentences") -> str:
    """The corpus as `train` takes it; empty while the choice is not complete. The demo texts begin with what is needed."""
    source = choose_button("Corpus", list(_SOURCES), key="source", start="demo", shown=lambda name: _SOURCES[name])
    if source == "path":
        typed = st.text_input(
            "Path of a .txt, .tsv, .csv or .jsonl file",
            key="corpus",
            bind="query-params",
            placeholder="folder/texts.txt or folder/pairs.tsv#column",
            help="A file on the machine where the app runs: one text a line, or a table. `#column` picks one column, "
            "`#text=A,positive=B,negative=C` says which is what (also `score` and `label`), and `#documents` takes what "
            "stands between empty lines of a .txt file as one document.",
        )
        return _with_columns(inside((typed or "").strip()))
    if source == "scored":
        return _scored()
    if source == "hub":
        typed = st.text_input(
            "Data set",
            key="dataset",
            bind="query-params",
            placeholder="ORG/NAME:CONFIG:SPLIT:COLUMN",
            help="Needs a network once; cached then.",
        )
        named = (typed or "").strip().removeprefix("hf:")
        return inside(f"hf:{named}") if named else ""
    if source == "upload":
        return _uploaded()
    start = follow("demo", _DEMO.get(needs, "demo"))
    kind = choose("Kind of text", list(TITLES), key="demo", start=start, shown=lambda name: TITLES[name])
    if kind == "demo":
        return kind
    known = demo.columns(kind)
    assigned = pick_columns(list(known.values()), known, kind)
    return f"{kind}#{assigned}" if assigned else kind


def _scored() -> str:
    """The texts of pair sets: those that the run is scored on, until somebody chooses others."""
    start = list(st.session_state.get(_SCORED) or Evaluation().pairs)
    chosen = choose_several(
        "Pair sets",
        list(dict.fromkeys([*start, "demo:dev", "demo:test"])),
        key="scored",
        start=follow_several("scored", start),
        shown=shown,
        help="`demo:dev`, `TASK:SPLIT@FOLDER` such as `stsb:test@data/sts`, `sts@FOLDER` for the test splits of all STS tasks "
        "there, or a file with score, sentence1, sentence2. To begin with, what the run is evaluated on.",
    )
    quiet("A target corpus: no gold is used, but scores on these sets are transductive, and are marked so.")
    return Corpus.texts_of(map(pairs_inside, chosen)) if chosen else ""


def note_scored(config: RunConfig) -> None:
    """Remember what a run is scored on, for the corpus that is the texts of it; the page is made anew where that changes."""
    sets = [*config.evaluation.pairs]
    if config.evaluation.sts_folder:
        sets.append(f"{ALL}{config.evaluation.sts_folder}")
    if sets != st.session_state.get(_SCORED, list(Evaluation().pairs)):
        follows = st.session_state.get("source") == "scored"
        st.session_state[_SCORED] = sets
        if follows:
            st.rerun()


def _with_columns(typed: str) -> str:
    """A file as it was typed, with the columns that were chosen for its texts; one column that was typed stays alone."""
    try:
        path, column = split_source(typed) if typed and not Corpus(typed).of_pairs else (None, None)
        if path is None or not path.is_file() or (column and not assignment(column)):
            return typed
        about = path.stat()
        names_, found = _table(str(path), about.st_mtime_ns, about.st_size)
        if told := assignment(column):
            found = {role: column_index(name, names_, len(names_), path.name) for role, name in told.items()}
    except (WorkbenchError, OSError):  # said by whoever reads it
        return typed
    assigned = pick_columns(names_, found, typed)
    return f"{typed.removesuffix(f'#{column}')}#{assigned}" if assigned else typed


@lru_cache(16)
def _table(path: str, _mtime_ns: int, _size: int) -> tuple[list[str], dict[str, int]]:
    """The columns of a file, and what they are known to hold."""
    return _known(examine(path))


def _known(looked: TextFile) -> tuple[list[str], dict[str, int]]:
    if not looked.delimiter:
        return [], {}
    numbered = [f"column {number}" for number in range(1, looked.columns + 1)]
    try:
        return list(looked.header or numbered), roles_of(looked)
    except WorkbenchError:  # names that say nothing: the choice is the reader's
        return list(looked.header or numbered), {}


def corpus_address(config: RunConfig) -> dict[str, str | list[str]]:
    """What the address of the Train page says when the corpus of a run is chosen there."""
    source = config.corpus.source
    if config.pretrains:
        return {"articles": "path", "files": source}
    if config.corpus.of_pairs:
        return {"source": "scored", "scored": config.corpus.files}
    kind, _, column = source.partition("#")
    if kind in TITLES:
        return {"source": "demo", "demo": kind, **columns_address(assignment(column) or {})}
    if source.startswith("hf:"):
        return {"source": "hub", "dataset": source.removeprefix("hf:")}
    return {"source": "path", "corpus": source}


def _uploaded() -> str:
    kinds = ["txt", "tsv", "csv", "jsonl", "gz"]
    file = st.file_uploader("A .txt, .tsv, .csv or .jsonl file, 20 MB at most", type=kinds, max_upload_size=20)
    if file is None:
        return uploaded_before("upload")
    try:
        table, names_, known, headed = _columns(file.file_id, None, file)
        header = st.toggle(
            "The first row names the columns", value=headed, disabled=not table, key=f"header.{file.file_id}"
        )
        asked = header if table and header != headed else None
        if asked is not None:
            _, names_, known, _ = _columns(file.file_id, asked, file)
        assigned = pick_columns(names_, known, f"{file.file_id} {asked}")
        taken = _taken(file.file_id, asked, assigned or None, file)
    except WorkbenchError as error:
        trouble(error)
        return ""
    for line in taken.said:
        st.caption(plain(line))
    st.dataframe(taken.first, hide_index=True, height=180, alt="The first ten rows of the upload")
    return remember(taken.kept, file.name)


class _Taken(NamedTuple):
    """An upload that was read and written into the runs folder."""

    kept: Path
    said: list[str]
    first: dict[str, list[str]]
    """The first ten rows, by column."""


_once = st.cache_data(show_spinner=False, max_entries=8, scope="session")
"""An upload is read once for each way to read it, by its id: 20 MB take seconds, and every touch of a page runs all of it."""


@_once
def _columns(file_id: str, header: bool | None, _file: "UploadedFile") -> tuple[bool, list[str], dict[str, int], bool]:
    """Whether it is a table, its columns and what they are known to hold, and whether its first row names them. A `header`
    of None is a guess."""
    looked = examine(_file.getvalue(), name=_file.name, header=header)
    return bool(looked.delimiter), *_known(looked), bool(looked.header)


@_once
def _taken(file_id: str, header: bool | None, column: str | None, _file: "UploadedFile") -> _Taken:
    looked = examine(_file.getvalue(), name=_file.name, header=header)
    corpus = read_corpus(looked, column=column)
    said = [
        f"{count(len(corpus))} texts kept, {count(len(corpus.dropped))} rows left out; read as {looked.encoding}. "
        f"Taken as {corpus.kind.replace('_', ' ')}."
    ]
    for reason in count_dropped(corpus.dropped):
        said.append(f"{count(reason['count'])} × {reason['reason']}, first in row {reason['examples'][0]['row']}")
    first = {role: texts[:10] for role, texts in corpus.columns.items()}
    first |= {role: [str(value) for value in values[:10]] for role, values in corpus.numbers.items()}
    return _Taken(_kept(*_written(corpus)), [*said, *corpus.notices], first)


def remember(kept: Path, name: str) -> str:
    """An upload that lies in the runs folder, kept in the address. `name` is what the visitor's file was called."""
    st.session_state["upload"], st.session_state["uploaded"] = kept.name, (kept.name, name)
    leave("upload", [kept.name])
    return str(kept)


def uploaded_before(kind: str) -> str:
    """What was uploaded before the page was left or loaded anew: the widget forgets it, the file is still there.

    `kind` is how the names of such files begin. Empty where there is none.
    """
    arrive("upload", [""])
    asked = str(st.session_state["upload"])  # it may have come with a link
    kept = names.runs_folder().corpora / asked
    if not re.fullmatch(rf"{kind}-[0-9a-f]{{16}}(\.[a-z]+)", asked) or not kept.is_file():
        return ""
    known, name = st.session_state.get("uploaded", ("", ""))
    st.caption(f"{plain(name if known == kept.name else kept.name)}, uploaded before, is taken.")
    if st.button("Take another", key="uploaded.forget"):
        st.session_state["upload"] = ""
        leave("upload", [])
        st.rerun()
    leave("upload", [kept.name])
    return str(kept)


def _written(corpus: CorpusTexts) -> tuple[str, str]:
    """A corpus as text, and the ending of a file that is read as the same corpus."""
    if corpus.columns.keys() == {"text"}:
        return "\n".join(corpus.texts), ".txt"
    columns = dict(corpus.columns)
    if "gold" in corpus.numbers:
        columns["score"] = ["" if value != value else repr(value) for value in corpus.numbers["gold"].tolist()]
    if "label" in corpus.numbers:
        named = dict(enumerate(corpus.classes))
        columns["gold_label"] = [named.get(value, "-") for value in corpus.numbers["label"].tolist()]
    if len(columns) == 1:  # a second column, so that a comma in a document is none
        columns = {"row": [str(row) for row in range(1, corpus.rows + 1)], **columns}
    return "\n".join("\t".join(row) for row in [tuple(columns), *zip(*columns.values(), strict=True)]), ".tsv"


def _kept(texts: str, ending: str) -> Path:
    """The upload as a file of the runs folder, named by its content: what a visitor called it is never part of a path."""
    content = texts.encode("utf-8", "surrogatepass")
    path = names.runs_folder().corpora / f"upload-{hashlib.sha256(content).hexdigest()[:16]}{ending}"
    if not path.exists():
        writing.write_bytes(path, content)
    return path
