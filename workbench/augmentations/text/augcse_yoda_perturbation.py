"""AugCSE's Yoda perturbation: what follows the auxiliary comes first, then the subject."""

from random import Random

from workbench.augmentations.parser import Node, Parser
from workbench.augmentations.text._capitals import recapitalised
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._rule_parse import prepare, sunk
from workbench.augmentations.text._verbs import AFTER_HAS
from workbench.core.method import Method

_FINITE = frozenset(["VBZ", "VBP", "VBD", "MD"])
_ASKS = frozenset(
    """
    who whom whose what which where when why how
    """.split()  # noqa: SIM905
)
_JOINS = frozenset(["and", "but", "or", "so", "yet"])
_AND = frozenset(["and", "or", "but"])
_WHOLE = {"'m": "am", "'re": "are", "'s": "is", "'ve": "have", "'ll": "will", "'d": "would"}
_FAR = 60  # words; verbs further away are not searched for
_MARKS = {"(": ")", "[": "]", "{": "}", "“": "”", "‘": "’", "«": "»", '"': '"', "'": "'"}
_OPENING = frozenset(_MARKS)
_MARKS |= {closing: closing for closing in _MARKS.values()}
_ENDS = frozenset([".", "!", "?", ",", ";", ":", "…", "-", "–", "—"])
_STOPS = ("", ".", "!", "?")
_NO_SUBJECT = frozenset(["that", "who", "which", "whose", "to"])


def augcse_yoda_perturbation(parser: Parser, text: str, *, rng: Random) -> str:
    """`text` clause by clause with the part after the first auxiliary, or else after the verb, moved to the front.

    Questions, clauses without a subject before their verb, and clauses with only one of a pair of brackets or quotes
    stay unchanged. "Not" stays with the verb it follows. Every draw gives the same text. It needs a parser; preparing
    spaCy's raises `MissingResource` where it is not installed.

    Prefer it over `eda_swap` and `clear_reorder` when the words should change their order but phrases should stay
    whole.

    >>> augcse_yoda_perturbation(prepare([]), "You will learn the rules.", rng=Random(0))
    'Learn the rules, you will.'
    """
    clean = normalised(text)
    nodes = parser(clean)
    if not nodes or clean.rstrip("\"'”’)").endswith("?"):
        return clean
    result, end = "", 0
    for first, last in _clauses(nodes):
        clause = _bare(nodes[first:last])
        turned = _turned(clean, clause)
        if turned:
            result += clean[end : clause[0].start] + turned
            end = clause[-1].end
    return recapitalised(clean, result + clean[end:]) if end else clean


def _clauses(nodes: list[Node]) -> list[tuple[int, int]]:
    """Start and end index of each clause, without the marks and conjunctions between them.

    A conjunction or a comma separates two clauses only if both have a subject and a verb. Inside brackets and quotes
    nothing does.
    """
    cuts, start = [], 0
    waiting: list[str] = []
    for place, node in enumerate(nodes):
        word = node.word.lower()
        if word in _MARKS:
            _nest(waiting, nodes, place)
        if waiting:
            continue
        if word in _JOINS or word in _ENDS:
            hard = word in (";", ":", ".", "!", "?")
            if hard or (
                _verb(nodes[start : min(place, start + _FAR)]) > 0 and _verb(nodes[place + 1 : place + _FAR]) > 0
            ):
                cuts.append((start, place))
                start = place + 1
            elif start == place:
                start = place + 1
    return [(a, b) for a, b in [*cuts, (start, len(nodes))] if b > a]


def _verb(nodes: list[Node]) -> int:
    """Index of the finite verb before the next mark, if a subject of its own comes before it; else 0.

    A verb directly after "and" has none ("a shirt and is posing"), and a word directly before "and is" is a noun.
    """
    for place, node in enumerate(nodes):
        if node.word in ".;:!?,":
            return 0
        if _is_finite(node):
            first = place
            while first and nodes[first - 1].pos == "ADV":
                first -= 1
            alone = first > 0 and nodes[first - 1].word.lower() in _AND
            joined = place + 2 < len(nodes) and nodes[place + 1].word.lower() in _AND and _is_finite(nodes[place + 2])
            if alone or joined:
                return 0
            return place if any(n.pos in ("NOUN", "PROPN", "PRON") for n in nodes[:place]) else 0
    return 0


def _is_finite(node: Node) -> bool:
    return node.tag in _FINITE and node.pos in ("AUX", "VERB")


def _bare(nodes: list[Node]) -> list[Node]:
    """The clause without the marks around it; brackets and quotes stay if only one of a pair is at its edge."""
    while nodes:
        whole = _balanced(nodes)
        if nodes[-1].word in _ENDS or (not whole and nodes[-1].word in _MARKS):
            nodes = nodes[:-1]
        elif nodes[0].word in _MARKS and (not whole or _balanced(nodes[1:-1])):
            nodes = nodes[1:-1] if whole else nodes[1:]
        else:
            break
    return nodes


def _balanced(nodes: list[Node]) -> bool:
    """Whether every bracket and quote opened in these nodes is closed in them, and the reverse."""
    waiting: list[str] = []
    marks = [place for place, node in enumerate(nodes) if node.word in _MARKS]
    return all(_nest(waiting, nodes, place) for place in marks) and not waiting


def _nest(waiting: list[str], nodes: list[Node], index: int) -> bool:
    """Update `waiting`, the closing marks still to come, with the node at `index`; False if it closes what was not open."""
    node = nodes[index]
    if node.word not in _MARKS or node.dep == "case":
        return True
    mark = "'" if node.word == "’" and "‘" not in waiting and "’" not in waiting else node.word
    if waiting and waiting[-1] == mark:
        waiting.pop()
    elif mark == "'" and index and nodes[index - 1].end == node.start:
        return True  # "the dogs'": an apostrophe
    elif mark in _OPENING:
        waiting.append(_MARKS[mark])
    else:
        return False
    return True


def _turned(text: str, nodes: list[Node]) -> str:
    """The clause with its parts reversed, or empty."""
    words = [node.word.lower() for node in nodes]
    if (
        not nodes
        or not _balanced(nodes)
        or words[0] in _ASKS
        or words[0] in _NO_SUBJECT
        or text[nodes[-1].end :].lstrip("\"'”’)").startswith("?")
    ):
        return ""
    verb = _main(nodes)
    if verb < 1:
        return ""
    split = verb + 1
    while split < len(nodes) and (words[split] in ("not", "n't", "n’t") or nodes[split].dep == "neg"):
        split += 1
    if split >= len(nodes) or nodes[split].word in ",;" or words[split] in _AND or not _balanced(nodes[:split]):
        return ""
    who, ending = text[nodes[0].start : nodes[split - 1].end], nodes[split - 1].word.lower().replace("’", "'")
    if ending in _WHOLE:
        whole = "has" if ending == "'s" and words[split] in AFTER_HAS else _WHOLE[ending]
        who = f"{who[: -len(ending)]} {whole.upper() if who.isupper() else whole}"
    moved, low = text[nodes[split].start : nodes[-1].end], sunk(who, nodes[0])
    if low != who or text[: nodes[0].start].rstrip(" \"'“‘(")[-1:] in _STOPS:  # it begins a sentence
        moved, who = moved[:1].upper() + moved[1:], low
    return f"{moved}, {who}"


def _main(nodes: list[Node]) -> int:
    """Index of the verb of the main clause: the first finite one outside clauses of "who", "that", "when" ...; else 0."""
    side = False
    for place, node in enumerate(nodes):
        word = node.word.lower()
        if node.word == ",":
            side = False
        if word in ("when", "while", "if", "because", "although", "though", "until", "after", "before", "since", "as"):
            side = side or place == 0
        if place and word in ("who", "which", "that", "whose") and nodes[place - 1].pos in ("NOUN", "PROPN", "PRON"):
            side = True
            continue
        if _is_finite(node):
            if not side:
                return place if any(n.pos in ("NOUN", "PROPN", "PRON") for n in nodes[:place]) else 0
            side = False
    return 0


METHOD = Method(
    augcse_yoda_perturbation,
    title="Speak like Yoda",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=prepare,
    tags={
        "class": "preserving",
        "role": "positive",
        "language": "english",
        "alias": "YodaPerturbation",
        "table": "augcse",
        "pools": "augcse_12",
    },
)
