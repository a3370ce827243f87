"""The words of the lesson, as the browser fills them in: assets/lesson/lesson.js does the same."""

import json
import operator
import re
from collections.abc import Mapping, Sequence
from typing import Any

import tomli

from workbench.core.paths import shipped

Facts = Mapping[str, float | str]

FOLDER = shipped("assets", "lesson")
_BLANK = re.compile(r"\{(\w+)(?::([^}]*))?\}")
_COMPARED = re.compile(r"(\w+) (<|<=|>|>=|==) (\w+|-?[\d.]+)")
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq}


def read() -> dict[str, Any]:
    """What page and exported file are made of: `words`, from steps.toml, and `numbers`, from numbers.json."""
    return {
        "words": tomli.loads((FOLDER / "steps.toml").read_text(encoding="utf-8")),
        "numbers": json.loads((FOLDER / "numbers.json").read_text(encoding="utf-8")),
    }


def fill(text: str, facts: Facts) -> str:
    """The text with its blanks filled in.

    >>> fill("{a:.2f}, {a:%}, {a:score} and {n}", {"a": 0.777, "n": 2400})
    '0.78, 78\\xa0%, 77.7 and 2,400'
    """
    return _BLANK.sub(lambda match: _written(facts[match[1]], match[2] or ""), text)


def _written(value: float | str, spec: str) -> str:
    if isinstance(value, str):
        return value
    if spec == "%":
        return f"{100 * value:.0f}\u00a0%"
    if spec == "score":
        return f"{100 * value:.1f}"
    written = f"{value:{spec}}" if spec else f"{value:,}"
    return written.lstrip("-") if not float(written.replace(",", "")) else written.replace("-", "−")


def holds(when: str, facts: Facts) -> bool:
    """Whether a condition is true of the facts; an empty one always is.

    >>> holds("a >= 0.1 and a < b", {"a": 0.2, "b": 0.3}), holds("", {})
    (True, True)
    """
    return all(_compare(part, facts) for part in when.split(" and ")) if when else True


def _compare(part: str, facts: Facts) -> bool:
    match = _COMPARED.fullmatch(part)
    if match is None:
        raise ValueError(f"not a condition: {part!r}")
    left, right = facts[match[1]], facts[match[3]] if match[3] in facts else float(match[3])
    return bool(_SIGNS[match[2]](left, right))


def said(variants: str | Sequence[Mapping[str, str]], facts: Facts) -> str:
    """Words with their blanks filled in; of several variants the first that is true of the facts.

    >>> said([{"text": "{n} steps", "when": "n > 0"}, {"text": "none", "when": ""}], {"n": 0})
    'none'
    """
    if isinstance(variants, str):
        return fill(variants, facts)
    return next(fill(each["text"], facts) for each in variants if holds(each["when"], facts))


def question(step: Mapping[str, Any], facts: Facts) -> str:
    """What a step asks, in words."""
    return said(step["question"], facts)


def finding(step: Mapping[str, Any], facts: Facts) -> str:
    """What a step has found, in words."""
    return said(step["findings"], facts)


def answers(step: Mapping[str, Any], facts: Facts) -> list[int]:
    """The numbers of the options that are right: one, if the step is sound."""
    return [number for number, option in enumerate(step["options"]) if holds(option["when"], facts)]
