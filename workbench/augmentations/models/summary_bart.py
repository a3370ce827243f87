"""Summary with BART, fine-tuned on the highlights of news articles."""

from collections.abc import Sequence
from random import Random
from typing import Annotated

from workbench.augmentations.models._weights import MODEL_HELP, absent
from workbench.augmentations.models._writer import Beams, Choices, Writer, drawn, sources
from workbench.augmentations.text._words import words
from workbench.core.method import Knob, Method

_MODEL = "facebook/bart-large-cnn"


def prepare(
    corpus: Sequence[str],
    *,
    model: Annotated[str, Knob(help=MODEL_HELP)] = _MODEL,
    prefix: Annotated[
        str, Knob(help="The instruction that a model was trained to see before a text: “summarize: ” for T5.")
    ] = "",
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


def summary_bart(
    resource: Writer,
    texts: Sequence[str],
    *,
    beams: Beams = 4,
    choices: Choices = 1,
    longest: Annotated[
        float, Knob(0.1, 1.0, 0.05, "Words of a summary for each word of the text, at most; longer ones are dropped.")
    ] = 1.0,
    rngs: Sequence[Random],
) -> list[str]:
    """The best summary of each text, or one drawn from the best `choices`; a text without a short enough one is unchanged.

    The literature mentions summaries by a model without naming it: this model and its beam width are our choice. It was
    trained on articles of many sentences and hardly changes a single short sentence: use it for documents and long records.
    Its default minimum of 56 tokens is not applied. With one choice nothing is random, so all draws of a text are the same.
    Texts longer than the model's 1024 tokens, empty ones and those without a Latin letter are returned unchanged.

    Prefer it over the paraphrases for long texts that should become shorter. Prefer it over `augcse_summarization`, which joins
    subject, verb and object by rules, for fluent sentences.
    """
    given = sources(texts)
    written = resource.write(given, beams=beams, candidates=choices)
    short = [
        [way for way in ways if len(words(way)) <= longest * len(words(text))]
        for text, ways in zip(given, written, strict=True)
    ]
    return drawn(short, texts, rngs)


METHOD = Method(
    summary_bart,
    title="Summary (BART)",
    source="Lewis et al. 2020, BART, https://aclanthology.org/2020.acl-main.703; weights facebook/bart-large-cnn",
    prepare=prepare,
    missing=missing,
    tags={"class": "possible", "role": "positive", "language": "english"},
)
