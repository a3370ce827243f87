"""AugCSE's casual to formal: style transfer by a sequence model, kept only where an NLI model agrees."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, NamedTuple

from workbench.augmentations.models._judge import Judge
from workbench.augmentations.models._weights import MODEL_HELP, absent
from workbench.augmentations.models._writer import Beams, Writer, begun_like, sources
from workbench.augmentations.text._draws import normalised
from workbench.core.method import Knob, Method

_MODEL, _JUDGE = "prithivida/informal_to_formal_styletransfer", "prithivida/parrot_adequacy_on_BART"


class Formaliser(NamedTuple):
    """The model that writes and the one that judges."""

    writer: Writer
    judge: Judge


def prepare(
    corpus: Sequence[str],
    *,
    model: Annotated[str, Knob(help=MODEL_HELP)] = _MODEL,
    judge: Annotated[
        str, Knob(help=f"The natural language inference model that judges adequacy. {MODEL_HELP}")
    ] = _JUDGE,
    prefix: Annotated[
        str, Knob(help="The instruction that this model was trained to see before a text.")
    ] = "transfer Casual to Formal: ",
    device: str = "cpu",
) -> Formaliser:
    """Both loaded models; the corpus is not used.

    Raises:
        MissingResource: a model is not on this machine and cannot be fetched, or a package is missing.
        BadModel: no such model, or one of another kind.
    """
    return Formaliser(Writer(model, prefix=prefix, device=device), Judge(judge, device=device))


def missing() -> str:
    """See `Method.missing`."""
    return absent({"model": _MODEL, "judge": _JUDGE})


def augcse_casual2formal(
    resource: Formaliser,
    texts: Sequence[str],
    *,
    beams: Beams = 5,
    adequacy: Annotated[
        float, Knob(0.0, 1.0, 0.01, "Candidates below this probability of entailment are dropped.")
    ] = 0.95,
    rngs: Sequence[Random],
) -> list[str]:
    """The formal version of each text with the highest probability of entailment, among the best `beams`.

    A text without an adequate version is returned unchanged (the published code returns it with the model's instruction before
    it). Nothing is random, so all draws of a text are the same. Empty texts, those longer than the model's limit and those
    without a Latin letter are returned unchanged.

    Prefer it over the paraphrases for casual texts whose meaning must stay: only versions that an inference model accepts are
    used. It runs two models.
    """
    given = sources(texts)
    written = resource.writer.write(given, beams=beams, candidates=beams)
    scores = iter(
        resource.judge.adequacy([(text, way) for text, ways in zip(given, written, strict=True) for way in ways])
    )
    result = []
    for text, ways in zip(texts, written, strict=True):
        score, _, way = max(((next(scores), -place, way) for place, way in enumerate(ways)), default=(0.0, 0, ""))
        result.append(begun_like(text, way) if way and score >= adequacy else normalised(text))
    return result


METHOD = Method(
    augcse_casual2formal,
    title="Casual to formal",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749; Styleformer; weights prithivida/informal_to_formal_styletransfer",
    prepare=prepare,
    missing=missing,
    tags={
        "class": "preserving",
        "role": "positive",
        "language": "english",
        "alias": "Casual2Formal",
        "table": "augcse",
        "pools": "augcse_12",
    },
)
