"""AugCSE's summarization: who does what, and nothing else."""

from random import Random

from workbench.augmentations.parser import Node, Parser, children, chunk
from workbench.augmentations.text._capitals import recapitalised
from workbench.augmentations.text._draws import normalised
from workbench.augmentations.text._rule_parse import prepare, sunk
from workbench.augmentations.text._verbs import BE
from workbench.core.method import Method

_SUBJECTS, _OBJECTS = frozenset(["nsubj", "nsubjpass"]), frozenset(["dobj", "obj", "attr", "dative", "oprd"])
_NEGATIONS = frozenset(["not", "n't", "n’t", "never"])
_WHOLE = {"'s": "is", "'m": "am", "'re": "are", "'ve": "have"}
_ENDS = ".!?。！？"


def augcse_summarization(parser: Parser, text: str, *, rng: Random) -> str:
    """Subject, verb and object of each verb that has both, joined by commas; a negated verb as "!verb".

    Of two objects both stay ("gave me a book"), and of verbs with one subject each has it ("she bought a car, she sold it").

    A text without such a verb comes back unchanged. Auxiliaries are dropped, as in the published code: "will not eat"
    is "!eat". Only the "be" of a passive stays: "was made". Every draw gives the same text. It needs a parser;
    preparing spaCy's raises `MissingResource` where it is not installed.

    Prefer it over `augcse_random_crop` when the words that stay should be those that carry the statement instead of
    random ones.

    >>> augcse_summarization(prepare([]), "At noon the cook did not eat any soup.", rng=Random(0))
    'The cook !eat any soup.'
    """
    clean = normalised(text)
    nodes = parser(clean)
    below = children(nodes)
    triples: list[str] = []
    for place, node in enumerate(nodes):
        if node.pos not in ("VERB", "AUX") or node.dep in ("aux", "auxpass"):
            continue
        targets = [at for at in below[place] if nodes[at].dep in _OBJECTS]
        subject = _subject(nodes, below, place)
        if subject is None or not targets or subject == targets[0]:
            continue
        negated = any(nodes[at].dep == "neg" or nodes[at].word.lower() in _NEGATIONS for at in below[place])
        word = node.word.replace("’", "'")
        verb = _passive(nodes, place) + _WHOLE.get(word, node.word)
        who = _phrase(clean, nodes, subject)
        first = chunk(nodes, subject)[0]
        if triples and all(nodes[at].pos == "PUNCT" for at in range(first)):
            who = sunk(who, nodes[first])
        triples.append(f"{who} {'!' if negated else ''}{verb} {_objects(clean, nodes, targets)}")
    if not triples:
        return clean
    return recapitalised(clean, ", ".join(triples) + (clean[-1] if clean[-1] in _ENDS else ""))


def _passive(nodes: list[Node], index: int) -> str:
    """The form of "be" before a passive participle and a space, without which the verb would read as active; else empty."""
    at = index - 1
    while at >= 0 and (nodes[at].pos in ("ADV", "PART") or nodes[at].dep == "neg"):
        at -= 1
    word = nodes[at].word.lower().replace("’", "'") if at >= 0 else ""
    last = _WHOLE.get(word, word)
    return f"{last} " if nodes[index].tag == "VBN" and last in BE and word != "'s" else ""


def _phrase(text: str, nodes: list[Node], index: int) -> str:
    first, end = chunk(nodes, index)
    return text[nodes[first].start : nodes[end - 1].end]


def _objects(text: str, nodes: list[Node], targets: list[int]) -> str:
    """The first object, with the second if that comes directly after it."""
    first, end = chunk(nodes, targets[0])
    if len(targets) > 1 and nodes[targets[1]].pos != "ADP" and chunk(nodes, targets[1])[0] == end:
        end = targets[1] + 1
    return text[nodes[first].start : nodes[end - 1].end]


def _subject(nodes: list[Node], below: list[list[int]], verb: int) -> int | None:
    """The subject of the verb, or of the verb it is coordinated with."""
    for _ in range(4):
        found = next((at for at in below[verb] if nodes[at].dep in _SUBJECTS), None)
        if found is not None and nodes[found].word.lower() in ("who", "that", "which"):
            # "A revolt that gave": the noun before.
            return next((at for at in range(found - 1, -1, -1) if nodes[at].pos in ("NOUN", "PROPN")), found)
        if found is not None or nodes[verb].dep != "conj" or nodes[verb].head == verb:
            return found
        verb = nodes[verb].head
    return None


METHOD = Method(
    augcse_summarization,
    title="Subject, verb, object",
    source="Tang et al. 2022, AugCSE, arXiv:2210.13749",
    prepare=prepare,
    tags={
        "class": "possible",
        "role": "positive",
        "language": "english",
        "alias": "Summarization",
        "table": "augcse",
    },
)
