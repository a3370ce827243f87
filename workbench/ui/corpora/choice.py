"""The picker of a corpus: demo texts, typed texts, a file on the app's machine, an upload, a Hub data set, or texts to score."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from workbench.core.config import Corpus, Evaluation, RunConfig
from workbench.core.errors import WorkbenchError
from workbench.data import demo
from workbench.data.columns import column_index
from workbench.data.corpora import examined
from workbench.data.demo import PAIR_SETS, TITLES
from workbench.data.dropped import count_dropped, dropped_rows
from workbench.data.files import NAMED, TextFile
from workbench.data.gather import first_labels, read_corpus, roles_of
from workbench.data.inference import TRIPLETS, gives_triplets
from workbench.data.pair_texts import ALL, shown
from workbench.data.roles import assignment
from workbench.data.sources import split_source
from workbench.data.texts import CorpusTexts
from workbench.data.uploads import is_upload, keep_name, store, uploaded_name
from workbench.store import names
from workbench.ui.corpora.columns import columns_address, offer_triplets, pick_columns
from workbench.ui.kit.address import (
    choose,
    choose_button,
    choose_several,
    follow_default,
    follow_defaults,
    read_address,
    write_address,
)
from workbench.ui.kit.folders import inside, pairs_inside
from workbench.ui.kit.notices import quiet, trouble
from workbench.ui.kit.own_pairs import own_name, own_pairs, stored_pairs
from workbench.ui.kit.words import count, plain

if TYPE_CHECKING:
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_SOURCES = {
    "demo": "Demo texts",
    "typed": "Typed or pasted",
    "path": "File on this machine",
    "upload": "Upload",
    "hub": "Hugging Face data set",
    "scored": "Texts to be scored",
}
_SCORED = "corpus.scored"
"""Session key: the pair sets that the run is scored on, as of the last time its form was drawn."""

_DEMO = {
    "documents": "demo:documents",
    "labelled_pairs": "demo:labelled",
    "pairs": "demo:paraphrases",
    "scored_pairs": "demo:scored",
    "triplets": "demo:triplets",
}


def pick_corpus(needs: str = "sentences") -> str:
    """The corpus as `train` takes it; empty while the choice is incomplete. The demo texts default to the kind needed."""
    source = choose_button("Corpus", list(_SOURCES), key="source", start="demo", shown=lambda name: _SOURCES[name])
    if source == "path":
        typed = st.text_input(
            "Path of a .txt, .tsv, .csv, .jsonl, .json, .parquet or .xml file",
            key="corpus",
            bind="query-params",
            placeholder="folder/texts.txt or folder/pairs.tsv#column",
            help="A file on the machine where the app runs: one text per line, or a table. `#column` picks one column, "
            "`#text=A,positive=B,negative=C` assigns columns (also `score` and `label`), `#triplets` builds triplets from "
            "premise, hypothesis and label, and `#documents` makes the lines between empty lines of a .txt file a document.",
        )
        return _with_columns(inside((typed or "").strip()), needs)
    if source == "typed":
        return _typed(needs)
    if source == "scored":
        return _scored()
    if source == "hub":
        typed = st.text_input(
            "Data set",
            key="dataset",
            bind="query-params",
            placeholder="ORG/NAME:CONFIG:SPLIT:COLUMN",
            help="Downloaded once, then cached.",
        )
        named = (typed or "").strip().removeprefix("hf:")
        return inside(f"hf:{named}") if named else ""
    if source == "upload":
        return _uploaded(needs)
    start = follow_default("demo", _DEMO.get(needs, "demo"))
    kind = choose("Kind of text", list(TITLES), key="demo", start=start, shown=lambda name: TITLES[name])
    if kind == "demo":
        return kind
    known = demo.columns(kind)
    columns = list(known.values())
    assigned = pick_columns(columns, known, kind, inference=gives_triplets(columns, known))
    return f"{kind}#{assigned}" if assigned else kind


def _scored() -> str:
    """The texts of pair sets: by default those that the run is scored on."""
    start = list(st.session_state.get(_SCORED) or Evaluation().pairs)
    chosen = choose_several(
        "Pair sets",
        list(dict.fromkeys([*start, *PAIR_SETS, *stored_pairs()])),
        key="scored",
        start=follow_defaults("scored", start),
        shown=lambda pairs: own_name(pairs) or shown(pairs),
        help="`demo:dev`, `TASK:SPLIT@FOLDER` such as `stsb:test@data/sts`, `sts@FOLDER` for the test splits of all STS tasks "
        "there, or a file with score, sentence1, sentence2. By default, the sets that the run is evaluated on.",
    )
    own_pairs("scored", several=True)
    quiet(
        "Training on the texts of the test sets: gold scores are not used, but scores on these sets are transductive and "
        "marked as such."
    )
    return Corpus.texts_of(map(pairs_inside, chosen)) if chosen else ""


def note_scored(config: RunConfig) -> None:
    """Remember what a run is scored on, for the corpus of those texts; rerun the page if that changes."""
    sets = [*config.evaluation.pairs]
    if config.evaluation.sts_folder:
        sets.append(f"{ALL}{config.evaluation.sts_folder}")
    if sets != st.session_state.get(_SCORED, list(Evaluation().pairs)):
        follows = st.session_state.get("source") == "scored"
        st.session_state[_SCORED] = sets
        if follows:
            st.rerun()


def _with_columns(typed: str, needs: str) -> str:
    """A typed file with the columns chosen for its texts; a single column that was typed is kept as it is.

    If triplets are needed, those that labelled pairs give are offered instead: no column of theirs is a hard negative.
    """
    try:
        path, column = split_source(typed) if typed and not Corpus(typed).of_pairs else (None, None)
        if path is None or not path.is_file() or (column and not assignment(column)):
            return typed
        about = path.stat()
        columns, roles, inference = _table(str(path), about.st_mtime_ns, about.st_size)
        if assigned := assignment(column):
            roles = {role: column_index(name, columns, len(columns), path.name) for role, name in assigned.items()}
    except (WorkbenchError, OSError):  # reported by whoever reads it
        return typed
    if needs == "triplets" and not column and inference:
        offer_triplets("triplets.file", _take_triplets, typed)
        return typed
    chosen = pick_columns(columns, roles, typed, inference=inference and {"text", "positive", "label"} == {*roles})
    return f"{typed.removesuffix(f'#{column}')}#{chosen}" if chosen else typed


def triplets_offered(corpus: str) -> bool:
    """Whether the picker offers to build triplets from a corpus: a file of labelled pairs without columns assigned to it."""
    try:
        path, column = split_source(corpus)
        if column or not path.is_file():
            return False
        about = path.stat()
        return _table(str(path), about.st_mtime_ns, about.st_size)[2]
    except (WorkbenchError, OSError):  # reported by whoever reads it
        return False


def _take_triplets(typed: str) -> None:
    st.session_state["corpus"] = f"{typed}#{TRIPLETS}"


@lru_cache(16)
def _table(path: str, _mtime_ns: int, _size: int) -> tuple[list[str], dict[str, int], bool]:
    """The columns of a file, the roles of those whose names are known, and whether triplets can be built from them."""
    return _known(examined(Path(path), None))


def _known(file: TextFile) -> tuple[list[str], dict[str, int], bool]:
    if not file.delimiter:
        return [], {}, False
    columns = list(file.header or [f"column {number}" for number in range(1, file.columns + 1)])
    try:
        roles = roles_of(file)
    except WorkbenchError:  # the names are not known: the reader has to choose
        return columns, {}, False
    return columns, roles, gives_triplets(columns, roles, first_labels(file, roles))


def corpus_address(config: RunConfig) -> dict[str, str | list[str]]:
    """The address of the Train page with the corpus of a run chosen."""
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


_MOST_TYPED = 500_000
"""Characters of typed texts: some ten thousand sentences; every edit sends them all."""


def _typed(needs: str) -> str:
    """The path of texts that are typed or pasted; they are stored as an upload is, and come back with the page."""
    if "typed.texts" not in st.session_state:
        before = _kept_upload("typed")
        st.session_state["typed.texts"] = before.read_text(encoding="utf-8") if before else ""
    texts = st.text_area(
        "One text per line",
        key="typed.texts",
        height=190,
        max_chars=_MOST_TYPED,
        placeholder="The old bridge was closed after the storm.\nA boy in a red coat feeds two ducks by the pond.",
        help="Two or three columns copied from a spreadsheet make pairs, triplets or scored pairs.",
    )
    if not texts.strip():
        return ""
    path = store(names.runs_folder().corpora, "typed", texts.encode("utf-8"), ".txt")
    keep_name(path, "typed texts")
    return _with_columns(remember_upload(path), needs)


def _uploaded(needs: str) -> str:
    kinds = ["txt", "tsv", "csv", "jsonl", "json", "parquet", "xml", "gz"]
    label = "A .txt, .tsv, .csv, .jsonl, .json, .parquet or .xml file, 20 MB at most"
    file = st.file_uploader(label, type=kinds, max_upload_size=20)
    if file is None:
        return previous_upload("upload")
    try:
        table, names_, known, inference, headed = _columns(file.file_id, None, file)
        header = st.toggle(
            "The first row names the columns", value=headed, disabled=not table, key=f"header.{file.file_id}"
        )
        asked = header if table and header != headed else None
        if asked is not None:
            _, names_, known, inference, _ = _columns(file.file_id, asked, file)
        built = f"triplets.{file.file_id}"
        if needs == "triplets" and inference:
            assigned = TRIPLETS if st.session_state.get(built) else ""
            if not assigned:
                offer_triplets(f"{built}.button", _flag, built)
        else:
            assigned = pick_columns(names_, known, f"{file.file_id} {asked}", inference=inference)
        taken = _read_upload(file.file_id, asked, assigned or None, file)
    except WorkbenchError as error:
        trouble(error)
        return ""
    for line in taken.messages:
        st.caption(plain(line))
    st.dataframe(taken.first_rows, hide_index=True, height=180, alt="The first ten rows of the upload")
    return remember_upload(taken.path)


def _flag(key: str) -> None:
    st.session_state[key] = True


class _Upload(NamedTuple):
    """An upload that was read and stored in the runs folder."""

    path: Path
    messages: list[str]
    first_rows: dict[str, list[str]]
    """The first ten rows, by column."""


_per_session = st.cache_data(show_spinner=False, max_entries=8, scope="session")
"""Each upload is read once per way of reading it: 20 MB take seconds, and every interaction reruns the whole page."""


@_per_session
def _columns(
    file_id: str, header: bool | None, _file: "UploadedFile"
) -> tuple[bool, list[str], dict[str, int], bool, bool]:
    """Whether it is a table whose first row may name its columns, what `_known` says of them, and whether that row does. A
    `header` of None lets the reader guess.
    """
    looked = examined(_file.getvalue(), None, name=_file.name, header=header)
    return looked.delimiter not in ("", *NAMED), *_known(looked), bool(looked.header)


@_per_session
def _read_upload(file_id: str, header: bool | None, column: str | None, _file: "UploadedFile") -> _Upload:
    looked = examined(_file.getvalue(), column, name=_file.name, header=header)
    corpus = read_corpus(looked, column=column)
    lost = dropped_rows(corpus.dropped)
    messages = [
        f"{count(len(corpus))} text{'s' * (len(corpus) != 1)} kept, {count(lost)} row{'s' * (lost != 1)} dropped; read as "
        f"{looked.encoding.upper().removesuffix('-SIG')}. "
        f"Used as {corpus.kind.replace('_', ' ')}."
    ]
    for reason in count_dropped(corpus.dropped):
        messages.append(f"{count(reason['count'])} × {reason['reason']}, first in row {reason['examples'][0]['row']}")
    first = {role: list(texts[:10]) for role, texts in corpus.columns.items()}
    first |= {role: [str(value) for value in values[:10]] for role, values in corpus.numbers.items()}
    texts, ending = _written(corpus)
    path = store(names.runs_folder().corpora, "upload", texts.encode("utf-8", "surrogatepass"), ending)
    keep_name(path, _file.name)
    return _Upload(path, [*messages, *corpus.notices], first)


def remember_upload(path: Path) -> str:
    """Keep a stored upload in the address and return its path."""
    st.session_state["upload"] = path.name
    write_address("upload", [path.name])
    return str(path)


def previous_upload(kind: str) -> str:
    """The path of an upload from before the page was left or reloaded: the widget forgets it, the file is still there.

    `kind` is the prefix of such file names. Empty if there is none.
    """
    kept = _kept_upload(kind)
    if kept is None:
        return ""
    st.caption(f"{plain(uploaded_name(kept) or kept.name)}, uploaded earlier, is used.")
    if st.button("Choose another", key="uploaded.forget"):
        st.session_state["upload"] = ""
        write_address("upload", [])
        st.rerun()
    write_address("upload", [kept.name])
    return str(kept)


def _kept_upload(kind: str) -> Path | None:
    """The stored upload that the address names, if it is of that kind and there."""
    read_address("upload", [""])
    asked = str(st.session_state["upload"])  # it may have come with a link
    kept = names.runs_folder().corpora / asked
    return kept if kept.name == asked and is_upload(kept, kind) and kept.is_file() else None


def _written(corpus: CorpusTexts) -> tuple[str, str]:
    """A corpus as text, and the file extension with which it is read back as the same corpus."""
    if corpus.columns.keys() == {"text"}:
        return "\n".join(corpus.texts), ".txt"
    columns = dict(corpus.columns)
    if "gold" in corpus.numbers:
        columns["score"] = ["" if value != value else repr(value) for value in corpus.numbers["gold"].tolist()]
    if "label" in corpus.numbers:
        named = dict(enumerate(corpus.classes))
        columns["gold_label"] = [named.get(value, "-") for value in corpus.numbers["label"].tolist()]
    if len(columns) == 1:  # a second column, so that a comma in a document does not split it
        columns = {"row": [str(row) for row in range(1, corpus.rows + 1)], **columns}
    return "\n".join("\t".join(row) for row in [tuple(columns), *zip(*columns.values(), strict=True)]), ".tsv"
