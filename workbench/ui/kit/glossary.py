"""Words of the field that a newcomer may not know: what each means, and how its meaning is at hand where the word is used."""

import re

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
}
"""What each word means, in the order in which a reader is likely to meet them."""

_OF = {word.casefold(): meaning for word, meaning in MEANINGS.items()}
_WORD = re.compile(rf"(?<![\w./:@-])({'|'.join(MEANINGS)})(?![\w/:@-]|\.\w)", re.IGNORECASE)
_CODE_OR_TAG = re.compile(r"(<code>.*?</code>|<[^>]*>)", re.DOTALL)


def explained(inner: str) -> str:
    """HTML in which the first use of each word has its meaning, shown by assets/glossary.js to the mouse and the keyboard.

    No line ends between a number and its unit. Everything of users in `inner` is escaped already; tags and code stay as they are.

    >>> explained("the gold score")[:58], explained("<code>gold</code> in gold.tsv")
    ('the <dfn class="term" tabindex="0" data-means="How alike i', '<code>gold</code> in gold.tsv')
    """
    left = dict(_OF)

    def with_meaning(use: re.Match[str]) -> str:
        meaning = left.pop(use[0].casefold(), None)
        return (
            use[0] if meaning is None else f'<dfn class="term" tabindex="0" data-means="{html(meaning)}">{use[0]}</dfn>'
        )

    parts = _CODE_OR_TAG.split(inner)  # every second part is a tag or code
    parts[::2] = [_WORD.sub(with_meaning, unbroken(text)) for text in parts[::2]]
    return "".join(parts)
