"""What the film of a run shows, computed from the vectors that the run kept."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from workbench.core.json_values import Json
from workbench.core.progress import Progress, no_progress
from workbench.store import film as frames_of
from workbench.store.run import Run

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.store.shapes import Filmed

MOST_LOSSES = 400
"""Points of the loss curve."""


@dataclass(frozen=True, eq=False)
class FilmTables:
    """The film of a run."""

    about: dict[str, Json]
    """run, name, recipe, backbone; on, pairs and of_pairs (how many of the set are filmed); alignment_on, what its partners are;
    scale of the gold scores."""
    frames: "DataFrame"
    """One row per frame: step, loss, spearman (-1..1), mean_cosine, alignment, uniformity, effective_rank, and in_pca and
    in_cone, the share (0..1) of the frame that is in the plane; see `workbench.analysis.film`. Missing where it is unknown."""
    sentences: "DataFrame"
    """Columns row, text, subset."""
    pairs: "DataFrame"
    """Columns row, first, second (rows of `sentences`), gold, subset."""
    pca: NDArray[np.float32]
    """(frames, sentences, 2): points in the plane of the two main directions of the last frame."""
    cone: NDArray[np.float32]
    """(frames, sentences, 2): points in the plane of the cone at the first frame; x is the cosine with its mean direction."""
    cosines: NDArray[np.float32]
    """(frames, pairs)."""
    spectrum: NDArray[np.float32]
    """(frames, directions): singular values relative to the first, of the uncentred vectors, strongest first."""
    curves: "DataFrame"
    """Columns measure, step, value: the loss, thinned to a few hundred steps; in a pretraining also masked_loss."""


def film_tables(run: Run, on_progress: Progress = no_progress) -> FilmTables:
    """The film of a run, from the frames that it kept.

    Raises:
        BadRun: it has fewer than two, or they are damaged.
    """
    import pandas

    from workbench.analysis.film import film

    on_progress(0.0, "Reading the frames")
    frames = frames_of.read(run)
    filmed, vectors = frames.filmed, np.stack(frames.vectors)
    on_progress(0.1, "Projecting")
    planes = {plane: film(vectors, plane=plane) for plane in ("pca", "cone")}
    measured, cosines, spectra = [], [], []
    for number, (step, rows) in enumerate(zip(frames.steps, vectors, strict=True)):
        on_progress(0.2 + 0.8 * number / len(vectors), f"Measuring step {step:,}")
        row, of_pairs, values = _measured(rows, filmed)
        measured.append({"step": step, **row})
        cosines.append(of_pairs)
        spectra.append(values)
    table = pandas.DataFrame(measured)
    table, alignment_on = _with_probes(table, run, filmed)
    for plane, points in planes.items():
        table[f"in_{plane}"] = points.attrs["explained"]
    shape = (len(vectors), len(filmed["texts"]), 2)
    config = run.config
    return FilmTables(
        about={
            "run": run.id,
            "name": run.label,
            "recipe": config.recipe,
            "backbone": config.model.backbone,
            "on": filmed["on"],
            "pairs": len(filmed["gold"]),
            "of_pairs": filmed["of_pairs"],
            "alignment_on": alignment_on,
            "scale": [*filmed["scale"]],
        },
        frames=table,
        sentences=_sentences(filmed),
        pairs=pandas.DataFrame(
            {
                "row": range(len(filmed["gold"])),
                **{name: filmed[name] for name in ("first", "second", "gold")},
                "subset": filmed["subsets"],
            }
        ),
        pca=planes["pca"][["x", "y"]].to_numpy(np.float32).reshape(shape),
        cone=planes["cone"][["x", "y"]].to_numpy(np.float32).reshape(shape),
        cosines=np.stack(cosines).astype(np.float32),
        spectrum=np.stack(spectra).astype(np.float32),
        curves=_curves(run),
    )


def _measured(
    rows: NDArray[np.float32], filmed: "Filmed"
) -> tuple[dict[str, float | None], NDArray[np.float64], NDArray[np.float64]]:
    """The figures of a frame, the cosines of its pairs, and its singular values relative to the first."""
    from workbench.analysis.spectrum import spectrum
    from workbench.core.rows import row_cosines
    from workbench.scoring.pair_scores import geometry, threshold, undefined
    from workbench.statistics.correlation import spearman

    gold = np.asarray(filmed["gold"])
    first, second = rows[filmed["first"]], rows[filmed["second"]]
    cosines = row_cosines(first, second) if len(gold) else np.empty(0)
    low, high = filmed["scale"] or (0.0, 0.0)
    partners = gold > threshold((low, high))
    space = geometry(rows, first[partners], second[partners], "")
    values = spectrum(rows)
    found = {
        "spearman": None if undefined(cosines, gold) else float(spearman(cosines, gold)),
        "mean_cosine": space["mean_cosine"],
        "alignment": space["alignment"],
        "uniformity": space["uniformity"],
        "effective_rank": float(values.attrs["effective_rank"]),
    }
    return found, cosines, values["relative"].to_numpy()


def _with_probes(table: "DataFrame", run: Run, filmed: "Filmed") -> "tuple[DataFrame, str]":
    """With the loss at each step, and without pairs the alignment that the probes measured; and what alignment is on."""
    from workbench.scoring.pair_scores import threshold

    steps, probes = run.steps, run.probes
    loss = _by_step(steps, "loss")
    table.insert(1, "loss", [loss.get(step) for step in table["step"]])
    if filmed["gold"]:
        low, high = filmed["scale"]
        return table, f"{filmed['on']}, gold > {threshold((low, high)):g}"
    alignment = _by_step(probes, "alignment")
    table["alignment"] = [alignment.get(step) for step in table["step"]]
    on = probes["alignment_on"].dropna().tolist() if "alignment_on" in probes else []
    return table, str(on[-1]) if on else ""


def _by_step(table: "DataFrame", measure: str) -> dict[int, float]:
    """A measure of a run's steps or probes, where it is known."""
    if measure not in table or "step" not in table:
        return {}
    known = table[["step", measure]].dropna()
    return dict(zip(known["step"].astype(int), known[measure].astype(float), strict=True))


def _sentences(filmed: "Filmed") -> "DataFrame":
    """The sentences with the subset of their first pair."""
    import pandas

    subsets = [""] * len(filmed["texts"])
    for column in ("second", "first"):
        for row, subset in zip(reversed(filmed[column]), reversed(filmed["subsets"]), strict=True):
            subsets[row] = subset
    return pandas.DataFrame({"row": range(len(subsets)), "text": filmed["texts"], "subset": subsets})


def _curves(run: Run) -> "DataFrame":
    """See `FilmTables.curves`."""
    import pandas

    from workbench.plots.curves import decimate

    parts = []
    for measure, table in (("loss", run.steps), ("masked_loss", run.probes)):
        known = _by_step(table, measure)
        values = np.array(list(known.values()))
        kept = decimate(values, MOST_LOSSES)
        parts.append(
            pandas.DataFrame(
                {"measure": measure, "step": np.array(list(known), dtype=np.int64)[kept], "value": values[kept]}
            )
        )
    return pandas.concat(parts, ignore_index=True)
