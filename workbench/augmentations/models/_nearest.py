"""Word edits with static vectors: neighbours in place of words, or inserted."""

from collections.abc import Sequence
from random import Random
from typing import Annotated

from workbench.augmentations.models._edits import Edits, Mode
from workbench.augmentations.static_vectors import GLOVE, HELP, StaticVectors, read_vectors
from workbench.augmentations.text._draws import edit_count, shuffled
from workbench.core.method import Knob

Top = Annotated[int, Knob(1, 200, 1, "Number of nearest words, from which one is drawn evenly.")]


def prepare(corpus: Sequence[str], *, vectors: Annotated[str, Knob(help=HELP)] = GLOVE) -> StaticVectors:
    """The vectors in memory; the corpus is not used.

    Raises:
        MissingResource, BadData, BadModel: see `static_vectors.read_table`.
    """
    return read_vectors(vectors)


def neighboured(
    vectors: StaticVectors,
    texts: Sequence[str],
    *,
    modes: Sequence[Mode],
    rate: float,
    top: int,
    most: int,
    rngs: Sequence[Random],
) -> list[str]:
    """Each text with neighbours of its words substituted or inserted; words without a vector are not changed."""
    drafts, plans = [], []
    for text, mode, rng in zip(texts, modes, rngs, strict=True):
        draft = Edits(text, mode)
        count = min(edit_count(rate, len(draft)), most)
        plan = []
        for source, _ in zip(shuffled(draft.words(vectors.__contains__), rng), range(count), strict=False):
            gaps = draft.gaps()
            place = gaps[int(rng.random() * len(gaps))] if mode == "insert" else source
            plan.append((draft.core(source), place, rng.random()))
        drafts.append(draft)
        plans.append(plan)
    found = iter(vectors.neighbours([core for plan in plans for core, *_ in plan], top))
    for draft, plan in zip(drafts, plans, strict=True):
        for _, place, share in plan:
            near = next(found)
            options = [word for word in near if len(word) == 1 and not word.isascii()] if draft.cut else near
            if options:
                draft.put(place, options[int(share * len(options))])
    return [draft.result() for draft in drafts]
