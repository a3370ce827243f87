"""Matryoshka: the first dimensions of a vector must already be a good vector on their own."""

from fractions import Fraction
from typing import TYPE_CHECKING, Annotated

from workbench.core import presets
from workbench.core.errors import BadSetting
from workbench.core.method import Knob, Method, Setting, Settings
from workbench.losses._rows import check_views
from workbench.losses._verified import Verified
from workbench.losses._wrapped import read_loss

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor

ENCODED = ("negatives", "masked", "masked_more")
"""Further inputs of the wrapped loss that are truncated like `a` and `b`; scores and a guide's vectors stay whole."""


def matryoshka(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim'] | None" = None,
    *,
    inner: Annotated[
        str, Knob(help="The loss at each size, with its settings where they are not the defaults: id(name=value, ...).")
    ] = presets.LOSS,
    dims: Annotated[
        str, Knob(help="Sizes, each the first dimensions of a vector: full, a fraction such as 1/4, or a whole number.")
    ] = "full,1/2,1/4",
    weights: Annotated[str, Knob(help="How much each size counts, in their order; empty is 1 for each.")] = "",
    **inputs: "Tensor",
) -> "Float[Tensor, '']":
    """Weighted sum, over the sizes, of another loss computed on only the first dimensions of all vectors.

    Fractions fit any backbone and are rounded down. `inputs` are those of the inner loss. Truncated vectors are not
    normalised here: each loss on cosines does that itself. It is a sum: three sizes have about three times the gradient of one.

    Prefer it over its inner loss alone when vectors will be truncated after training, for a smaller or faster index; if they
    are always used whole, it only adds terms.

    Raises:
        BadSetting: an inner loss, sizes or weights that cannot be read, or a size larger than the vectors.
        BadData: the inner loss refuses its inputs.

    >>> import torch
    >>> pair = torch.eye(4)
    >>> loss = matryoshka(pair, pair, inner="infonce_nn(temperature=1)", dims="full,2")
    >>> round(loss.item(), 3)  # log(e + 3) - 1, and in 2 dimensions the same for two rows, log 4 for the two zero ones
    1.809
    """
    import torch

    method, settings = _inner(inner)
    sizes, shares = _sizes(dims), _weights(weights, dims)
    if b is not None:
        check_views("matryoshka", a, b)
        inputs["b"] = b
    total = torch.zeros((), device=a.device)
    for size, share in zip(sizes, shares, strict=True):
        kept = _resolve(size, a.shape[1])
        cut = {name: x[:, :kept] if name in ("b", *ENCODED) else x for name, x in inputs.items()}
        total = total + share * method.fn(a[:, :kept], **cut, **settings)
    return total


def _inner(line: str) -> tuple[Method, Settings]:
    """The loss that `id(name=value, ...)` names, and all its settings."""
    if line.partition("(")[0].strip() == METHOD.id:
        raise BadSetting(
            "inner cannot be matryoshka itself.", rule="It is another loss, like infonce_nn(temperature=0.1)."
        )
    return read_loss(line)


def _sizes(dims: str) -> list[Fraction | int]:
    """The sizes in the given order: fractions of the whole vector, or numbers of dimensions."""
    found: list[Fraction | int] = []
    for part in dims.split(","):
        word = part.strip()
        try:
            size = Fraction(1) if word == "full" else Fraction(word) if "/" in word else int(word)
        except (ValueError, ZeroDivisionError):
            size = 0
        if size <= 0 or (isinstance(size, Fraction) and size > 1):
            raise BadSetting(
                f"dims cannot be {dims!r}.",
                rule="Sizes are full, a fraction up to 1 such as 1/4, or a whole number, with commas between.",
                got=repr(word),
            )
        found.append(size)
    return found


def _weights(weights: str, dims: str) -> list[float]:
    """One weight per size."""
    count = len(dims.split(","))
    if not weights.strip():
        return [1.0] * count
    one = Setting("weights", float, 1.0, Knob(0.0, 1000.0, help="Numbers with commas between, one a size."))
    found = [float(one.parse(word)) for word in weights.split(",")]
    if len(found) != count or not any(found):
        raise BadSetting(f"weights cannot be {weights!r}.", rule=f"One for each size, not all 0: {count} for {dims!r}.")
    return found


def _resolve(size: Fraction | int, whole: int) -> int:
    """The number of dimensions that `size` means for vectors of `whole` dimensions."""
    if isinstance(size, Fraction):
        return max(1, int(size * whole))
    if size > whole:
        raise BadSetting(
            f"dims asks for {size} dimensions.",
            rule="A size is at most that of the vectors.",
            got=f"vectors of {whole}",
            way_out="Write full or a fraction: they fit any backbone.",
        )
    return size


def verify(*, inner: str, dims: str, weights: str) -> None:
    """Refuse settings that cannot be read or combined.

    Raises:
        BadSetting: bad sizes, weights or settings of the inner loss.
        UnknownName: no such loss or setting.
    """
    _inner(inner)
    _sizes(dims)
    _weights(weights, dims)


METHOD = Verified(
    matryoshka,
    title="Matryoshka, nested sizes of another loss",
    source="Kusupati et al. 2022, Matryoshka Representation Learning, arXiv:2205.13147",
    formula=r"\mathcal{L} = \sum_{m \in M} w_m\, \mathcal{L}_{\mathrm{inner}}\left(a_{1:m}, b_{1:m}\right)",
    tags={
        "direction": "lower is better",
        "negatives": "those of the inner loss",
        "wraps": "inner",
        "wrapping": "sums it over sizes; shown is that of whole vectors",
    },
    verify=verify,
)
