"""The gradients that augmentations give the backbone, and their cosines: whether they pull it in different directions."""

import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

import numpy as np

from workbench.augmentations.draw import Lines
from workbench.core import presets
from workbench.core.config import RunConfig, Term, View
from workbench.core.errors import BadSetting
from workbench.core.method import calling
from workbench.core.progress import Progress, no_progress
from workbench.core.seeds import seeded
from workbench.inspecting.steps import MOST_ROWS, encoded_in, headed, rows_of, term_of, views_of
from workbench.losses import METHODS as LOSSES
from workbench.losses import needs
from workbench.objectives import encoded
from workbench.training.requests import key, requests

if TYPE_CHECKING:
    from pandas import DataFrame
    from torch import nn

    from workbench.data.texts import CorpusTexts
    from workbench.models.encoder import Encoder

PROBE_ROWS = 32
MOST_PIPELINES = 8
MOST_BYTES = 2_000_000_000
"""The most bytes of gradients that are held at once."""
ALONE, AGAIN = "", "again"
"""Names in the table of gradients: dropout alone, and dropout alone with other masks."""


class GradientsAbout(TypedDict):
    """What a comparison of gradients rests on."""

    rows: int
    step: int
    loss: str
    weights: int
    """Numbers in each gradient."""
    left_out: list[str]
    """Pipelines for which there was no time."""


@dataclass(frozen=True)
class GradientCosines:
    """The gradients, compared."""

    cosines: "DataFrame"
    """Columns first, second, cosine; the empty pipeline is dropout alone, `again` dropout alone with other masks."""
    norms: "DataFrame"
    """Columns pipeline, norm, loss."""
    about: GradientsAbout


def gradients(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    config: RunConfig,
    pipelines: Sequence[str],
    *,
    step: int,
    rows: int = PROBE_ROWS,
    seconds: float = 120.0,
    on_progress: Progress = no_progress,
    lock: AbstractContextManager[object] | None = None,
    lines: Lines | None = None,
) -> GradientCosines:
    """The gradient of the backbone with each augmentation as the second view of the same probe batch.

    * `cosines`: columns first, second, cosine, of each two gradients, over all weights except the embedding tables, whose
      gradients depend on which words a text has. Dropout alone has the empty name, and `again` is dropout alone with other
      masks: their cosine is the most that two gradients of one augmentation have in common here.
    * `norms`: columns pipeline, norm, loss.

    The loss is that of the first term if it takes two views and nothing else, else the default one. After `seconds` no
    further gradient is computed.

    Raises:
        BadSetting: the gradients do not fit into memory together.
    """
    import pandas
    import torch

    epoch, chosen = rows_of(config, texts, step, lines=lines, on_progress=on_progress)
    chosen = chosen[: min(rows, MOST_ROWS)]
    _, term = term_of(config, step)
    first = term.views["a" if "a" in term.views else encoded(term)[0]]
    loss, settings = presets.LOSS, LOSSES[presets.LOSS].check({})
    if term.loss and set(needs(LOSSES[term.loss], term.settings)) == {"a", "b"}:
        loss, settings = term.loss, dict(term.settings)
    parameters = {
        name: parameter for name, parameter in encoder.backbone.named_parameters() if "embeddings" not in name
    }
    weights = sum(parameter.numel() for parameter in parameters.values())
    names = list(dict.fromkeys([ALONE, AGAIN, *pipelines]))
    if 4 * weights * len(names) > MOST_BYTES:
        most = max(1, MOST_BYTES // (4 * weights) - 2)
        raise BadSetting(
            f"The gradients of {len(pipelines)} augmentations do not fit into memory together.",
            rule=f"{weights:,} weights each; 2 GB in all.",
            way_out=f"Compare {most} at most, or use a smaller backbone.",
        )
    units: dict[str, np.ndarray] = {}
    norms, left_out, start = [], [], time.monotonic()
    before = [parameter.requires_grad for parameter in encoder.backbone.parameters()]
    for index, name in enumerate(names):
        if time.monotonic() - start > seconds:
            left_out.append(name)
            continue
        on_progress(index / len(names), f"Gradient of {name or 'dropout alone'}")
        probe = Term({"a": replace(first, copy=0), "b": _other(first, name)}, loss=loss, settings=settings)
        with lock or nullcontext(), encoder.evaluating(), torch.enable_grad():
            encoder.backbone.requires_grad_(True)
            try:
                value, gradient = _gradient(
                    encoder, head, texts, chosen, replace(config, terms=(probe,)), epoch, parameters, name == AGAIN
                )
            finally:
                encoder.backbone.zero_grad(set_to_none=True)
                for parameter, trained in zip(encoder.backbone.parameters(), before, strict=True):
                    parameter.requires_grad_(trained)
        norm = float(np.linalg.norm(gradient))
        norms.append((name, norm, value))
        units[name] = gradient / max(norm, 1e-12)
    cosines = [(a, b, float(u @ v)) for a, u in units.items() for b, v in units.items()]
    return GradientCosines(
        cosines=pandas.DataFrame(cosines, columns=["first", "second", "cosine"]),
        norms=pandas.DataFrame(norms, columns=["pipeline", "norm", "loss"]),
        about={"rows": len(chosen), "step": step, "loss": loss, "weights": weights, "left_out": left_out},
    )


def _other(first: View, name: str) -> View:
    """The second view: another draw of the same text, augmented unless dropout alone is meant."""
    line = "" if name in (ALONE, AGAIN) else name
    return replace(first, draw=first.draw + 1, copy=1, augmentation=line)


def _gradient(
    encoder: "Encoder",
    head: "nn.Module | None",
    texts: "CorpusTexts",
    rows: np.ndarray,
    config: RunConfig,
    epoch: int,
    parameters: "Mapping[str, nn.Parameter]",
    again: bool,
) -> tuple[float, np.ndarray]:
    """The loss, and the gradient of the parameters as one fp32 vector."""
    import torch

    (term,) = config.terms
    views = views_of(encoder, texts, rows, config)
    encoder.backbone.zero_grad(set_to_none=True)
    with seeded(config.training.seed, "probe gradient", int(again), device=str(encoder.device)):
        vectors = headed(head, encoded_in(views, config, len(rows), epoch, requests([term])))
        with calling("loss", LOSSES[term.loss]):
            value = LOSSES[term.loss].fn(
                a=vectors[key(term.views["a"])], b=vectors[key(term.views["b"])], **term.settings
            )
        value.backward()
        views.backward()
    if head is not None:
        head.zero_grad(set_to_none=True)
    pieces = [
        (torch.zeros_like(parameter) if parameter.grad is None else parameter.grad).detach().float().flatten().cpu()
        for parameter in parameters.values()
    ]
    return float(value.detach()), torch.cat(pieces).numpy()
