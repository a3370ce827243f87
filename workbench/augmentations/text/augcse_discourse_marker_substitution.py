"""AugCSE's discourse markers: a marker becomes another of its class."""

import re
from functools import cache
from random import Random

from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._lists import BEFORE, any_of, rewritten
from workbench.augmentations.text._words import like_case
from workbench.core.method import Method

# Markers by class (those of the Penn Discourse Treebank) and by position, since only the same construction fits the same
# position. "If", "when" and "and" have no close equivalent; "still", "then", "as" and "since" have too many meanings to be
# recognised, so they are never replaced.
_OPENERS = (  # at the beginning of a sentence or after a semicolon, with the comma after them
    ("however,", "nevertheless,", "nonetheless,", "even so,", "but", "yet"),  # comparison: contrast
    ("by contrast,", "in contrast,", "by comparison,", "on the other hand,"),  # comparison: contrast of two things
    ("therefore,", "thus,", "consequently,", "as a result,", "accordingly,", "so"),  # contingency: result
    (
        "moreover,",
        "furthermore,",
        "in addition,",
        "additionally,",
        "besides,",
        "what is more,",
    ),  # expansion: conjunction
    ("for example,", "for instance,"),  # expansion: instantiation
    ("in fact,", "indeed,", "as a matter of fact,"),  # expansion: specification
    ("in other words,", "that is,", "put differently,"),  # expansion: restatement
    ("in short,", "overall,", "to sum up,", "in summary,"),  # expansion: generalisation
    ("similarly,", "likewise,"),  # comparison: similarity
    ("meanwhile,", "in the meantime,", "at the same time,"),  # temporal: synchrony
    ("afterwards,", "subsequently,", "later,", "after that,"),  # temporal: succession
    ("finally,", "lastly,", "in the end,"),  # temporal: the last of a list
    ("instead,", "rather,"),  # expansion: alternative
)
_JOINERS = (  # between two clauses; a comma before them stays
    ("although", "though", "even though"),  # comparison: concession
    ("because", "since", "as"),  # contingency: cause
    ("so that", "in order that"),  # contingency: purpose
    ("as soon as", "once", "the moment"),  # temporal: succession
    ("provided that", "as long as", "on condition that"),  # contingency: condition
    ("until", "till"),  # temporal
)
_AFTER_COMMA = (("but", "yet"), ("so", "and so"), ("while", "whereas"))
_INNER = (  # between two commas
    ("however", "nevertheless", "nonetheless", "on the other hand"),
    ("therefore", "consequently", "as a result", "accordingly"),
    ("for example", "for instance", "say"),
    ("moreover", "furthermore", "in addition"),
    ("in fact", "indeed"),
)
# "Once" and "so" as adverbs, "as long as my arm", and prepositions: the marker must be followed by a clause, which begins
# with one of these more often than not.
_SUBJECT = (
    "i|you|he|she|it|we|they|there|this|that|these|those|the|an?|my|your|his|her|its|our|their|everybody|everyone|"
    "nobody|somebody|someone|something|nothing|people|some|most|many|all|each|every|no|both|what"
)
_CLAUSE = rf"(?= (?:{_SUBJECT})\b)"
# These are markers even without a subject after them.
_SURE = frozenset(
    ["although", "even though", "because", "so that", "in order that", "provided that", "on condition that"]
)
_NEVER_FOUND = frozenset(
    ["since", "as", "say", "rather,", "later,", "finally,", "the moment", "once", "that is,", "instead,", "though"]
)
# "Half as long as"; and "this is because", "not because", "mainly because" give a reason that "as" cannot.
_NOT_AFTER = (
    "only just simply partly merely half twice times am is are was were be been being 's ’s not also mainly largely mostly "
    "primarily probably possibly perhaps maybe"
)
_NO_LINK = "".join(rf"(?<!\b{word} )" for word in _NOT_AFTER.split()) + "(?<!n['’]t )"
# "Because of" takes a noun; "but for", "so far", "yet to" and "but also" are not markers, nor is "so" in "so many", "so what".
_NO_MARKER = r"(?! (?:of|for|far|to|also|rather|on|much|many|too|called|is|was)\b)"
_NO_SO = r"(?!(?<=so) (?:that|many|much|few|all|what|some)\b)"


def augcse_discourse_marker_substitution(text: str, *, rng: Random) -> str:
    """`text` with each discourse marker replaced by another of its class that fits the same construction.

    Markers of several words are found, unlike in the published code, which only looks at single words.

    Prefer it over `augcse_contraction_expansions` for texts of several clauses, whose connectives it varies; a text
    without a marker comes back unchanged.

    >>> augcse_discourse_marker_substitution("However, it rained.", rng=Random(0))
    'Yet it rained.'
    """
    clean = normalised(text)

    def other(match: "re.Match[str]") -> str:
        marker, start = match[0], match.start()
        if clean[max(0, start - 4) : start].lower() == "but " and "not because" in clean[:start].lower():
            return marker  # "not because ..., but because ..."
        options = _classes()[match.lastgroup or ""][marker.lower()]
        return like_case(marker, options[int(rng.random() * len(options))])

    return rewritten(_pattern(), clean, other)


def _others(classes: tuple[tuple[str, ...], ...]) -> dict[str, tuple[str, ...]]:
    return {
        marker: tuple(other for other in group if other != marker)
        for group in classes
        for marker in group
        if marker not in _NEVER_FOUND
    }


@cache
def _classes() -> dict[str, dict[str, tuple[str, ...]]]:
    groups = {"opener": _OPENERS, "joiner": _JOINERS, "contrast": _AFTER_COMMA, "inner": _INNER}
    return {name: _others(group) for name, group in groups.items()}


@cache
def _pattern() -> "re.Pattern[str]":
    found = _classes()
    clear = any_of(name for name in found["opener"] if name.endswith(","))
    bare = any_of(name for name in found["opener"] if not name.endswith(","))
    sure = any_of(name for name in found["joiner"] if name in _SURE)
    rest = any_of(name for name in found["joiner"] if name not in _SURE)
    return re.compile(
        rf"(?:(?:^|(?<=[.!?;] ))(?P<opener>(?:{clear})(?= )|(?:{bare}){_NO_SO}{_CLAUSE})"
        rf"|{BEFORE}{_NO_LINK}(?P<joiner>(?:{sure})\b(?= \w){_NO_MARKER}|(?:{rest}){_CLAUSE})"
        rf"|(?<=, )(?P<contrast>(?:{any_of(found['contrast'])}){_CLAUSE})"
        rf"|(?<=, )(?P<inner>(?:{any_of(found['inner'])})(?=, )))",
        re.IGNORECASE,
    )


METHOD = Method(
    augcse_discourse_marker_substitution,
    title="Other discourse markers",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    tags={
        "class": "preserving",
        "role": "positive",
        "language": "english",
        "alias": "DiscourseMarkerSubstitution",
        "table": "augcse",
        "pools": "augcse_12",
    },
)
