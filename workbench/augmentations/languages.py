"""Which steps leave texts as they are because of the script that these are written in, and which act on any language."""

from collections.abc import Sequence

from workbench.augmentations.pipeline import Pipeline
from workbench.augmentations.text import METHODS
from workbench.augmentations.text._words import english

_NAMED = 5


def unsuited(pipeline: Pipeline, texts: Sequence[str]) -> str:
    """One line about steps for English if some of the texts have letters, but no Latin one; empty otherwise.

    >>> from workbench.augmentations.pipeline import parse
    >>> unsuited(parse("eda_synonym"), ["今天天气很好", "a dog", "42"]).partition(". ")[0]
    '“Replace by synonyms” is for English; 1 of 3 texts is in another script and stays as it is'
    """
    titles = list(
        dict.fromkeys(step.method.title for step in pipeline.all() if step.method.tags.get("language") == "english")
    )
    others = sum(any(map(str.isalpha, text)) and not english(text) for text in texts)
    if not titles or not others:
        return ""
    are = "is" if len(titles) == 1 else "are"
    named = " and ".join(filter(None, [", ".join(f"“{title}”" for title in titles[:-1]), f"“{titles[-1]}”"]))
    is_in, stays = ("is in", "stays as it is") if others == 1 else ("are in", "stay as they are")
    return (
        f"{named} {are} for English; {others:,} of {len(texts):,} texts {is_in} another script and {stays}. For any language: "
        f"{', '.join(for_any_language()[:_NAMED])}."
    )


def for_any_language() -> list[str]:
    """The rules that change words or characters of any script, without a corpus to count in."""
    kept = {"alias", "note", "counts", "parts"}
    return [
        name for name, method in METHODS.items() if method.tags["language"] == "any" and not kept & method.tags.keys()
    ]
