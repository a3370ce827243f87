"""Back-translation: to French and back, or through any two models."""

from collections.abc import Sequence
from random import Random
from typing import Annotated, NamedTuple

from workbench.augmentations.models._weights import MODEL_HELP, absent
from workbench.augmentations.models._writer import Beams, Choices, Writer, drawn
from workbench.augmentations.text._draws import normalised
from workbench.core.method import Knob, Method

_THERE, _BACK = "Helsinki-NLP/opus-mt-en-fr", "Helsinki-NLP/opus-mt-fr-en"


class Translators(NamedTuple):
    """The model that translates the texts, and the one that translates back."""

    there: Writer
    back: Writer


def prepare(
    corpus: Sequence[str],
    *,
    there: Annotated[str, Knob(help=f"The model that translates first. {MODEL_HELP}")] = _THERE,
    back: Annotated[str, Knob(help=f"The model that translates back. {MODEL_HELP}")] = _BACK,
    device: str = "cpu",
) -> Translators:
    """Both loaded models; the corpus is not used.

    Raises:
        MissingResource: a model is not on this machine and cannot be fetched, or a package is missing.
        BadModel: no such model, or one of another kind.
    """
    return Translators(Writer(there, setting="there", device=device), Writer(back, setting="back", device=device))


def missing() -> str:
    """See `Method.missing`."""
    return absent({"there": _THERE, "back": _BACK}, ["sentencepiece"])


def back_translation(
    resource: Translators, texts: Sequence[str], *, beams: Beams = 4, choices: Choices = 1, rngs: Sequence[Random]
) -> list[str]:
    """Each text translated and back again: the best translation back, or one drawn from the best `choices`.

    With one choice nothing is random, so all draws of a text are the same. Any language works that the two models translate;
    the defaults read English. Empty texts and those longer than a model's limit are returned unchanged.

    Prefer it over `paraphrase_pegasus` and `paraphrase_t5` for languages other than English; prefer
    `augcse_diverse_paraphrase` for several different results of one text.
    """
    there = [ways[0] if ways else "" for ways in resource.there.write([*map(normalised, texts)], beams=beams)]
    return drawn(resource.back.write(there, beams=beams, candidates=choices), texts, rngs)


METHOD = Method(
    back_translation,
    title="Back-translation",
    source="Sennrich et al. 2016, arXiv:1511.06709; weights Helsinki-NLP/opus-mt-en-fr and opus-mt-fr-en",
    prepare=prepare,
    missing=missing,
    tags={"class": "preserving", "role": "positive", "language": "any"},
)
