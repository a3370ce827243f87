"""What a user can say: the verbs that pages, command line and Python share. Importable without torch.

Nothing is computed here: runs go to the queue, questions to the warm compute process of the runs folder.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.core.config import RunConfig
from workbench.jobs.tickets import Answer, Ticket
from workbench.store.run import Run

if TYPE_CHECKING:
    import numpy
    from pandas import DataFrame

__all__ = [
    "Answer", "Run", "Ticket", "augment", "compare", "delete", "doctor", "encode", "evaluate", "export_run", "import_run",
    "list_methods", "project", "reindex", "resume", "run", "runs", "settle", "stop", "submit", "train",
]  # fmt: skip

Folder = str | Path | None


def encode(
    texts: Sequence[str], *, backbone: str = "minilm-l3", precision: str = "fp32", runs: Folder = None
) -> "numpy.ndarray":
    """One float32 vector a text, shape (n, d), unnormalised as the model gives them.

    `backbone` is any target: an embedded id, a Hub id, a model folder, a run id or folder (its best checkpoint),
    with `@step0|best|last` and `+transform` behind it if wanted. Waits for the answer.
    """
    raise NotImplementedError


def augment(name: str, text: str, *, seed: int = 0, draws: int = 1, **settings: Any) -> "DataFrame":
    """Columns draw, text, changed: `draws` seeded variants of one text."""
    raise NotImplementedError


def settle(
    recipe: str = "simcse_unsup",
    *,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    **changes: Any,
) -> RunConfig:
    """The configuration that `train` with the same arguments would run; `origins` says where each value came from."""
    raise NotImplementedError


def train(
    recipe: str = "simcse_unsup",
    *,
    backbone: str = "minilm-l3",
    corpus: str = "demo",
    official: bool = False,
    name: str = "",
    runs: Folder = None,
    detach: bool = False,
    follow: Callable[[Run], None] | None = None,
    **changes: Any,
) -> Run:
    """Queue a run and wait for its end; with `detach` return at once.

    `follow` is called with the run about twice a second. An interrupt (Ctrl-C) asks the run to stop, waits for its
    checkpoint and returns the run, whose state is then `stopped`. `changes` are knobs: `steps=100`, `temperature=0.1`,
    `**{"probe.every": 5}`.

    Raises:
        WorkbenchError: the configuration is wrong, or the run failed; the message is the run's own.
    """
    raise NotImplementedError


def evaluate(target: str, *, suite: str = "sts", data: Folder = None, runs: Folder = None) -> "DataFrame":
    """Spearman (-1..1) of each STS task present in `data`: columns task, all, mean, wmean, n. `avg` only if all seven are there.

    The names of absent tasks are in `.attrs["absent"]`, precision and max_length in `.attrs` too.
    """
    raise NotImplementedError


def compare(targets: Sequence[str], *, pairs: str = "demo:dev", runs: Folder = None) -> "DataFrame":
    """One row a target on one pair set: spearman with its 95 % interval, alignment, uniformity, mean_cosine and more.

    Columns: target, pairs, n, spearman, low, high, alignment, alignment_on, uniformity, mean_cosine, precision, max_length.
    """
    raise NotImplementedError


def project(
    texts: Sequence[str],
    *,
    backbone: str = "minilm-l3",
    method: Literal["pca", "umap", "cone"] = "pca",
    views: int = 0,
    dropout: float = 0.1,
    seed: int = 0,
    runs: Folder = None,
) -> "DataFrame":
    """Columns row, view, x, y, text: the texts in the plane, or `views` dropout views of each."""
    raise NotImplementedError


def runs(folder: Folder = None) -> list[Run]:
    """The runs of a folder, newest first. Damaged ones are listed too, with what is wrong in `Run.problem`."""
    raise NotImplementedError


def run(name: str | Path, *, runs: Folder = None) -> Run:
    """One run by id, unique beginning of an id, label, or folder."""
    raise NotImplementedError


def stop(name: "str | Path | Run", *, runs: Folder = None) -> Run:
    """Ask a run to stop and keep its checkpoint. Answers at once; a queued run is stopped at once."""
    raise NotImplementedError


def resume(name: "str | Path | Run", *, runs: Folder = None) -> Run:
    """Queue a stopped, failed or lost run again; it continues from its last complete checkpoint."""
    raise NotImplementedError


def delete(name: "str | Path | Run", confirm_name: str, *, runs: Folder = None) -> None:
    """Remove a run folder for good. `confirm_name` is its full id; a live run is refused."""
    raise NotImplementedError


def export_run(name: "str | Path | Run", file: str | Path, *, runs: Folder = None, weights: bool = True) -> Path:
    """Write a run as one zip with a hash of every file in it."""
    raise NotImplementedError


def import_run(file: str | Path, *, runs: Folder = None) -> Run:
    """Read a run that `export_run` wrote; checked for size, paths and hashes before anything is placed."""
    raise NotImplementedError


def reindex(folder: Folder = None) -> int:
    """Build the queue's index anew from the run folders; how many runs it has now."""
    raise NotImplementedError


def list_methods(kind: str) -> "DataFrame":
    """Columns id, title, summary of one kind: losses, augmentations, objectives, recipes, poolings, heads, transforms, metrics, suites, analyses, backbones."""
    raise NotImplementedError


def doctor(folder: Folder = None) -> "DataFrame":
    """Columns check, state (ok, note, problem), finding, way_out: what this machine and runs folder can do."""
    raise NotImplementedError


def submit(verb: str, *, session: str = "", slot: str = "", runs: Folder = None, **arguments: Any) -> Ticket:
    """Ask the compute process and return at once: what pages use. A newer request of the same session and slot replaces an older one.

    Verbs and arguments (results in `Answer.result`):

    * `encode`: texts, target, precision -> array (n, d)
    * `dropout_views`: texts, target, views, dropout, seed -> array (n, views, d)
    * `project`: texts, target, method, views, dropout, seed -> DataFrame row, view, x, y, text; `.attrs` has origin and mean for the cone
    * `evaluate`: target, pairs -> dict scores (one row of `compare`) and DataFrame cosines (task, subset, row, gold, cosine, sentence1, sentence2)
    * `sts`: target, data -> DataFrame as `evaluate`, with `.attrs`
    * `geometry`: texts, target -> dict uniformity, mean_cosine, isoscore, effective_rank, ... and `spectrum`
    * `neighbours`: texts, target, count -> DataFrame
    * `tokens`: texts, target -> DataFrame text, position, token, kept
    * `corpus_report`: corpus, backbone, max_length, batch_size, pairs -> dict
    * `precision`: target -> dict, the one-second timing of this machine
    """
    raise NotImplementedError
