"""Draws: one augmented text for a seed, a draw number and a text, independent of all other draws."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from random import Random
from typing import NamedTuple

from workbench.augmentations.pipeline import Pipeline, Step, parse
from workbench.augmentations.protect import Protection, masks_locked
from workbench.augmentations.resources import Resources, own_settings
from workbench.augmentations.text._draws import normalised
from workbench.core.collecting import rarely_collected
from workbench.core.config import Value
from workbench.core.method import Method, calling, wrong_return
from workbench.core.seeds import text_rng, text_seeds
from workbench.core.unicode import is_whole
from workbench.models.tokens import MASK

NONE = "none"
"""The label of a text that no augmentation changed: AugCSE's class "no augmentation"."""
MANY = 50_000
"""Texts from which on a draw makes so many objects that Python's collector takes a tenth of the time."""
_TRIES = 3


class Draw(NamedTuple):
    """The augmented text; whether it differs from the original with normalised white space; whether a protected span would
    have been lost without protection; and the augmentations that changed it, joined by +, or `none`."""

    text: str
    changed: bool
    acted: bool
    label: str


Lines = Callable[[Step, str, Sequence[str], Sequence[str], int], list[str]]
"""The results of a step of level `models` for many texts, line by line; from a cache, if there is one.

The arguments are the step, the key of its stream, the texts, for each the text whose random stream it uses, and the draw
number. That text differs from the first one where a span is hidden from the step.
"""


def stream_key(name: str, seen: "Counter[str]") -> str:
    """The key of a step's random stream: its name for the first step of that name, and a numbered one after that.

    >>> seen = Counter()
    >>> stream_key("eda_swap", seen), stream_key("typo_noise", seen), stream_key("eda_swap", seen)
    ('eda_swap', 'typo_noise', 'eda_swap.2')
    """
    seen[name] += 1
    return name if seen[name] == 1 else f"{name}.{seen[name]}"


class Drawer:
    """Draws with one pipeline and one seed, to be called in a loop over texts. Only steps that act on texts are used."""

    def __init__(
        self,
        pipeline: Pipeline | str,
        *,
        seed: int,
        protection: Protection | None = None,
        resources: Resources | None = None,
        lines: Lines | None = None,
    ) -> None:
        """Settings are checked and resources are prepared once, here.

        Raises:
            UnknownName: no such augmentation or setting.
            BadSetting: a setting out of range.
            MissingResource: a lexicon, model or parser is not on this machine.
        """
        self.pipeline = parse(pipeline) if isinstance(pipeline, str) else pipeline
        self.seed, self.protection, self.lines = seed, (protection or Protection()).check(), lines
        resources = resources or Resources()
        seen: Counter[str] = Counter()
        self.cautions: list[str] = []
        """Warnings of the methods about their settings and this corpus, a line each."""
        self._steps = [self._prepared(step, seen, resources) for step in self.pipeline.on_texts]

    def _prepared(self, step: Step, seen: "Counter[str]", resources: Resources) -> "_Prepared":
        key = stream_key(step.name, seen)
        if step.choices:
            return _Prepared(key, step, None, [self._prepared(choice, seen, resources) for choice in step.choices])
        if step.level == "models" and self.lines is not None:
            return _Prepared(key, step, None, [])
        method = step.method
        first, taken, fn, part = (
            resources.of(method, step.settings),
            own_settings(method, step.settings),
            method.fn,
            step.part,
        )
        if method.caution and (caution := method.caution(*first, **step.settings)) and caution not in self.cautions:
            self.cautions.append(caution)
        if step.level == "models":
            return _Prepared(key, step, lambda texts, seeds: fn(*first, texts, **taken, rngs=[*map(Random, seeds)]), [])
        if each := method.each:
            return _Prepared(key, step, lambda texts, seeds: each(*first, texts, **taken, seeds=seeds), [], clean=True)

        several = int(method.tags.get("parts", "1")) > 1

        def apply(text: str, seed: int) -> str:
            result = fn(*first, text, **taken, rng=Random(seed))
            return result[part] if several else result

        return _Prepared(key, step, lambda texts, seeds: [apply(*pair) for pair in zip(texts, seeds, strict=True)], [])

    def __call__(self, text: str, draw: int = 0) -> Draw:
        """One draw for one text."""
        return self.many([text], draw)[0]

    def many(self, texts: Sequence[str], draw: int = 0) -> list[Draw]:
        """One draw for each text; each depends on its own text only."""
        with rarely_collected() if len(texts) >= MANY else nullcontext():
            return self._many(texts, draw)

    def _many(self, texts: Sequence[str], draw: int) -> list[Draw]:
        now, labels, acted = list(texts), [""] * len(texts), [False] * len(texts)
        before = [normalised(text) for text in texts]
        clean = list(before)
        for prepared in self._steps:
            self._step(prepared, list(range(len(now))), now, clean, labels, acted, draw)
        changed = [text != original for text, original in zip(clean, before, strict=True)]
        known = [label if differs else NONE for label, differs in zip(labels, changed, strict=True)]
        # As `Draw` itself makes them, without a call of Python for each.
        return list(map(partial(tuple.__new__, Draw), zip(clean, changed, acted, known, strict=True)))

    def _step(
        self,
        prepared: "_Prepared",
        rows: list[int],
        now: list[str],
        clean: list[str],
        labels: list[str],
        acted: list[bool],
        draw: int,
    ) -> None:
        """One step for some of the texts; its results are written into the four lists. `clean` is `now` normalised."""
        step, key = prepared.step, prepared.key
        if step.probability < 1:
            name = f"{key}.acts"
            rows = [row for row in rows if text_rng(self.seed, name, draw, now[row]).random() < step.probability]
        if step.choices:
            count = len(step.choices)
            picked = [int(text_rng(self.seed, key, draw, now[row]).random() * count) for row in rows]
            for number, choice in enumerate(prepared.choices):
                chosen = [row for row, pick in zip(rows, picked, strict=True) if pick == number]
                self._step(choice, chosen, now, clean, labels, acted, draw)
            return
        before = [now[row] for row in rows]
        made = self._call(prepared, key, before, before, draw)
        saved = self._save(prepared, before, made, draw) if self.protection else [False] * len(rows)
        for row, text, was in zip(rows, made, saved, strict=True):
            acted[row] |= was
            if text != now[row] and text != clean[row]:
                labels[row] = f"{labels[row]}+{step.name}" if labels[row] else step.name
            now[row], clean[row] = text, text if prepared.clean else normalised(text)

    def _call(
        self, prepared: "_Prepared", key: str, texts: Sequence[str], written: Sequence[str], draw: int
    ) -> list[str]:
        """The results of a step, each with the random stream of the text as it was written; a [MASK] is never changed."""
        if not texts:
            return []
        masked = {row: masks_locked(text) for row, text in enumerate(texts) if MASK in text}
        locked = [masked[row][0] if row in masked else text for row, text in enumerate(texts)] if masked else texts
        if prepared.call is None:
            assert self.lines is not None
            made = self.lines(prepared.step, key, locked, written, draw)
        else:
            with calling("augmentation", prepared.step.method):
                made = prepared.call(locked, text_seeds(self.seed, key, draw, written))
        made = texts_made(prepared.step.method, made, locked)
        for row, (_, sign) in masked.items():
            made[row] = made[row].replace(sign, MASK)
        return made

    def _save(self, prepared: "_Prepared", before: list[str], made: list[str], draw: int) -> list[bool]:
        """Put texts that keep every protected span into `made`; returns for each whether its span had to be saved."""
        clean = [normalised(text) for text in before]
        wanted = [self.protection.protected(text) for text in clean]
        lost = [row for row, text in enumerate(made) if wanted[row] and wanted[row] - self.protection.protected(text)]
        acted, hidden = set(lost), {row: self.protection.hidden(clean[row]) for row in lost}
        for again in range(_TRIES):
            # With the random stream of the original text, so that the method makes the same edits elsewhere.
            key = prepared.key if again == 0 else f"{prepared.key}.again{again}"
            results = self._call(prepared, key, [hidden[row][0] for row in lost], [before[row] for row in lost], draw)
            still = []
            for row, result in zip(lost, results, strict=True):
                shown = Protection.shown(result, hidden[row][1])
                if shown is None or wanted[row] - self.protection.protected(shown):
                    still.append(row)
                else:
                    made[row] = shown
            lost = still
        for row in lost:
            made[row] = clean[row]
        return [row in acted for row in range(len(made))]


def texts_made(method: Method, made: object, texts: Sequence[str]) -> list[str]:
    """What a method made of `texts`, as a new list: it may have returned the one that it got, or one that it keeps.

    Raises:
        BadMethod: it is no text for each text, or a text that cannot be written down.
    """
    results: list[object] = list(made) if isinstance(made, Iterable) and not isinstance(made, str) else [made]
    whole = [result for result in results if isinstance(result, str)]
    if len(whole) != len(results):
        other = next(result for result in results if not isinstance(result, str))
        raise wrong_return("augmentation", method, "a text for each text", f"{type(other).__name__} {other!r}")
    if len(whole) != len(texts):
        raise wrong_return("augmentation", method, "a text for each text", f"{len(whole)} texts")
    if method.plugged_in:
        for result, text in zip(whole, texts, strict=True):
            if not is_whole(result) and is_whole(text):
                raise wrong_return("augmentation", method, "text that can be written as UTF-8", repr(result))
    return whole


class _Prepared(NamedTuple):
    key: str
    step: Step
    call: Callable[[Sequence[str], Sequence[int]], list[str]] | None
    choices: "list[_Prepared]"
    clean: bool = False
    """Whether the results have normal white space."""


def draw(pipeline: str, text: str, *, seed: int, draw: int = 0, corpus: Sequence[str] = (), **settings: Value) -> Draw:
    """One draw. It depends on seed, method, draw number and text only, so a higher rate extends the same edits.

    `settings` are those of a pipeline that is a single name. Corpus statistics are counted over `corpus`.

    Raises:
        UnknownName: no such augmentation or setting.
        BadSetting: a setting out of range.
        MissingResource: a lexicon, model or parser is not on this machine.

    >>> draw("eda_swap", "all dogs", seed=0)
    Draw(text='dogs all', changed=True, acted=False, label='eda_swap')
    """
    line = str(Step(pipeline, settings)) if settings else pipeline
    return Drawer(line, seed=seed, resources=Resources(corpus))(text, draw)
