"""200 recorded draws of the text augmentations, to notice an augmentation whose draws change.

`python -m tests.augmentations.make_golden` writes golden.tsv anew. Do so after a change that is meant, or when methods were
added, and look at what differs. Methods that need more than the packages of requirements.txt are left out; those that need
WordNet read the tiny one beside this file.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from workbench.augmentations import wordnet
from workbench.augmentations.draw import Drawer
from workbench.augmentations.pipeline import Step
from workbench.augmentations.resources import Resources
from workbench.augmentations.text import METHODS
from workbench.core.method import Method, Setting

HERE = Path(__file__).parent
FILE = HERE / "golden.tsv"
COLUMNS = ("pipeline", "seed", "draw", "input", "output")
ROWS = 200

SENTENCES = (
    "The old man doesn't watch the brown dog in the small house.",
    "She said that he can't sell the red car, but they will buy 12 green apples.",
    "In 2019, Maria and her brother moved from Paris to a quiet street in Toronto.",
    "A happy woman bought three cheap books for $25 because it was raining.",
    "However, the quick brown fox jumped over two lazy dogs while a puppy slept.",
    "It is not cold today. We went home early! Did you see the good movie?",
    "I've never been to Germany, although my father is from Berlin.",
    "The committee should not accept the new plan before Monday.",
    "John gave Mary a blue bicycle, and she was very happy about it.",
    "Call 555-0199 at 3.30 pm or write to the actor's daughter.",
    "Some children are playing with a large black cat near the building.",
    "Prices rose by 7% last year, so many people cannot buy a house.",
    "The waiter who brought the cold soup has left the restaurant.",
    "There's a man on the street; he looks at an expensive car.",
    "Crème brûlée and naïve cafés: Zoë isn't convinced.",
    "今天天气很好，我们去公园散步，然后回家看书。",
    "昨日は東京で友達と映画を見ました。とても楽しかったです。",
    "Das ist kein schöner Tag für einen Ausflug nach Köln.",
    "Я не видел этот фильм, но книга была хорошая.",
    "so good 👍🏽 👩‍👩‍👧",
)


class Row(NamedTuple):
    """One line of the file."""

    pipeline: str
    seed: int
    draw: int
    input: str
    output: str


def drawn(resources: Resources, pipeline: str, seed: int, draw: int, text: str) -> Row:
    """The draw of this pipeline for this text with the current code."""
    return Row(pipeline, seed, draw, text, Drawer(pipeline, seed=seed, resources=resources)(text, draw).text)


def included() -> list[tuple[str, int]]:
    """Methods, with their parts, whose results depend on no external resource."""
    return [
        (name, part)
        for name, method in METHODS.items()
        if method.missing in (None, wordnet.missing)
        for part in range(int(method.tags.get("parts", "1")))
    ]


def made(resources: Resources) -> Iterator[Row]:
    """Each method in turn: with its defaults, twice, then with one setting changed, then with the next."""
    methods = included()
    for row in range(ROWS):
        (name, part), turn = methods[row % len(methods)], row // len(methods)
        pipeline = str(Step(name, changed(METHODS[name], turn), part=part))
        # A text that stays as it is tells little: the first from here on that does not, if there is one.
        texts = [SENTENCES[(row * 7 + step) % len(SENTENCES)] for step in range(len(SENTENCES))]
        tried = (drawn(resources, pipeline, row, turn, text) for text in texts)
        yield next((one for one in tried if one.output != one.input), drawn(resources, pipeline, row, turn, texts[0]))


def changed(method: Method, turn: int) -> dict[str, object]:
    """No settings in the first two turns, then one setting after the other with a value that is not its default."""
    settings = [setting for setting in method.settings.values() if other(setting) != setting.default]
    if turn < 2 or not settings:
        return {}
    setting = settings[(turn - 2) % len(settings)]
    return {setting.name: other(setting)}


def other(setting: Setting) -> object:
    """A value that is not the default: halfway to the maximum, the next choice, the opposite; texts and parsers stay."""
    if setting.name == "parser":  # the others are no package of requirements.txt
        return setting.default
    if setting.choices:
        return setting.choices[(setting.choices.index(setting.default) + 1) % len(setting.choices)]
    if setting.kind is bool:
        return not setting.default
    if setting.kind in (int, float) and setting.knob.high is not None:
        return setting.kind(round((setting.default + setting.knob.high) / 2, 3))
    return setting.default


def read() -> list[Row]:
    """The rows of the file."""
    head, *lines = FILE.read_text(encoding="utf-8").splitlines()
    assert tuple(head.split("\t")) == COLUMNS
    rows = [line.split("\t") for line in lines]
    return [Row(pipeline, int(seed), int(draw), *texts) for pipeline, seed, draw, *texts in rows]


def main() -> None:
    """Write the file."""
    os.environ["WORKBENCH_WORDNET"] = str(HERE / "wordnet")
    lines = ["\t".join(map(str, row)) for row in [COLUMNS, *made(Resources(SENTENCES))]]
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"{len(lines) - 1} rows in {FILE.name}")


if __name__ == "__main__":
    main()
