"""A language model of one's own: its files, its questions on the Train page, and how well it names covered tokens."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamlit as st

from workbench import api
from workbench.core import presets, writing
from workbench.core.config import SECTIONS, Corpus, RunConfig, section_settings
from workbench.core.errors import WorkbenchError
from workbench.data import references
from workbench.pretraining import articles
from workbench.store import names
from workbench.ui.address import choose_button
from workbench.ui.folders import inside
from workbench.ui.forms import settings_form
from workbench.ui.notices import facts, quiet, trouble
from workbench.ui.uploads import remember, uploaded_before
from workbench.ui.words import DASH, count, duration, figure, html, missing, plain, share, size

if TYPE_CHECKING:
    from pandas import DataFrame
    from streamlit.runtime.uploaded_file_manager import UploadedFile

_SOURCES = {"path": "Files on this machine", "upload": "Upload"}
_UPLOAD_MEGABYTES = 20
_LABELS = {
    "start": "Begin with",
    "layers": "Layers kept",
    "vocabulary_size": "Pieces at most",
    "mask_rate": "Tokens to name",
    "validation": "Articles held out",
}


def pick_articles() -> str:
    """The files of a pretraining as `pretrain` takes them; empty while there is none."""
    source = choose_button("Corpus", list(_SOURCES), key="articles", start="path", shown=_SOURCES.__getitem__)
    if source == "upload":
        found = _uploaded()
    else:
        typed = st.text_input(
            "Path of a text file, or several with ; between them",
            key="files",
            bind="query-params",
            placeholder="folder/articles.txt.xz",
            help="On the machine where the app runs. The last articles of all are held out for validation.",
        )
        found = references.joined(inside(part) for part in Corpus(typed or "").files)
    quiet(f"{articles.RULE} It is read as a stream, so it may be large.")
    return found


def _uploaded() -> str:
    file = st.file_uploader(
        f"A .txt, .xz or .gz file, {_UPLOAD_MEGABYTES} MB at most",
        type=["txt", "xz", "gz"],
        max_upload_size=_UPLOAD_MEGABYTES,
        key="articles.upload",
    )
    if file is None:
        return uploaded_before("articles")
    try:
        return remember(_kept(file.file_id, file), file.name)
    except WorkbenchError as error:
        trouble(error)
        return ""


@st.cache_data(show_spinner=False, max_entries=8, scope="session")
def _kept(file_id: str, _file: "UploadedFile") -> Path:
    """The upload as a file of the runs folder, named by its content; looked at once.

    Raises:
        WorkbenchError: it holds no articles.
    """
    content = _file.getvalue()
    ending = next(ending for ending in articles.ENDINGS if _file.name.lower().endswith(ending))
    path = names.runs_folder().corpora / f"articles-{hashlib.sha256(content).hexdigest()[:16]}{ending}"
    if not path.exists():
        writing.write_bytes(path, content)
    try:
        articles.fits("A pretraining", str(path))
    except WorkbenchError:
        path.unlink()
        raise
    return path


def language_model_form(base: RunConfig, notes: Mapping[str, str], prefix: str) -> dict[str, Any]:
    """What is asked of a pretraining alone, under dotted names; `notes` say where each value came from."""
    settings = dict(section_settings(SECTIONS["pretraining"]))
    if st.session_state.get(f"{prefix}pretraining.vocabulary", base.pretraining.vocabulary) == "keep":
        settings.pop("vocabulary_size")  # it says nothing then
    values = {name: getattr(base.pretraining, name) for name in settings}
    found = settings_form(settings, prefix=f"{prefix}pretraining.", values=values, notes=notes, labels=_LABELS)
    return {f"pretraining.{name}": value for name, value in found.items()}


def show_articles(report: Mapping[str, Any], config: RunConfig | None = None) -> None:
    """What the files hold: before a run as counted, with `config` also how often it will be read; beside a run as used."""
    words, pieces = int(report["words"]), report.get("pieces_per_word")
    tokens = report.get("tokens") or (words * pieces if pieces else None)
    unknown = _unknown(report)
    more = "" if report.get("whole", True) else "at least: counting was ended after a while"
    told = {
        "Articles": count(report["articles"]),
        "Paragraphs": count(report["paragraphs"]),
        "Words": count(words),
        "Pieces": DASH if tokens is None else count(int(tokens)),
        "Pieces a word": figure(pieces),
        "Unknown pieces": share(unknown),
    }
    notes = {"Articles": more or _held_out(report), "Pieces": "" if "tokens" in report else "judged from a sample"}
    if "size_bytes" in report:
        told["Files"] = size(report["size_bytes"])
    passes = report.get("passes")
    if config is not None and tokens:
        seen = config.training.steps * config.training.batch_size * (config.pretraining.sequence_length - 2)
        passes = seen / max(1.0, tokens * (1 - config.pretraining.validation))
    if passes:
        told["Passes over it"] = figure(passes, 1 if passes >= 1 else 2)
    facts(told, notes)
    for warning in [*report.get("warnings", ()), *_warnings(report, config, tokens, unknown)]:
        st.warning(plain(warning))
    if examples := report.get("examples"):
        quiet("It begins: " + " / ".join(f"“{text[:90]}…”" if len(text) > 90 else f"“{text}”" for text in examples[:2]))


def _held_out(report: Mapping[str, Any]) -> str:
    return f"{count(report['held_out'])} held out" if "held_out" in report else ""


def _unknown(report: Mapping[str, Any]) -> float | None:
    found = report.get("unknown")
    return found / max(1, report["tokens"]) if found is not None and "tokens" in report else found


def _warnings(
    report: Mapping[str, Any], config: RunConfig | None, tokens: float | None, unknown: float | None
) -> list[str]:
    """What is amiss with files that were only counted."""
    if config is None or "whole" not in report:
        return []
    settings, found = config.pretraining, []
    if settings.vocabulary == "keep" and unknown and unknown > 0.05:
        found.append(
            f"{share(unknown)} of the pieces are unknown to {config.model.backbone}: learn a vocabulary from the corpus, or "
            "take another backbone."
        )
    if report["articles"] < 2:
        found.append("One article cannot be split: put an empty line between articles, so that some can be held out.")
    elif report["whole"] and tokens:
        batch = config.training.batch_size * (settings.sequence_length - 2)
        if tokens < batch:
            found.append("The corpus has fewer tokens than one batch: take a smaller batch, or give more text.")
        elif tokens < 10 * batch:
            found.append("The whole corpus is read every few steps: such a model learns it by heart.")
    if settings.vocabulary == "learn" and report["whole"] and report["words"] < 20 * settings.vocabulary_size:
        found.append(f"{count(settings.vocabulary_size)} pieces are many for {count(report['words'])} words.")
    return found


def masked_facts(run: api.Run, probes: "DataFrame") -> None:
    """Held-out loss and accuracy as they are now, and the pace."""
    if "masked_loss" not in probes or probes["masked_loss"].isna().all():
        return
    measured = probes.dropna(subset=["masked_loss"])
    first, last = measured.iloc[0], measured.iloc[-1]
    pace = run.tokens_per_second
    facts(
        {
            "Masked loss": figure(last["masked_loss"]),
            "Masked accuracy": share(last["masked_accuracy"]),
            "Tokens a second": DASH if pace is None else count(round(pace)),
            **({"Time left": duration(left)} if run.live and not missing(left := run.progress.seconds_left) else {}),
        },
        {
            "Masked loss": f"nats, held out; {figure(first['masked_loss'])} at step {int(first['step'])}",
            "Masked accuracy": f"{share(first['masked_accuracy'])} at step {int(first['step'])}",
        },
    )


def masked_point(probes: "DataFrame") -> str:
    """What a pretraining has learned, in one sentence. Columns step, masked_loss, masked_accuracy."""
    measured = probes.dropna(subset=["masked_loss"])
    if len(measured) < 2:
        return f"The held-out loss has {'been measured once so far' if len(measured) else 'not been measured yet'}."
    first, last = measured.iloc[0], measured.iloc[-1]
    before, after = figure(first["masked_loss"]), figure(last["masked_loss"])
    way = f"{'fell' if last['masked_loss'] < first['masked_loss'] else 'rose'} from {before} to {after} nats"
    if before == after:  # as shown: a change that cannot be seen is none
        way = f"is {after} nats, as at step {int(first['step'])}"
    return f"It names {share(last['masked_accuracy'])} of the covered tokens of held-out text; their loss {way}."


def show_filled(probes: "DataFrame") -> None:
    """Covered tokens of held-out text, and what the model names in their place, as it was looked at last."""
    if "filled" not in probes or not isinstance(probes["filled"].iloc[-1], list):
        return
    last = probes.iloc[-1]
    st.html(f'<p class="takeaway">Covered words of held-out text, and what it names at step {int(last["step"])}.</p>')
    for one in last["filled"]:
        rows = "".join(
            f'<tr><td class="words">{html(mask["piece"])}</td>'
            + "".join(_named(mask, *one) for one in mask["named"])
            + "</tr>"
            for mask in one["covered"]
        )
        head = '<tr><th class="words">covered</th><th class="words" colspan="3">named, most likely first</th></tr>'
        st.html(f'<p>{html(one["text"])}</p><div class="sheet"><table>{head}{rows}</table></div>')


def _named(mask: Mapping[str, Any], piece: str, chance: float) -> str:
    right = " ✓" if piece == mask["piece"] else ""
    return f'<td class="words"><code>{html(piece)}</code>{right} <small>{share(chance)}</small></td>'


def pretrained() -> dict[api.Run, Path]:
    """The finished pretrainings of the runs folder and their model folders, newest first: backbones for a fine-tune."""
    found = {run: run.folder / names.MODEL for run in api.runs()[:50] if not run.problem and run.config.pretrains}
    return {run: folder for run, folder in found.items() if (folder / "config.json").is_file()}


def model_link(run: api.Run) -> None:
    """The way from a pretrained model to a fine-tune of it."""
    folder = run.folder / names.MODEL
    if not (folder / "config.json").is_file():
        return
    with st.container(horizontal=True):
        st.page_link(
            "pages/train.py",
            label="Fine-tune it for sentences",
            icon=":material/arrow_forward:",
            query_params={"recipe": presets.RECIPE, "backbone": str(folder)},
        )
    quiet(f"Its folder is a masked language model of transformers: `{folder}`")
