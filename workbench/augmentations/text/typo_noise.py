"""Typing errors: neighbouring keys, swapped, lost and doubled letters."""

from random import Random
from typing import Annotated

from workbench.augmentations.text._draws import edit_count, normalised, shuffled
from workbench.augmentations.text._words import edges, locked_places
from workbench.core.method import Knob, Method

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours() -> dict[str, str]:
    """For each letter, the keys next to its key on an English keyboard."""
    touching = {}
    for row, keys in enumerate(_ROWS):
        for column, key in enumerate(keys):
            near = [keys[other] for other in (column - 1, column + 1) if 0 <= other < len(keys)]
            # Each row is half a key to the right of the one above it.
            for other, columns in ((row - 1, (column, column + 1)), (row + 1, (column - 1, column))):
                if 0 <= other < len(_ROWS):
                    near += [_ROWS[other][there] for there in columns if 0 <= there < len(_ROWS[other])]
            touching[key] = "".join(near)
    return touching | {key.upper(): near.upper() for key, near in touching.items()}


_NEAR_KEYS = _neighbours()


def typo_noise(
    text: str,
    *,
    rate: Annotated[float, Knob(0.0, 1.0, 0.01, "Errors per letter of the text; at least one unless 0.")] = 0.05,
    rng: Random,
) -> str:
    """`text` with typing errors, each at a different position: a neighbouring key, two letters swapped, one lost or doubled.

    A word never vanishes. Letters that are not on an English keyboard get the other kinds of error, and those with an accent or a
    vowel sign of its own are only doubled. At high rates there may be no room for all the errors asked for.

    Prefer it over `case_noise` with an uncased tokenizer, which ignores case, or when vectors should withstand
    misspellings.

    >>> typo_noise("hello", rng=Random(3))
    'hllo'
    """
    clean = normalised(text)
    kept = locked_places(clean)
    places = [place for place, letter in enumerate(clean) if letter.isalpha() and place not in kept]
    wanted = edit_count(rate, len(places))
    starts, ends = edges(clean)
    marked = {place for place in places if starts[place] < place or ends[place + 1] > place + 1}
    pieces = list(clean)
    taken: set[int] = set(kept)
    first: tuple[int, str, str] | None = None
    for place in shuffled(places, rng):
        # Drawn for every letter, so that skipping one does not change the draws of the others.
        kind, pick = rng.random(), rng.random()
        if wanted <= 0:
            break
        if place in taken:
            continue
        edit = _edit(clean, place, kind, pick, taken, marked)
        first = first or edit
        start, old, new = edit
        taken.update(range(start, start + len(old)))
        pieces[start : start + len(old)] = [new] + [""] * (len(old) - 1)
        wanted -= 1
    noisy = "".join(pieces)
    if noisy == clean and first:  # a letter lost and its twin doubled: the errors cancelled out
        start, old, new = first
        noisy = clean[:start] + new + clean[start + len(old) :]
    return noisy


def _edit(text: str, index: int, kind: float, pick: float, taken: set[int], marked: set[int]) -> tuple[int, str, str]:
    """Start, old text and new text of an error at `index` that changes the text and touches nothing in `taken`.

    Letters in `marked` keep their accents.
    """
    letter = text[index]
    after = text[index + 1] if index + 1 < len(text) else " "
    if index in marked:
        return index, letter, letter * 2
    if kind < 0.25 and letter in _NEAR_KEYS:
        near = _NEAR_KEYS[letter]
        return index, letter, near[int(pick * len(near))]
    if (
        0.25 <= kind < 0.5
        and after.isalpha()
        and after != letter
        and index + 1 not in taken
        and index + 1 not in marked
    ):
        return index, letter + after, after + letter
    alone = not after.isalpha() and not (index and text[index - 1].isalpha())
    # Not next to another error: two losses could remove a whole word.
    if 0.5 <= kind < 0.75 and not alone and not taken & {index - 1, index + 1}:
        return index, letter, ""
    return index, letter, letter * 2


METHOD = Method(
    typo_noise,
    title="Typing errors",
    source="Defined here; character noise as surveyed by Feng et al. 2021, arXiv:2105.03075",
    tags={"class": "preserving", "role": "positive", "language": "any"},
)
