"""GISTEmbed: a second model decides which texts of the batch should not count as negatives."""

from typing import TYPE_CHECKING, Annotated, Literal

from workbench.core.device import to_check
from workbench.core.errors import BadData
from workbench.core.method import Knob, Method
from workbench.losses._cross_entropy import Logits, cross_entropy
from workbench.losses._rows import check_pair, check_views, full_precision, unit_rows

if TYPE_CHECKING:
    from jaxtyping import Float
    from torch import Tensor


def gist(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    guide_a: "Float[Tensor, 'batch guide_dim']",
    guide_b: "Float[Tensor, 'batch guide_dim']",
    *,
    negatives: "Float[Tensor, 'batch dim'] | None" = None,
    guide_negatives: "Float[Tensor, 'batch guide_dim'] | None" = None,
    temperature: Annotated[float, Knob(0.01, 1.0, 0.01, "Lower is stricter on hard negatives.")] = 0.01,
    margin: Annotated[
        float,
        Knob(0.0, 1.0, 0.01, "Also drop candidates whose guide similarity is less than this far below the partner's."),
    ] = 0.0,
    margin_kind: Annotated[
        Literal["absolute", "relative"], Knob(help="Whether the margin is a cosine, or a share of the partner's.")
    ] = "absolute",
    contrast_a: Annotated[bool, Knob(help="The other texts of the first view are candidates too.")] = True,
    contrast_b: Annotated[bool, Knob(help="Partners also repel the other partners.")] = True,
) -> "Float[Tensor, '']":
    """Mean cross-entropy, in nats, of picking row i of `b` for row i of `a`, without candidates that the guide finds closer.

    The guide's vectors of the same texts may have any dimension and get no gradient. The guide's similarity of a text to its
    partner is the limit of the row: candidates above it are dropped, whether they are other partners, other texts of `a`,
    partners compared with the row's own partner, or hard negatives. A text's own partner always stays, and a text is never
    its own negative. A row that loses all candidates but its partner contributes 0.

    Prefer it over `infonce_nn` when a batch may hold false negatives and a better encoder is available as guide, which costs
    an additional encoding of each batch; without such an encoder prefer `infonce_nn`.

    Raises:
        BadData: fewer than two rows, shapes that differ, hard negatives without their guide vectors or the reverse, or a
            batch in which the guide leaves no negative at all.

    >>> import torch
    >>> texts = torch.eye(3)
    >>> alone = {"contrast_a": False, "contrast_b": False, "temperature": 1.0}
    >>> round(gist(texts, texts, texts, texts, **alone).item(), 4)  # log(e + 2) - 1
    0.5514
    >>> twins = torch.tensor([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> slack = gist(texts, texts, twins, twins, margin=0.5, **alone)  # the guide takes the first two for the same
    >>> round(slack.item(), 4)  # (2 (log(e + 1) - 1) + log(e + 2) - 1) / 3
    0.3927
    """
    return cross_entropy(
        logits(
            a,
            b,
            guide_a,
            guide_b,
            negatives=negatives,
            guide_negatives=guide_negatives,
            temperature=temperature,
            margin=margin,
            margin_kind=margin_kind,
            contrast_a=contrast_a,
            contrast_b=contrast_b,
        )
    )


def logits(
    a: "Float[Tensor, 'batch dim']",
    b: "Float[Tensor, 'batch dim']",
    guide_a: "Float[Tensor, 'batch guide_dim']",
    guide_b: "Float[Tensor, 'batch guide_dim']",
    *,
    negatives: "Float[Tensor, 'batch dim'] | None" = None,
    guide_negatives: "Float[Tensor, 'batch guide_dim'] | None" = None,
    temperature: float,
    margin: float,
    margin_kind: str,
    contrast_a: bool,
    contrast_b: bool,
) -> list[Logits]:
    """Cosines of partners and all other compared pairs, divided by the temperature; -inf where the guide drops a candidate."""
    import torch

    check_pair(a, b, "gist")
    check_pair(guide_a, guide_b, "gist")
    if len(guide_a) != len(a) or (negatives is None) != (guide_negatives is None):
        raise BadData("gist needs the guide's vector for each text, hard negatives included.")
    if negatives is not None and guide_negatives is not None:
        check_views("gist", a, negatives)
        check_views("gist", guide_a, guide_negatives)
    with full_precision(a), torch.no_grad():
        guides = {"a": unit_rows(guide_a), "b": unit_rows(guide_b)}
        if guide_negatives is not None:
            guides["negatives"] = unit_rows(guide_negatives)
        # The same product as for candidates: rounded otherwise, a copy of the partner might be above its own limit.
        limit = (guides["a"] @ guides["b"].T).diagonal()
        limit = limit - margin * (limit.abs() if margin_kind == "relative" else 1)
    with full_precision(a):
        rows = {"a": unit_rows(a), "b": unit_rows(b)}
        if negatives is not None:
            rows["negatives"] = unit_rows(negatives)
        own = torch.eye(len(a), dtype=torch.bool, device=a.device)
        pairs = [("a", "b")] + [("a", "a")] * contrast_a + [("b", "b")] * contrast_b
        pairs += [("a", "negatives")] * (negatives is not None)
        blocks = [_block(rows, guides, left, right, limit, own) for left, right in pairs]
        values = torch.cat(blocks, dim=1) / temperature
        some = (values.isfinite().sum(dim=1) > 1).any()
        if to_check(values) and not bool(some):
            raise BadData(
                "gist got a batch without negatives.",
                rule="At least one candidate must be less similar, for the guide, than a text's own partner.",
                way_out="Raise the batch size, lower the margin, or choose another guide.",
            )
        values = torch.where(some, values, torch.nan)  # which ends a training that does not wait for a check
        against, candidates = zip(*pairs, strict=True)
        return [Logits(values, rows=("a",), candidates=candidates, against=against)]


def _block(
    rows: "dict[str, Tensor]", guides: "dict[str, Tensor]", left: str, right: str, limit: "Tensor", same_row: "Tensor"
) -> "Tensor":
    """Cosines of all rows of one view with all rows of another, (batch, batch); -inf where the guide drops the candidate."""
    import torch

    dropped = guides[left] @ guides[right].T > limit[:, None]
    if (left, right) == ("a", "b"):
        dropped = dropped & ~same_row
    elif left == right:
        # If the guide's vectors of a text and its partner are equal, rounding would decide whether a text repels itself.
        dropped = dropped | same_row
    return (rows[left] @ rows[right].T).masked_fill(dropped, -torch.inf)


METHOD = Method(
    gist,
    logits=logits,
    title="GISTEmbed, guided negatives",
    source="Solatorio 2024, GISTEmbed, arXiv:2402.16829",
    inputs=("guide_a", "guide_b"),
    formula=r"\mathcal{L} = -\frac{1}{N} \sum_{i=1}^{N} \log \frac{e^{\cos(a_i, b_i)/\tau}}"
    r"{e^{\cos(a_i, b_i)/\tau} + \sum_{c \in K_i} e^{\cos(\cdot, c)/\tau}}, \quad "
    r"K_i = \{ c : \cos_{\mathrm{guide}}(\cdot, c) \le \cos_{\mathrm{guide}}(a_i, b_i) \}",
    tags={
        "direction": "lower is better",
        "negatives": "3N - 3 at most, N more with hard negatives",
        "blank": "the guide finds it closer than the partner",
    },
)
