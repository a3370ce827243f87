"""Linked settings in a recipe's terms: values that change together, and settings that stand for several others.

Terms that alternate have the same `every`. Further rows that are the same text, encoded twice, have the same augmentation.
`terms.0.dropout` is a policy for all views of a term; `terms.0.masks` says whether its second view has a separate dropout mask.
A configuration stores the resulting values of each term and view.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence

from workbench.augmentations.pipeline import parse
from workbench.core.config import Term, View
from workbench.core.errors import BadSetting, WorkbenchError
from workbench.core.method import Knob, Setting
from workbench.objectives import encoded

DROPOUT = Setting(
    "dropout",
    str,
    "on",
    Knob(help="Of all views of the term. mix: its first view with dropout, the others without."),
    ("on", "off", "mix"),
)
MASKS = Setting(
    "masks",
    str,
    "own",
    Knob(help="Of the second view. same: that of the first, so the two are one vector, which is a control."),
    ("own", "same"),
)


def standing_for_several(terms: Sequence[Term]) -> dict[str, Setting]:
    """The settings of these terms that stand for several others, by dotted name."""
    found = {}
    for number, term in enumerate(terms):
        if len(encoded(term)) > 1:
            found[f"terms.{number}.dropout"] = DROPOUT
        if second_pass(term):
            found[f"terms.{number}.masks"] = MASKS
    return found


def moved(dotted: str, terms: Sequence[Term]) -> tuple[str, ...]:
    """The dotted names of all values that changing a setting changes: itself or the values it stands for, and linked values.

    >>> una = [Term(loss="ntxent_2n", every=5), Term(loss="ntxent_2n", every=5, skip=True)]
    >>> moved("terms.0.every", una), moved("training.steps", una)
    (('terms.0.every', 'terms.1.every'), ('training.steps',))
    """
    setting = standing_for_several(terms).get(dotted)
    if setting:
        return tuple(_stood_for(dotted, setting.choices[-1], terms))
    return (dotted, *_followers(dotted, terms))


def spread(
    changes: Mapping[str, object], terms: Sequence[Term], meant: Callable[[str], str] = lambda name: name
) -> dict[str, object]:
    """`changes` plus linked values; settings that stand for several are replaced by those. Explicitly named values win.

    `meant` maps the name of a change to its dotted name.

    Raises:
        BadSetting: a setting that stands for several cannot have the given value.
    """
    named = {meant(name): value for name, value in changes.items()}
    several = standing_for_several(terms)
    found: dict[str, object] = {}
    for name, value in changes.items():
        dotted = meant(name)
        if dotted in several:
            also: Mapping[str, object] = _stood_for(dotted, str(several[dotted].check(value)), terms)
            if several[dotted] is MASKS and value == "same":
                _check_alike(dotted, named)
        else:
            found[name] = value
            also = dict.fromkeys(_followers(dotted, terms), value)
        found |= {other: own for other, own in also.items() if other not in named}
    return found


def policy_of(term: Term) -> str:
    """The value of `terms.N.dropout` that gives the views their current dropout; empty if no value does.

    >>> policy_of(Term({"a": View(), "b": View(draw=1, dropout="off")}, loss="infonce_nn"))
    'mix'
    """
    rates = {(label, view.dropout) for label, view in _encoded_views(term)}
    return next((policy for policy in DROPOUT.choices if rates == set(by_policy(term, policy).items())), "")


def by_policy(term: Term, policy: str) -> dict[str, str]:
    """The dropout of each encoded view of a term under a policy, by the view's name.

    >>> by_policy(Term({"a": View(), "b": View(draw=1)}, loss="infonce_nn"), "mix")
    {'a': 'on', 'b': 'off'}
    """
    return {
        label: "on" if policy == "on" or (policy == "mix" and not place) else "off"
        for place, label in enumerate(encoded(term))
    }


def second_pass(term: Term) -> str:
    """The view that encodes the text of the first view again, so that they differ only by dropout; empty if there is none."""
    own = encoded(term)
    if not term.loss or own[:2] != ("a", "b"):
        return ""
    a, b = term.views["a"], term.views["b"]
    return "b" if a.role == b.role and not a.augmentation and not b.augmentation else ""


def one_text(term: Term, label: str) -> list[str]:
    """The other views of a term whose further rows encode the same text as those of this view.

    >>> una = Term(loss="ntxent_2n", more={"a": View(augmentation="case_noise"), "b": View(augmentation="case_noise", copy=1)})
    >>> one_text(una, "b")
    ['a']
    """
    own = term.more[label]
    return [
        name
        for name, view in term.more.items()
        if name != label
        and (view.role, view.draw) == (own.role, own.draw)
        and _line(view.augmentation) == _line(own.augmentation)
    ]


def check_one_text(before: Sequence[Term], after: Sequence[Term]) -> None:
    """Check that further rows that a recipe means as one text are still one text, or differ in `draw` or column.

    Raises:
        BadSetting: the augmentation of only one of them was changed.
    """
    for number, (old, new) in enumerate(zip(before, after, strict=True)):
        for label in old.more:
            a = new.more[label]
            for other in one_text(old, label):
                b = new.more[other]
                if (a.role, a.draw) == (b.role, b.draw) and a.augmentation != b.augmentation:
                    raise BadSetting(
                        f"terms.{number}.more.{label} and terms.{number}.more.{other} are one text, encoded twice.",
                        rule="They have one augmentation.",
                        got=f"{a.augmentation or 'none'} and {b.augmentation or 'none'}",
                        way_out=f"Name one of the two, and the other follows; or give {other} another draw.",
                    )


def _followers(dotted: str, terms: Sequence[Term]) -> list[str]:
    """The dotted names of the settings that take the same value as this one unless they are set explicitly."""
    first, _, rest = dotted.partition(".")
    parts = rest.split(".")
    if first != "terms" or not parts[0].isdigit() or int(parts[0]) >= len(terms):
        return []
    number, term = int(parts[0]), terms[int(parts[0])]
    if parts[1:] == ["every"]:
        alike = [other for other, one in enumerate(terms) if one.every == term.every]
        turns = {terms[other].skip for other in alike} == {True, False}
        return [f"terms.{other}.every" for other in alike if turns and other != number]
    if len(parts) == 4 and (parts[1], parts[3]) == ("more", "augmentation") and parts[2] in term.more:
        return [f"terms.{number}.more.{other}.augmentation" for other in one_text(term, parts[2])]
    return []


def _stood_for(dotted: str, value: str, terms: Sequence[Term]) -> dict[str, int | str]:
    """The values, by dotted name, that `value` gives to the settings that `dotted` stands for."""
    _, number, name = dotted.split(".")
    term = terms[int(number)]
    if name == "dropout":
        rates = by_policy(term, value)
        return {
            f"terms.{number}.{kind}.{label}.dropout": rate
            for kind, views in (("views", term.views), ("more", term.more))
            for label, rate in rates.items()
            if label in views
        }
    place = f"terms.{number}.views.{second_pass(term)}"
    draw, copy = pass_of(term, value)
    return {f"{place}.draw": draw, f"{place}.copy": copy}


def pass_of(term: Term, masks: str) -> tuple[int, int]:
    """`draw` and `copy` of the second view, with a separate dropout mask or with that of the first view."""
    a, b = term.views["a"], term.views[second_pass(term)]
    if masks == "same":
        return a.draw, a.copy
    return (a.draw + 1, a.copy) if (a.draw, a.copy) == (b.draw, b.copy) else (b.draw, b.copy)


def _check_alike(dotted: str, named: Mapping[str, object]) -> None:
    place = dotted.removesuffix(".masks")
    for label in ("a", "b"):
        if line := named.get(f"{place}.views.{label}.augmentation", ""):
            raise BadSetting(
                f"The views of {place} cannot have the same mask.",
                rule="Two passes of one text can; an augmentation makes two texts of it.",
                got=f"{line} in view {label}",
                way_out="Leave the augmentation out, or the mask.",
            )


def _encoded_views(term: Term) -> Iterator[tuple[str, View]]:
    for label in encoded(term):
        yield label, term.views[label]
        if label in term.more:
            yield label, term.more[label]


def _line(augmentation: str) -> str:
    """A pipeline with all its settings written out; one that cannot be read is returned unchanged and refused elsewhere."""
    try:
        return str(parse(augmentation))
    except WorkbenchError:
        return augmentation
