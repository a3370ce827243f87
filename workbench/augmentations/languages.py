"""Which steps are not for the script or language of some texts, and which act on any language."""

from collections.abc import Sequence

from workbench.augmentations.pipeline import Pipeline
from workbench.augmentations.text import METHODS
from workbench.augmentations.text._words import STOP_WORDS, english, tokens

_NAMED = 5
_THEIRS = frozenset(
    """
    der das und ist nicht ein eine einen einem einer ich er sie wir ihr mit auf weil wenn dass auch sind zu zum zur im vom
    une est sont dans avec qui nous vous je elle ils elles mais cette leur aux pas très
    que una uno por para como está del pero muy su sus
    che della delle dello nel nella gli sono anche questo questa più
    não uma em ao seu sua
    het een niet voor zijn aan ook wordt naar
    att och det som inte är ett jag på og ikke til
    się nie jest że ve bir için ile
    """.split()  # noqa: SIM905
)
"""Small words of German, French, Spanish, Italian, Portuguese, Dutch, Scandinavian languages, Polish and Turkish that are
seldom in English texts, not even in names, as `de` and `los` are."""
_SHARED = frozenset(
    "a also am an as at by do for had he her i in is me my no of on or over so was we will".split()  # noqa: SIM905
)
"""Small words of English that are words of some of those languages too, and so say nothing."""


def unsuited(pipeline: Pipeline, texts: Sequence[str]) -> str:
    """One line about steps for English if some of the texts are in another script or look like another language; else empty.

    >>> from workbench.augmentations.pipeline import parse
    >>> unsuited(parse("eda_synonym"), ["今天天气很好", "a dog", "42"]).partition(". ")[0]
    '“Replace by synonyms” is for English; 1 of 3 texts is in another script and stays as it is'
    """
    titles = list(
        dict.fromkeys(step.method.title for step in pipeline.all() if step.method.tags.get("language") == "english")
    )
    if not titles:
        return ""
    others = sum(any(map(str.isalpha, text)) and not english(text) for text in texts)
    foreign = sum(map(looks_foreign, texts))
    said = []
    if others:
        is_in, stays = ("is in", "stays as it is") if others == 1 else ("are in", "stay as they are")
        said.append(f"{others:,} of {len(texts):,} texts {is_in} another script and {stays}")
    if foreign:
        look, read = ("looks like", "is read") if foreign == 1 else ("look like", "are read")
        said.append(f"{foreign:,} of {len(texts):,} texts {look} another language and {read} as if English")
    if not said:
        return ""
    are = "is" if len(titles) == 1 else "are"
    named = " and ".join(filter(None, [", ".join(f"“{title}”" for title in titles[:-1]), f"“{titles[-1]}”"]))
    return f"{named} {are} for English; {'; '.join(said)}. For any language: {', '.join(for_any_language()[:_NAMED])}."


def looks_foreign(text: str) -> bool:
    """Whether a text in Latin letters has more small words of other languages than of English; two accented words count as one.

    A guess from a few dozen words: a text without any small word counts as English, and so does a tie.

    >>> [looks_foreign(text) for text in ("Ich bleibe hier, weil es regnet.", "The café is open.", "Dogs bark.")]
    [True, False, False]
    """
    theirs = ours = accented = 0
    for word in tokens(text)[1::2]:
        small = word.lower()
        if len(word) > 1 and word.isupper():  # a time in EST is English
            continue
        if small in _THEIRS:
            theirs += 1
        elif word == small and not word.isascii() and english(word):
            accented += 1
        elif small in STOP_WORDS and small not in _SHARED:
            ours += 1
    return theirs + accented // 2 > ours


def for_any_language() -> list[str]:
    """The rules that change words or characters of any script, without a corpus to count in."""
    kept = {"alias", "note", "counts", "parts"}
    return [
        name for name, method in METHODS.items() if method.tags["language"] == "any" and not kept & method.tags.keys()
    ]
