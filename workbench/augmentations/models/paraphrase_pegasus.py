"""Paraphrase with PEGASUS, fine-tuned on paraphrases."""

from collections.abc import Sequence
from random import Random
from typing import Annotated

from workbench.augmentations.models._weights import MODEL_HELP, absent
from workbench.augmentations.models._writer import Beams, Choices, Writer, drawn, sources
from workbench.core.method import Knob, Method

_MODEL = "tuner007/pegasus_paraphrase"


def prepare(
    corpus: Sequence[str], *, model: Annotated[str, Knob(help=MODEL_HELP)] = _MODEL, device: str = "cpu"
) -> Writer:
    """The loaded model; the corpus is not used.

    Raises:
        MissingResource: the model is not on this machine and cannot be fetched, or a package is missing.
        BadModel: no such model, or one that cannot write texts.
    """
    return Writer(model, device=device)


def missing() -> str:
    """See `Method.missing`."""
    return absent({"model": _MODEL}, ["sentencepiece"])


def paraphrase_pegasus(
    resource: Writer, texts: Sequence[str], *, beams: Beams = 10, choices: Choices = 1, rngs: Sequence[Random]
) -> list[str]:
    """The best paraphrase of each text, or one drawn from the best `choices`.

    With one choice nothing is random, so all draws of a text are the same. The model reads 60 tokens; longer texts, empty ones
    and those without a Latin letter are returned unchanged.

    Prefer it over `back_translation` for rewording with one model instead of two, over `paraphrase_t5` to reproduce the published
    paraphrase positives, and over the rules of `augmentations.text` where the time of a beam search per text is acceptable.
    """
    return drawn(resource.write(sources(texts), beams=beams, candidates=choices), texts, rngs)


METHOD = Method(
    paraphrase_pegasus,
    title="Paraphrase (PEGASUS)",
    source="Zhang et al. 2020, arXiv:1912.08777; weights tuner007/pegasus_paraphrase",
    prepare=prepare,
    missing=missing,
    tags={"class": "preserving", "role": "positive", "language": "english"},
)
