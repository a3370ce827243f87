"""Which tokens a cosine comes from."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import numpy as np

from workbench.core import presets, unicode
from workbench.core.errors import BadData, BadSetting
from workbench.core.progress import Progress
from workbench.targets.target import Target
from workbench.verbs._fields import Encoded, unparsed
from workbench.verbs._verb import Verb

if TYPE_CHECKING:
    from pandas import DataFrame

    from workbench.compute.model_cache import ModelCache

SPECIAL, EQUAL, DIFFERENT = "special", "equal", "different"
"""The kinds of pairs of tokens."""


@dataclass(frozen=True)
class ExplainCosine:
    """Share out the cosine of two texts among their pairs of tokens, exactly, under a pooling that is a mean over tokens.

    With vectors a = mean a_i and b = mean b_j, tokens i and j contribute a_i . b_j / (n m |a| |b|), and all of them together are
    the cosine. A token's vector holds its context as well, so this is where the cosine comes from, not why.

    Prefer `score` for the cosines of all pairs of a set.
    """

    first: Annotated[str, "The first text."]
    second: Annotated[str, "The second text."]
    target: Annotated[Target, Encoded(encoder="it has no tokens with vectors")] = unparsed(presets.TARGET)


@dataclass(frozen=True)
class CosineParts:
    """The cosine of two texts, and what each pair of tokens adds to it."""

    cosine: float
    """That of the texts: the sum of all contributions."""
    pooling: str
    parts: "DataFrame"
    """Columns first and second (places of the tokens, from 0), first_token, second_token, contribution, kind; one row per pair.
    kind is special (one or both are, such as [CLS] and [SEP]), equal (the same token) or different."""


def check(request: ExplainCosine) -> None:
    """There must be two texts, and nothing between the mean and the cosine."""
    for name in ("first", "second"):
        unicode.check("A text", getattr(request, name))
        if not getattr(request, name).strip():
            raise BadData(f"The {name} text is empty.", way_out="Write a sentence.")
    if request.target.transform:
        raise BadSetting(
            f"The cosine of {request.target.text} cannot be shared out among tokens.",
            rule="Only a mean over tokens is the sum of what each token adds; a transform comes after it.",
            way_out="Leave the transform out.",
        )


def run(request: ExplainCosine, models: "ModelCache", on_progress: Progress) -> CosineParts:
    """The contributions, in fp32 states and float64 sums; tokens beyond the encoder's length are left out."""
    import pandas

    from workbench.models.token_vectors import token_vectors

    on_progress(0.0, f"Loading {request.target.label}")
    fitted = models.fit(request.target, on_progress, asked=[request.first, request.second])
    with models.lock:
        encoder = fitted.encoder()
        first, second = (token_vectors(encoder, text) for text in (request.first, request.second))
    lengths = [float(np.linalg.norm(side.vectors.mean(axis=0))) for side in (first, second)]
    shares = first.vectors @ second.vectors.T / len(first.tokens) / len(second.tokens) / np.prod(lengths)
    special = np.logical_or.outer(first.special, second.special).ravel()
    rows, columns = np.indices(shares.shape).reshape(2, -1)
    names = [np.array(side.tokens, dtype=object)[places] for side, places in ((first, rows), (second, columns))]
    parts = pandas.DataFrame(
        {
            "first": rows,
            "second": columns,
            "first_token": names[0],
            "second_token": names[1],
            "contribution": shares.ravel(),
            "kind": np.where(special, SPECIAL, np.where(names[0] == names[1], EQUAL, DIFFERENT)),
        }
    )
    parts.attrs = {**models.about(request.target, fitted.on)}
    return CosineParts(float(shares.sum()), encoder.pooling, parts)


VERB = Verb(ExplainCosine, run, check=check, doing="Sharing out the cosine", command=True)
