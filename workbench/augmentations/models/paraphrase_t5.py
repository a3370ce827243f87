"""Paraphrase with T5, fine-tuned on PAWS."""

from collections.abc import Sequence
from random import Random
from typing import Annotated

from workbench.augmentations.models._weights import MODEL_HELP, absent
from workbench.augmentations.models._writer import Beams, Choices, Writer, drawn, sources
from workbench.core.method import Knob, Method

_MODEL = "Vamsi/T5_Paraphrase_Paws"


def prepare(
    corpus: Sequence[str],
    *,
    model: Annotated[str, Knob(help=MODEL_HELP)] = _MODEL,
    prefix: Annotated[
        str, Knob(help="The instruction that this model was trained to see before a text.")
    ] = "paraphrase: ",
    device: str = "cpu",
) -> Writer:
    """The loaded model; the corpus is not used.

    Raises:
        MissingResource: the model is not on this machine and cannot be fetched, or a package is missing.
        BadModel: no such model, or one that cannot write texts.
    """
    return Writer(model, prefix=prefix, device=device)


def missing() -> str:
    """See `Method.missing`."""
    return absent({"model": _MODEL})


def paraphrase_t5(
    resource: Writer, texts: Sequence[str], *, beams: Beams = 10, choices: Choices = 1, rngs: Sequence[Random]
) -> list[str]:
    """The best paraphrase of each text, or one drawn from the best `choices`.

    With one choice nothing is random, so all draws of a text are the same. Texts longer than the model's 512 tokens, empty
    ones and those without a Latin letter are returned unchanged.

    Prefer it over `paraphrase_pegasus` for texts of more than 60 tokens, and for a smaller model (0.9 GB instead of 2.3).
    """
    return drawn(resource.write(sources(texts), beams=beams, candidates=choices), texts, rngs)


METHOD = Method(
    paraphrase_t5,
    title="Paraphrase (T5)",
    source="Raffel et al. 2020, arXiv:1910.10683; PAWS, arXiv:1904.01130; weights Vamsi/T5_Paraphrase_Paws",
    prepare=prepare,
    missing=missing,
    tags={"class": "preserving", "role": "positive", "language": "english"},
)
