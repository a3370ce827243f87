"""Pipelines: augmentations in sequence, each with a probability, written as one line of text.

`eda_swap(rate=0.2) + one_of(typo_noise, case_noise)@0.5 + token_cutoff` swaps words, then adds one of two kinds of noise
to half of the texts, then sets token states to zero. Recipes, run configurations, addresses and the command line contain
such a line.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from workbench.augmentations.catalogue import LEVELS, find_augmentation, level, pools
from workbench.core.calls import Reader, write_value
from workbench.core.config import Value
from workbench.core.errors import BadSetting, unknown
from workbench.core.method import Method

ONE_OF = "one_of"
_DEEPEST = 4
_LONGEST_NUMBER = 9


@dataclass(frozen=True)
class Step:
    """One augmentation with all its settings, or a choice among several; `part` is the index into a tuple of results."""

    name: str
    settings: Mapping[str, Value] = field(default_factory=dict)
    probability: float = 1.0
    choices: tuple["Step", ...] = ()
    part: int = 0

    @property
    def level(self) -> str:
        """See `catalogue.level`; for a choice, the level of what it chooses from."""
        return self.choices[0].level if self.choices else level(self.name)

    @property
    def method(self) -> Method:
        """The augmentation of this step; a choice has none."""
        return find_augmentation(self.name)

    def all(self) -> Iterator["Step"]:
        """Itself; for a choice, the steps that it chooses from."""
        if not self.choices:
            yield self
        for choice in self.choices:
            yield from choice.all()

    def __str__(self) -> str:
        inner = [str(choice) for choice in self.choices] or [
            f"{name}={write_value(value, quoted=True)}" for name, value in self.settings.items()
        ]
        part = f"[{self.part}]" if self.part else ""
        chance = f"@{float(self.probability)!r}" if self.probability < 1 else ""
        return f"{self.name}{part}{'(' + ', '.join(inner) + ')' if inner else ''}{chance}"


@dataclass(frozen=True)
class Pipeline:
    """Steps in the order in which they are applied."""

    steps: tuple[Step, ...] = ()

    def __str__(self) -> str:
        return " + ".join(map(str, self.steps))

    def __bool__(self) -> bool:
        return bool(self.steps)

    def at(self, *levels: str) -> tuple[Step, ...]:
        """The steps of the given levels."""
        return tuple(step for step in self.steps if step.level in levels)

    def all(self) -> Iterator[Step]:
        """Every step, with those of choices in place of the choices."""
        for step in self.steps:
            yield from step.all()

    @property
    def modelled(self) -> bool:
        """Whether a step, or one of a choice, needs a model."""
        return any(step.level == "models" for step in self.all())

    @property
    def on_texts(self) -> tuple[Step, ...]:
        """The steps that change texts."""
        return self.at("text", "models")


@lru_cache(maxsize=512)
def parse(line: str) -> Pipeline:
    """The pipeline that `line` describes, with every setting checked and given a value; an empty line has no steps.

    The name of a published pool (`augcse_12`) stands for a choice among its members.

    Raises:
        BadSetting: a line that cannot be read, with the position; a setting out of range; levels in the wrong order.
        UnknownName: no such augmentation or setting.

    >>> str(parse("case_noise + typo_noise(rate=0.1)@0.5"))
    'case_noise(rate=0.1) + typo_noise(rate=0.1)@0.5'
    """
    if not isinstance(line, str):
        raise BadSetting(
            f"The pipeline cannot be {line!r}.", rule="It is a line of text.", way_out="Such as typo_noise@0.5."
        )
    reader = _Reader(line)
    steps: list[Step] = []
    while reader.rest:
        if steps:
            reader.take("+")
        steps.append(reader.step())
    order = list(LEVELS)
    places = [order.index("text") if step.level == "models" else order.index(step.level) for step in steps]
    if places != sorted(places):
        raise BadSetting(
            f"The pipeline {line!r} has its steps in the wrong order.",
            rule="Texts first, then positions, then states of tokens, then vectors.",
        )
    return Pipeline(tuple(steps))


class _Reader(Reader):
    """Reads a pipeline: steps with a part, settings and a probability, and choices among steps."""

    def __init__(self, line: str) -> None:
        super().__init__(line, f"The pipeline {line!r} cannot be read.", "eda_swap(rate=0.2) + typo_noise@0.5")

    def step(self, depth: int = 0) -> Step:
        name = self.word("The name of an augmentation")
        if name == ONE_OF:
            step = self.choice(depth)
        elif name in pools():
            step = Step(ONE_OF, choices=tuple(_settled(Step(member)) for member in pools()[name]))
        else:
            part = 0
            if self.skip("["):
                part = self.whole()
                self.take("]")
            step = _settled(Step(name, self.settings(), part=part))
        if self.skip("@"):
            step = replace(step, probability=self.probability())
        return step

    def choice(self, depth: int) -> Step:
        if depth >= _DEEPEST:
            raise BadSetting(f"The pipeline {self.text!r} has choices inside choices more than {_DEEPEST} deep.")
        self.take("(")
        choices = [self.step(depth + 1)]
        while self.skip(","):
            choices.append(self.step(depth + 1))
        self.take(")")
        if {choice.level in ("text", "models") for choice in choices} != {True}:
            raise BadSetting(
                f"one_of in the pipeline {self.text!r} can only choose among augmentations of texts.",
                way_out="Give the others a probability each.",
            )
        return Step(ONE_OF, choices=tuple(choices))

    def whole(self) -> int:
        word = self.word("A whole number")
        if not (word.isascii() and word.isdigit() and len(word) <= _LONGEST_NUMBER):
            raise BadSetting(f"An augmentation has no part {word}.", rule="Parts are numbered from 0.")
        return int(word)

    def probability(self) -> float:
        word = self.word("A probability")
        try:
            chance = float(word)
        except ValueError:
            chance = -1.0
        if not 0.0 < chance <= 1.0:
            raise BadSetting(f"A step cannot act with probability {word}.", rule="It is above 0 and at most 1.")
        return chance


def _settled(step: Step) -> Step:
    method = find_augmentation(step.name)
    parts = int(method.tags.get("parts", "1"))
    if step.part >= parts:
        raise BadSetting(f"{method.id} has no part {step.part}.", rule=f"It returns {parts} text{'s'[: parts > 1]}.")
    for name in step.settings:
        if name not in method.settings:
            raise unknown(f"setting of {method.id}", name, method.settings)
    try:
        settings = method.check(step.settings)
    except BadSetting as error:  # a line may have several steps
        raise BadSetting(f"{method.id}: {error.what}", rule=error.rule, way_out=error.way_out) from None
    return replace(step, name=method.id, settings=settings)
