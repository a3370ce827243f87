"""The film as the browser draws it: its data, and one HTML file, which needs no Python, no server and no network."""

import base64
import json
from collections.abc import Callable
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.core.html_file import POLICY, SAVING, html_file, tables_script
from workbench.core.json_values import Json
from workbench.core.paths import shipped
from workbench.core.writing import plain
from workbench.film.tables import FilmTables

if TYPE_CHECKING:
    from pandas import Series

FOLDER = shipped("assets", "film")
COORDINATE, COSINE = 15_000, 30_000
"""The units, as parts of 1, in which points and cosines are sent; assets/film/film.js knows them."""
MOST_GROUPS = 8
MOST_COMPONENTS = 128
"""Of a spectrum, the strongest ones."""
MEASURES = ("loss", "spearman", "mean_cosine", "alignment", "uniformity", "effective_rank")
_NOTES = {
    "pca": (
        "Main directions",
        "The two directions in which the sentences differ most at the last step; they are the same for all steps.",
        "the variance",
    ),
    "cone": (
        "Cone",
        "The mean direction of step 0, with the origin (+), and the direction in which the sentences differ most besides; "
        "the same for all steps.",
        "the squared length",
    ),
}
_START = """
const data = JSON.parse(document.getElementById("data").textContent);
mount(document.getElementById("film"), data);
"""


def script() -> str:
    """The script, as page and file have it."""
    return (FOLDER / "film.js").read_text(encoding="utf-8")


def style() -> str:
    """Its style sheet."""
    return (FOLDER / "film.css").read_text(encoding="utf-8")


def data(film: FilmTables) -> dict[str, Json]:
    """What the script draws. Its stamp is a hash of all else."""
    about, frames = film.about, film.frames
    groups, of_sentence, of_pair = groups_of(film)
    drawn: dict[str, Json] = {
        "run": about["run"],
        "headline": headline(film),
        "source": source(film),
        "steps": plain(frames["step"].tolist()),
        "numbers": {name: _numbers(frames[name]) for name in MEASURES},
        "planes": [_plane(film, name) for name in ("pca", "cone")],
        "texts": plain(film.sentences["text"].tolist()),
        "groups": [*groups],
        "group": [*of_sentence],
        "pairs": {
            **{name: plain(film.pairs[name].tolist()) for name in ("first", "second", "gold")},
            "group": [*of_pair],
            "alike": plain((film.pairs["gold"] > alike_from(film)).tolist()),
        },
        "scale": about["scale"],
        "cosines": packed(film.cosines, COSINE),
        "spectrum": plain(np.round(film.spectrum[:, :MOST_COMPONENTS].astype(np.float64), 5)),
        "curves": _curves(film),
    }
    stamp = blake2b(json.dumps(drawn, sort_keys=True).encode(), digest_size=12).hexdigest()
    return {**drawn, "stamp": stamp}


def headline(film: FilmTables) -> str:
    """What the training changed, in one sentence."""
    first, last = film.frames.iloc[0], film.frames.iloc[-1]
    parts = [_went("the mean cosine", first["mean_cosine"], last["mean_cosine"], lambda value: f"{value:.2f}")]
    if film.frames["spearman"].notna().iloc[[0, -1]].all():
        parts.append(
            _went(
                f"Spearman on {film.about['on']}",
                first["spearman"],
                last["spearman"],
                lambda value: f"{100 * value:.1f}",
            )
        )
    begins = "" if first["step"] == 0 else f" from step {int(first['step']):,} on"
    return f"In {int(last['step'] - first['step']):,} steps{begins}, {' and '.join(parts)}."


def source(film: FilmTables) -> str:
    """Whose film it is, and of what."""
    about, pairs = film.about, len(film.pairs)
    whole = (
        f"{pairs:,} pairs"
        if pairs == about["of_pairs"]
        else f"{pairs:,} of {about['of_pairs']:,} pairs, evenly by gold"
    )
    sentences = f"{len(film.sentences):,} sentences of {about['on']}"
    of = f"{sentences}, in {whole}" if pairs else sentences
    alignment = f" Alignment: {about['alignment_on']}." if about["alignment_on"] else ""
    return (
        f"{about['name']}: {about['recipe']} on {about['backbone']}. {of}, measured at {len(film.frames)} probes; between two of "
        f"them, points and figures move in straight lines.{alignment} Spectrum: singular values, not centred."
    )


def document(film: FilmTables) -> str:
    """The whole file: data, script and style sheet."""
    return html_file(
        f"The film of {film.about['name']}",
        kind="film",
        style=style(),
        body="<noscript><p>This film is drawn with JavaScript, which is turned off in this browser.</p></noscript>\n"
        '<div id="film"></div>',
        data=data(film),
        module=f"{script()}\n{_START}",
        library=tables_script(),
        policy=POLICY + SAVING,
    )


def packed(values: NDArray[np.floating], unit: int) -> str:
    """Numbers as whole multiples of 1 / `unit`, 16 bits each, little-endian, in base64.

    >>> packed(np.array([[0.5, -1.0]]), 2)
    'AQD+/w=='
    """
    whole = np.clip(np.rint(values.astype(np.float64) * unit), -32768, 32767)
    return base64.b64encode(whole.astype("<i2").tobytes()).decode()


def _went(what: str, before: float, after: float, form: Callable[[float], str]) -> str:
    first, last = (form(value).replace("-", "−") for value in (before, after))
    if first == last:
        return f"{what} stayed at {last}"
    return f"{what} {'rose' if after > before else 'fell'} from {first} to {last}"


def _plane(film: FilmTables, name: str) -> Json:
    label, note, of = _NOTES[name]
    points = film.pca if name == "pca" else film.cone
    share = _numbers(film.frames[f"in_{name}"])
    return {"id": name, "label": label, "note": note, "of": of, "share": share, "points": packed(points, COORDINATE)}


def groups_of(film: FilmTables) -> tuple[list[str], list[int], list[int]]:
    """Subsets by which points are coloured, the largest first, and the number of each sentence's and of each pair's."""
    counts = film.sentences["subset"].value_counts()
    names = [str(name) for name in counts.index]
    if len(names) > MOST_GROUPS:
        names = [*names[: MOST_GROUPS - 1], f"{len(names) - MOST_GROUPS + 1} others"]
    number = {name: at for at, name in enumerate(names)}
    of_sentence, of_pair = (
        [number.get(str(name), len(names) - 1) for name in table["subset"]] for table in (film.sentences, film.pairs)
    )
    return names, of_sentence, of_pair


def alike_from(film: FilmTables) -> float:
    """The gold score from which pairs mean the same."""
    from workbench.scoring.pair_scores import threshold

    scale = film.about["scale"]
    low, high = (float(str(end)) for end in scale) if isinstance(scale, list) and scale else (0.0, 0.0)
    return threshold((low, high))


def _curves(film: FilmTables) -> Json:
    """The curves of the run that are not in its frames."""
    names = {"loss": "loss", "masked_loss": "masked loss"}
    tables = {measure: film.curves[film.curves["measure"] == measure] for measure in names}
    return [
        {"name": names[measure], "steps": plain(table["step"].tolist()), "values": _numbers(table["value"])}
        for measure, table in tables.items()
        if len(table) > 1
    ]


def _numbers(column: "Series[float]") -> Json:
    """A column with five digits; None where it is unknown."""
    return [None if value is None or value != value else float(f"{value:.5g}") for value in column.tolist()]
