"""Words of the field that a newcomer may not know: what each means, and how its meaning is at hand where the word is used."""

import re
from collections.abc import Collection

from workbench.core.unbroken import unbroken
from workbench.ui.kit.words import html

MEANINGS = {
    "gold": "How alike in meaning readers judged the two sentences of a pair to be, usually from 0 to 5. Spearman compares the "
    "cosines with these scores, by rank.",
    "transductive": "At least half of the scored sentences were among the training texts, or something was fitted on them; their "
    "gold scores were not used, or for less than half of the pairs.",
    "Hubness": "How uneven it is which texts are near others: the skewness of how often each is among the 10 nearest of the "
    "rest, by cosine. At 0 it is even; the higher, the more do a few texts (hubs) turn up everywhere.",
    "IsoScore": "The share of the dimensions that the vectors use equally, once their mean is subtracted: 1 is all of them, 0 a "
    "single line.",
    "nats": "The unit of a loss computed with the natural logarithm; a nat is 1.44 bits. Guessing evenly among N texts costs "
    "ln N, which is 4.16 nats among 64.",
    "false negative": "A text that serves as a negative although it means the same as the text that it is pushed away from, such "
    "as a copy of it in the same batch.",
    "Spearman": "The rank correlation of the cosines with the gold scores, shown times 100: at 100 they put the pairs in the "
    "same order, at 0 there is no relation. Higher is better.",
    "alignment": "The mean squared distance (alpha = 2), on the unit sphere, of the two sentences of pairs that mean the same: "
    "gold above four fifths of its highest score, unless said otherwise. Lower is better, read together with uniformity.",
    "uniformity": "How evenly the sentences are spread on the unit sphere: the logarithm of the mean of exp(−t × squared "
    "distance) over all pairs of them, t = 2. It is 0 if all are one point; lower is better, read together with alignment.",
    "mean cosine": "The mean cosine of all pairs of different sentences: near 1 they all point the same way, near 0 the space is "
    "open.",
    "cone": "Vectors that share a direction fill a narrow part of the space (anisotropy): even sentences that have nothing to do "
    "with each other then have a high cosine.",
    "Holm": "Holm's adjustment of the p values of several tests: the chance that even one of them finds a difference where there "
    "is none is at most 5 %.",
}
"""What each word means, in the order in which a reader is likely to meet them."""

MEASURES = ("Spearman", "alignment", "uniformity", "mean cosine")
ON_REQUEST = (*MEASURES, "cone", "Holm")
"""Words that stand in so many sentences that they are explained only where a page asks for it, once."""

_SPELLED = {
    "false negative": "false negatives?",
    "alignment": "align(?:-<br>)?ment",
    "uniformity": "unifor(?:-<br>)?mity",
    "mean cosine": "mean(?: |<br>)cosine",
}
"""In regular expressions, as heads of narrow columns divide them."""
_WORDS = list(MEANINGS)
_WORD = "|".join(f"({_SPELLED.get(word, word)})" for word in _WORDS)
_PIECE = re.compile(rf"<code>.*?</code>|(?<![\w./:@-])(?:{_WORD})(?![\w/:@-]|\.\w)|<[^>]*>", re.IGNORECASE | re.DOTALL)
_CODE_OR_TAG = re.compile(r"(<code>.*?</code>|<[^>]*>)", re.DOTALL)


def explained(inner: str, also: Collection[str] = ()) -> str:
    """HTML in which the first use of each word has its meaning, shown by assets/glossary.js to the mouse and the keyboard. Of the
    words ON_REQUEST those in `also`.

    No line ends between a number and its unit. Everything of users in `inner` is escaped already; tags and code stay as they are.

    >>> explained("the gold score")[:58], explained("<code>gold</code> in gold.tsv")
    ('the <dfn class="term" tabindex="0" data-means="How alike i', '<code>gold</code> in gold.tsv')
    """
    left = {word: meaning for word, meaning in MEANINGS.items() if word not in ON_REQUEST or word in also}

    def with_meaning(piece: re.Match[str]) -> str:
        meaning = left.pop(_WORDS[piece.lastindex - 1], None) if piece.lastindex else None  # else it is a tag or code
        if meaning is None:
            return piece[0]
        return f'<dfn class="term" tabindex="0" data-means="{html(meaning)}">{piece[0]}</dfn>'

    parts = _CODE_OR_TAG.split(inner)  # every second part is a tag or code
    parts[::2] = [unbroken(text) for text in parts[::2]]
    return _PIECE.sub(with_meaning, "".join(parts))
