"""AugCSE's diverse paraphrase: to German and back, with a few different ones chosen from many candidates."""

from collections.abc import Sequence
from random import Random
from typing import Annotated

from workbench.augmentations.models._diverse import selected
from workbench.augmentations.models._weights import MODEL_HELP, absent
from workbench.augmentations.models._writer import Beams, Writer, drawn, sources
from workbench.augmentations.models.back_translation import Translators
from workbench.core.method import Knob, Method

_THERE, _BACK = "facebook/wmt19-en-de", "facebook/wmt19-de-en"


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
    return absent({"there": _THERE, "back": _BACK}, ["sacremoses"])


def augcse_diverse_paraphrase(
    resource: Translators,
    texts: Sequence[str],
    *,
    beams: Beams = 5,
    candidates: Annotated[
        int, Knob(2, 30, 1, "Translations back that are written; also the width of that beam search.")
    ] = 15,
    keep: Annotated[int, Knob(1, 10, 1, "Diverse candidates that are kept, one of which is drawn.")] = 3,
    rngs: Sequence[Random],
) -> list[str]:
    """Each text in German and back again: one drawn from `keep` candidates that are close to it and differ from each other.

    Candidates that equal the text are left out. Beam search and selection are deterministic, so a text has at most `keep`
    different draws. Empty texts, those longer than the model's limit and those without a Latin letter are returned unchanged.

    Prefer it over `back_translation` for different results in different draws; it writes many candidates and is slower for it.
    """
    given = sources(texts)
    there = [ways[0] if ways else "" for ways in resource.there.write(given, beams=beams)]
    written = resource.back.write(there, beams=candidates, candidates=candidates)
    kept = []
    for ways, text in zip(written, given, strict=True):
        other = [way for way in ways if way.casefold() != text.casefold()]
        kept.append(selected(other, text, keep))
    return drawn(kept, texts, rngs)


METHOD = Method(
    augcse_diverse_paraphrase,
    title="Diverse paraphrase",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749; Kumar et al. 2019, N19-1363; weights facebook/wmt19-en-de and -de-en",
    prepare=prepare,
    missing=missing,
    tags={
        "class": "possible",
        "role": "positive",
        "language": "english",
        "alias": "DiverseParaphrase",
        "table": "augcse",
        "pools": "augcse_4 augcse_12",
    },
)
