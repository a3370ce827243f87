"""Back-translation: to French and back, or through whichever two models are given."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, NamedTuple

from workbench.augmentations.models._weights import MODEL_HELP, absent
from workbench.augmentations.models._writer import Beams, Choices, Writer, drawn
from workbench.augmentations.text._draws import normalised
from workbench.core.method import Knob, Method

_THERE, _BACK = "Helsinki-NLP/opus-mt-en-fr", "Helsinki-NLP/opus-mt-fr-en"


class Translators(NamedTuple):
    """Out of the language of the texts, and back into it."""

    there: Writer
    back: Writer


def prepare(
    corpus: Sequence[str],
    *,
    there: Annotated[str, Knob(help=f"The model that translates first. {MODEL_HELP}")] = _THERE,
    back: Annotated[str, Knob(help=f"The model that translates back. {MODEL_HELP}")] = _BACK,
    device: str = "cpu",
) -> Translators:
    """Both loaded models; the corpus is not looked at."""
    return Translators(Writer(there, setting="there", device=device), Writer(back, setting="back", device=device))


def missing() -> str:
    """See `Method.missing`."""
    return absent({"there": _THERE, "back": _BACK}, ["sentencepiece"])


def back_translation(
    resource: Translators, texts: Sequence[str], *, beams: Beams = 4, choices: Choices = 1, rngs: Sequence[Random]
) -> list[str]:
    """Each text in the other language and back again: the best way back, or one drawn from the best `choices`.

    Nothing is left to chance at one choice, so all draws of a text are alike. Any language works that the two models
    translate; the defaults read English. Empty texts and those past a model's limit stay as they are.
    """
    there = [found[0] if found else "" for found in resource.there.write([*map(normalised, texts)], beams=beams)]
    return drawn(resource.back.write(there, beams=beams, candidates=choices), texts, rngs)


METHOD = Method(
    back_translation,
    title="Back-translation",
    source="Sennrich et al. 2016, arXiv:1511.06709; weights Helsinki-NLP/opus-mt-en-fr and opus-mt-fr-en",
    prepare=prepare,
    missing=missing,
    tags={"class": "preserving", "role": "positive", "language": "any"},
)
