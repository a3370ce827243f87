"""AugCSE's sentence reordering: the sentences of a text in another order."""

import re
from random import Random

from workbench.augmentations.text._abbreviations import abbreviated
from workbench.augmentations.text._draws import normalised, shuffled
from workbench.core.method import Method

# The end of a sentence and closing marks after it; then a space and something that can begin a sentence, or, in Chinese and
# Japanese, anything at all.
_CLOSING = r"[\"'”’»)\]」』）]*"
_END = re.compile(
    rf"(?:[.!?…]+{_CLOSING} +(?=[\"'“‘«(\[¿¡]*(?:[^\W_a-z]|[\ue000-\uf8ff]))|[。！？]+{_CLOSING} ?(?=\S))"
)
# A quotation with both its marks. After a letter or digit a straight mark opens none: 5" is a length.
_QUOTED = re.compile(
    r"(?<!\w)\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|»[^«»]*«|‘[^‘]*?’(?!\w)|「[^「」]*」|『[^『』]*』"
)


def sentences(text: str) -> list[str]:
    """The sentences of a normalised text, without the spaces between them. A quotation is never cut in two.

    >>> sentences("Dr. Smith came. Who called him? I did.")
    ['Dr. Smith came.', 'Who called him?', 'I did.']
    """
    found, start = [], 0
    quoted = {place for quotation in _QUOTED.finditer(text) for place in range(quotation.start() + 1, quotation.end())}
    for end in _END.finditer(text):
        single = end[0].strip() == "."
        if end.end() not in quoted and not (single and abbreviated(text, end.start())):
            found.append(text[start : end.end()].strip())
            start = end.end()
    return [*found, text[start:]]


def augcse_sentence_reordering(text: str, *, rng: Random) -> str:
    """The sentences of `text` in another order. A single sentence comes back unchanged, and most corpora hold nothing else.

    Sentences are found by their closing marks; the full stop of a known abbreviation, a title or an initial does not
    close one, nor does a mark inside a quotation.

    Prefer it over `clear_reorder` for texts of several sentences when each of them should stay whole.

    >>> augcse_sentence_reordering("It rained. We stayed in.", rng=Random(0))
    'We stayed in. It rained.'
    """
    clean = normalised(text)
    parts = sentences(clean)
    if len(set(parts)) < 2:
        return clean
    order = parts
    while order == parts:  # at least half of all orders differ from the given one
        order = list(shuffled(parts, rng))
    result = order[0]
    for part in order[1:]:
        result += part if result[-1] in "。！？」』）" else f" {part}"
    return result


METHOD = Method(
    augcse_sentence_reordering,
    title="Reorder sentences",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "possible",
        "role": "positive",
        "language": "any",
        "alias": "SentenceReordering",
        "table": "augcse",
        "pools": "augcse_12",
    },
)
